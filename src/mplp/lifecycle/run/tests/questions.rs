//! Questions to a person, answered and not.

use serde_json::{Value, json};

use super::{
    check::sound,
    play::{Play, begin, plan},
};
use crate::{
    mplp::lifecycle::{Origin, run::PlanShape},
    tap::entry::runs::{EventKind, RunState},
};

const ACTION: &str = "5a0e8400-e29b-41d4-a716-446655440000";

fn one() -> PlanShape {
    plan(&[("give", "agent:writer", None), ("late", "agent:writer", None)], &[(0, 1)])
}

fn ask(play: &mut Play) -> u64 {
    let more = json!({ "action_id": format!("action:{ACTION}"), "expires_at_ms": 1_790_000_060_000_u64 });
    play.node_with("give", "asking", "", more)
}

fn answer(verdict: &str) -> Value {
    json!({
        "action_id": format!("action:{ACTION}"),
        "verdict": verdict,
        "by": "alice",
        "by_kind": "ui",
        "note": "fine",
    })
}

fn log(play: &mut Play, message: &str, mut meta: Value) {
    meta["node_id"] = "give".into();
    play.tell(EventKind::Log, message, &meta);
}

#[test]
fn an_approval_is_a_confirm_with_its_decision() {
    let mut play = Play::new(one());
    let asked = ask(&mut play);
    log(&mut play, "give: approved by alice: fine", answer("approved"));
    play.works("give");
    play.works("late");
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, begin(one()));
    let confirm = &bundle["confirms"][0];
    assert_eq!(confirm["confirm_id"], ACTION);
    assert_eq!(
        (&confirm["target_type"], &confirm["target_id"]),
        (&json!("plan"), &bundle["plan"]["plan_id"])
    );
    assert_eq!(confirm["status"], "approved");
    assert_eq!(confirm["reason"], "vote: run agent writer for node give?");
    assert_eq!(confirm["requested_by_role"], "agent:writer");
    assert_eq!(confirm["requested_at"], "2026-09-21T14:13:20.030Z");
    assert_eq!(confirm["meta"]["created_at"], "2026-09-21T14:13:20.030Z");
    assert_eq!(confirm["meta"]["updated_at"], "2026-09-21T14:13:20.040Z");
    let attributes = &confirm["trace"]["attributes"];
    assert_eq!(attributes["step_id"], bundle["plan"]["steps"][0]["step_id"]);
    assert_eq!(attributes["expires_at"], "2026-09-21T14:14:20.000Z");
    let decision = &confirm["decisions"][0];
    assert_eq!(decision["status"], "approved");
    assert_eq!(decision["decided_by_role"], "ui:alice");
    assert_eq!(decision["decided_at"], "2026-09-21T14:13:20.040Z");
    assert_eq!(decision["reason"], "fine");
    // Worked by hand in the tests of ids.
    assert_eq!(decision["decision_id"], "93fc9085-c163-4877-8f0c-1be42e12a82d");
    let roles = bundle["roles"].as_array().unwrap();
    assert!(roles.iter().any(|role| role["name"] == "ui:alice"));
    let messages: Vec<_> = bundle["dialogs"][0]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["role"].as_str().unwrap(), it["content"].as_str().unwrap()))
        .collect();
    let expected = [
        ("user", "ask the chat; show it"),
        ("system", "vote: run agent writer for node give?"),
        ("user", "approved: fine"),
        ("system", "the run succeeded"),
    ];
    assert_eq!(messages, expected);
    let item = play.last.iter().find(|it| it.object.get("confirm_id").is_some()).unwrap();
    assert_eq!(item.origin, Origin::Number(asked));
    let updates = play.types(|event| event["source_module"] == "confirm");
    assert_eq!(updates, ["confirm_created", "decision_added"]);
}

/// How questions end, each with the state of the Confirm, the decision's, and who decided.
#[test]
fn questions_end_as_the_ruling_says() {
    let said = |verdict: &str| answer(verdict);
    let station = |verdict: &str| json!({ "action_id": ACTION, "verdict": verdict });
    // The state into which the node comes, what its message says, what its meta says, and the answer.
    let cases = [
        ("failed", "rejected by alice: fine", said("rejected"), "rejected", "ui:alice"),
        ("failed", "no decision in time", station("expired"), "rejected", "station"),
        ("cancelled", "", station("withdrawn"), "cancelled", "station"),
        // Told by a version that did not say who decided.
        ("failed", "rejected by alice: fine", json!({}), "rejected", "unknown"),
        ("failed", "no decision in time", json!({}), "rejected", "station"),
        ("cancelled", "", json!({}), "cancelled", "station"),
    ];
    for (state, why, meta, status, by) in cases {
        let mut play = Play::new(one());
        ask(&mut play);
        play.node_with("give", state, why, meta);
        play.node("late", if state == "failed" { "blocked" } else { "cancelled" }, "");
        let end = if state == "failed" { RunState::Failed } else { RunState::Cancelled };
        play.ends(end, "it ended");
        let bundle = sound(&play, begin(one()));
        let confirm = &bundle["confirms"][0];
        assert_eq!(confirm["status"], status, "{why}");
        assert_eq!(confirm["decisions"][0]["status"], status);
        assert_eq!(confirm["decisions"][0]["decided_by_role"], by);
    }
}

/// The questions of a run that a restart ended, and of one that no event said the id of.
#[test]
fn a_question_that_is_open_at_the_end_is_withdrawn() {
    let mut play = Play::new(one());
    play.node("give", "asking", "");
    play.ends(RunState::Failed, "the station was stopped");
    let bundle = sound(&play, begin(one()));
    let confirm = &bundle["confirms"][0];
    assert_eq!(confirm["status"], "cancelled");
    assert_eq!(confirm["decisions"][0]["decided_by_role"], "station");
    assert_eq!(bundle["plan"]["steps"][0]["status"], "skipped");
}

#[test]
fn an_approval_that_no_event_names_the_verdict_of_is_one() {
    let mut play = Play::new(one());
    play.node("give", "asking", "");
    log(&mut play, "give: approved by alice", json!({}));
    play.works("give");
    play.works("late");
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, begin(one()));
    assert_eq!(bundle["confirms"][0]["status"], "approved");
    assert_eq!(bundle["confirms"][0]["decisions"][0]["decided_by_role"], "unknown");
}

/// While it is open, the step is blocked and the Confirm pending.
#[test]
fn an_open_question_blocks_its_step() {
    let mut play = Play::new(one());
    ask(&mut play);
    let bundle = play.bundle().value();
    assert_eq!(bundle["plan"]["steps"][0]["status"], "blocked");
    assert_eq!(bundle["confirms"][0]["status"], "pending");
    assert_eq!(bundle["confirms"][0]["decisions"], json!([]));
    let stage = play.events.iter().rfind(|it| it.object["event_family"] == "pipeline_stage").unwrap();
    assert_eq!(
        (&stage.object["stage_status"], &stage.object["event_type"]),
        (&json!("pending"), &json!("step_asking"))
    );
}
