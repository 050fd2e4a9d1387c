//! Params set over those of a text, in the text itself (ruling RMP 14).

use super::{FaultKind, Faults, Map, fault::Fault, parse};
use crate::{
    limits::Runs,
    runs::yaml::{self, Key, Located, Position, Reading, Value},
};

/// Writes `overrides` into the `params` of an opening's text, each over the one of its name.
///
/// Comments and the places of what stands before stay as they are wherever the text allows it: only the
/// values that change are written anew, new ones stand behind the last. A text that does not allow it is
/// written anew as a whole.
///
/// # Errors
/// The faults of the text as YAML, or of `params`. Other faults of an opening are not looked for.
pub fn merge_params(text: &str, overrides: &Map, limits: &Runs) -> Result<String, Faults> {
    let tree = tree(text, limits)?;
    if overrides.is_empty() {
        return Ok(text.to_owned());
    }
    set_in(text, &tree, "params", overrides, yaml::flow_entry, limits)
}

/// The params that an opening's text declares, in its order.
///
/// # Errors
/// The faults of the text as YAML, or of `params`.
pub fn declared_params(text: &str, limits: &Runs) -> Result<Vec<(String, serde_json::Value)>, Faults> {
    let tree = tree(text, limits)?;
    let Value::Map(root) = &tree.value else {
        return Err(fault(tree.at, FaultKind::NoOpening { found: tree.value.article() }, limits));
    };
    match root.value("params").map(|it| (&it.value, it.at)) {
        None | Some((Value::Null, _)) => Ok(Vec::new()),
        Some((Value::Map(map), _)) => {
            Ok(map.pairs.iter().map(|(key, value)| (key.name.to_string(), value.json())).collect())
        }
        Some((value, at)) => {
            let (key, part) = ("params".to_owned(), "an opening".to_owned());
            Err(fault(at, FaultKind::WrongType { key, part, takes: "a map", found: value.article() }, limits))
        }
    }
}

/// A key and its value as lines of a map whose keys stand behind this indent.
type Entry = fn(indent: &str, key: &str, value: &serde_json::Value) -> String;

/// Sets keys of a map of an opening, which is made where it is missing. New keys are written by `entry`.
pub(super) fn set_in(
    text: &str,
    tree: &Located,
    key: &str,
    values: &Map,
    entry: Entry,
    limits: &Runs,
) -> Result<String, Faults> {
    let Value::Map(root) = &tree.value else {
        return Err(fault(tree.at, FaultKind::NoOpening { found: tree.value.article() }, limits));
    };
    let old = root.pairs.iter().find(|(it, _)| &*it.name == key);
    if let Some((_, value)) = old
        && !matches!(value.value, Value::Null | Value::Map(_))
    {
        let (key, part) = (key.to_owned(), "an opening".to_owned());
        return Err(fault(
            value.at,
            FaultKind::WrongType { key, part, takes: "a map", found: value.value.article() },
            limits,
        ));
    }
    let mut expected = root.json();
    let merged = merged(old.map(|(_, value)| value), values);
    expected.insert(key.to_owned(), merged.clone().into());

    let edited = Editor { text, entry, edits: Vec::new() }.edited(root, (key, old), values, &merged);
    // The tree of the result decides: what an edit could not do right is written anew.
    let wanted = serde_json::Value::Object(expected.clone());
    let fits = |text: &String| self::tree(text, limits).is_ok_and(|tree| tree.json() == wanted);
    edited.filter(fits).map_or_else(
        || {
            let written = yaml::text(&expected);
            self::tree(&written, limits).map(|_| written)
        },
        Ok,
    )
}

/// A text's tree.
///
/// # Errors
/// Its faults as YAML, or that there is nothing in it.
pub(super) fn tree(text: &str, limits: &Runs) -> Result<Located, Faults> {
    let Reading { tree, faults, more, .. } = yaml::read(text, parse::bounds(limits));
    match tree {
        Some(tree) if faults.is_empty() => Ok(tree),
        None if faults.is_empty() => {
            Err(fault(Position::START, FaultKind::NoOpening { found: "nothing" }, limits))
        }
        _ => {
            let mut all = Faults::new(limits.faults_max);
            for yaml::Fault { at, kind, fix } in faults {
                all.push(Fault { file: None, at, wrong: kind.into(), fix });
            }
            all.count_more(more);
            Err(all)
        }
    }
}

fn fault(at: Position, kind: FaultKind, limits: &Runs) -> Faults {
    let mut all = Faults::new(limits.faults_max);
    all.push(Fault { file: None, at, wrong: kind.into(), fix: None });
    all
}

