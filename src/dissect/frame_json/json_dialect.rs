//! Units of the JSON dialect of the bus (ruling RMP 16): a length, then one JSON value.
//!
//! `body` is the value, within which the MsgPack body of a message is shown as `decode` shows those of
//! frames, in place of a list of bytes. `body_bytes` stands next to it where it is written in another way.

use bytes::Bytes;
use serde_json::value::RawValue;

use super::{
    codec::{Codec, Decoder, Encoded, Members, Unit},
    fault::FrameFault,
    format::Setup,
    json::Json,
    part::{Part, PartCodec, decode_bytes, encode_bytes, some_json, text_of},
};
use crate::{
    dissect::{
        given::given,
        rmp::frame_json::{BodyJson, Fill, schema_of},
    },
    rmp::{
        self, Checks, Code, Error, HEADER_BYTES, Lengths, PREFIX_BYTES, SizeField,
        dialect::{Framer, FromBroker, FromClient, Message, unit_bytes_max},
        encode,
        json::{JsonView, parse},
    },
    words::cut_marked,
};

/// Units that carry a message.
const WITH_MESSAGE: [&str; 2] = ["Publish", "Message"];
/// Bytes of a unit at fault that are quoted.
const GOT_BYTES_MAX: u64 = 96;

/// What no message says.
const NOTHING: Fill =
    Fill { created_at_ms: 0, ttl_ms: 0, msg_id: 0, trace_id: crate::ids::TraceId(uuid::Uuid::nil()) };

/// Units.
#[derive(Debug)]
pub(super) struct JsonDialect<'a> {
    pub(super) setup: Setup<'a>,
}

/// The JSON of a unit.
struct Body<'a> {
    setup: Setup<'a>,
    /// What the header of a message lacks.
    fill: &'a Fill,
}

/// The message of a unit.
fn message_of(unit: &mut Json) -> Option<&mut Json> {
    let name = WITH_MESSAGE.into_iter().find(|name| unit.member(name).is_some())?;
    unit.member_mut(name)?.member_mut("message")
}

impl PartCodec for Body<'_> {
    fn show(&self, bytes: &[u8]) -> Option<String> {
        // More values than are decoded for display are not built.
        let values_max = self.setup.limits.rmp.shown_values_max;
        if memchr::memchr_iter(b',', bytes).count() as u64 > values_max {
            return None;
        }
        let is_list = |json: &Json| matches!(json, Json::Array(_));
        let mut unit = Json::read(std::str::from_utf8(bytes).ok()?).ok()?;
        if let Some(body) = message_of(&mut unit).and_then(|message| message.member_mut("body"))
            && is_list(body)
            && let Some(shown) = list_bytes(body).and_then(|bytes| body_json(&bytes, self.setup))
        {
            *body = shown;
        }
        Some(unit.to_text())
    }

    fn make(&self, json: &str) -> Result<Vec<u8>, String> {
        let mut unit = Json::read(json)?;
        if let Some(message) = message_of(&mut unit) {
            self.make_message(message)?;
        }
        Ok(unit.to_text().into_bytes())
    }
}

impl Body<'_> {
    /// Turns a message's body into the list of its bytes, and fills in its header.
    fn make_message(&self, message: &mut Json) -> Result<(), String> {
        let Some(body) = message.member("body") else { return Ok(()) };
        let Some(bytes) = message_bytes(body)? else { return Ok(()) };
        self.fill_header(message, &bytes)?;
        let list = bytes.iter().map(|byte| Json::Plain(byte.to_string())).collect();
        if let Some(body) = message.member_mut("body") {
            *body = Json::Array(list);
        }
        Ok(())
    }

    fn fill_header(&self, message: &mut Json, body: &[u8]) -> Result<(), String> {
        let fill = self.fill;
        message.fill("header", Json::Object(Vec::new()));
        let Some(header) = message.member_mut("header") else { return Ok(()) };
        let schema_id = match header.member("schema_id") {
            Some(_) => 0,
            None => schema_of(body, self.setup.registry)?,
        };
        // Each goes before the others: the last one first.
        let fields = [
            ("msg_id", fill.msg_id.to_string()),
            ("trace_id", fill.trace_id.0.as_u128().to_string()),
            ("ttl_ms", fill.ttl_ms.to_string()),
            ("created_at_ms", fill.created_at_ms.to_string()),
            ("body_len", body.len().to_string()),
            ("schema_id", schema_id.to_string()),
            ("flags", "0".to_owned()),
            ("header_len", HEADER_BYTES.to_string()),
            ("header_version", "0".to_owned()),
        ];
        for (name, number) in fields {
            header.fill(name, Json::Plain(number));
        }
        Ok(())
    }
}

