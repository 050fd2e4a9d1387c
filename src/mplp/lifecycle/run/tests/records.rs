//! Runs without questions, as the engine tells them.

use serde_json::{Value, json};

use super::{
    check::sound,
    play::{BEGIN, Play, begin, plan, settings},
};
use crate::{
    mplp::{
        Profile, SchemaId, judge_bundle,
        lifecycle::run::{PlanShape, RunRecord, traceparent},
    },
    tap::entry::runs::{EventKind, RunState},
};

/// Two nodes of one agent, one after the other.
fn pair() -> PlanShape {
    plan(&[("a", "agent:echo", None), ("b", "agent:echo", None)], &[(0, 1), (0, 1)])
}

/// An opening within one, of two agents: `outer` of `x` and `y`, and `next`.
fn nested() -> PlanShape {
    let nodes = [
        ("outer", "opening:inner", None),
        ("next", "agent:echo", None),
        ("outer/x", "agent:echo", Some(0)),
        ("outer/y", "agent:writer", Some(0)),
    ];
    plan(&nodes, &[(0, 1), (2, 3)])
}

/// `label status [< parent's label]`, with a `-` for one without times.
fn segments(bundle: &Value) -> Vec<String> {
    let all = bundle["trace"]["segments"].as_array().unwrap();
    let label = |id: &Value| {
        let parent = all.iter().find(|it| it["segment_id"] == *id);
        parent.map_or_else(String::new, |it| format!(" < {}", it["label"].as_str().unwrap()))
    };
    let line = |it: &Value| {
        let times = if it.get("started_at").is_some() { "" } else { " -" };
        let parent = label(&it["parent_segment_id"]);
        format!("{} {}{times}{parent}", it["label"].as_str().unwrap(), it["status"].as_str().unwrap())
    };
    all.iter().map(line).collect()
}

fn steps(bundle: &Value) -> Vec<String> {
    let steps = bundle["plan"]["steps"].as_array().unwrap();
    steps.iter().map(|it| it["status"].as_str().unwrap().to_owned()).collect()
}

fn family(name: &'static str) -> impl Fn(&Value) -> bool {
    move |event| event["event_family"] == name
}

#[test]
fn a_simple_run_is_a_record_of_one_agent() {
    let mut play = Play::new(pair());
    play.works("a");
    let saved = json!({ "node_id": "a", "span_id": "a#1", "port": "out", "type": "text", "bytes": 5 });
    play.tell(EventKind::Artifact, "a.out: text, 5 bytes", &saved);
    play.works("b");
    play.ends_with(RunState::Succeeded, "", 42, (0, 0));
    let bundle = sound(&play, begin(pair()));
    assert_eq!(play.record.profile(), Profile::Sa);
    assert_eq!(bundle["profile"], "sa");
    assert!(bundle.get("collabs").is_none());
    assert_eq!(segments(&bundle), ["a#1 completed", "b#1 completed"]);
    assert_eq!(steps(&bundle), ["completed", "completed"]);
    let sa = play.types(|event| event.get("sa_id").is_some());
    let begun = ["SAInitialized", "SAContextLoaded", "SAPlanEvaluated", "SAStepStarted", "SAStepCompleted"];
    let ended = ["SAStepStarted", "SAStepCompleted", "SATraceEmitted", "SACompleted"];
    assert_eq!(sa, begun.into_iter().chain(ended).collect::<Vec<_>>());
    let stages = play.types(family("pipeline_stage"));
    let moves = ["step_started", "step_completed", "step_started", "step_completed"];
    let (first, last) = (["plan_status_changed"], ["plan_status_changed"]);
    assert_eq!(stages, first.into_iter().chain(moves).chain(last).collect::<Vec<_>>());
    let updates = play.events.iter().filter(|it| it.schema == SchemaId::GraphUpdateEvent);
    let deltas: Vec<_> = updates
        .map(|it| (it.object["update_kind"].as_str().unwrap(), it.object["node_delta"].as_i64().unwrap()))
        .filter(|(_, delta)| *delta != 0)
        .collect();
    assert_eq!(deltas, [("bulk", 2), ("node_add", 1)]);
    let costs = play.types(family("cost_budget"));
    assert_eq!(costs, ["trace_cost_summary"]);
    let executions = play.types(family("runtime_execution"));
    assert_eq!(executions, ["attempt_started", "attempt_completed", "attempt_started", "attempt_completed"]);
}

