//! Messages of the bus.

use std::{path::PathBuf, time::Duration};

use rl_console::{
    ids::ConnectionId,
    limits::{self, Limits},
    port::{Arm, Command, GateCommand, GateError, GateOutcome, OnTimeout, Page, Query, Then, Way},
    tap::{
        entry::{
            What,
            gate::{Passed, Passing},
        },
        recorded::OwnedEntry,
    },
    time::Clock,
};

use super::Gated;
use crate::{
    real::plugins::until,
    rmp_bus::{Peer, frames},
};

fn path(gated: &Gated) -> PathBuf {
    gated.ready.rmp.clone().unwrap()
}

fn agent(gated: &Gated) -> Peer {
    Peer::greeted(&path(gated), "agent", None)
}

/// The number of the next message that is delivered.
fn next(peer: &mut Peer) -> u64 {
    peer.delivered().2.msg_id()
}

/// The frames of a `Publish` and its message, as they are held.
pub(super) fn unit(topic: &str, msg_id: u64, text: &str) -> Vec<u8> {
    let publish = frames::control(9, "Publish", vec![("topic", topic.into()), ("ack", false.into())]);
    [&publish[..], &frames::message(msg_id, text)].concat()
}

#[test]
fn a_held_message_holds_its_connection_alone_and_goes_on_as_decided() {
    let gated = Gated::open();
    let (mut held, mut free, mut subscriber) = (agent(&gated), agent(&gated), agent(&gated));
    subscriber.subscribe(1, "a");
    subscriber.subscribe(2, "b");
    gated.arm("topic:a", Way::In);
    for msg_id in 1..=4 {
        held.publish("a", false, &frames::message(msg_id, "held"));
    }
    held.publish("b", false, &frames::message(5, "behind it"));
    let first = gated.wait_held(1).pop().unwrap();
    assert_eq!((first.kind.as_str(), first.way, first.verdict.as_str()), ("Publish", Way::In, "accepted"));
    free.publish("b", false, &frames::message(6, "another connection"));
    assert_eq!(next(&mut subscriber), 6, "nobody else waits");
    gated.pass(first.frame);
    assert_eq!(next(&mut subscriber), 1);
    let second = gated.wait_held(1).pop().unwrap();
    gated.command(GateCommand::Drop { frames: vec![second.frame] }).unwrap();
    let third = gated.wait_held(1).pop().unwrap();
    gated.edit(third.frame, unit("a", 33, "edited"), false).unwrap();
    assert_eq!(next(&mut subscriber), 33);
    let fourth = gated.wait_held(1).pop().unwrap();
    assert_eq!(
        gated.command(GateCommand::Pass { frames: vec![third.frame] }),
        Err(GateError::NotIntercepted { frame: third.frame })
    );
    assert_eq!(
        gated.command(GateCommand::Disarm { rule: None }).unwrap(),
        GateOutcome::Disarmed { rules: vec![fourth.rule] }
    );
    assert_eq!([next(&mut subscriber), next(&mut subscriber)], [4, 5], "in their order");
    assert_eq!(gated.held(), []);
}

#[test]
fn the_tap_says_that_a_frame_was_held_and_what_became_of_it_before_the_frame_itself() {
    let gated = Gated::open();
    let mut publisher = agent(&gated);
    gated.arm("topic:a", Way::In);
    let mut reader = gated.tap();
    publisher.publish("a", true, &frames::message(1, "x"));
    let held = gated.wait_held(1).pop().unwrap();
    gated.edit(held.frame, unit("a", 2, "y"), false).unwrap();
    let is_published = |it: &OwnedEntry| matches!(&it.entry.what, What::Frame(it) if it.origin.is_some());
    let entries = gated.read_until(&mut reader, |entries| entries.iter().any(is_published));
    let own = entries.iter().find(|it| is_published(it)).unwrap();
    let passed = entries.iter().find(|it| Some(it.entry.seq) == own.entry.cause).unwrap();
    let What::Passed(Passed { number, how: Passing::Edited, by: Some(_) }) = &passed.entry.what else {
        panic!("{passed:?}")
    };
    let stopped = entries.iter().find(|it| Some(it.entry.seq) == passed.entry.cause).unwrap();
    let What::Intercepted(stopped_frame) = &stopped.entry.what else { panic!("{stopped:?}") };
    assert_eq!(
        (*number, stopped_frame.number, stopped_frame.hold_ms),
        (held.frame, held.frame, Some(30_000))
    );
    assert_eq!(passed.bytes, unit("a", 2, "y"));
    let What::Frame(frame) = &own.entry.what else { panic!("{own:?}") };
    let origin = frame.origin.as_ref().unwrap();
    assert_eq!((origin.number, origin.of), (held.frame, Some(stopped.entry.seq)));
}

