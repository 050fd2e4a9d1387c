//! The envelope of a body.

use rmpv::Value;

use super::{
    count::{self, VALUES_MAX, ValueCount},
    fields::{Fault, Fields, map, named},
};
use crate::w3c::GivenTraceParent;

/// The schemas of runs (Runloop facts, Schema registry).
pub mod schema {
    /// A cancel's notice to an agent goes as a generic intent (ruling RMP 14).
    pub const INTENT: u16 = 2;
    /// `CT_RUN_EVENT`.
    pub const RUN_EVENT: u16 = 8;
    /// `CT_CTRL_REQ`.
    pub const CTRL_REQ: u16 = 2001;
    /// `CT_CTRL_RESP`.
    pub const CTRL_RESP: u16 = 2002;
    /// `CT_ACTION_REQUEST`.
    pub const ACTION_REQUEST: u16 = 3005;
    /// `CT_ACTION_DECISION`.
    pub const ACTION_DECISION: u16 = 3006;
    /// `CT_EXECUTOR_AGENT_REQUEST`.
    pub const AGENT_REQUEST: u16 = 4000;
    /// `CT_EXECUTOR_AGENT_RESPONSE`.
    pub const AGENT_RESPONSE: u16 = 4001;
}

/// How deep the decoder goes into containers within one another, 64 of them; it counts each of them twice,
/// and a text once more.
const DEPTH_MAX: usize = 2 * 64 + 4;

/// A body that was read, its payload not yet judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    kind: String,
    payload: Value,
    meta: Option<Value>,
    values: u64,
}

impl Body {
    /// Reads a body.
    ///
    /// # Errors
    /// A [`Fault`] when it is no `MsgPack` map of `type`, `payload` and perhaps `meta`, or has more than
    /// 262,144 keys and values.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let values = match count::values(bytes, VALUES_MAX) {
            ValueCount::Values(values) => values,
            ValueCount::TooMany => {
                return Err(Fault::new("the body", &format!("has more than {VALUES_MAX} keys and values")));
            }
            // The decoder says what is wrong.
            ValueCount::Broken => 0,
        };
        let mut rest = bytes;
        let value = rmpv::decode::read_value_with_max_depth(&mut rest, DEPTH_MAX)
            .map_err(|error| Fault::new("the body", &format!("is not valid MsgPack: {error}")))?;
        if !rest.is_empty() {
            return Err(Fault::new("the body", &format!("is followed by {} more bytes", rest.len())));
        }
        let mut fields = Fields::of(value, "")?;
        let kind = fields.text("type")?;
        let payload = fields.take_or_nil("payload").ok_or_else(|| Fault::new("payload", "is missing"))?;
        Ok(Self { kind, payload, meta: fields.take("meta"), values })
    }

    /// The type.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Its keys and values.
    pub(super) fn values(&self) -> u64 {
        self.values
    }

    /// The meta as a number of tokens (ruling RMP 14); none where it does not tell.
    pub(super) fn tokens(&self) -> Result<Option<u64>, Fault> {
        let Some(Value::Map(pairs)) = &self.meta else { return Ok(None) };
        let tokens = pairs.iter().find(|(key, _)| key.as_str() == Some("tokens")).map(|(_, value)| value);
        let Some(tokens) = tokens.filter(|value| !value.is_nil()) else { return Ok(None) };
        let fault =
            || Fault::new("meta.tokens", &format!("is {}, not a non-negative integer", named(tokens)));
        tokens.as_u64().map(Some).ok_or_else(fault)
    }

    /// The `traceparent` of the meta (ruling MPLP 18), judged; none where it has none.
    pub(super) fn traceparent(&self) -> Option<GivenTraceParent> {
        let Some(Value::Map(pairs)) = &self.meta else { return None };
        let (_, value) = pairs.iter().find(|(key, _)| key.as_str() == Some("traceparent"))?;
        match value {
            Value::Nil => None,
            value => Some(
                value
                    .as_str()
                    .map_or_else(|| GivenTraceParent::no_text(named(value)), GivenTraceParent::read),
            ),
        }
    }

    /// The payload of a body of this type.
    pub(super) fn payload_of(self, kind: &str) -> Result<Value, Fault> {
        if self.kind == kind {
            Ok(self.payload)
        } else {
            Err(Fault::new("type", &format!("is {}, not {kind}", self.kind)))
        }
    }
}

/// Writes a body.
pub(super) fn write(kind: &str, payload: Value, meta: Option<Value>) -> Vec<u8> {
    let mut pairs = vec![("type", Value::from(kind)), ("payload", payload)];
    pairs.extend(meta.map(|meta| ("meta", meta)));
    let mut bytes = Vec::with_capacity(256);
    // Writing to memory cannot fail.
    let _ = rmpv::encode::write_value(&mut bytes, &map(pairs));
    bytes
}

/// The bytes of a value as `MsgPack`.
#[must_use]
pub fn value_len(value: &Value) -> u64 {
    struct Count(u64);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len() as u64;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail.
    let _ = rmpv::encode::write_value(&mut count, value);
    count.0
}
