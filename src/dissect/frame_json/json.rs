//! A JSON value with its members in order and its numbers as they are written.

use serde::{
    Deserialize,
    de::{Deserializer, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{collections::BTreeSet, fmt};

/// Levels of JSON that readers take; `serde_json` gives up at 128.
const LEVELS_MAX: usize = 100;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Json {
    /// `null`, `true`, `false` or a number, as its text.
    Plain(String),
    Text(String),
    Array(Vec<Json>),
    /// Members by their names, each name once.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one value. Of members of one name the last one counts, as with the readers of all links.
    ///
    /// # Errors
    /// What is wrong with it: no JSON, an escape that is no Unicode, a number that readers refuse, or more
    /// than 100 levels.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Self::of(raw, 0)
    }

    /// The value of a text that is known to be JSON.
    fn of(raw: &RawValue, level: usize) -> Result<Self, String> {
        let text = raw.get();
        let failed = |error: serde_json::Error| error.to_string();
        let is_container = text.starts_with(['{', '[']);
        if is_container && level >= LEVELS_MAX {
            return Err(format!("values are nested deeper than {LEVELS_MAX}"));
        }
        match text.as_bytes().first() {
            Some(b'{') => {
                let Members(pairs) = serde_json::from_str(text).map_err(failed)?;
                let (mut names, mut kept) = (BTreeSet::new(), Vec::with_capacity(pairs.len()));
                for (name, value) in pairs.into_iter().rev() {
                    if names.insert(name.clone()) {
                        kept.push((name, Self::of(value, level + 1)?));
                    }
                }
                kept.reverse();
                Ok(Self::Object(kept))
            }
            Some(b'[') => {
                let Items(items) = serde_json::from_str(text).map_err(failed)?;
                let items = items.into_iter().map(|item| Self::of(item, level + 1));
                items.collect::<Result<_, _>>().map(Self::Array)
            }
            Some(b'"') => serde_json::from_str(text).map(Self::Text).map_err(failed),
            _ => plain(text).map(Self::Plain).ok_or_else(|| "a number is out of range".to_owned()),
        }
    }

    /// The shortest text: no space, no escape that is not needed.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Plain(text) => out.push_str(text),
            Self::Text(text) => write_text(text, out),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_text(name, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// A member of an object.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        members.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// A member of an object, to be changed.
    pub(super) fn member_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(members) = self else { return None };
        members.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The value at a path of members and places, such as `body.list.1`.
    pub(crate) fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |json, name| match json {
            Self::Array(items) => items.get(name.parse::<usize>().ok()?),
            json => json.member(name),
        })
    }

    /// Sets the value at a path; objects on the way that are not there are made.
    ///
    /// # Errors
    /// The path leads into what has no members.
    pub(crate) fn set(&mut self, path: &str, value: Self) -> Result<(), String> {
        let mut place = self;
        for name in path.split('.') {
            if *place == Self::null() {
                *place = Self::Object(Vec::new());
            }
            place = match place {
                Self::Array(items) => {
                    let index: Option<usize> = name.parse().ok();
                    let found = index.and_then(|index| items.get_mut(index));
                    found.ok_or_else(|| format!("the list has no item `{name}`"))?
                }
                Self::Object(members) => member_or_null(members, name),
                Self::Plain(_) | Self::Text(_) => return Err(format!("`{name}` is not in an object")),
            };
        }
        *place = value;
        Ok(())
    }

    /// Puts the members of another object over its own.
    pub(crate) fn merge(&mut self, over: Self) {
        match (self, over) {
            (Self::Object(members), Self::Object(more)) => {
                for (name, value) in more {
                    member_or_null(members, &name).merge(value);
                }
            }
            (into, over) => *into = over,
        }
    }

    fn null() -> Self {
        Self::Plain("null".to_owned())
    }

    /// Takes a member out of an object.
    pub(super) fn remove(&mut self, name: &str) -> Option<Self> {
        let Self::Object(members) = self else { return None };
        let at = members.iter().position(|(known, _)| known == name)?;
        Some(members.remove(at).1)
    }

    /// Puts a member before the others of an object that has none of its name.
    pub(crate) fn fill(&mut self, name: &str, value: Self) {
        if let Self::Object(members) = self
            && !members.iter().any(|(known, _)| known == name)
        {
            members.insert(0, (name.to_owned(), value));
        }
    }

    /// The text, if it is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The text of a number, `true`, `false` or `null`.
    pub(super) fn as_plain(&self) -> Option<&str> {
        if let Self::Plain(text) = self { Some(text) } else { None }
    }
}