#[test]
fn what_leaves_to_one_subscriber_is_held_and_the_other_has_its_own() {
    let gated = Gated::open();
    let (mut publisher, mut slow, mut free) = (agent(&gated), agent(&gated), agent(&gated));
    slow.subscribe(7, "a");
    free.subscribe(8, "a");
    gated.arm("link:rmp sub:7", Way::Out);
    for msg_id in 1..=3 {
        publisher.publish("a", false, &frames::message(msg_id, "x"));
    }
    assert_eq!([next(&mut free), next(&mut free), next(&mut free)], [1, 2, 3]);
    let held = gated.wait_held(1).pop().unwrap();
    assert_eq!(held.way, Way::Out);
    gated.command(GateCommand::Drop { frames: vec![held.frame] }).unwrap();
    let second = gated.wait_held(1).pop().unwrap();
    assert!(gated.bytes(second.frame).ends_with(&frames::message(2, "x")[68..]));
    gated.pass(second.frame);
    assert_eq!(next(&mut slow), 2, "the first was dropped");
    gated.wait_held(1);
    gated.command(GateCommand::Disarm { rule: None }).unwrap();
    assert_eq!(next(&mut slow), 3);
}

#[test]
fn what_one_message_has_leave_to_several_is_held_on_the_connection_that_the_rule_means() {
    let gated = Gated::open();
    let (mut publisher, mut slow) = (agent(&gated), agent(&gated));
    let mut others = [agent(&gated), agent(&gated)];
    slow.subscribe(7, "a");
    slow.subscribe(8, "b");
    for (sub, other) in (9..).zip(&mut others) {
        other.subscribe(sub, "a");
        other.subscribe(sub + 10, "b");
    }
    gated.arm("link:rmp sub:7", Way::Out);
    publisher.publish("a", false, &frames::message(1, "x"));
    publisher.publish("b", false, &frames::message(2, "x"));
    for other in &mut others {
        assert_eq!([next(other), next(other)], [1, 2], "no rule means it");
    }
    let held = gated.wait_held(1).pop().unwrap();
    publisher.publish("b", false, &frames::message(3, "x"));
    for other in &mut others {
        assert_eq!(next(other), 3);
    }
    assert_eq!(gated.held().len(), 1, "what follows it there waits unasked");
    gated.pass(held.frame);
    assert_eq!([next(&mut slow), next(&mut slow), next(&mut slow)], [1, 2, 3]);
}

#[test]
fn a_rule_that_is_armed_later_holds_what_others_let_pass() {
    let gated = Gated::open();
    let (mut publisher, mut subscriber) = (agent(&gated), agent(&gated));
    subscriber.subscribe(1, "a");
    for way in [Way::In, Way::Out] {
        gated.arm("topic:b", way);
        gated.arm("topic:c verdict:fault", way);
    }
    for msg_id in 1..=3 {
        publisher.publish("a", false, &frames::message(msg_id, "x"));
        assert_eq!(next(&mut subscriber), msg_id);
    }
    gated.arm("topic:a", Way::In);
    publisher.publish("a", false, &frames::message(4, "x"));
    let incoming = gated.wait_held(1).pop().unwrap();
    gated.arm("sub:1", Way::Out);
    gated.pass(incoming.frame);
    let leaving = gated.wait_held(1).pop().unwrap();
    assert_eq!((incoming.way, leaving.way), (Way::In, Way::Out));
    gated.command(GateCommand::Disarm { rule: None }).unwrap();
    assert_eq!(next(&mut subscriber), 4);
}

#[test]
fn what_expires_while_it_is_held_is_not_delivered() {
    let gated = Gated::open();
    let (mut publisher, mut subscriber) = (agent(&gated), agent(&gated));
    subscriber.subscribe(1, "a");
    gated.arm("link:rmp sub:1", Way::Out);
    let now_ms = Clock::start().now().wall.0;
    let header = frames::Header { schema_id: 1, created_at_ms: now_ms, ttl_ms: 300, trace_id: 1, msg_id: 1 };
    let body = frames::body("observation.note.v1", frames::map(vec![("text", "x".into())]));
    publisher.publish("a", false, &frames::frame(header, &body));
    let held = gated.wait_held(1).pop().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    gated.pass(held.frame);
    publisher.publish("a", false, &frames::message(2, "x"));
    let second = gated.wait_held(1).pop().unwrap();
    gated.pass(second.frame);
    assert_eq!(next(&mut subscriber), 2, "the first has expired at the gate");
}

