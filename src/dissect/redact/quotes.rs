//! Masks known values where they are quoted.

use std::ops::Range;

use super::{
    encoding::{Leaf, MASK, binary, leaves, mask_leaf, mask_word, part},
    find::NODES_MAX,
    known::Known,
    lexer::{Token, TokenKind, is_json, tokens},
    numbers::NumberList,
};
use crate::{
    dissect::{
        Subject,
        decoder::decode,
        rmp::{body_text, frame::is_control},
        tree::{Kind, Text},
        wire_field::WireField,
    },
    field::Class,
    rmp::{HEADER_BYTES, PREFIX_BYTES},
};

/// Members of a frame of the bridge that are the protocol's.
pub(super) const OF_MPP: &[&str] = &[
    "mpp",
    "type",
    "id",
    "queue",
    "event",
    "ok",
    "refund",
    "level",
    "key",
    "code",
    "session_id",
    "pack_id",
    "manifest_hash",
];
/// Of a body of the bus.
pub(super) const OF_RMP: &[&str] = &["type"];
/// Of a message of a plugin.
pub(super) const OF_PLUGIN: &[&str] = &["jsonrpc", "id", "method"];

/// Names by which protocols are read: a viewer who is called so must not make frames unreadable.
const PROTOCOL_WORDS: [&[u8]; 29] = [
    b"mpp", b"type", b"id", b"queue", b"event", b"params", b"result", b"reason", b"refund", b"key", b"value",
    b"scope", b"level", b"message", b"payload", b"meta", b"header", b"body", b"Publish", b"Message",
    b"Deliver", b"topic", b"jsonrpc", b"method", b"error", b"code", b"command", b"json", b"rows",
];

/// Which values of a JSON or MsgPack are looked through, and which names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Within {
    /// All but those of these members of the outermost object: what others refer to stays.
    AllBut(&'static [&'static str]),
    /// Those of members of this name alone.
    Only(&'static str),
}

/// All of what no protocol has members in.
const ALL: Within = Within::AllBut(&[]);
/// Of a body of the bus.
const OF_BODY: Within = Within::AllBut(OF_RMP);
/// Of a frame of the bus itself: what an error says.
const OF_CONTROL: Within = Within::Only("message");

impl Within {
    /// Whether a name is looked through.
    fn has_name(self, name: &[u8], depth: usize) -> bool {
        match self {
            Self::AllBut(kept) => !PROTOCOL_WORDS.contains(&name) && !is_kept(kept, name, depth),
            Self::Only(_) => false,
        }
    }

    /// Whether a value is, by the name of its member.
    fn has_value(self, member: Option<&[u8]>, depth: usize) -> bool {
        match self {
            Self::AllBut(kept) => member.is_none_or(|member| !is_kept(kept, member, depth)),
            Self::Only(name) => member == Some(name.as_bytes()),
        }
    }
}

fn is_kept(kept: &[&str], name: &[u8], depth: usize) -> bool {
    depth == 1 && kept.iter().any(|it| it.as_bytes() == name)
}

/// The parts that are looked through, of those in order; each is read as whether it is a name, how deep it
/// is, and its bytes.
fn wanted<'a, T>(
    within: Within,
    parts: impl IntoIterator<Item = T>,
    read: impl Fn(&T) -> (bool, usize, &'a [u8]),
) -> Vec<T> {
    let mut before: Option<(usize, &[u8])> = None;
    let is_wanted = |part: &T| {
        let (is_name, depth, bytes) = read(part);
        let member = before.take().filter(|(of, _)| *of == depth).map(|(_, name)| name);
        if is_name {
            before = Some((depth, bytes));
            return within.has_name(bytes, depth);
        }
        within.has_value(member, depth)
    };
    parts.into_iter().filter(is_wanted).collect()
}

/// Masks them in a text: in one that is JSON within its strings and numbers alone, so that it remains JSON.
pub(super) fn in_text(text: &mut [u8], known: &Known) {
    if is_json(text) { in_json(text, known, ALL) } else { in_words(text, known) }
}

fn in_words(text: &mut [u8], known: &Known) {
    for range in known.quotes(text) {
        part(text, range).fill(MASK);
    }
}

