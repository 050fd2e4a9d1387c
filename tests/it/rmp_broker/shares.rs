//! Fair shares: who loses where more is queued than may be, what one session may ask for, and who is served
//! first (rulings RMP 8 and 9).

use proptest::prelude::*;
use rl_console::{
    ids::ConnectionId,
    limits,
    rmp::{DropReason, Verdict, broker::Input},
    tap::entry::rmp::{CloseCause, Transition},
};

use super::test_broker::TestBroker;
use crate::rmp_bus::frames;

/// 1 MiB, the least that may be set.
const QUEUED_MAX: u64 = 1 << 20;

fn narrow() -> limits::Rmp {
    limits::Rmp { queued_bytes_max: QUEUED_MAX, ..limits::Rmp::default() }
}

fn text(bytes: usize) -> String {
    "x".repeat(bytes)
}

/// What the queues of a session hold, as it was told last.
fn queued_bytes(fixture: &TestBroker, session: ConnectionId) -> u64 {
    fixture.fold.peers[&session].subs.values().map(|sub| sub.gauge.queued_bytes).sum()
}

fn back_pressure(fixture: &TestBroker, session: ConnectionId) -> u64 {
    let of = |sub: &rl_console::rmp::SubView| sub.gauge.dropped[DropReason::BackpressureTimeout.index()];
    fixture.fold.peers[&session].subs.values().map(of).sum()
}

/// How often a session is told that it may have no more.
fn busy(fixture: &mut TestBroker, session: ConnectionId) -> usize {
    let heard = fixture.hear(session);
    let codes: Vec<_> = heard.iter().filter(|it| it.name() == "Error").map(|it| it.error().1).collect();
    assert!(codes.iter().all(|code| code == "Busy"), "{codes:?}");
    codes.len()
}

#[test]
fn two_stalled_agents_cost_a_healthy_subscriber_nothing() {
    let mut fixture = TestBroker::with(narrow());
    let (publisher, healthy) = (fixture.agent(1), fixture.agent(2));
    let stalled = [fixture.agent(3), fixture.agent(4)];
    for (session, topic) in [(stalled[0], "noise"), (stalled[1], "noise"), (healthy, "news")] {
        fixture.subscribe(session, 1, topic);
    }
    let mut got = 0;
    for id in 0..400 {
        fixture.publish(publisher, "noise", false, &frames::message(id, &text(8_000)));
        fixture.publish(publisher, "news", false, &frames::message(id, &text(8_000)));
        assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 0 }));
        if id % 20 == 19 {
            got += fixture.delivered(healthy).len();
        }
    }
    assert_eq!(got, 400);
    fixture.wait(1_100);
    assert_eq!(back_pressure(&fixture, healthy), 0);
    let held = stalled.map(|session| queued_bytes(&fixture, session));
    assert!(held.iter().sum::<u64>() <= QUEUED_MAX && held.iter().all(|held| *held > 256 << 10), "{held:?}");
    let lost: u64 = stalled.iter().map(|session| back_pressure(&fixture, *session)).sum();
    assert_eq!(lost, fixture.broker.snapshot().totals.dropped[DropReason::BackpressureTimeout.index()]);
    assert!(lost > 600, "{lost}");
    // What is left to those that did not read is the newest.
    for session in stalled {
        let kept = fixture.delivered(session);
        assert_eq!(kept.last().unwrap().1, frames::message(399, &text(8_000)));
    }
}

#[test]
fn a_share_below_the_floor_is_taken_before_any_other() {
    let mut fixture = TestBroker::with(narrow());
    let publisher = fixture.agent(1);
    let holders: Vec<_> = (2..6).map(|id| fixture.agent(id)).collect();
    for (at, session) in holders.iter().enumerate() {
        fixture.subscribe(*session, 1, &format!("own/{at}"));
    }
    // Five connections: a fifth of the bound is less than 256 KiB.
    let floor = QUEUED_MAX / 5;
    for id in 0..200 {
        for at in 0..3 {
            fixture.publish(publisher, &format!("own/{at}"), false, &frames::message(id, &text(8_000)));
        }
    }
    let mut held = 0;
    while held + 9_000 < floor {
        fixture.publish(publisher, "own/3", false, &frames::message(held, &text(8_000)));
        fixture.wait(10);
        held += 9_000;
    }
    fixture.wait(1_100);
    assert_eq!(back_pressure(&fixture, holders[3]), 0);
    let total: u64 = holders.iter().map(|session| queued_bytes(&fixture, *session)).sum();
    assert!(total <= QUEUED_MAX, "{total}");
    assert!(holders[..3].iter().all(|session| queued_bytes(&fixture, *session) + 9_000 >= floor));
}

