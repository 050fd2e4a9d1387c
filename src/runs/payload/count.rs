//! How many values a body holds, found without making any of them: a byte of `MsgPack` may become many in
//! memory.

use rmpv::Value;

use super::value_len;
use crate::msgpack::{Shape, Walk};

/// Keys and values of a body at most.
pub(super) const VALUES_MAX: u64 = 262_144;
/// Bytes that a value takes in memory at least.
const VALUE_BYTES: u64 = 32;

/// What bytes of `MsgPack` that hold so many keys and values take in memory, about: a byte of them may be a
/// whole value.
pub(super) const fn memory(bytes: u64, values: u64) -> u64 {
    let least = values.saturating_mul(VALUE_BYTES);
    if least > bytes { least } else { bytes }
}

/// What a value takes in memory, counted as an answer of an agent is.
#[must_use]
pub fn memory_len(value: &Value) -> u64 {
    memory(value_len(value), members(value))
}

/// A value, with each key and each member in it.
fn members(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(members).sum(),
        Value::Map(pairs) => pairs.iter().map(|(key, value)| members(key) + members(value)).sum(),
        _ => 0,
    }
}

/// The values of what is encoded first, each key and each member of a container counted; nothing when there
/// are more than `values_max`, or when the bytes end before or are no `MsgPack`: what is wrong with those is
/// for the decoder to say, which does not come further either.
pub(super) fn values(bytes: &[u8], values_max: u64) -> ValueCount {
    let mut walk = Walk::new(bytes, usize::MAX);
    let mut open = 1_u64;
    while open > 0 {
        if walk.values() >= values_max {
            return ValueCount::TooMany;
        }
        // How deep it lies is for the decoder to say, too.
        open = open - 1
            + match walk.head(1) {
                Ok(Shape::Map(pairs)) => 2 * u64::from(pairs),
                Ok(Shape::Array(items)) => u64::from(items),
                Ok(Shape::Text(_) | Shape::Leaf) => 0,
                Err(_) => return ValueCount::Broken,
            };
    }
    ValueCount::Values(walk.values())
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueCount {
    /// So many.
    Values(u64),
    /// More than may be.
    TooMany,
    /// The bytes are no `MsgPack`.
    Broken,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Nil),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<f32>().prop_map(Value::from),
            ".{0,40}".prop_map(Value::from),
            prop::collection::vec(any::<u8>(), 0..300).prop_map(Value::Binary),
            (any::<i8>(), prop::collection::vec(any::<u8>(), 0..40))
                .prop_map(|(kind, data)| Value::Ext(kind, data)),
        ];
        leaf.prop_recursive(4, 64, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
                prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_counts_once(value in any_value(), behind in prop::collection::vec(any::<u8>(), 0..4)) {
            let mut bytes = Vec::new();
            rmpv::encode::write_value(&mut bytes, &value).unwrap();
            let len = bytes.len();
            bytes.extend(behind);
            prop_assert_eq!(values(&bytes, u64::MAX), ValueCount::Values(members(&value)));
            prop_assert_eq!(values(&bytes, members(&value) - 1), ValueCount::TooMany);
            prop_assert_eq!(values(&bytes[..len - 1], u64::MAX), ValueCount::Broken);
            prop_assert_eq!(memory_len(&value), (len as u64).max(32 * members(&value)));
        }

        #[test]
        fn bytes_of_any_kind_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = values(&bytes, 1_000);
        }
    }

    #[test]
    fn a_length_that_nothing_is_behind_is_not_believed() {
        assert_eq!(values(&[0xdf, 0xff, 0xff, 0xff, 0xff, 0xc0], 10), ValueCount::Broken);
        assert_eq!(values(&[0xdb, 0xff, 0xff, 0xff, 0xff, 0xc0], 10), ValueCount::Broken);
    }
}
