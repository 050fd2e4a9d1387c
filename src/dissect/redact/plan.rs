//! Params within the plan of a run: YAML that is read by lines, as far as that says what belongs to a name.

use std::ops::Range;

use super::{
    encoding::{MASK, mask_word, part},
    known::Known,
    path::Step,
    rule::{Facts, RedactRules},
};

/// What a node begins with that invokes an event.
const INVOKE: &[u8] = b"invoke:";

/// Whether a text is one that invokes events.
pub(super) fn is_plan(text: &[u8]) -> bool {
    memchr::memmem::find(text, INVOKE).is_some()
}

/// Masks what rules name of the events that a plan invokes, wherever it has such a name.
pub(super) fn mask(text: &mut [u8], rules: &RedactRules, known: &mut Known) {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let events = memchr::memmem::find_iter(text, INVOKE).map(|at| {
        let name: Vec<u8> = text[at + INVOKE.len()..].iter().copied().take_while(is_of_name).collect();
        String::from_utf8_lossy(&name).into_owned()
    });
    let events: std::collections::BTreeSet<String> = events.collect();
    for event in events {
        let facts = Facts { event: Some(event), topic: None };
        for rule in rules.iter().filter(|rule| rule.admits_facts(&facts)) {
            let name = rule.path.steps().iter().rev().find_map(|step| match step {
                Step::Member(name) => Some(name.as_bytes()),
                Step::Item(_) | Step::All => None,
            });
            let Some(name) = name else {
                // It is all that the event is given, in whatever lines that is.
                text.fill(MASK);
                return;
            };
            for range in values(text, name) {
                mask_value(part(text, range), known);
            }
        }
    }
}

fn mask_value(value: &mut [u8], known: &mut Known) {
    if let Ok(text) = std::str::from_utf8(value) {
        known.learn(text);
    }
    if value.iter().all(|byte| byte.is_ascii_digit() || b"-.".contains(byte)) {
        mask_word(value);
    } else {
        value.fill(MASK);
    }
}

/// What stands behind a name and a colon.
fn values(text: &[u8], name: &[u8]) -> Vec<Range<usize>> {
    if name.is_empty() {
        return Vec::new();
    }
    let ends = memchr::memmem::find_iter(text, name).filter_map(|start| {
        let before = start.checked_sub(1).and_then(|before| text.get(before));
        let is_whole = before.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"_-.".contains(byte));
        is_whole.then_some(start + name.len())
    });
    ends.filter_map(|end| {
        let rest = text.get(end..)?;
        let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
        let value = rest.trim_ascii_start().strip_prefix(b":")?;
        let value = value.get(value.iter().position(|byte| *byte != b' ')?..)?;
        let start = text.len() - value.len();
        Some(if let quote @ (b'"' | b'\'') = value.first()? {
            let inner = value.get(1..)?;
            let len = inner.iter().position(|byte| byte == quote).unwrap_or(inner.len());
            start + 1..start + 1 + len
        } else {
            let len = value.iter().position(|byte| b",}]\n\r".contains(byte)).unwrap_or(value.len());
            start..start + value.get(..len)?.trim_ascii_end().len()
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_gives_an_event_is_masked_by_its_name() {
        let rules = ["event:give_item $.user", "event:give_item $.seat", "event:boss $.other"];
        let rules = RedactRules::parse(&rules.map(str::to_owned)).unwrap();
        let plan = "nodes:\n  - id: give\n    use: invoke:give_item\n    with: {user: alice, \"seat\": 12, by_user: bob}\n\
                    params:\n  user: 'alice b'\n  other: carol\n";
        let (mut text, mut known) = (plan.as_bytes().to_vec(), Known::default());
        mask(&mut text, &rules, &mut known);
        let masked = String::from_utf8(text).unwrap();
        let expected = plan.replace("alice b", "*******").replace("alice", "*****").replace("12", "10");
        assert_eq!(masked, expected);
        assert!(known.has(b"alice") && known.has(b"alice b"));
        assert!(is_plan(plan.as_bytes()) && !is_plan(b"nodes: []"));
    }

    #[test]
    fn a_plan_of_which_a_rule_names_no_member_is_masked_whole() {
        let plan = b"nodes:\n  - use: invoke:give_item\n    with: {user: alice}\n";
        for (rule, is_masked) in
            [("event:give_item $", true), ("event:give_item $[*]", true), ("event:boss $", false)]
        {
            let rules = RedactRules::parse(&[rule.to_owned()]).unwrap();
            let mut text = plan.to_vec();
            mask(&mut text, &rules, &mut Known::default());
            assert_eq!(text.iter().all(|byte| *byte == MASK), is_masked, "{rule}");
        }
    }
}
