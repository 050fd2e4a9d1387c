//! Reads protobuf with the place of every field, as far as it is protobuf of the message that it should be.
//! What a field's bytes mean beyond that is for the protocol's decoder.

use std::ops::Range;

use super::{
    node::{Grower, Kind, Node, Text},
    schema::{Field, Holds, Schema},
};
use crate::console::class::Class;

/// How deep messages are opened.
const DEPTH_MAX: usize = 16;

/// What is read of a message beside its fields: bytes that carry something of their own, by the message and
/// the field. Whether it read them.
pub(super) type Within<'a> = &'a mut dyn FnMut(&str, &str, Span, &mut Grower) -> bool;

/// A field's place: from its key, and its content.
#[derive(Clone, Debug)]
pub(super) struct Span {
    pub(super) start: usize,
    pub(super) content: Range<usize>,
    /// Its number and what it holds, in words.
    pub(super) words: String,
}

impl Span {
    /// All of it, as nodes have it.
    pub(super) fn range(&self) -> Range<u32> {
        range(self.start..self.content.end)
    }
}

pub(super) fn range(of: Range<usize>) -> Range<u32> {
    let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    at(of.start)..at(of.end)
}

/// Reads protobuf.
pub(super) struct Reader<'a, 'w> {
    pub(super) bytes: &'a [u8],
    pub(super) schema: &'static Schema,
    pub(super) within: Within<'w>,
    /// Whether bytes behind these were not kept.
    pub(super) is_cut: bool,
}

/// A key on the wire.
struct Key {
    number: u32,
    wire: u64,
}

impl Reader<'_, '_> {
    fn varint(&self, at: &mut usize, end: usize) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(*at).filter(|_| *at < end)?;
            *at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn broken(&self, start: usize, end: usize, why: &'static str, grower: &mut Grower) {
        let of = range(start..end);
        let node =
            Node { value: Text::Bytes(of.clone()), ..Node::new(Text::words("broken"), Kind::Broken, of) }
                .of(Class::Payload);
        grower.leaf(if self.is_cut {
            node.noted("the rest was not kept (limits.tap.frame_bytes_max)")
        } else {
            let mut node = node;
            node.blame(why);
            node
        });
    }

