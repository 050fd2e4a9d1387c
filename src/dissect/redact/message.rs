//! The texts of a recorded message that may say anything, whatever it is of: an entry, a snapshot.

use super::encoding::{MASK, part};
use crate::{
    dissect::macp::schema::{FieldType, Schema},
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
    while at < bytes.len() {
        let Some((key, len)) = field(bytes, &mut at) else { return };
        let Some(end) = at.checked_add(len).filter(|end| *end <= bytes.len()) else { return };
        let number = u32::try_from(key >> 3).unwrap_or_default();
        let content = part(bytes, at..end);
        at = end;
        let Some(field) = Schema::of_tap().field(message, number).filter(|_| key & 7 == 2) else { continue };
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

/// The key of the next field, and how long its content is. Of a number that is nothing, for it is passed.
fn field(bytes: &[u8], at: &mut usize) -> Option<(u64, usize)> {
    let key = varint(bytes, at)?;
    let len = match key & 7 {
        0 => varint(bytes, at).map(|_| 0)?,
        1 => 8,
        2 => usize::try_from(varint(bytes, at)?).ok()?,
        5 => 4,
        _ => return None,
    };
    Some((key, len))
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
