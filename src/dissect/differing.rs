//! In which values two frames of one type are different.

use std::collections::BTreeMap;

use super::{
    Subject, Tree,
    decoder::decode,
    tree::{Kind, Node, slice},
};
use crate::{
    field::Class,
    tap::{EntryRef, entry::Redaction},
};

/// Values that are read of each frame, and bytes of a value's name.
const NODES_MAX: usize = 1_024;
const NAME_BYTES_MAX: usize = 64;
/// Values that are named.
const NAMES_MAX: usize = 8;

/// The values in which a frame is not as these bytes of another one of its type, by their names from the
/// outermost on, and how many more there are: of two frames of more than a thousand values, among the first
/// ones. Secrets are not compared.
pub(crate) fn differing(frame: EntryRef<'_>, other: &[u8]) -> Vec<String> {
    if frame.bytes == other {
        return Vec::new();
    }
    let one = Subject::of(frame);
    // Of one that the tap has a part of, nothing can be said.
    if one.cut_bytes() > 0 || one.frame().is_some_and(|frame| frame.redaction == Redaction::Withheld) {
        return Vec::new();
    }
    let other = Subject { entry: one.entry.clone(), bytes: other.into() };
    let mut others: BTreeMap<Name, (usize, Vec<u8>)> =
        values(&other).into_iter().enumerate().map(|(at, (name, value))| (name, (at, value))).collect();
    let mut found = Vec::new();
    for (name, value) in values(&one) {
        if others.remove(&name).is_none_or(|(_, other)| other != value) {
            found.push(name.0);
        }
    }
    // What is missing here stands behind, in the order in which the other one has it.
    let mut missing: Vec<(usize, Name)> = others.into_iter().map(|(name, (at, _))| (at, name)).collect();
    missing.sort_unstable();
    found.extend(missing.into_iter().map(|(_, (name, _))| name));
    if found.is_empty() {
        found.push("bytes between its values".to_owned());
    }
    let more = found.len().saturating_sub(NAMES_MAX);
    found.truncate(NAMES_MAX);
    if more > 0 {
        found.push(format!("and {more} more"));
    }
    found
}

/// A value's name from the outermost on, and how many of that name are before it.
type Name = (String, usize);

/// The innermost values, each with its name.
fn values(subject: &Subject) -> Vec<(Name, Vec<u8>)> {
    let tree = decode(subject, NODES_MAX);
    let mut names: Vec<String> = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for (index, node) in tree.nodes.iter().enumerate() {
        names.truncate(node.depth.into());
        names.push(node.name.read(&subject.bytes, NAME_BYTES_MAX).into_owned());
        if is_compared(&tree, index, node) {
            let path: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            let path = path.join(".");
            let count = counts.entry(path.clone()).or_default();
            found.push(((path, *count), slice(&subject.bytes, &node.range).to_vec()));
            *count += 1;
        }
    }
    found
}

fn is_compared(tree: &Tree, index: usize, node: &Node) -> bool {
    !tree.is_folder(index)
        && node.class != Class::Secret
        && node.kind != Kind::Group
        && !node.range.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dissect::tests::framed,
        tap::entry::{Direction, Verdict, What, mpp},
    };

    fn differing_of(one: &str, other: &str) -> Vec<String> {
        let verdict = Verdict::Mpp(mpp::Verdict::Accepted);
        differing(framed(one.as_bytes(), Direction::Outbound, verdict).entry_ref(), other.as_bytes())
    }

    #[test]
    fn values_that_are_different_missing_or_new_are_named_in_their_order() {
        let one = r#"{"mpp":2,"type":"done","id":7}"#;
        assert!(differing_of(one, one).is_empty());
        let names = differing_of(one, r#"{"mpp":2,"type":"done","id":8}"#);
        assert!(names.len() == 1 && names[0].ends_with("id"), "{names:?}");
        let names = differing_of(one, r#"{"mpp":2,"type":"done","id":7,"queue":"a"}"#);
        assert!(names.len() == 1 && names[0].ends_with("queue"), "missing here: {names:?}");
        let names = differing_of(r#"{"mpp":2,"queue":"a","type":"done","id":8}"#, one);
        assert!(names.len() == 2 && names[0].ends_with("queue") && names[1].ends_with("id"), "{names:?}");
        let other_order = r#"{"type":"done","id":7,"mpp":2}"#;
        assert_eq!(differing_of(one, other_order), ["bytes between its values"], "the values are the same");
        assert_eq!(differing_of(one, r#"{"mpp":2, "type":"done","id":7}"#), ["bytes between its values"]);
    }

    #[test]
    fn nothing_is_said_of_a_frame_that_the_tap_kept_a_part_of() {
        let verdict = Verdict::Mpp(mpp::Verdict::Accepted);
        let mut cut = framed(br#"{"mpp":2,"type":"do"#, Direction::Outbound, verdict);
        if let What::Frame(frame) = &mut cut.entry.what {
            frame.wire_bytes += 8;
        }
        assert!(differing(cut.entry_ref(), br#"{"mpp":2,"type":"done","id":7}"#).is_empty());
    }

    #[test]
    fn many_are_counted() {
        let with = |value: usize| {
            let members: Vec<String> = (0..20).map(|at| format!("\"m{at}\":{value}")).collect();
            format!("{{\"type\":\"done\",{}}}", members.join(","))
        };
        let names = differing_of(&with(1), &with(2));
        assert_eq!((names.len(), names[8].as_str()), (9, "and 12 more"));
    }
}
