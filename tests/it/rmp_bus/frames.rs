//! Frames as the specification writes them, made and read without the program's own codec.

use rmpv::Value;

/// A frame that came.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) wire: Vec<u8>,
}

impl std::fmt::Debug for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.body())
    }
}

impl Frame {
    fn body(&self) -> Value {
        rmpv::decode::read_value(&mut &self.wire[68..]).unwrap()
    }

    pub(crate) fn schema_id(&self) -> u16 {
        u16::from_be_bytes([self.wire[16], self.wire[17]])
    }

    pub(crate) fn msg_id(&self) -> u64 {
        u64::from_be_bytes(self.wire[56..64].try_into().unwrap())
    }

    pub(crate) fn trace_id(&self) -> u128 {
        u128::from_be_bytes(self.wire[40..56].try_into().unwrap())
    }

    pub(crate) fn kind(&self) -> String {
        field(&self.body(), "type").as_str().unwrap().to_owned()
    }

    pub(crate) fn payload(&self) -> Value {
        field(&self.body(), "payload")
    }

    /// The name of the control message that it is.
    pub(crate) fn name(&self) -> String {
        assert_eq!((self.schema_id(), self.kind().as_str()), (9, "intent.control.v1"), "{self:?}");
        self.payload().as_map().unwrap()[0].0.as_str().unwrap().to_owned()
    }

    pub(crate) fn field(&self, name: &str) -> Value {
        field(&self.payload().as_map().unwrap()[0].1, name)
    }

    pub(crate) fn number(&self, name: &str) -> u64 {
        self.field(name).as_u64().unwrap_or_else(|| panic!("no {name}: {self:?}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.field(name).as_str().unwrap_or_else(|| panic!("no {name}: {self:?}")).to_owned()
    }

    /// Of an Error, `re` and `code`.
    pub(crate) fn error(&self) -> (u64, String) {
        assert_eq!(self.name(), "Error", "{self:?}");
        (self.number("re"), self.text("code"))
    }
}

/// A field of a map; nil where there is none.
pub(crate) fn field(map: &Value, name: &str) -> Value {
    let pairs = map.as_map().unwrap_or_else(|| panic!("no map: {map:?}"));
    pairs.iter().find(|(key, _)| key.as_str() == Some(name)).map_or(Value::Nil, |(_, value)| value.clone())
}

pub(crate) fn map(pairs: Vec<(&str, Value)>) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

/// The fields of a header (rmp-v0 §1.1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header {
    pub(crate) schema_id: u16,
    pub(crate) created_at_ms: u64,
    pub(crate) ttl_ms: u64,
    pub(crate) trace_id: u128,
    pub(crate) msg_id: u64,
}

/// A frame: `frame_len`, 64 bytes of header, the body.
pub(crate) fn frame(header: Header, body: &[u8]) -> Vec<u8> {
    let body_len = u32::try_from(body.len()).unwrap();
    let mut out = (64 + body_len).to_be_bytes().to_vec();
    out.extend_from_slice(b"RMP0");
    out.extend_from_slice(&[0, 0, 0, 64, 0, 0, 0, 0]);
    out.extend_from_slice(&header.schema_id.to_be_bytes());
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(&body_len.to_be_bytes());
    out.extend_from_slice(&header.created_at_ms.to_be_bytes());
    out.extend_from_slice(&header.ttl_ms.to_be_bytes());
    out.extend_from_slice(&header.trace_id.to_be_bytes());
    out.extend_from_slice(&header.msg_id.to_be_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(body);
    out
}

/// A body: the map of type and payload (rmp-v0 §2).
pub(crate) fn body(kind: &str, payload: Value) -> Vec<u8> {
    let mut out = Vec::new();
    rmpv::encode::write_value(&mut out, &map(vec![("type", kind.into()), ("payload", payload)])).unwrap();
    out
}

/// A control frame of this number, as a client sends it.
pub(crate) fn control(msg_id: u64, name: &str, fields: Vec<(&str, Value)>) -> Vec<u8> {
    let header = Header { schema_id: 9, created_at_ms: 1, ttl_ms: 1, trace_id: 7, msg_id };
    frame(header, &body("intent.control.v1", map(vec![(name, map(fields))])))
}

/// An observation that is worth delivering until the end of time.
pub(crate) fn message(msg_id: u64, text: &str) -> Vec<u8> {
    message_of(msg_id, text, false)
}

/// Such an observation, or one that expired long ago.
pub(crate) fn message_of(msg_id: u64, text: &str, is_expired: bool) -> Vec<u8> {
    let ttl_ms = if is_expired { 1 } else { u64::MAX - 2 };
    let header = Header { schema_id: 1, created_at_ms: 1, ttl_ms, trace_id: 0xabc, msg_id };
    frame(header, &body("observation.note.v1", map(vec![("text", text.into())])))
}
