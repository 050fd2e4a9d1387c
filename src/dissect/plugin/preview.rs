//! The part of a plugin's message that is worth a line.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::message::body_of;
use crate::{
    dissect::body_preview::{LOOKED_AT_BYTES, beginning},
    plugin::Head,
    tap::entry::Frame,
};

/// What of an envelope is worth a line.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// Its params, its result or its error; of what cannot be read, the beginning.
pub(super) fn frame_preview<'a>(_: &Frame, _: &Head, bytes: &'a [u8]) -> Cow<'a, str> {
    let body = &bytes[body_of(bytes).min(bytes.len())..];
    if body.len() > LOOKED_AT_BYTES {
        return beginning(body);
    }
    match serde_json::from_slice::<Envelope<'a>>(body) {
        Ok(Envelope { params, result, error }) => {
            error.or(result).or(params).map_or(Cow::Borrowed(""), |part| Cow::Borrowed(part.get()))
        }
        Err(_) => beginning(body),
    }
}
