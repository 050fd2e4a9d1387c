//! Requests of the coordination runtime, each the protobuf message of one call (macp-v1, gRPC Service
//! Definition; ruling MACP 9). Nothing in the bytes says of which call they are, or where they end: an input
//! is one message, and `rpc` names its call.
//!
//! `body` is the message by its fields, and the envelope's `payload` by its type: the protobuf of a
//! `SessionStart` or a `Signal`, the JSON object of a mode's message, or else a text or bytes.
//! `payload_bytes` and `body_bytes` stand next to them where they are written in another way.

use bytes::{Bytes, BytesMut};
use prost::{DecodeError, Message};
use serde_json::value::RawValue;

use super::{
    codec::{Codec, Decoder, Encoded, Members, Unit},
    fault::FrameFault,
    json::Json,
    part::{Part, PartCodec, some_json, text_of},
    protobuf::{bytes_json, bytes_of, make, show},
};
use crate::{
    dissect::{
        given::given,
        macp::{fault_clause, fault_field, occurs, protobuf::Reader, schema::Schema, status_clause},
        rmp::frame_json::Fill,
        tree::{Tree, TreeBuilder},
    },
    limits,
    macp::{
        Fault, Head, Rpc, Status,
        envelope::{SESSION_START, SIGNAL, check, check_stored, request_bytes_max},
        modes::Rejection,
        proto::v1::{
            CancelSessionRequest, Envelope, GetManifestRequest, GetSessionRequest, InitializeRequest,
            ListModesRequest, ListRootsRequest, SendRequest, SessionStartPayload, StreamSessionRequest,
            WatchModeRegistryRequest, WatchRootsRequest,
        },
        registry::VERSION,
    },
    words::cut_marked,
};

const ENVELOPE: &str = "envelope";
const PAYLOAD: &str = "payload";
const PAYLOAD_BYTES: &str = "payload_bytes";
/// Fields of a message that are looked through for the one at fault.
const NODES_MAX: usize = 20_000;
/// Bytes of a value at fault that are quoted.
const GOT_BYTES_MAX: u64 = 96;
/// Bytes of a value that are read to be quoted.
const READ_BYTES_MAX: usize = 256;

/// Requests of one call, if they do not name another.
#[derive(Debug)]
pub(super) struct MacpCodec<'a> {
    pub(super) limits: &'a limits::Macp,
    pub(super) rpc: Rpc,
}

/// The message of a call.
struct Body(Rpc);

impl Body {
    fn message(&self) -> String {
        format!(".macp.v1.{}Request", self.0.name())
    }
}

impl PartCodec for Body {
    fn show(&self, bytes: &[u8]) -> Option<String> {
        let mut body = show(Schema::of_macp(), &self.message(), bytes)?;
        if let Some(envelope) = body.member_mut(ENVELOPE) {
            show_payload(envelope);
        }
        Some(body.to_text())
    }

    fn make(&self, json: &str) -> Result<Vec<u8>, String> {
        let mut body = Json::read(json)?;
        if let Some(envelope) = body.member_mut(ENVELOPE) {
            make_payload(envelope)?;
            envelope.fill("macp_version", Json::Text(VERSION.to_owned()));
        }
        make(Schema::of_macp(), &self.message(), &body)
    }
}

/// The type of an envelope's message.
fn message_type(envelope: &Json) -> String {
    envelope.member("message_type").and_then(Json::as_text).unwrap_or_default().to_owned()
}

/// Turns the payload's bytes into what they are by the message's type.
fn show_payload(envelope: &mut Json) {
    let payload = Payload(message_type(envelope));
    let Json::Object(members) = envelope else { return };
    let Some(at) = members.iter().position(|(name, _)| name == PAYLOAD) else { return };
    let Some(Ok(bytes)) = bytes_of(&members[at].1) else { return };
    let Part { json, bytes } = Part::of(&bytes, &payload);
    if let Some(shown) = json.and_then(|json| Json::read(&json).ok()) {
        members[at].1 = shown;
        if let Some(text) = bytes {
            members.insert(at + 1, (PAYLOAD_BYTES.to_owned(), Json::Text(text)));
        }
    }
}

