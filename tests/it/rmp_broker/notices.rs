//! Events of the bus: notices at their rate, figures once a second, and a snapshot that its entries
//! carry on.

use proptest::prelude::*;
use rl_console::{
    ids::{ConnectionId, TraceId},
    limits,
    rmp::{
        DropReason, SchemaId,
        broker::{InboxCapacity, Input, StationMessage},
    },
    tap::entry::rmp::{CloseCause, Transition},
    time::{Now, Wall},
};

use super::test_broker::TestBroker;
use crate::rmp_bus::frames;

fn drop_notices(fixture: &TestBroker) -> (usize, u64) {
    let counts: Vec<u64> = fixture
        .transitions
        .iter()
        .filter_map(|it| if let Transition::Dropped { count, .. } = it { Some(*count) } else { None })
        .collect();
    (counts.len(), counts.iter().sum())
}

#[test]
fn notices_come_at_most_so_often_and_the_rest_is_summed_into_the_next() {
    let mut fixture = TestBroker::with(limits::Rmp { notices_per_s_max: 3, ..limits::Rmp::default() });
    let (publisher, subscriber, operator) = (fixture.agent(1), fixture.agent(2), fixture.operator(3));
    fixture.subscribe(subscriber, 1, "a");
    fixture.subscribe(operator, 1, "rlp/sys/drops");
    for _ in 0..11 {
        fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    }
    assert_eq!(drop_notices(&fixture), (3, 3));
    fixture.wait(1_500);
    assert_eq!(drop_notices(&fixture), (4, 10));
    let last = fixture.delivered(operator).pop().unwrap().1;
    let payload = frames::field(&rmpv::decode::read_value(&mut &last[68..]).unwrap(), "payload");
    assert_eq!(frames::field(&payload, "suppressed").as_u64(), Some(6));
    assert_eq!(fixture.broker.snapshot().totals.dropped[DropReason::Duplicate.index()], 10);
}

#[test]
fn losses_of_the_notices_themselves_are_counted_and_not_noticed() {
    let mut fixture = TestBroker::with(limits::Rmp { queue_messages_max: 1, ..limits::Rmp::default() });
    let (publisher, subscriber, operator) = (fixture.agent(1), fixture.agent(2), fixture.operator(3));
    fixture.subscribe(subscriber, 1, "a");
    fixture.subscribe(operator, 1, "rlp/sys/drops");
    for _ in 0..6 {
        fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    }
    assert_eq!(drop_notices(&fixture), (5, 5));
    fixture.wait(1_100);
    let snapshot = fixture.broker.snapshot();
    let gauge = snapshot.peers[&operator].subs[&1].gauge;
    assert_eq!((gauge.queued_messages, gauge.dropped[DropReason::BackpressureTimeout.index()]), (1, 4));
    let notices = &snapshot.topics["rlp/sys/drops"];
    assert_eq!((notices.published, notices.dropped), (0, [0, 0, 4]));
}

