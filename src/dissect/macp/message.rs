//! Reads calls of the coordination runtime and their answers: the gRPC message field by field, and within an
//! envelope what it carries by the message's type. What the kernel found wrong is put to the field that it
//! found it at.

use std::ops::Range;

use prost::Message as _;

use super::{
    protobuf::{Reader, Span, hex, range},
    schema::Schema,
};
use crate::{
    dissect::{
        decoder::{Decoder, Subject},
        json,
        tree::{Kind, Node, Text, Tree, TreeBuilder},
    },
    field::Class,
    macp::{
        Answered, Fault, Head, Verdict,
        envelope::{SESSION_START, SIGNAL},
        proto::v1::{Envelope, SignalPayload},
    },
    tap::entry::{Direction, Head as AnyHead, Verdict as AnyVerdict},
    time::Wall,
    words::format,
};

/// A message of a call.
pub(crate) struct MacpMessage;

const ENVELOPE: &str = ".macp.v1.Envelope";
const START: &str = ".macp.v1.SessionStartPayload";
const OF_SIGNAL: &str = ".macp.v1.SignalPayload";

/// Fields that quote what somebody wrote, by their messages.
const QUOTED_FIELDS: [(&str, &str); 6] = [
    (".macp.v1.CancelSessionRequest", "reason"),
    (".macp.v1.MACPError", "message"),
    (".macp.v1.MACPError", "details"),
    (START, "intent"),
    (START, "context"),
    (OF_SIGNAL, "data"),
];

impl Decoder for MacpMessage {
    fn name(&self) -> &'static str {
        "MACP 1.0, protobuf"
    }

    fn decode(&self, subject: &Subject, builder: &mut TreeBuilder) {
        let Some((head, direction)) = subject.frame().and_then(|frame| match &frame.head {
            AnyHead::Macp(head) => Some((head, frame.direction)),
            _ => None,
        }) else {
            return;
        };
        let side = if direction == Direction::Inbound { "Request" } else { "Response" };
        let name = format!("{}{side}", head.rpc.name());
        if let Some(Answered::Status(status)) = head.answer {
            let node = Node::new(Text::literal("status"), Kind::Text, 0..0);
            builder.leaf(
                Node { value: Text::literal(status.name()), ..node }
                    .with_note("the call ends with it; no message"),
            );
            return;
        }
        let all = 0..subject.bytes.len();
        let value = Text::literal(format::bytes(all.len() as u64));
        if builder
            .open(Node { value, ..Node::new(Text::literal(name.clone()), Kind::Object, range(all.clone())) })
        {
            message(subject, &format!(".macp.v1.{name}"), all, builder);
            builder.close();
        }
        if let Some(AnyVerdict::Macp(verdict)) = subject.frame().map(|frame| &frame.verdict) {
            blame(*verdict, head, subject, builder.tree());
        }
        let cut = subject.cut_bytes();
        if let Some(node) = builder.tree().nodes.first_mut().filter(|_| cut > 0) {
            *node = node
                .clone()
                .with_note(format!("cut: {cut} more bytes were not kept (limits.tap.frame_bytes_max)"));
        }
    }
}

fn message(subject: &Subject, name: &str, within: Range<usize>, builder: &mut TreeBuilder) {
    let bytes = &subject.bytes;
    let is_cut = subject.cut_bytes() > 0;
    let kind = envelope_of(bytes).map(|envelope| envelope.message_type).unwrap_or_default();
    let mut read = |message: &str, field: &str, span: Span, builder: &mut TreeBuilder| {
        let first = builder.tree().nodes.len();
        if (message, field) == (ENVELOPE, "payload") {
            payload(bytes, &kind, &span, is_cut, builder);
        } else if QUOTED_FIELDS.contains(&(message, field)) {
            content(bytes, field, &span, builder);
        } else {
            return false;
        }
        let tree = builder.tree();
        if first < tree.nodes.len() {
            tree.classify(first, Class::Payload);
            tree.nodes[first].hides_name = false;
        }
        true
    };
    Reader { bytes, schema: Schema::of_macp(), nested_decoder: &mut read, is_cut }
        .message(name, within, 0, builder);
    remark_times(bytes, builder.tree());
}

/// The envelope of a request or of an answer on a stream.
fn envelope_of(bytes: &[u8]) -> Option<Envelope> {
    crate::macp::proto::v1::SendRequest::decode(bytes).ok()?.envelope
}

