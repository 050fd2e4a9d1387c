//! What holds for every value, whatever it is judged by.

use proptest::prelude::*;
use rl_console::mplp::{Path, RecordContext, SchemaId, is_clean, judge, judge_bundle, rule_named};
use serde_json::{Map, Value, json};

use super::{
    generate::{Amount, clean},
    rules::bundle,
};

/// Any JSON, in the names and texts of which those of the protocol are frequent.
pub(super) fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("5a0e8400-e29b-41d4-a716-446655440000"),
        Just("2026-01-28T15:30:00Z"),
        Just("active"),
        Just("graph_update"),
        Just("1.0.0"),
        Just(" "),
        Just("é~/\""),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
        ".{0,300}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let name =
            prop_oneof![Just("id".to_owned()), Just("meta".to_owned()), Just("steps".to_owned()), ".{0,3}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..5)
                .prop_map(|it| Value::Object(it.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// The pointers to all parts of a value.
pub(super) fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, it)| pointers(it, &format!("{at}/{index}"), found));
        }
        Value::Object(members) => {
            members.iter().for_each(|(name, it)| pointers(it, &format!("{at}/{name}"), found));
        }
        _ => {}
    }
}

/// A whole object with one part replaced.
pub(super) fn replaced(whole: &Value, at: prop::sample::Index, part: &Value) -> (String, Value) {
    let (mut all, mut value) = (Vec::new(), whole.clone());
    pointers(whole, "", &mut all);
    let pointer = at.get(&all).clone();
    *value.pointer_mut(&pointer).unwrap() = part.clone();
    (pointer, value)
}

proptest! {
    #[test]
    fn findings_are_sorted_and_single_and_the_first_of_them_are_the_same(
        id in prop::sample::select(SchemaId::ALL.to_vec()),
        at in any::<prop::sample::Index>(),
        part in value(),
        few in 0..4_usize,
    ) {
        let (_, object) = replaced(&clean(id, Amount::Full), at, &part);
        let found = judge(id, &object, RecordContext::default(), usize::MAX);
        prop_assert!(!found.is_cut);
        let keys: Vec<_> = found.list.iter().map(|it| (rule_named(&it.rule).is_some(), it)).collect();
        prop_assert!(keys.windows(2).all(|it| it[0] < it[1]));
        prop_assert_eq!(is_clean(id, &object, RecordContext::default()), found.list.is_empty());
        let first = judge(id, &object, RecordContext::default(), few);
        prop_assert_eq!(&first.list[..], &found.list[..few.min(found.list.len())]);
        prop_assert_eq!(first.is_cut, found.list.len() > few);
        for finding in &found.list {
            prop_assert_eq!(Path::parse(&finding.path.to_string()), Ok(finding.path.clone()));
            prop_assert!(finding.received.as_ref().is_none_or(|it| it.len() <= 256));
            prop_assert_eq!(finding.schema.as_ref(), id.name());
        }
    }

    #[test]
    fn a_bundle_with_one_part_replaced_is_judged(at in any::<prop::sample::Index>(), part in value()) {
        let (pointer, value) = replaced(&bundle(), at, &part);
        let found = judge_bundle(&value, None, usize::MAX);
        let first = judge_bundle(&value, None, 1);
        prop_assert_eq!(first.list.first(), found.list.first(), "{}", pointer);
    }

    #[test]
    fn any_value_is_judged(id in prop::sample::select(SchemaId::ALL.to_vec()), value in value()) {
        let found = judge(id, &value, RecordContext::default(), 9);
        let is_any_clean = matches!(id, SchemaId::CommonTypes) || value == json!("5a0e8400-e29b-41d4-a716-446655440000");
        prop_assert!(is_any_clean || !found.is_clean(), "{}: {}", id, value);
    }
}
