//! What holds for every value, whatever it is judged by.

use std::{collections::BTreeSet, sync::OnceLock};

use proptest::prelude::*;
use rl_console::mplp::{
    Path, RecordContext, SchemaId, is_clean, judge, judge_bundle, lifecycle::Bundle, rule_named,
};
use rl_console::schema::PathStep;
use serde_json::{Map, Value, json};

use super::{
    generate::{Amount, clean},
    oracle::{broken, unfit},
    rules::bundle,
    runs,
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

/// What is done to one part of an object.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// Another value is there, whatever it is.
    Put(Value),
    /// What is elsewhere in the object is there too: often of the right type, and sometimes as valid.
    Copy(prop::sample::Index),
    /// It is gone; an item of a list with its place.
    Remove,
}

pub(super) fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        2 => value().prop_map(Change::Put),
        3 => any::<prop::sample::Index>().prop_map(Change::Copy),
        1 => Just(Change::Remove),
    ]
}

/// A whole object with one part changed, and the pointer to that part.
pub(super) fn changed(whole: &Value, at: prop::sample::Index, change: &Change) -> (String, Value) {
    let mut all: Vec<String> = Vec::new();
    pointers(whole, "", &mut all);
    let pointer = at.get(&all).clone();
    let mut value = whole.clone();
    let part = match change {
        Change::Put(part) => part.clone(),
        Change::Copy(from) => whole.pointer(from.get(&all).as_str()).unwrap().clone(),
        Change::Remove => {
            if let Some((parent, name)) = pointer.rsplit_once('/') {
                let name = name.replace("~1", "/").replace("~0", "~");
                match value.pointer_mut(parent).unwrap() {
                    Value::Object(members) => members.remove(&name).map_or((), drop),
                    Value::Array(items) => drop(items.remove(name.parse().unwrap())),
                    _ => unreachable!("it has parts"),
                }
            }
            return (pointer, value);
        }
    };
    *value.pointer_mut(&pointer).unwrap() = part;
    (pointer, value)
}

/// The steps of a pointer, and those of a path, as texts.
fn steps_of_pointer(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|it| it.replace("~1", "/").replace("~0", "~")).collect()
}

fn steps_of(path: &Path) -> Vec<String> {
    let step = |it: &PathStep| match it {
        PathStep::Index(index) => index.to_string(),
        PathStep::Name(name) => name.to_string(),
    };
    path.steps().iter().map(step).collect()
}

/// The object of a bundle that steps lead into, as its path.
fn object_of(steps: &[String]) -> String {
    match steps {
        [] => "$".to_owned(),
        [name, index, ..] if index.parse::<usize>().is_ok() => format!("$.{name}[{index}]"),
        [name, ..] => format!("$.{name}"),
    }
}

/// A clean bundle with one part changed is caught where it was changed, by what a second judge says of it;
/// and where that says nothing, it is as valid as before.
fn is_caught_where_it_was_changed(whole: &Value, at: prop::sample::Index, change: &Change) {
    let (pointer, value) = changed(whole, at, change);
    let place = steps_of_pointer(&pointer);
    let found = judge_bundle(&value, None, usize::MAX);
    let (of_rules, of_schemas): (Vec<_>, Vec<_>) =
        found.list.iter().partition(|it| rule_named(&it.rule).is_some());
    // The rules: the same, at the same paths.
    let of_rules = of_rules.into_iter().map(|it| (it.rule.to_string(), it.path.to_string()));
    assert_eq!(of_rules.collect::<BTreeSet<_>>(), broken(&value), "{pointer}: {change:?}");
    // The schemas: the same objects.
    let paths: Vec<Vec<String>> = of_schemas.iter().map(|it| steps_of(&it.path)).collect();
    let objects: BTreeSet<String> = paths.iter().map(|it| object_of(it)).collect();
    assert_eq!(objects, unfit(&value), "{pointer}: {change:?}");
    // And only what was changed. By its members an event may become one of another schema, which asks for
    // other ones.
    for path in paths {
        let is_near = path.starts_with(&place)
            || place.starts_with(&path)
            || place.first().is_some_and(|it| it == "events") && object_of(&path) == object_of(&place);
        assert!(is_near, "{path:?} is found, and {place:?} was changed: {change:?}");
    }
    let first = judge_bundle(&value, None, 1);
    assert_eq!(first.list.first(), found.list.first(), "{pointer}: {change:?}");
}

/// Records of simulated runs, each a clean bundle.
fn records() -> &'static [Value] {
    static RECORDS: OnceLock<Vec<Value>> = OnceLock::new();
    RECORDS.get_or_init(|| runs::records(0..3).into_iter().map(Bundle::into_value).collect())
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
    fn a_bundle_with_one_part_changed_is_caught_there_or_as_valid(
        at in any::<prop::sample::Index>(),
        change in change(),
    ) {
        is_caught_where_it_was_changed(&bundle(), at, &change);
    }

    #[test]
    fn a_record_of_a_run_with_one_part_changed_is_caught_there_or_as_valid(
        record in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        change in change(),
    ) {
        is_caught_where_it_was_changed(record.get(records()), at, &change);
    }

    #[test]
    fn any_value_is_judged(id in prop::sample::select(SchemaId::ALL.to_vec()), value in value()) {
        let found = judge(id, &value, RecordContext::default(), 9);
        let is_any_clean = matches!(id, SchemaId::CommonTypes) || value == json!("5a0e8400-e29b-41d4-a716-446655440000");
        prop_assert!(is_any_clean || !found.is_clean(), "{}: {}", id, value);
    }
}
