//! From a text to its tree.

use std::{collections::HashMap, sync::Arc};

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, StructureStyle, Tag, options};

use super::{Fault, FaultKind, Key, Located, Map, Position, Span, Value, fault::cut, scalar};

/// How much of a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Its bytes, with aliases written out.
    pub bytes: usize,
    /// Its keys and values, with aliases written out.
    pub values: usize,
    /// Maps and lists within one another.
    pub depth: usize,
    /// Faults that are told.
    pub faults: usize,
}

/// What came of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The tree; nothing when the text ends in a fault or has no document.
    pub tree: Option<Located>,
    /// Faults in the order of the text.
    pub faults: Vec<Fault>,
    /// Further faults that are not told.
    pub more: usize,
    /// Keys and values in it.
    pub values: usize,
}

/// Reads a text of one document.
#[must_use]
pub fn read(text: &str, bounds: Bounds) -> Reading {
    let mut builder = Builder::new(text, bounds);
    if text.len() > bounds.bytes {
        builder.fault(Position::START, FaultKind::TooLong { bytes: text.len(), max: bounds.bytes });
        return builder.done();
    }
    let options = options! {
        emit_unresolved_aliases: true,
        flow_nesting_limit: bounds.depth,
        block_nesting_limit: bounds.depth,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let went_on = match event {
            Ok((event, span)) => builder.take(
                event,
                Span { start: byte(&span.start), end: byte(&span.end) },
                position(&span.start),
            ),
            Err(error) => builder.stop(&error),
        };
        if !went_on {
            builder.root = None;
            break;
        }
    }
    builder.done()
}

/// A collection that is being read.
struct Open {
    at: Position,
    span: Span,
    anchor: usize,
    cost: Cost,
    items: Items,
}

enum Items {
    List(Vec<Located>),
    Map { map: Map, key: Next },
}

/// What a map waits for.
enum Next {
    Key,
    Value(Key),
    /// The value of a key that was no key.
    Nothing,
}

/// What a value takes of the bounds.
#[derive(Clone, Copy, Default)]
struct Cost {
    values: usize,
    bytes: usize,
    depth: usize,
}

/// What an anchor stands for; nothing while it is open.
type Anchored = Option<(Located, Cost)>;

