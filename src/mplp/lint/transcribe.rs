//! MsgPack as JSON text, as far as JSON has what it says.

use std::{borrow::Cow, ops::Range};

use rmpv::Value;

use super::message::NOT_JSON;
use crate::{
    mplp::finding::{Finding, Path, RECEIVED_BYTES_MAX},
    msgpack::{Fault, FaultKind, Shape, Walk},
    schema::PathStep,
};

/// Bytes of a binary that are written, in hex.
const HEX_BYTES_MAX: usize = 32;

/// Why a value was not written to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// It is no whole value.
    NotMsgPack,
    /// Containers within containers, over the limit.
    TooDeep,
    /// Its JSON is longer than the limit.
    TooLong,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault.why {
            FaultKind::TooDeep { .. } => Self::TooDeep,
            FaultKind::Cut | FaultKind::Reserved => Self::NotMsgPack,
        }
    }
}

/// A value of MsgPack that JSON does not have: where it is, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotJson {
    steps: Vec<PathStep>,
    requires: &'static str,
    received: String,
}

impl NotJson {
    /// The finding of an object of a schema, whose path is this.
    pub(super) fn finding(self, schema: &'static str, at: &Path) -> Finding {
        Finding {
            schema: schema.into(),
            path: at.then(self.steps),
            rule: NOT_JSON.into(),
            requires: self.requires.to_owned(),
            received: Some(self.received),
        }
    }
}

/// Writes a value as JSON text. Of what JSON does not have, stand-ins are written, and it is noted.
struct Transcriber<'a, 'o> {
    bytes: &'a [u8],
    end: usize,
    depth_max: usize,
    walk: Walk<'a>,
    out: &'o mut Vec<u8>,
    bytes_max: usize,
    notes: Vec<NotJson>,
    notes_max: usize,
}

/// The way to a value, from the inside out.
#[derive(Clone, Copy)]
struct Place<'p> {
    outer: Option<&'p Place<'p>>,
    step: Step<'p>,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Index(usize),
    Name(&'p str),
}

impl Place<'_> {
    fn steps(&self) -> Vec<PathStep> {
        let mut steps: Vec<PathStep> = std::iter::successors(Some(self), |place| place.outer)
            .filter_map(|place| match place.step {
                Step::Root => None,
                Step::Index(index) => Some(PathStep::Index(index)),
                Step::Name(name) => Some(PathStep::Name(name.into())),
            })
            .collect();
        steps.reverse();
        steps
    }
}

/// Appends the JSON of the value in a part of the bytes to `out`, which then has at most `bytes_max` bytes
/// and one value more. At most `notes_max` of the values in it that JSON does not have are noted.
pub(super) fn transcribe(
    (bytes, part): (&[u8], Range<usize>),
    (depth_max, bytes_max, notes_max): (usize, usize, usize),
    out: &mut Vec<u8>,
) -> Result<Vec<NotJson>, Stop> {
    let (end, walk) = (part.end, Walk::within(bytes, part, depth_max));
    let mut it = Transcriber { bytes, end, depth_max, walk, out, bytes_max, notes: Vec::new(), notes_max };
    it.value(1, Place { outer: None, step: Step::Root })?;
    Ok(it.notes)
}

/// The beginning of the JSON of a value, at most [`RECEIVED_BYTES_MAX`] bytes; nothing for what is no value.
pub(super) fn beginning(bytes: &[u8], part: Range<usize>, depth_max: usize) -> Option<String> {
    let mut out = Vec::new();
    let written = transcribe((bytes, part), (depth_max, RECEIVED_BYTES_MAX, 0), &mut out);
    if !matches!(written, Ok(_) | Err(Stop::TooLong)) {
        return None;
    }
    Some(cut(out))
}

/// Text, cut at [`RECEIVED_BYTES_MAX`] bytes between two characters.
fn cut(mut text: Vec<u8>) -> String {
    text.truncate(RECEIVED_BYTES_MAX);
    if let Err(error) = std::str::from_utf8(&text) {
        text.truncate(error.valid_up_to());
    }
    String::from_utf8(text).unwrap_or_default()
}

