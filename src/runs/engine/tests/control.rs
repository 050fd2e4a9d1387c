//! The control plane, events and restarts.

use std::sync::Arc;

use super::test_engine::{SESSION, TestEngine, by, gives, node, opening, trace};
use crate::{
    ids::{ConnectionId, TraceId},
    limits,
    runs::{
        Asker, AskerKind, EventKind, NodeState,
        command::Command,
        engine::{AgentsCancel, Input, Settings},
        openings::Node,
        payload::{AgentAnswer, ControlRequest, ControlResponse, RunEvent},
    },
    tap::entry::station::Level,
    time::Now,
    w3c::GivenTraceParent,
};

fn reasons(fixture: &TestEngine) -> Vec<String> {
    let reason = |(_, response): &(_, ControlResponse)| match response {
        ControlResponse::RunRejected { reason, .. } => Some(reason.clone()),
        _ => None,
    };
    fixture.responses.iter().filter_map(reason).collect()
}

#[test]
fn a_run_is_accepted_once_it_is_recorded_and_tells_nothing_for_20_ms() {
    let mut fixture = TestEngine::new();
    fixture.commits = false;
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(100);
    assert_eq!((fixture.responses.len(), fixture.requests.len()), (0, 0));
    fixture.commit();
    fixture.commits = true;
    fixture.commit();
    fixture.drain();
    let [(of, ControlResponse::RunAccepted { request_id, trace_id, opening_name, .. })] =
        &fixture.responses[..]
    else {
        panic!("{:?}", fixture.responses)
    };
    assert_eq!((*of, *request_id, *trace_id, opening_name.as_str()), (trace(1), trace(1), trace(1), "test"));
    assert_eq!(fixture.requests.len(), 1, "the nodes do not wait");
    fixture.pass(19);
    assert_eq!(fixture.events.len(), 0);
    fixture.does("a", &gives(&[]));
    fixture.pass(1);
    let kinds: Vec<_> = fixture.events.iter().map(|(ms, _, event)| (*ms, event.kind)).collect();
    assert_eq!(kinds[0], (120, EventKind::Plan));
    let last = &fixture.events.last().unwrap().2;
    assert_eq!((last.kind, last.meta.success), (EventKind::Status, Some(true)));
    assert_eq!(fixture.persisted.events[&trace(1)].len(), fixture.events.len());
}

#[test]
fn the_same_request_gets_the_same_answer_also_after_a_restart() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.submit(1, opening(vec![node("b")], &[]));
    assert_eq!((fixture.responses.len(), fixture.requests.len()), (2, 1));
    assert_eq!(fixture.responses[0], fixture.responses[1]);
    fixture.restart();
    fixture.submit(1, opening(vec![node("b")], &[]));
    assert_eq!((fixture.responses.len(), fixture.requests.len()), (3, 0));
    assert_eq!(fixture.responses[0], fixture.responses[2]);
}

#[test]
fn requests_that_cannot_be_done_say_why() {
    let mut fixture = TestEngine::new();
    fixture.control(
        trace(1),
        &ControlRequest::RunSubmit { request_id: trace(2), opening_yaml: String::new(), traceparent: None },
    );
    fixture.control(
        trace(3),
        &ControlRequest::RunSubmit {
            request_id: trace(3),
            opening_yaml: "no such".to_owned(),
            traceparent: None,
        },
    );
    fixture.cancel(4, 99);
    fixture.handle(Input::Control {
        by: by(),
        session: SESSION,
        trace: trace(5),
        body: bytes::Bytes::from_static(b"\x80"),
    });
    let cue = Asker { kind: AskerKind::Cue, client: Arc::from("deck") };
    fixture.submit(6, opening(vec![node("a")], &[]));
    let body = ControlRequest::RunCancel { trace_id: trace(6) }.encode().into();
    fixture.handle(Input::Control { by: cue.clone(), session: SESSION, trace: trace(7), body });
    fixture.control(trace(8), &ControlRequest::DescribeAgents { request_id: trace(8), agents: Vec::new() });
    let reasons = reasons(&fixture);
    for (reason, starts) in reasons.iter().zip([
        "request_id is trace:00000000-0000-0000-0000-000000000002, but the header's trace_id",
        "line 1, column 1: no opening",
        "run trace:00000000-0000-0000-0000-000000000063 is not running",
        "invalid request: type is missing",
        "a cue cannot cancel runs",
    ]) {
        assert!(reason.starts_with(starts), "{reason}");
    }
    assert_eq!(reasons.len(), 5);
    assert!(matches!(fixture.responses.last().unwrap().1, ControlResponse::AgentsDescribeFailed { .. }));
    assert_eq!(fixture.snapshot.totals.rejected, 5);
    // A cue may submit, and nothing else (ruling RMP 6): it is answered in the form of what it asked, and
    // that is told of.
    let body = ControlRequest::DescribeAgents { request_id: trace(9), agents: Vec::new() }.encode().into();
    fixture.handle(Input::Control { by: cue, session: SESSION, trace: trace(10), body });
    let reason = "a cue can only submit runs".to_owned();
    let failed = ControlResponse::AgentsDescribeFailed { request_id: trace(9), reason };
    assert_eq!((fixture.responses.last(), fixture.snapshot.totals.rejected), (Some(&(trace(10), failed)), 6));
}

