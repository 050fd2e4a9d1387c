//! The plan of a run: YAML has many ways to write a value, so one that invokes an event is masked whole.

use std::collections::BTreeSet;

use super::{
    encoding::MASK,
    rule::{Facts, RedactRules},
};

/// What a node begins with that invokes an event.
const INVOKE: &[u8] = b"invoke:";

/// Whether a text is one that invokes events.
pub(super) fn is_plan(text: &[u8]) -> bool {
    memchr::memmem::find(text, INVOKE).is_some()
}

/// Masks a plan that invokes an event which a rule is for.
pub(super) fn mask(text: &mut [u8], rules: &RedactRules) {
    let is_meant = |event: &[u8]| {
        let event = String::from_utf8_lossy(event).into_owned();
        let facts = Facts { event: Some(event), topic: None };
        rules.iter().any(|rule| rule.admits_facts(&facts))
    };
    if events(text).into_iter().any(is_meant) {
        text.fill(MASK);
    }
}

/// The events that a plan invokes.
fn events(text: &[u8]) -> BTreeSet<&[u8]> {
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(*byte);
    let places = memchr::memmem::find_iter(text, INVOKE);
    let rests = places.filter_map(|at| text.get(at + INVOKE.len()..)).map(<[u8]>::trim_ascii_start);
    let names = rests.filter_map(|rest| rest.get(..rest.iter().take_while(is_of_name).count()));
    names.filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(rules: &[&str], plan: &str) -> String {
        let rules: Vec<String> = rules.iter().map(|rule| (*rule).to_owned()).collect();
        let mut text = plan.as_bytes().to_vec();
        mask(&mut text, &RedactRules::parse(&rules).unwrap());
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn a_plan_that_invokes_the_event_is_masked_however_it_writes_its_values() {
        for user in [
            "Smith, Alice",
            "[alice, bob]",
            "{login: alice, id: 5}",
            "|\n  alice",
            "\n  alice",
            r#""al\"ice""#,
            "'it''s me'",
        ] {
            let plan =
                format!("nodes:\n- use: invoke:boss\n- use: invoke:give_item\n  with:\n    user: {user}\n");
            for rule in ["event:give_item $.user", "event:give_item $", "event:give_item $[*]"] {
                let masked = masked(&["event:other $.user", rule], &plan);
                assert_eq!(masked, "*".repeat(plan.len()), "{rule}");
            }
            assert_eq!(masked(&["event:other $.user", "topic:a $"], &plan), plan);
        }
    }

    #[test]
    fn what_invokes_no_event_is_as_it_was() {
        for plan in ["nodes: []", "`invoke:` is not supported yet", "invoke:"] {
            assert_eq!(masked(&["event!=boss $"], plan), plan);
        }
        assert!(is_plan(b"use: invoke:boss") && !is_plan(b"nodes: []"));
    }
}