struct Builder<'t> {
    text: &'t str,
    bounds: Bounds,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    /// Taken of the bounds so far.
    cost: Cost,
    root: Option<Located>,
    has_document: bool,
    faults: Vec<Fault>,
    more: usize,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, bounds: Bounds) -> Self {
        Self {
            text,
            bounds,
            open: Vec::new(),
            anchors: HashMap::new(),
            cost: Cost::default(),
            root: None,
            has_document: false,
            faults: Vec::new(),
            more: 0,
        }
    }

    fn done(self) -> Reading {
        Reading { tree: self.root, faults: self.faults, more: self.more, values: self.cost.values }
    }

    fn fault(&mut self, at: Position, kind: FaultKind) {
        self.fault_with(at, kind, None);
    }

    fn fault_with(&mut self, at: Position, kind: FaultKind, fix: Option<String>) {
        if self.faults.len() < self.bounds.faults {
            self.faults.push(Fault { at, kind, fix });
        } else {
            self.more += 1;
        }
    }

    /// Takes one event; false when nothing further is read.
    fn take(&mut self, event: Event<'_>, span: Span, at: Position) -> bool {
        match event {
            Event::DocumentStart(..) if self.has_document => {
                self.fault(at, FaultKind::SeveralDocuments);
                return false;
            }
            Event::DocumentStart(..) => self.has_document = true,
            Event::Scalar(text, style, anchor, tag) => {
                let cost = Cost { values: 1, bytes: text.len(), depth: 0 };
                let value = self.scalar(&text, style, tag.as_deref(), at);
                let is_merge = matches!(style, ScalarStyle::Plain) && text == "<<";
                return self.value(Located { at, span, value }, anchor, cost, is_merge);
            }
            Event::SequenceStart(_, anchor, tag) => {
                return self.opened(Items::List(Vec::new()), anchor, tag.as_deref(), span, at);
            }
            Event::MappingStart(style, anchor, tag) => {
                let map = Map { pairs: Vec::new(), is_flow: matches!(style, StructureStyle::Flow) };
                return self.opened(Items::Map { map, key: Next::Key }, anchor, tag.as_deref(), span, at);
            }
            Event::SequenceEnd | Event::MappingEnd => return self.closed(span.end),
            Event::Alias(id) => return self.alias(id, span, at),
            Event::UnresolvedAlias(name) => {
                self.fault(at, FaultKind::UnknownAlias { name: cut(&name) });
                return self.value(
                    Located { at, span, value: Value::Faulty },
                    0,
                    Cost { values: 1, ..Cost::default() },
                    false,
                );
            }
            _ => {}
        }
        true
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, at: Position) -> Value {
        let value = match tag {
            Some(tag) => match tag.core_suffix() {
                Some(suffix) => scalar::tagged(text, suffix),
                None if tag.original() == "!" => Ok(Some(Value::Text(text.into()))),
                None => Ok(None),
            },
            None if matches!(style, ScalarStyle::Plain) => scalar::plain(text).map(Some),
            None => Ok(Some(Value::Text(text.into()))),
        };
        match (value, tag) {
            (Ok(Some(value)), _) => value,
            (Ok(None), tag) => {
                self.tag_fault(tag, at);
                Value::Faulty
            }
            (Err(kind), _) => {
                self.fault(at, kind);
                Value::Faulty
            }
        }
    }

    fn tag_fault(&mut self, tag: Option<&Tag>, at: Position) {
        let tag = tag.map(Tag::original).unwrap_or_default();
        self.fault_with(at, FaultKind::Tag { tag: cut(&tag) }, Some("remove it".to_owned()));
    }

    fn opened(&mut self, items: Items, anchor: usize, tag: Option<&Tag>, span: Span, at: Position) -> bool {
        let fits = match (&items, tag) {
            (_, None) => true,
            (Items::List(_), Some(tag)) => tag.is_yaml_core_schema_tag("seq"),
            (Items::Map { .. }, Some(tag)) => tag.is_yaml_core_schema_tag("map"),
        };
        if !fits {
            self.tag_fault(tag, at);
        }
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        if self.open.len() >= self.bounds.depth {
            self.fault(at, FaultKind::TooDeep { max: self.bounds.depth });
            return false;
        }
        self.open.push(Open { at, span, anchor, cost: Cost::default(), items });
        self.taken(Cost { values: 1, bytes: 0, depth: 0 }, at)
    }

    fn closed(&mut self, end: usize) -> bool {
        let Some(mut open) = self.open.pop() else { return true };
        let (value, end) = match open.items {
            Items::List(items) => {
                let last = items.last().map_or(open.span.end, |it| it.span.end);
                (Value::List(items), if self.is_byte(open.span, b'[') { end } else { last })
            }
            Items::Map { mut map, .. } => {
                let end = match map.pairs.last() {
                    Some((key, value)) if !map.is_flow => value.span.end.max(key.span.end),
                    _ => end,
                };
                self.drop_duplicates(&mut map);
                (Value::Map(map), end)
            }
        };
        open.cost.values += 1;
        open.cost.depth += 1;
        let located = Located { at: open.at, span: Span { start: open.span.start, end }, value };
        self.placed(located, open.anchor, open.cost, false)
    }

    fn is_byte(&self, span: Span, byte: u8) -> bool {
        self.text.as_bytes().get(span.start) == Some(&byte) && span.end > span.start
    }

    /// Keeps the first of equal keys.
    fn drop_duplicates(&mut self, map: &mut Map) {
        let mut seen: HashMap<Arc<str>, u32> = HashMap::with_capacity(map.pairs.len());
        map.pairs.retain(|(key, _)| {
            let known = seen.get(&key.name).copied();
            if let Some(line) = known {
                let kind = FaultKind::DuplicateKey { key: cut(&key.name), line };
                self.fault_with(key.at, kind, Some("keep one of them".to_owned()));
            } else {
                seen.insert(key.name.clone(), key.at.line);
            }
            known.is_none()
        });
    }

    fn alias(&mut self, id: usize, span: Span, at: Position) -> bool {
        let Some(Some((located, cost))) = self.anchors.get(&id) else {
            self.fault(at, FaultKind::AliasWithinItself);
            return self.value(
                Located { at, span, value: Value::Faulty },
                0,
                Cost { values: 1, ..Cost::default() },
                false,
            );
        };
        let cost = *cost;
        if self.open.len() + cost.depth > self.bounds.depth {
            self.fault(at, FaultKind::TooDeep { max: self.bounds.depth });
            return false;
        }
        if self.cost.bytes + cost.bytes > self.bounds.bytes {
            self.fault(at, FaultKind::AliasesTooLong { max: self.bounds.bytes });
            return false;
        }
        if self.cost.values + cost.values > self.bounds.values {
            self.fault(at, FaultKind::TooManyValues { max: self.bounds.values });
            return false;
        }
        let located = Located { at, span, ..located.clone() };
        self.value(located, 0, cost, false)
    }

    /// Counts a value; false when it is one too many.
    fn taken(&mut self, cost: Cost, at: Position) -> bool {
        self.cost.values += cost.values;
        self.cost.bytes += cost.bytes;
        if self.cost.values > self.bounds.values {
            self.fault(at, FaultKind::TooManyValues { max: self.bounds.values });
        } else if self.cost.bytes > self.bounds.bytes {
            self.fault(at, FaultKind::AliasesTooLong { max: self.bounds.bytes });
        } else {
            return true;
        }
        false
    }

    fn value(&mut self, located: Located, anchor: usize, cost: Cost, is_merge: bool) -> bool {
        self.taken(cost, located.at) && self.placed(located, anchor, cost, is_merge)
    }

    /// Puts a value where it belongs; false when nothing further is read.
    fn placed(&mut self, located: Located, anchor: usize, cost: Cost, is_merge: bool) -> bool {
        let text = self.text;
        if anchor != 0 {
            // What is kept for aliases counts too, or anchors within anchors would keep a text many times
            // over.
            if !self.taken(Cost { bytes: 0, ..cost }, located.at) {
                return false;
            }
            self.anchors.insert(anchor, Some((located.clone(), cost)));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(located);
            return true;
        };
        open.cost.values += cost.values;
        open.cost.bytes += cost.bytes;
        open.cost.depth = open.cost.depth.max(cost.depth);
        match &mut open.items {
            Items::List(items) => items.push(located),
            Items::Map { map, key } => match std::mem::replace(key, Next::Key) {
                Next::Value(key) => map.pairs.push((key, located)),
                Next::Nothing => {}
                Next::Key => match as_key(located, is_merge, text) {
                    Ok(name) => *key = Next::Value(name),
                    Err(fault) => {
                        *key = Next::Nothing;
                        if let Some(Fault { at, kind, fix }) = fault {
                            self.fault_with(at, kind, fix);
                        }
                    }
                },
            },
        }
        true
    }

    /// Tells why the text is no YAML; always false.
    fn stop(&mut self, error: &ScanError) -> bool {
        let at = position(error.marker());
        let kind = match error.kind() {
            ErrorKind::RecursionLimitExceeded => FaultKind::TooDeep { max: self.bounds.depth },
            kind => FaultKind::Syntax { what: cut(&kind.to_string()) },
        };
        self.fault_with(at, kind, fix(error.kind()).map(str::to_owned));
        false
    }
}

