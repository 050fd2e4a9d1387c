//! More topics than there is room for.

use rl_console::{
    ids::ConnectionId,
    limits,
    rmp::{Refusal, Verdict, broker::Input, broker::Wire},
    tap::entry::rmp::Transition,
};

use super::test_broker::TestBroker;
use crate::rmp_bus::frames;

/// As few topics as may be configured.
const TOPICS: u64 = 1_024;

fn crowded() -> TestBroker {
    TestBroker::with(limits::Rmp { topics_max: TOPICS, topic_keys_max: 4_096, ..limits::Rmp::default() })
}

fn fill(fixture: &mut TestBroker, from: ConnectionId, msg_ids: std::ops::Range<u64>, prefix: &str) {
    for n in msg_ids {
        fixture.publish(from, &format!("{prefix}/{n}"), false, &frames::message(n, "x"));
    }
}

fn code(fixture: &mut TestBroker, session: ConnectionId) -> Vec<String> {
    fixture
        .hear(session)
        .iter()
        .map(|frame| if frame.name() == "Error" { frame.error().1 } else { frame.name() })
        .collect()
}

#[test]
fn a_topic_that_was_let_go_is_published_on_again() {
    let mut fixture = crowded();
    let (steady, other) = (fixture.agent(1), fixture.agent(2));
    for n in 0..3 {
        fixture.publish(steady, "a", true, &frames::message(n, "x"));
    }
    fill(&mut fixture, other, 0..2 * TOPICS, "reply");
    for n in 3..6 {
        fixture.publish(steady, "a", true, &frames::message(n, "x"));
    }
    assert_eq!(code(&mut fixture, steady), ["Ok"; 6]);
}

#[test]
fn a_topic_that_is_let_go_between_a_publish_and_its_message_is_made_again() {
    let mut fixture = crowded();
    let (steady, other, subscriber) = (fixture.agent(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(subscriber, 1, "a");
    for n in 0..2 {
        fixture.publish(steady, "a", true, &frames::message(n, "x"));
    }
    fixture.wait(700_000);
    let publish = frames::control(9, "Publish", vec![("topic", "a".into()), ("ack", true.into())]);
    fixture.put(Input::Frame { session: steady, frame: Wire::Lent(&publish) }, 0);
    fill(&mut fixture, other, 0..2 * TOPICS, "reply");
    fixture.put(Input::Frame { session: steady, frame: Wire::Lent(&frames::message(2, "x")) }, 0);
    assert_eq!(code(&mut fixture, steady), ["Ok"; 3]);
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 0 }));
}

#[test]
fn operators_ask_however_many_topics_there_are() {
    let mut fixture = crowded();
    let (asker, other) = (fixture.operator(1), fixture.agent(2));
    let body = frames::body("intent.operator.request.v1", frames::map(vec![("v", 1.into())]));
    for round in 0..3 {
        let header = frames::Header {
            schema_id: 0x80,
            created_at_ms: 1,
            ttl_ms: u64::MAX - 2,
            trace_id: 77,
            msg_id: round,
        };
        fixture.publish(asker, "rlp/operator", true, &frames::frame(header, &body));
        fill(&mut fixture, other, 0..2 * TOPICS, "reply");
    }
    assert_eq!((code(&mut fixture, asker), fixture.asked.len()), (vec!["Ok".to_owned(); 3], 3));
}

#[test]
fn who_may_not_publish_displaces_no_topic() {
    let mut fixture = crowded();
    let (publisher, subscriber, stranger) = (fixture.agent(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(subscriber, 1, "a");
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    for n in 0..TOPICS + 300 {
        fixture.publish(stranger, &format!("rlp/sys/{n}"), false, &frames::message(n, "x"));
        assert_eq!(fixture.verdicts.last(), Some(&Verdict::Refused(Refusal::Forbidden)));
        if n % 100 == 0 {
            fixture.hear_bytes(stranger);
        }
    }
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 1 }));
}

#[test]
fn topics_of_which_nothing_is_remembered_go_first() {
    let mut fixture = crowded();
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "a");
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    fill(&mut fixture, publisher, 0..2 * TOPICS, "reply");
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 1 }));
}

#[test]
fn keys_that_go_with_their_topic_are_told() {
    let mut fixture = crowded();
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "**");
    fill(&mut fixture, publisher, 0..TOPICS + 1, "reply");
    fixture.wait(1_100);
    let evicted = fixture.transitions.iter().rev().find_map(|it| match it {
        Transition::DedupeStats { evicted_young, .. } => Some(*evicted_young),
        _ => None,
    });
    assert_eq!(evicted, Some(TOPICS / 8));
}

#[test]
fn drops_that_were_held_back_are_counted_before_their_topic_goes() {
    let mut fixture =
        TestBroker::with(limits::Rmp { topics_max: TOPICS, notices_per_s_max: 1, ..limits::Rmp::default() });
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "**");
    for n in 0..2 * TOPICS {
        for _ in 0..3 {
            fixture.publish(publisher, &format!("reply/{n}"), false, &frames::message(n, "x"));
        }
        fixture.hear_bytes(subscriber);
    }
    fixture.wait(3_000);
    assert_eq!(fixture.broker.snapshot().totals.dropped, [0, 4 * TOPICS, 0]);
    assert_eq!(fixture.fold.totals.dropped, [0, 4 * TOPICS, 0]);
}

#[test]
fn with_the_last_subscription_of_a_topic_goes_what_was_seen_on_it_and_who_comes_next_gets_it() {
    let mut fixture = TestBroker::open();
    let (publisher, subscriber, other) = (fixture.agent(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(subscriber, 1, "a/*");
    fixture.subscribe(other, 1, "b");
    for n in 1..=5 {
        fixture.publish(publisher, "a/x", false, &frames::message(n, "x"));
    }
    fixture.publish(publisher, "b", false, &frames::message(9, "x"));
    fixture.wait(1_100);
    assert_eq!(fixture.broker.snapshot().totals.keys, 6);
    fixture.say(subscriber, "Unsubscribe", vec![("sub", 1.into())]);
    fixture.wait(1_100);
    let totals = fixture.broker.snapshot().totals;
    assert_eq!(
        (totals.keys, totals.evicted_young),
        (1, 0),
        "nothing that anyone could have seen was forgotten"
    );
    fixture.hear_bytes(subscriber);
    fixture.subscribe(subscriber, 2, "a/x");
    for (subscribers, dropped) in [(1, 0), (0, 1)] {
        fixture.publish(publisher, "a/x", false, &frames::message(1, "x"));
        assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers, dropped }));
    }
    assert_eq!(fixture.fold, fixture.broker.snapshot());
}