#[test]
fn a_message_that_made_room_is_not_seen_so_that_a_retry_arrives() {
    let mut fixture = TestBroker::with(narrow());
    let (publisher, stalled, other) = (fixture.agent(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(stalled, 1, "a");
    fixture.subscribe(other, 1, "b");
    for id in 0..140 {
        fixture.publish(publisher, "a", false, &frames::message(id, &text(8_000)));
    }
    fixture.transitions.clear();
    fixture.wait(1_000);
    let told = |it: &Transition| match it {
        Transition::Dropped { reason, topic, to, count, .. } => {
            Some((*reason, topic.to_string(), *to, *count))
        }
        _ => None,
    };
    let told: Vec<_> = fixture.transitions.iter().filter_map(told).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let (reason, topic, to, count) = &told[0];
    assert_eq!((*reason, topic.as_str(), *to), (DropReason::BackpressureTimeout, "a", Some((stalled, 1))));
    assert_eq!(fixture.delivered(stalled).len() as u64, 140 - count);
    fixture.publish(publisher, "a", false, &frames::message(0, &text(8_000)));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 0 }));
    fixture.publish(publisher, "a", false, &frames::message(139, &text(8_000)));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 1 }));
    assert_eq!(fixture.fold, fixture.broker.snapshot());
}

#[test]
fn forty_agents_that_ask_for_everything_cost_a_message_one_unit_each() {
    let mut fixture = TestBroker::open();
    let publisher = fixture.agent(1);
    let agents: Vec<_> = (2..42).map(|id| fixture.agent(id)).collect();
    for agent in &agents {
        fixture.subscribe(*agent, 0, "**");
        for sub in 1..1_000_u64 {
            fixture.say(*agent, "Subscribe", vec![("sub", sub.into()), ("topic", "**".into())]);
            assert_eq!(busy(&mut fixture, *agent), 1, "the same pattern twice");
        }
    }
    fixture.publish(publisher, "a/b", false, &frames::message(1, "x"));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 40, dropped: 0 }));
    // The widest that a session can ask for one topic.
    let topic = (1..=16).map(|segment| segment.to_string()).collect::<Vec<_>>();
    for agent in &agents {
        assert_eq!(fixture.delivered(*agent).len(), 1);
        let below = (1..16).map(|depth| format!("{}/**", topic[..depth].join("/")));
        for (sub, pattern) in below.chain([format!("{}/*", topic[..15].join("/"))]).enumerate() {
            fixture.subscribe(*agent, 2_000 + sub as u64, &pattern);
        }
        for sub in 0..48_u64 {
            fixture.subscribe(*agent, 3_000 + sub, &topic.join("/"));
        }
        fixture.subscribe(*agent, 4_000, "other");
        for again in [topic.join("/"), "other/*".to_owned()] {
            fixture.say(*agent, "Subscribe", vec![("sub", 5_000.into()), ("topic", again.into())]);
        }
        assert_eq!(busy(&mut fixture, *agent), 2, "64 patterns, and a topic twice is one");
    }
    let message = frames::message(2, &text(1_000));
    fixture.publish(publisher, &topic.join("/"), false, &message);
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 40 * 65, dropped: 0 }));
    let first = fixture.delivered(agents[0]);
    let mut subs: Vec<u64> = first.iter().map(|(sub, _)| *sub).collect();
    subs.dedup();
    assert_eq!(subs.len(), 65, "a Deliver for each");
    assert!(first.iter().all(|(_, delivered)| *delivered == message));
    fixture.put(Input::Closed { session: agents[1], cause: CloseCause::PeerClosed }, 0);
    let (units, bytes) = fixture.broker.forget(agents[1]);
    assert_eq!(units, 1, "and it is queued once");
    assert!(bytes < 65 * 200 + 1_200, "{bytes}");
}