#[test]
fn what_expires_in_a_tools_queue_is_shown_as_the_frame_that_came_if_that_is_not_too_long() {
    let mut fixture = TestBroker::open();
    let (publisher, tool, operator) = (fixture.agent(1), fixture.tool(2), fixture.operator(3));
    fixture.subscribe(operator, 1, "rlp/sys/drops/bodies");
    fixture.unit(tool, r#"{"Subscribe":{"id":1,"topic":"a","sub_id":1}}"#);
    assert!(String::from_utf8_lossy(&fixture.hear_bytes(tool)).contains(r#""result":{"Ok":null}"#));
    let message = |msg_id, text: &str| {
        let header =
            frames::Header { schema_id: 1, created_at_ms: 1, ttl_ms: 1_000, trace_id: 0xabc, msg_id };
        frames::frame(header, &frames::body("observation.note.v1", frames::map(vec![("text", text.into())])))
    };
    let messages = [message(1, "x"), message(2, &"x".repeat(60_000)), message(3, &"x".repeat(70_000))];
    for message in &messages {
        fixture.publish(publisher, "a", false, message);
    }
    fixture.wait(2_000);
    assert!(fixture.hear_bytes(tool).is_empty());
    let shown: Vec<Vec<u8>> = fixture.delivered(operator).into_iter().map(|(_, frame)| frame).collect();
    assert!(shown == messages[..2], "{} are shown", shown.len());
    assert_eq!(fixture.broker.snapshot().totals.dropped[DropReason::TtlExpired.index()], 3);
}

#[test]
fn a_set_clock_is_told_by_what_the_station_says_too() {
    let mut fixture = TestBroker::open();
    fixture.now = Now { wall: Wall(fixture.now.wall.0 - 7_200_000), ..fixture.now };
    let (topic, body) = (
        "rlp/sys/metrics".into(),
        frames::body("observation.metrics.snapshot.v1", frames::map(vec![])).into(),
    );
    let own = StationMessage {
        topic,
        schema_id: SchemaId(3_001),
        trace: TraceId(uuid::Uuid::nil()),
        ttl_ms: 5_000,
        body,
    };
    fixture.broker.publish(fixture.now, &own);
    fixture.drain(0);
    assert_eq!(fixture.transitions, [Transition::ClockJumped { by_ms: -7_200_000 }]);
}

#[test]
fn a_set_clock_is_told_and_expires_nothing() {
    let mut fixture = TestBroker::open();
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "a");
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    fixture.now = Now { wall: Wall(fixture.now.wall.0 + 7_200_000), ..fixture.now };
    fixture.publish(publisher, "a", false, &frames::message(2, "x"));
    assert!(fixture.transitions.contains(&Transition::ClockJumped { by_ms: 7_200_000 }));
    assert_eq!(fixture.delivered(subscriber).len(), 2);
}

#[test]
fn a_message_is_judged_by_the_clock_that_it_will_be_handled_by() {
    let mut fixture = TestBroker::open();
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "a");
    let (created_at_ms, body) =
        (fixture.now.wall.0, frames::body("observation.note.v1", frames::map(vec![])));
    let header = frames::Header { schema_id: 1, created_at_ms, ttl_ms: 1_000, trace_id: 1, msg_id: 1 };
    fixture.now = Now { wall: Wall(created_at_ms - 7_200_000), ..fixture.now };
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    fixture.now = Now { wall: Wall(created_at_ms + 7_200_000), ..fixture.now };
    fixture.publish(publisher, "a", false, &frames::frame(header, &body));
    assert_eq!(fixture.delivered(subscriber).len(), 2);
}

#[test]
fn an_idle_broker_asks_for_no_more_moments() {
    let mut fixture = TestBroker::with(limits::Rmp { ttl_ms_max: 1_000, ..limits::Rmp::default() });
    let (publisher, subscriber) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(subscriber, 1, "a");
    fixture.publish(publisher, "a", false, &frames::message(1, "x"));
    assert_eq!(fixture.delivered(subscriber).len(), 1);
    fixture.wait(10_000);
    assert_eq!(fixture.broker.timeout(), None);
    assert_eq!(fixture.broker.snapshot().totals.keys, 0);
}

#[derive(Clone, Debug)]
enum Op {
    Connect(usize),
    Leave(usize),
    Kick(usize),
    Subscribe(usize, u64, usize),
    Unsubscribe(usize, u64),
    /// By whom, on which topic, which number, how much text, and whether it is expired.
    Publish(usize, usize, u64, usize, bool),
    Garble(usize),
    Read(usize),
    Wait(u64),
}

const PATTERNS: [&str; 5] = ["a", "b/c", "b/*", "**", "a//"];
const TOPICS: [&str; 10] =
    ["a", "b/c", "b/d", "rlp/sys/x", "a b", "b/e", "c", "d/e/f", "rlp/ctrl", "agent/x"];

fn publish() -> impl Strategy<Value = Op> {
    let bytes = prop_oneof![3 => 1_usize..8, 2 => 50_usize..700];
    let expired = prop_oneof![9 => Just(false), 1 => Just(true)];
    (1_usize..6, 0..TOPICS.len(), 0_u64..20, bytes, expired)
        .prop_map(|(id, at, msg_id, bytes, is_expired)| Op::Publish(id, at, msg_id, bytes, is_expired))
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => (1_usize..6).prop_map(Op::Connect),
        1 => (1_usize..6).prop_map(Op::Leave),
        1 => (1_usize..6).prop_map(Op::Kick),
        3 => (1_usize..6, 0_u64..3, 0_usize..5).prop_map(|(id, sub, at)| Op::Subscribe(id, sub, at)),
        1 => (1_usize..6, 0_u64..3).prop_map(|(id, sub)| Op::Unsubscribe(id, sub)),
        10 => publish(),
        1 => (1_usize..6).prop_map(Op::Garble),
        3 => (1_usize..6).prop_map(Op::Read),
        2 => (0_u64..2_000).prop_map(Op::Wait),
    ]
}

