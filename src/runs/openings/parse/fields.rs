//! Values of the types that keys take; one of another type is a fault and reads as nothing.

use std::{fmt, sync::Arc};

use super::super::{FaultKind, Faults, expression::cut, fault::Fault};
use crate::runs::yaml::{Located, Map, Position, Value};

/// Whose keys are read, as messages name it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part<'t> {
    Opening,
    Policy,
    Node(Option<&'t str>),
    Retry(Option<&'t str>),
    Edge,
    Success,
    Artifacts,
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => f.write_str("an opening"),
            Self::Policy => f.write_str("`policy`"),
            Self::Node(None) => f.write_str("a node"),
            Self::Node(Some(id)) => write!(f, "node `{}`", cut(id)),
            Self::Retry(None) => f.write_str("`retry`"),
            Self::Retry(Some(id)) => write!(f, "`retry` of node `{}`", cut(id)),
            Self::Edge => f.write_str("an edge"),
            Self::Success => f.write_str("`success`"),
            Self::Artifacts => f.write_str("`artifacts`"),
        }
    }
}

/// Faults of one file.
pub(super) struct Sink<'f> {
    pub(super) faults: &'f mut Faults,
    pub(super) file: Option<Arc<std::path::Path>>,
}

impl Sink<'_> {
    pub(super) fn add(&mut self, at: Position, kind: FaultKind, fix: Option<String>) {
        self.faults.push(Fault { file: self.file.clone(), at, wrong: kind.into(), fix });
    }
}

/// A map whose keys are known.
#[derive(Clone, Copy)]
pub(super) struct Fields<'t> {
    map: &'t Map,
    pub(super) at: Position,
    part: Part<'t>,
}

impl<'t> Fields<'t> {
    /// Keys that are not among the known ones are faults.
    pub(super) fn new(
        map: &'t Map,
        at: Position,
        part: Part<'t>,
        known: &[&'static str],
        sink: &mut Sink<'_>,
    ) -> Self {
        for (key, _) in map.pairs.iter().filter(|(key, _)| !known.contains(&&*key.name)) {
            let fix = sink.faults.did_you_mean(&key.name, known.iter().copied());
            let fix = fix.or_else(|| Some(format!("valid keys are {}", listed(known))));
            sink.add(key.at, FaultKind::UnknownKey { key: cut(&key.name), part: part.to_string() }, fix);
        }
        Self { map, at, part }
    }

    /// The value of a key, unless it is empty.
    pub(super) fn value(&self, key: &str) -> Option<&'t Located> {
        self.written(key).filter(|it| !matches!(it.value, Value::Null))
    }

