//! Notices of losses: on the topic that they belong to, once each, at the rate that is allowed.

use rl_console::{
    ids::ConnectionId,
    limits,
    rmp::{DropReason, Verdict},
    tap::entry::rmp::Transition,
};

use super::test_broker::TestBroker;
use crate::rmp_bus::frames;

const BACKPRESSURE: usize = 2;

fn drop_notices(fixture: &TestBroker) -> Vec<(String, DropReason, u64)> {
    let told = |it: &Transition| match it {
        Transition::Dropped { topic, reason, count, .. } => Some((topic.to_string(), *reason, *count)),
        _ => None,
    };
    fixture.transitions.iter().filter_map(told).collect()
}

fn expiring(msg_id: u64, created_at_ms: u64, ttl_ms: u64) -> Vec<u8> {
    let header = frames::Header { schema_id: 1, created_at_ms, ttl_ms, trace_id: 5, msg_id };
    frames::frame(header, &frames::body("observation.note.v1", frames::map(vec![])))
}

fn request(trace_id: u128, msg_id: u64, ttl_ms: u64) -> Vec<u8> {
    let header =
        frames::Header { schema_id: 0x80, created_at_ms: 1_790_000_000_000, ttl_ms, trace_id, msg_id };
    frames::frame(header, &frames::body("intent.operator.request.v1", frames::map(vec![("v", 1.into())])))
}

fn code(fixture: &mut TestBroker, session: ConnectionId) -> Vec<String> {
    fixture
        .hear(session)
        .iter()
        .map(|frame| if frame.name() == "Error" { frame.error().1 } else { frame.name() })
        .collect()
}

#[test]
fn what_is_lost_of_notices_is_no_loss_of_the_topic_that_comes_next() {
    let mut fixture = TestBroker::with(limits::Rmp {
        queue_messages_max: 1,
        notices_per_s_max: 1,
        ..limits::Rmp::default()
    });
    let (publisher, subscriber, stalled) = (fixture.agent(1), fixture.agent(2), fixture.operator(3));
    fixture.subscribe(subscriber, 1, "*");
    fixture.subscribe(stalled, 1, "rlp/sys/**");
    for _ in 0..4 {
        fixture.publish(publisher, "lossy", false, &frames::message(1, "x"));
        fixture.hear_bytes(subscriber);
    }
    fixture.wait(1_100);
    fixture.transitions.clear();
    fixture.publish(publisher, "healthy", false, &frames::message(2, "x"));
    assert_eq!(drop_notices(&fixture), []);
    fixture.wait(2_000);
    assert!(
        drop_notices(&fixture).iter().all(|(topic, ..)| topic.starts_with("rlp/sys/")),
        "{:?}",
        drop_notices(&fixture)
    );
}

#[test]
fn drops_on_system_topics_are_in_the_totals_summed_and_not_noticed() {
    let mut fixture = TestBroker::with(limits::Rmp { queue_messages_max: 1, ..limits::Rmp::default() });
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    let (stalled, reader) = (fixture.operator(3), fixture.operator(4));
    fixture.subscribe(subscriber, 1, "a");
    fixture.subscribe(stalled, 1, "rlp/sys/drops");
    fixture.subscribe(reader, 1, "rlp/sys/drops");
    let mut notices = 0;
    for _ in 0..6 {
        fixture.publish(publisher, "a", false, &frames::message(1, "x"));
        fixture.hear_bytes(subscriber);
        notices += fixture.delivered(reader).len();
    }
    fixture.transitions.clear();
    fixture.wait(5_000);
    assert_eq!(drop_notices(&fixture), [("rlp/sys/drops".to_owned(), DropReason::BackpressureTimeout, 4)]);
    assert_eq!((notices, fixture.delivered(reader).len()), (5, 0));
    let snapshot = fixture.broker.snapshot();
    assert_eq!(
        (snapshot.totals.dropped[BACKPRESSURE], snapshot.topics["rlp/sys/drops"].dropped[BACKPRESSURE]),
        (4, 4)
    );
    assert_eq!(fixture.fold, snapshot);
}

