//! A request that comes again, also after a restart.

use bytes::Bytes;

use super::test_engine::{SESSION, TestEngine, by, fails, gives, node, opening, trace};
use crate::{
    limits,
    runs::{
        EventKind, RunState,
        engine::{Engine, Input, Output, Settings},
        payload::{ControlRequest, ControlResponse, RunEvent},
    },
    store::runs::RestoredRuns,
    time::Now,
};

fn last(fixture: &TestEngine) -> &(u64, crate::ids::TraceId, RunEvent) {
    fixture.events.last().unwrap()
}

#[test]
fn the_same_submission_of_a_run_that_ended_gets_its_answer_and_then_its_last_event_again() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.does("a", &fails(false));
    fixture.pass(100);
    let (_, _, end) = last(&fixture).clone();
    let told = fixture.events.len();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.submit(1, opening(vec![node("a")], &[]));
    assert_eq!((fixture.responses.len(), fixture.events.len()), (3, told), "nobody can have subscribed yet");
    assert!(fixture.responses.iter().all(|(_, response)| *response == fixture.responses[0].1));
    fixture.pass(19);
    assert_eq!(fixture.events.len(), told);
    fixture.pass(1);
    assert_eq!(fixture.events.len(), told + 1, "once for both");
    let (ms, of, again) = last(&fixture).clone();
    assert_eq!((ms, of), (120, trace(1)));
    assert_eq!(
        (again.kind, again.level, again.message.as_str()),
        (EventKind::Status, end.level, end.message.as_str())
    );
    assert_eq!(
        (again.meta.success, again.meta.state.as_deref(), again.meta.ts_ms),
        (Some(false), Some("failed"), end.meta.ts_ms)
    );
    assert_eq!(fixture.persisted.events[&trace(1)].len(), told, "the history has it once");
    fixture.pass(1_000);
    assert_eq!((fixture.events.len(), fixture.engine.timeout()), (told + 1, None));
}

#[test]
fn a_run_that_a_restart_cut_off_is_told_of_again_too() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.restart();
    let told = fixture.events.len();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(20);
    assert_eq!(fixture.events.len(), told + 1);
    assert_eq!(
        (last(&fixture).2.message.as_str(), last(&fixture).2.meta.success),
        ("the run failed: interrupted by a stop of the station", Some(false))
    );
}

#[test]
fn an_end_that_is_looked_up_in_time_or_too_late_is_told_no_sooner_than_20_ms_behind_the_answer() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.does("a", &fails(false));
    fixture.pass(100);
    let told = fixture.events.len();
    fixture.holds_recalls = true;
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(10);
    fixture.recall();
    assert_eq!((fixture.responses.len(), fixture.events.len()), (2, told), "it is known, and waits");
    fixture.pass(10);
    assert_eq!((fixture.events.len(), last(&fixture).0), (told + 1, 120));
    fixture.pass(80);
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(30);
    assert_eq!((fixture.responses.len(), fixture.events.len()), (3, told + 1), "the store takes its time");
    fixture.recall();
    assert_eq!(
        (fixture.events.len(), last(&fixture).0, last(&fixture).2.meta.success),
        (told + 2, 230, Some(false))
    );
    fixture.pass(1_000);
    assert_eq!((fixture.events.len(), fixture.engine.timeout()), (told + 2, None));
}

#[test]
fn so_many_ends_are_looked_up_at_one_time_and_who_asks_for_one_more_gets_the_answer_alone() {
    const RECALLS_MAX: usize = 256;
    let mut fixture = TestEngine::new();
    let runs = 1..=RECALLS_MAX as u64 + 1;
    for n in runs.clone() {
        fixture.submit(n, opening(vec![node("a")], &[]));
        fixture.does("a", &fails(false));
    }
    fixture.pass(20);
    let told = fixture.events.len();
    fixture.responses.clear();
    fixture.holds_recalls = true;
    for n in runs.clone() {
        fixture.submit(n, opening(vec![node("a")], &[]));
    }
    let accepted =
        |(_, response): &(_, ControlResponse)| matches!(response, ControlResponse::RunAccepted { .. });
    assert_eq!(
        (fixture.recalls.len(), fixture.responses.iter().filter(|it| accepted(it)).count()),
        (RECALLS_MAX, RECALLS_MAX + 1)
    );
    fixture.recall();
    fixture.pass(20);
    assert_eq!(fixture.events.len(), told + RECALLS_MAX);
    fixture.submit(*runs.end(), opening(vec![node("a")], &[]));
    fixture.recall();
    fixture.pass(20);
    assert_eq!(
        (fixture.events.len(), last(&fixture).1),
        (told + RECALLS_MAX + 1, trace(*runs.end())),
        "there is room again"
    );
}