/// The bytes of a message's body: those that are listed, or the MsgPack of any other value; nothing of a list
/// of something else.
///
/// # Errors
/// Why no MsgPack says it.
pub(super) fn message_bytes(body: &Json) -> Result<Option<Vec<u8>>, String> {
    if matches!(body, Json::Array(_)) {
        return Ok(list_bytes(body));
    }
    let value = parse(&body.to_text()).map_err(|error| format!("`message.body`: {error}"))?;
    encode::value(&value).map(Some).map_err(|error| format!("`message.body`: {error}"))
}

/// The bytes that a list of numbers is.
fn list_bytes(list: &Json) -> Option<Vec<u8>> {
    let Json::Array(items) = list else { return None };
    items.iter().map(|item| item.as_plain()?.parse().ok()).collect()
}

/// A body of MsgPack that its JSON leads back to.
fn body_json(bytes: &[u8], setup: Setup<'_>) -> Option<Json> {
    let BodyJson { value: Some(value), bytes: None } = BodyJson::of(bytes, &setup.limits.rmp) else {
        return None;
    };
    let text = serde_json::to_string(&JsonView(&value)).ok()?;
    // A list would be taken for the bytes.
    Json::read(&text).ok().filter(|json| !matches!(json, Json::Array(_)))
}

given! {
    /// What `encode` is given.
    struct Given<'a> beside ["unit" _unit] {
        #[serde(default)]
        length: Option<u32>,
        #[serde(borrow, default, deserialize_with = "some_json")]
        body: Option<&'a RawValue>,
        #[serde(default)]
        body_bytes: Option<String>,
        /// All of it, where no unit was cut.
        #[serde(default)]
        frame_bytes: Option<String>,
    }
}

impl Codec for JsonDialect<'_> {
    fn decoder(&self) -> Box<dyn Decoder + '_> {
        let framer = Framer::new(self.setup.limits.rmp.body_bytes_max);
        Box::new(Units { setup: self.setup, framer, offset: 0, has_ended: false })
    }

    fn encode(&self, json: &str, fill: &Fill) -> Result<Encoded, String> {
        let given: Given<'_> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let codec = Body { setup: self.setup, fill };
        let body = Part::join("body", text_of(given.body), given.body_bytes.as_deref(), &codec)?;
        let wire = match (given.frame_bytes, body) {
            (Some(bytes), None) => decode_bytes("frame_bytes", &bytes)?,
            (Some(_), Some(_)) => return Err("`frame_bytes` is all of a unit: give nothing else".to_owned()),
            (None, Some(body)) => {
                let fits = |_| format!("a unit of {} bytes is longer than its length can say", body.len());
                let length = match given.length {
                    Some(length) => length,
                    None => u32::try_from(body.len()).map_err(fits)?,
                };
                [&length.to_be_bytes()[..], &body].concat()
            }
            (None, None) => return Err("`body` or `body_bytes` is required".to_owned()),
        };
        Ok(Encoded::judged(wire, self.decoder()))
    }

    fn frame_bytes_max(&self) -> u64 {
        unit_bytes_max(self.setup.limits.rmp.body_bytes_max).saturating_add(PREFIX_BYTES as u64)
    }

    fn example(&self) -> &'static str {
        r#"{"body":{"Hello":{"kind":"Agent"}}}"#
    }
}

/// A stream of units.
struct Units<'a> {
    setup: Setup<'a>,
    framer: Framer,
    offset: u64,
    has_ended: bool,
}