#[test]
fn more_runs_than_may_be_are_rejected() {
    let limits = limits::Runs { open_max: 1, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.submit(2, opening(vec![node("a")], &[]));
    assert!(reasons(&fixture)[0].starts_with("1 runs are open"));
    fixture.does("a", &gives(&[]));
    fixture.submit(3, opening(vec![node("a")], &[]));
    assert_eq!(fixture.engine.open(), 1);
}

#[test]
fn a_cancel_tells_those_in_flight_and_is_answered_when_it_is_done() {
    let mut fixture = TestEngine::new();
    fixture
        .submit(1, opening(vec![node("a"), Node { asks: true, ..node("b") }, node("c")], &["a.out -> c.in"]));
    let request = fixture.request("a");
    fixture.cancel(50, 1);
    assert_eq!(
        fixture.responses[1],
        (trace(50), ControlResponse::RunCancelled { request_id: trace(50), trace_id: trace(1) })
    );
    assert_eq!((fixture.cancels.len(), fixture.states()), (1, vec![NodeState::Cancelled; 3]));
    assert_eq!(fixture.end(1), Some(("cancelled", "cancelled by tester".to_owned())));
    fixture.answer(&request, &gives(&[]));
    fixture.cancel(50, 1);
    fixture.cancel(51, 1);
    assert_eq!(fixture.responses[1], fixture.responses[2], "the same request again");
    assert_eq!(reasons(&fixture).len(), 1, "another finds it ended");
    fixture.pass(1_000_000);
    assert_eq!(fixture.events.last().unwrap().2.meta.success, Some(false));
    assert_eq!(fixture.engine.timeout(), None);
}

#[test]
fn a_cancel_before_the_run_is_recorded_waits_for_that() {
    let mut fixture = TestEngine::new();
    fixture.commits = false;
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.cancel(50, 1);
    fixture.commit();
    fixture.commits = true;
    fixture.drain();
    fixture.commit();
    fixture.drain();
    assert_eq!((fixture.requests.len(), fixture.end(1).unwrap().0), (0, "cancelled"));
    let answers: Vec<_> = fixture.responses.iter().map(|(of, _)| *of).collect();
    assert_eq!(answers, [trace(1), trace(50)]);
}

#[test]
fn the_first_event_waits_for_a_bus_that_is_behind() {
    let mut fixture = TestEngine::new();
    fixture.is_bus_behind = true;
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(500);
    assert_eq!(
        (fixture.responses.len(), fixture.events.len()),
        (1, 0),
        "it is accepted, and nobody knows yet"
    );
    fixture.take_accepted();
    fixture.pass(19);
    assert_eq!(fixture.events.len(), 0);
    fixture.pass(1);
    assert_eq!(fixture.events[0].2.kind, EventKind::Plan);
}

#[test]
fn a_run_that_cannot_be_recorded_is_rejected_and_may_come_again_by_another_request() {
    let mut fixture = TestEngine::new();
    fixture.commits = false;
    fixture.submit(1, opening(vec![node("a")], &[]));
    let (ticket, _) = fixture.uncommitted.pop_front().unwrap();
    fixture.commits = true;
    fixture.handle(Input::CommitFailed { ticket, error: "the disk is full".to_owned() });
    assert_eq!(reasons(&fixture), ["cannot store the run: the disk is full; see `rl-console doctor`"]);
    assert_eq!((fixture.requests.len(), fixture.engine.open()), (0, 0));
    fixture.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(
        (fixture.responses.len(), &fixture.responses[0], fixture.requests.len()),
        (2, &fixture.responses[1], 0)
    );
    fixture.submit(2, opening(vec![node("a")], &[]));
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.end(2).unwrap().0, "succeeded");
}

#[test]
fn what_is_no_request_is_told_of_and_gets_no_answer() {
    let mut fixture = TestEngine::new();
    let observation = b"\x82\xa4type\xb3observation.test.v1\xa7payload\xc0";
    fixture.handle(Input::Control {
        by: by(),
        session: SESSION,
        trace: trace(5),
        body: bytes::Bytes::from_static(observation),
    });
    assert_eq!((fixture.responses.len(), fixture.snapshot.totals.rejected), (0, 1));
    let (_, _, says) = fixture.tapped.last().unwrap();
    assert_eq!(says, "invalid request: type is observation.test.v1, not intent.ctrl.request.v1");
}