/// Turns what the payload is back into its bytes.
fn make_payload(envelope: &mut Json) -> Result<(), String> {
    let payload = Payload(message_type(envelope));
    let beside = envelope.remove(PAYLOAD_BYTES);
    let given = envelope.member(PAYLOAD).map(Json::to_text);
    let beside = match &beside {
        Some(beside) => Some(beside.as_text().ok_or("`payload_bytes` takes base64")?),
        None => None,
    };
    let Some(bytes) = Part::join(PAYLOAD, given.as_deref(), beside, &payload)? else { return Ok(()) };
    let Json::Object(members) = envelope else { return Ok(()) };
    match members.iter_mut().find(|(name, _)| name == PAYLOAD) {
        Some((_, value)) => *value = bytes_json(&bytes),
        None => members.push((PAYLOAD.to_owned(), bytes_json(&bytes))),
    }
    Ok(())
}

/// What a message of this type carries.
struct Payload(String);

impl Payload {
    /// The protobuf message that it is, where it is one.
    fn message(&self) -> Option<&'static str> {
        match self.0.as_str() {
            SESSION_START => Some(".macp.v1.SessionStartPayload"),
            SIGNAL => Some(".macp.v1.SignalPayload"),
            _ => None,
        }
    }
}

impl PartCodec for Payload {
    fn show(&self, bytes: &[u8]) -> Option<String> {
        let plain = || bytes_json(bytes).to_text();
        let shown = match self.message() {
            // A signal may carry anything.
            Some(message) => show(Schema::of_macp(), message, bytes)
                .filter(|shown| self.0 == SESSION_START || shown.member("signal_type").is_some()),
            None => std::str::from_utf8(bytes).ok().and_then(|text| Json::read(text).ok()),
        };
        let is_form = |json: &Json| bytes_of(json).is_some();
        let object = shown.filter(|json| matches!(json, Json::Object(_)) && !is_form(json));
        Some(object.map_or_else(plain, |json| json.to_text()))
    }

    fn make(&self, json: &str) -> Result<Vec<u8>, String> {
        let json = Json::read(json)?;
        match (bytes_of(&json), self.message()) {
            (Some(bytes), _) => bytes,
            (None, Some(message)) => make(Schema::of_macp(), message, &json),
            (None, None) => Ok(json.to_text().into_bytes()),
        }
    }
}

given! {
    /// What `encode` is given.
    struct Given<'a> beside [] {
        #[serde(default)]
        rpc: Option<String>,
        #[serde(borrow, default, deserialize_with = "some_json")]
        body: Option<&'a RawValue>,
        #[serde(default)]
        body_bytes: Option<String>,
    }
}

impl Codec for MacpCodec<'_> {
    fn decoder(&self) -> Box<dyn Decoder + '_> {
        Box::new(Request::new(self, true))
    }

    fn checker(&self) -> Box<dyn Decoder + '_> {
        Box::new(Request::new(self, false))
    }

    fn encode(&self, json: &str, _: &Fill) -> Result<Encoded, String> {
        let given: Given<'_> = serde_json::from_str(json).map_err(|error| error.to_string())?;
        let rpc = match given.rpc.as_deref() {
            Some(name) => Rpc::from_name(name)
                .ok_or_else(|| format!("`rpc` is {name:?}; the calls are {}", Rpc::NAMES.join(", ")))?,
            None => self.rpc,
        };
        let wire = Part::join("body", text_of(given.body), given.body_bytes.as_deref(), &Body(rpc))?;
        let wire = wire.ok_or("`body` or `body_bytes` is required")?;
        let codec = MacpCodec { rpc, ..*self };
        Ok(Encoded::judged(wire, codec.checker()))
    }

    fn frame_bytes_max(&self) -> u64 {
        request_bytes_max(self.limits)
    }

    fn example(&self) -> &'static str {
        r#"{"body":{"envelope":{"message_type":"Signal","message_id":"m1","sender":"alice"}}}"#
    }
}

