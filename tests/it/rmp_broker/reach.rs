//! Whom a message of the station's own reaches of those that may answer it.

use std::sync::Arc;

use rl_console::{
    ids::{ConnectionId, TraceId},
    limits,
    rmp::{
        SchemaId,
        broker::{Input, Own, Reach},
    },
};

use super::house::{House, VIEWER};
use crate::rmp_bus::words;

fn request(house: &mut House, agent: &str, bytes: usize) -> Reach {
    let body = words::body("intent.executor.agent.request.v1", words::map(vec![("text", "x".repeat(bytes).into())])).into();
    let (topic, trace) = (format!("agent/{agent}").as_str().into(), TraceId(uuid::Uuid::nil()));
    let (_, reach) = house.broker.publish(house.now, &Own { topic, schema_id: SchemaId(4_000), trace, ttl_ms: 30_000, body });
    house.drain(0);
    reach
}

fn nobody(agents: &[&str], more: u64) -> Reach {
    Reach::Nobody { agents: agents.iter().map(|name| Arc::from(*name)).collect(), more }
}

#[test]
fn those_that_only_watch_do_not_answer() {
    let mut house = House::open();
    assert_eq!(request(&mut house, "writer", 1), nobody(&[], 0));
    let (tui, viewer, all) = (house.operator(1), house.greeted(2, "viewer", Some(VIEWER)), house.agent(3));
    house.subscribe(tui, 1, "agent/writer");
    house.subscribe(viewer, 1, "agent/*");
    house.subscribe(all, 1, "**");
    assert_eq!(request(&mut house, "writer", 1), nobody(&[], 0));
    assert_eq!(house.delivered(viewer).len(), 1, "they get it all the same");
    let (one, many) = (house.agent(4), house.agent(5));
    house.subscribe(one, 1, "agent/writer");
    house.subscribe(one, 2, "agent/writer");
    house.subscribe(many, 1, "agent/**");
    assert_eq!(request(&mut house, "writer", 1), Reach::Took(vec![one, many]), "each once");
    house.put(Input::Closed { session: one, cause: rl_console::rmp::CloseCause::PeerClosed }, 0);
    assert_eq!(request(&mut house, "writer", 1), Reach::Took(vec![many]));
}

#[test]
fn agents_that_are_there_are_named_when_the_one_that_is_asked_is_not() {
    let mut house = House::open();
    let (one, two) = (house.agent(1), house.agent(2));
    house.subscribe(one, 1, "agent/writer");
    house.subscribe(one, 2, "agent/reader");
    house.subscribe(two, 1, "agent/reader");
    house.subscribe(two, 2, "chat");
    assert_eq!(request(&mut house, "riter", 1), nobody(&["reader", "writer"], 0));
    for n in 0..10 {
        house.subscribe(two, 10 + n, &format!("agent/z{n}"));
    }
    let Reach::Nobody { agents, more } = request(&mut house, "riter", 1) else { panic!("somebody") };
    assert_eq!((agents.len(), more), (8, 4));
}

#[test]
fn a_full_queue_and_a_message_that_fits_nothing_are_told_apart_from_nobody() {
    let mut house = House::with(limits::Rmp { queue_messages_max: 2, ..limits::Rmp::default() });
    let agent = house.agent(1);
    house.subscribe(agent, 1, "agent/slow");
    let reached: Vec<_> = (0..4).map(|_| request(&mut house, "slow", 1)).collect();
    assert_eq!(reached, [Reach::Took(vec![agent]), Reach::Took(vec![agent]), Reach::Full, Reach::Full]);
    house.delivered(agent);
    assert_eq!(request(&mut house, "slow", 1), Reach::Took(vec![agent]));
    let max = usize::try_from(limits::Rmp::default().body_bytes_max).unwrap();
    assert_eq!(request(&mut house, "slow", max), Reach::TooLong);
    assert_eq!(house.delivered(agent).len(), 1, "what no client would take is sent to none");
}

#[test]
fn a_unit_of_the_json_dialect_that_is_too_long_is_told() {
    let mut house = House::open();
    let tool = house.connect(2);
    for json in [r#"{"Hello":{"kind":"Agent"}}"#, r#"{"Subscribe":{"id":1,"topic":"agent/tool","sub_id":1}}"#] {
        let unit = [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat();
        house.put(Input::Unit { session: tool, unit: &unit }, unit.len());
    }
    assert_eq!(request(&mut house, "tool", 1), Reach::Took(vec![ConnectionId(2)]));
    // Each byte takes up to four characters in a list of numbers.
    assert_eq!(request(&mut house, "tool", 4 << 20), Reach::TooLong);
}