#[test]
fn however_long_what_cannot_be_read_is_the_reason_is_short() {
    let mut fixture = TestEngine::new();
    let name = "\u{1}".repeat(3 << 20);
    let payload = rmpv::Value::Map(vec![(name.as_str().into(), rmpv::Value::Map(Vec::new()))]);
    let body =
        rmpv::Value::Map(vec![("type".into(), "intent.ctrl.request.v1".into()), ("payload".into(), payload)]);
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, &body).unwrap();
    fixture.handle(Input::Control { by: by(), session: SESSION, trace: trace(5), body: bytes.into() });
    let reason = &reasons(&fixture)[0];
    assert!(
        reason.starts_with("invalid request: payload is ") && reason.len() < 2_000,
        "{} bytes",
        reason.len()
    );
}

#[test]
fn what_expired_before_it_was_taken_is_told_of_and_not_done() {
    let mut fixture = TestEngine::new();
    fixture.handle(Input::Expired { by: by(), trace: trace(1), topic: "rlp/ctrl".into() });
    assert_eq!((fixture.responses.len(), fixture.engine.metrics().running), (0, 0));
    let (_, _, says) = fixture.tapped.last().unwrap();
    assert_eq!(says, "message from tester on rlp/ctrl expired before it was processed; ignored");
    fixture.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(fixture.engine.open(), 1, "nothing was answered, so that it may come again");
}

#[test]
fn after_a_restart_unfinished_runs_have_failed_and_their_history_says_so() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a"), node("b")], &["a.out -> b.in"]));
    fixture.does("a", &AgentAnswer { tokens: Some(120), ..gives(&[("out", 1.into())]) });
    let late = fixture.request("b");
    let events = fixture.persisted.events[&trace(1)].len();
    fixture.restart();
    assert_eq!(
        (fixture.persisted.ended[&trace(1)].tokens, fixture.snapshot.run(trace(1)).unwrap().tokens),
        (120, 120),
        "what it used is known"
    );
    assert_eq!(fixture.end(1), Some(("failed", "interrupted by a stop of the station".to_owned())));
    assert_eq!(fixture.persisted.events[&trace(1)].len(), events + 1);
    let (_, _, event) = fixture.events.last().unwrap();
    assert_eq!(
        (event.message.as_str(), event.meta.success),
        ("the run failed: interrupted by a stop of the station", Some(false))
    );
    assert_eq!(
        fixture.snapshot.run(trace(1)).unwrap().why.as_deref(),
        Some("interrupted by a stop of the station")
    );
    fixture.answer(&late, &gives(&[]));
    fixture.restart();
    assert_eq!(fixture.persisted.events[&trace(1)].len(), events + 1, "once");
}

#[test]
fn a_run_that_a_stop_cut_did_not_live_while_the_station_was_down() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a"), node("b")], &["a.out -> b.in"]));
    fixture.pass(1_000);
    fixture.does("a", &gives(&[("out", 1.into())]));
    let last = fixture.persisted.last_at[&trace(1)];
    fixture.ms += 22_000;
    fixture.restart();
    assert_eq!(fixture.persisted.ended[&trace(1)].at, last);
    let view = fixture.snapshot.run(trace(1)).unwrap();
    let lived = view.duration(crate::time::Now::at_ms(fixture.ms));
    assert_eq!(lived, last.since(view.submitted_at.wall));
    assert!((1_000..2_000).contains(&lived.as_millis()), "{lived:?}");
}