#[test]
fn the_objects_say_what_the_run_is() {
    let mut play = Play::new(pair());
    play.works("a");
    play.works("b");
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, begin(pair()));
    let context = &bundle["context"];
    assert_eq!(context["title"], "vote");
    assert_eq!(context["summary"], "ask the chat; show it");
    assert_eq!(context["owner_role"], "tui:operator");
    assert_eq!(context["status"], "active");
    assert_eq!(context["constraints"], json!({ "timeout_ms": 5_000 }));
    assert_eq!(context["created_at"], "2026-09-21T14:13:20.000Z");
    assert_eq!(context["root"]["domain"], "stream");
    assert_eq!(context["root"]["environment"], "test");
    assert_eq!(context["root"]["entry_point"], "vote");
    assert_eq!(context["root"]["run"], "trace:0192f0c1-2b3a-7c4d-8e5f-60718293a4b5");
    let step = &bundle["plan"]["steps"][1];
    assert_eq!(step["description"], "b: agent:echo");
    assert_eq!(step["agent_role"], "agent:echo");
    assert_eq!(step["order_index"], 1);
    assert_eq!(step["dependencies"], json!([bundle["plan"]["steps"][0]["step_id"]]));
    let trace = &bundle["trace"];
    let attributes = &trace["root_span"]["attributes"];
    assert_eq!(attributes["traceparent"], "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    assert_eq!((&attributes["events_missing"], &attributes["artifacts_missing"]), (&json!(0), &json!(0)));
    assert_eq!(trace["meta"]["tags"], json!(["run"]));
    assert_eq!(trace["status"], "completed");
    assert_eq!(trace["segments"][0]["started_at"], "2026-09-21T14:13:20.030Z");
    assert_eq!(trace["segments"][0]["finished_at"], "2026-09-21T14:13:20.050Z");
    assert_eq!(trace["segments"][0]["attributes"]["latency_ms"], 25);
    assert_eq!(trace["segments"][0]["attributes"]["agent"], "echo");
    // The ids of this run, worked by hand in the tests of ids; its header by rulings 4 and 18.
    assert_eq!(trace["trace_id"], "32a0fa55-0214-4e55-a58e-85fa8ca2a24b");
    assert_eq!(trace["root_span"]["span_id"], "231a506c-5299-4756-8032-343653addc14");
    let header = traceparent(begin(pair()).run).to_string();
    assert_eq!(header, "00-32a0fa5502144e55a58e85fa8ca2a24b-8032343653addc14-01");
    let names: Vec<_> = bundle["roles"].as_array().unwrap().iter().map(|role| &role["name"]).collect();
    assert_eq!(names, ["station", "tui:operator", "agent:echo"]);
    assert_eq!(bundle["core"]["modules"].as_array().unwrap().len(), 10);
    assert_eq!(bundle["network"]["nodes"][1]["status"], "active");
    let messages = bundle["dialogs"][0]["messages"].as_array().unwrap();
    assert_eq!((messages[0]["role"].as_str(), messages[1]["role"].as_str()), (Some("user"), Some("system")));
    assert_eq!(messages[1]["content"], "the run succeeded");
}

