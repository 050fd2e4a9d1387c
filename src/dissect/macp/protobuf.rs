//! Reads protobuf with the place of every field, as far as it is protobuf of the message that it should be.
//! What a field's bytes mean beyond that is for the protocol's decoder.

use std::ops::Range;

use super::schema::{Field, FieldType, Schema};
use crate::{
    dissect::{
        tree::{Kind, Node, Text, TreeBuilder},
        wire_field::WireField,
    },
    field::Class,
};

/// How deep messages are opened.
const DEPTH_MAX: usize = 16;

/// A decoder of what a message has beside its fields: bytes that carry something of their own, by the message
/// and the field. Whether it read them.
pub(crate) type NestedDecoder<'a> = &'a mut dyn FnMut(&str, &str, Span, &mut TreeBuilder) -> bool;

/// A field's place: from its key, and its content.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) content: Range<usize>,
    /// Its number and what it holds, in words.
    pub(crate) description: String,
}

impl Span {
    /// All of it, as nodes have it.
    pub(crate) fn range(&self) -> Range<u32> {
        range(self.start..self.content.end)
    }
}

pub(crate) fn range(of: Range<usize>) -> Range<u32> {
    let at = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    at(of.start)..at(of.end)
}

/// Reads protobuf.
pub(crate) struct Reader<'a, 'w> {
    pub(crate) bytes: &'a [u8],
    pub(crate) schema: &'static Schema,
    pub(crate) nested_decoder: NestedDecoder<'w>,
    /// Whether bytes behind these were not kept.
    pub(crate) is_cut: bool,
}

impl Reader<'_, '_> {
    fn broken(&self, start: usize, end: usize, why: &'static str, builder: &mut TreeBuilder) {
        let of = range(start..end);
        let node =
            Node { value: Text::Bytes(of.clone()), ..Node::new(Text::literal("broken"), Kind::Broken, of) }
                .with_class(Class::Payload);
        builder.leaf(if self.is_cut {
            node.with_note("the rest was not kept (limits.tap.frame_bytes_max)")
        } else {
            let mut node = node;
            node.blame(why);
            node
        });
    }

    /// Reads the fields of a message in these bytes.
    pub(crate) fn message(
        &mut self,
        name: &str,
        within: Range<usize>,
        depth: usize,
        builder: &mut TreeBuilder,
    ) {
        let end = within.end.min(self.bytes.len());
        let mut at = within.start;
        while at < end && !builder.is_full() {
            match WireField::at(&self.bytes[..end], at) {
                Ok(field) => {
                    let start = std::mem::replace(&mut at, field.content.end);
                    self.field(name, start, field, depth, builder);
                }
                Err(why) => return self.broken(at, end, why, builder),
            }
        }
    }

    fn field(
        &mut self,
        name: &str,
        start: usize,
        WireField { number, wire_type, value, content }: WireField,
        depth: usize,
        builder: &mut TreeBuilder,
    ) {
        let known = self.schema.field(name, number);
        let span = Span { start, content, description: describe(number, known) };
        match known {
            Some(field) if field.field_type.wire_type() == Some(wire_type) => {
                self.known_field(name, field, value, &span, depth, builder);
            }
            known => {
                let mut node = Node::new(
                    known.map_or_else(|| Text::literal("unknown"), |field| Text::literal(field.name.clone())),
                    Kind::Bytes,
                    span.range(),
                );
                node.value = Text::literal(hex(&self.bytes[span.content.clone()]));
                node.class = Class::Payload;
                let mut node = node.with_note(span.description);
                if known.is_some() {
                    node.blame("the field has another type in the protocol");
                }
                builder.leaf(node);
            }
        }
    }

    fn known_field(
        &mut self,
        name: &str,
        field: &Field,
        whole: u64,
        span: &Span,
        depth: usize,
        builder: &mut TreeBuilder,
    ) {
        let text = Text::literal(field.name.clone());
        let leaf = |kind, value| {
            Node { value, ..Node::new(text.clone(), kind, span.range()) }.with_note(span.description.clone())
        };
        match &field.field_type {
            FieldType::Message(_) if depth >= DEPTH_MAX => {
                builder.leaf(
                    leaf(Kind::Bytes, Text::literal(hex(&self.bytes[span.content.clone()])))
                        .with_class(Class::Payload),
                );
            }
            FieldType::Message(inner) => {
                let short = inner.rsplit('.').next().unwrap_or(inner).to_owned();
                if builder.open(leaf(Kind::Object, Text::literal(short))) {
                    self.message(inner, span.content.clone(), depth + 1, builder);
                    builder.close();
                }
            }
            FieldType::Bytes | FieldType::Text
                if (self.nested_decoder)(name, &field.name, span.clone(), builder) => {}
            FieldType::Bytes => {
                builder.leaf(
                    leaf(Kind::Bytes, Text::literal(hex(&self.bytes[span.content.clone()])))
                        .with_class(Class::Payload),
                );
            }
            FieldType::Text => {
                let is_text = std::str::from_utf8(&self.bytes[span.content.clone()]).is_ok();
                let mut node = leaf(Kind::Text, Text::Bytes(range(span.content.clone())));
                if !is_text {
                    node.blame("it is not UTF-8");
                }
                builder.leaf(node);
            }
            FieldType::Boolean => {
                let words = match whole {
                    0 => "false".to_owned(),
                    1 => "true".to_owned(),
                    other => format!("true (written as {other})"),
                };
                builder.leaf(leaf(Kind::Boolean, Text::literal(words)));
            }
            FieldType::Enum(of) => {
                let called = self.schema.name(of, whole).unwrap_or("unknown value");
                builder.leaf(leaf(Kind::Number, Text::literal(format!("{whole} {called}"))));
            }
            FieldType::Double => {
                let number = f64::from_bits(whole);
                let words = if number.is_nan() { format!("NaN ({whole:#018x})") } else { number.to_string() };
                builder.leaf(leaf(Kind::Number, Text::literal(words)));
            }
            FieldType::Integer => {
                builder.leaf(leaf(Kind::Number, Text::literal(signed(whole))));
            }
            FieldType::Other => {
                builder.leaf(leaf(Kind::Number, Text::literal(whole.to_string())));
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
pub(crate) fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(HEX_BYTES_MAX).map(|byte| format!("{byte:02x}")).collect();
    let more = bytes.len().saturating_sub(HEX_BYTES_MAX);
    if more > 0 { format!("{} and {more} more", shown.join(" ")) } else { shown.join(" ") }
}

/// `5 string`.
fn describe(number: u32, field: Option<&Field>) -> String {
    let Some(field) = field else { return format!("tag {number}: the protocol has no such field") };
    let holds = match &field.field_type {
        FieldType::Text => "string",
        FieldType::Bytes => "bytes",
        FieldType::Boolean => "bool",
        FieldType::Integer => "int64",
        FieldType::Double => "double",
        FieldType::Enum(name) | FieldType::Message(name) => name.rsplit('.').next().unwrap_or(name),
        FieldType::Other => "of a type not used by the protocol",
    };
    let repeated = if field.is_repeated { "repeated " } else { "" };
    format!("tag {number}, {repeated}{holds}")
}