#[test]
fn a_unit_that_expires_while_it_is_held_holds_up_nothing() {
    let gated = Gated::open();
    let (mut publisher, mut subscriber) = (agent(&gated), agent(&gated));
    subscriber.subscribe(1, "a");
    subscriber.subscribe(2, "b");
    gated.arm("link:rmp sub:1", Way::Out);
    let now_ms = Clock::start().now().wall.0;
    let header = frames::Header { schema_id: 1, created_at_ms: now_ms, ttl_ms: 300, trace_id: 1, msg_id: 1 };
    let body = frames::body("observation.note.v1", frames::map(vec![("text", "x".into())]));
    publisher.publish("a", false, &frames::frame(header, &body));
    let held = gated.wait_held(1).pop().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    publisher.publish("b", false, &frames::message(2, "x"));
    assert_eq!(next(&mut subscriber), 2, "what is behind it leaves");
    let gone = gated.command(GateCommand::Pass { frames: vec![held.frame] });
    assert_eq!(gone, Err(GateError::NotIntercepted { frame: held.frame }));
}

#[test]
fn frames_pass_or_are_dropped_when_their_time_is_up_and_a_rule_ends() {
    let limits = Limits {
        gate: limits::Gate { hold_ms_max: 100, rule_ms_max: 1_500, ..limits::Gate::default() },
        ..Limits::default()
    };
    let gated = Gated::with(&limits);
    let (mut publisher, mut subscriber) = (agent(&gated), agent(&gated));
    for (sub, topic) in (1_u64..).zip(["a", "b", "c"]) {
        subscriber.subscribe(sub, topic);
    }
    gated.arm("topic:a", Way::In);
    let drops = Arm { filter: "topic:b".to_owned(), on_timeout: OnTimeout::Drop, ..Arm::default() };
    gated.command(GateCommand::Arm(drops)).unwrap();
    publisher.publish("a", false, &frames::message(1, "passes"));
    publisher.publish("b", false, &frames::message(2, "is dropped"));
    publisher.publish("c", false, &frames::message(3, "was behind"));
    assert_eq!([next(&mut subscriber), next(&mut subscriber)], [1, 3]);
    let has_none = || matches!(gated.query(Query::GateRules), Page::GateRules(rules) if rules.is_empty());
    until(|| "rules end by themselves".to_owned(), || has_none().then_some(()));
}

#[test]
fn a_rule_without_a_filter_or_with_what_is_not_known_yet_is_refused() {
    let gated = Gated::open();
    let arm = |filter: &str| {
        gated.command(GateCommand::Arm(Arm { filter: filter.to_owned(), ..Arm::default() })).unwrap_err()
    };
    assert_eq!(arm("  "), GateError::NoFilter);
    assert_eq!(arm("trace:1"), GateError::NotKnownYet { field: "trace".to_owned() });
    assert!(matches!(arm("nothing:of:that"), GateError::BadFilter { .. }));
    assert_eq!(gated.command(GateCommand::Disarm { rule: Some(7) }), Err(GateError::NoRule { rule: 7 }));
    let limits =
        Limits { gate: limits::Gate { rules_max: 1, ..limits::Gate::default() }, ..Limits::default() };
    let full = Gated::with(&limits);
    full.arm("topic:a", Way::In);
    let more = GateCommand::Arm(Arm { filter: "topic:b".to_owned(), ..Arm::default() });
    assert_eq!(full.command(more), Err(GateError::GateFull { armed: 1 }));
}

#[test]
fn what_would_not_be_held_any_more_passes_and_is_counted() {
    let limits =
        Limits { gate: limits::Gate { intercepted_max: 1, ..limits::Gate::default() }, ..Limits::default() };
    let gated = Gated::with(&limits);
    let (mut held, mut passes, mut subscriber) = (agent(&gated), agent(&gated), agent(&gated));
    subscriber.subscribe(1, "a");
    gated.arm("topic:a", Way::In);
    held.publish("a", false, &frames::message(1, "x"));
    gated.wait_held(1);
    passes.publish("a", false, &frames::message(2, "x"));
    assert_eq!(next(&mut subscriber), 2);
    let Page::GateRules(rules) = gated.query(Query::GateRules) else { panic!("rules are listed") };
    assert_eq!((rules[0].taken, rules[0].passed_full), (1, 1));
}

