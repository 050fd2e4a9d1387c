//! Finds where MsgPack values begin and end without decoding them: nothing is allocated, and no length is
//! believed that the bytes do not back.

use std::ops::Range;

use rmp::Marker;

/// Why there is no whole value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where in the bytes.
    pub(crate) at: usize,
    /// The fault there.
    pub(crate) why: FaultKind,
}

/// What can be wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The bytes end within it.
    Cut,
    /// It begins with the one byte that no MsgPack value begins with.
    Reserved,
    /// Containers within containers, over the limit.
    TooDeep {
        /// The limit.
        depth_max: usize,
    },
}

/// One value's shape, and where what it holds lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A text, whatever its bytes are.
    Text(Range<usize>),
    /// A map of so many pairs, which follow.
    Map(u32),
    /// An array of so many items, which follow.
    Array(u32),
    /// Anything else; it ends here.
    Leaf,
}

/// Goes through bytes from its first byte on.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    depth_max: usize,
    values: u64,
}

impl<'a> Walk<'a> {
    /// A walk over `bytes`, into containers no deeper than `depth_max`, the outermost being 1.
    pub(crate) fn new(bytes: &'a [u8], depth_max: usize) -> Self {
        Self { bytes, at: 0, depth_max, values: 0 }
    }

    /// A walk over a part of `bytes`, with places in the whole.
    pub(crate) fn within(bytes: &'a [u8], part: Range<usize>, depth_max: usize) -> Self {
        Self { at: part.start, ..Self::new(bytes.get(..part.end).unwrap_or_default(), depth_max) }
    }

    /// Where the next value begins.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Values seen so far, those inside of others included.
    pub(crate) fn values(&self) -> u64 {
        self.values
    }

    /// Bytes not walked over yet.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Goes over one whole value.
    pub(crate) fn skip(&mut self, depth: usize) -> Result<Range<usize>, Fault> {
        let start = self.at;
        if let Some(end) = self.short_end() {
            (self.at, self.values) = (end, self.values + 1);
            return Ok(start..end);
        }
        let items = match self.head(depth)? {
            Shape::Map(pairs) => u64::from(pairs) * 2,
            Shape::Array(items) => u64::from(items),
            Shape::Text(_) | Shape::Leaf => 0,
        };
        for _ in 0..items {
            self.skip(depth + 1)?;
        }
        Ok(start..self.at)
    }

    /// Where the next value ends, if all of it is there and it holds no others.
    fn short_end(&self) -> Option<usize> {
        let (first, rest) = self.bytes.get(self.at..)?.split_first()?;
        let counted = |width: usize| {
            let len = rest.get(..width)?.iter().fold(0, |len, byte| len << 8 | u32::from(*byte));
            usize::try_from(len).ok()?.checked_add(width)
        };
        let behind = match *first {
            0x00..=0x7f | 0xe0..=0xff | 0xc0 | 0xc2 | 0xc3 => 0,
            0xa0..=0xbf => usize::from(first & 0x1f),
            0xcc | 0xd0 => 1,
            0xcd | 0xd1 => 2,
            0xca | 0xce | 0xd2 => 4,
            0xcb | 0xcf | 0xd3 => 8,
            0xc4 | 0xd9 => counted(1)?,
            0xc5 | 0xda => counted(2)?,
            0xc6 | 0xdb => counted(4)?,
            _ => return None,
        };
        (behind <= rest.len()).then(|| self.at + 1 + behind)
    }

    /// Goes over one value, or over no more than the head of a container at this depth.
    pub(crate) fn head(&mut self, depth: usize) -> Result<Shape, Fault> {
        let start = self.at;
        let marker = Marker::from_u8(self.number(1)?.to_be_bytes()[3]);
        self.values += 1;
        let (kind, len) = self.announced(marker).ok_or(Fault { at: start, why: FaultKind::Reserved })??;
        let end = match kind {
            Kind::Text | Kind::Bytes => usize::try_from(len).ok().and_then(|len| self.at.checked_add(len)),
            // Every item has a byte at least, so that a count beyond what is left is refused before the first
            // one.
            Kind::Array => Some(self.at).filter(|_| u64::from(len) <= self.remaining() as u64),
            Kind::Map => Some(self.at).filter(|_| u64::from(len) * 2 <= self.remaining() as u64),
        };
        let end =
            end.filter(|end| *end <= self.bytes.len()).ok_or(Fault { at: start, why: FaultKind::Cut })?;
        if matches!(kind, Kind::Array | Kind::Map) && depth > self.depth_max {
            return Err(Fault { at: start, why: FaultKind::TooDeep { depth_max: self.depth_max } });
        }
        let content = self.at..end;
        self.at = end;
        Ok(match kind {
            Kind::Text => Shape::Text(content),
            Kind::Bytes => Shape::Leaf,
            Kind::Array => Shape::Array(len),
            Kind::Map => Shape::Map(len),
        })
    }

