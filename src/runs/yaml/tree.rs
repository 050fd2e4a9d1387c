//! The located tree.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// Where something stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Position {
    /// The beginning of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Bytes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first.
    pub start: usize,
    /// The one behind the last.
    pub end: usize,
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// Where it begins; for what an alias stands for, where the alias does.
    pub at: Position,
    /// The bytes that it is written in.
    pub span: Span,
    /// The value.
    pub value: Value,
}

/// A value as YAML's core schema reads it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, `null` or `~`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number that JSON can hold.
    Number(Number),
    /// A text.
    Text(Arc<str>),
    /// A list.
    List(Vec<Located>),
    /// A map.
    Map(Map),
    /// A value with a fault that was told of already.
    Faulty,
}

/// A map in the order of the text; no two keys are equal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Keys and values.
    pub pairs: Vec<(Key, Located)>,
    /// Whether it is written in braces.
    pub is_flow: bool,
}

/// A key of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Where it begins.
    pub at: Position,
    /// The bytes that it is written in.
    pub span: Span,
    /// The key.
    pub name: Arc<str>,
}

impl Value {
    /// What it is, with its article, for a sentence.
    #[must_use]
    pub fn article(&self) -> &'static str {
        match self {
            Self::Null | Self::Faulty => "nothing",
            Self::Bool(_) => "true or false",
            Self::Number(it) if it.is_f64() => "a number with a fraction",
            Self::Number(_) => "a whole number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

impl Map {
    /// The value of a key.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Located> {
        self.pairs.iter().find(|(key, _)| &*key.name == name).map(|(_, value)| value)
    }
}

impl Located {
    /// The value as JSON; what is faulty becomes null.
    #[must_use]
    pub fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null | Value::Faulty => serde_json::Value::Null,
            Value::Bool(it) => (*it).into(),
            Value::Number(it) => it.clone().into(),
            Value::Text(it) => (&**it).into(),
            Value::List(items) => items.iter().map(Self::json).collect(),
            Value::Map(map) => map.json().into(),
        }
    }
}

impl Map {
    /// The map as JSON; what is faulty becomes null.
    #[must_use]
    pub fn json(&self) -> serde_json::Map<String, serde_json::Value> {
        self.pairs.iter().map(|(key, value)| (key.name.to_string(), value.json())).collect()
    }
}