#[test]
fn attempts_are_told_again_until_one_is_the_last() {
    let mut play = Play::new(pair());
    play.node("a#1", "running", "");
    play.hop("a#1", 5);
    play.node("a#1", "retrying", "busy");
    play.node("a#2", "ready", "");
    play.node("a#2", "running", "");
    let progress = json!({ "node_id": "a", "span_id": "a#2", "done": 1, "total": 2 });
    play.tell(EventKind::Progress, "a: 1 of 2", &progress);
    play.node("a#2", "failed", "timed out after 50 ms");
    play.node("b", "blocked", "upstream a failed");
    play.ends(RunState::Failed, "node a failed: timed out after 50 ms; and 1 more node failed");
    let bundle = sound(&play, begin(pair()));
    assert_eq!(segments(&bundle), ["a#1 failed", "a#2 failed", "b#0 skipped -"]);
    assert_eq!(steps(&bundle), ["failed", "blocked"]);
    assert_eq!(bundle["trace"]["segments"][1]["attributes"]["why"], "timed out after 50 ms");
    assert_eq!(bundle["trace"]["status"], "failed");
    assert_eq!(bundle["plan"]["status"], "failed");
    let said = bundle["trace"]["events"].as_array().unwrap();
    assert_eq!(said.len(), play.rows.len() - 1, "progress is left out");
    assert_eq!(said[3]["event_type"], "run.trace");
    assert_eq!(said[3]["data"]["number"], 4);
    let stages = play.types(family("pipeline_stage"));
    let moves =
        ["step_started", "step_retrying", "step_ready", "step_started", "step_failed", "step_blocked"];
    assert_eq!(stages[1..7], moves);
    let sa = play.types(|event| event.get("sa_id").is_some());
    assert_eq!(sa[3..7], ["SAStepStarted", "SAStepFailed", "SAStepStarted", "SAStepFailed"]);
}

