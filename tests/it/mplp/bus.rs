//! An agent that publishes broken MPLP messages at speed, in both dialects: the broker takes them all as it
//! does any other, and the station tells what is wrong with each.

use std::collections::BTreeMap;

use rl_console::{
    limits::Limits,
    port::{FindingRow, Page, Query},
};
use serde_json::{Value, json};

use crate::rmp_bus::{Bus, Peer, frames};

/// Messages of each dialect.
const MESSAGES: u64 = 2_500;
/// Messages that are published before their answers are read.
const WINDOW: u64 = 250;
const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";

/// The body of the `n`th message: one of four, of which the last is clean.
fn body(n: u64) -> Vec<u8> {
    let base = |id: &str| json!({ "trace_id": ID, "span_id": id });
    let item =
        |schema: &str, object: Value| json!({ "v": 1, "items": [{ "schema": schema, "object": object }] });
    let payload = match n % 4 {
        0 => item("trace-base", base("5A")),
        1 => item("role", json!({ "role_id": ID, "name": "writer" })),
        2 => json!({ "v": 2, "items": [] }),
        _ => item("trace-base", base(ID)),
    };
    rmp_serde::to_vec_named(&json!({ "type": "observation.mplp.event.v1", "payload": payload })).unwrap()
}

fn frame(n: u64) -> Vec<u8> {
    let header =
        frames::Header { schema_id: 131, created_at_ms: 1, ttl_ms: u64::MAX - 2, trace_id: 7, msg_id: n };
    frames::frame(header, &body(n))
}

/// The unit of the JSON dialect that publishes the `n`th message.
fn unit(n: u64) -> Vec<u8> {
    let body = body(n);
    let header = json!({
        "header_version": 0, "header_len": 64, "flags": 0, "schema_id": 131, "body_len": body.len(),
        "created_at_ms": 1, "ttl_ms": u64::MAX - 2, "trace_id": 7, "msg_id": n,
    });
    let message = json!({ "header": header, "body": body });
    in_unit(&json!({ "Publish": { "id": n, "topic": "plans", "message": message } }).to_string())
}

fn in_unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

fn publish_frames(bus: &Bus) {
    let mut agent = Peer::greeted_as(&bus.path(), "planner", "agent", None);
    let mut acks = 0;
    for n in 1..=MESSAGES {
        agent.publish("plans", true, &frame(n));
        if n % WINDOW == 0 {
            for _ in 0..WINDOW {
                assert_eq!(agent.hear().name(), "Ok");
                acks += 1;
            }
        }
    }
    assert_eq!(acks, MESSAGES);
}

fn publish_units(bus: &Bus) {
    let mut tool = Peer::connect(&bus.path());
    tool.send(&in_unit(r#"{"Hello":{"kind":"Agent"}}"#));
    tool.hear();
    for n in 1..=MESSAGES {
        tool.send(&unit(MESSAGES + n));
        if n % WINDOW == 0 {
            for place in (0..WINDOW).rev() {
                let ack = String::from_utf8(tool.hear().wire[4..].to_vec()).unwrap();
                let id = MESSAGES + n - place;
                assert_eq!(ack, format!(r#"{{"PublishAck":{{"id":{id},"result":{{"Ok":null}}}}}}"#));
            }
        }
    }
}

fn findings(bus: &Bus) -> Vec<FindingRow> {
    let port = bus.station.as_ref().unwrap().port();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(port.query(Query::Findings)).unwrap() {
        Page::Findings(rows) => rows,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_broken_message_is_found_and_none_is_refused() {
    let mut limits = Limits::default();
    limits.tap.ring_bytes_max = 268_435_456;
    let bus = Bus::with(&limits);
    publish_frames(&bus);
    publish_units(&bus);
    let rows = findings(&bus);
    let counts: BTreeMap<_, _> =
        rows.iter().map(|row| ((&*row.schema, &*row.rule, &*row.path), row.count)).collect();
    let of_kind = |kind| (1..=2 * MESSAGES).filter(|n| n % 4 == kind).count() as u64;
    let expected = BTreeMap::from([
        (("trace-base", "pattern", "$.trace_base.span_id"), of_kind(0)),
        (("role", "required", "$.role.meta"), of_kind(1)),
        (("bus message", "const", "$.payload.v"), of_kind(2)),
    ]);
    let told: BTreeMap<_, _> = counts.iter().filter(|(key, _)| expected.contains_key(*key)).collect();
    assert_eq!(told, expected.iter().collect::<BTreeMap<_, _>>(), "{counts:#?}");
    let others: Vec<_> = counts.keys().filter(|(schema, ..)| *schema != "role").collect();
    assert_eq!(others.len(), 2, "{others:?}");
    let last = rows.iter().find(|row| row.rule == "const").unwrap();
    assert_eq!((last.received.as_deref(), &*last.requires), (Some("2"), "1"));
    assert!(last.session.is_some() && last.who.starts_with("runloop agent (session "), "{last:?}");
}

#[test]
fn a_frame_that_the_tap_cuts_is_counted_as_not_judged() {
    let mut limits = Limits::default();
    limits.tap.frame_bytes_max = 256;
    let bus = Bus::with(&limits);
    let mut agent = Peer::greeted_as(&bus.path(), "planner", "agent", None);
    for n in [0, 1] {
        agent.publish("plans", true, &frame(4 + n));
        assert_eq!(agent.hear().name(), "Ok");
    }
    let rows = findings(&bus);
    let told: Vec<_> = rows.iter().map(|row| (&*row.rule, &*row.schema, row.count, &*row.who)).collect();
    assert_eq!(told, [("not_judged_cut", "bus message", 2, &*rows[0].who)]);
    assert!(rows[0].who.starts_with("planner (session "), "{rows:?}");
}