fn merged(old: Option<&Located>, values: &Map) -> Map {
    let mut merged = match old.map(|it| &it.value) {
        Some(Value::Map(map)) => map.json(),
        _ => Map::new(),
    };
    merged.extend(values.iter().map(|(key, value)| (key.clone(), value.clone())));
    merged
}

/// The bytes of one edit, and what stands there then.
struct Edit {
    from: usize,
    to: usize,
    text: String,
}

struct Editor<'t> {
    text: &'t str,
    entry: Entry,
    edits: Vec<Edit>,
}

impl Editor<'_> {
    /// The text after its edits; nothing when it is of a kind that cannot be edited.
    fn edited(
        mut self,
        root: &yaml::Map,
        (name, old): (&str, Option<&(Key, Located)>),
        values: &Map,
        merged: &Map,
    ) -> Option<String> {
        match old {
            Some((_, Located { value: Value::Map(map), span, .. })) if map.is_flow => {
                self.edits.push(Edit {
                    from: span.start,
                    to: span.end,
                    text: yaml::flow(&merged.clone().into()),
                });
            }
            Some((_, Located { value: Value::Map(map), .. })) => self.set_each(map, values)?,
            Some((key, value)) => self.set(key, value, &merged.clone().into())?,
            None if root.is_flow => return None,
            None => self.append(root, name, merged)?,
        }
        self.edits.sort_by_key(|it| it.from);
        let mut out = String::with_capacity(self.text.len() + 256);
        let mut at = 0;
        for Edit { from, to, text } in &self.edits {
            out.push_str(self.text.get(at..*from)?);
            out.push_str(text);
            at = *to;
        }
        out.push_str(self.text.get(at..)?);
        Some(out)
    }

    /// Sets the value of a key that is there.
    fn set(&mut self, key: &Key, value: &Located, new: &serde_json::Value) -> Option<()> {
        let rest = self.text.get(key.span.end..)?;
        let colon = key.span.end + rest.find(|c: char| !c.is_whitespace())?;
        if self.text.as_bytes().get(colon) != Some(&b':') {
            return None;
        }
        let to = self.end_of(value).max(colon + 1);
        self.edits.push(Edit { from: colon + 1, to, text: format!(" {}", yaml::flow(new)) });
        Some(())
    }

    fn set_each(&mut self, map: &yaml::Map, values: &Map) -> Option<()> {
        let mut new = String::new();
        let (first, _) = map.pairs.first()?;
        let indent = self.indent(first)?.to_owned();
        for (name, value) in values {
            match map.pairs.iter().find(|(key, _)| *key.name == **name) {
                Some((key, old)) if old.json() != *value => self.set(key, old, value)?,
                Some(_) => {}
                None => {
                    new.push_str(&(self.entry)(&indent, name, value));
                }
            }
        }
        let (key, last) = map.pairs.last()?;
        self.insert_behind(self.end_of(last).max(key.span.end), new);
        Some(())
    }

    /// The map behind the last key.
    fn append(&mut self, root: &yaml::Map, name: &str, merged: &Map) -> Option<()> {
        let (first, _) = root.pairs.first()?;
        let (key, last) = root.pairs.last()?;
        let indent = self.indent(first)?.to_owned();
        let mut new = format!("{indent}{name}:\n");
        let within = format!("{indent}  ");
        for (name, value) in merged {
            new.push_str(&(self.entry)(&within, name, value));
        }
        self.insert_behind(self.end_of(last).max(key.span.end), new);
        Some(())
    }

    /// Lines behind the one in which something ends.
    fn insert_behind(&mut self, end: usize, lines: String) {
        if lines.is_empty() {
            return;
        }
        let end = self.text.len().min(end);
        let newline = self.text[end..].find('\n');
        let (at, text) = match newline {
            Some(newline) => (end + newline + 1, lines),
            None => (self.text.len(), format!("\n{lines}")),
        };
        self.edits.push(Edit { from: at, to: at, text });
    }

    /// Where a value ends, without the line breaks behind a block of text.
    fn end_of(&self, value: &Located) -> usize {
        let written = self.text.get(value.span.start..value.span.end).unwrap_or_default();
        value.span.start + written.trim_end_matches(['\n', '\r', ' ']).len()
    }

    /// The blanks before a key that begins its line.
    fn indent(&self, key: &Key) -> Option<&str> {
        let line = self.text.get(..key.span.start)?.rsplit('\n').next()?;
        let line = line.trim_start_matches('\u{feff}');
        line.chars().all(|c| c == ' ').then_some(line)
    }
}