/// Masks them in JSON.
pub(super) fn in_json(text: &mut [u8], known: &Known, within: Within) {
    if known.is_empty() {
        return;
    }
    let read = |token: &Token| {
        (token.kind == TokenKind::Name, token.depth, text.get(token.range.clone()).unwrap_or_default())
    };
    for token in wanted(within, tokens(text), read) {
        let content = part(text, token.range);
        if token.kind == TokenKind::Word && known.has(content) {
            mask_word(content);
        } else if token.kind != TokenKind::Word || !is_number(content) {
            in_words(content, known);
        }
    }
}

fn is_number(word: &[u8]) -> bool {
    word.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte))
}

/// What a value of MsgPack that is a text or bytes has.
pub(super) fn content_of(body: &[u8], leaf: &Leaf) -> Option<Range<usize>> {
    let of_binary = || {
        let content = binary(body.get(leaf.range.clone())?)?;
        Some(leaf.range.start + content.start..leaf.range.start + content.end)
    };
    leaf.text.clone().or_else(of_binary)
}

/// Masks them in a body of MsgPack.
fn in_msgpack(body: &mut [u8], known: &Known, within: Within) {
    if known.is_empty() {
        return;
    }
    let mut all = Vec::new();
    let end = leaves(body, |leaf| all.push(leaf));
    let read = |leaf: &Leaf| {
        let content = content_of(body, leaf).and_then(|content| body.get(content));
        (leaf.is_name, leaf.depth, content.unwrap_or_default())
    };
    for leaf in wanted(within, all, read) {
        if let Some(content) = content_of(body, &leaf) {
            in_text(part(body, content), known);
            continue;
        }
        let number = part(body, leaf.range);
        if let Ok(rmpv::Value::Integer(value)) = rmpv::decode::read_value(&mut &*number)
            && known.has(value.to_string().as_bytes())
        {
            mask_leaf(number);
        }
    }
    in_words(part(body, end..usize::MAX), known);
}

/// Masks them in the body of a message of the bus.
pub(super) fn in_body(body: &mut [u8], known: &Known) {
    in_msgpack(body, known, OF_BODY);
}

/// Masks them in units of the bus: in what is behind the header of each.
pub(super) fn in_units(bytes: &mut [u8], known: &Known) {
    for (place, unit) in body_text::units(bytes).into_iter().enumerate() {
        let unit = part(bytes, unit);
        let within = if is_control(place, unit) { OF_CONTROL } else { OF_BODY };
        if body_text::is_json(unit) {
            let text = part(unit, PREFIX_BYTES..usize::MAX);
            if let Some(list) = NumberList::of(text) {
                let mut body = list.bytes.clone();
                in_body(&mut body, known);
                list.write(&body, text);
            }
            in_json(text, known, OF_CONTROL);
        } else {
            in_msgpack(part(unit, PREFIX_BYTES + HEADER_BYTES..usize::MAX), known, within);
        }
    }
}

/// Masks them in the values of a call that quote what somebody wrote.
pub(super) fn in_call(subject: &Subject, bytes: &mut [u8], known: &Known) {
    if known.is_empty() {
        return;
    }
    let tree = decode(subject, NODES_MAX);
    if tree.is_cut {
        return in_words(bytes, known);
    }
    let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    for (at, node) in tree.nodes.iter().enumerate().filter(|(_, node)| node.class != Class::Public) {
        let is_json = node.name == Text::literal("json");
        match (&node.value, node.kind) {
            (Text::Bytes(range), _) if is_json => {
                in_json(part(bytes, place(range.start)..place(range.end)), known, ALL);
            }
            _ if node.end > at + 1 => {}
            (Text::Bytes(range), _) => {
                in_json_or_words(part(bytes, place(range.start)..place(range.end)), known);
            }
            (_, Kind::Bytes) => {
                let field = part(bytes, place(node.range.start)..place(node.range.end));
                let content = WireField::at(field, 0).map_or(0..field.len(), |it| it.content);
                in_words(part(field, content), known);
            }
            _ => {}
        }
    }
}

/// Masks them in a value that is a string or number of JSON, or a text.
fn in_json_or_words(value: &mut [u8], known: &Known) {
    if known.has(value) && value.iter().all(u8::is_ascii_digit) {
        mask_word(value);
    } else {
        in_text(value, known);
    }
}
