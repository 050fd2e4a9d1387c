//! Reads MsgPack with the place of every value, as far as it is MsgPack. It judges nothing but form; what a
//! value means is for the protocol's decoder.

use std::{fmt::Write as _, ops::Range};

use rmpv::Value;

use crate::{
    dissect::tree::{Kind, Node, TOO_DEEP, Text, TreeBuilder},
    msgpack::{Fault, Shape, Walk},
    rmp::{BodyFault, encode},
    words::counted,
};

/// How deep values are opened; below, they are one value each.
const DEPTH_MAX: usize = 64;
/// How deep they are gone over at all.
const WALK_DEPTH_MAX: usize = 512;
/// Bytes of a binary that are shown as hex.
const HEX_BYTES_MAX: usize = 32;

/// Reads the bytes of a range as one value and adds it, under a name of ours. Where they are cut, their end
/// is no fault of the peer.
pub(crate) fn read(
    bytes: &[u8],
    within: Range<usize>,
    name: &'static str,
    is_cut: bool,
    builder: &mut TreeBuilder,
) {
    let part = bytes.get(within.clone()).unwrap_or_default();
    let mut reader =
        Reader { part, base: within.start, walk: Walk::new(part, WALK_DEPTH_MAX), is_cut, builder };
    if part.is_empty() {
        let mut node = Node::new(Text::literal(name), Kind::Missing, reader.range(0..0));
        if !is_cut {
            node.blame("empty");
        }
        reader.builder.leaf(node);
        return;
    }
    let is_whole = reader.value(Text::literal(name), 0, 1);
    let end = reader.walk.at();
    if is_whole && end < part.len() && !reader.builder.is_full() {
        reader.broken("trailing", end, "unexpected after the value");
    }
}

struct Reader<'a, 'g> {
    part: &'a [u8],
    base: usize,
    walk: Walk<'a>,
    is_cut: bool,
    builder: &'g mut TreeBuilder,
}

impl Reader<'_, '_> {
    fn range(&self, range: Range<usize>) -> Range<u32> {
        let at = |at: usize| u32::try_from(self.base + at).unwrap_or(u32::MAX);
        at(range.start)..at(range.end)
    }

    fn broken(&mut self, name: &'static str, start: usize, why: impl Into<std::borrow::Cow<'static, str>>) {
        let range = self.range(start..self.part.len());
        let node =
            Node { value: Text::Bytes(range.clone()), ..Node::new(Text::literal(name), Kind::Broken, range) };
        let node = if self.is_cut {
            node.with_note("the rest was not kept (limits.tap.frame_bytes_max)")
        } else {
            let mut node = node;
            node.blame(why);
            node
        };
        self.builder.leaf(node);
    }

    fn fault(&mut self, start: usize, fault: Fault) -> bool {
        self.broken("broken", start, BodyFault::from(fault).breach.to_string());
        false
    }

    /// Reads one value; `start` is where its key begins, or the value itself. Whether all of it was there.
    fn value(&mut self, name: Text, start: usize, depth: usize) -> bool {
        if self.builder.is_full() {
            return false;
        }
        let from = self.walk.at();
        if depth > DEPTH_MAX {
            return match self.walk.skip(depth) {
                Ok(range) => {
                    let node = Node::new(name, Kind::Bytes, self.range(start..range.end));
                    self.builder.leaf(node.with_note(TOO_DEEP));
                    true
                }
                Err(fault) => self.fault(start, fault),
            };
        }
        match self.walk.head(depth) {
            Ok(Shape::Map(pairs)) => self.container(name, start, depth, Kind::Object, pairs),
            Ok(Shape::Array(items)) => self.container(name, start, depth, Kind::Array, items),
            Ok(Shape::Text(text)) => {
                let end = self.walk.at();
                let node = Node {
                    value: Text::Bytes(self.range(text.clone())),
                    ..Node::new(name, Kind::Text, self.range(start..end))
                };
                let is_text = self.part.get(text).is_some_and(|text| std::str::from_utf8(text).is_ok());
                self.builder.leaf(if is_text { node } else { node.with_note("it is not UTF-8") });
                true
            }
            Ok(Shape::Leaf) => {
                let end = self.walk.at();
                let part = &self.part[from..end];
                let (kind, words) = leaf(part);
                let node =
                    Node { value: Text::literal(words), ..Node::new(name, kind, self.range(start..end)) };
                self.builder.leaf(match longer_form(part) {
                    Some(form) => node.with_note(format!("written as {form}")),
                    None => node,
                });
                true
            }
            Err(fault) => self.fault(start, fault),
        }
    }

