//! Sessions of a run's trace in its record.

use serde_json::json;

use super::{
    check::sound,
    play::{Play, begin, plan, settings},
};
use crate::{
    mplp::{
        Derived, Profile, SchemaId, judge_bundle,
        lifecycle::{Item, Origin, run::RunRecord},
    },
    tap::entry::runs::RunState,
};

const SESSION: &str = "6b0e8400-e29b-41d4-a716-446655440000";

/// What a session of two makes, in part.
fn session() -> Vec<Item> {
    let role = |name: &str| Derived::Role(name).id();
    let meta = json!({ "protocol_version": "1.0.0", "schema_version": "2.0.0" });
    let collab = json!({
        "meta": meta,
        "collab_id": SESSION,
        "context_id": Derived::Context("0192f0c1-2b3a-7c4d-8e5f-60718293a4b5").id(),
        "title": "which map?",
        "purpose": "which map?",
        "mode": "swarm",
        "status": "completed",
        "participants": [
            { "participant_id": "macp:a", "role_id": role("macp:a"), "kind": "agent" },
            { "participant_id": "macp:b", "role_id": role("macp:b"), "kind": "agent" },
        ],
        "created_at": "2026-09-21T14:13:20.035Z",
    });
    let event = |n: u64, event_type: &str, ms: u64, payload| {
        json!({
            "event_id": Derived::Event(SESSION, n, 0).id(),
            "event_type": event_type,
            "timestamp": format!("2026-09-21T14:13:20.0{ms}Z"),
            "session_id": SESSION,
            "payload": payload,
        })
    };
    let turn = json!({ "role_id": role("macp:a"), "turn_number": 1 });
    let item = |schema, object| Item::new(schema, object, Origin::Number(1));
    let named = |name: &str| json!({ "meta": meta, "role_id": role(name), "name": name });
    vec![
        item(SchemaId::Context, json!({})),
        item(SchemaId::Role, named("macp:a")),
        item(SchemaId::Role, named("macp:b")),
        item(SchemaId::Collab, collab),
        item(SchemaId::MapEvent, event(1, "MAPSessionStarted", 35, json!({}))),
        item(SchemaId::MapEvent, event(2, "MAPTurnDispatched", 36, turn.clone())),
        item(SchemaId::MapEvent, event(3, "MAPTurnCompleted", 37, turn)),
        item(SchemaId::MapEvent, event(4, "MAPSessionCompleted", 38, json!({}))),
    ]
}

#[test]
fn a_session_of_two_makes_a_run_of_one_agent_a_record_of_several() {
    let one = || plan(&[("a", "agent:echo", None)], &[]);
    let mut play = Play::new(one());
    play.node("a#1", "running", "");
    let made = play.record.add_session(session());
    assert_eq!(made.len(), 1);
    assert_eq!(made[0].object["event_type"], "session_added");
    assert_eq!(play.record.add_session(session()).len(), 0, "it is there");
    play.node("a#1", "completed", "");
    play.ends(RunState::Succeeded, "");
    assert_eq!(play.record.profile(), Profile::Map);
    let findings = judge_bundle(&play.bundle().value(), None, 9);
    assert!(findings.is_clean(), "{findings:#?}");
    // The events of the session lie between those of the run.
    let value = play.bundle().value();
    let types: Vec<_> =
        value["events"].as_array().unwrap().iter().map(|it| it["event_type"].as_str().unwrap()).collect();
    let at = |name: &str| types.iter().position(|it| *it == name).unwrap();
    assert!(at("SAStepStarted") < at("session_added"), "{types:?}");
    assert!(
        at("session_added") < at("MAPTurnDispatched") && at("MAPSessionCompleted") < at("SAStepCompleted")
    );
    // Added once, as it is at last.
    let (mut record, _) = RunRecord::begin(begin(one()), &settings());
    for row in &play.rows {
        record.event(row);
    }
    record.add_session(session());
    record.end(play.ended.as_ref().unwrap());
    let findings = judge_bundle(&record.bundle().value(), None, 9);
    assert!(findings.is_clean(), "{findings:#?}");
    assert_eq!(record.bundle().value()["core"]["modules"][5]["required"], true);
    assert_eq!(record.bundle().value()["collabs"].as_array().unwrap().len(), 1);
    assert_eq!(record.bundle().value()["roles"].as_array().unwrap().len(), 5);
}

#[test]
fn a_run_whose_plan_names_none_of_them_is_as_it_was() {
    let one = || plan(&[("a", "agent:echo", None)], &[]);
    let mut play = Play::new(one());
    play.works("a");
    assert_eq!(play.record.add_session(Vec::new()), []);
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, begin(one()));
    assert_eq!(bundle["profile"], "sa");
}
