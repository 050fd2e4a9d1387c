use std::collections::BTreeSet;

use super::{RuleFamily as F, *};

#[test]
fn there_are_61_with_names_of_their_own() {
    let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.id).collect();
    assert_eq!((names.len(), RULES.len()), (61, 61));
    let count = |family| RULES.iter().filter(|rule| rule.family == family).count();
    assert_eq!([F::Sa, F::Map, F::Observability, F::Integration, F::Learning].map(count), [9, 9, 12, 19, 12]);
    assert!(RULES.iter().all(|rule| rule.description.ends_with('.') && rule_named(rule.id) == Some(rule)));
    assert_eq!(rule_named("sa_none"), None);
}

#[test]
fn a_rule_is_written_as_the_facts_write_it() {
    let text = |id| {
        let rule = serde_json::to_value(rule_named(id)).unwrap();
        let text = |name: &str| rule[name].as_str().unwrap().to_owned();
        ["scope", "path", "rule", "condition"].map(text).join(" | ")
    };
    assert_eq!(text("sa_plan_context_binding"), "plan | context_id | eq(context.context_id) | SA");
    assert_eq!(
        text("learning_delta_risk_valid"),
        "learning_sample | state.risk_level | enum(low, medium, high, critical) \
         | sample_family = delta_impact, and it is there"
    );
    assert_eq!(text("integration_ci_started_at_iso"), "ci_event | started_at | iso-datetime | it is there");
    assert_eq!(text("map_broadcast_has_receivers"), "trace | events | pair | MAP");
    assert_eq!(text("sa_steps_have_valid_ids"), "plan | steps[*].step_id | uuid-v4 | SA");
    assert_eq!(text("sa_plan_has_steps"), "plan | steps | min-length(1) | SA");
    assert_eq!(text("learning_sample_has_input_section"), "learning_sample | input | exists | always");
}
