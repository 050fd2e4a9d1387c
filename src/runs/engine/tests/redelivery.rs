//! A request that comes again, also after a restart.

use bytes::Bytes;

use super::test_engine::{TestEngine, by, fails, gives, node, opening, trace};
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

fn last(house: &TestEngine) -> &(u64, crate::ids::TraceId, RunEvent) {
    house.events.last().unwrap()
}

#[test]
fn the_same_submission_of_a_run_that_ended_gets_its_answer_and_then_its_last_event_again() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.does("a", &fails(false));
    house.pass(100);
    let (_, _, end) = last(&house).clone();
    let told = house.events.len();
    house.submit(1, opening(vec![node("a")], &[]));
    house.submit(1, opening(vec![node("a")], &[]));
    assert_eq!((house.responses.len(), house.events.len()), (3, told), "nobody can have subscribed yet");
    assert!(house.responses.iter().all(|(_, response)| *response == house.responses[0].1));
    house.pass(19);
    assert_eq!(house.events.len(), told);
    house.pass(1);
    assert_eq!(house.events.len(), told + 1, "once for both");
    let (ms, of, again) = last(&house).clone();
    assert_eq!((ms, of), (120, trace(1)));
    assert_eq!(
        (again.kind, again.level, again.message.as_str()),
        (EventKind::Status, end.level, end.message.as_str())
    );
    assert_eq!(
        (again.meta.success, again.meta.state.as_deref(), again.meta.ts_ms),
        (Some(false), Some("failed"), end.meta.ts_ms)
    );
    assert_eq!(house.persisted.events[&trace(1)].len(), told, "the history has it once");
    house.pass(1_000);
    assert_eq!((house.events.len(), house.engine.timeout()), (told + 1, None));
}

#[test]
fn a_run_that_a_restart_cut_off_is_told_of_again_too() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.restart();
    let told = house.events.len();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(20);
    assert_eq!(house.events.len(), told + 1);
    assert_eq!(
        (last(&house).2.message.as_str(), last(&house).2.meta.success),
        ("the run failed: the station was restarted", Some(false))
    );
}

#[test]
fn an_end_that_is_looked_up_in_time_or_too_late_is_told_no_sooner_than_20_ms_behind_the_answer() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.does("a", &fails(false));
    house.pass(100);
    let told = house.events.len();
    house.holds_recalls = true;
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(10);
    house.recall();
    assert_eq!((house.responses.len(), house.events.len()), (2, told), "it is known, and waits");
    house.pass(10);
    assert_eq!((house.events.len(), last(&house).0), (told + 1, 120));
    house.pass(80);
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(30);
    assert_eq!((house.responses.len(), house.events.len()), (3, told + 1), "the store takes its time");
    house.recall();
    assert_eq!(
        (house.events.len(), last(&house).0, last(&house).2.meta.success),
        (told + 2, 230, Some(false))
    );
    house.pass(1_000);
    assert_eq!((house.events.len(), house.engine.timeout()), (told + 2, None));
}

#[test]
fn so_many_ends_are_looked_up_at_one_time_and_who_asks_for_one_more_gets_the_answer_alone() {
    const RECALLS_MAX: usize = 256;
    let mut house = TestEngine::new();
    let runs = 1..=RECALLS_MAX as u64 + 1;
    for n in runs.clone() {
        house.submit(n, opening(vec![node("a")], &[]));
        house.does("a", &fails(false));
    }
    house.pass(20);
    let told = house.events.len();
    house.responses.clear();
    house.holds_recalls = true;
    for n in runs.clone() {
        house.submit(n, opening(vec![node("a")], &[]));
    }
    let accepted =
        |(_, response): &(_, ControlResponse)| matches!(response, ControlResponse::RunAccepted { .. });
    assert_eq!(
        (house.recalls.len(), house.responses.iter().filter(|it| accepted(it)).count()),
        (RECALLS_MAX, RECALLS_MAX + 1)
    );
    house.recall();
    house.pass(20);
    assert_eq!(house.events.len(), told + RECALLS_MAX);
    house.submit(*runs.end(), opening(vec![node("a")], &[]));
    house.recall();
    house.pass(20);
    assert_eq!(
        (house.events.len(), last(&house).1),
        (told + RECALLS_MAX + 1, trace(*runs.end())),
        "there is room again"
    );
}

