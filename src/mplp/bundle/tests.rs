use serde_json::json;

use super::*;

fn listed(findings: &Findings) -> Vec<String> {
    findings.list.iter().map(|it| format!("{} {} {}", it.schema, it.path, it.rule)).collect()
}

#[test]
fn its_own_members_are_judged_first() {
    let bundle = json!({"mplp": "2.0.0", "profile": "x", "roles": {}, "other": 1, "events": [{}]});
    let found = judge_bundle(&bundle, None, 99);
    let expected = [
        "bundle $.context required",
        "bundle $.mplp const",
        "bundle $.other additionalProperties",
        "bundle $.profile enum",
        "bundle $.roles type",
        "event-core $.events[0].event_family required",
        "event-core $.events[0].event_id required",
        "event-core $.events[0].event_type required",
        "event-core $.events[0].timestamp required",
        "event-core $.events[0].event_family obs_event_family_valid",
        "event-core $.events[0].event_id obs_event_id_is_uuid",
        "event-core $.events[0].event_type obs_event_type_non_empty",
        "event-core $.events[0].timestamp obs_timestamp_iso_format",
    ];
    assert_eq!(listed(&found), expected);
    assert_eq!(listed(&judge_bundle(&json!([]), None, 9)), ["bundle $ type"]);
    let few = judge_bundle(&bundle, None, 3);
    assert!(few.is_cut && few.list[..] == found.list[..3]);
}

#[test]
fn objects_are_in_the_order_of_the_bundle() {
    let bundle = json!({"context": {}, "roles": [{}, {}], "core": 1, "collabs": [null]});
    let found = judge_bundle(&bundle, None, 99);
    let mut starts: Vec<String> = found.list.iter().map(|it| it.path.to_string()).collect();
    for start in &mut starts {
        start.truncate(start[2..].find('.').map_or(start.len(), |end| end + 2));
    }
    starts.dedup();
    assert_eq!(starts, ["$.context", "$.core", "$.roles[0]", "$.roles[1]", "$.collabs[0]"]);
}

#[test]
fn objects_are_put_together_each_under_its_kind() {
    let objects = [
        (SchemaId::Role, json!({"name": "a"})),
        (SchemaId::MapEvent, json!(1)),
        (SchemaId::Context, json!({})),
        (SchemaId::LearningSample, json!({})),
        (SchemaId::Event, json!(2)),
        (SchemaId::Role, json!({"name": "b"})),
    ];
    let made = assemble(objects.clone(), Some(Profile::Map)).unwrap();
    let expected = json!({
        "mplp": "1.0.0", "profile": "map", "context": {}, "roles": [{"name": "a"}, {"name": "b"}], "events": [1, 2]
    });
    assert_eq!(made.bundle, expected);
    assert_eq!(made.others, [(3, SchemaId::LearningSample, json!({}))]);
    assert_eq!(profile_of(&made.bundle), Some(Profile::Map));
    assert!(is_bundle(&made.bundle) && !is_bundle(&json!({"context_id": "x"})) && !is_bundle(&json!({})));
    let twice = objects.into_iter().chain([(SchemaId::Context, json!({}))]);
    assert_eq!(assemble(twice, None), Err(SecondOfKind { kind: "context", place: 6 }));
}

#[test]
fn a_turn_that_is_open_is_broken_once_its_session_or_the_trace_has_ended() {
    const SESSION: &str = "5a0e8400-e29b-41d4-a716-446655440000";
    let event = |kind: &str, payload: Value| {
        json!({
            "event_id": SESSION, "event_type": kind, "timestamp": "2026-01-01T00:00:00Z", "session_id": SESSION,
            "initiator_role": "a", "payload": payload,
        })
    };
    let open = event("MAPTurnDispatched", json!({"role_id": SESSION, "turn_number": 1}));
    let broken = |status: &str, events: &[&Value]| {
        let trace = json!({"status": status});
        let bundle = json!({"profile": "map", "context": {}, "trace": trace, "events": events});
        let found = judge_bundle(&bundle, None, 999).list;
        found.iter().any(|it| it.rule == "map_turn_completion_matches_dispatch")
    };
    for (status, has_ended) in
        [("pending", false), ("running", false), ("completed", true), ("failed", true), ("cancelled", true)]
    {
        assert_eq!(broken(status, &[&open]), has_ended, "{status}");
    }
    let completed = event("MAPSessionCompleted", json!({}));
    assert!(broken("running", &[&open, &completed]));
}
