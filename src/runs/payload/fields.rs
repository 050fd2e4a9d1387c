//! How maps are read and written.

use rmpv::Value;
use uuid::Uuid;

use super::amount::Amount;
use crate::{
    ids::{OpeningId, TraceId},
    words::cut_marked,
};

/// A fault of a message, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at} {says}")]
pub struct Fault {
    /// Where, as the keys that lead there.
    pub at: String,
    /// What, to follow the place.
    pub says: String,
}

/// Bytes of each part of a fault at most: names in it are its sender's.
const FAULT_BYTES_MAX: u64 = 512;

impl Fault {
    pub(super) fn new(at: &str, says: &str) -> Self {
        Self { at: short(at), says: short(says) }
    }
}

/// A text, cut where it is long.
fn short(text: &str) -> String {
    cut_marked(text, FAULT_BYTES_MAX).into_owned()
}

/// A map whose values are taken out one by one. Keys that nobody asks for are left out.
pub(super) struct Fields {
    at: String,
    pairs: Vec<(Value, Value)>,
}

impl Fields {
    pub(super) fn of(value: Value, at: &str) -> Result<Self, Fault> {
        match value {
            Value::Map(pairs) => Ok(Self { at: at.to_owned(), pairs }),
            other => Err(Fault::new(
                if at.is_empty() { "the body" } else { at },
                &format!("is {}, not a map", named(&other)),
            )),
        }
    }

    pub(super) fn empty(at: &str) -> Self {
        Self { at: at.to_owned(), pairs: Vec::new() }
    }

    /// The value of a key; none where it is nil or not there.
    pub(super) fn take(&mut self, key: &str) -> Option<Value> {
        self.take_or_nil(key).filter(|value| !value.is_nil())
    }

    /// The value of a key, also where it is nil; none where it is not there.
    pub(super) fn take_or_nil(&mut self, key: &str) -> Option<Value> {
        let place = self.pairs.iter().position(|(name, _)| name.as_str() == Some(key))?;
        Some(self.pairs.swap_remove(place).1)
    }

    pub(super) fn path(&self, key: &str) -> String {
        if self.at.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at) }
    }

    pub(super) fn fault(&self, key: &str, says: &str) -> Fault {
        Fault::new(&self.path(key), says)
    }

    pub(super) fn required(&mut self, key: &str) -> Result<Value, Fault> {
        self.take(key).ok_or_else(|| self.fault(key, "is missing"))
    }

    pub(super) fn text(&mut self, key: &str) -> Result<String, Fault> {
        let value = self.required(key)?;
        self.as_text(key, &value)
    }

    pub(super) fn text_or_none(&mut self, key: &str) -> Result<Option<String>, Fault> {
        self.take(key).map(|value| self.as_text(key, &value)).transpose()
    }

    fn as_text(&self, key: &str, value: &Value) -> Result<String, Fault> {
        value
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.fault(key, &format!("is {}, not a string", named(value))))
    }

    pub(super) fn number(&mut self, key: &str) -> Result<u64, Fault> {
        let value = self.required(key)?;
        value
            .as_u64()
            .ok_or_else(|| self.fault(key, &format!("is {}, not a non-negative integer", named(&value))))
    }

    pub(super) fn number_or_none(&mut self, key: &str) -> Result<Option<u64>, Fault> {
        let Some(value) = self.take(key) else { return Ok(None) };
        value
            .as_u64()
            .map(Some)
            .ok_or_else(|| self.fault(key, &format!("is {}, not a non-negative integer", named(&value))))
    }

    pub(super) fn amount_or_none(&mut self, key: &str) -> Result<Option<Amount>, Fault> {
        let Some(value) = self.take(key) else { return Ok(None) };
        Amount::of(&value).map(Some).ok_or_else(|| {
            self.fault(key, &format!("is {}, not a finite non-negative number", named(&value)))
        })
    }

    pub(super) fn bool(&mut self, key: &str) -> Result<bool, Fault> {
        let value = self.required(key)?;
        value.as_bool().ok_or_else(|| self.fault(key, &format!("is {}, not true or false", named(&value))))
    }

    pub(super) fn bool_or_none(&mut self, key: &str) -> Result<Option<bool>, Fault> {
        let Some(value) = self.take(key) else { return Ok(None) };
        value
            .as_bool()
            .map(Some)
            .ok_or_else(|| self.fault(key, &format!("is {}, not true or false", named(&value))))
    }

    /// An id: 16 bytes, or a text with or without a prefix, its own or that of runs and openings (Runloop
    /// facts, Payloads; ruling RMP 12).
    pub(super) fn id(&mut self, key: &str, prefix: &str) -> Result<Uuid, Fault> {
        let value = self.required(key)?;
        let id = match &value {
            Value::Binary(bytes) => Uuid::from_slice(bytes).ok(),
            Value::String(text) => text.as_str().and_then(|text| {
                let bare = [prefix, TraceId::PREFIX, OpeningId::PREFIX]
                    .iter()
                    .find_map(|prefix| text.strip_prefix(prefix));
                Uuid::parse_str(bare.unwrap_or(text)).ok()
            }),
            _ => None,
        };
        id.ok_or_else(|| {
            let is = match &value {
                Value::Binary(bytes) => format!("{} bytes", bytes.len()),
                other => named(other).to_owned(),
            };
            self.fault(key, &format!("is {is}, not a UUID: 16 bytes, or a string with or without `{prefix}`"))
        })
    }

    pub(super) fn list(&mut self, key: &str) -> Result<Vec<Value>, Fault> {
        match self.required(key)? {
            Value::Array(items) => Ok(items),
            other => Err(self.fault(key, &format!("is {}, not a list", named(&other)))),
        }
    }
}