#[test]
fn so_many_runs_that_were_not_recorded_are_looked_up_at_one_time_and_one_more_is_rejected_at_once() {
    const RECALLS_MAX: usize = 256;
    let limits = limits::Runs { open_max: 1_000, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    (house.holds_recalls, house.failing) = (true, u32::MAX);
    for n in 1..=RECALLS_MAX as u64 + 1 {
        house.submit(n, opening(vec![node("a")], &[]));
    }
    assert_eq!(
        (house.recalls.len(), house.responses.len(), house.responses[0].0),
        (RECALLS_MAX, 1, trace(RECALLS_MAX as u64 + 1))
    );
    house.recall();
    let rejected =
        |(_, response): &(_, ControlResponse)| matches!(response, ControlResponse::RunRejected { .. });
    assert_eq!(house.responses.iter().filter(|it| rejected(it)).count(), RECALLS_MAX + 1);
    assert_eq!(house.engine.open(), 0);
}

#[test]
fn an_end_that_is_not_durable_yet_is_told_again_all_the_same() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(20);
    house.failing = 3;
    house.does("a", &gives(&[]));
    assert!(house.persisted.ended.is_empty());
    let told = house.events.len();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(20);
    assert_eq!((house.events.len(), last(&house).2.meta.success), (told + 1, Some(true)));
}

#[test]
fn a_run_that_goes_on_is_only_accepted_again() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(50);
    let told = house.events.len();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(50);
    assert_eq!((house.responses.len(), house.events.len()), (2, told));
    house.does("a", &gives(&[]));
    assert_eq!(house.persisted.ended[&trace(1)].state, RunState::Succeeded);
}

#[test]
fn cancels_and_rejections_are_answered_the_same_after_a_restart() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.cancel(50, 1);
    house.cancel(51, 1);
    house.control(
        trace(2),
        &ControlRequest::RunSubmit { request_id: trace(2), opening_yaml: "no such".to_owned() },
    );
    house.control(trace(3), &ControlRequest::RunSubmit { request_id: trace(4), opening_yaml: String::new() });
    let before: Vec<_> = house.responses[1..].to_vec();
    let names: Vec<_> = before.iter().map(|(of, response)| (*of, response.request_id())).collect();
    assert_eq!(
        names,
        [(trace(50), trace(50)), (trace(51), trace(51)), (trace(2), trace(2)), (trace(3), trace(4))],
        "as they were asked"
    );
    house.restart();
    house.responses.clear();
    house.cancel(50, 1);
    house.cancel(51, 1);
    // It would be an opening now.
    house.openings.insert("no such".to_owned(), opening(vec![node("a")], &[]).into());
    house.control(
        trace(2),
        &ControlRequest::RunSubmit { request_id: trace(2), opening_yaml: "no such".to_owned() },
    );
    house.control(trace(3), &ControlRequest::RunSubmit { request_id: trace(3), opening_yaml: String::new() });
    assert_eq!(house.responses, before);
}

#[test]
fn a_cancel_that_waited_for_its_run_is_not_remembered_over_a_restart_without_an_answer() {
    let mut house = TestEngine::new();
    house.commits = false;
    house.submit(1, opening(vec![node("a")], &[]));
    house.cancel(50, 1);
    house.restart();
    house.commits = true;
    assert!(house.responses.is_empty(), "neither was answered");
    house.cancel(50, 1);
    house.drain();
    let [(of, ControlResponse::RunRejected { reason, .. })] = &house.responses[..] else {
        panic!("{:?}", house.responses)
    };
    assert_eq!((*of, reason.starts_with("no run ")), (trace(50), true));
}

#[test]
fn one_trace_may_submit_and_cancel() {
    let mut house = TestEngine::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.cancel(1, 1);
    house.submit(1, opening(vec![node("a")], &[]));
    house.cancel(1, 1);
    let accepted = |response: &ControlResponse| matches!(response, ControlResponse::RunAccepted { .. });
    let said: Vec<_> = house.responses.iter().map(|(_, response)| accepted(response)).collect();
    assert_eq!(said, [true, false, true, false]);
    assert_eq!((&house.responses[0], &house.responses[1]), (&house.responses[2], &house.responses[3]));
}

