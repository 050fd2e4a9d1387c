//! Reads RMP frames: prefix, the twelve fields of the header, the body's MsgPack, each with its bytes; a
//! control frame and the message behind it, or one unit of the JSON dialect. What the broker found wrong is
//! found again and put to its field.

use std::ops::Range;

use super::schema_name;
use crate::{
    dissect::{
        decoder::{Decoder, Subject},
        json, mplp,
        rmp::{body_text, decoded_body, msgpack},
        tree::{Kind, Node, Text, Tree, TreeBuilder},
    },
    field::Class,
    limits::Limits,
    rmp,
    rmp::{Checks, Code, Error, HEADER_BYTES, PREFIX_BYTES, Refusal, Registry, SchemaId},
    tap::entry::{Verdict, What, rmp as events},
    time::Wall,
    words::{format, hex},
};

/// Frames of the bus.
pub(crate) struct RmpFrames;

impl Decoder for RmpFrames {
    fn name(&self) -> &'static str {
        "RMP v0"
    }

    fn decode(&self, subject: &Subject, builder: &mut TreeBuilder) {
        let all = body_text::units(&subject.bytes);
        let last = all.len().saturating_sub(1);
        for (place, unit) in all.iter().enumerate() {
            let is_cut = place == last && subject.cut_bytes() > 0;
            let is_control = is_control(place, &subject.bytes[unit.clone()]);
            if body_text::is_json(&subject.bytes[unit.clone()]) {
                json_unit(subject, unit.clone(), builder);
                decoded_body::add(subject, unit.clone(), builder);
            } else {
                frame(subject, unit.clone(), (is_control, is_cut), builder);
            }
        }
        if all.is_empty() {
            let mut node = Node::new(Text::literal("frame"), Kind::Missing, 0..0);
            node.blame("empty");
            builder.leaf(node);
        }
        blame(subject, &all, builder.tree());
        let cut = subject.cut_bytes();
        if cut > 0
            && let Some(node) = builder.tree().nodes.first_mut()
        {
            let words = format!("cut: {cut} more bytes were not kept (limits.tap.frame_bytes_max)");
            *node = node.clone().with_note(words);
        }
    }
}

