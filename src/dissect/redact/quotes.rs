//! Masks known values where they are quoted.

use std::ops::Range;

use super::{
    encoding::{MASK, binary, leaves, mask_leaf, mask_word, part},
    known::Known,
    lexer::{Token, is_json, tokens},
    numbers::NumberList,
};
use crate::{
    dissect::{
        Subject,
        decoder::decode,
        rmp::body_text,
        tree::{Kind, Text},
    },
    rmp::{HEADER_BYTES, PREFIX_BYTES},
};

/// Values of a call that are looked through.
const NODES_MAX: usize = 65_536;

/// Names by which protocols are read: a viewer who is called so must not make frames unreadable.
const PROTOCOL_WORDS: [&[u8]; 29] = [
    b"mpp", b"type", b"id", b"queue", b"event", b"params", b"result", b"reason", b"refund", b"key", b"value",
    b"scope", b"level", b"message", b"payload", b"meta", b"header", b"body", b"Publish", b"Message",
    b"Deliver", b"topic", b"jsonrpc", b"method", b"error", b"code", b"command", b"json", b"rows",
];

fn is_protocol_word(name: &[u8]) -> bool {
    PROTOCOL_WORDS.contains(&name)
}

/// Masks them in a text: in one that is JSON within its strings and numbers alone, so that it remains JSON.
pub(super) fn in_text(text: &mut [u8], known: &Known) {
    if known.is_empty() {
        return;
    }
    if is_json(text) { in_json(text, known) } else { in_words(text, known) }
}

fn in_words(text: &mut [u8], known: &Known) {
    for range in known.quotes(text) {
        part(text, range).fill(MASK);
    }
}

/// Masks them in JSON.
pub(super) fn in_json(text: &mut [u8], known: &Known) {
    if known.is_empty() {
        return;
    }
    let all: Vec<Token> = tokens(text).collect();
    for token in all {
        match token {
            Token::Text { content, is_name } => {
                let content = part(text, content);
                if !(is_name && is_protocol_word(content)) {
                    in_words(content, known);
                }
            }
            Token::Word(range) => {
                let word = part(text, range);
                if known.has(word) {
                    mask_word(word);
                } else if !word.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)) {
                    in_words(word, known);
                }
            }
        }
    }
}

/// Masks them in a body of MsgPack.
pub(super) fn in_msgpack(body: &mut [u8], known: &Known) {
    if known.is_empty() {
        return;
    }
    let mut all = Vec::new();
    let end = leaves(body, |leaf| all.push(leaf));
    for leaf in all {
        let of_binary = binary(part(body, leaf.range.clone()));
        let content = of_binary.map(|it| leaf.range.start + it.start..leaf.range.start + it.end);
        if let Some(content) = leaf.text.or(content) {
            let content = part(body, content);
            if !(leaf.is_name && is_protocol_word(content)) {
                in_text(content, known);
            }
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

/// Masks them in units of the bus: in what is behind the header of each.
pub(super) fn in_units(bytes: &mut [u8], known: &Known) {
    for unit in body_text::units(bytes) {
        let Range { start, end } = unit;
        let unit = part(bytes, start..end);
        if body_text::is_json(unit) {
            let text = part(unit, PREFIX_BYTES..usize::MAX);
            if let Some(list) = NumberList::of(text) {
                let mut body = list.bytes.clone();
                in_msgpack(&mut body, known);
                list.write(&body, text);
            }
            in_json(text, known);
        } else {
            in_msgpack(part(unit, PREFIX_BYTES + HEADER_BYTES..usize::MAX), known);
        }
    }
}

/// Masks them in the values of a call.
pub(super) fn in_call(subject: &Subject, bytes: &mut [u8], known: &Known) {
    if known.is_empty() {
        return;
    }
    let tree = decode(subject, NODES_MAX);
    if tree.is_cut {
        return in_words(bytes, known);
    }
    let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    for (at, node) in tree.nodes.iter().enumerate() {
        let is_json = node.name == Text::literal("json");
        match (&node.value, node.kind) {
            (Text::Bytes(range), _) if is_json => {
                in_json(part(bytes, place(range.start)..place(range.end)), known);
            }
            _ if node.end > at + 1 => {}
            (Text::Bytes(range), _) => {
                in_json_or_words(part(bytes, place(range.start)..place(range.end)), known);
            }
            (_, Kind::Bytes | Kind::Broken) => {
                in_words(part(bytes, place(node.range.start)..place(node.range.end)), known);
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
