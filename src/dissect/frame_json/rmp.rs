//! Frames of the bus (rmp-v0 §1), each by itself or in their session (ruling RMP 1).
//!
//! `header` has the twelve fields and `body` the map, as [`frame_json`](crate::dissect::rmp::frame_json) has
//! them. In a session, `unit` names what the session layer makes of a frame: a control message, or the
//! message that a `Publish` or `Deliver` announced.

use bytes::Bytes;

use super::{
    codec::{Codec, Decoder, Encoded, Members, Unit, field, lines_of},
    fault::FrameFault,
    format::Setup,
};
use crate::{
    dissect::rmp::frame_json::{BodyJson, Fill, Given, HeaderJson},
    rmp::{
        self, Body, Breach, Checks, Error, Frame, HEADER_BYTES, PREFIX_BYTES, RawFrame, SchemaId,
        control::{FromBroker, FromClient},
        framing::{Framer, FramerEvent},
    },
};

/// What a session calls a frame that is not a control frame.
const MESSAGE: &str = "message";

/// Frames.
#[derive(Debug)]
pub(super) struct RmpCodec<'a> {
    pub(super) setup: Setup<'a>,
    /// Whether frames are judged by the session layer too.
    pub(super) is_session: bool,
}

/// What is found of a well-formed frame.
#[derive(Clone, Copy)]
struct Judged {
    expires_at_ms: u64,
    /// The control message, where it is one.
    control: Option<&'static str>,
}

impl RmpCodec<'_> {
    /// The checks of a frame by itself; expiry alone depends on a moment.
    fn checks(&self, now_ms: Option<u64>) -> Checks<'_> {
        let mut checks = Checks::new(self.setup.registry, &self.setup.limits.rmp);
        checks.now_ms = now_ms;
        checks
    }

    /// Judges a frame; in a session, one that no control frame announced is a control frame.
    fn judge(&self, wire: &[u8], is_announced: bool) -> Result<Judged, Error> {
        let frame = rmp::decode(wire, &self.checks(self.setup.now_ms.map(|now| now())))?;
        let is_control = self.is_session && !is_announced;
        let control = if is_control { Some(control_name(&frame)?) } else { None };
        Ok(Judged { expires_at_ms: frame.expires_at_ms, control })
    }
}

/// The control message that a frame is, from either side.
fn control_name(frame: &Frame<'_>) -> Result<&'static str, Error> {
    let body: &Body<'_> = &frame.body;
    if frame.header.schema_id != SchemaId::CONTROL {
        return Err(Error::BodyTypeMismatch {
            schema_id: SchemaId::CONTROL,
            expected: "intent.control.v1 (a control frame)".to_owned(),
            got: body.kind().to_owned(),
            at: body.kind_at(),
        });
    }
    match FromClient::decode(body) {
        Ok(message) => Ok(message.name()),
        Err(fault) if fault.breach == Breach::UnknownMessage => {
            FromBroker::decode(body).map(|message| message.name()).map_err(Error::BodyDecodeError)
        }
        Err(fault) => Err(Error::BodyDecodeError(fault)),
    }
}

impl Codec for RmpCodec<'_> {
    fn decoder(&self) -> Box<dyn Decoder + '_> {
        let framer = Framer::new(self.setup.limits.rmp.body_bytes_max);
        Box::new(Frames { codec: self, framer, is_announced: false })
    }

    fn encode(&self, json: &str, fill: &Fill) -> Result<Encoded, String> {
        let given = Given::read(json)?;
        let wire = given.encode(fill, self.setup.registry)?;
        let is_announced = given.unit() == Some(MESSAGE);
        let fault = self.judge(&wire, is_announced).err().map(|error| FrameFault::from(&error));
        Ok(Encoded { wire, fault })
    }

    fn lines(&self, unit: &Unit) -> Vec<String> {
        let raw = RawFrame::split(&unit.wire);
        let prefix = unit.wire.first_chunk::<PREFIX_BYTES>().map(|prefix| u32::from_be_bytes(*prefix));
        let mut lines = Vec::new();
        let said = |name: &str, lines: &mut Vec<String>| {
            lines.extend(unit.members.get(name).into_iter().flat_map(|json| lines_of(name, json.get())));
        };
        said("unit", &mut lines);
        lines.extend(prefix.map(|frame_len| field("frame_len", &frame_len.to_string())));
        if let Some(raw) = &raw {
            lines.extend(self.header_lines(unit, raw));
        }
        said("body", &mut lines);
        said("body_bytes", &mut lines);
        lines
    }

    fn frame_bytes_max(&self) -> u64 {
        self.setup.limits.rmp.body_bytes_max.saturating_add((PREFIX_BYTES + HEADER_BYTES) as u64)
    }

    fn example(&self) -> &'static str {
        if self.is_session {
            r#"{"control":{"Ping":{}}}"#
        } else {
            r#"{"body":{"type":"error.report.v1","payload":{}}}"#
        }
    }
}