    /// Reads the fields of a message in these bytes.
    pub(super) fn message(&mut self, name: &str, within: Range<usize>, depth: usize, grower: &mut Grower) {
        let end = within.end.min(self.bytes.len());
        let mut at = within.start;
        while at < end && !grower.is_full() {
            let start = at;
            let Some(key) = self.varint(&mut at, end) else {
                self.broken(start, end, "a field begins with a varint of its number and type", grower);
                return;
            };
            let Some(number) = u32::try_from(key >> 3).ok().filter(|number| *number > 0) else {
                self.broken(start, end, "no field has this number", grower);
                return;
            };
            let key = Key { number, wire: key & 7 };
            match self.field(name, &key, start, at..end, depth, grower) {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Reads a field behind its key; where the next begins, unless it is broken.
    fn field(
        &mut self,
        name: &str,
        key: &Key,
        start: usize,
        rest: Range<usize>,
        depth: usize,
        grower: &mut Grower,
    ) -> Option<usize> {
        let mut at = rest.start;
        let whole = match key.wire {
            0 => Some(self.varint(&mut at, rest.end)).flatten(),
            1 => self.fixed(&mut at, rest.end, 8),
            5 => self.fixed(&mut at, rest.end, 4),
            2 => self.varint(&mut at, rest.end).filter(|length| *length <= (rest.end - at) as u64),
            _ => None,
        };
        let Some(whole) = whole else {
            self.broken(
                start,
                rest.end,
                "the field does not end within its message, or has a type that there is not",
                grower,
            );
            return None;
        };
        let content =
            if key.wire == 2 { at..at + usize::try_from(whole).unwrap_or(0) } else { rest.start..at };
        let next = content.end;
        let known = self.schema.field(name, key.number);
        let span = Span { start, content, words: words(key, known) };
        match known {
            Some(field) if fits(&field.holds, key.wire) => {
                self.known(name, field, whole, &span, depth, grower)
            }
            known => {
                let mut node = Node::new(
                    known.map_or_else(|| Text::words("unknown"), |field| Text::words(field.name.clone())),
                    Kind::Bytes,
                    span.range(),
                );
                node.value = Text::words(hex(&self.bytes[span.content.clone()]));
                node.class = Class::Payload;
                let mut node = node.noted(span.words);
                if known.is_some() {
                    node.blame("the field has another type in the protocol");
                }
                grower.leaf(node);
            }
        }
        Some(next)
    }

    fn fixed(&self, at: &mut usize, end: usize, length: usize) -> Option<u64> {
        let part = self.bytes.get(*at..*at + length).filter(|_| *at + length <= end)?;
        *at += length;
        Some(part.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn known(
        &mut self,
        name: &str,
        field: &Field,
        whole: u64,
        span: &Span,
        depth: usize,
        grower: &mut Grower,
    ) {
        let text = Text::words(field.name.clone());
        let leaf = |kind, value| {
            Node { value, ..Node::new(text.clone(), kind, span.range()) }.noted(span.words.clone())
        };
        match &field.holds {
            Holds::Message(_) if depth >= DEPTH_MAX => {
                grower.leaf(
                    leaf(Kind::Bytes, Text::words(hex(&self.bytes[span.content.clone()]))).of(Class::Payload),
                );
            }
            Holds::Message(inner) => {
                let short = inner.rsplit('.').next().unwrap_or(inner).to_owned();
                if grower.open(leaf(Kind::Object, Text::words(short))) {
                    self.message(inner, span.content.clone(), depth + 1, grower);
                    grower.close();
                }
            }
            Holds::Bytes | Holds::Text if (self.within)(name, &field.name, span.clone(), grower) => {}
            Holds::Bytes => {
                grower.leaf(
                    leaf(Kind::Bytes, Text::words(hex(&self.bytes[span.content.clone()]))).of(Class::Payload),
                );
            }
            Holds::Text => {
                let is_text = std::str::from_utf8(&self.bytes[span.content.clone()]).is_ok();
                let mut node = leaf(Kind::Text, Text::Bytes(range(span.content.clone())));
                if !is_text {
                    node.blame("it is not UTF-8");
                }
                grower.leaf(node);
            }
            Holds::Truth => {
                grower.leaf(leaf(Kind::Boolean, Text::words(if whole == 0 { "false" } else { "true" })));
            }
            Holds::Name(of) => {
                let called = self.schema.name(of, whole).unwrap_or("no name of it");
                grower.leaf(leaf(Kind::Number, Text::words(format!("{whole} {called}"))));
            }
            Holds::Real => {
                grower.leaf(leaf(Kind::Number, Text::words(f64::from_bits(whole).to_string())));
            }
            Holds::Whole => {
                grower.leaf(leaf(Kind::Number, Text::words(signed(whole))));
            }
            Holds::Other => {
                grower.leaf(leaf(Kind::Number, Text::words(whole.to_string())));
            }
        }
    }
}

/// A whole number; those of this protocol are signed, or small.
fn signed(whole: u64) -> String {
    i64::from_ne_bytes(whole.to_ne_bytes()).to_string()
}

/// Bytes that are shown of what nobody reads.
const HEX_BYTES_MAX: usize = 32;

/// Bytes as hex.
pub(super) fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(HEX_BYTES_MAX).map(|byte| format!("{byte:02x}")).collect();
    let more = bytes.len().saturating_sub(HEX_BYTES_MAX);
    if more > 0 { format!("{} and {more} more", shown.join(" ")) } else { shown.join(" ") }
}

const fn fits(holds: &Holds, wire: u64) -> bool {
    match holds {
        Holds::Text | Holds::Bytes | Holds::Message(_) => wire == 2,
        Holds::Truth | Holds::Whole | Holds::Name(_) => wire == 0,
        Holds::Real => wire == 1,
        Holds::Other => false,
    }
}

/// `5 string`.
fn words(key: &Key, field: Option<&Field>) -> String {
    let number = key.number;
    let Some(field) = field else { return format!("tag {number}: the protocol has no such field") };
    let holds = match &field.holds {
        Holds::Text => "string",
        Holds::Bytes => "bytes",
        Holds::Truth => "bool",
        Holds::Whole => "int64",
        Holds::Real => "double",
        Holds::Name(name) | Holds::Message(name) => name.rsplit('.').next().unwrap_or(name),
        Holds::Other => "of a type that the protocol does not use",
    };
    let repeated = if field.is_repeated { "repeated " } else { "" };
    format!("tag {number}, {repeated}{holds}")
}
