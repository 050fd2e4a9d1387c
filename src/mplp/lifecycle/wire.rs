//! Objects and events as the bus carries them: `{v: 1, items: [{schema, object}]}` as `MsgPack`, in the
//! envelope of the bus (ruling MPLP 17; ruling RMP 17).

use rmp::encode::{self, ByteBuf};
use serde_json::{Number, Value};

use super::item::Item;

/// The type of a body.
pub const TYPE: &str = "observation.mplp.event.v1";

/// The version of a payload.
const VERSION: u8 = 1;

/// Bytes of a body around its items, at most.
pub const FRAME_BYTES_MAX: usize = 64;

/// The last part of the topic of a run's objects and events: `rlp/runs/<trace>/mplp`.
pub const TOPIC_PART: &str = "mplp";

/// Appends an item: `{schema, object}`. The schema is its name.
pub(super) fn write_item(out: &mut ByteBuf, item: &Item) {
    write_map_len(out, 2);
    write_str(out, "schema");
    write_str(out, item.schema.name());
    write_str(out, "object");
    write_value(out, &item.object);
}

/// The body of so many items, which were written one behind the other.
#[must_use]
pub(super) fn body(items: usize, bytes: &[u8]) -> Vec<u8> {
    let mut out = ByteBuf::with_capacity(FRAME_BYTES_MAX + bytes.len());
    write_map_len(&mut out, 2);
    write_str(&mut out, "type");
    write_str(&mut out, TYPE);
    write_str(&mut out, "payload");
    write_map_len(&mut out, 2);
    write_str(&mut out, "v");
    let Ok(_) = encode::write_uint(&mut out, VERSION.into());
    write_str(&mut out, "items");
    write_array_len(&mut out, items);
    let mut out = out.into_vec();
    out.extend_from_slice(bytes);
    out
}

fn write_value(out: &mut ByteBuf, value: &Value) {
    match value {
        Value::Null => {
            let Ok(()) = encode::write_nil(out);
        }
        Value::Bool(value) => {
            let Ok(()) = encode::write_bool(out, *value);
        }
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_str(out, text),
        Value::Array(items) => {
            write_array_len(out, items.len());
            for item in items {
                write_value(out, item);
            }
        }
        Value::Object(members) => {
            write_map_len(out, members.len());
            for (name, value) in members {
                write_str(out, name);
                write_value(out, value);
            }
        }
    }
}

fn write_number(out: &mut ByteBuf, number: &Number) {
    if let Some(number) = number.as_u64() {
        let Ok(_) = encode::write_uint(out, number);
    } else if let Some(number) = number.as_i64() {
        let Ok(_) = encode::write_sint(out, number);
    } else {
        let Ok(()) = encode::write_f64(out, number.as_f64().unwrap_or_default());
    }
}

fn write_str(out: &mut ByteBuf, text: &str) {
    let Ok(()) = encode::write_str(out, text);
}

// Lengths of what is in memory fit: a container of more items is larger than any message.
fn write_array_len(out: &mut ByteBuf, len: usize) {
    let Ok(_) = encode::write_array_len(out, u32::try_from(len).unwrap_or(u32::MAX));
}

fn write_map_len(out: &mut ByteBuf, len: usize) {
    let Ok(_) = encode::write_map_len(out, u32::try_from(len).unwrap_or(u32::MAX));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::mplp::{SchemaId, lifecycle::Origin};

    #[test]
    fn a_body_is_the_bytes_of_the_ruling() {
        let object = json!({"a": [1, -2, 1.5, null, true], "b": {"c": "x"}});
        let item = Item::new(SchemaId::Role, object, Origin::Beginning);
        let mut items = ByteBuf::new();
        write_item(&mut items, &item);
        // Worked by hand from the MsgPack specification.
        let expected = [
            &b"\x82\xa4type\xb9observation.mplp.event.v1\xa7payload\x82\xa1v\x01\xa5items\x91"[..],
            &b"\x82\xa6schema\xa4role\xa6object\x82\xa1a\x95\x01\xfe\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00\xc0\xc3"
                [..],
            &b"\xa1b\x81\xa1c\xa1x"[..],
        ]
        .concat();
        assert_eq!(body(1, items.as_slice()), expected);
        assert!(body(100_000, &[]).len() <= FRAME_BYTES_MAX);
    }
}