#[test]
fn each_loss_is_told_of_whose_it_is() {
    let mut fixture = TestBroker::with(limits::Rmp {
        queue_messages_max: 2,
        notices_per_s_max: 1,
        ..limits::Rmp::default()
    });
    let (publisher, never, once) = (fixture.agent(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(never, 7, "a");
    fixture.subscribe(once, 8, "a");
    for message in 0..12 {
        fixture.publish(publisher, "a", false, &frames::message(message, "x"));
        if !(4..7).contains(&message) {
            fixture.hear_bytes(once);
        }
    }
    for _ in 0..4 {
        fixture.wait(1_100);
    }
    let lost_by = |session| {
        let of = |it: &Transition| match it {
            Transition::Dropped { to: Some((to, _)), count, .. } if *to == session => *count,
            _ => 0,
        };
        fixture.transitions.iter().map(of).sum::<u64>()
    };
    assert_eq!((lost_by(never), lost_by(once)), (10, 2));
    assert_eq!(fixture.fold, fixture.broker.snapshot());
}

#[test]
fn no_second_has_more_notices_than_are_allowed() {
    let mut fixture = TestBroker::with(limits::Rmp { notices_per_s_max: 3, ..limits::Rmp::default() });
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "a");
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    let mut at_ms = Vec::new();
    for ms in 0..6_000 {
        fixture.transitions.clear();
        if ms % 7 == 0 {
            fixture.publish(publisher, "a", false, &frames::message(1, "x"));
        }
        fixture.wait(1);
        at_ms.extend(drop_notices(&fixture).iter().map(|_| ms));
    }
    let most =
        at_ms.iter().map(|from| at_ms.iter().filter(|at| (*from..from + 1_000).contains(*at)).count()).max();
    assert_eq!(most, Some(3), "{at_ms:?}");
    fixture.wait(3_000);
    assert_eq!(fixture.broker.snapshot().totals.dropped, [0, 858, 0], "and none is left out");
}

#[test]
fn what_expired_in_a_queue_was_not_seen_so_that_a_retry_arrives() {
    const EPOCH_MS: u64 = 1_790_000_000_000;
    let mut fixture = TestBroker::open();
    let (publisher, subscriber, other) = (fixture.agent(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(subscriber, 1, "a");
    fixture.subscribe(other, 1, "a");
    fixture.publish(publisher, "a", false, &expiring(1, EPOCH_MS, 500));
    assert_eq!(fixture.delivered(other).len(), 1);
    fixture.wait(600);
    assert_eq!(fixture.delivered(subscriber), []);
    let retry = expiring(1, EPOCH_MS + 600, 500);
    fixture.publish(publisher, "a", false, &retry);
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 1 }));
    assert_eq!((fixture.delivered(subscriber), fixture.delivered(other)), (vec![(1, retry.clone())], vec![]));
    fixture.publish(publisher, "a", false, &retry);
    assert_eq!(fixture.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 2 }), "once");
}

#[test]
fn an_operators_request_that_is_repeated_is_answered_ok_and_asked_once() {
    let mut fixture = TestBroker::open();
    let asker = fixture.operator(1);
    for _ in 0..3 {
        fixture.publish(asker, "rlp/operator", true, &request(77, 1, 60_000));
    }
    assert_eq!((code(&mut fixture, asker), fixture.asked.len()), (vec!["Ok".to_owned(); 3], 1));
    assert_eq!(
        drop_notices(&fixture),
        [
            ("rlp/operator".to_owned(), DropReason::Duplicate, 1),
            ("rlp/operator".to_owned(), DropReason::Duplicate, 1)
        ]
    );
    fixture.publish(asker, "rlp/operator", true, &request(77, 2, 60_000));
    fixture.publish(asker, "rlp/operator", true, &request(78, 1, 60_000));
    assert_eq!(fixture.asked.len(), 3, "another number or another trace is another request");
}

#[test]
fn an_operators_request_for_which_there_was_no_room_may_come_again() {
    let mut fixture = TestBroker::open();
    let asker = fixture.operator(1);
    fixture.takes = false;
    fixture.publish(asker, "rlp/operator", true, &request(77, 1, 60_000));
    assert_eq!(code(&mut fixture, asker), ["Busy"]);
    let refused = fixture.asked.len();
    fixture.takes = true;
    fixture.publish(asker, "rlp/operator", true, &request(77, 1, 60_000));
    assert_eq!((code(&mut fixture, asker), fixture.asked.len()), (vec!["Ok".to_owned()], refused + 1));
}

#[test]
fn an_operators_request_that_is_late_is_noticed_and_shown_to_nobody() {
    let mut fixture = TestBroker::open();
    let (asker, reader) = (fixture.operator(1), fixture.operator(2));
    fixture.subscribe(reader, 1, "rlp/sys/**");
    fixture.wait(1_000);
    fixture.publish(asker, "rlp/operator", true, &request(77, 1, 1_000));
    assert_eq!((code(&mut fixture, asker), fixture.asked.len()), (vec!["Expired".to_owned()], 0));
    assert_eq!(drop_notices(&fixture), [("rlp/operator".to_owned(), DropReason::TtlExpired, 1)]);
    assert_eq!(fixture.delivered(reader).len(), 1, "the notice alone");
    assert_eq!(fixture.broker.snapshot().totals.dropped, [1, 0, 0]);
}
