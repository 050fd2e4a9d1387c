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

fn drop_notices(house: &TestBroker) -> Vec<(String, DropReason, u64)> {
    let told = |it: &Transition| match it {
        Transition::Dropped { topic, reason, count, .. } => Some((topic.to_string(), *reason, *count)),
        _ => None,
    };
    house.transitions.iter().filter_map(told).collect()
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

fn code(house: &mut TestBroker, session: ConnectionId) -> Vec<String> {
    house
        .hear(session)
        .iter()
        .map(|frame| if frame.name() == "Error" { frame.error().1 } else { frame.name() })
        .collect()
}

#[test]
fn what_is_lost_of_notices_is_no_loss_of_the_topic_that_comes_next() {
    let mut house = TestBroker::with(limits::Rmp {
        queue_messages_max: 1,
        notices_per_s_max: 1,
        ..limits::Rmp::default()
    });
    let (publisher, subscriber, stalled) = (house.agent(1), house.agent(2), house.operator(3));
    house.subscribe(subscriber, 1, "*");
    house.subscribe(stalled, 1, "rlp/sys/**");
    for _ in 0..4 {
        house.publish(publisher, "lossy", false, &frames::message(1, "x"));
        house.hear_bytes(subscriber);
    }
    house.wait(1_100);
    house.transitions.clear();
    house.publish(publisher, "healthy", false, &frames::message(2, "x"));
    assert_eq!(drop_notices(&house), []);
    house.wait(2_000);
    assert!(
        drop_notices(&house).iter().all(|(topic, ..)| topic.starts_with("rlp/sys/")),
        "{:?}",
        drop_notices(&house)
    );
}

#[test]
fn drops_on_system_topics_are_in_the_totals_summed_and_not_noticed() {
    let mut house = TestBroker::with(limits::Rmp { queue_messages_max: 1, ..limits::Rmp::default() });
    let (publisher, subscriber) = (house.agent(1), house.agent(2));
    let (stalled, reader) = (house.operator(3), house.operator(4));
    house.subscribe(subscriber, 1, "a");
    house.subscribe(stalled, 1, "rlp/sys/drops");
    house.subscribe(reader, 1, "rlp/sys/drops");
    let mut notices = 0;
    for _ in 0..6 {
        house.publish(publisher, "a", false, &frames::message(1, "x"));
        house.hear_bytes(subscriber);
        notices += house.delivered(reader).len();
    }
    house.transitions.clear();
    house.wait(5_000);
    assert_eq!(drop_notices(&house), [("rlp/sys/drops".to_owned(), DropReason::BackpressureTimeout, 4)]);
    assert_eq!((notices, house.delivered(reader).len()), (5, 0));
    let snapshot = house.broker.snapshot();
    assert_eq!(
        (snapshot.totals.dropped[BACKPRESSURE], snapshot.topics["rlp/sys/drops"].dropped[BACKPRESSURE]),
        (4, 4)
    );
    assert_eq!(house.fold, snapshot);
}

#[test]
fn each_loss_is_told_of_whose_it_is() {
    let mut house = TestBroker::with(limits::Rmp {
        queue_messages_max: 2,
        notices_per_s_max: 1,
        ..limits::Rmp::default()
    });
    let (publisher, never, once) = (house.agent(1), house.agent(2), house.agent(3));
    house.subscribe(never, 7, "a");
    house.subscribe(once, 8, "a");
    for message in 0..12 {
        house.publish(publisher, "a", false, &frames::message(message, "x"));
        if !(4..7).contains(&message) {
            house.hear_bytes(once);
        }
    }
    for _ in 0..4 {
        house.wait(1_100);
    }
    let lost_by = |session| {
        let of = |it: &Transition| match it {
            Transition::Dropped { to: Some((to, _)), count, .. } if *to == session => *count,
            _ => 0,
        };
        house.transitions.iter().map(of).sum::<u64>()
    };
    assert_eq!((lost_by(never), lost_by(once)), (10, 2));
    assert_eq!(house.fold, house.broker.snapshot());
}

#[test]
fn no_second_has_more_notices_than_are_allowed() {
    let mut house = TestBroker::with(limits::Rmp { notices_per_s_max: 3, ..limits::Rmp::default() });
    let (publisher, subscriber) = (house.agent(1), house.agent(2));
    house.subscribe(subscriber, 1, "a");
    house.publish(publisher, "a", false, &frames::message(1, "x"));
    let mut at_ms = Vec::new();
    for ms in 0..6_000 {
        house.transitions.clear();
        if ms % 7 == 0 {
            house.publish(publisher, "a", false, &frames::message(1, "x"));
        }
        house.wait(1);
        at_ms.extend(drop_notices(&house).iter().map(|_| ms));
    }
    let most =
        at_ms.iter().map(|from| at_ms.iter().filter(|at| (*from..from + 1_000).contains(*at)).count()).max();
    assert_eq!(most, Some(3), "{at_ms:?}");
    house.wait(3_000);
    assert_eq!(house.broker.snapshot().totals.dropped, [0, 858, 0], "and none is left out");
}

#[test]
fn what_expired_in_a_queue_was_not_seen_so_that_a_retry_arrives() {
    const EPOCH_MS: u64 = 1_790_000_000_000;
    let mut house = TestBroker::open();
    let (publisher, subscriber, other) = (house.agent(1), house.agent(2), house.agent(3));
    house.subscribe(subscriber, 1, "a");
    house.subscribe(other, 1, "a");
    house.publish(publisher, "a", false, &expiring(1, EPOCH_MS, 500));
    assert_eq!(house.delivered(other).len(), 1);
    house.wait(600);
    assert_eq!(house.delivered(subscriber), []);
    let retry = expiring(1, EPOCH_MS + 600, 500);
    house.publish(publisher, "a", false, &retry);
    assert_eq!(house.verdicts.last(), Some(&Verdict::Published { subscribers: 1, dropped: 1 }));
    assert_eq!((house.delivered(subscriber), house.delivered(other)), (vec![(1, retry.clone())], vec![]));
    house.publish(publisher, "a", false, &retry);
    assert_eq!(house.verdicts.last(), Some(&Verdict::Published { subscribers: 0, dropped: 2 }), "once");
}

#[test]
fn an_operators_request_that_is_repeated_is_answered_ok_and_asked_once() {
    let mut house = TestBroker::open();
    let asker = house.operator(1);
    for _ in 0..3 {
        house.publish(asker, "rlp/operator", true, &request(77, 1, 60_000));
    }
    assert_eq!((code(&mut house, asker), house.asked.len()), (vec!["Ok".to_owned(); 3], 1));
    assert_eq!(
        drop_notices(&house),
        [
            ("rlp/operator".to_owned(), DropReason::Duplicate, 1),
            ("rlp/operator".to_owned(), DropReason::Duplicate, 1)
        ]
    );
    house.publish(asker, "rlp/operator", true, &request(77, 2, 60_000));
    house.publish(asker, "rlp/operator", true, &request(78, 1, 60_000));
    assert_eq!(house.asked.len(), 3, "another number or another trace is another request");
}

#[test]
fn an_operators_request_for_which_there_was_no_room_may_come_again() {
    let mut house = TestBroker::open();
    let asker = house.operator(1);
    house.takes = false;
    house.publish(asker, "rlp/operator", true, &request(77, 1, 60_000));
    assert_eq!(code(&mut house, asker), ["Busy"]);
    let refused = house.asked.len();
    house.takes = true;
    house.publish(asker, "rlp/operator", true, &request(77, 1, 60_000));
    assert_eq!((code(&mut house, asker), house.asked.len()), (vec!["Ok".to_owned()], refused + 1));
}

#[test]
fn an_operators_request_that_is_late_is_noticed_and_shown_to_nobody() {
    let mut house = TestBroker::open();
    let (asker, reader) = (house.operator(1), house.operator(2));
    house.subscribe(reader, 1, "rlp/sys/**");
    house.wait(1_000);
    house.publish(asker, "rlp/operator", true, &request(77, 1, 1_000));
    assert_eq!((code(&mut house, asker), house.asked.len()), (vec!["Expired".to_owned()], 0));
    assert_eq!(drop_notices(&house), [("rlp/operator".to_owned(), DropReason::TtlExpired, 1)]);
    assert_eq!(house.delivered(reader).len(), 1, "the notice alone");
    assert_eq!(house.broker.snapshot().totals.dropped, [1, 0, 0]);
}