impl RmpCodec<'_> {
    fn header_lines(&self, unit: &Unit, raw: &RawFrame<'_>) -> Vec<String> {
        let header = &raw.header;
        let schema = SchemaId(header.schema_id);
        let name = self.setup.registry.schema(schema).and_then(|schema| schema.name);
        let at = |ms: u64| {
            let time = i64::try_from(ms).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
            time.map_or_else(|| ms.to_string(), |time| format!("{ms} ({time})"))
        };
        let shown = HeaderJson::from(header);
        let mut lines = vec![
            field("magic", shown.magic()),
            field("header_version", &header.header_version.to_string()),
            field("header_len", &header.header_len.to_string()),
            field("flags", &format!("{:#010x}", header.flags)),
            field("schema_id", &name.map_or_else(|| schema.to_string(), |name| format!("{schema} {name}"))),
            field("reserved2", &format!("{:#06x}", header.reserved2)),
            field("body_len", &header.body_len.to_string()),
            field("created_at_ms", &at(header.created_at_ms)),
            field("ttl_ms", &header.ttl_ms.to_string()),
        ];
        let expires = unit.members.get("expires_at_ms").and_then(|ms| ms.get().parse().ok());
        lines.extend(expires.map(|ms| field("expires_at_ms", &at(ms))));
        lines.push(field("trace_id", &shown.trace_id().to_string()));
        lines.push(field("msg_id", &header.msg_id.to_string()));
        lines.push(field("reserved4", &format!("{:#010x}", header.reserved4)));
        lines
    }
}

/// A stream of frames.
struct Frames<'a> {
    codec: &'a RmpCodec<'a>,
    framer: Framer,
    /// Whether the next frame is the message that a control frame announced.
    is_announced: bool,
}

impl Frames<'_> {
    fn unit(&mut self, offset: u64, found: FramerEvent) -> Unit {
        let is_announced = std::mem::take(&mut self.is_announced);
        let (wire, verdict, is_whole) = match found {
            FramerEvent::Frame(wire) => {
                let verdict = self.codec.judge(&wire, is_announced);
                (wire, verdict, true)
            }
            FramerEvent::Broken { error, bytes } => (bytes, Err(error), false),
        };
        let judged = verdict.as_ref().ok();
        let control = judged.and_then(|judged| judged.control);
        self.is_announced = matches!(control, Some("Publish" | "Deliver"));
        let unit = control.or_else(|| is_announced.then_some(MESSAGE));
        let members = self.members(&wire, is_whole, judged, unit);
        let fault = verdict.as_ref().err().map(FrameFault::from);
        Unit { wire, offset, fault, members }
    }

    fn members(&self, wire: &Bytes, is_whole: bool, judged: Option<&Judged>, unit: Option<&str>) -> Members {
        let Setup { registry, limits, .. } = self.codec.setup;
        let raw = RawFrame::split(wire);
        let body = raw.as_ref().filter(|_| is_whole);
        let body = body.map(|raw| BodyJson::of(raw.body, &limits.rmp)).unwrap_or_default();
        let schema = raw.as_ref().and_then(|raw| registry.schema(SchemaId(raw.header.schema_id))?.name);
        let mut members = Members::default();
        members.add("unit", unit.filter(|_| self.codec.is_session));
        members.add("frame_len", wire.first_chunk().map(|prefix| u32::from_be_bytes(*prefix)));
        members.add("header", raw.as_ref().map(|raw| HeaderJson::from(&raw.header)));
        members.add("schema", schema);
        members.add("expires_at_ms", judged.map(|judged| judged.expires_at_ms));
        members.add_value("body", body.value.as_ref());
        members.add("body_bytes", body.bytes);
        members
    }
}

impl Decoder for Frames<'_> {
    fn push(&mut self, bytes: &[u8]) {
        self.framer.buffer().extend_from_slice(bytes);
    }

    fn next(&mut self) -> Option<Unit> {
        let offset = self.framer.offset();
        let found = self.framer.next()?;
        Some(self.unit(offset, found))
    }

    fn finish(&mut self) -> Option<Unit> {
        let offset = self.framer.offset();
        let found = self.framer.finish()?;
        Some(self.unit(offset, found))
    }
}
