//! What a node would be given, for the person who is asked whether it may go on (ruling RMP 13).

use serde_json::{Map, Value};

use super::run::Run;

/// How far texts and lists are cut, from the mildest on: characters of a text, items of a list or a map.
const CUTS: [(usize, usize); 4] = [(2_000, 64), (400, 24), (80, 8), (24, 4)];
/// Lists and maps within one another that are shown.
const DEPTH_MAX: usize = 16;
/// What stands for what is left out.
const CUT: &str = "…";

impl Run {
    /// What a node's `with` says and what feeds its ports, as JSON in one line of at most `bytes_max` bytes:
    /// longer texts and lists are cut until it fits.
    pub(super) fn input_preview(&self, position: u32, bytes_max: u64) -> String {
        let (with, inputs) = (&self.def(position).with, self.first_inputs(position, CUTS[0].1));
        let fits = |cut: (usize, usize)| {
            let cut = Cut { chars: cut.0, items: cut.1 };
            let ports = inputs.iter().take(cut.items).map(|(port, values)| {
                let values = values.iter().take(cut.items).map(|value| cut.pack(&value.value, 0));
                ((*port).to_owned(), Value::Array(values.collect()))
            });
            let mut both = Map::new();
            if !with.is_empty() {
                both.insert("with".to_owned(), cut.map(with, 0));
            }
            if !inputs.is_empty() {
                both.insert("inputs".to_owned(), Value::Object(ports.collect()));
            }
            Some(Value::Object(both).to_string()).filter(|text| text.len() as u64 <= bytes_max)
        };
        CUTS.into_iter().find_map(fits).unwrap_or_else(|| "{}".to_owned())
    }
}

/// How far a value is cut.
#[derive(Clone, Copy)]
struct Cut {
    chars: usize,
    items: usize,
}

impl Cut {
    fn text(self, text: &str) -> Value {
        match text.char_indices().nth(self.chars) {
            Some((end, _)) => Value::String(format!("{}{CUT}", &text[..end])),
            None => Value::from(text),
        }
    }

    fn map(self, map: &Map<String, Value>, depth: usize) -> Value {
        let more = (map.len() > self.items).then(|| (CUT.to_owned(), Value::from(map.len() - self.items)));
        Value::Object(
            map.iter()
                .take(self.items)
                .map(|(key, value)| (key.clone(), self.json(value, depth + 1)))
                .chain(more)
                .collect(),
        )
    }

    fn list(self, len: usize, items: impl Iterator<Item = Value>) -> Value {
        Value::Array(items.take(self.items).chain((len > self.items).then(|| Value::from(CUT))).collect())
    }

    fn json(self, value: &Value, depth: usize) -> Value {
        match value {
            Value::Array(_) | Value::Object(_) if depth >= DEPTH_MAX => Value::from(CUT),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.list(items.len(), items.iter().map(|item| self.json(item, depth + 1)))
            }
            Value::Object(map) => self.map(map, depth),
            plain => plain.clone(),
        }
    }

    /// A value as an agent gave it. What JSON has no form for is written as a text.
    fn pack(self, value: &rmpv::Value, depth: usize) -> Value {
        use rmpv::Value as Pack;
        match value {
            Pack::Array(_) | Pack::Map(_) if depth >= DEPTH_MAX => Value::from(CUT),
            Pack::Nil => Value::Null,
            Pack::Boolean(is_so) => Value::Bool(*is_so),
            Pack::Integer(number) => number
                .as_u64()
                .map(Value::from)
                .or_else(|| number.as_i64().map(Value::from))
                .unwrap_or(Value::Null),
            Pack::F32(number) => Value::from(f64::from(*number)),
            Pack::F64(number) => Value::from(*number),
            Pack::String(text) => self.text(&String::from_utf8_lossy(text.as_bytes())),
            Pack::Binary(bytes) | Pack::Ext(_, bytes) => Value::String(format!("{} bytes", bytes.len())),
            Pack::Array(items) => self.list(items.len(), items.iter().map(|item| self.pack(item, depth + 1))),
            Pack::Map(pairs) => {
                let pair = |(key, value): &(Pack, Pack)| {
                    let key = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
                    (key, self.pack(value, depth + 1))
                };
                let more = (pairs.len() > self.items)
                    .then(|| (CUT.to_owned(), Value::from(pairs.len() - self.items)));
                Value::Object(pairs.iter().take(self.items).map(pair).chain(more).collect())
            }
        }
    }
}
