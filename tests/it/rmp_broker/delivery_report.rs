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

fn request(fixture: &mut TestBroker, agent: &str, bytes: usize) -> DeliveryReport {
    let body = frames::body(
        "intent.executor.agent.request.v1",
        frames::map(vec![("text", "x".repeat(bytes).into())]),
    )
    .into();
    let (topic, trace) = (format!("agent/{agent}").as_str().into(), TraceId(uuid::Uuid::nil()));
    let own = StationMessage { topic, schema_id: SchemaId(4_000), trace, ttl_ms: 30_000, body };
    fixture.broker.publish(fixture.now, &own);
    let reach = fixture.broker.delivery_report(own.topic.as_str());
    fixture.drain(0);
    reach
}

/// The number of a request.
fn published(fixture: &mut TestBroker, agent: &str) -> u64 {
    let body = frames::body("intent.executor.agent.request.v1", frames::map(vec![])).into();
    let (topic, trace) = (format!("agent/{agent}").as_str().into(), TraceId(uuid::Uuid::nil()));
    let frame = fixture.broker.publish(
        fixture.now,
        &StationMessage { topic, schema_id: SchemaId(4_000), trace, ttl_ms: 30_000, body },
    );
    fixture.drain(0);
    u64::from_be_bytes(frame[56..64].try_into().unwrap())
}

fn nobody(agents: &[&str], more: u64) -> DeliveryReport {
    DeliveryReport::Nobody { agents: agents.iter().map(|name| Arc::from(*name)).collect(), more }
}

#[test]
fn those_that_only_watch_do_not_answer() {
    let mut fixture = TestBroker::open();
    assert_eq!(request(&mut fixture, "writer", 1), nobody(&[], 0));
    let (tui, viewer, all) =
        (fixture.operator(1), fixture.greeted(2, "viewer", Some(VIEWER)), fixture.agent(3));
    fixture.subscribe(tui, 1, "agent/writer");
    fixture.subscribe(viewer, 1, "agent/*");
    for (sub, pattern) in [(1, "**"), (2, "agent/**"), (3, "agent/*"), (4, "*")] {
        fixture.subscribe(all, sub, pattern);
    }
    assert_eq!(
        request(&mut fixture, "writer", 1),
        nobody(&[], 0),
        "one topic per logical agent, not a pattern of them"
    );
    assert_eq!(fixture.delivered(viewer).len(), 1, "they get it all the same");
    let (one, other) = (fixture.agent(4), fixture.agent(5));
    fixture.subscribe(one, 1, "agent/writer");
    fixture.subscribe(one, 2, "agent/writer");
    fixture.subscribe(other, 1, "agent/writer");
    assert_eq!(request(&mut fixture, "writer", 1), DeliveryReport::Queued(vec![one, other]), "each once");
    fixture.put(Input::Closed { session: one, cause: rl_console::rmp::CloseCause::PeerClosed }, 0);
    assert_eq!(request(&mut fixture, "writer", 1), DeliveryReport::Queued(vec![other]));
}

#[test]
fn what_an_agent_does_not_read_in_time_is_told_though_its_connection_takes_nothing() {
    let mut fixture = TestBroker::hearing();
    let (stuck, fine, watcher) = (fixture.agent(1), fixture.agent(2), fixture.agent(3));
    fixture.subscribe(stuck, 1, "agent/writer");
    fixture.subscribe(fine, 1, "agent/writer");
    fixture.subscribe(watcher, 1, "agent/*");
    let first = published(&mut fixture, "writer");
    assert_eq!(fixture.delivered(fine).len(), 1);
    fixture.wait(10_000);
    let second = published(&mut fixture, "writer");
    fixture.wait(19_999);
    assert_eq!(fixture.unread, []);
    fixture.wait(1_001);
    assert_eq!(
        fixture.unread,
        [UnreadRequest { session: stuck, msg_id: first }],
        "who only watches does not answer"
    );
    fixture.wait(10_000);
    let unread: Vec<_> = fixture.unread.iter().map(|unread| (unread.session, unread.msg_id)).collect();
    assert_eq!(unread, [(stuck, first), (stuck, second), (fine, second)]);
    fixture.wait(1_000);
    assert_eq!(fixture.broker.timeout(), None, "nothing is looked at once nothing waits");
    assert_eq!(fixture.delivered(stuck).len(), 0);
}