/// Whether a unit of an entry is a control frame: the first one, where its header says so. What the station
/// publishes is a message alone.
pub(crate) fn is_control(place: usize, unit: &[u8]) -> bool {
    let schema = unit.get(PREFIX_BYTES + SCHEMA_ID_AT..).and_then(<[u8]>::first_chunk);
    place == 0 && schema.is_some_and(|schema| u16::from_be_bytes(*schema) == SchemaId::CONTROL.0)
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn span(range: Range<usize>) -> Range<u32> {
    offset(range.start)..offset(range.end)
}

/// One field of the header: its offset there, its length, its name.
type Field = (usize, usize, &'static str);

/// Where the header has the schema of the body.
const SCHEMA_ID_AT: usize = 12;

/// The header (rmp-v0 §1.1).
const FIELDS: [Field; 12] = [
    (0, 4, "magic"),
    (4, 2, "header_version"),
    (6, 2, "header_len"),
    (8, 4, "flags"),
    (SCHEMA_ID_AT, 2, "schema_id"),
    (14, 2, "reserved2"),
    (16, 4, "body_len"),
    (20, 8, "created_at_ms"),
    (28, 8, "ttl_ms"),
    (36, 16, "trace_id"),
    (52, 8, "msg_id"),
    (60, 4, "reserved4"),
];

fn frame(
    subject: &Subject,
    unit: Range<usize>,
    (is_control, is_cut): (bool, bool),
    builder: &mut TreeBuilder,
) {
    let bytes = &subject.bytes;
    let name = if is_control { "control frame" } else { "message" };
    let value = Text::literal(format::bytes(unit.len() as u64));
    if !builder.open(Node { value, ..Node::new(Text::literal(name), Kind::Object, span(unit.clone())) }) {
        return;
    }
    let at = |start: usize, length: usize| {
        (unit.start + start).min(unit.end)..(unit.start + start + length).min(unit.end)
    };
    number(bytes, at(0, PREFIX_BYTES), (PREFIX_BYTES, "frame_len"), builder);
    let header = at(PREFIX_BYTES, HEADER_BYTES);
    let is_short = header.len() < HEADER_BYTES;
    let words = if is_short { format!("{} of {HEADER_BYTES} bytes", header.len()) } else { String::new() };
    if !header.is_empty()
        && builder.open(Node {
            value: Text::literal(words),
            ..Node::new(Text::literal("header"), Kind::Object, span(header))
        })
    {
        for (start, length, name) in FIELDS {
            number(bytes, at(PREFIX_BYTES + start, length), (length, name), builder);
        }
        builder.close();
    }
    if !is_short {
        let body = at(PREFIX_BYTES + HEADER_BYTES, unit.len());
        let first = builder.tree().nodes.len();
        msgpack::read(bytes, body.clone(), "body", is_cut, builder);
        classify(bytes, first, is_control, builder.tree());
        if !is_control {
            mplp::mark(subject, &bytes[body], bytes, first, builder.tree());
        }
    }
    builder.close();
}

/// One number of the header in network order, with what it stands for.
fn number(
    bytes: &[u8],
    range: Range<usize>,
    (length, name): (usize, &'static str),
    builder: &mut TreeBuilder,
) {
    let part = bytes.get(range.clone()).unwrap_or_default();
    if part.is_empty() {
        return;
    }
    let mut node = Node::new(Text::literal(name), Kind::Number, span(range));
    if part.len() < length {
        node.value = Text::literal(format!("{} of {length} bytes: {}", part.len(), hex(part)));
        builder.leaf(node);
        return;
    }
    let value = part.iter().fold(0_u128, |value, byte| value << 8 | u128::from(*byte));
    let small = u64::try_from(value).unwrap_or(u64::MAX);
    let (words, remark) = match name {
        "magic" => (part.escape_ascii().to_string(), None),
        "schema_id" => (format!("{value}"), u16::try_from(value).ok().map(|id| schema_name(id).into_owned())),
        "flags" | "reserved2" | "reserved4" => (format!("{value:#x}"), None),
        "created_at_ms" => (value.to_string(), format::utc(Wall(small))),
        "ttl_ms" => (value.to_string(), Some(format::age(std::time::Duration::from_millis(small)))),
        "trace_id" => (uuid::Uuid::from_u128(value).hyphenated().to_string(), None),
        _ => (value.to_string(), None),
    };
    node.value = Text::literal(words);
    builder.leaf(match remark {
        Some(remark) => node.with_note(remark),
        None => node,
    });
}

/// Names of a control frame's fields that anybody may see, as the topics and clients are that they name.
const PUBLIC_NAMES: [&str; 18] = [
    "type",
    "payload",
    "Hello",
    "Subscribe",
    "Unsubscribe",
    "Publish",
    "Ping",
    "Welcome",
    "Ok",
    "Error",
    "Deliver",
    "Pong",
    "topic",
    "client",
    "kind",
    "sub",
    "re",
    "code",
];

/// Says who may see what of a body: of a message nothing but that it has the keys of an envelope, of a
/// control frame what names topics, clients and subscriptions.
pub(super) fn classify(bytes: &[u8], first: usize, is_control: bool, tree: &mut Tree) {
    if first >= tree.nodes.len() {
        return;
    }
    tree.classify(first, Class::Payload);
    tree.nodes[first].class = Class::Public;
    let envelope: Vec<usize> = tree.children(first).collect();
    for index in envelope {
        let name = tree.nodes[index].name.read(bytes, 16).into_owned();
        tree.nodes[index].hides_name &= !matches!(name.as_str(), "type" | "payload" | "meta");
    }
    if !is_control {
        return;
    }
    for index in first..tree.nodes.len() {
        let name = tree.nodes[index].name.read(bytes, 16).into_owned();
        let is_number = matches!(tree.nodes[index].kind, Kind::Number | Kind::Boolean);
        if PUBLIC_NAMES.contains(&name.as_str()) || is_number {
            let node = &mut tree.nodes[index];
            (node.class, node.hides_name) = (Class::Public, false);
        }
    }
}

/// One unit of the JSON dialect: a length, then JSON.
fn json_unit(subject: &Subject, unit: Range<usize>, builder: &mut TreeBuilder) {
    let bytes = &subject.bytes;
    let prefix = unit.start..unit.start + PREFIX_BYTES;
    number(bytes, prefix.clone(), (PREFIX_BYTES, "length"), builder);
    let first = builder.tree().nodes.len();
    json::read_within(bytes, prefix.end..unit.end, "unit", builder);
    let tree = builder.tree();
    if first >= tree.nodes.len() {
        return;
    }
    tree.classify(first, Class::Payload);
    tree.nodes[first].class = Class::Public;
    for index in first + 1..tree.nodes.len() {
        let name = tree.nodes[index].name.read(bytes, 16).into_owned();
        if matches!(
            name.as_str(),
            "Publish" | "Subscribe" | "Unsubscribe" | "Hello" | "id" | "topic" | "sub_id" | "kind" | "header"
        ) {
            let node = &mut tree.nodes[index];
            (node.class, node.hides_name) = (Class::Public, false);
        }
    }
}

/// What the broker found wrong, found again: the unit's start, and the error.
pub(crate) fn error_of(subject: &Subject) -> Option<(usize, Error)> {
    let What::Frame(frame) = &subject.entry.what else { return None };
    let Verdict::Rmp(events::Verdict::Refused(Refusal::Fault(code))) = &frame.verdict else { return None };
    if subject.cut_bytes() > 0 {
        return None;
    }
    find_error(subject, *code, &body_text::units(&subject.bytes))
}

/// Judges the units again, the message first, up to an error of this name.
fn find_error(subject: &Subject, code: Code, all: &[Range<usize>]) -> Option<(usize, Error)> {
    let registry = Registry::default();
    let seen = |_, _| true;
    let mut checks = Checks::new(&registry, &Limits::default().rmp);
    checks.now_ms = (code == Code::Expired).then_some(subject.entry.at.wall.0);
    checks.is_duplicate = (code == Code::Duplicate).then_some(&seen);
    all.iter().rev().find_map(|unit| {
        let error = rmp::decode(&subject.bytes[unit.clone()], &checks).err()?;
        (error.code() == code).then_some((unit.start, error))
    })
}

/// Puts what was found wrong to the field that it was found at; what no frame tells, to the first.
fn blame(subject: &Subject, all: &[Range<usize>], tree: &mut Tree) {
    let What::Frame(frame) = &subject.entry.what else { return };
    let Verdict::Rmp(events::Verdict::Refused(refusal)) = &frame.verdict else { return };
    let found = error_of(subject);
    let (place, words) = match found {
        Some((start, error)) => {
            let at = offset(start + error.offset());
            let place = tree.innermost(at).or_else(|| tree.innermost(at.saturating_sub(1)));
            (place, error.to_string())
        }
        None => (last_frame(all, tree), refusal.name().to_owned()),
    };
    if let Some(node) = tree.nodes.get_mut(place.unwrap_or(0)) {
        node.blame(words);
    }
}

fn last_frame(all: &[Range<usize>], tree: &Tree) -> Option<usize> {
    let start = offset(all.last()?.start);
    tree.nodes.iter().position(|node| node.depth == 0 && node.range.start == start)
}
