//! One table of a manifest, read key by key; what is wrong with a key is noted where it stands.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{fault::Faults, hint};

/// A table with its name and place.
pub(super) struct Table<'a> {
    /// Its name as in its header, `events.give_item`; empty for the whole document.
    pub(super) name: String,
    /// Where its name stands.
    pub(super) at: Range<usize>,
    entries: &'a DeTable<'a>,
}

/// A string with its place.
pub(super) struct Text<'a> {
    pub(super) text: &'a str,
    pub(super) at: Range<usize>,
}

impl<'a> Table<'a> {
    /// The whole document.
    pub(super) fn root(entries: &'a DeTable<'a>) -> Self {
        Self { name: String::new(), at: 0..0, entries }
    }

    /// Notes every key that is not among `known`.
    pub(super) fn only(&self, known: &[&str], faults: &mut Faults) {
        for key in self.entries.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                faults.add(
                    &key.span(),
                    format!("unknown key `{}`", self.path(name)),
                    hint::hint(name, known),
                );
            }
        }
    }

    /// A value and its place.
    pub(super) fn value(&self, key: &str) -> Option<(&'a DeValue<'a>, Range<usize>)> {
        self.entries.get(key).map(|value| (value.get_ref(), value.span()))
    }

    /// A string that may be absent.
    pub(super) fn text(&self, key: &str, faults: &mut Faults) -> Option<Text<'a>> {
        let (value, at) = self.value(key)?;
        let DeValue::String(text) = value else {
            let hint = match value {
                DeValue::Table(_) | DeValue::Array(_) => None,
                _ => Some("quote it".to_owned()),
            };
            faults.add(&at, self.wrong_type(key, "a string", value), hint);
            return None;
        };
        if text.trim().is_empty() {
            faults.add(&at, format!("`{}` is empty", self.path(key)), None);
            return None;
        }
        Some(Text { text, at })
    }

    /// A string that must be there. `hint` says what to write.
    pub(super) fn required_text(&self, key: &str, hint: &str, faults: &mut Faults) -> Option<Text<'a>> {
        if !self.entries.contains_key(key) {
            faults.add_absence(&self.at, format!("`{}` is missing", self.path(key)), Some(hint.to_owned()));
        }
        self.text(key, faults)
    }

    /// One of a few words; absent when it is none of them.
    pub(super) fn word<T: Copy>(
        &self,
        text: &Text<'_>,
        key: &str,
        words: &[(&str, T)],
        faults: &mut Faults,
    ) -> Option<T> {
        let found = words.iter().find(|(word, _)| *word == text.text).map(|(_, value)| *value);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            faults.add(
                &text.at,
                format!("`{}` is \"{}\"", self.path(key), text.text),
                hint::hint(text.text, &known),
            );
        }
        found
    }

    /// A boolean, false when absent.
    pub(super) fn boolean(&self, key: &str, faults: &mut Faults) -> bool {
        match self.value(key) {
            None => false,
            Some((DeValue::Boolean(value), _)) => *value,
            Some((value, at)) => {
                faults.add(&at, self.wrong_type(key, "true or false", value), None);
                false
            }
        }
    }

    /// A table inside this one.
    pub(super) fn table(&self, key: &str, faults: &mut Faults) -> Option<Self> {
        let (name, value) = self.entries.get_key_value(key)?;
        self.subtable(key, name.span(), value.get_ref(), faults)
    }

    /// Every entry of the table `key` inside this one, each a table with a name that is not empty.
    pub(super) fn tables(&self, key: &str, faults: &mut Faults) -> Vec<(&'a str, Self)> {
        let Some(group) = self.table(key, faults) else { return Vec::new() };
        let mut tables = Vec::with_capacity(group.entries.len());
        for (name, value) in group.entries {
            let at = name.span();
            let name: &str = name.get_ref();
            if name.trim().is_empty() {
                faults.add(&at, format!("an empty name in `{key}`"), None);
            }
            tables.extend(group.subtable(name, at, value.get_ref(), faults).map(|table| (name, table)));
        }
        tables
    }

    fn subtable(
        &self,
        key: &str,
        at: Range<usize>,
        value: &'a DeValue<'a>,
        faults: &mut Faults,
    ) -> Option<Self> {
        if let DeValue::Table(entries) = value {
            return Some(Self { name: self.path(key), at, entries });
        }
        faults.add(
            &at,
            self.wrong_type(key, "a table", value),
            Some(format!("write it as [{}]", self.path(key))),
        );
        None
    }

    fn wrong_type(&self, key: &str, expected: &str, found: &DeValue<'_>) -> String {
        format!("`{}` must be {expected}, not {}", self.path(key), found.type_str())
    }

    /// A key's full name.
    pub(super) fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }
}
