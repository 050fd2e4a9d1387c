//! What a link has to say of its frames as JSON.

use bytes::Bytes;
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::value::{RawValue, to_raw_value};

use super::{FrameFault, json::Json};
use crate::{dissect::rmp::frame_json::Fill, rmp::json::JsonView};

/// One frame of a stream, or what cannot be read of it.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Its bytes, as far as the framer cut them.
    pub(crate) wire: Bytes,
    /// Where in the stream it begins.
    pub(crate) offset: u64,
    /// Why its core would refuse it.
    pub(crate) fault: Option<FrameFault>,
    /// What the link says of it, in the order in which it is printed.
    pub(crate) members: Members,
}

/// Members of a JSON object.
#[derive(Debug, Default)]
pub(crate) struct Members(Vec<(&'static str, Box<RawValue>)>);

impl Members {
    /// Adds a member, unless it is not there.
    pub(super) fn add<T: Serialize>(&mut self, name: &'static str, value: Option<T>) {
        // What has no JSON is not there either.
        self.0.extend(value.and_then(|value| Some((name, to_raw_value(&value).ok()?))));
    }

    /// Adds a member that is JSON.
    pub(super) fn add_json(&mut self, name: &'static str, json: Option<String>) {
        self.0.extend(json.and_then(|json| Some((name, RawValue::from_string(json).ok()?))));
    }

    /// Adds a MsgPack value.
    pub(super) fn add_value(&mut self, name: &'static str, value: Option<&rmpv::Value>) {
        self.add(name, value.map(JsonView));
    }

    /// A member.
    pub(crate) fn get(&self, name: &str) -> Option<&RawValue> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| &**value)
    }
}

/// A unit as scripts read it, by its number.
#[derive(Debug)]
pub(crate) struct UnitJson<'a>(pub(crate) u64, pub(crate) &'a Unit);

impl Serialize for UnitJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(number, Unit { wire, offset, fault, members }) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("frame", number)?;
        map.serialize_entry("offset", offset)?;
        map.serialize_entry("bytes", &wire.len())?;
        map.serialize_entry("valid", &fault.is_none())?;
        if let Some(fault) = fault {
            map.serialize_entry("error", fault)?;
        }
        for (name, value) in &members.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// The lines of a unit for people, a member after the other.
pub(super) fn lines_of_all(unit: &Unit) -> Vec<String> {
    unit.members.0.iter().flat_map(|(name, value)| lines_of(name, value.get())).collect()
}

/// The lines of one member: JSON over several, bytes with what they are.
pub(super) fn lines_of(name: &str, json: &str) -> Vec<String> {
    if name.ends_with("_bytes") {
        return vec![field(name, &format!("{} (base64)", json.trim_matches('"')))];
    }
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return vec![field(name, &text)];
    }
    let pretty = indented(json);
    let mut lines = pretty.lines();
    let first = lines.next().map(|line| field(name, line));
    first.into_iter().chain(lines.map(|line| format!("  {line}"))).collect()
}

/// A line of one value.
pub(super) fn field(name: &str, value: &str) -> String {
    format!("  {name:<16}{value}")
}

/// JSON over several lines, its values as they are written.
pub(crate) fn indented(json: &str) -> String {
    match Json::read(json) {
        Ok(value) => {
            let mut out = String::new();
            indent(&value, 0, &mut out);
            out
        }
        Err(_) => json.to_owned(),
    }
}

fn indent(value: &Json, level: usize, out: &mut String) {
    let line = |level: usize, out: &mut String| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", level));
    };
    match value {
        Json::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(level + 1, out);
                indent(item, level + 1, out);
            }
            line(level, out);
            out.push(']');
        }
        Json::Object(members) if !members.is_empty() => {
            out.push('{');
            for (at, (name, item)) in members.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(level + 1, out);
                out.push_str(&Json::Text(name.clone()).to_text());
                out.push_str(": ");
                indent(item, level + 1, out);
            }
            line(level, out);
            out.push('}');
        }
        other => out.push_str(&other.to_text()),
    }
}

/// Reads one stream.
pub(crate) trait Decoder {
    /// Takes what was read of the stream.
    fn push(&mut self, bytes: &[u8]);

    /// The next unit, if all of it is here. Nothing follows a fault that ends the stream.
    fn next(&mut self) -> Option<Unit>;

    /// What the end of the stream cuts off, or leaves to be said.
    fn finish(&mut self) -> Option<Unit>;
}

/// A frame that was made of JSON.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// Its bytes, exactly as the JSON says.
    pub(crate) wire: Vec<u8>,
    /// Why its core would refuse it.
    pub(crate) fault: Option<FrameFault>,
}

impl Encoded {
    /// Bytes, judged by reading them as a stream of their own.
    pub(super) fn judged(wire: Vec<u8>, mut decoder: Box<dyn Decoder + '_>) -> Self {
        decoder.push(&wire);
        let mut fault = None;
        while fault.is_none()
            && let Some(unit) = decoder.next()
        {
            fault = fault_within(unit);
        }
        let fault = fault.or_else(|| decoder.finish().and_then(fault_within));
        Self { wire, fault }
    }
}

/// The fault of a unit, its place counted from the first byte of all.
fn fault_within(unit: Unit) -> Option<FrameFault> {
    let fault = unit.fault?;
    let start = usize::try_from(unit.offset).unwrap_or(usize::MAX);
    Some(FrameFault { offset: fault.offset.saturating_add(start), ..fault })
}

/// Frames of one link.
pub(crate) trait Codec {
    /// For a stream of which nothing was read.
    fn decoder(&self) -> Box<dyn Decoder + '_>;

    /// Another decoder, for the faults alone: its units may have no members.
    fn checker(&self) -> Box<dyn Decoder + '_> {
        self.decoder()
    }

    /// The frame that a JSON says. What is absent is filled in.
    ///
    /// # Errors
    /// What keeps it from being made.
    fn encode(&self, json: &str, fill: &Fill) -> Result<Encoded, String>;

    /// What is said of a unit, a line a value, for people.
    fn lines(&self, unit: &Unit) -> Vec<String> {
        lines_of_all(unit)
    }

    /// Bytes of a frame at most.
    fn frame_bytes_max(&self) -> u64;

    /// The smallest JSON that makes a frame.
    fn example(&self) -> &'static str;
}