#[test]
fn what_is_full_for_five_seconds_gets_nothing_until_it_reads_and_its_losses_are_told_once_a_second() {
    let limits = limits::Rmp { queue_messages_max: 4, ..limits::Rmp::default() };
    let mut fixture = TestBroker::with(limits);
    let (publisher, stalled, operator) = (fixture.agent(1), fixture.agent(2), fixture.operator(3));
    fixture.subscribe(stalled, 1, "a");
    fixture.subscribe(operator, 1, "rlp/sys/drops");
    let expiring = |fixture: &TestBroker, msg_id, ttl_ms| {
        let created_at_ms = fixture.now.wall.0;
        let header = frames::Header { schema_id: 1, created_at_ms, ttl_ms, trace_id: 7, msg_id };
        frames::frame(header, &frames::body("observation.note.v1", frames::map(vec![])))
    };
    for id in 0..5 {
        let message = expiring(&fixture, id, 60_000);
        fixture.publish(publisher, "a", false, &message);
    }
    assert_eq!(fixture.delivered(operator).len(), 1, "the fifth does not fit, and that is told at once");
    fixture.wait(5_000);
    let suppressed = |fixture: &mut TestBroker| -> Vec<u64> {
        let payload = |(_, frame): (u64, Vec<u8>)| {
            let body = rmpv::decode::read_value(&mut &frame[68..]).unwrap();
            frames::field(&frames::field(&body, "payload"), "suppressed").as_u64().unwrap_or_default()
        };
        fixture.delivered(operator).into_iter().map(payload).collect()
    };
    for second in 0..3 {
        for id in 0..50 {
            let message = expiring(&fixture, 100 + second * 50 + id, 60_000);
            fixture.publish(publisher, "a", false, &message);
            assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 1 }));
            fixture.wait(20);
        }
        fixture.wait(100);
        let told = suppressed(&mut fixture);
        assert!(told.len() == 1 && told[0] >= 40, "one notice a second: {told:?}");
    }
    fixture.wait(2_000);
    suppressed(&mut fixture);
    assert_eq!(back_pressure(&fixture, stalled), 151);
    assert_eq!(fixture.broker.snapshot().totals.dropped[DropReason::BackpressureTimeout.index()], 151);
    // It reads one byte, and may lose one by one again.
    fixture.broker.transmit(fixture.now, stalled, |_| Ok::<_, ()>(1)).unwrap();
    let message = expiring(&fixture, 500, 60_000);
    fixture.publish(publisher, "a", false, &message);
    assert_eq!(suppressed(&mut fixture), [0]);
    assert!(!fixture.hear_bytes(stalled).is_empty());
    let lost = expiring(&fixture, 100, 60_000);
    fixture.publish(publisher, "a", false, &lost);
    assert_eq!(fixture.delivered(stalled), [(1, lost)], "what was lost meanwhile was not seen");
    assert_eq!(fixture.fold, fixture.broker.snapshot());
}

#[test]
fn what_was_full_and_got_room_by_expiry_is_not_full_though_nothing_was_read() {
    let limits = limits::Rmp { queue_messages_max: 2, ..limits::Rmp::default() };
    let mut fixture = TestBroker::with(limits);
    let (publisher, stalled) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(stalled, 1, "a");
    let created_at_ms = fixture.now.wall.0;
    let message = |ttl_ms, msg_id| {
        let header = frames::Header { schema_id: 1, created_at_ms, ttl_ms, trace_id: 7, msg_id };
        frames::frame(header, &frames::body("observation.note.v1", frames::map(vec![])))
    };
    for (ttl_ms, msg_id) in [(60_000, 1), (1_000, 2), (60_000, 3)] {
        fixture.publish(publisher, "a", false, &message(ttl_ms, msg_id));
    }
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 1 }));
    fixture.wait(1_500);
    // The socket takes nothing, and of the two one is expired.
    fixture.broker.transmit(fixture.now, stalled, |_| Ok::<_, ()>(0)).unwrap();
    fixture.wait(6_000);
    fixture.publish(publisher, "a", false, &message(60_000, 4));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 0 }));
    fixture.publish(publisher, "a", false, &message(60_000, 5));
    fixture.wait(5_000);
    let frames = fixture.delivered(stalled).len();
    assert_eq!(frames, 2);
}