#[test]
fn a_nested_opening_that_is_tried_again_nests_both_its_attempts() {
    let mut play = Play::new(nested());
    play.node("outer#1", "running", "");
    play.node("outer/x#1", "running", "");
    play.hop("outer/x#1", 5);
    play.node("outer/x#1", "failed", "no");
    play.node("outer/y", "blocked", "upstream x failed");
    play.node("outer#1", "retrying", "it did not succeed: node outer/x failed: no");
    play.node("outer#2", "running", "");
    play.node("outer/x", "waiting", "");
    play.node("outer/y", "waiting", "");
    play.works("outer/x");
    play.works("outer/y");
    play.node("outer#2", "completed", "");
    play.node("next", "skipped", "outer.ok is not false");
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, begin(nested()));
    assert_eq!(bundle["profile"], "map");
    let expected = [
        "outer#1 failed",
        "outer/x#1 failed < outer#1",
        "outer/y#0 skipped - < outer#1",
        "outer#2 completed",
        "outer/x#1 completed < outer#2",
        "outer/y#1 completed < outer#2",
        "next#0 skipped -",
    ];
    assert_eq!(segments(&bundle), expected);
    assert_eq!(steps(&bundle), ["completed", "skipped", "completed", "completed"]);
    let map = play.types(|event| event.get("session_id").is_some());
    assert_eq!(map[..3], ["MAPSessionStarted", "MAPRolesAssigned", "MAPTurnDispatched"]);
    assert_eq!(map.last().unwrap(), "MAPSessionCompleted");
    assert_eq!(map.len(), 3 + 5 * 2, "{map:?}");
    let collab = &bundle["collabs"][0];
    assert_eq!((&collab["mode"], &collab["status"]), (&json!("orchestrated"), &json!("completed")));
    assert_eq!(collab["participants"][1]["participant_id"], "agent:writer");
    assert_eq!(collab["participants"][1]["display_name"], "writer");
    let kinds: Vec<_> = play
        .events
        .iter()
        .filter(|it| it.object["event_type"] == "attempt_started")
        .map(|it| it.object["executor_kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["worker", "agent", "worker", "agent", "agent"]);
}

#[test]
fn a_run_that_is_cancelled_cancels_what_is_open() {
    let mut play = Play::new(nested());
    play.node("outer#1", "running", "");
    play.node("outer/x#1", "running", "");
    play.node("outer#1", "cancelled", "");
    play.node("next", "cancelled", "");
    play.node("outer/x#1", "cancelled", "");
    play.node("outer/y", "cancelled", "");
    play.ends(RunState::Cancelled, "cancelled by operator");
    let bundle = sound(&play, begin(nested()));
    let expected = [
        "outer#1 cancelled",
        "outer/x#1 cancelled < outer#1",
        "next#0 cancelled -",
        "outer/y#0 cancelled - < outer#1",
    ];
    assert_eq!(segments(&bundle), expected);
    assert_eq!(steps(&bundle), ["skipped"; 4]);
    assert_eq!(bundle["plan"]["status"], "cancelled");
    assert_eq!(bundle["collabs"][0]["status"], "cancelled");
    assert_eq!(bundle["dialogs"][0]["status"], "cancelled");
    let last = play.events.iter().rfind(|it| it.schema == SchemaId::PipelineStageEvent).unwrap();
    assert_eq!(last.object["stage_status"], "skipped");
    assert_eq!(last.object["stage_id"], bundle["plan"]["plan_id"]);
}

/// Of an opening that never ran, the engine tells nothing of the nodes.
#[test]
fn nodes_of_which_nothing_was_told_end_with_the_run() {
    let mut play = Play::new(nested());
    play.node("outer", "cancelled", "");
    play.node("next", "cancelled", "");
    play.ends(RunState::Cancelled, "cancelled by operator");
    let bundle = sound(&play, begin(nested()));
    let expected = [
        "outer#0 cancelled -",
        "next#0 cancelled -",
        "outer/y#0 cancelled - < outer#0",
        "outer/x#0 cancelled - < outer#0",
    ];
    assert_eq!(segments(&bundle), expected);
    assert_eq!(steps(&bundle), ["skipped"; 4]);
}

#[test]
fn what_a_restart_cut_ends_with_the_run() {
    let mut play = Play::new(nested());
    play.node("outer#1", "running", "");
    play.node("outer/x#1", "running", "");
    play.ends_with(RunState::Failed, "the station was stopped", 0, (3, 1));
    let bundle = sound(&play, begin(nested()));
    let expected = [
        "outer#1 cancelled",
        "outer/x#1 cancelled < outer#1",
        "outer/y#0 cancelled - < outer#1",
        "next#0 cancelled -",
    ];
    assert_eq!(segments(&bundle), expected);
    assert_eq!(bundle["trace"]["segments"][1]["attributes"]["why"], "the run ended");
    assert_eq!(steps(&bundle), ["skipped"; 4]);
    let attributes = &bundle["trace"]["root_span"]["attributes"];
    assert_eq!((&attributes["events_missing"], &attributes["artifacts_missing"]), (&json!(3), &json!(1)));
    assert_eq!(bundle["trace"]["meta"]["tags"], json!(["run", "incomplete"]));
    assert_eq!(bundle["collabs"][0]["status"], "completed");
}

/// A request that no message holds is not sent: its node fails without having run.
#[test]
fn a_node_that_fails_without_an_attempt_has_a_segment_without_times() {
    let mut play = Play::new(pair());
    play.node("a#1", "failed", "its request has 9 bytes");
    play.node("b", "blocked", "upstream a failed");
    play.ends(RunState::Failed, "node a failed");
    let bundle = sound(&play, begin(pair()));
    assert_eq!(segments(&bundle), ["a#1 failed -", "b#0 skipped -"]);
    assert_eq!(bundle["network"]["nodes"][1]["status"], "inactive");
}

/// What was not kept: the node's attempt is not known, how it ended is.
#[test]
fn a_record_of_which_events_are_missing_says_how_nodes_ended() {
    let mut play = Play::new(pair());
    play.works("a");
    play.node("b#1", "completed", "");
    play.ends_with(RunState::Succeeded, "", 0, (2, 0));
    let bundle = sound(&play, begin(pair()));
    assert_eq!(segments(&bundle), ["a#1 completed", "b#1 completed -"]);
    assert_eq!(steps(&bundle), ["completed", "completed"]);
    // And a run of which nothing was kept but its end.
    let mut play = Play::new(pair());
    play.rows.clear();
    play.ends(RunState::Cancelled, "cancelled by operator");
    assert_eq!(steps(&play.bundle().value()), ["skipped", "skipped"]);
}

#[test]
fn what_comes_twice_or_behind_the_end_is_left_out() {
    let mut play = Play::new(pair());
    play.works("a");
    let row = play.rows[3].clone();
    assert_eq!(play.record.event(&row), []);
    play.works("b");
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, begin(pair()));
    let mut late = play.rows.last().unwrap().clone();
    late.number += 1;
    assert_eq!(play.record.event(&late), []);
    assert_eq!(play.record.end(play.ended.as_ref().unwrap()), []);
    assert_eq!(play.bundle().value(), bundle);
}

