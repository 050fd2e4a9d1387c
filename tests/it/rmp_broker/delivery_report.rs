//! Whom a message of the station's own reaches of those that may answer it.

use std::sync::Arc;

use rl_console::{
    ids::{ConnectionId, TraceId},
    limits,
    rmp::{
        SchemaId,
        broker::{DeliveryReport, Input, StationMessage, UnreadRequest},
    },
};

use super::test_broker::{TestBroker, VIEWER};
use crate::rmp_bus::frames;

fn request(house: &mut TestBroker, agent: &str, bytes: usize) -> DeliveryReport {
    let body = frames::body(
        "intent.executor.agent.request.v1",
        frames::map(vec![("text", "x".repeat(bytes).into())]),
    )
    .into();
    let (topic, trace) = (format!("agent/{agent}").as_str().into(), TraceId(uuid::Uuid::nil()));
    let own = StationMessage { topic, schema_id: SchemaId(4_000), trace, ttl_ms: 30_000, body };
    house.broker.publish(house.now, &own);
    let reach = house.broker.delivery_report(own.topic.as_str());
    house.drain(0);
    reach
}

/// The number of a request.
fn published(house: &mut TestBroker, agent: &str) -> u64 {
    let body = frames::body("intent.executor.agent.request.v1", frames::map(vec![])).into();
    let (topic, trace) = (format!("agent/{agent}").as_str().into(), TraceId(uuid::Uuid::nil()));
    let frame = house.broker.publish(
        house.now,
        &StationMessage { topic, schema_id: SchemaId(4_000), trace, ttl_ms: 30_000, body },
    );
    house.drain(0);
    u64::from_be_bytes(frame[56..64].try_into().unwrap())
}

fn nobody(agents: &[&str], more: u64) -> DeliveryReport {
    DeliveryReport::Nobody { agents: agents.iter().map(|name| Arc::from(*name)).collect(), more }
}

#[test]
fn those_that_only_watch_do_not_answer() {
    let mut house = TestBroker::open();
    assert_eq!(request(&mut house, "writer", 1), nobody(&[], 0));
    let (tui, viewer, all) = (house.operator(1), house.greeted(2, "viewer", Some(VIEWER)), house.agent(3));
    house.subscribe(tui, 1, "agent/writer");
    house.subscribe(viewer, 1, "agent/*");
    for (sub, pattern) in [(1, "**"), (2, "agent/**"), (3, "agent/*"), (4, "*")] {
        house.subscribe(all, sub, pattern);
    }
    assert_eq!(
        request(&mut house, "writer", 1),
        nobody(&[], 0),
        "one topic per logical agent, not a pattern of them"
    );
    assert_eq!(house.delivered(viewer).len(), 1, "they get it all the same");
    let (one, other) = (house.agent(4), house.agent(5));
    house.subscribe(one, 1, "agent/writer");
    house.subscribe(one, 2, "agent/writer");
    house.subscribe(other, 1, "agent/writer");
    assert_eq!(request(&mut house, "writer", 1), DeliveryReport::Queued(vec![one, other]), "each once");
    house.put(Input::Closed { session: one, cause: rl_console::rmp::CloseCause::PeerClosed }, 0);
    assert_eq!(request(&mut house, "writer", 1), DeliveryReport::Queued(vec![other]));
}

#[test]
fn what_an_agent_does_not_read_in_time_is_told_though_its_connection_takes_nothing() {
    let mut house = TestBroker::hearing();
    let (stuck, fine, watcher) = (house.agent(1), house.agent(2), house.agent(3));
    house.subscribe(stuck, 1, "agent/writer");
    house.subscribe(fine, 1, "agent/writer");
    house.subscribe(watcher, 1, "agent/*");
    let first = published(&mut house, "writer");
    assert_eq!(house.delivered(fine).len(), 1);
    house.wait(10_000);
    let second = published(&mut house, "writer");
    house.wait(19_999);
    assert_eq!(house.unread, []);
    house.wait(1_001);
    assert_eq!(
        house.unread,
        [UnreadRequest { session: stuck, msg_id: first }],
        "who only watches does not answer"
    );
    house.wait(10_000);
    let unread: Vec<_> = house.unread.iter().map(|unread| (unread.session, unread.msg_id)).collect();
    assert_eq!(unread, [(stuck, first), (stuck, second), (fine, second)]);
    house.wait(1_000);
    assert_eq!(house.broker.timeout(), None, "nothing is looked at once nothing waits");
    assert_eq!(house.delivered(stuck).len(), 0);
}