/// Has a broker of few places do all that, and a fold of its entries from a snapshot before the operation
/// `from` on; they agree, and so do what is judged and what is done, at each.
fn follow(ops: Vec<Op>, from: usize, limits: limits::Rmp) {
    let mut fixture = TestBroker::made(
        limits::Rmp { queue_messages_max: 3, notices_per_s_max: 2, connections_max: 8, ..limits },
        true,
    );
    let mut sessions: [Option<ConnectionId>; 6] = [None; 6];
    let mut next = 0;
    for (n, op) in ops.into_iter().enumerate() {
        if n == from {
            fixture.fold = fixture.broker.snapshot();
        }
        match op {
            Op::Connect(id) if sessions[id].is_none() => {
                next += 1;
                sessions[id] = Some(match next % 4 {
                    0 => fixture.operator(next),
                    1 => fixture.tool(next),
                    _ => fixture.agent(next),
                });
            }
            Op::Leave(id) => {
                if let Some(session) = sessions[id].take() {
                    fixture.put(Input::Closed { session, cause: CloseCause::PeerClosed }, 0);
                    fixture.broker.forget(session);
                }
            }
            Op::Kick(id) => {
                if let Some(session) = sessions[id].take() {
                    fixture.broker.kick(fixture.now, session);
                    fixture.drain(0);
                }
            }
            Op::Wait(ms) => {
                fixture.wait(ms);
                fixture.broker.set_inbox_capacity(InboxCapacity { messages: 2, bytes: 10_000 });
            }
            Op::Subscribe(id, sub, at) => {
                if let Some(session) = sessions[id] {
                    let topic = PATTERNS[at];
                    if fixture.is_tool(session) {
                        fixture.unit(
                            session,
                            &format!(r#"{{"Subscribe":{{"id":1,"topic":"{topic}","sub_id":{sub}}}}}"#),
                        );
                    } else {
                        fixture.say(session, "Subscribe", vec![("sub", sub.into()), ("topic", topic.into())]);
                    }
                }
            }
            Op::Unsubscribe(id, sub) => {
                if let Some(session) = sessions[id] {
                    if fixture.is_tool(session) {
                        fixture.unit(session, &format!(r#"{{"Unsubscribe":{{"sub_id":{sub}}}}}"#));
                    } else {
                        fixture.say(session, "Unsubscribe", vec![("sub", sub.into())]);
                    }
                }
            }
            Op::Publish(id, at, msg_id, bytes, is_expired) => {
                if let Some(session) = sessions[id] {
                    let message = frames::message_of(msg_id, &"x".repeat(bytes), is_expired);
                    if fixture.is_tool(session) {
                        fixture.publish_unit(session, TOPICS[at], &message);
                    } else {
                        fixture.publish(session, TOPICS[at], msg_id % 2 == 0, &message);
                    }
                }
            }
            Op::Garble(id) => {
                if let Some(session) = sessions[id] {
                    let mut frame = frames::control(1, "Ping", vec![]);
                    frame[70] = 0xc1;
                    fixture.send(session, &frame);
                }
            }
            Op::Read(id) => {
                if let Some(session) = sessions[id] {
                    fixture.hear_bytes(session);
                }
            }
            Op::Connect(_) => {}
        }
        assert_eq!(fixture.fold, fixture.broker.snapshot());
    }
}

#[test]
fn what_is_told_of_a_topic_that_is_let_go_is_within_the_bound_before_the_next_message() {
    let ops = vec![
        Op::Connect(1),
        Op::Connect(3),
        Op::Connect(2),
        Op::Connect(5),
        Op::Subscribe(5, 1, 3),
        Op::Kick(1),
        Op::Subscribe(5, 0, 0),
        Op::Connect(1),
        Op::Subscribe(1, 0, 3),
        Op::Publish(1, 5, 0, 359, false),
        Op::Subscribe(1, 1, 1),
        Op::Publish(1, 0, 0, 6, false),
        Op::Publish(1, 1, 0, 131, false),
        Op::Publish(1, 9, 0, 113, false),
        Op::Publish(2, 0, 0, 1, false),
    ];
    let limits = limits::Rmp {
        topics_max: 2,
        shown_topics_max: 1,
        queue_bytes_max: 1_625,
        queued_bytes_max: 2_488,
        body_bytes_max: 736,
        ..limits::Rmp::default()
    };
    follow(ops, 0, limits);
}

/// Its topic would be refused, and its length breaks the stream before that.
#[test]
fn a_message_that_is_too_long_ends_the_connection_whatever_its_topic() {
    let ops = vec![Op::Connect(1), Op::Publish(1, 4, 0, 550, false), Op::Publish(1, 0, 0, 5, false)];
    follow(ops, 0, limits::Rmp { body_bytes_max: 500, ..limits::Rmp::default() });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// A snapshot at any moment and the entries behind it make the broker's own.
    #[test]
    fn a_snapshot_is_carried_on_by_the_entries_that_follow_it(
        ops in proptest::collection::vec(op(), 1..120),
        from in 0_usize..120,
        topics_max in 2_u64..12,
        shown_topics_max in 1_u64..12,
        queue_bytes_max in 300_u64..4_000,
        queued_bytes_max in 300_u64..8_000,
        body_bytes_max in 500_u64..2_000,
    ) {
        let limits = limits::Rmp {
            topics_max,
            shown_topics_max,
            queue_bytes_max,
            queued_bytes_max,
            body_bytes_max,
            ..limits::Rmp::default()
        };
        follow(ops, from, limits);
    }
}