#[test]
fn a_large_message_is_queued_only_for_as_many_as_others_can_lose() {
    let mut fixture = TestBroker::with(narrow());
    let publisher = fixture.agent(1);
    let stalled: Vec<_> = (2..10).map(|id| fixture.agent(id)).collect();
    for session in &stalled {
        fixture.subscribe(*session, 1, "a");
    }
    fixture.subscribe(stalled[0], 2, "own");
    // Each holds a little less than its ninth of the bound, and one a little more.
    for id in 0..14 {
        fixture.publish(publisher, "a", false, &frames::message(id, &text(8_000)));
    }
    for id in 20..22 {
        fixture.publish(publisher, "own", false, &frames::message(id, &text(8_000)));
    }
    fixture.publish(publisher, "a", false, &frames::message(100, &text(100_000)));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 7 }));
    fixture.wait(1_100);
    let queued: u64 = stalled.iter().map(|session| queued_bytes(&fixture, *session)).sum();
    assert!(queued <= QUEUED_MAX, "{queued}");
}

#[test]
fn who_takes_nothing_of_a_large_message_is_closed_while_more_is_queued_than_may_be() {
    let mut fixture = TestBroker::with(narrow());
    let publisher = fixture.agent(1);
    let stalled: Vec<_> = (2..6).map(|id| fixture.agent(id)).collect();
    let reader = fixture.agent(6);
    for session in stalled.iter().chain([&reader]) {
        fixture.subscribe(*session, 1, "a");
        fixture.hear(*session);
    }
    let large = frames::message(1, &text(400_000));
    fixture.publish(publisher, "a", false, &large);
    assert_eq!(
        fixture.verdicts.last(),
        Some(&Verdict::Published { subscribers: 5, dropped: 0 }),
        "an empty queue takes one"
    );
    let one = |front: rl_console::rmp::outbox::Front<'_>| Ok::<_, ()>(front.slices()[0].len().min(1));
    for session in &stalled {
        fixture.broker.transmit(fixture.now, *session, one).unwrap();
    }
    for _ in 0..7 {
        fixture.wait(1_000);
        fixture.broker.transmit(fixture.now, reader, one).unwrap();
        fixture.drain(0);
    }
    let closed: Vec<_> = std::mem::take(&mut fixture.closed);
    assert_eq!(closed, stalled.iter().map(|id| (*id, CloseCause::NotReading)).collect::<Vec<_>>());
    for session in stalled {
        fixture.broker.forget(session);
    }
    assert!(fixture.broker.queued_bytes() <= QUEUED_MAX);
    assert!(fixture.hear_bytes(reader).ends_with(&large[large.len() - 1_000..]));
}

#[test]
fn an_empty_queue_takes_one_though_it_was_full_and_nothing_was_read() {
    let limits = limits::Rmp { queue_messages_max: 1, ..limits::Rmp::default() };
    let mut fixture = TestBroker::with(limits);
    let (publisher, stalled) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(stalled, 1, "a");
    let header = frames::Header {
        schema_id: 1,
        created_at_ms: fixture.now.wall.0,
        ttl_ms: 3_000,
        trace_id: 7,
        msg_id: 1,
    };
    let expiring = frames::frame(header, &frames::body("observation.note.v1", frames::map(vec![])));
    fixture.publish(publisher, "a", false, &expiring);
    fixture.publish(publisher, "a", false, &frames::message(2, "x"));
    fixture.wait(20_000);
    // The socket takes something again, and all that was queued is expired.
    assert!(fixture.hear_bytes(stalled).is_empty());
    fixture.publish(publisher, "a", false, &frames::message(3, "x"));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 0 }));
    assert_eq!(fixture.delivered(stalled).len(), 1);
}

