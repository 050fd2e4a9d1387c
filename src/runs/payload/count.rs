//! How many values a body holds, found without making any of them: a byte of `MsgPack` may become many in memory.

/// Keys and values of a body at most.
pub(super) const VALUES_MAX: u64 = 262_144;
/// Bytes that a value takes in memory at least.
pub(super) const VALUE_BYTES: u64 = 32;

/// The values of what is encoded first, each key and each member of a container counted; nothing when there are more than `values_max`, or
/// when the bytes end before or are no `MsgPack`: what is wrong with those is for the decoder to say, which does not come further either.
pub(super) fn values(mut bytes: &[u8], values_max: u64) -> Counted {
    let (mut open, mut count) = (1_u64, 0);
    while open > 0 {
        (open, count) = (open - 1, count + 1);
        if count > values_max {
            return Counted::TooMany;
        }
        let Some((members, rest)) = one(bytes) else { return Counted::Broken };
        open = open.saturating_add(members);
        bytes = rest;
    }
    Counted::Values(count)
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// So many.
    Values(u64),
    /// More than may be.
    TooMany,
    /// The bytes are no `MsgPack`.
    Broken,
}

/// One value without its members: how many those are, and what follows.
fn one(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (marker, rest) = bytes.split_first()?;
    let number = |len: usize| {
        let (number, rest) = rest.split_at_checked(len)?;
        Some((number.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte)), rest))
    };
    let after = |rest: &[u8], len: u64| {
        let behind = rest.get(usize::try_from(len).ok()?..)?;
        Some(bytes.len() - behind.len())
    };
    // How many members it has, and where it ends.
    let (members, end) = match *marker {
        0x80..=0x8f => (2 * u64::from(marker & 0x0f), 1),
        0x90..=0x9f => (u64::from(marker & 0x0f), 1),
        0xa0..=0xbf => (0, after(rest, u64::from(marker & 0x1f))?),
        0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => (0, 1),
        0xc1 => return None,
        0xc4 | 0xd9 => number(1).and_then(|(len, rest)| Some((0, after(rest, len)?)))?,
        0xc5 | 0xda => number(2).and_then(|(len, rest)| Some((0, after(rest, len)?)))?,
        0xc6 | 0xdb => number(4).and_then(|(len, rest)| Some((0, after(rest, len)?)))?,
        // Extensions have a byte more: their type.
        0xc7 => number(1).and_then(|(len, rest)| Some((0, after(rest, len + 1)?)))?,
        0xc8 => number(2).and_then(|(len, rest)| Some((0, after(rest, len + 1)?)))?,
        0xc9 => number(4).and_then(|(len, rest)| Some((0, after(rest, len + 1)?)))?,
        0xcc | 0xd0 => (0, after(rest, 1)?),
        0xcd | 0xd1 => (0, after(rest, 2)?),
        0xca | 0xce | 0xd2 => (0, after(rest, 4)?),
        0xcb | 0xcf | 0xd3 => (0, after(rest, 8)?),
        0xd4..=0xd8 => (0, after(rest, 1 + (1 << (marker - 0xd4)))?),
        0xdc => number(2).map(|(len, rest)| (len, bytes.len() - rest.len()))?,
        0xdd => number(4).map(|(len, rest)| (len, bytes.len() - rest.len()))?,
        0xde => number(2).map(|(len, rest)| (2 * len, bytes.len() - rest.len()))?,
        0xdf => number(4).map(|(len, rest)| (2 * len, bytes.len() - rest.len()))?,
    };
    Some((members, bytes.get(end..)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmpv::Value;

    use super::*;

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
            (any::<i8>(), prop::collection::vec(any::<u8>(), 0..40)).prop_map(|(kind, data)| Value::Ext(kind, data)),
        ];
        leaf.prop_recursive(4, 64, 20, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..20).prop_map(Value::Array),
                prop::collection::vec((inner.clone(), inner), 0..20).prop_map(Value::Map),
            ]
        })
    }

    fn naive(value: &Value) -> u64 {
        1 + match value {
            Value::Array(items) => items.iter().map(naive).sum(),
            Value::Map(pairs) => pairs.iter().map(|(key, value)| naive(key) + naive(value)).sum(),
            _ => 0,
        }
    }

    proptest! {
        #[test]
        fn every_value_counts_once(value in any_value(), behind in prop::collection::vec(any::<u8>(), 0..4)) {
            let mut bytes = Vec::new();
            rmpv::encode::write_value(&mut bytes, &value).unwrap();
            let len = bytes.len();
            bytes.extend(behind);
            prop_assert_eq!(values(&bytes, u64::MAX), Counted::Values(naive(&value)));
            prop_assert_eq!(values(&bytes, naive(&value) - 1), Counted::TooMany);
            prop_assert_eq!(values(&bytes[..len - 1], u64::MAX), Counted::Broken);
        }

        #[test]
        fn bytes_of_any_kind_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = values(&bytes, 1_000);
        }
    }

    #[test]
    fn a_length_that_nothing_is_behind_is_not_believed() {
        assert_eq!(values(&[0xdf, 0xff, 0xff, 0xff, 0xff, 0xc0], 10), Counted::Broken);
        assert_eq!(values(&[0xdb, 0xff, 0xff, 0xff, 0xff, 0xc0], 10), Counted::Broken);
    }
}
