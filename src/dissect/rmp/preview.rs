//! The part of a bus frame that is worth a line.

use std::borrow::Cow;

use super::body_text;
use crate::{
    dissect::body_preview::{LOOKED_AT_BYTES, beginning},
    rmp::Head,
    tap::entry::{Frame, Redaction},
};

/// The type of the message; of an error, what it says; of what has neither, as much of
/// it as is text.
pub(super) fn frame_preview<'a>(frame: &Frame, head: &Head, bytes: &'a [u8]) -> Cow<'a, str> {
    if frame.redaction == Redaction::Withheld {
        return beginning(bytes);
    }
    if let Some(words) = head.refusal.is_some().then(|| body_text::error_message(bytes)).flatten() {
        return words.into();
    }
    match body_text::message(&bytes[..bytes.len().min(LOOKED_AT_BYTES)]) {
        Some(Cow::Borrowed(body)) => body_text::type_of(body).map_or(Cow::Borrowed(""), Cow::Borrowed),
        Some(Cow::Owned(body)) => {
            body_text::type_of(&body).map_or(Cow::Borrowed(""), |kind| kind.to_owned().into())
        }
        None if body_text::is_json(bytes) => beginning(&bytes[4..]),
        None => Cow::Borrowed(""),
    }
}
