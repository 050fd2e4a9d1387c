//! Faults that rules make of calls of the coordination runtime, and what the tap is told of each.

use std::time::Duration;

use rl_console::{
    macp::proto::v1::{Ack, SendRequest, StreamSessionRequest},
    port::{Arm, GateCommand, Then, Way},
    tap::{
        Reader,
        entry::{Direction, Frame, What, gate::Passing},
        recorded::OwnedEntry,
    },
    time::Clock,
};
use tonic::{Code, Status};

use super::{
    Gated,
    runtime::{Client, opened},
};
use crate::{macp::test_station::envelope, real::plugins::until};

const SESSION: &str = "s";

/// A station with a session, and who reads what the tap is told from then on.
fn session() -> (Gated, Client, Reader) {
    let gated = Gated::open();
    let client = opened(&gated, SESSION);
    let reader = gated.tap();
    (gated, client, reader)
}

/// Makes this fault of the next call that a filter matches.
fn arm(gated: &Gated, filter: &str, way: Way, then: Then) {
    let (seed, filter) = (Some(7), filter.to_owned());
    let rule = Arm { filter, way: Some(way), then, seed, frames_max: Some(1), ..Arm::default() };
    gated.command(GateCommand::Arm(rule)).unwrap();
}

fn proposal(id: &str) -> rl_console::macp::proto::v1::Envelope {
    let payload = format!(r#"{{"proposal_id":"{id}","option":"x"}}"#);
    envelope(SESSION, "Proposal", id, "alice", payload)
}

fn propose(gated: &Gated, client: &Client, id: &str) -> Result<Ack, Status> {
    let (mut client, request) = (client.clone(), SendRequest { envelope: Some(proposal(id)) });
    gated.block_on(client.send(request)).map(|sent| sent.into_inner().ack.unwrap())
}

/// A call that must be accepted; whether the runtime had its message already.
#[track_caller]
fn accepted(gated: &Gated, client: &Client, id: &str) -> bool {
    let ack = propose(gated, client, id).unwrap();
    assert!(ack.ok, "{ack:?}");
    ack.duplicate
}

fn frame(it: &OwnedEntry) -> Option<&Frame> {
    if let What::Frame(frame) = &it.entry.what { Some(frame) } else { None }
}

fn is_frame(it: &OwnedEntry, direction: Direction) -> bool {
    frame(it).is_some_and(|frame| frame.direction == direction)
}

/// What the tap is told until the call that says this is answered.
fn told_until(gated: &Gated, client: &Client, reader: &mut Reader, id: &str) -> Vec<OwnedEntry> {
    accepted(gated, client, id);
    let asks = |it: &OwnedEntry| is_frame(it, Direction::Inbound) && says(it, id);
    gated.read_until(reader, |entries| {
        let asked = entries.iter().find(|it| asks(it)).map(|it| it.entry.seq);
        asked.is_some()
            && entries.iter().any(|it| is_frame(it, Direction::Outbound) && it.entry.cause == asked)
    })
}

fn says(it: &OwnedEntry, id: &str) -> bool {
    memchr::memmem::find(&it.bytes, id.as_bytes()).is_some()
}

/// The only frame that was stopped: for how long, and how it went on; each is the cause of the next.
#[track_caller]
fn stopped(entries: &[OwnedEntry]) -> (Option<u64>, Passing, Option<&OwnedEntry>) {
    let stopped: Vec<_> = entries
        .iter()
        .filter_map(|it| if let What::Intercepted(of) = &it.entry.what { Some((it, of)) } else { None })
        .collect();
    let [(notice, of)] = &stopped[..] else { panic!("{stopped:?}") };
    let caused_by = |seq| move |it: &&OwnedEntry| it.entry.cause == Some(seq);
    let left = entries.iter().find(caused_by(notice.entry.seq)).unwrap();
    let What::Passed(passed) = &left.entry.what else { panic!("{left:?}") };
    assert_eq!((passed.number, &passed.by), (of.number, &None), "nobody decided");
    let own = entries.iter().find(caused_by(left.entry.seq)).filter(|it| frame(it).is_some());
    (of.hold_ms, passed.how, own)
}

#[test]
fn a_call_and_an_answer_are_delayed_with_jitter() {
    let (gated, client, mut reader) = session();
    let clock = Clock::start();
    for (id, filter, way) in [("p1", "type:Proposal", Way::In), ("p2", "link:macp", Way::Out)] {
        arm(&gated, filter, way, Then::Delay { ms: 300, jitter_ms: 100 });
        let before = clock.mono();
        assert!(!accepted(&gated, &client, id));
        let took = clock.mono().since(before);
        let entries = told_until(&gated, &client, &mut reader, &format!("after-{id}"));
        let (held_ms, how, own) = stopped(&entries);
        let held_ms = held_ms.unwrap();
        assert!((200..=400).contains(&held_ms), "{held_ms}");
        assert!(took >= Duration::from_millis(held_ms), "{took:?} for {held_ms} ms");
        let direction = if way == Way::In { Direction::Inbound } else { Direction::Outbound };
        assert_eq!((how, own.map(|it| is_frame(it, direction))), (Passing::Delayed, Some(true)));
    }
}

#[test]
fn a_call_that_is_dropped_or_cut_is_reset_and_the_runtime_does_not_know_it() {
    for (then, how) in [(Then::Drop, Passing::Dropped), (Then::Cut, Passing::Cut)] {
        let (gated, client, mut reader) = session();
        arm(&gated, "link:macp type:Proposal", Way::In, then);
        let reset = propose(&gated, &client, "lost").unwrap_err();
        assert_eq!(reset.code(), Code::Cancelled, "{reset:?}");
        let entries = told_until(&gated, &client, &mut reader, "after");
        let (held_ms, left, own) = stopped(&entries);
        assert_eq!((held_ms, left, own), (None, how, None), "no frame comes of it");
        assert!(!entries.iter().any(|it| frame(it).is_some() && says(it, "lost")), "{entries:?}");
        assert!(!accepted(&gated, &client, "lost"), "it is new to the runtime");
    }
}

#[test]
fn an_answer_that_is_dropped_or_cut_resets_its_call_and_what_was_asked_is_done() {
    for (then, how) in [(Then::Drop, Passing::Dropped), (Then::Cut, Passing::Cut)] {
        let (gated, client, mut reader) = session();
        arm(&gated, "link:macp", Way::Out, then);
        assert_eq!(propose(&gated, &client, "done").unwrap_err().code(), Code::Cancelled);
        let entries = told_until(&gated, &client, &mut reader, "after");
        let (held_ms, left, own) = stopped(&entries);
        assert_eq!((held_ms, left, own), (None, how, None), "no answer leaves");
        let asked = entries.iter().find(|it| is_frame(it, Direction::Inbound) && says(it, "done")).unwrap();
        let notice = entries.iter().find(|it| matches!(it.entry.what, What::Intercepted(_))).unwrap();
        assert_eq!(notice.entry.cause, Some(asked.entry.seq), "the answer is the call's");
        assert!(accepted(&gated, &client, "done"), "the runtime has it");
    }
}

#[test]
fn a_stream_ends_with_its_message_that_is_dropped_and_others_go_on() {
    let (gated, mut client, mut reader) = session();
    arm(&gated, "type:Proposal", Way::In, Then::Delay { ms: 50, jitter_ms: 50 });
    let say = |id: &str| StreamSessionRequest { envelope: Some(proposal(id)) };
    let messages = futures_util::stream::iter(["first", "second", "third", "fourth"].map(say));
    let mut answers = gated.block_on(client.stream_session(messages)).unwrap().into_inner();
    let mut next = || gated.block_on(answers.message());
    let first = next().unwrap().unwrap().envelope.unwrap();
    assert_eq!(first.message_id, "ack-first", "it was late, and nothing overtook it");
    let mut ids = Vec::new();
    while let Some(answer) = next().unwrap() {
        ids.push(answer.envelope.unwrap().message_id);
    }
    assert_eq!(ids, ["second", "third", "fourth"].map(|id| format!("ack-{id}")));
    let entries = told_until(&gated, &client, &mut reader, "between");
    let (_, how, own) = stopped(&entries);
    assert!(how == Passing::Delayed && own.is_some_and(|it| says(it, "first")), "{how:?} {own:?}");

    arm(&gated, "link:macp type:Proposal", Way::In, Then::Drop);
    let messages = futures_util::stream::iter(["p1", "p2"].map(say));
    let mut client_of_stream = client.clone();
    let ended = gated.block_on(async {
        let mut answers = client_of_stream.stream_session(messages).await?.into_inner();
        answers.message().await
    });
    assert_eq!(ended.unwrap_err().code(), Code::Cancelled);
    let entries = told_until(&gated, &client, &mut reader, "after");
    assert_eq!(stopped(&entries).1, Passing::Dropped);
    assert!(!entries.iter().any(|it| frame(it).is_some() && says(it, "p2")), "nothing behind it is taken");
    assert!(!accepted(&gated, &client, "p2"));
}

/// A call has one answer.
#[test]
fn no_call_is_doubled_by_a_rule_that_doubles_other_frames() {
    let (gated, client, mut reader) = session();
    arm(&gated, "type:Proposal or kind:Ping", Way::In, Then::Duplicate);
    let entries = told_until(&gated, &client, &mut reader, "once");
    assert!(!entries.iter().any(|it| matches!(it.entry.what, What::Intercepted(_))), "{entries:?}");
    let calls = entries.iter().filter(|it| is_frame(it, Direction::Inbound) && says(it, "once"));
    assert_eq!(calls.count(), 1);
}

#[test]
fn while_the_store_fails_a_call_is_not_durable_and_it_is_kept_once_the_store_writes() {
    let (mut gated, client, mut reader) = session();
    let filter = "link:macp type:Proposal".to_owned();
    let then = Then::FailStore { ms: 30_000 };
    gated.command(GateCommand::Arm(Arm { filter, way: Some(Way::In), then, ..Arm::default() })).unwrap();
    let undecided = propose(&gated, &client, "late").unwrap_err();
    assert_eq!(undecided.code(), Code::Unavailable, "{undecided:?}");
    assert!(undecided.message().contains("not durable yet; send it again"), "{undecided:?}");
    let entries = gated.read_until(&mut reader, |entries| {
        entries.iter().any(|it| is_frame(it, Direction::Inbound) && says(it, "late"))
    });
    let (held_ms, how, own) = stopped(&entries);
    assert_eq!((held_ms, how, own.is_some()), (None, Passing::AsItWas, true), "the call itself passes");
    gated.command(GateCommand::Disarm { rule: None }).unwrap();
    let again = || propose(&gated, &client, "late").ok().filter(|ack| ack.ok);
    let ack = until(|| format!("{:?}", propose(&gated, &client, "late")), again);
    assert!(ack.duplicate, "it was accepted once: {ack:?}");
    gated.restart();
    let client = super::runtime::client(&gated);
    assert!(accepted(&gated, &client, "late"), "it is there after a restart");
}
