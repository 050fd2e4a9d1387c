//! What peers and viewers wrote in an entry: of a frame, the part that is worth a line.

use std::borrow::Cow;

use super::table::{of_head, of_transition};
use crate::{
    field::Class,
    tap::{EntryRef, entry::What},
};

/// Bytes of a text that are looked at on every paint: of a longer frame the beginning is shown as it is.
pub(super) const LOOKED_AT_BYTES: usize = 4_096;

/// The part of an entry's text that is worth a line, and who may see it.
pub(crate) fn body_preview(entry: EntryRef<'_>) -> (Cow<'_, str>, Class) {
    match &entry.entry.what {
        What::Frame(frame) => (of_head(&frame.head).preview(frame, entry.bytes), Class::Payload),
        What::Transition(transition) => {
            (beginning(entry.bytes), of_transition(transition).details().text_class())
        }
        What::Intercepted(it) => (of_head(&it.frame.head).preview(&it.frame, entry.bytes), Class::Payload),
        What::Passed(_) if !entry.bytes.is_empty() => (beginning(entry.bytes), Class::Payload),
        What::Passed(_) | What::Committed { .. } | What::Unsent { .. } | What::Loss { .. } => {
            (Cow::Borrowed(""), Class::Public)
        }
    }
}

/// The beginning of a text, without the end of its line.
pub(super) fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    String::from_utf8_lossy(&line[..line.len().min(LOOKED_AT_BYTES)])
}