/// An end of which the run's last event was not kept.
#[test]
fn an_end_without_its_event_ends_the_record() {
    let mut play = Play::new(pair());
    play.works("a");
    play.works("b");
    let end = crate::mplp::lifecycle::run::RunEnd {
        state: RunState::Succeeded,
        why: None,
        tokens: 0,
        events_missing: 1,
        artifacts_missing: 0,
        at: crate::time::Wall(BEGIN + 1_000),
    };
    let items = play.record.end(&end);
    let split = items.iter().position(|item| !super::play::is_event(item)).unwrap();
    play.events.extend_from_slice(&items[..split]);
    play.last = items[split..].to_vec();
    play.ended = Some(end);
    let bundle = sound(&play, begin(pair()));
    assert_eq!(bundle["trace"]["finished_at"], "2026-09-21T14:13:21.000Z");
}

#[test]
fn what_only_passes_on_keeps_no_events() {
    let mut play = Play::new(pair());
    play.record.forget_events();
    play.works("a");
    assert!(!play.events.is_empty());
    assert!(play.bundle().items().iter().all(|item| !super::play::is_event(item)));
}

/// Names and goals that a schema would refuse.
#[test]
fn a_run_without_a_name_or_goals_is_clean() {
    let mut nameless = begin(pair());
    (nameless.name, nameless.client, nameless.goals) = (String::new(), String::new(), Vec::new());
    (nameless.traceparent, nameless.policy) = (None, serde_json::Map::new());
    let mut play = Play::of(nameless.clone());
    play.works("a");
    play.works("b");
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, nameless);
    assert_eq!(bundle["plan"]["objective"], "Run run");
    assert!(bundle["context"].get("summary").is_none());
}

/// What leaves at a beginning is a bundle too, and clean: SA asks for an event in the Trace.
#[test]
fn a_run_that_said_nothing_yet_is_clean() {
    for plan in [pair(), nested()] {
        let (record, _) = RunRecord::begin(begin(plan), &settings());
        let bundle = record.bundle().value();
        let findings = judge_bundle(&bundle, None, 9);
        assert!(findings.is_clean(), "{findings:#?}");
        assert_eq!(bundle["trace"]["events"][0]["data"]["message"], "the run is accepted");
        assert_eq!(bundle["trace"]["status"], "running");
        assert_eq!(bundle["plan"]["status"], "in_progress");
    }
    let mut play = Play::new(pair());
    play.works("a");
    assert!(judge_bundle(&play.bundle().value(), None, 9).is_clean());
    assert_eq!(steps(&play.bundle().value()), ["completed", "pending"]);
}

/// A trace that is a UUID v4 is the Trace's own id (ruling MPLP 3).
#[test]
fn a_trace_that_is_an_identifier_stays() {
    let mut own = begin(pair());
    own.run = "6b0e8400-e29b-41d4-a716-446655440000".parse().unwrap();
    let mut play = Play::of(own.clone());
    play.works("a");
    play.works("b");
    play.ends(RunState::Succeeded, "");
    let bundle = sound(&play, own);
    assert_eq!(bundle["trace"]["trace_id"], "6b0e8400-e29b-41d4-a716-446655440000");
    assert_eq!(bundle["context"]["root"]["run"], "trace:6b0e8400-e29b-41d4-a716-446655440000");
}