impl<'a> Transcriber<'a, '_> {
    fn part(&self, range: Range<usize>) -> &'a [u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    fn note(&mut self, place: Place<'_>, requires: &'static str, received: Vec<u8>) {
        if self.notes.len() < self.notes_max {
            self.notes.push(NotJson { steps: place.steps(), requires, received: cut(received) });
        }
    }

    fn value(&mut self, depth: usize, place: Place<'_>) -> Result<(), Stop> {
        if self.out.len() > self.bytes_max {
            return Err(Stop::TooLong);
        }
        let start = self.walk.at();
        match self.walk.head(depth)? {
            Shape::Text(range) => self.text(range, place),
            Shape::Leaf => {
                let bytes = self.part(start..self.walk.at());
                self.leaf(bytes, place);
            }
            Shape::Array(count) => {
                self.out.push(b'[');
                for index in 0..count as usize {
                    if index > 0 {
                        self.out.push(b',');
                    }
                    self.value(depth + 1, Place { outer: Some(&place), step: Step::Index(index) })?;
                }
                self.out.push(b']');
            }
            Shape::Map(count) => {
                self.out.push(b'{');
                for index in 0..count {
                    if index > 0 {
                        self.out.push(b',');
                    }
                    let name = self.name(depth + 1, place)?;
                    self.out.push(b':');
                    let step = Step::Name(name.as_deref().unwrap_or_default());
                    self.value(depth + 1, Place { outer: Some(&place), step })?;
                }
                self.out.push(b'}');
            }
        }
        Ok(())
    }

    /// Writes the name of a member. A text is the name; of any other value its JSON is.
    fn name(&mut self, depth: usize, place: Place<'_>) -> Result<Option<Cow<'a, str>>, Stop> {
        let start = self.walk.at();
        if let Shape::Text(range) = self.walk.head(depth)? {
            let text = String::from_utf8_lossy(self.part(range.clone()));
            self.text(range, place);
            return Ok(Some(text));
        }
        let key = Walk::within(self.bytes, start..self.end, self.depth_max).skip(depth)?;
        self.walk = Walk::within(self.bytes, key.end..self.end, self.depth_max);
        let json = beginning(self.bytes, key, self.depth_max).unwrap_or_default();
        self.note(place, "names that are texts", json.clone().into_bytes());
        self.string(&json);
        Ok(Some(json.into()))
    }

    fn text(&mut self, range: Range<usize>, place: Place<'_>) {
        let bytes = self.part(range);
        if std::str::from_utf8(bytes).is_err() {
            self.note(place, "a text of UTF-8", stand_in("$str", bytes));
        }
        self.string(&String::from_utf8_lossy(bytes));
    }

    fn string(&mut self, text: &str) {
        // Writing to memory cannot fail.
        let _ = serde_json::to_writer(&mut *self.out, text);
    }

    fn leaf(&mut self, bytes: &[u8], place: Place<'_>) {
        let stand_in = match rmpv::decode::read_value(&mut &*bytes) {
            Ok(Value::Nil) => return self.out.extend_from_slice(b"null"),
            Ok(Value::Boolean(true)) => return self.out.extend_from_slice(b"true"),
            Ok(Value::Boolean(false)) => return self.out.extend_from_slice(b"false"),
            Ok(Value::Integer(number)) => return self.out.extend_from_slice(number.to_string().as_bytes()),
            Ok(Value::F32(number)) if number.is_finite() => {
                return self.out.extend_from_slice(number.to_string().as_bytes());
            }
            Ok(Value::F64(number)) if number.is_finite() => {
                let _ = serde_json::to_writer(&mut *self.out, &number);
                return;
            }
            Ok(Value::F32(number)) => format!(r#"{{"$f32":"{number}"}}"#).into_bytes(),
            Ok(Value::F64(number)) => format!(r#"{{"$f64":"{number}"}}"#).into_bytes(),
            Ok(Value::Binary(bytes)) => stand_in("$bin", &bytes),
            Ok(Value::Ext(_, bytes)) => stand_in("$ext", &bytes),
            Ok(_) | Err(_) => b"null".to_vec(),
        };
        self.out.extend_from_slice(&stand_in);
        self.note(place, "a value that JSON has", stand_in);
    }
}

/// What is written for bytes: an object, with the first of them in hex.
fn stand_in(name: &str, bytes: &[u8]) -> Vec<u8> {
    let digits = crate::words::hex(bytes.get(..HEX_BYTES_MAX).unwrap_or(bytes));
    let more = if bytes.len() > HEX_BYTES_MAX { "..." } else { "" };
    format!(r#"{{"{name}":"{digits}{more}"}}"#).into_bytes()
}