#[test]
fn what_expires_as_an_agent_goes_on_to_read_is_told_as_well() {
    let mut fixture = TestBroker::hearing();
    let agent = fixture.agent(1);
    fixture.subscribe(agent, 1, "agent/writer");
    let number = published(&mut fixture, "writer");
    fixture.now = fixture.now.after(std::time::Duration::from_secs(30));
    assert_eq!(fixture.delivered(agent).len(), 0);
    fixture.drain(0);
    assert_eq!(fixture.unread, [UnreadRequest { session: agent, msg_id: number }]);
}

#[test]
fn agents_that_are_there_are_named_when_the_one_that_is_asked_is_not() {
    let mut fixture = TestBroker::open();
    let (one, two) = (fixture.agent(1), fixture.agent(2));
    fixture.subscribe(one, 1, "agent/writer");
    fixture.subscribe(one, 2, "agent/reader");
    fixture.subscribe(two, 1, "agent/reader");
    fixture.subscribe(two, 2, "chat");
    assert_eq!(request(&mut fixture, "riter", 1), nobody(&["reader", "writer"], 0));
    for n in 0..10 {
        fixture.subscribe(two, 10 + n, &format!("agent/z{n}"));
    }
    let DeliveryReport::Nobody { agents, more } = request(&mut fixture, "riter", 1) else {
        panic!("somebody")
    };
    assert_eq!((agents.len(), more), (8, 4));
    fixture.put(Input::Closed { session: two, cause: rl_console::rmp::CloseCause::PeerClosed }, 0);
    assert_eq!(
        request(&mut fixture, "riter", 1),
        nobody(&["reader", "writer"], 0),
        "who left is named no more"
    );
    let three = fixture.agent(3);
    fixture.subscribe(three, 1, "agent/poet");
    assert_eq!(
        request(&mut fixture, "riter", 1),
        nobody(&["poet", "reader", "writer"], 0),
        "who came is named at once"
    );
}

#[test]
fn a_full_queue_and_a_message_that_fits_nothing_are_told_apart_from_nobody() {
    let mut fixture = TestBroker::with(limits::Rmp { queue_messages_max: 2, ..limits::Rmp::default() });
    let agent = fixture.agent(1);
    fixture.subscribe(agent, 1, "agent/slow");
    let reached: Vec<_> = (0..4).map(|_| request(&mut fixture, "slow", 1)).collect();
    assert_eq!(
        reached,
        [
            DeliveryReport::Queued(vec![agent]),
            DeliveryReport::Queued(vec![agent]),
            DeliveryReport::Full,
            DeliveryReport::Full
        ]
    );
    fixture.delivered(agent);
    assert_eq!(request(&mut fixture, "slow", 1), DeliveryReport::Queued(vec![agent]));
    let max = usize::try_from(limits::Rmp::default().body_bytes_max).unwrap();
    assert_eq!(request(&mut fixture, "slow", max), DeliveryReport::TooLong);
    assert_eq!(fixture.delivered(agent).len(), 1, "what no client would take is sent to none");
}

#[test]
fn a_unit_of_the_json_dialect_that_is_too_long_is_told() {
    let mut fixture = TestBroker::open();
    let tool = fixture.tool(2);
    fixture.unit(tool, r#"{"Subscribe":{"id":1,"topic":"agent/tool","sub_id":1}}"#);
    assert_eq!(request(&mut fixture, "tool", 1), DeliveryReport::Queued(vec![ConnectionId(2)]));
    // Each byte takes up to four characters in a list of numbers.
    assert_eq!(request(&mut fixture, "tool", 4 << 20), DeliveryReport::TooLong);
}