#[test]
fn operators_are_not_cut_off_from_what_they_hold_and_handshakes_pass() {
    let gated = Gated::open();
    gated.arm("link:rmp", Way::In);
    gated.arm("link:rmp", Way::Out);
    let token =
        rl_console::station::bus::token(gated.folder.path(), rl_console::station::bus::TokenKind::Operator);
    let mut operator = Peer::greeted(&path(&gated), "tui", Some(&token.unwrap()));
    operator.subscribe(1, "a");
    // Its Hello passes, and what it says then is held.
    let mut agent = agent(&gated);
    agent.publish("a", false, &frames::message(1, "x"));
    let held = gated.wait_held(1).pop().unwrap();
    gated.pass(held.frame);
    assert_eq!(next(&mut operator), 1);
}

#[test]
fn a_second_hello_and_a_message_with_a_token_in_it_are_not_held() {
    let gated = Gated::open();
    let token =
        rl_console::station::bus::token(gated.folder.path(), rl_console::station::bus::TokenKind::Operator)
            .unwrap();
    let (mut publisher, mut subscriber) = (agent(&gated), agent(&gated));
    subscriber.subscribe(1, "a");
    gated.arm("link:rmp", Way::In);
    gated.arm("topic:a", Way::Out);
    publisher.publish("a", false, &frames::message(1, &token));
    assert_eq!(next(&mut subscriber), 1, "it is held neither way");
    let again = [
        ("v", 1.into()),
        ("client", "test".into()),
        ("kind", "tui".into()),
        ("token", token.as_str().into()),
    ];
    publisher.say("Hello", again.to_vec());
    assert_eq!(publisher.hear().name(), "Error", "it is heard at once");
    publisher.publish("a", false, &frames::message(2, "no token"));
    assert!(gated.bytes(gated.wait_held(1).pop().unwrap().frame).ends_with(b"no token"));
}

#[test]
fn an_edit_that_is_kept_is_made_of_all_that_is_like_it() {
    let gated = Gated::open();
    let (mut publisher, mut subscriber) = (agent(&gated), agent(&gated));
    subscriber.subscribe(1, "a");
    gated.arm("topic:a", Way::In);
    publisher.publish("a", false, &frames::message(1, "before"));
    let held = gated.wait_held(1).pop().unwrap();
    let bytes = gated.bytes(held.frame);
    let (publish, _) = bytes.split_at(bytes.len() - frames::message(1, "before").len());
    let edited = [publish, &frames::message(1, "after!")].concat();
    gated.edit(held.frame, edited, true).unwrap();
    publisher.publish("a", false, &frames::message(2, "before"));
    let text = |frame: &frames::Frame| frames::field(&frame.payload(), "text").as_str().unwrap().to_owned();
    let texts = [0; 2].map(|_| text(&subscriber.delivered().2));
    assert_eq!(texts, ["after!", "after!"]);
    let refused = gated.edit(held.frame, b"part".to_vec(), false).unwrap_err();
    assert_eq!(refused, GateError::NotIntercepted { frame: held.frame });
}

#[test]
fn bytes_without_an_end_are_not_let_pass_in_a_frames_place() {
    let gated = Gated::open();
    let mut publisher = agent(&gated);
    gated.arm("topic:a", Way::In);
    publisher.publish("a", false, &frames::message(1, "x"));
    let held = gated.wait_held(1).pop().unwrap();
    let mut part = unit("a", 1, "x");
    part.pop();
    assert!(matches!(gated.edit(held.frame, part, false), Err(GateError::NotWhole { .. })));
    assert_eq!(gated.wait_held(1).len(), 1, "it is held still");
}

#[test]
fn faults_are_for_a_rehearsal_and_each_is_told() {
    let gated = Gated::open();
    let (mut publisher, mut subscriber) = (agent(&gated), agent(&gated));
    for (sub, topic) in (1_u64..).zip(["dropped", "delayed", "doubled", "free"]) {
        subscriber.subscribe(sub, topic);
    }
    let fault = |topic: &str, then: Then| {
        let arm = Arm { filter: format!("topic:{topic}"), way: Some(Way::In), then, ..Arm::default() };
        gated.command(GateCommand::Arm(arm)).unwrap();
    };
    fault("dropped", Then::Drop);
    fault("delayed", Then::Delay { ms: 50, jitter_ms: 10 });
    fault("doubled", Then::Duplicate);
    fault("cut", Then::Cut);
    let mut reader = gated.tap();
    for (msg_id, topic) in (1_u64..).zip(["dropped", "delayed", "doubled", "free"]) {
        publisher.publish(topic, false, &frames::message(msg_id, "x"));
    }
    assert_eq!([next(&mut subscriber), next(&mut subscriber), next(&mut subscriber)], [2, 3, 4]);
    publisher.publish("cut", false, &frames::message(5, "x"));
    assert!(publisher.try_hear().is_none(), "its connection is cut");
    let hows = |entries: &[OwnedEntry]| -> Vec<Passing> {
        let how = |it: &OwnedEntry| match &it.entry.what {
            What::Passed(passed) => Some(passed.how),
            _ => None,
        };
        entries.iter().filter_map(how).collect()
    };
    let entries = gated.read_until(&mut reader, |entries| hows(entries).len() == 4);
    assert_eq!(
        hows(&entries),
        [Passing::Dropped, Passing::Delayed, Passing::Duplicated, Passing::Cut],
        "each is told"
    );
}

