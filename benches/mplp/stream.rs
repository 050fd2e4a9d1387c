//! Streams of mixed objects: made of the schemas, of real records, and written as people write them.

use std::ops::{Range, RangeInclusive};

use fastrand::Rng;
use rl_console::mplp::{RecordContext, SchemaId, detect, is_clean};
use serde_json::{Value, json};

use crate::{
    generate::{Amount, clean, uuid},
    real::Object,
};

/// Bytes of an object.
pub(crate) const BYTES: RangeInclusive<usize> = 200..=800;

const WORDS: [&str; 12] =
    ["agent", "waits", "for", "the", "next", "step", "of", "its", "plan", "that", "a", "person confirms"];

/// What a stream is made of.
pub(crate) struct Stream {
    /// Lines of NDJSON.
    pub(crate) bytes: Vec<u8>,
    /// The schema of each object, and its line without the line feed.
    pub(crate) lines: Vec<(SchemaId, Range<usize>)>,
}

/// So many objects made of each schema, and others, in any order; of ten so many broken. The members of an
/// object that was made are in the same order always, as programs write them.
pub(crate) fn stream(of_each: usize, others: &[Object], broken_of_ten: usize) -> Stream {
    let mut random = Rng::with_seed(20_260_128);
    let schemas = SchemaId::ALL.into_iter();
    let schemas = schemas.filter(|id| !matches!(id, SchemaId::Identifiers | SchemaId::CommonTypes));
    let ids = schemas.flat_map(|id| std::iter::repeat_n(id, of_each));
    let mut all: Vec<Object> = ids.map(|id| (id, object(id, &mut random).to_string())).collect();
    all.extend_from_slice(others);
    random.shuffle(&mut all);
    let mut stream = Stream { bytes: Vec::new(), lines: Vec::new() };
    for (number, (id, mut text)) in all.into_iter().enumerate() {
        if number % 10 < broken_of_ten {
            let value = serde_json::from_str(&text).unwrap();
            text = broken(&value, &mut random).to_string();
        }
        let start = stream.bytes.len();
        stream.bytes.extend_from_slice(text.as_bytes());
        stream.lines.push((id, start..stream.bytes.len()));
        stream.bytes.push(b'\n');
    }
    stream
}

/// A clean object that is found to be of its schema.
pub(crate) fn object(id: SchemaId, random: &mut Rng) -> Value {
    loop {
        let mut value = clean(id, Amount::Full);
        fill(&mut value, random);
        let bytes_max = random.usize(BYTES);
        for _ in 0..2_000 {
            if value.to_string().len() <= bytes_max {
                break;
            }
            let fewer = without_a_part(&value, random);
            if is_clean(id, &fewer, RecordContext::default()) && detect(&fewer) == Some(id) {
                value = fewer;
            }
        }
        if BYTES.contains(&value.to_string().len()) {
            return value;
        }
    }
}

/// Gives an object texts and ids of its own.
fn fill(value: &mut Value, random: &mut Rng) {
    match value {
        Value::String(text) if text.starts_with("text ") => {
            let words: Vec<&str> = (0..random.usize(1..8)).map(|_| WORDS[random.usize(..12)]).collect();
            *text = words.join(" ");
        }
        Value::String(text) if text.starts_with("5a0e8400") => *text = uuid(random.u64(..1 << 48)),
        Value::Array(items) => items.iter_mut().for_each(|it| fill(it, random)),
        Value::Object(members) => members.values_mut().for_each(|it| fill(it, random)),
        _ => {}
    }
}

fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, it)| pointers(it, &format!("{at}/{index}"), found));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, it)| pointers(it, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

fn any_pointer(value: &Value, random: &mut Rng) -> String {
    let mut found = Vec::new();
    pointers(value, "", &mut found);
    found[random.usize(1..found.len())].clone()
}

fn without_a_part(value: &Value, random: &mut Rng) -> Value {
    let mut value = value.clone();
    let pointer = any_pointer(&value, random);
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match value.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.remove(name)),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        _ => {}
    }
    value
}

/// An object with a part or two gone or replaced, so that something is found in it.
pub(crate) fn broken(value: &Value, random: &mut Rng) -> Value {
    let parts =
        [json!(null), json!(true), json!(-2), json!(2.5), json!("none of these"), json!([]), json!({})];
    loop {
        let mut value = value.clone();
        for _ in 0..random.usize(1..3) {
            if random.bool() {
                value = without_a_part(&value, random);
            } else {
                let pointer = any_pointer(&value, random);
                *value.pointer_mut(&pointer).unwrap() = parts[random.usize(..parts.len())].clone();
            }
        }
        if detect(&value).is_some_and(|id| !is_clean(id, &value, RecordContext::default())) {
            return value;
        }
    }
}
