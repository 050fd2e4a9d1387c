//! The body's envelope: a MsgPack map of `type`, `payload` and, if there is any, `meta` (rmp-v0 §2; ruling
//! RMP 3).

use std::{fmt, ops::Range};

use rmpv::Value;

use crate::msgpack::{self, FaultKind, Shape, Walk};

/// A body whose envelope was read. Its payload is found, not decoded: the broker checks the envelope alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body<'a> {
    bytes: &'a [u8],
    kind: &'a str,
    kind_at: usize,
    payload: Range<usize>,
    meta: Option<Range<usize>>,
    values: u64,
    depth_max: usize,
}

/// Why a body is no envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyFault {
    /// Where in the body.
    pub at: usize,
    /// The breach there.
    pub breach: Breach,
}

/// What can be wrong with an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Breach {
    /// It ends within a value.
    #[error("the body ends inside a value")]
    Cut,
    /// The one byte that no MsgPack value begins with.
    #[error("no MsgPack value starts with c1")]
    Reserved,
    /// Containers within containers, over the limit.
    #[error("containers are nested deeper than {depth_max}")]
    TooDeep {
        /// The limit.
        depth_max: usize,
    },
    /// It is a value of another kind.
    #[error("the body is not a map")]
    NotMap,
    /// Bytes follow the map.
    #[error("{bytes} bytes follow the map")]
    Trailing {
        /// How many.
        bytes: usize,
    },
    /// A key that must be there is not.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A key of the envelope is there twice, and nothing says which one holds.
    #[error("duplicate key `{0}`")]
    Twice(&'static str),
    /// `type` is no text.
    #[error("`type` is not a string")]
    TypeNotText,
    /// The payload is not one control message by its name (ruling RMP 1).
    #[error("the payload is not a map of one control message")]
    NotMessage,
    /// No control message that may come from there has this name (ruling RMP 1).
    #[error("no control message of this direction has this name")]
    UnknownMessage,
    /// A field of a control message is of another kind (ruling RMP 1).
    #[error("`{field}` is not {takes}")]
    Mistyped {
        /// The field.
        field: &'static str,
        /// What it takes.
        takes: &'static str,
    },
}

impl fmt::Display for BodyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {} of it", self.breach, self.at)
    }
}

impl std::error::Error for BodyFault {}

impl BodyFault {
    /// What belongs there.
    pub(super) fn expected(&self) -> String {
        match self.breach {
            Breach::Cut => "the rest of a MsgPack value".to_owned(),
            Breach::Reserved => "a MsgPack value".to_owned(),
            Breach::TooDeep { depth_max } => format!("containers at most {depth_max} deep"),
            Breach::NotMap => "a MsgPack map".to_owned(),
            Breach::Trailing { .. } => "the end of the body".to_owned(),
            Breach::Missing(key) => format!("a map with `{key}`"),
            Breach::Twice(key) => format!("`{key}` once"),
            Breach::TypeNotText => "a string of UTF-8".to_owned(),
            Breach::NotMessage => "a map of one control message, as in {\"Ping\": {}}".to_owned(),
            Breach::UnknownMessage => "the name of a control message".to_owned(),
            Breach::Mistyped { takes, .. } => takes.to_owned(),
        }
    }

    /// The value that is there instead.
    pub(super) fn got(&self) -> String {
        match self.breach {
            Breach::Cut => "the end of the body".to_owned(),
            Breach::Reserved => "c1".to_owned(),
            Breach::TooDeep { depth_max } => format!("one at depth {}", depth_max + 1),
            Breach::NotMap | Breach::TypeNotText | Breach::NotMessage | Breach::Mistyped { .. } => {
                "another value".to_owned()
            }
            Breach::UnknownMessage => "another name".to_owned(),
            Breach::Trailing { bytes } => format!("{bytes} more bytes"),
            Breach::Missing(key) => format!("a map without `{key}`"),
            Breach::Twice(key) => format!("`{key}` again"),
        }
    }
}

impl From<msgpack::Fault> for BodyFault {
    fn from(msgpack::Fault { at, why }: msgpack::Fault) -> Self {
        let breach = match why {
            FaultKind::Cut => Breach::Cut,
            FaultKind::Reserved => Breach::Reserved,
            FaultKind::TooDeep { depth_max } => Breach::TooDeep { depth_max },
        };
        Self { at, breach }
    }
}