/// The member of this name, `null` where there was none.
fn member_or_null<'a>(members: &'a mut Vec<(String, Json)>, name: &str) -> &'a mut Json {
    let at = members.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
        members.push((name.to_owned(), Json::null()));
        members.len() - 1
    });
    &mut members[at].1
}

/// A word, or a number as it is written by all: whole ones keep every digit. Nothing for one that no 64-bit
/// float can be near, which readers refuse.
fn plain(text: &str) -> Option<String> {
    if !text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        return Some(text.to_owned());
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let is_whole = text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    if is_whole && text != "-0" { Some(text.to_owned()) } else { serde_json::to_string(&number).ok() }
}

fn write_text(text: &str, out: &mut String) {
    // A string has a JSON text.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// The members of an object, every one of them.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;

        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(MembersVisitor)
    }
}

/// The items of an array.
struct Items<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for Items<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor;

        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = Items<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Items(items))
            }
        }

        deserializer.deserialize_seq(ItemsVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_text() {
        let same = |text: &str| assert_eq!(Json::read(text).unwrap().to_text(), text);
        for text in [
            "null",
            "-5",
            "18446744073709551616",
            "22774453838368691933757882222884355840",
            "1.5",
            "0.30000000000000004",
            r#""a\n\u0001é\"\\/""#,
            r#"{"z":[1,{"a":{}}],"a":[]}"#,
        ] {
            same(text);
        }
        let to = |text: &str, plain: &str| assert_eq!(Json::read(text).unwrap().to_text(), plain);
        to(" { \"a\" : [ 1 , true ] } ", r#"{"a":[1,true]}"#);
        to(r#""\u0041\/""#, r#""A/""#);
        to(r#"{"a":1,"b":2,"a":3}"#, r#"{"b":2,"a":3}"#);
        to("1.50", "1.5");
        to("1e2", "100.0");
        to("-0", "-0.0");
    }

    #[test]
    fn members_are_set_by_their_paths() {
        let read = |text: &str| Json::read(text).unwrap();
        let mut json = read(r#"{"body":{"queue":"a","list":[1,2]}}"#);
        json.set("body.queue", read(r#""b""#)).unwrap();
        json.set("body.list.1", read("22774453838368691933757882222884355840")).unwrap();
        json.set("body.new.deep", read("true")).unwrap();
        let whole =
            r#"{"body":{"queue":"b","list":[1,22774453838368691933757882222884355840],"new":{"deep":true}}}"#;
        assert_eq!(json.to_text(), whole);
        assert_eq!(json.at("body.list.0"), Some(&read("1")));
        assert_eq!((json.at("body.list.9"), json.at("body.queue.x")), (None, None));
        assert_eq!(json.set("body.list.9", read("0")).unwrap_err(), "the list has no item `9`");
        assert!(json.set("body.queue.x", read("0")).is_err());
    }

    #[test]
    fn members_go_over_others() {
        let read = |text: &str| Json::read(text).unwrap();
        let mut json = read(r#"{"body":{"type":"ack","id":1}}"#);
        json.merge(read(r#"{"body":{"id":2},"x":1}"#));
        assert_eq!(json, read(r#"{"body":{"type":"ack","id":2},"x":1}"#));
    }

    #[test]
    fn what_cannot_be_shown_is_an_error() {
        assert!(Json::read("{").is_err());
        assert!(Json::read(r#""\ud800""#).is_err());
        assert!(Json::read("[1e999]").is_err() && Json::read(&"9".repeat(400)).is_err());
        let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(Json::read(&deep(LEVELS_MAX)).is_ok());
        assert!(Json::read(&deep(LEVELS_MAX + 1)).unwrap_err().contains("deeper than 100"));
        assert!(Json::read(&deep(100_000)).is_err());
    }
}
