//! Fields of protobuf messages as they are on the wire, with their places.

use std::ops::Range;

use prost::{
    bytes::Buf as _,
    encoding::{WireType, decode_varint},
};

const NO_FIELD: &str = "the field overruns its message, or has an unknown type";

/// A field of a message.
#[derive(Clone, Debug)]
pub(super) struct WireField {
    pub(super) number: u32,
    pub(super) wire_type: WireType,
    /// Its bits as an unsigned number; of bytes, how many there are.
    pub(super) value: u64,
    /// What lies behind its key and, of bytes, behind their length.
    pub(super) content: Range<usize>,
}

impl WireField {
    /// The field that begins at a byte of a message. The next one begins where its content ends.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn at(message: &[u8], start: usize) -> Result<Self, &'static str> {
        let mut rest = message.get(start..).unwrap_or_default();
        let key =
            decode_varint(&mut rest).map_err(|_| "a field begins with a varint of its number and type")?;
        let number = u32::try_from(key >> 3).ok().filter(|number| *number > 0);
        let number = number.ok_or("no field has this number")?;
        let wire_type = WireType::try_from(key & 7).map_err(|_| NO_FIELD)?;
        let behind_key = message.len() - rest.len();
        let value = match wire_type {
            WireType::Varint | WireType::LengthDelimited => decode_varint(&mut rest).ok(),
            WireType::SixtyFourBit => rest.try_get_u64_le().ok(),
            WireType::ThirtyTwoBit => rest.try_get_u32_le().ok().map(u64::from),
            WireType::StartGroup | WireType::EndGroup => None,
        };
        let (value, at) = (value.ok_or(NO_FIELD)?, message.len() - rest.len());
        let content = if wire_type == WireType::LengthDelimited {
            let length = usize::try_from(value).ok().filter(|length| *length <= rest.len());
            at..at + length.ok_or(NO_FIELD)?
        } else {
            behind_key..at
        };
        Ok(Self { number, wire_type, value, content })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<(u32, u64, Range<usize>), &'static str> {
        WireField::at(bytes, 0).map(|it| (it.number, it.value, it.content))
    }

    #[test]
    fn a_field_has_its_number_its_value_and_its_place() {
        assert_eq!(read(b"\x18\xac\x02\xff"), Ok((3, 300, 1..3)));
        assert_eq!(read(b"\x12\x05alice\xff"), Ok((2, 5, 2..7)));
        assert_eq!(read(b"\x09\x01\0\0\0\0\0\0\x80"), Ok((1, 1 << 63 | 1, 1..9)));
        assert_eq!(read(b"\x0d\x01\0\0\x80"), Ok((1, 1 << 31 | 1, 1..5)));
        let second = WireField::at(b"\x18\x07\x12\0", 2).unwrap();
        assert_eq!((second.number, second.content), (2, 4..4));
    }

    #[test]
    fn what_is_no_field_is_refused_wherever_it_is_cut() {
        for whole in
            [&b"\x18\xac\x02"[..], b"\x12\x05alice", b"\x09\x01\0\0\0\0\0\0\x80", b"\x0d\x01\0\0\x80"]
        {
            for len in 0..whole.len() {
                assert!(read(&whole[..len]).is_err(), "{len} of {whole:?}");
            }
        }
        assert_eq!(read(b"\x02\0"), Err("no field has this number"));
        // A group, and a type that does not exist.
        assert_eq!((read(b"\x0b\x0c"), read(b"\x0f\0")), (Err(NO_FIELD), Err(NO_FIELD)));
        // A number of more than 64 bits.
        assert_eq!(read(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), Err(NO_FIELD));
    }
}