    fn container(&mut self, name: Text, start: usize, depth: usize, kind: Kind, count: u32) -> bool {
        let what = if kind == Kind::Object { "entries" } else { "items" };
        let node = Node::new(name, kind, self.range(start..self.part.len()));
        if !self.builder.open(Node { value: Text::literal(format!("{count} {what}")), ..node }) {
            return false;
        }
        let mut is_whole = true;
        for item in 0..count {
            let at = self.walk.at();
            let name = if kind == Kind::Array {
                Some(Text::literal(item.to_string()))
            } else {
                self.key(at, depth + 1)
            };
            is_whole = name.is_some_and(|name| self.value(name, at, depth + 1));
            if !is_whole {
                break;
            }
        }
        let end = if is_whole { self.walk.at() } else { self.part.len() };
        let range = self.range(start..end);
        if let Some(node) = self.builder.last_open() {
            node.range = range;
        }
        self.builder.close();
        is_whole
    }

    /// Reads the key of an entry; nothing where it is not all there.
    fn key(&mut self, at: usize, depth: usize) -> Option<Text> {
        match self.walk.skip(depth) {
            Ok(range) => {
                let mut again = Walk::new(&self.part[range.clone()], WALK_DEPTH_MAX);
                Some(match again.head(depth) {
                    Ok(Shape::Text(text))
                        if std::str::from_utf8(&self.part[range.clone()][text.clone()]).is_ok() =>
                    {
                        Text::Bytes(self.range(range.start + text.start..range.start + text.end))
                    }
                    _ => {
                        let part = &self.part[range];
                        let form = longer_form(part).map_or_else(String::new, |form| format!(" ({form})"));
                        Text::literal(leaf(part).1 + &form)
                    }
                })
            }
            Err(fault) => {
                self.fault(at, fault);
                None
            }
        }
    }
}

/// A value that holds no others, in words.
fn leaf(bytes: &[u8]) -> (Kind, String) {
    match rmpv::decode::read_value(&mut &*bytes) {
        Ok(Value::Nil) => (Kind::Null, "nil".to_owned()),
        Ok(Value::Boolean(is_so)) => (Kind::Boolean, is_so.to_string()),
        Ok(Value::Binary(bytes)) => (Kind::Bytes, hex(&bytes)),
        Ok(Value::Ext(kind, bytes)) => (Kind::Bytes, format!("extension {kind}: {}", hex(&bytes))),
        Ok(Value::F32(number)) if number.is_nan() => {
            (Kind::Number, format!("NaN ({:#010x})", number.to_bits()))
        }
        Ok(Value::F64(number)) if number.is_nan() => {
            (Kind::Number, format!("NaN ({:#018x})", number.to_bits()))
        }
        // With a point or an exponent, which an integer has not.
        Ok(Value::F32(number)) => (Kind::Number, format!("{number:?}")),
        Ok(Value::F64(number)) => (Kind::Number, format!("{number:?}")),
        Ok(Value::Integer(number)) => (Kind::Number, number.to_string()),
        Ok(_) | Err(_) => (Kind::Bytes, hex(bytes)),
    }
}

/// The form of an integer that is written longer than need be.
fn longer_form(bytes: &[u8]) -> Option<&'static str> {
    const FORMS: [&str; 8] =
        ["uint 8", "uint 16", "uint 32", "uint 64", "int 8", "int 16", "int 32", "int 64"];
    let form = FORMS.get(usize::from(bytes.first()?.checked_sub(0xcc)?))?;
    let value = rmpv::decode::read_value(&mut &*bytes).ok()?;
    encode::value(&value).is_ok_and(|shortest| shortest != bytes).then_some(form)
}

fn hex(bytes: &[u8]) -> String {
    let mut words = format!("{}:", counted(bytes.len(), "byte"));
    for byte in bytes.iter().take(HEX_BYTES_MAX) {
        // Writing to memory cannot fail.
        let _ = write!(words, " {byte:02x}");
    }
    if bytes.len() > HEX_BYTES_MAX {
        words.push('…');
    }
    words
}
