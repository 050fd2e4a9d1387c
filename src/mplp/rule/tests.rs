use serde_json::json;

use super::*;

#[test]
fn checks_hold_for_what_they_name_alone() {
    let holds = |check: Check, value: Value| check.holds(&value, None);
    assert!(holds(Check::NonEmptyString, json!(" x")) && !holds(Check::NonEmptyString, json!(" \n\u{a0}\t")));
    assert!(holds(Check::MinLength(2), json!("éé")) && !holds(Check::MinLength(2), json!("é")));
    assert!(holds(Check::MinLength(2), json!([1, 2])) && !holds(Check::MinLength(2), json!([1])));
    assert!(holds(Check::Exists, json!(false)) && !holds(Check::Exists, json!(null)));
    assert!(holds(Check::OneOf(&["a", "b"]), json!("b")) && !holds(Check::OneOf(&["a"]), json!("A")));
    let texts =
        [Check::UuidV4, Check::NonEmptyString, Check::MinLength(1), Check::OneOf(&[""]), Check::IsoDatetime];
    for check in texts {
        for value in [json!(null), json!(7), json!(true), json!({"a": 1})] {
            assert!(!holds(check, value.clone()), "{check} {value}");
        }
    }
    let bundle = json!({"plan": {"plan_id": "a"}, "context": {"context_id": 7}});
    let eq = |object, member, value: Value| Check::Eq(object, member).holds(&value, bundle.as_object());
    assert!(eq("plan", "plan_id", json!("a")) && !eq("plan", "plan_id", json!("b")));
    assert!(!eq("context", "context_id", json!(7)) && !eq("trace", "trace_id", json!("a")));
}

#[test]
fn map_applies_the_rules_of_sa_too() {
    let condition = |profile| Condition { profile, member: None, is_present: false };
    let holds = |needed, profile| condition(needed).holds(&json!({}), profile);
    let (sa, map) = (Some(Profile::Sa), Some(Profile::Map));
    assert!(holds(sa, sa) && holds(sa, map) && holds(map, map) && holds(None, None) && holds(None, sa));
    assert!(!holds(map, sa) && !holds(sa, None) && !holds(map, None));
}

#[test]
fn profiles_have_names() {
    assert_eq!(Profile::named("sa"), Some(Profile::Sa));
    assert_eq!(Profile::named("map"), Some(Profile::Map));
    assert_eq!(Profile::named("MAP"), None);
}
