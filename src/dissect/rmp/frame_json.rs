//! An RMP frame as one JSON object, as `decode --json` prints it and `encode` takes it back.
//!
//! `header` has the twelve fields as they stand on the wire; `body` is the whole map, by the forms of
//! [`crate::rmp::json`]. A body that is no
//! `MsgPack`, or that would be written with other bytes than it came with, has its bytes as base64 in
//! `body_bytes`, so that what is encoded again is the same frame byte for byte. What else `decode` says is
//! left out by `encode`.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::{
    dissect::given::given,
    ids::TraceId,
    rmp::{self, RawFrame, RawHeader, encode, json},
};

/// Levels of JSON that readers take; `serde_json` gives up at 128.
const JSON_LEVELS_MAX: usize = 100;

/// The type of control frames (ruling RMP 1).
const CONTROL_TYPE: &str = "intent.control.v1";

/// The twelve fields.
#[derive(Debug, Serialize)]
pub(crate) struct HeaderJson {
    magic: String,
    header_version: u16,
    header_len: u16,
    flags: u32,
    schema_id: u16,
    reserved2: u16,
    body_len: u32,
    created_at_ms: u64,
    ttl_ms: u64,
    trace_id: TraceId,
    msg_id: u64,
    reserved4: u32,
}

impl From<&RawHeader> for HeaderJson {
    fn from(raw: &RawHeader) -> Self {
        Self {
            magic: magic_text(raw.magic),
            header_version: raw.header_version,
            header_len: raw.header_len,
            flags: raw.flags,
            schema_id: raw.schema_id,
            reserved2: raw.reserved2,
            body_len: raw.body_len,
            created_at_ms: raw.created_at_ms,
            ttl_ms: raw.ttl_ms,
            trace_id: TraceId(uuid::Uuid::from_u128(raw.trace_id)),
            msg_id: raw.msg_id,
            reserved4: raw.reserved4,
        }
    }
}

impl HeaderJson {
    /// The magic, for people.
    pub(crate) fn magic(&self) -> &str {
        &self.magic
    }

    /// The trace, for people.
    pub(crate) fn trace_id(&self) -> TraceId {
        self.trace_id
    }
}

/// Four characters, or `0x` and eight digits where they are none.
fn magic_text(magic: [u8; 4]) -> String {
    if magic.iter().all(u8::is_ascii_graphic) {
        return magic.map(char::from).iter().collect();
    }
    format!("{:#010x}", u32::from_be_bytes(magic))
}

fn magic_of(text: &str) -> Option<[u8; 4]> {
    match text.strip_prefix("0x") {
        Some(digits) if digits.len() == 8 => u32::from_str_radix(digits, 16).ok().map(u32::to_be_bytes),
        _ => text.as_bytes().try_into().ok(),
    }
}

/// A body as JSON, as bytes, or both.
#[derive(Debug, Default)]
pub(crate) struct BodyJson {
    /// The map.
    pub(crate) value: Option<rmpv::Value>,
    /// The bytes, where the map does not lead back to them.
    pub(crate) bytes: Option<String>,
}

impl BodyJson {
    /// A body however it came.
    pub(crate) fn of(bytes: &[u8], limits: &crate::limits::Rmp) -> Self {
        let depth_max = usize::try_from(limits.body_depth_max).unwrap_or(usize::MAX);
        let body = rmp::Body::decode(bytes, depth_max).ok();
        let value = body
            .and_then(|body| body.value(limits.shown_values_max))
            .filter(|value| json::levels(value) <= JSON_LEVELS_MAX);
        let is_led_back =
            value.as_ref().is_some_and(|value| encode::value(value).is_ok_and(|again| again == bytes));
        Self { value, bytes: (!is_led_back).then(|| BASE64.encode(bytes)) }
    }
}

/// A value where there is one.
#[expect(clippy::ref_option, reason = "the shape that serde asks for")]
pub(crate) fn shown<S: Serializer>(value: &Option<rmpv::Value>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(json::JsonView).serialize(serializer)
}

given! {
    /// What `encode` is given for one frame. What is absent is filled in.
    pub(crate) struct Given<'a> beside ["schema" _schema, "expires_at_ms" _expires_at_ms] {
        #[serde(default)]
        frame_len: Option<u32>,
        #[serde(default)]
        header: HeaderGiven,
        #[serde(borrow, default)]
        body: Option<&'a RawValue>,
        #[serde(default)]
        body_bytes: Option<String>,
        /// A control message, in place of the body that carries it (ruling RMP 1).
        #[serde(borrow, default)]
        control: Option<&'a RawValue>,
        /// What a session calls it.
        #[serde(default)]
        unit: Option<String>,
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HeaderGiven {
    magic: Option<String>,
    header_version: Option<u16>,
    header_len: Option<u16>,
    flags: Option<u32>,
    schema_id: Option<u16>,
    reserved2: Option<u16>,
    body_len: Option<u32>,
    created_at_ms: Option<u64>,
    ttl_ms: Option<u64>,
    trace_id: Option<TraceId>,
    msg_id: Option<u64>,
    reserved4: Option<u32>,
}

/// What stands in for what is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fill {
    /// When the frame is made.
    pub(crate) created_at_ms: u64,
    /// How long it is worth delivering.
    pub(crate) ttl_ms: u64,
    /// Its number.
    pub(crate) msg_id: u64,
    /// Its trace.
    pub(crate) trace_id: TraceId,
}