#[test]
fn a_rejection_for_too_many_runs_is_for_good_also_after_a_restart() {
    let limits = limits::Runs { open_max: 1, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    house.submit(1, opening(vec![node("a")], &[]));
    house.submit(2, opening(vec![node("a")], &[]));
    assert!(matches!(house.responses[1].1, ControlResponse::RunRejected { .. }));
    house.does("a", &gives(&[]));
    house.submit(2, opening(vec![node("a")], &[]));
    assert_eq!(house.responses[1], house.responses[2], "its sender was told no");
    house.submit(3, opening(vec![node("a")], &[]));
    assert!(
        matches!(house.responses[3].1, ControlResponse::RunAccepted { .. }),
        "another request finds room"
    );
    house.restart();
    house.submit(2, opening(vec![node("a")], &[]));
    assert_eq!(house.responses[1], house.responses[4]);
}

/// Pushes all answers out of memory.
fn forget_all(house: &mut TestEngine) {
    for n in 10_000..11_100 {
        house.control(
            trace(n),
            &ControlRequest::RunSubmit { request_id: trace(n), opening_yaml: "no such".to_owned() },
        );
    }
    house.responses.clear();
}

#[test]
fn a_submission_that_is_not_remembered_any_more_gets_its_answer_from_its_run() {
    let limits = limits::Runs { answers_max: 1_024, open_max: 1, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    house.submit(1, opening(vec![node("a")], &[]));
    let accepted = house.responses[0].clone();
    forget_all(&mut house);
    house.submit(1, opening(vec![node("a")], &[]));
    assert_eq!(
        (&house.responses[..], house.requests.len()),
        (&[accepted.clone()][..], 1),
        "while it goes on"
    );
    house.does("a", &fails(false));
    house.pass(20);
    let (end, told) = (last(&house).2.clone(), house.events.len());
    forget_all(&mut house);
    house.submit(1, opening(vec![node("a")], &[]));
    assert_eq!((&house.responses[..], house.requests.len()), (&[accepted][..], 1), "and when it has ended");
    house.pass(20);
    assert_eq!((house.events.len(), &last(&house).2.message), (told + 1, &end.message));
    assert_eq!((house.engine.open(), house.end(1).unwrap().0), (0, "failed"));
}

#[test]
fn rejections_and_cancels_that_are_not_remembered_any_more_stay_as_they_were_told() {
    let limits = limits::Runs { answers_max: 1_024, open_max: 1, ..limits::Runs::default() };
    let mut house = TestEngine::with(Settings { limits, ..Settings::default() });
    house.submit(1, opening(vec![node("a")], &[]));
    house.submit(2, opening(vec![node("a")], &[]));
    house.cancel(50, 1);
    house.cancel(51, 1);
    let told = house.responses[1..].to_vec();
    forget_all(&mut house);
    house.submit(2, opening(vec![node("a")], &[]));
    house.cancel(50, 1);
    house.cancel(51, 1);
    assert_eq!(
        (&house.responses, house.requests.len()),
        (&told, 1),
        "there is room for the run now, and its sender was told no"
    );
    assert!(house.engine.accepts_input());
    house.submit(3, opening(vec![node("a")], &[]));
    assert_eq!((house.requests.len(), house.engine.open()), (2, 1), "what was never answered is done");
}

#[test]
fn while_a_request_is_looked_up_nothing_more_is_taken_and_it_is_asked_for_once() {
    let left = RestoredRuns { has_more_answers: true, ..RestoredRuns::default() };
    let now = Now::at_ms(0);
    let mut engine = Engine::new(now, Settings::default(), left, Box::new(|| uuid::Uuid::from_u128(7)));
    let submit = |n| {
        let request = ControlRequest::RunSubmit { request_id: trace(n), opening_yaml: "a: ".to_owned() };
        Input::Control { by: by(), trace: trace(n), body: request.encode().into() }
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
    let mut house = TestEngine::new();
    let describe = b"\x82\xa4type\xb6intent.ctrl.request.v1\xa7payload\x81\xaeDescribeAgents\xc0";
    house.handle(Input::Control { by: by(), trace: trace(5), body: Bytes::from_static(describe) });
    let [(_, ControlResponse::AgentsDescribeFailed { request_id, reason })] = &house.responses[..] else {
        panic!("{:?}", house.responses)
    };
    assert_eq!(
        (*request_id, reason.as_str()),
        (trace(5), "the request cannot be read: payload.DescribeAgents is nil, not a map")
    );
}
