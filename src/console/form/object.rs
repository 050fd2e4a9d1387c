//! A JSON object taken apart as far as fields need it. Everything else in it stays the text that it was, so
//! that no digit is lost.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::value::RawValue;

/// The members of an object, by name.
pub(super) type Object = BTreeMap<String, Node>;

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// An object that has fields.
    Object(Object),
    /// Any other JSON, as it was written.
    Leaf(String),
}

/// Takes an object apart; `groups` are the paths of the objects that have fields.
pub(super) fn parse(text: &str, groups: &BTreeSet<Vec<String>>) -> Result<Object, serde_json::Error> {
    parse_at(text, groups, &mut Vec::new())
}

fn parse_at(
    text: &str,
    groups: &BTreeSet<Vec<String>>,
    path: &mut Vec<String>,
) -> Result<Object, serde_json::Error> {
    let members: BTreeMap<String, &RawValue> = read(text)?;
    let mut object = Object::new();
    for (name, raw) in members {
        path.push(name.clone());
        let is_group = raw.get().starts_with('{') && groups.contains(path.as_slice());
        let node = if is_group {
            Node::Object(parse_at(raw.get(), groups, path)?)
        } else {
            Node::Leaf(raw.get().to_owned())
        };
        path.pop();
        object.insert(name, node);
    }
    Ok(object)
}

fn read(text: &str) -> Result<BTreeMap<String, &RawValue>, serde_json::Error> {
    serde_json::from_str(text)
}

/// Takes a member out; groups that are empty then go with it.
pub(super) fn take(object: &mut Object, path: &[String]) -> Option<String> {
    let (name, below) = path.split_first()?;
    if below.is_empty() {
        return match object.remove(name)? {
            Node::Leaf(json) => Some(json),
            Node::Object(inner) => Some(write(&inner, None)),
        };
    }
    let Node::Object(inner) = object.get_mut(name)? else { return None };
    let taken = take(inner, below)?;
    if inner.is_empty() {
        object.remove(name);
    }
    Some(taken)
}

/// Puts a member in, with the groups that it needs.
pub(super) fn put(object: &mut Object, path: &[String], node: Node) {
    let Some((name, below)) = path.split_first() else { return };
    if below.is_empty() {
        object.insert(name.clone(), node);
        return;
    }
    let entry = object.entry(name.clone()).or_insert_with(|| Node::Object(Object::new()));
    if matches!(entry, Node::Leaf(_)) {
        *entry = Node::Object(Object::new());
    }
    if let Node::Object(inner) = entry {
        put(inner, below, node);
    }
}

/// Whether there is anything at a path.
pub(super) fn has(object: &Object, path: &[String]) -> bool {
    match path.split_first() {
        None => true,
        Some((name, below)) => match object.get(name) {
            Some(Node::Object(inner)) => has(inner, below),
            Some(Node::Leaf(_)) => below.is_empty(),
            None => false,
        },
    }
}

/// The object as text; with an indent, a member a line.
pub(super) fn write(object: &Object, indent: Option<usize>) -> String {
    let mut text = String::new();
    write_into(&mut text, object, indent, 1);
    text
}

fn write_into(text: &mut String, object: &Object, indent: Option<usize>, depth: usize) {
    if object.is_empty() {
        text.push_str("{}");
        return;
    }
    let begin_line = |text: &mut String, depth: usize| {
        if let Some(indent) = indent {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent * depth));
        }
    };
    text.push('{');
    for (index, (name, node)) in object.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        begin_line(text, depth);
        text.push_str(&string(name));
        text.push_str(if indent.is_some() { ": " } else { ":" });
        match node {
            Node::Leaf(json) => text.push_str(json),
            Node::Object(inner) => write_into(text, inner, indent, depth + 1),
        }
    }
    begin_line(text, depth - 1);
    text.push('}');
}

/// A text as a JSON string.
pub(super) fn string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(words: &str) -> Vec<String> {
        words.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn what_no_field_has_stays_as_it_was_written() {
        let groups = BTreeSet::from([path("at")]);
        let text = r#"{"big":12345678901234567890.10,"at":{"x":1,"note":"é\u0041"},"list":[ 1, 2]}"#;
        let mut object = parse(text, &groups).unwrap();
        assert_eq!(take(&mut object, &path("at.x")).as_deref(), Some("1"));
        assert_eq!(take(&mut object, &path("at.y")), None);
        let written = r#"{"at":{"note":"é\u0041"},"big":12345678901234567890.10,"list":[ 1, 2]}"#;
        assert_eq!(write(&object, None), written);
        take(&mut object, &path("at.note"));
        assert!(!has(&object, &path("at")));
        put(&mut object, &path("at.z"), Node::Leaf("7".to_owned()));
        assert!(write(&object, Some(2)).starts_with("{\n  \"at\": {\n    \"z\": 7\n  },\n"));
    }
}
