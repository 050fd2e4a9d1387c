//! The texts of a recorded message that may say anything, whatever it is of: an entry, a snapshot.

use prost::encoding::WireType;

use super::encoding::{MASK, part};
use crate::{
    dissect::{
        macp::schema::{FieldType, Schema},
        wire_field::WireField,
    },
    tap::recorded::is_free_text,
};

/// Messages within messages that are gone into.
const DEPTH_MAX: usize = 32;

/// Hands over each free text of a recorded message of this name, to be changed at equal length: of an entry
/// none of its frame, and not what lies next to a transition.
pub(crate) fn free_texts(message: &str, recorded: &mut [u8], visit: &mut dyn FnMut(&mut [u8])) {
    fields(recorded, &format!(".{message}"), 0, visit);
}

/// Goes over the fields of a message.
fn fields(bytes: &mut [u8], message: &str, depth: usize, visit: &mut dyn FnMut(&mut [u8])) {
    let short = message.rsplit('.').next().unwrap_or(message);
    let mut at = 0;
    while let Ok(WireField { number, wire_type, content, .. }) = WireField::at(bytes, at) {
        at = content.end;
        let known = Schema::of_tap().field(message, number);
        let Some(field) = known.filter(|_| wire_type == WireType::LengthDelimited) else { continue };
        let content = part(bytes, content);
        match &field.field_type {
            FieldType::Message(inner) if depth < DEPTH_MAX => fields(content, inner, depth + 1, visit),
            FieldType::Text if is_free_text(short, &field.name) => {
                visit(content);
                // It remains a text, so that the message is read.
                if std::str::from_utf8(content).is_err() {
                    content.fill(MASK);
                }
            }
            _ => {}
        }
    }
}