/// What an envelope carries.
fn payload(bytes: &[u8], kind: &str, span: &Span, is_cut: bool, builder: &mut TreeBuilder) {
    let part_range = span.content.clone();
    let part = bytes.get(part_range.clone()).unwrap_or_default();
    let of = match kind {
        SESSION_START => Some(START),
        SIGNAL if SignalPayload::decode(part).is_ok_and(|signal| !signal.signal_type.is_empty()) => {
            Some(OF_SIGNAL)
        }
        _ => None,
    };
    let Some(name) = of.filter(|_| !part.is_empty()) else {
        content(bytes, "payload", span, builder);
        return;
    };
    let short = name.rsplit('.').next().unwrap_or(name);
    let node = Node {
        value: Text::literal(short.to_owned()),
        ..Node::new(Text::literal("payload"), Kind::Object, span.range())
    };
    if builder.open(node.with_note(span.description.clone())) {
        let mut nested = |message: &str, field: &str, span: Span, builder: &mut TreeBuilder| {
            let is_quoted = QUOTED_FIELDS.contains(&(message, field));
            if is_quoted {
                content(bytes, field, &span, builder);
            }
            is_quoted
        };
        Reader { bytes, schema: Schema::of_macp(), nested_decoder: &mut nested, is_cut }
            .message(name, part_range, 1, builder);
        builder.close();
    }
}

/// Bytes that are JSON, a text, or neither.
fn content(bytes: &[u8], name: &str, span: &Span, builder: &mut TreeBuilder) {
    let part_range = span.content.clone();
    let part = bytes.get(part_range.clone()).unwrap_or_default();
    let name = Text::literal(name.to_owned());
    let is_json =
        part.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| matches!(byte, b'{' | b'['));
    let node = |kind, value| {
        Node { value, ..Node::new(name.clone(), kind, span.range()) }.with_note(span.description.clone())
    };
    if is_json {
        if builder.open(node(Kind::Object, Text::literal("JSON"))) {
            json::read_within(bytes, part_range, "json", builder);
            builder.close();
        }
    } else if std::str::from_utf8(part).is_ok() {
        builder.leaf(node(Kind::Text, Text::Bytes(range(part_range))));
    } else {
        builder.leaf(node(Kind::Bytes, Text::literal(hex(part))));
    }
}

/// Moments in Unix milliseconds, as people read them.
fn remark_times(bytes: &[u8], tree: &mut Tree) {
    for node in &mut tree.nodes {
        if node.kind == Kind::Number && node.name.read(bytes, 64).ends_with("_unix_ms") {
            let moment =
                node.value.read(bytes, 24).parse().ok().filter(|ms| *ms > 0).map(Wall).and_then(format::utc);
            if let (Some(moment), Some(note)) = (moment, node.note.as_mut()) {
                note.text = format!("{}: {moment}", note.text).into();
            }
        }
    }
}

/// The field that a fault is found at.
pub(in crate::dissect) fn fault_field(fault: Fault, head: &Head) -> &'static str {
    match fault {
        Fault::InvalidMacpVersion => "macp_version",
        Fault::UnknownMode => "mode",
        Fault::DuplicateSession
        | Fault::UnknownSession
        | Fault::SessionNotOpen
        | Fault::TtlExpired
        | Fault::InvalidModeState => "session_id",
        Fault::InvalidTtl => "ttl_ms",
        Fault::InvalidPayload | Fault::PayloadTooLarge => "payload",
        Fault::Forbidden | Fault::Unauthenticated => "sender",
        Fault::DuplicateMessage => "message_id",
        Fault::InvalidEnvelope => envelope_fault_field(head),
        Fault::RateLimited => "envelope",
    }
}

/// Puts what was found wrong to its field; where that is not there, to the first that holds it.
fn blame(verdict: Verdict, head: &Head, subject: &Subject, tree: &mut Tree) {
    let (name, words) = match verdict {
        Verdict::Accepted | Verdict::Duplicate => return,
        Verdict::Refused(fault) => {
            (fault_field(fault, head), format!("{}: {}", fault.code().name(), fault.name()))
        }
        Verdict::Declined(status) => ("envelope", status.name().to_owned()),
    };
    let place =
        |wanted: &str| tree.nodes.iter().position(|node| node.name.read(&subject.bytes, 32) == wanted);
    let found = place(name)
        .or_else(|| place("payload").filter(|_| name == "ttl_ms"))
        .or_else(|| place("envelope"))
        .unwrap_or(0);
    if let Some(node) = tree.nodes.get_mut(found) {
        node.blame(words);
    }
}

/// The field of an envelope that is not well: one that is missing is not on the wire (macp-v1, Validation
/// Rules 2, 4 and 10).
fn envelope_fault_field(head: &Head) -> &'static str {
    let kind = head.message_type.as_deref();
    match kind {
        _ if head.message_id.is_none() || (head.session.is_none() && kind != Some(SIGNAL)) => "envelope",
        Some(SESSION_START) => "payload",
        _ => "sender",
    }
}