#[test]
fn so_many_runs_that_were_not_recorded_are_looked_up_at_one_time_and_one_more_is_rejected_at_once() {
    const RECALLS_MAX: usize = 256;
    let limits = limits::Runs { open_max: 1_000, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    (fixture.holds_recalls, fixture.failing) = (true, u32::MAX);
    for n in 1..=RECALLS_MAX as u64 + 1 {
        fixture.submit(n, opening(vec![node("a")], &[]));
    }
    assert_eq!(
        (fixture.recalls.len(), fixture.responses.len(), fixture.responses[0].0),
        (RECALLS_MAX, 1, trace(RECALLS_MAX as u64 + 1))
    );
    fixture.recall();
    let rejected =
        |(_, response): &(_, ControlResponse)| matches!(response, ControlResponse::RunRejected { .. });
    assert_eq!(fixture.responses.iter().filter(|it| rejected(it)).count(), RECALLS_MAX + 1);
    assert_eq!(fixture.engine.open(), 0);
}

#[test]
fn an_end_that_is_not_durable_yet_is_told_again_all_the_same() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(20);
    fixture.failing = 3;
    fixture.does("a", &gives(&[]));
    assert!(fixture.persisted.ended.is_empty());
    let told = fixture.events.len();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(20);
    assert_eq!((fixture.events.len(), last(&fixture).2.meta.success), (told + 1, Some(true)));
}

#[test]
fn a_run_that_goes_on_is_only_accepted_again() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(50);
    let told = fixture.events.len();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.pass(50);
    assert_eq!((fixture.responses.len(), fixture.events.len()), (2, told));
    fixture.does("a", &gives(&[]));
    assert_eq!(fixture.persisted.ended[&trace(1)].state, RunState::Succeeded);
}

#[test]
fn cancels_and_rejections_are_answered_the_same_after_a_restart() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.cancel(50, 1);
    fixture.cancel(51, 1);
    fixture.control(
        trace(2),
        &ControlRequest::RunSubmit {
            request_id: trace(2),
            opening_yaml: "no such".to_owned(),
            traceparent: None,
        },
    );
    fixture.control(
        trace(3),
        &ControlRequest::RunSubmit { request_id: trace(4), opening_yaml: String::new(), traceparent: None },
    );
    let before: Vec<_> = fixture.responses[1..].to_vec();
    let names: Vec<_> = before.iter().map(|(of, response)| (*of, response.request_id())).collect();
    assert_eq!(
        names,
        [(trace(50), trace(50)), (trace(51), trace(51)), (trace(2), trace(2)), (trace(3), trace(4))],
        "as they were asked"
    );
    fixture.restart();
    fixture.responses.clear();
    fixture.cancel(50, 1);
    fixture.cancel(51, 1);
    // It would be an opening now.
    fixture.openings.insert("no such".to_owned(), opening(vec![node("a")], &[]).into());
    fixture.control(
        trace(2),
        &ControlRequest::RunSubmit {
            request_id: trace(2),
            opening_yaml: "no such".to_owned(),
            traceparent: None,
        },
    );
    fixture.control(
        trace(3),
        &ControlRequest::RunSubmit { request_id: trace(3), opening_yaml: String::new(), traceparent: None },
    );
    assert_eq!(fixture.responses, before);
}

#[test]
fn a_cancel_that_waited_for_its_run_is_not_remembered_over_a_restart_without_an_answer() {
    let mut fixture = TestEngine::new();
    fixture.commits = false;
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.cancel(50, 1);
    fixture.restart();
    fixture.commits = true;
    assert!(fixture.responses.is_empty(), "neither was answered");
    fixture.cancel(50, 1);
    fixture.drain();
    let [(of, ControlResponse::RunRejected { reason, .. })] = &fixture.responses[..] else {
        panic!("{:?}", fixture.responses)
    };
    assert_eq!((*of, reason.contains("is not running")), (trace(50), true));
}

#[test]
fn one_trace_may_submit_and_cancel() {
    let mut fixture = TestEngine::new();
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.cancel(1, 1);
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.cancel(1, 1);
    let accepted = |response: &ControlResponse| matches!(response, ControlResponse::RunAccepted { .. });
    let said: Vec<_> = fixture.responses.iter().map(|(_, response)| accepted(response)).collect();
    assert_eq!(said, [true, false, true, false]);
    assert_eq!(
        (&fixture.responses[0], &fixture.responses[1]),
        (&fixture.responses[2], &fixture.responses[3])
    );
}