    /// The value of a key, null too.
    pub(super) fn written(&self, key: &str) -> Option<&'t Located> {
        self.map.value(key)
    }

    /// The value of a key that must be there.
    pub(super) fn required(&self, key: &'static str, fix: &str, sink: &mut Sink<'_>) -> Option<&'t Located> {
        let value = self.value(key);
        if value.is_none() {
            sink.add(
                self.at,
                FaultKind::MissingKey { key, part: self.part.to_string() },
                Some(fix.to_owned()),
            );
        }
        value
    }

    pub(super) fn wrong(
        &self,
        value: &Located,
        key: &str,
        takes: &'static str,
        fix: Option<String>,
        sink: &mut Sink<'_>,
    ) {
        if !matches!(value.value, Value::Faulty) {
            let found = value.value.article();
            sink.add(
                value.at,
                FaultKind::WrongType { key: cut(key), part: self.part.to_string(), takes, found },
                fix,
            );
        }
    }

    pub(super) fn text(
        &self,
        value: &'t Located,
        key: &str,
        takes: &'static str,
        sink: &mut Sink<'_>,
    ) -> Option<&'t Arc<str>> {
        match &value.value {
            Value::Text(text) => return Some(text),
            Value::Number(it) => {
                self.wrong(value, key, takes, Some(format!("quote it: \"{it}\"")), sink);
            }
            Value::Bool(it) => {
                self.wrong(value, key, takes, Some(format!("quote it: \"{it}\"")), sink);
            }
            Value::Map(_) if is_template(value) => {
                self.wrong(value, key, takes, Some("quote a string that starts with `{{`".to_owned()), sink);
            }
            _ => self.wrong(value, key, takes, None, sink),
        }
        None
    }

    pub(super) fn texts(
        &self,
        key: &'static str,
        takes: &'static str,
        sink: &mut Sink<'_>,
    ) -> Vec<(&'t Arc<str>, Position)> {
        let items = self.value(key).and_then(|it| self.list(it, key, takes, sink)).unwrap_or_default();
        items.iter().filter_map(|it| Some((self.text(it, key, takes, sink)?, it.at))).collect()
    }

    pub(super) fn list(
        &self,
        value: &'t Located,
        key: &str,
        takes: &'static str,
        sink: &mut Sink<'_>,
    ) -> Option<&'t [Located]> {
        match &value.value {
            Value::List(items) => return Some(items),
            Value::Text(_) => {
                self.wrong(value, key, takes, Some("put it in a list: `- …` or `[…]`".to_owned()), sink);
            }
            _ => self.wrong(value, key, takes, None, sink),
        }
        None
    }

    /// The map of a key, when it is there.
    pub(super) fn map(&self, key: &'static str, sink: &mut Sink<'_>) -> Option<(&'t Map, Position)> {
        let value = self.value(key)?;
        if let Value::Map(map) = &value.value {
            return Some((map, value.at));
        }
        self.wrong(value, key, "a map", None, sink);
        None
    }

    pub(super) fn flag(&self, key: &'static str, sink: &mut Sink<'_>) -> Option<bool> {
        let value = self.value(key)?;
        if let Value::Bool(it) = value.value {
            return Some(it);
        }
        let fix = match &value.value {
            Value::Text(it) if matches!(it.to_ascii_lowercase().as_str(), "yes" | "on" | "true") => {
                Some("write `true`".to_owned())
            }
            Value::Text(it) if matches!(it.to_ascii_lowercase().as_str(), "no" | "off" | "false") => {
                Some("write `false`".to_owned())
            }
            _ => None,
        };
        self.wrong(value, key, "true or false", fix, sink);
        None
    }

    /// The whole number of a key, from `min` to `max`.
    pub(super) fn whole(&self, key: &'static str, min: u64, max: u64, sink: &mut Sink<'_>) -> Option<u64> {
        const TAKES: &str = "a whole number";
        let value = self.value(key)?;
        let number = match &value.value {
            Value::Number(number) => number,
            Value::Text(text) if text.trim().parse::<u64>().is_ok() => {
                self.wrong(value, key, TAKES, Some("remove the quotes".to_owned()), sink);
                return None;
            }
            _ => {
                self.wrong(value, key, TAKES, None, sink);
                return None;
            }
        };
        let (key_name, part) = (key.to_owned(), self.part.to_string());
        let kind = match number.as_u64() {
            Some(it) if it < min => FaultKind::TooSmall { key: key_name, part, value: it, min },
            Some(it) if it > max => FaultKind::TooLarge { key: key_name, part, value: it, max },
            Some(it) => return Some(it),
            None if number.as_f64().is_some_and(|it| it < 0.0) => {
                FaultKind::Negative { key: key_name, part, value: number.to_string() }
            }
            None => {
                self.wrong(value, key, TAKES, None, sink);
                return None;
            }
        };
        sink.add(value.at, kind, None);
        None
    }
}

/// Whether a value is `{{…}}` without quotes, which YAML reads as a map in a map. Its key was a fault
/// already.
fn is_template(value: &Located) -> bool {
    let is_empty_map = matches!(&value.value, Value::Map(map) if map.is_flow && map.pairs.is_empty());
    is_empty_map && value.span.end > value.span.start + 2
}

/// Names in a row, as a sentence has them.
pub(super) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|it| format!("`{it}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}
