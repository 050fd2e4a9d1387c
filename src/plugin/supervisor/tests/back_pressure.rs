use serde_json::json;

use super::{
    super::ProcessInput,
    kit::{TestHost, example},
};
use crate::plugin::{
    ChatMessage, Command, StreamCommand, Transition, UnhealthyCause,
    session::{Lane, Permit},
};

fn stuck() -> TestHost {
    let mut host = TestHost::up();
    host.done(Command::Stream(super::stream::set("alice")));
    host.is_taken = false;
    host.sent.clear();
    host.moved.clear();
    host
}

fn chat(host: &mut TestHost, count: usize, text: &str) {
    let message: ChatMessage = serde_json::from_value(json!({ "text": text })).unwrap();
    host.done(Command::Stream(StreamCommand::Chat { messages: vec![message; count] }));
}

fn dropped(host: &TestHost) -> Vec<u64> {
    host.moved
        .iter()
        .filter_map(
            |(it, _)| if let Transition::EventsDropped { events, .. } = it { Some(*events) } else { None },
        )
        .collect()
}

#[test]
fn events_that_do_not_fit_are_dropped_counted_and_reported_once_a_second() {
    let mut host = stuck();
    chat(&mut host, 1_024 + 5, "x");
    assert_eq!((host.sent.len(), dropped(&host)), (1_024, vec![1]));
    host.pass_ms(1_000);
    assert_eq!(dropped(&host), [1, 4]);
    assert_eq!(host.calls("get_followed_live", json!({}))["id"], "a", "answers have their own room");
}

#[test]
fn events_are_bounded_by_their_bytes_too() {
    let mut host = stuck();
    chat(&mut host, 10, &"x".repeat(1_000_000));
    assert_eq!((host.sent.len(), dropped(&host)), (8, vec![1]));
}

#[test]
fn an_event_over_4_mib_is_dropped_and_counted() {
    let mut host = stuck();
    chat(&mut host, 1, &"x".repeat(4_194_304));
    assert_eq!((host.sent.len(), dropped(&host)), (0, vec![1]));
}

#[test]
fn while_answers_do_not_fit_nothing_is_read() {
    let mut host = stuck();
    for n in 0..1_024 {
        assert_ne!(host.core.permit(host.now, &example(), 1), Permit::Full, "{n}");
        host.calls("get_followed_live", json!({}));
    }
    assert_eq!(host.core.permit(host.now, &example(), 1), Permit::Full);
    host.process(&example(), ProcessInput::Taken { lane: Lane::Answer, messages: 1, bytes: 60 });
    assert!(matches!(host.core.permit(host.now, &example(), 1), Permit::Read(_)));
}

#[test]
fn a_flood_waits_and_is_reported_until_it_is_over() {
    let mut host = TestHost::up();
    for _ in 0..50_000 {
        host.says(
            &example(),
            json!({"jsonrpc": "2.0", "method": "log", "params": {"level": "info", "message": ""}}),
        );
    }
    assert!(matches!(host.core.permit(host.now, &example(), 1), Permit::At(_)));
    host.moves();
    host.process(&example(), ProcessInput::Held);
    host.process(&example(), ProcessInput::Held);
    assert_eq!(host.moves(), ["throttled"]);
    host.pass_s(20);
    assert!(host.moves().iter().all(|it| it != "throttled"), "it waits still");
    // It need not write any more.
    host.process(&example(), ProcessInput::Resumed);
    host.pass_ms(999);
    assert!(host.moves().is_empty());
    host.pass_ms(1);
    assert_eq!(host.moves(), ["throttled"]);
    assert!(host.kills.is_empty(), "no reason for a restart");
}

#[test]
fn no_byte_taken_for_30_s_is_unhealthy() {
    let mut host = stuck();
    chat(&mut host, 1, "x");
    host.pass_ms(29_999);
    assert!(host.kills.is_empty());
    host.pass_ms(1);
    assert_eq!(host.kills.len(), 1);
    let cause = host.moved.iter().find_map(|(it, _)| match it {
        Transition::Unhealthy { cause, .. } => Some(*cause),
        _ => None,
    });
    assert_eq!(cause, Some(UnhealthyCause::NotReading));
    host.exits(&example(), crate::plugin::ExitStatus::Signal(9));
    assert_eq!(host.core.queued_bytes, 0);
}