#[test]
fn a_rejection_for_too_many_runs_is_for_good_also_after_a_restart() {
    let limits = limits::Runs { open_max: 1, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.submit(2, opening(vec![node("a")], &[]));
    assert!(matches!(fixture.responses[1].1, ControlResponse::RunRejected { .. }));
    fixture.does("a", &gives(&[]));
    fixture.submit(2, opening(vec![node("a")], &[]));
    assert_eq!(fixture.responses[1], fixture.responses[2], "its sender was told no");
    fixture.submit(3, opening(vec![node("a")], &[]));
    assert!(
        matches!(fixture.responses[3].1, ControlResponse::RunAccepted { .. }),
        "another request finds room"
    );
    fixture.restart();
    fixture.submit(2, opening(vec![node("a")], &[]));
    assert_eq!(fixture.responses[1], fixture.responses[4]);
}

/// Pushes all answers out of memory.
fn forget_all(fixture: &mut TestEngine) {
    for n in 10_000..11_100 {
        fixture.control(
            trace(n),
            &ControlRequest::RunSubmit {
                request_id: trace(n),
                opening_yaml: "no such".to_owned(),
                traceparent: None,
            },
        );
    }
    fixture.responses.clear();
}

#[test]
fn a_submission_that_is_not_remembered_any_more_gets_its_answer_from_its_run() {
    let limits = limits::Runs { answers_max: 1_024, open_max: 1, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.submit(1, opening(vec![node("a")], &[]));
    let accepted = fixture.responses[0].clone();
    forget_all(&mut fixture);
    fixture.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(
        (&fixture.responses[..], fixture.requests.len()),
        (&[accepted.clone()][..], 1),
        "while it goes on"
    );
    fixture.does("a", &fails(false));
    fixture.pass(20);
    let (end, told) = (last(&fixture).2.clone(), fixture.events.len());
    forget_all(&mut fixture);
    fixture.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(
        (&fixture.responses[..], fixture.requests.len()),
        (&[accepted][..], 1),
        "and when it has ended"
    );
    fixture.pass(20);
    assert_eq!((fixture.events.len(), &last(&fixture).2.message), (told + 1, &end.message));
    assert_eq!((fixture.engine.open(), fixture.end(1).unwrap().0), (0, "failed"));
}

#[test]
fn rejections_and_cancels_that_are_not_remembered_any_more_stay_as_they_were_told() {
    let limits = limits::Runs { answers_max: 1_024, open_max: 1, ..limits::Runs::default() };
    let mut fixture = TestEngine::with(Settings { limits, ..Settings::default() });
    fixture.submit(1, opening(vec![node("a")], &[]));
    fixture.submit(2, opening(vec![node("a")], &[]));
    fixture.cancel(50, 1);
    fixture.cancel(51, 1);
    let told = fixture.responses[1..].to_vec();
    forget_all(&mut fixture);
    fixture.submit(2, opening(vec![node("a")], &[]));
    fixture.cancel(50, 1);
    fixture.cancel(51, 1);
    assert_eq!(
        (&fixture.responses, fixture.requests.len()),
        (&told, 1),
        "there is room for the run now, and its sender was told no"
    );
    assert!(fixture.engine.accepts_input());
    fixture.submit(3, opening(vec![node("a")], &[]));
    assert_eq!((fixture.requests.len(), fixture.engine.open()), (2, 1), "what was never answered is done");
}

#[test]
fn while_a_request_is_looked_up_nothing_more_is_taken_and_it_is_asked_for_once() {
    let left = RestoredRuns { has_more_answers: true, ..RestoredRuns::default() };
    let now = Now::at_ms(0);
    let mut engine = Engine::new(now, Settings::default(), left, Box::new(|| uuid::Uuid::from_u128(7)));
    let submit = |n| {
        let request = ControlRequest::RunSubmit {
            request_id: trace(n),
            opening_yaml: "a: ".to_owned(),
            traceparent: None,
        };
        Input::Control { by: by(), session: SESSION, trace: trace(n), body: request.encode().into() }
    };
    assert!(engine.accepts_input());
    (0..2).for_each(|_| engine.handle(now, submit(1)));
    assert!(!engine.accepts_input());
    assert_eq!(engine.poll_output(), Some(Output::RecallAnswer { request: trace(1), variant: "RunSubmit" }));
    assert_eq!(engine.poll_output(), None);
    engine.handle(now, Input::AnswerRecalled { request: trace(1), variant: "RunSubmit", body: None });
    assert!(engine.accepts_input() && matches!(engine.poll_output(), Some(Output::Load { .. })));
    assert_eq!(engine.timeout(), None);
    // Past the bound a request is judged by what is remembered.
    (10..18).for_each(|n| engine.handle(now, submit(n)));
    engine.handle(now, submit(18));
    let asked: Vec<_> = std::iter::from_fn(|| engine.poll_output()).collect();
    assert!(
        matches!((&asked[..8], &asked[8..]), ([Output::RecallAnswer { .. }, ..], [Output::Load { .. }])),
        "{asked:?}"
    );
    // A store that says nothing makes nobody deaf.
    engine.handle(Now::at_ms(999), Input::Timeout);
    assert!(!engine.accepts_input());
    engine.handle(Now::at_ms(1_000), Input::Timeout);
    assert!(
        engine.accepts_input() && (0..8).all(|_| matches!(engine.poll_output(), Some(Output::Load { .. })))
    );
}

#[test]
fn a_request_that_cannot_be_read_is_refused_in_its_own_form() {
    let mut fixture = TestEngine::new();
    let describe = b"\x82\xa4type\xb6intent.ctrl.request.v1\xa7payload\x81\xaeDescribeAgents\xc0";
    fixture.handle(Input::Control {
        by: by(),
        session: SESSION,
        trace: trace(5),
        body: Bytes::from_static(describe),
    });
    let [(_, ControlResponse::AgentsDescribeFailed { request_id, reason })] = &fixture.responses[..] else {
        panic!("{:?}", fixture.responses)
    };
    assert_eq!(
        (*request_id, reason.as_str()),
        (trace(5), "invalid request: payload.DescribeAgents is nil, not a map")
    );
}