impl MacpCodec<'_> {
    /// Why the call would end with a status, or be answered with an error, whatever the session is.
    fn judge(&self, wire: &Bytes) -> Option<FrameFault> {
        let undecodable = |error: DecodeError| self.undecodable(wire, &error);
        let envelope = match self.rpc {
            Rpc::Send => SendRequest::decode(wire.clone()).map(|request| request.envelope),
            Rpc::StreamSession => StreamSessionRequest::decode(wire.clone()).map(|request| request.envelope),
            Rpc::Initialize => {
                return match InitializeRequest::decode(wire.clone()) {
                    Ok(request) => self.no_version(wire, &request.supported_protocol_versions),
                    Err(error) => Some(undecodable(error)),
                };
            }
            Rpc::GetSession => return GetSessionRequest::decode(wire.clone()).err().map(undecodable),
            Rpc::CancelSession => return CancelSessionRequest::decode(wire.clone()).err().map(undecodable),
            Rpc::GetManifest => return GetManifestRequest::decode(wire.clone()).err().map(undecodable),
            Rpc::ListModes => return ListModesRequest::decode(wire.clone()).err().map(undecodable),
            Rpc::WatchModeRegistry => {
                return WatchModeRegistryRequest::decode(wire.clone()).err().map(undecodable);
            }
            Rpc::ListRoots => return ListRootsRequest::decode(wire.clone()).err().map(undecodable),
            Rpc::WatchRoots => return WatchRootsRequest::decode(wire.clone()).err().map(undecodable),
        };
        match envelope {
            Ok(Some(envelope)) => {
                let rejection = check_envelope(&envelope, self.limits).err()?;
                Some(self.rejected(wire, &envelope, &rejection))
            }
            Ok(None) => {
                let fault =
                    status(Status::InvalidArgument, self.rpc, "the request has no envelope".to_owned());
                let (expected, got) = ("an envelope".to_owned(), "none".to_owned());
                Some(FrameFault { expected, got, offset: wire.len(), ..fault })
            }
            Err(error) => Some(undecodable(error)),
        }
    }

    fn undecodable(&self, wire: &[u8], error: &DecodeError) -> FrameFault {
        let tree = self.tree(wire);
        let wrong = tree.nodes.iter().find(|node| node.note.as_ref().is_some_and(|note| note.is_wrong));
        let offset = wrong.map_or(0, |node| usize::try_from(node.range.start).unwrap_or(usize::MAX));
        let got = wire.get(offset..).unwrap_or_default().iter().take(8).map(|byte| format!("{byte:02x}"));
        FrameFault {
            expected: format!("a {}Request of protobuf", self.rpc.name()),
            got: got.collect::<Vec<_>>().join(" "),
            offset,
            ..status(Status::Internal, self.rpc, error.to_string())
        }
    }

    fn no_version(&self, wire: &[u8], versions: &[String]) -> Option<FrameFault> {
        let is_there = versions.iter().any(|version| version == VERSION);
        (!is_there).then(|| FrameFault {
            expected: format!("{VERSION:?} in supported_protocol_versions"),
            got: cut_marked(&format!("{versions:?}"), GOT_BYTES_MAX).into_owned(),
            offset: self.place(wire, "supported_protocol_versions").0,
            ..status(Status::InvalidArgument, self.rpc, format!("the runtime supports {VERSION} only"))
        })
    }

    fn rejected(&self, wire: &[u8], envelope: &Envelope, rejection: &Rejection) -> FrameFault {
        let said = |text: &str| (!text.is_empty()).then(|| text.into());
        let head = Head {
            session: said(&envelope.session_id),
            message_type: said(&envelope.message_type),
            message_id: said(&envelope.message_id),
            sender: said(&envelope.sender),
            ..Head::new(self.rpc)
        };
        let field = fault_field(rejection.fault, &head);
        let (offset, got) = self.place(wire, field);
        let expected = match rejection.fault {
            Fault::InvalidMacpVersion => format!("macp_version {VERSION:?}"),
            Fault::PayloadTooLarge => {
                format!("a payload of at most {} bytes", self.limits.payload_bytes_max)
            }
            _ => "an envelope with message_id, session_id and a payload of its type".to_owned(),
        };
        FrameFault {
            name: rejection.fault.name().into(),
            clause: fault_clause(rejection.fault, self.rpc).into(),
            says: occurs(rejection.fault).into(),
            message: format!("{}: {}", rejection.fault.code().name(), rejection.why),
            expected,
            got,
            offset,
            ends_stream: false,
            hint: None,
        }
    }

    /// Where a field begins and what it has; of one that is not there, where the envelope begins.
    fn place(&self, wire: &[u8], name: &str) -> (usize, String) {
        let tree = self.tree(wire);
        let named = |name: &str| tree.nodes.iter().find(|node| node.name.read(wire, 64) == name);
        let at = |place: u32| usize::try_from(place).unwrap_or(usize::MAX);
        match (named(name), named(ENVELOPE)) {
            (Some(node), _) if name != ENVELOPE => {
                let value = node.value.read(wire, READ_BYTES_MAX).into_owned();
                (at(node.range.start), cut_marked(&value, GOT_BYTES_MAX).into_owned())
            }
            (_, around) => {
                (around.map_or(0, |node| at(node.range.start)), "a required field is empty".to_owned())
            }
        }
    }

    /// The message with the place of every field.
    fn tree(&self, wire: &[u8]) -> Tree {
        let mut builder = TreeBuilder::new(NODES_MAX);
        let schema = Schema::of_macp();
        let mut reader =
            Reader { bytes: wire, schema, nested_decoder: &mut |_, _, _, _| false, is_cut: false };
        reader.message(&Body(self.rpc).message(), 0..wire.len(), 0, &mut builder);
        builder.finish()
    }
}