/// The one variant that an externally tagged value is, and what is in it.
pub(super) fn variant(value: Value, at: &str) -> Result<(String, Value), Fault> {
    let (is, pairs) = match value {
        Value::Map(pairs) if pairs.len() == 1 => ("", pairs),
        Value::Map(pairs) => {
            (if pairs.is_empty() { "an empty map" } else { "a map of several keys" }, Vec::new())
        }
        other => (named(&other), Vec::new()),
    };
    let name = pairs.into_iter().next().and_then(|(key, value)| Some((key.as_str()?.to_owned(), value)));
    let is = if is.is_empty() { "a map whose key is not a string" } else { is };
    name.ok_or_else(|| Fault::new(at, &format!("is {is}, not a map with one variant name")))
}

/// What kind of value it is.
pub(super) const fn named(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Boolean(_) => "a boolean",
        Value::Integer(_) => "an integer",
        Value::F32(_) | Value::F64(_) => "a float",
        Value::String(_) => "a string",
        Value::Binary(_) => "bytes",
        Value::Array(_) => "a list",
        Value::Map(_) => "a map",
        Value::Ext(..) => "an extension",
    }
}

/// A map with these keys, in this order.
pub(super) fn map(pairs: Vec<(&str, Value)>) -> Value {
    Value::Map(pairs.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
}

/// A map of one variant by its name.
pub(super) fn tagged(name: &str, value: Value) -> Value {
    map(vec![(name, value)])
}

/// An id as its 16 bytes.
pub(super) fn id(id: Uuid) -> Value {
    Value::Binary(id.as_bytes().to_vec())
}

/// A JSON value as `MsgPack` has it.
pub(super) fn of_json(value: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match value {
        Json::Null => Value::Nil,
        Json::Bool(it) => Value::from(*it),
        Json::Number(it) => match (it.as_u64(), it.as_i64(), it.as_f64()) {
            (Some(it), _, _) => Value::from(it),
            (_, Some(it), _) => Value::from(it),
            (_, _, Some(it)) => Value::from(it),
            (None, None, None) => Value::Nil,
        },
        Json::String(it) => Value::from(it.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(of_json).collect()),
        Json::Object(pairs) => of_json_map(pairs),
    }
}

pub(super) fn of_json_map(pairs: &serde_json::Map<String, serde_json::Value>) -> Value {
    Value::Map(pairs.iter().map(|(key, value)| (Value::from(key.as_str()), of_json(value))).collect())
}