    /// What a marker announces: bytes that follow, or items. Nothing for the marker that MsgPack never uses.
    fn announced(&mut self, marker: Marker) -> Option<Result<(Kind, u32), Fault>> {
        let fixed = |kind, len| Ok((kind, len));
        let mut counted =
            |kind, width, more: u32| self.number(width).map(|len| (kind, len.saturating_add(more)));
        Some(match marker {
            Marker::FixPos(_) | Marker::FixNeg(_) | Marker::Null | Marker::True | Marker::False => {
                fixed(Kind::Bytes, 0)
            }
            Marker::U8 | Marker::I8 => fixed(Kind::Bytes, 1),
            Marker::U16 | Marker::I16 | Marker::FixExt1 => fixed(Kind::Bytes, 2),
            Marker::FixExt2 => fixed(Kind::Bytes, 3),
            Marker::U32 | Marker::I32 | Marker::F32 => fixed(Kind::Bytes, 4),
            Marker::FixExt4 => fixed(Kind::Bytes, 5),
            Marker::U64 | Marker::I64 | Marker::F64 => fixed(Kind::Bytes, 8),
            Marker::FixExt8 => fixed(Kind::Bytes, 9),
            Marker::FixExt16 => fixed(Kind::Bytes, 17),
            Marker::Bin8 => counted(Kind::Bytes, 1, 0),
            Marker::Bin16 => counted(Kind::Bytes, 2, 0),
            Marker::Bin32 => counted(Kind::Bytes, 4, 0),
            // An extension's type is one byte more.
            Marker::Ext8 => counted(Kind::Bytes, 1, 1),
            Marker::Ext16 => counted(Kind::Bytes, 2, 1),
            Marker::Ext32 => counted(Kind::Bytes, 4, 1),
            Marker::FixStr(len) => fixed(Kind::Text, u32::from(len)),
            Marker::Str8 => counted(Kind::Text, 1, 0),
            Marker::Str16 => counted(Kind::Text, 2, 0),
            Marker::Str32 => counted(Kind::Text, 4, 0),
            Marker::FixArray(len) => fixed(Kind::Array, u32::from(len)),
            Marker::Array16 => counted(Kind::Array, 2, 0),
            Marker::Array32 => counted(Kind::Array, 4, 0),
            Marker::FixMap(len) => fixed(Kind::Map, u32::from(len)),
            Marker::Map16 => counted(Kind::Map, 2, 0),
            Marker::Map32 => counted(Kind::Map, 4, 0),
            Marker::Reserved => return None,
        })
    }

    /// The next 1 to 4 bytes as a big-endian number.
    fn number(&mut self, width: usize) -> Result<u32, Fault> {
        let bytes =
            self.bytes.get(self.at..self.at + width).ok_or(Fault { at: self.at, why: FaultKind::Cut })?;
        self.at += width;
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Bytes,
    Array,
    Map,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(bytes: &[u8]) -> Result<usize, FaultKind> {
        Walk::new(bytes, 8).skip(1).map(|range| range.end).map_err(|fault| fault.why)
    }

    #[test]
    fn every_marker_is_as_long_as_it_says() {
        for first in 0..=u8::MAX {
            // Lengths read as 0, and what has a fixed length finds its bytes.
            let mut bytes = vec![0; 40];
            bytes[0] = first;
            let value = rmpv::decode::read_value(&mut &bytes[..]).unwrap();
            let mut rest = &bytes[..];
            rmpv::decode::read_value(&mut rest).unwrap();
            match end(&bytes) {
                Ok(end) => assert_eq!(end, bytes.len() - rest.len(), "{first:#04x}: {value}"),
                Err(why) => assert_eq!((first, why), (0xc1, FaultKind::Reserved)),
            }
        }
    }

    #[test]
    fn no_length_is_believed_that_the_bytes_do_not_back() {
        for bytes in [
            &[][..],
            &[0xd9],
            &[0xd9, 3, b'a'],
            &[0xdb, 0xff, 0xff, 0xff, 0xff, 1],
            &[0xc6, 0xff, 0xff, 0xff, 0xff],
            &[0xc9, 0xff, 0xff, 0xff, 0xff, 1, 2],
            &[0xdd, 0xff, 0xff, 0xff, 0xff, 1],
            &[0xdf, 0xff, 0xff, 0xff, 0xff, 1, 2],
            &[0x92, 1],
            &[0x81, 1],
            &[0xcf, 0, 0, 0],
        ] {
            assert_eq!(end(bytes), Err(FaultKind::Cut), "{bytes:x?}");
        }
    }

    #[test]
    fn a_value_is_as_deep_as_its_containers() {
        let nested = |depth: usize| [vec![0x91; depth], vec![0xc0]].concat();
        assert_eq!(end(&nested(8)), Ok(9));
        assert_eq!(end(&nested(9)), Err(FaultKind::TooDeep { depth_max: 8 }));
    }
}