/// What an envelope must be, whatever the session is (macp-v1, Validation Rules).
fn check_envelope(envelope: &Envelope, limits: &limits::Macp) -> Result<(), Rejection> {
    check(envelope, limits)?;
    check_stored(envelope, limits)?;
    let is_start = envelope.message_type == SESSION_START;
    if is_start && SessionStartPayload::decode(envelope.payload.clone()).is_err() {
        return Err(Rejection::new(Fault::InvalidEnvelope, "the payload is not a SessionStartPayload"));
    }
    Ok(())
}

/// A call that ends with a status.
fn status(status: Status, rpc: Rpc, message: String) -> FrameFault {
    FrameFault {
        name: status.name().into(),
        clause: status_clause(status, rpc).into(),
        says: "the call ends with this status; there is no answer".into(),
        message,
        expected: String::new(),
        got: String::new(),
        offset: 0,
        ends_stream: true,
        hint: None,
    }
}

/// One message, to the end of the input.
struct Request<'a> {
    codec: &'a MacpCodec<'a>,
    input: BytesMut,
    has_ended: bool,
    has_members: bool,
}

impl<'a> Request<'a> {
    fn new(codec: &'a MacpCodec<'a>, has_members: bool) -> Self {
        Self { codec, input: BytesMut::new(), has_ended: false, has_members }
    }

    fn unit(&self, wire: Bytes, fault: Option<FrameFault>, part: Part) -> Unit {
        let mut members = Members::default();
        members.add("rpc", Some(self.codec.rpc.name()));
        members.add_json("body", part.json);
        members.add("body_bytes", part.bytes);
        Unit { wire, offset: 0, fault, members }
    }
}

impl Decoder for Request<'_> {
    fn push(&mut self, bytes: &[u8]) {
        // What is too long is not kept, but for the byte that shows it.
        let room = usize::try_from(self.codec.frame_bytes_max() + 1).unwrap_or(usize::MAX);
        let taken = bytes.len().min(room.saturating_sub(self.input.len()));
        self.input.extend_from_slice(&bytes[..taken]);
    }

    fn next(&mut self) -> Option<Unit> {
        let max = self.codec.frame_bytes_max();
        if self.has_ended || self.input.len() as u64 <= max {
            return None;
        }
        self.has_ended = true;
        let wire = self.input.split().freeze();
        let fault = status(
            Status::ResourceExhausted,
            self.codec.rpc,
            format!("the message is longer than {max} bytes (limits.macp.payload_bytes_max)"),
        );
        let (expected, got) = (format!("at most {max} bytes"), format!("more than {max}"));
        let fault = FrameFault { expected, got, offset: wire.len().saturating_sub(1), ..fault };
        Some(self.unit(wire, Some(fault), Part::default()))
    }

    fn finish(&mut self) -> Option<Unit> {
        if std::mem::replace(&mut self.has_ended, true) {
            return None;
        }
        let wire = self.input.split().freeze();
        let fault = self.codec.judge(&wire);
        let part = if self.has_members { Part::of(&wire, &Body(self.codec.rpc)) } else { Part::default() };
        Some(self.unit(wire, fault, part))
    }
}
