//! The texts of a recorded message, whatever it is of: an entry, a snapshot.

use super::encoding::part;
use crate::dissect::macp::schema::{FieldType, Schema};

/// Messages within messages that are gone into.
const DEPTH_MAX: usize = 32;
/// The length of what is an id: of a trace, a run or an action.
const ID_BYTES: usize = 16;
/// Where an entry has its frame or text.
const ENTRY_BYTES: u32 = 6;

/// Hands over each text of a recorded entry, to be changed at equal length: all but the bytes of its frame,
/// or its text.
pub(super) fn entry_texts(bytes: &mut [u8], visit: &mut dyn FnMut(&mut [u8])) {
    fields(bytes, ".rl_console.tap.v1.Entry", &|depth, number| depth == 0 && number == ENTRY_BYTES, 0, visit);
}

/// Hands over each text of a recorded snapshot, to be changed at equal length.
pub(super) fn snapshot_texts(bytes: &mut [u8], visit: &mut dyn FnMut(&mut [u8])) {
    fields(bytes, ".rl_console.tap.v1.Snapshot", &|_, _| false, 0, visit);
}

/// Goes over the fields of a message.
fn fields(
    bytes: &mut [u8],
    message: &str,
    is_left: &dyn Fn(usize, u32) -> bool,
    depth: usize,
    visit: &mut dyn FnMut(&mut [u8]),
) {
    let mut at = 0;
    while at < bytes.len() {
        let Some((key, len)) = field(bytes, &mut at) else { return };
        let Some(end) = at.checked_add(len).filter(|end| *end <= bytes.len()) else { return };
        let number = u32::try_from(key >> 3).unwrap_or_default();
        let content = part(bytes, at..end);
        at = end;
        if key & 7 != 2 || is_left(depth, number) {
            continue;
        }
        match Schema::of_tap().field(message, number).map(|field| &field.field_type) {
            Some(FieldType::Message(inner)) if depth < DEPTH_MAX => {
                fields(content, inner, is_left, depth + 1, visit);
            }
            Some(FieldType::Text) => visit(content),
            Some(FieldType::Bytes) if len != ID_BYTES => visit(content),
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
