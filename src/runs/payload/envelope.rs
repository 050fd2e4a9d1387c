//! The envelope of a body.

use rmpv::Value;

use super::fields::{Fault, Fields, map};

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

/// How deep the decoder goes into containers within one another, 64 of them; it counts each of them twice, and a text once more.
const DEPTH_MAX: usize = 2 * 64 + 4;

/// A body that was read, its payload not yet judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    kind: String,
    payload: Value,
    meta: Option<Value>,
}

impl Body {
    /// Reads a body.
    ///
    /// # Errors
    /// A [`Fault`] when it is no `MsgPack` map of `type`, `payload` and perhaps `meta`.
    pub fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let mut rest = bytes;
        let value = rmpv::decode::read_value_with_max_depth(&mut rest, DEPTH_MAX)
            .map_err(|error| Fault::new("the body", &format!("is no MsgPack: {error}")))?;
        if !rest.is_empty() {
            return Err(Fault::new("the body", &format!("is followed by {} more bytes", rest.len())));
        }
        let mut fields = Fields::of(value, "")?;
        let kind = fields.text("type")?;
        let payload = fields.take("payload").ok_or_else(|| Fault::new("payload", "is missing"))?;
        Ok(Self { kind, payload, meta: fields.take("meta") })
    }

    /// The type.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The meta as a number of tokens (ruling RMP 14); none where it does not tell.
    pub(super) fn tokens(&self) -> Option<u64> {
        let Some(Value::Map(pairs)) = &self.meta else { return None };
        pairs.iter().find(|(key, _)| key.as_str() == Some("tokens")).and_then(|(_, value)| value.as_u64())
    }

    /// The payload of a body of this type.
    pub(super) fn payload_of(self, kind: &str) -> Result<Value, Fault> {
        if self.kind == kind { Ok(self.payload) } else { Err(Fault::new("type", &format!("is {}, not {kind}", self.kind))) }
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
