//! The same request again, also after a restart.

use bytes::Bytes;

use super::house::{House, by, fails, gives, node, opening, trace};
use crate::{
    limits,
    runs::{
        EventKind, RunState,
        engine::{Input, Settings},
        payload::{ControlRequest, ControlResponse, RunEvent},
    },
};

fn last(house: &House) -> &(u64, crate::ids::TraceId, RunEvent) {
    house.events.last().unwrap()
}

#[test]
fn the_same_submission_of_a_run_that_ended_gets_its_answer_and_then_its_last_event_again() {
    let mut house = House::new();
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
    assert_eq!((again.kind, again.level, again.message.as_str()), (EventKind::Status, end.level, end.message.as_str()));
    assert_eq!((again.meta.success, again.meta.state.as_deref(), again.meta.ts_ms), (Some(false), Some("failed"), end.meta.ts_ms));
    assert_eq!(house.kept.events[&trace(1)].len(), told, "the history has it once");
    house.pass(1_000);
    assert_eq!((house.events.len(), house.engine.timeout()), (told + 1, None));
}

#[test]
fn a_run_that_a_restart_cut_off_is_told_of_again_too() {
    let mut house = House::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.restart();
    let told = house.events.len();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(20);
    assert_eq!(house.events.len(), told + 1);
    assert_eq!((last(&house).2.message.as_str(), last(&house).2.meta.success), ("the run failed: the station was restarted", Some(false)));
}

#[test]
fn an_end_that_is_not_durable_yet_is_told_again_all_the_same() {
    let mut house = House::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(20);
    house.failing = 3;
    house.does("a", &gives(&[]));
    assert!(house.kept.ended.is_empty());
    let told = house.events.len();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(20);
    assert_eq!((house.events.len(), last(&house).2.meta.success), (told + 1, Some(true)));
}

#[test]
fn a_run_that_goes_on_is_only_accepted_again() {
    let mut house = House::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(50);
    let told = house.events.len();
    house.submit(1, opening(vec![node("a")], &[]));
    house.pass(50);
    assert_eq!((house.responses.len(), house.events.len()), (2, told));
    house.does("a", &gives(&[]));
    assert_eq!(house.kept.ended[&trace(1)].state, RunState::Succeeded);
}

#[test]
fn cancels_and_rejections_are_answered_the_same_after_a_restart() {
    let mut house = House::new();
    house.submit(1, opening(vec![node("a")], &[]));
    house.cancel(50, 1);
    house.cancel(51, 1);
    house.control(trace(2), &ControlRequest::RunSubmit { request_id: trace(2), opening_yaml: "no such".to_owned() });
    house.control(trace(3), &ControlRequest::RunSubmit { request_id: trace(4), opening_yaml: String::new() });
    let before: Vec<_> = house.responses[1..].to_vec();
    let names: Vec<_> = before.iter().map(|(of, response)| (*of, response.request_id())).collect();
    assert_eq!(names, [(trace(50), trace(50)), (trace(51), trace(51)), (trace(2), trace(2)), (trace(3), trace(4))], "as they were asked");
    house.restart();
    house.responses.clear();
    house.cancel(50, 1);
    house.cancel(51, 1);
    // It would be an opening now.
    house.openings.insert("no such".to_owned(), opening(vec![node("a")], &[]).into());
    house.control(trace(2), &ControlRequest::RunSubmit { request_id: trace(2), opening_yaml: "no such".to_owned() });
    house.control(trace(3), &ControlRequest::RunSubmit { request_id: trace(3), opening_yaml: String::new() });
    assert_eq!(house.responses, before);
}

#[test]
fn a_cancel_that_waited_for_its_run_is_not_remembered_over_a_restart_without_an_answer() {
    let mut house = House::new();
    house.commits = false;
    house.submit(1, opening(vec![node("a")], &[]));
    house.cancel(50, 1);
    house.restart();
    house.commits = true;
    assert!(house.responses.is_empty(), "neither was answered");
    house.cancel(50, 1);
    house.drain();
    let [(of, ControlResponse::RunRejected { reason, .. })] = &house.responses[..] else { panic!("{:?}", house.responses) };
    assert_eq!((*of, reason.starts_with("no run ")), (trace(50), true));
}

#[test]
fn one_trace_may_submit_and_cancel() {
    let mut house = House::new();
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
    let mut house = House::with(Settings { limits, ..Settings::default() });
    house.submit(1, opening(vec![node("a")], &[]));
    house.submit(2, opening(vec![node("a")], &[]));
    assert!(matches!(house.responses[1].1, ControlResponse::RunRejected { .. }));
    house.does("a", &gives(&[]));
    house.submit(2, opening(vec![node("a")], &[]));
    assert_eq!(house.responses[1], house.responses[2], "its sender was told no");
    house.submit(3, opening(vec![node("a")], &[]));
    assert!(matches!(house.responses[3].1, ControlResponse::RunAccepted { .. }), "another request finds room");
    house.restart();
    house.submit(2, opening(vec![node("a")], &[]));
    assert_eq!(house.responses[1], house.responses[4]);
}

/// Pushes all answers out of memory.
fn forget_all(house: &mut House) {
    for n in 10_000..11_100 {
        house.control(trace(n), &ControlRequest::RunSubmit { request_id: trace(n), opening_yaml: "no such".to_owned() });
    }
    house.responses.clear();
}

#[test]
fn a_submission_that_is_not_remembered_any_more_gets_its_answer_from_its_run() {
    let limits = limits::Runs { answers_max: 1_024, open_max: 1, ..limits::Runs::default() };
    let mut house = House::with(Settings { limits, ..Settings::default() });
    house.submit(1, opening(vec![node("a")], &[]));
    let accepted = house.responses[0].clone();
    forget_all(&mut house);
    house.submit(1, opening(vec![node("a")], &[]));
    assert_eq!((&house.responses[..], house.requests.len()), (&[accepted.clone()][..], 1), "while it goes on");
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
fn a_request_that_cannot_be_read_is_refused_in_its_own_form() {
    let mut house = House::new();
    let describe = b"\x82\xa4type\xb6intent.ctrl.request.v1\xa7payload\x81\xaeDescribeAgents\xc0";
    house.handle(Input::Control { by: by(), trace: trace(5), body: Bytes::from_static(describe) });
    let [(_, ControlResponse::AgentsDescribeFailed { request_id, reason })] = &house.responses[..] else { panic!("{:?}", house.responses) };
    assert_eq!((*request_id, reason.as_str()), (trace(5), "the request cannot be read: payload.DescribeAgents is nil, not a map"));
}