impl Units<'_> {
    fn whole(&mut self, wire: Bytes) -> Unit {
        let offset = self.offset;
        self.offset += wire.len() as u64;
        let json = rmp::dialect::Unit::json(&wire);
        let (name, fault) = self.judge(json);
        // What is filled in is not what came: the bytes are then given.
        let part = Part::of(json, &Body { setup: self.setup, fill: &NOTHING });
        let mut members = Members::default();
        members.add("unit", name);
        members.add("length", Some(json.len()));
        members.add_json("body", part.json);
        members.add("body_bytes", part.bytes);
        Unit { wire, offset, fault, members }
    }

    fn broken(&mut self, wire: Bytes, error: &Error) -> Unit {
        self.has_ended = true;
        let mut members = Members::default();
        members.add("frame_bytes", Some(encode_bytes(&wire)));
        let fault = FrameFault { ends_stream: true, ..FrameFault::from(error) };
        Unit { wire, offset: self.offset, fault: Some(fault), members }
    }

    /// What a unit is called, and why whoever it is for would refuse it.
    fn judge(&self, json: &[u8]) -> (Option<&'static str>, Option<FrameFault>) {
        let malformed = match FromClient::decode(json) {
            Ok(FromClient::Publish { message, .. }) => {
                return (Some("Publish"), self.judge_message(&message));
            }
            Ok(FromClient::Hello { .. }) => return (Some("Hello"), None),
            Ok(FromClient::Subscribe { .. }) => return (Some("Subscribe"), None),
            Ok(FromClient::Unsubscribe { .. }) => return (Some("Unsubscribe"), None),
            Err(malformed) => malformed,
        };
        match FromBroker::decode(json) {
            Ok(FromBroker::Message { message, .. }) => (Some("Message"), self.judge_message(&message)),
            Ok(FromBroker::HelloAck) => (Some("HelloAck"), None),
            Ok(FromBroker::PublishAck(_)) => (Some("PublishAck"), None),
            Ok(FromBroker::SubscribeAck(_)) => (Some("SubscribeAck"), None),
            Err(_) => (None, Some(of_json(&malformed.text, json))),
        }
    }

    /// The frame that a message stands for goes through the checks of every frame; a place within it has none
    /// in the unit.
    fn judge_message(&self, message: &Message) -> Option<FrameFault> {
        let mut checks = Checks::new(self.setup.registry, &self.setup.limits.rmp);
        checks.now_ms = self.setup.now_ms.map(|now| now());
        let frame = message.frame();
        let error = rmp::decode(&frame, &checks).err()?;
        Some(FrameFault { offset: PREFIX_BYTES, ends_stream: false, ..FrameFault::from(&error) })
    }
}

/// A unit that says nothing of the dialect.
fn of_json(text: &str, json: &[u8]) -> FrameFault {
    let code = Code::BodyDecodeError;
    FrameFault {
        name: code.name().into(),
        clause: code.clause().into(),
        says: code.says().into(),
        message: text.to_owned(),
        expected: "a unit of the JSON dialect".to_owned(),
        got: cut_marked(&String::from_utf8_lossy(json), GOT_BYTES_MAX).into_owned(),
        offset: PREFIX_BYTES,
        ends_stream: false,
        hint: None,
    }
}

impl Decoder for Units<'_> {
    fn push(&mut self, bytes: &[u8]) {
        self.framer.buffer().extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Unit> {
        if self.has_ended {
            return None;
        }
        let begun = Bytes::copy_from_slice(self.framer.buffer().first_chunk::<PREFIX_BYTES>()?);
        match self.framer.next()? {
            rmp::dialect::Unit::Whole(wire) => Some(self.whole(wire)),
            rmp::dialect::Unit::TooLarge { bytes, .. } => {
                let error = Error::BodyTooLarge {
                    announced_by: SizeField::FrameLen,
                    body_bytes: bytes,
                    body_bytes_max: unit_bytes_max(self.setup.limits.rmp.body_bytes_max),
                };
                Some(self.broken(begun, &error))
            }
        }
    }

    fn finish(&mut self) -> Option<Unit> {
        if self.has_ended || self.framer.pending_bytes() == 0 {
            return None;
        }
        let wire = self.framer.buffer().split().freeze();
        let frame_len = wire.first_chunk::<PREFIX_BYTES>().map_or(0, |prefix| u32::from_be_bytes(*prefix));
        let bytes = wire.len().saturating_sub(PREFIX_BYTES) as u64;
        let error = Error::LengthMismatch(Lengths::Available { frame_len, bytes });
        Some(self.broken(wire, &error))
    }
}