#[test]
fn a_peer_that_ends_has_said_what_it_said() {
    let gated = Gated::open();
    let mut subscriber = agent(&gated);
    subscriber.subscribe(1, "a");
    gated.arm("topic:a", Way::In);
    let mut publisher = agent(&gated);
    for msg_id in 1..=3 {
        publisher.publish("a", false, &frames::message(msg_id, "x"));
    }
    gated.wait_held(1);
    drop(publisher);
    gated.command(GateCommand::Disarm { rule: None }).unwrap();
    assert_eq!([next(&mut subscriber), next(&mut subscriber), next(&mut subscriber)], [1, 2, 3]);
}

#[test]
fn a_session_that_is_ended_while_it_is_held_loses_nothing_that_came() {
    let gated = Gated::open();
    let mut subscriber = agent(&gated);
    subscriber.subscribe(1, "a");
    let mut publisher = agent(&gated);
    gated.arm("topic:a", Way::In);
    for msg_id in 1..=3 {
        publisher.publish("a", false, &frames::message(msg_id, "x"));
    }
    gated.wait_held(1);
    let Page::Peers(peers) = gated.query(Query::Peers) else { panic!("peers are listed") };
    let session: ConnectionId = peers.iter().map(|peer| peer.session).max().unwrap();
    gated.do_command(Command::KickPeer { session }).unwrap();
    assert!(publisher.try_hear().is_none_or(|frame| frame.name() == "Error"), "it is ended");
    gated.wait_held(0);
}

/// Under random holds and passes a core gets the same messages in the same order on every connection.
#[test]
fn every_connection_is_heard_in_its_order_whatever_is_held() {
    const MESSAGES: u64 = 60;
    for seed in 0..6_u64 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let gated = Gated::open();
        let mut subscriber = agent(&gated);
        let mut publishers: Vec<Peer> = (0..4).map(|_| agent(&gated)).collect();
        let topics = ["a", "b", "c", "d"];
        for (sub, topic) in (1_u64..).zip(topics) {
            subscriber.subscribe(sub, topic);
            if chance.bool() {
                gated.arm(&format!("topic:{topic}"), if chance.bool() { Way::In } else { Way::Out });
            }
        }
        let mut sent = vec![Vec::new(); publishers.len()];
        for msg_id in 1..=MESSAGES {
            let who = chance.usize(..publishers.len());
            let text = "x".repeat(chance.usize(..3_000));
            let topic = topics[chance.usize(..topics.len())];
            publishers[who].publish(topic, false, &frames::message(msg_id, &text));
            sent[who].push(msg_id);
            if chance.u8(..20) == 0 {
                let way = if chance.bool() { Way::In } else { Way::Out };
                gated.arm(&format!("topic:{}", topics[chance.usize(..topics.len())]), way);
            }
            if chance.u8(..4) == 0 {
                let held = gated.held();
                let at = chance.usize(..held.len().max(1));
                if let Some(row) = held.get(at) {
                    // It may have gone meanwhile.
                    let _ = gated.command(GateCommand::Pass { frames: vec![row.frame] });
                }
            }
        }
        let passing = std::thread::scope(|scope| {
            let hearing =
                scope.spawn(move || (0..MESSAGES).map(|_| next(&mut subscriber)).collect::<Vec<_>>());
            while !hearing.is_finished() {
                let _ = gated.command(GateCommand::Pass { frames: Vec::new() });
                std::thread::sleep(Duration::from_millis(1));
            }
            hearing.join().unwrap()
        });
        for sent in &sent {
            let heard: Vec<u64> = passing.iter().copied().filter(|id| sent.contains(id)).collect();
            assert_eq!(&heard, sent, "seed {seed}");
        }
    }
}