impl Given<'_> {
    /// Reads one object.
    pub(crate) fn read(text: &str) -> Result<Given<'_>, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The frame's bytes, exactly as the fields say.
    ///
    /// # Errors
    /// What keeps the body or the header from being made.
    pub(crate) fn encode(&self, fill: &Fill, registry: &rmp::Registry) -> Result<Vec<u8>, String> {
        let body = self.body()?;
        let given = &self.header;
        let magic = given
            .magic
            .as_deref()
            .map(|text| magic_of(text).ok_or("`magic` takes 4 characters, or 0x and 8 hex digits"));
        let len = |len: usize| {
            u32::try_from(len).map_err(|_| format!("a body of {len} bytes is longer than frame_len can say"))
        };
        let schema_id = match given.schema_id {
            Some(schema_id) => schema_id,
            None => schema_of(&body, registry)?,
        };
        let header = RawHeader {
            magic: magic.transpose()?.unwrap_or(rmp::MAGIC),
            header_version: given.header_version.unwrap_or(0),
            header_len: given.header_len.unwrap_or(64),
            flags: given.flags.unwrap_or(0),
            schema_id,
            reserved2: given.reserved2.unwrap_or(0),
            body_len: given.body_len.map_or_else(|| len(body.len()), Ok)?,
            created_at_ms: given.created_at_ms.unwrap_or(fill.created_at_ms),
            ttl_ms: given.ttl_ms.unwrap_or(fill.ttl_ms),
            trace_id: given.trace_id.unwrap_or(fill.trace_id).0.as_u128(),
            msg_id: given.msg_id.unwrap_or(fill.msg_id),
            reserved4: given.reserved4.unwrap_or(0),
        };
        let frame_len = self.frame_len.map_or_else(|| len(rmp::HEADER_BYTES + body.len()), Ok)?;
        Ok(RawFrame { frame_len, header, body: &body }.encode())
    }

    /// What a session calls it, where that is given.
    pub(crate) fn unit(&self) -> Option<&str> {
        self.unit.as_deref()
    }

    /// The body around a control message.
    fn control_body(control: &RawValue) -> Result<Vec<u8>, String> {
        let message = json::parse(control.get()).map_err(|error| format!("`control`: {error}"))?;
        let kind = (rmpv::Value::from("type"), rmpv::Value::from(CONTROL_TYPE));
        let body = rmpv::Value::Map(vec![kind, (rmpv::Value::from("payload"), message)]);
        encode::value(&body).map_err(|error| error.to_string())
    }

    /// The body's bytes. Where both forms are given they have to say the same, so that a change of one is
    /// never lost.
    fn body(&self) -> Result<Vec<u8>, String> {
        if let Some(control) = self.control {
            let is_alone = self.body.is_none() && self.body_bytes.is_none();
            let made = || Self::control_body(control);
            return if is_alone { made() } else { Err("give `control` or a body, not both".to_owned()) };
        }
        let given = self
            .body
            .map(|body| json::parse(body.get()))
            .transpose()
            .map_err(|error| format!("`body`: {error}"))?;
        let bytes = self.body_bytes.as_deref().map(|text| BASE64.decode(text)).transpose();
        let bytes = bytes.map_err(|error| format!("`body_bytes` is not base64: {error}"))?;
        match (given, bytes) {
            (None, None) => Err("`body` or `body_bytes` is required".to_owned()),
            (None, Some(bytes)) => Ok(bytes),
            (Some(value), None) => encode::value(&value).map_err(|error| error.to_string()),
            (Some(value), Some(bytes)) => {
                let said = encode::value(&value).map_err(|error| error.to_string())?;
                let meant = rmpv::decode::read_value(&mut &bytes[..])
                    .ok()
                    .and_then(|value| encode::value(&value).ok());
                if meant.as_ref() == Some(&said) {
                    Ok(bytes)
                } else {
                    Err("`body` and `body_bytes` differ: give only one of them".to_owned())
                }
            }
        }
    }
}

/// The schema that a body's type goes under.
pub(crate) fn schema_of(body: &[u8], registry: &rmp::Registry) -> Result<u16, String> {
    let body = rmp::Body::decode(body, JSON_LEVELS_MAX)
        .map_err(|fault| format!("{fault}; set `header.schema_id` to encode it anyway"))?;
    let id = registry.id_of(body.kind());
    id.map(|id| id.0).ok_or_else(|| {
        format!("no schema has the type {:?}; set `header.schema_id` to encode it anyway", body.kind())
    })
}