#[test]
fn what_expires_as_an_agent_goes_on_to_read_is_told_as_well() {
    let mut house = TestBroker::hearing();
    let agent = house.agent(1);
    house.subscribe(agent, 1, "agent/writer");
    let number = published(&mut house, "writer");
    house.now = house.now.after(std::time::Duration::from_secs(30));
    assert_eq!(house.delivered(agent).len(), 0);
    house.drain(0);
    assert_eq!(house.unread, [UnreadRequest { session: agent, msg_id: number }]);
}

#[test]
fn agents_that_are_there_are_named_when_the_one_that_is_asked_is_not() {
    let mut house = TestBroker::open();
    let (one, two) = (house.agent(1), house.agent(2));
    house.subscribe(one, 1, "agent/writer");
    house.subscribe(one, 2, "agent/reader");
    house.subscribe(two, 1, "agent/reader");
    house.subscribe(two, 2, "chat");
    assert_eq!(request(&mut house, "riter", 1), nobody(&["reader", "writer"], 0));
    for n in 0..10 {
        house.subscribe(two, 10 + n, &format!("agent/z{n}"));
    }
    let DeliveryReport::Nobody { agents, more } = request(&mut house, "riter", 1) else { panic!("somebody") };
    assert_eq!((agents.len(), more), (8, 4));
    house.put(Input::Closed { session: two, cause: rl_console::rmp::CloseCause::PeerClosed }, 0);
    assert_eq!(
        request(&mut house, "riter", 1),
        nobody(&["reader", "writer"], 0),
        "who left is named no more"
    );
    let three = house.agent(3);
    house.subscribe(three, 1, "agent/poet");
    assert_eq!(
        request(&mut house, "riter", 1),
        nobody(&["poet", "reader", "writer"], 0),
        "who came is named at once"
    );
}

#[test]
fn a_full_queue_and_a_message_that_fits_nothing_are_told_apart_from_nobody() {
    let mut house = TestBroker::with(limits::Rmp { queue_messages_max: 2, ..limits::Rmp::default() });
    let agent = house.agent(1);
    house.subscribe(agent, 1, "agent/slow");
    let reached: Vec<_> = (0..4).map(|_| request(&mut house, "slow", 1)).collect();
    assert_eq!(
        reached,
        [
            DeliveryReport::Queued(vec![agent]),
            DeliveryReport::Queued(vec![agent]),
            DeliveryReport::Full,
            DeliveryReport::Full
        ]
    );
    house.delivered(agent);
    assert_eq!(request(&mut house, "slow", 1), DeliveryReport::Queued(vec![agent]));
    let max = usize::try_from(limits::Rmp::default().body_bytes_max).unwrap();
    assert_eq!(request(&mut house, "slow", max), DeliveryReport::TooLong);
    assert_eq!(house.delivered(agent).len(), 1, "what no client would take is sent to none");
}

#[test]
fn a_unit_of_the_json_dialect_that_is_too_long_is_told() {
    let mut house = TestBroker::open();
    let tool = house.tool(2);
    house.unit(tool, r#"{"Subscribe":{"id":1,"topic":"agent/tool","sub_id":1}}"#);
    assert_eq!(request(&mut house, "tool", 1), DeliveryReport::Queued(vec![ConnectionId(2)]));
    // Each byte takes up to four characters in a list of numbers.
    assert_eq!(request(&mut house, "tool", 4 << 20), DeliveryReport::TooLong);
}