impl<'a> Body<'a> {
    /// Reads an envelope. Unknown keys are ignored, a `meta` of nil is none (ruling RMP 12).
    ///
    /// # Errors
    /// The first [`BodyFault`], for containers nested deeper than `depth_max` too.
    pub fn decode(bytes: &'a [u8], depth_max: usize) -> Result<Self, BodyFault> {
        let mut walk = Walk::new(bytes, depth_max);
        let Shape::Map(pairs) = walk.head(1)? else {
            return Err(BodyFault { at: 0, breach: Breach::NotMap });
        };
        let mut found = [const { None }; 3];
        for _ in 0..pairs {
            let key_at = walk.at();
            let key = walk.skip(2)?;
            let slot = Self::known(bytes, &key);
            let value = walk.skip(2)?;
            let Some(slot) = slot else { continue };
            if found[slot].replace(value).is_some() {
                return Err(BodyFault { at: key_at, breach: Breach::Twice(KEYS[slot]) });
            }
        }
        if walk.remaining() > 0 {
            return Err(BodyFault { at: walk.at(), breach: Breach::Trailing { bytes: walk.remaining() } });
        }
        let missing = |slot: usize| BodyFault { at: 0, breach: Breach::Missing(KEYS[slot]) };
        let [kind, payload, meta] = found;
        let kind = kind.ok_or_else(|| missing(0))?;
        let text = text(bytes, &kind).ok_or(BodyFault { at: kind.start, breach: Breach::TypeNotText })?;
        let payload = payload.ok_or_else(|| missing(1))?;
        let meta = meta.filter(|meta| bytes.get(meta.start) != Some(&NIL));
        Ok(Self { bytes, kind: text, kind_at: kind.start, payload, meta, values: walk.values(), depth_max })
    }

    /// What a body of type and payload alone, in this order, has before its payload.
    #[must_use]
    pub(super) fn start(&self) -> Option<&'a [u8]> {
        let is_plain = self.bytes.first() == Some(&PLAIN) && self.kind_at < self.payload.start;
        self.bytes.get(..self.payload.start).filter(|_| is_plain)
    }

    /// Whether a body that has the [`start`](Self::start) of an envelope, of so many bytes, has one payload
    /// behind it and nothing else.
    #[must_use]
    pub(super) fn ends_with_payload(bytes: &[u8], start: usize, depth_max: usize) -> bool {
        let mut walk = Walk::within(bytes, start..bytes.len(), depth_max);
        walk.skip(2).is_ok() && walk.remaining() == 0
    }

    /// Which key of the envelope it is, if any.
    fn known(bytes: &[u8], key: &Range<usize>) -> Option<usize> {
        // As nearly everybody writes them.
        let written = bytes.get(key.clone())?;
        if let Some(slot) = SHORTEST.iter().position(|known| *known == written) {
            return Some(slot);
        }
        let key = text(bytes, key)?;
        KEYS.iter().position(|known| *known == key)
    }

    /// The body as it came.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The type, `<family>.<kind>.v<version>` once it was checked against its schema.
    #[must_use]
    pub fn kind(&self) -> &'a str {
        self.kind
    }

    /// Where the value of `type` begins in the body.
    #[must_use]
    pub fn kind_at(&self) -> usize {
        self.kind_at
    }

    /// The MsgPack of the payload as it came.
    #[must_use]
    pub fn payload(&self) -> &'a [u8] {
        self.bytes.get(self.payload.clone()).unwrap_or_default()
    }

    /// Where the payload begins in the body.
    #[must_use]
    pub fn payload_at(&self) -> usize {
        self.payload.start
    }

    /// Goes through the payload; places are the body's.
    pub(super) fn walk_payload(&self) -> Walk<'a> {
        Walk::within(self.bytes, self.payload.clone(), self.depth_max)
    }

    /// The MsgPack of the meta as it came, if there is any that is not nil.
    #[must_use]
    pub fn meta(&self) -> Option<&'a [u8]> {
        self.meta.clone().and_then(|meta| self.bytes.get(meta))
    }

    /// Values in the whole body, keys and those inside of others included.
    #[must_use]
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The payload, decoded; nothing for one of more than `values_max` values, since a byte on the wire can
    /// be forty in memory.
    #[must_use]
    pub fn payload_value(&self, values_max: u64) -> Option<Value> {
        self.decoded(self.payload(), values_max)
    }

    /// The meta, decoded; nothing where there is none, or for a body of more than `values_max` values.
    #[must_use]
    pub fn meta_value(&self, values_max: u64) -> Option<Value> {
        self.decoded(self.meta()?, values_max)
    }

    /// The whole map, keys that no clause knows included; nothing for one of more than `values_max` values.
    #[must_use]
    pub fn value(&self, values_max: u64) -> Option<Value> {
        self.decoded(self.bytes, values_max)
    }

    fn decoded(&self, part: &[u8], values_max: u64) -> Option<Value> {
        if self.values > values_max {
            return None;
        }
        // The decoder counts a container twice, and a text once more.
        let depth = self.depth_max.saturating_mul(2).saturating_add(4);
        rmpv::decode::read_value_with_max_depth(&mut &*part, depth).ok()
    }
}

