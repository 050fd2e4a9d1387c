//! The control plane, events and restarts.

use std::sync::Arc;

use super::test_engine::{TestEngine, by, gives, node, opening, trace};
use crate::{
    limits,
    runs::{
        Asker, AskerKind, EventKind, NodeState,
        engine::{Input, Settings},
        openings::Node,
        payload::{AgentAnswer, ControlRequest, ControlResponse},
    },
};

fn reasons(house: &TestEngine) -> Vec<String> {
    let reason = |(_, response): &(_, ControlResponse)| match response {
        ControlResponse::RunRejected { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    house.responses.iter().filter_map(reason).collect()
}

#[test]
fn a_run_is_accepted_once_it_is_recorded_and_tells_nothing_for_20_ms() {
    let mut house = TestEngine::new();
    house.commits = false;
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(100);
    assert_eq!((house.responses.len(), house.requests.len()), (0, 0));
    house.commit();
    house.commits = true;
    house.commit();
    house.drain();
    let [(of, ControlResponse::RunAccepted { request_id, trace_id, opening_name, .. })] =
        &house.responses[..]
    else {
        panic!("{:?}", house.responses)
    };
    assert_eq!((*of, *request_id, *trace_id, opening_name.as_str()), (trace(1), trace(1), trace(1), "test"));
    assert_eq!(house.requests.len(), 1, "the nodes do not wait");
    house.pass(19);
    assert_eq!(house.events.len(), 0);
    house.does("a", &gives(&[]));
    house.pass(1);
    let kinds: Vec<_> = house.events.iter().map(|(ms, _, event)| (*ms, event.kind)).collect();
    assert_eq!(kinds[0], (120, EventKind::Plan));
    let last = &house.events.last().unwrap().2;
    assert_eq!((last.kind, last.meta.success), (EventKind::Status, Some(true)));
    assert_eq!(house.persisted.events[&trace(1)].len(), house.events.len());
}

#[test]
fn the_same_request_gets_the_same_answer_also_after_a_restart() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.submit(1, opening(vec![node("b")], &[]));
    assert_eq!((house.responses.len(), house.requests.len()), (2, 1));
    assert_eq!(house.responses[0], house.responses[1]);
    house.restart();
    house.submit(1, opening(vec![node("b")], &[]));
    assert_eq!((house.responses.len(), house.requests.len()), (3, 0));
    assert_eq!(house.responses[0], house.responses[2]);
}

#[test]
fn requests_that_cannot_be_done_say_why() {
    let mut house = TestEngine::new();
    house.control(trace(1), &ControlRequest::RunSubmit { request_id: trace(2), opening_yaml: String::new() });
    house.control(
        trace(3),
        &ControlRequest::RunSubmit { request_id: trace(3), opening_yaml: "no such".to_owned() },
    );
    house.cancel(4, 99);
    house.handle(Input::Control { by: by(), trace: trace(5), body: bytes::Bytes::from_static(b"\x80") });
    let cue = Asker { kind: AskerKind::Cue, client: Arc::from("deck") };
    house.submit(6, opening(vec![node("a")], &[]));
    let body = ControlRequest::RunCancel { trace_id: trace(6) }.encode().into();
    house.handle(Input::Control { by: cue.clone(), trace: trace(7), body });
    house.control(trace(8), &ControlRequest::DescribeAgents { request_id: trace(8), agents: Vec::new() });
    let reasons = reasons(&house);
    for (reason, starts) in reasons.iter().zip([
        "request_id is trace:00000000-0000-0000-0000-000000000002 and the header's trace_id",
        "line 1, column 1: no opening",
        "no run trace:00000000-0000-0000-0000-000000000063 is worked on",
        "the request cannot be read: type is missing",
        "a cue submits runs, and cancels none",
    ]) {
        assert!(reason.starts_with(starts), "{reason}");
    }
    assert_eq!(reasons.len(), 5);
    assert!(matches!(house.responses.last().unwrap().1, ControlResponse::AgentsDescribeFailed { .. }));
    assert_eq!(house.snapshot.totals.rejected, 5);
    // A cue may submit, and nothing else (ruling RMP 6): it is answered in the form of what it asked, and
    // that is told of.
    let body = ControlRequest::DescribeAgents { request_id: trace(9), agents: Vec::new() }.encode().into();
    house.handle(Input::Control { by: cue, trace: trace(10), body });
    let reason = "a cue submits runs, and asks for nothing else".to_owned();
    let failed = ControlResponse::AgentsDescribeFailed { request_id: trace(9), reason };
    assert_eq!((house.responses.last(), house.snapshot.totals.rejected), (Some(&(trace(10), failed)), 6));
}

#[test]
fn more_runs_than_may_be_are_rejected() {
    let limits = limits::Runs { open_max: 1, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    house.submit(1, opening(vec![node("a")], &[]));
    house.submit(2, opening(vec![node("a")], &[]));
    assert!(reasons(&house)[0].starts_with("1 runs are worked on"));
    house.does("a", &gives(&[]));
    house.submit(3, opening(vec![node("a")], &[]));
    assert_eq!(house.engine.open(), 1);
}

#[test]
fn a_cancel_tells_those_in_flight_and_is_answered_when_it_is_done() {
    let mut house = TestEngine::new();
    house
        .submit(1, opening(vec![node("a"), Node { asks: true, ..node("b") }, node("c")], &["a.out -> c.in"]));
    let request = house.request("a");
    house.cancel(50, 1);
    assert_eq!(
        house.responses[1],
        (trace(50), ControlResponse::RunCancelled { request_id: trace(50), trace_id: trace(1) })
    );
    assert_eq!((house.cancels.len(), house.states()), (1, vec![NodeState::Cancelled; 3]));
    assert_eq!(house.end(1), Some(("cancelled", "cancelled by tester".to_owned())));
    house.answer(&request, &gives(&[]));
    house.cancel(50, 1);
    house.cancel(51, 1);
    assert_eq!(house.responses[1], house.responses[2], "the same request again");
    assert_eq!(reasons(&house).len(), 1, "another finds it ended");
    house.pass(1_000_000);
    assert_eq!(house.events.last().unwrap().2.meta.success, Some(false));
    assert_eq!(house.engine.timeout(), None);
}

#[test]
fn a_cancel_before_the_run_is_recorded_waits_for_that() {
    let mut house = TestEngine::new();
    house.commits = false;
    house.submit(1, opening(vec![node("a")], &[]));
    house.cancel(50, 1);
    house.commit();
    house.commits = true;
    house.drain();
    house.commit();
    house.drain();
    assert_eq!((house.requests.len(), house.end(1).unwrap().0), (0, "cancelled"));
    let answers: Vec<_> = house.responses.iter().map(|(of, _)| *of).collect();
    assert_eq!(answers, [trace(1), trace(50)]);
}

#[test]
fn the_first_event_waits_for_a_bus_that_is_behind() {
    let mut house = TestEngine::new();
    house.is_bus_behind = true;
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(500);
    assert_eq!((house.responses.len(), house.events.len()), (1, 0), "it is accepted, and nobody knows yet");
    house.take_accepted();
    house.pass(19);
    assert_eq!(house.events.len(), 0);
    house.pass(1);
    assert_eq!(house.events[0].2.kind, EventKind::Plan);
}

#[test]
fn a_run_that_cannot_be_recorded_is_rejected_and_may_come_again_by_another_request() {
    let mut house = TestEngine::new();
    house.commits = false;
    house.submit(1, opening(vec![node("a")], &[]));
    let (ticket, _) = house.uncommitted.pop_front().unwrap();
    house.commits = true;
    house.handle(Input::CommitFailed { ticket, error: "the disk is full".to_owned() });
    assert_eq!(
        reasons(&house),
        ["the run cannot be recorded: the disk is full; `rl-console doctor` says more"]
    );
    assert_eq!((house.requests.len(), house.engine.open()), (0, 0));
    house.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(
        (house.responses.len(), &house.responses[0], house.requests.len()),
        (2, &house.responses[1], 0)
    );
    house.submit(2, opening(vec![node("a")], &[]));
    house.does("a", &gives(&[]));
    assert_eq!(house.end(2).unwrap().0, "succeeded");
}

#[test]
fn what_is_no_request_is_told_of_and_gets_no_answer() {
    let mut house = TestEngine::new();
    let observation = b"\x82\xa4type\xb3observation.test.v1\xa7payload\xc0";
    house.handle(Input::Control { by: by(), trace: trace(5), body: bytes::Bytes::from_static(observation) });
    assert_eq!((house.responses.len(), house.snapshot.totals.rejected), (0, 1));
    let (_, _, says) = house.tapped.last().unwrap();
    assert_eq!(says, "the request cannot be read: type is observation.test.v1, not intent.ctrl.request.v1");
}

#[test]
fn however_long_what_cannot_be_read_is_the_reason_is_short() {
    let mut house = TestEngine::new();
    let name = "\u{1}".repeat(3 << 20);
    let payload = rmpv::Value::Map(vec![(name.as_str().into(), rmpv::Value::Map(Vec::new()))]);
    let body =
        rmpv::Value::Map(vec![("type".into(), "intent.ctrl.request.v1".into()), ("payload".into(), payload)]);
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, &body).unwrap();
    house.handle(Input::Control { by: by(), trace: trace(5), body: bytes.into() });
    let reason = &reasons(&house)[0];
    assert!(
        reason.starts_with("the request cannot be read: payload is ") && reason.len() < 2_000,
        "{} bytes",
        reason.len()
    );
}

#[test]
fn what_expired_before_it_was_taken_is_told_of_and_not_done() {
    let mut house = TestEngine::new();
    house.handle(Input::Expired { by: by(), trace: trace(1), topic: "rlp/ctrl".into() });
    assert_eq!((house.responses.len(), house.engine.metrics().running), (0, 0));
    let (_, _, says) = house.tapped.last().unwrap();
    assert_eq!(says, "what tester sent on rlp/ctrl expired before it could be taken: it is not done");
    house.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(house.engine.open(), 1, "nothing was answered, so that it may come again");
}

#[test]
fn after_a_restart_unfinished_runs_have_failed_and_their_history_says_so() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a"), node("b")], &["a.out -> b.in"]));
    house.does("a", &AgentAnswer { tokens: Some(120), ..gives(&[("out", 1.into())]) });
    let late = house.request("b");
    let events = house.persisted.events[&trace(1)].len();
    house.restart();
    assert_eq!(
        (house.persisted.ended[&trace(1)].tokens, house.snapshot.run(trace(1)).unwrap().tokens),
        (120, 120),
        "what it used is known"
    );
    assert_eq!(house.end(1), Some(("failed", "the station was restarted".to_owned())));
    assert_eq!(house.persisted.events[&trace(1)].len(), events + 1);
    let (_, _, event) = house.events.last().unwrap();
    assert_eq!(
        (event.message.as_str(), event.meta.success),
        ("the run failed: the station was restarted", Some(false))
    );
    assert_eq!(house.snapshot.run(trace(1)).unwrap().why.as_deref(), Some("the station was restarted"));
    house.answer(&late, &gives(&[]));
    house.restart();
    assert_eq!(house.persisted.events[&trace(1)].len(), events + 1, "once");
}

#[test]
fn a_run_of_many_events_keeps_so_many_and_the_last() {
    let limits = limits::Runs { events_kept_max: 100, event_bytes_max: 256, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    let nodes: Vec<_> = (0..60).map(|n| node(&format!("n{n}"))).collect();
    house.submit(1, opening(nodes, &[]));
    for n in 0..60 {
        house.does(&format!("n{n}"), &gives(&[]));
    }
    house.pass(20);
    let kept = &house.persisted.events[&trace(1)];
    assert_eq!((kept.len(), kept[100], house.events.len()), (101, 183, 183));
}