/// A value as the key of a map, or why it is none; nothing if that was told.
fn as_key(located: Located, is_merge: bool, text: &str) -> Result<Key, Option<Fault>> {
    let Located { at, span, value } = located;
    if is_merge {
        let fix = Some("write out the keys, or quote `<<` if it is a key".to_owned());
        return Err(Some(Fault { at, kind: FaultKind::MergeKey, fix }));
    }
    let written = cut(text.get(span.start..span.end).unwrap_or_default());
    let fix = match &value {
        Value::Text(name) => return Ok(Key { at, span, name: name.clone() }),
        Value::Faulty => return Err(None),
        Value::Map(_) if text.get(..span.start).is_some_and(|it| it.ends_with('{')) => {
            Some("quote a string that starts with `{{`".to_owned())
        }
        Value::Null | Value::Map(_) | Value::List(_) => None,
        Value::Bool(_) | Value::Number(_) => Some(format!("quote it: \"{written}\"")),
    };
    Err(Some(Fault { at, kind: FaultKind::KeyNotText { found: value.article() }, fix }))
}

/// What to do about the mistakes that are made most.
fn fix(kind: &ErrorKind) -> Option<&'static str> {
    Some(match kind {
        ErrorKind::TabNotAllowed | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            "indent with spaces"
        }
        ErrorKind::MappingValueNotAllowed => "check the indentation, or quote a string that contains `: `",
        ErrorKind::UnclosedQuotedScalar | ErrorKind::InvalidQuotedScalarIndent => "close the open quote",
        ErrorKind::UnclosedFlowCollection { open: '[' } | ErrorKind::UnexpectedEofFlowSequence => {
            "close the list with `]`"
        }
        ErrorKind::UnclosedFlowCollection { .. } | ErrorKind::UnexpectedEofFlowMapping => {
            "close the map with `}`"
        }
        ErrorKind::InvalidColonPlacement | ErrorKind::ExpectedFlowSequenceSeparator => {
            "is a `]` or `,` missing before this?"
        }
        ErrorKind::ExpectedFlowMappingSeparator => "is a `}` or `,` missing before this?",
        ErrorKind::SimpleKeyExpected => "add `: ` after the key",
        ErrorKind::UnexpectedCharacter { character: '@' | '`' | '%' } => {
            "quote a string that starts like this"
        }
        ErrorKind::UnknownQuotedScalarEscape => "write `\\\\` for a backslash, or use single quotes",
        _ => return None,
    })
}

fn byte(marker: &Marker) -> usize {
    marker.byte_offset().unwrap_or_default()
}

fn position(marker: &Marker) -> Position {
    let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
    Position { line: number(marker.line().max(1)), column: number(marker.col().saturating_add(1)) }
}