/// The keys of the envelope.
const KEYS: [&str; 3] = ["type", "payload", "meta"];
/// Their shortest MsgPack.
const SHORTEST: [&[u8]; 3] = [b"\xa4type", b"\xa7payload", b"\xa4meta"];

/// A map of two pairs.
const PLAIN: u8 = 0x82;

/// MsgPack's nil.
const NIL: u8 = 0xc0;

/// The text that a value is.
pub(super) fn text<'a>(bytes: &'a [u8], value: &Range<usize>) -> Option<&'a str> {
    let value = bytes.get(value.clone())?;
    if let Some((0xa0..=0xbf, content)) = value.split_first() {
        return std::str::from_utf8(content).ok();
    }
    match Walk::new(value, 0).head(1) {
        Ok(Shape::Text(content)) => std::str::from_utf8(value.get(content)?).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<Body<'_>, (usize, Breach)> {
        Body::decode(bytes, 8).map_err(|fault| (fault.at, fault.breach))
    }

    const TYPE_X: &[u8] = b"\xa4type\xa1x";
    const PAYLOAD_1: &[u8] = b"\xa7payload\x01";

    fn map(pairs: &[&[u8]]) -> Vec<u8> {
        let head = 0x80 | u8::try_from(pairs.len()).unwrap();
        [&[head][..], &pairs.concat()].concat()
    }

    #[test]
    fn finds_the_parts_in_any_order_and_leaves_out_what_it_does_not_know() {
        let body = map(&[
            b"\xa4meta\x81\xa1a\x02",
            b"\x07\xc3",
            b"\x91\x01\xc0",
            PAYLOAD_1,
            b"\xa5other\x93\x01\x02\x03",
            TYPE_X,
        ]);
        let body = decode(&body).unwrap();
        assert_eq!((body.kind(), body.payload(), body.meta()), ("x", &[1][..], Some(&b"\x81\xa1a\x02"[..])));
        assert_eq!(body.payload_value(100), Some(Value::from(1)));
        assert_eq!(body.meta_value(100), Some(Value::Map(vec![("a".into(), 2.into())])));
        assert_eq!(body.value(body.values()).unwrap().as_map().unwrap().len(), 6);
        assert_eq!(body.value(body.values() - 1), None);
    }

    #[test]
    fn a_meta_of_nil_is_none() {
        let body = map(&[TYPE_X, PAYLOAD_1, b"\xa4meta\xc0"]);
        assert_eq!(decode(&body).unwrap().meta(), None);
        let body = map(&[TYPE_X, b"\xa7payload\xc0"]);
        assert_eq!(decode(&body).unwrap().payload(), [0xc0], "a payload of nil is one");
    }

    #[test]
    fn every_breach_has_its_place() {
        let cases: [(&[u8], (usize, Breach)); 8] = [
            (b"", (0, Breach::Cut)),
            (b"\x93\x01\x02\x03", (0, Breach::NotMap)),
            (&map(&[TYPE_X, b"\xa1a\xc1"]), (10, Breach::Reserved)),
            (&map(&[TYPE_X]), (0, Breach::Missing("payload"))),
            (&map(&[PAYLOAD_1]), (0, Breach::Missing("type"))),
            (&map(&[TYPE_X, PAYLOAD_1, TYPE_X]), (17, Breach::Twice("type"))),
            (&map(&[b"\xa4type\x07", PAYLOAD_1]), (6, Breach::TypeNotText)),
            (&map(&[b"\xa4type\xa1\xff", PAYLOAD_1]), (6, Breach::TypeNotText)),
        ];
        for (bytes, expected) in cases {
            assert_eq!(decode(bytes), Err(expected), "{bytes:x?}");
        }
        let trailing = [map(&[TYPE_X, PAYLOAD_1]), vec![0xc0, 0xc0]].concat();
        assert_eq!(decode(&trailing), Err((17, Breach::Trailing { bytes: 2 })));
        let deep = map(&[TYPE_X, &[b"\xa7payload", &[0x91; 8][..], b"\xc0"].concat()]);
        assert_eq!(decode(&deep), Err((23, Breach::TooDeep { depth_max: 8 })));
    }
}