#[test]
fn operators_are_served_first_and_lose_last() {
    let mut fixture = TestBroker::with(narrow());
    let publisher = fixture.agent(1);
    let (operator, stalled) = (fixture.operator(2), fixture.agent(3));
    let others: Vec<_> = (4..40).map(|id| fixture.agent(id)).collect();
    for session in others.iter().chain([&operator, &stalled]) {
        fixture.subscribe(*session, 1, "a");
    }
    while fixture.broker.poll_waiting().is_some() {}
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    assert_eq!(fixture.broker.poll_waiting(), Some(operator));
    let left = std::iter::from_fn(|| fixture.broker.poll_waiting()).count();
    assert_eq!(left, 37);
    for session in others {
        fixture.put(Input::Closed { session, cause: CloseCause::PeerClosed }, 0);
        fixture.broker.forget(session);
    }
    for id in 2..80 {
        fixture.publish(publisher, "a", false, &frames::message(id, &text(8_000)));
    }
    fixture.wait(1_100);
    assert_eq!(back_pressure(&fixture, operator), 0);
    assert!(back_pressure(&fixture, stalled) > 20);
    assert_eq!(fixture.delivered(operator).len(), 79);
}

#[derive(Clone, Debug)]
enum Op {
    /// By nobody in particular, on which topic, how much.
    Publish(usize, usize),
    /// So many bytes at most.
    Read(usize, usize),
    Wait(u64),
    Leave(usize),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        12 => (0_usize..4, prop_oneof![3 => 10_usize..2_000, 1 => 5_000_usize..40_000])
            .prop_map(|(topic, bytes)| Op::Publish(topic, bytes)),
        4 => (0_usize..6, 1_usize..100_000).prop_map(|(at, bytes)| Op::Read(at, bytes)),
        1 => (0_u64..3_000).prop_map(Op::Wait),
        1 => (0_usize..6).prop_map(Op::Leave),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The bound holds but for what each connection keeps whatever others hold, what was judged is what
    /// happens, and who holds less than its floor loses nothing.
    #[test]
    fn the_bound_holds_and_no_share_below_the_floor_is_cut(ops in proptest::collection::vec(op(), 1..300)) {
        const MAX: u64 = 200_000;
        const LARGEST: u64 = 41_000;
        let limits = limits::Rmp { queued_bytes_max: MAX, queue_messages_max: 50, ..limits::Rmp::default() };
        let mut fixture = TestBroker::with(limits);
        let publisher = fixture.agent(1);
        let mut connect = |id| if id == 7 { fixture.tool(id) } else { fixture.agent(id) };
        let agents: Vec<_> = (2..8).map(&mut connect).collect();
        for (at, agent) in agents.iter().enumerate() {
            for (sub, pattern) in ["t/**", "t/0", "t/1", "t/2", "t/*"].iter().enumerate().skip(at) {
                if fixture.is_tool(*agent) {
                    fixture.unit(
                        *agent,
                        &format!(r#"{{"Subscribe":{{"id":1,"topic":"{pattern}","sub_id":{sub}}}}}"#),
                    );
                } else {
                    fixture.subscribe(*agent, sub as u64, pattern);
                }
            }
        }
        let mut gone = [false; 6];
        for (id, op) in ops.into_iter().enumerate() {
            match op {
                Op::Publish(topic, bytes) => {
                    let message = frames::message(id as u64, &text(bytes));
                    fixture.publish(publisher, &format!("t/{topic}"), false, &message);
                }
                Op::Read(at, bytes_max) => {
                    let read = |front: rl_console::rmp::outbox::Front<'_>| {
                        let offered: usize = front.slices().iter().map(|slice| slice.len()).sum();
                        Ok::<_, ()>(offered.min(bytes_max))
                    };
                    fixture.broker.transmit(fixture.now, agents[at], read).unwrap();
                    fixture.drain(0);
                }
                Op::Wait(ms) => fixture.wait(ms),
                Op::Leave(at) if at > 3 && !gone[at] => {
                    gone[at] = true;
                    fixture.put(Input::Closed { session: agents[at], cause: CloseCause::PeerClosed }, 0);
                    fixture.broker.forget(agents[at]);
                }
                Op::Leave(_) => {}
            }
            let queued = fixture.broker.queued_bytes();
            // Beside the bound each may keep what has begun to leave and its newest message.
            prop_assert!(queued <= MAX + 6 * LARGEST, "{queued}");
            prop_assert_eq!(&fixture.fold, &fixture.broker.snapshot());
        }
    }
}
