//! One table of a manifest, read key by key.

use toml::de::{DeTable, DeValue};

use super::{FaultKind, NoteKind, findings::Findings};
use crate::words::nearest;

/// A table with its name and place.
pub(super) struct Table<'a> {
    /// Its name as in its header, empty for the whole document.
    name: &'static str,
    /// The byte at which its name stands.
    at: usize,
    entries: &'a DeTable<'a>,
}

/// A string and the byte at which it stands.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

/// A key without the table before it.
fn last(key: &'static str) -> &'static str {
    key.rsplit_once('.').map_or(key, |(_, last)| last)
}

impl<'a> Table<'a> {
    /// The whole document.
    pub(super) const fn root(entries: &'a DeTable<'a>) -> Self {
        Self { name: "", at: 0, entries }
    }

    /// Notes every key that is not among `known`.
    pub(super) fn note_unknown(&self, known: &[&'static str], found: &mut Findings) {
        for key in self.unknown(known) {
            let name: &str = key.get_ref();
            let kind = if name == "ui_entry" {
                NoteKind::UiEntry
            } else {
                let dot = if self.name.is_empty() { "" } else { "." };
                NoteKind::UnknownKey { key: format!("{}{dot}{name}", self.name), near: near(name, known) }
            };
            found.note(key.span().start, kind);
        }
    }

    /// Refuses every key that is not among `known`.
    pub(super) fn refuse_unknown(&self, known: &[&'static str], found: &mut Findings) {
        for key in self.unknown(known) {
            found.fault(key.span().start, FaultKind::CapabilityKey { key: key.get_ref().to_string() });
        }
    }

    fn unknown(&self, known: &[&str]) -> impl Iterator<Item = &'a toml::Spanned<toml::de::DeString<'a>>> {
        self.entries.keys().filter(|key| !known.contains(&key.get_ref().as_ref()))
    }

    /// A string that may be absent. `key` is its full name.
    pub(super) fn text(&self, key: &'static str, found: &mut Findings) -> Option<Text<'a>> {
        let value = self.entries.get(last(key))?;
        let at = value.span().start;
        let Some(text) = value.get_ref().as_str() else {
            wrong_type(key, "a string", value.get_ref(), at, found);
            return None;
        };
        Some(Text { text, at })
    }

    /// A string that must be there.
    pub(super) fn required(&self, key: &'static str, found: &mut Findings) -> Option<Text<'a>> {
        if !self.entries.contains_key(last(key)) {
            found.missing(self.at, key);
        }
        self.text(key, found)
    }

    /// The strings of a list; none where it is absent.
    pub(super) fn texts(&self, key: &'static str, found: &mut Findings) -> Vec<Text<'a>> {
        const EXPECTED: &str = "a list of strings";
        let Some(value) = self.entries.get(last(key)) else { return Vec::new() };
        let DeValue::Array(items) = value.get_ref() else {
            wrong_type(key, EXPECTED, value.get_ref(), value.span().start, found);
            return Vec::new();
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            let at = item.span().start;
            match item.get_ref().as_str() {
                Some(text) => texts.push(Text { text, at }),
                None => wrong_type(key, EXPECTED, item.get_ref(), at, found),
            }
        }
        texts
    }

    /// A table inside the document; it may be absent.
    pub(super) fn table(&self, key: &'static str, found: &mut Findings) -> Option<Self> {
        let (name, value) = self.entries.get_key_value(key)?;
        let at = name.span().start;
        match value.get_ref() {
            DeValue::Table(entries) => Some(Self { name: key, at, entries }),
            other => {
                wrong_type(key, "a table", other, at, found);
                None
            }
        }
    }

    /// Whether it has the key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }
}

fn near(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let near = nearest(name, known.iter().copied())?;
    known.iter().copied().find(|it| *it == near)
}

fn wrong_type(
    key: &'static str,
    expected: &'static str,
    value: &DeValue<'_>,
    at: usize,
    found: &mut Findings,
) {
    found.fault(at, FaultKind::WrongType { key, expected, found: value.type_str() });
}