#[test]
fn a_run_of_many_events_keeps_so_many_and_how_each_node_and_the_run_ended() {
    let limits = limits::Runs { events_kept_max: 100, event_bytes_max: 256, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    let nodes: Vec<_> = (0..60).map(|n| node(&format!("n{n}"))).collect();
    fixture.submit(1, opening(nodes, &[]));
    for n in 0..60 {
        fixture.does(&format!("n{n}"), &gives(&[]));
    }
    fixture.pass(20);
    let kept = &fixture.persisted.events[&trace(1)];
    let is_end = |(_, (_, _, event)): &(u64, &(u64, TraceId, RunEvent))| {
        event.meta.state.as_deref() == Some("completed") || event.meta.success.is_some()
    };
    let ends: Vec<u64> = (1..).zip(&fixture.events).filter(is_end).map(|(number, _)| number).collect();
    assert_eq!((ends.len(), fixture.events.len()), (61, 183));
    assert!(ends.iter().all(|number| kept.contains(number)), "{kept:?}");
    let others = kept.iter().filter(|number| !ends.contains(number)).count();
    assert!(others <= 100 && kept.len() >= 100 && kept.is_sorted(), "{kept:?}");
}

#[test]
fn an_agent_cancels_any_run_or_its_own_sessions_alone() {
    let agent = || Asker { kind: AskerKind::Agent, client: Arc::from("helper") };
    let cancel = |request: u64, run: u64, session: u64, by: Asker| Input::Control {
        by,
        session: ConnectionId(session),
        trace: trace(request),
        body: ControlRequest::RunCancel { trace_id: trace(run) }.encode().into(),
    };
    for agents_cancel in [AgentsCancel::Any, AgentsCancel::Own] {
        let mut fixture = TestEngine::with(Settings { agents_cancel, ..Settings::default() });
        for run in 1..=3 {
            fixture.submit(run, opening(vec![node("a")], &[]));
        }
        fixture.handle(cancel(11, 1, SESSION.0 + 1, agent()));
        fixture.handle(cancel(12, 2, SESSION.0, agent()));
        fixture.handle(cancel(13, 3, SESSION.0 + 1, by()));
        let is_cancelled = |run: u64| {
            fixture.responses.iter().any(|(_, response)| match response {
                ControlResponse::RunCancelled { trace_id, .. } => *trace_id == trace(run),
                _ => false,
            })
        };
        let others = agents_cancel == AgentsCancel::Any;
        assert_eq!([1, 2, 3].map(is_cancelled), [others, true, true], "{agents_cancel:?}");
        assert_eq!(reasons(&fixture).len(), usize::from(!others));
        assert!(reasons(&fixture).iter().all(|why| why.contains("submitted in another session")));
        // Who did it is told by name, once events may go.
        fixture.pass(100);
        let ended = fixture
            .events
            .iter()
            .filter(|(_, run, event)| *run == trace(2) && event.message.ends_with("cancelled by helper"));
        assert_eq!(ended.count(), 1);
        assert_eq!(fixture.persisted.ended[&trace(2)].why.as_deref(), Some("cancelled by helper"));
    }
}

#[test]
fn on_a_disk_that_is_nearly_full_no_run_is_accepted_and_others_go_on() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.engine.set_disk_low(true);
    fixture.submit(2, opening(vec![node("a")], &[]));
    let [reason] = &reasons(&fixture)[..] else { panic!("{:?}", fixture.responses) };
    assert!(reason.contains("limits.store.disk_free_bytes_min"), "{reason}");
    assert_eq!(fixture.persisted.answers.len(), 1, "not even the rejection is kept");
    fixture.cancel(3, 1);
    assert!(fixture.persisted.ended.contains_key(&trace(1)));
    fixture.engine.set_disk_low(false);
    fixture.submit(4, opening(vec![node("a")], &[]));
    assert!(fixture.persisted.rows.contains_key(&trace(4)));
}

#[test]
fn a_trace_context_is_kept_with_the_run_as_it_came() {
    const HEADER: &str = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what the future brings";
    let mut fixture = TestEngine::new();
    let submit = |n: u64, header: Option<&str>| ControlRequest::RunSubmit {
        request_id: trace(n),
        opening_yaml: format!("opening {n}"),
        traceparent: header.map(GivenTraceParent::read),
    };
    for n in 1..=2 {
        fixture.openings.insert(format!("opening {n}"), Arc::new(opening(vec![node("a")], &[])));
    }
    fixture.control(trace(1), &submit(1, Some(HEADER)));
    fixture.control(trace(2), &submit(2, None));
    fixture.pass(20);
    let kept = |n| fixture.persisted.rows[&trace(n)].traceparent.as_deref();
    assert_eq!((kept(1), kept(2)), (Some(HEADER), None));
    assert!(fixture.events.iter().all(|(.., event)| event.kind != EventKind::Log), "nothing is left out");
}

#[test]
fn a_trace_context_that_is_not_valid_is_left_out_and_the_run_says_so() {
    let mut fixture = TestEngine::new();
    fixture.openings.insert("opening".to_owned(), Arc::new(opening(vec![node("a")], &[])));
    let submit = Command::Submit {
        request: trace(1),
        opening_yaml: "opening".to_owned(),
        traceparent: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01".to_owned()),
    };
    let now = Now::at_ms(fixture.ms);
    fixture.engine.command(now, by(), submit).unwrap();
    fixture.drain();
    fixture.pass(20);
    assert_eq!(fixture.persisted.rows[&trace(1)].traceparent, None);
    let says: Vec<_> = fixture
        .events
        .iter()
        .filter(|(.., event)| event.kind == EventKind::Log)
        .map(|(.., event)| (event.level, event.message.as_str()))
        .collect();
    let why = "the run has no trace context: the parent-id of traceparent is all zeros";
    assert_eq!(says, [(Some(Level::Warn), why)]);
}
