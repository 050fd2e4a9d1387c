//! Broken MPLP messages at speed, in both dialects at once: the broker takes them all as it does any other,
//! and the station tells what is wrong with each.

use std::{collections::BTreeMap, path::Path};

use rl_console::{
    limits::Limits,
    mplp::{InputLimits, lint},
    port::{Command, FindingRow, Outcome, Page, Query},
    recording::{self, RecordedItem},
    rmp::Dialect,
    tap::{
        self,
        entry::{Head, What},
        recorded::OwnedEntry,
    },
};
use serde_json::{Value, json};

use crate::rmp_bus::{Bus, Peer, frames};

/// Messages of each dialect.
const MESSAGES: u64 = 2_500;
/// Messages that are published before their answers are read.
const WINDOW: u64 = 100;
/// Messages of others in the same time.
const OF_NEIGHBOUR: u64 = 10;
/// Of one message.
const LIMITS: InputLimits = InputLimits { bytes_max: 1 << 20, depth_max: 64, findings_max: 100 };
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

/// Both publish, message by message in turn; every message is taken, and those of the neighbour too.
fn flood(bus: &Bus) {
    let mut agent = Peer::greeted_as(&bus.path(), "planner", "agent", None);
    let mut tool = Peer::connect(&bus.path());
    tool.send(&in_unit(r#"{"Hello":{"kind":"Agent"}}"#));
    tool.hear();
    let mut neighbour = Neighbour::of(bus);
    for first in (1..=MESSAGES).step_by(usize::try_from(WINDOW).unwrap()) {
        for n in first..first + WINDOW {
            agent.publish("plans", true, &frame(n));
            tool.send(&unit(MESSAGES + n));
        }
        neighbour.publish();
        for n in first..first + WINDOW {
            assert_eq!(agent.hear().name(), "Ok");
            let ack = String::from_utf8(tool.hear().wire[4..].to_vec()).unwrap();
            let id = MESSAGES + n;
            assert_eq!(ack, format!(r#"{{"PublishAck":{{"id":{id},"result":{{"Ok":null}}}}}}"#));
        }
        neighbour.hear();
    }
}

/// Who speaks of something else on the same bus meanwhile, and who listens to that.
struct Neighbour {
    speaker: Peer,
    listener: Peer,
    published: u64,
    heard: u64,
}

impl Neighbour {
    fn of(bus: &Bus) -> Self {
        let [speaker, mut listener] =
            ["speaker", "listener"].map(|name| Peer::greeted_as(&bus.path(), name, "agent", None));
        listener.subscribe(1, "chat");
        Self { speaker, listener, published: 0, heard: 0 }
    }

    fn publish(&mut self) {
        for _ in 0..OF_NEIGHBOUR {
            self.published += 1;
            self.speaker.publish("chat", true, &frames::message(self.published, "well"));
        }
    }

    /// Every message is taken and heard, in order.
    fn hear(&mut self) {
        while self.heard < self.published {
            self.heard += 1;
            assert_eq!(self.speaker.hear().name(), "Ok");
            let (sub, topic, message) = self.listener.delivered();
            assert_eq!((sub, &*topic, message.msg_id()), (1, "chat", self.heard));
        }
    }
}

/// What the messages of a recording's frames of this schema have, each judged alone.
fn recorded(path: &Path) -> (u64, BTreeMap<(String, String), u64>) {
    let (mut messages, mut counts) = (0, BTreeMap::new());
    for item in recording::read(path).unwrap() {
        let RecordedItem::Entry(OwnedEntry { entry, bytes }) = item.unwrap() else { continue };
        let What::Frame(tap::entry::Frame { head: Head::Rmp(head), .. }) = &entry.what else { continue };
        if head.schema_id != Some(131) {
            continue;
        }
        messages += 1;
        let body = match head.dialect {
            // The message is behind the control frame.
            Dialect::Frames => {
                let control = u32::from_be_bytes(bytes[..4].try_into().unwrap()) as usize + 4;
                bytes[control + 68..].to_vec()
            }
            Dialect::Json => {
                let unit: Value = serde_json::from_slice(&bytes[4..]).unwrap();
                serde_json::from_value(unit["Publish"]["message"]["body"].clone()).unwrap()
            }
        };
        for found in lint(&body, LIMITS).findings {
            let key = (found.finding.rule.into_owned(), found.finding.path.to_string());
            *counts.entry(key).or_default() += 1;
        }
    }
    (messages, counts)
}

fn query(bus: &Bus, query: Query) -> Page {
    let port = bus.station.as_ref().unwrap().port();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(port.query(query)).unwrap()
}

fn command(bus: &Bus, command: Command) -> Outcome {
    let port = bus.station.as_ref().unwrap().port();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(port.command(command)).unwrap()
}

fn findings(bus: &Bus) -> Vec<FindingRow> {
    match query(bus, Query::Findings) {
        Page::Findings(rows) => rows,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_broken_message_is_found_and_none_is_refused() {
    let mut limits = Limits::default();
    limits.tap.ring_bytes_max = 268_435_456;
    let bus = Bus::with(&limits);
    let path = bus.folder.path().join("night.mcap");
    command(&bus, Command::RecordStart { path: Some(path.clone()), preroll_s: Some(0), whole: false });
    flood(&bus);
    let rows = findings(&bus);
    command(&bus, Command::RecordStop);
    let counts: BTreeMap<_, _> =
        rows.iter().map(|row| ((&*row.schema, &*row.rule, &*row.path), row.count)).collect();
    let of_kind = |kind| (1..=2 * MESSAGES).filter(|n| n % 4 == kind).count() as u64;
    let expected = BTreeMap::from([
        (("role", "required", "$.role.meta"), of_kind(1)),
        (("trace-base", "pattern", "$.trace_base.span_id"), of_kind(0)),
        (("bus message", "const", "$.payload.v"), of_kind(2)),
    ]);
    assert_eq!(counts, expected);
    let last = rows.iter().find(|row| row.rule == "const").unwrap();
    assert_eq!((last.received.as_deref(), &*last.requires), (Some("2"), "1"));
    // What was recorded has the same, message by message.
    let (messages, recorded) = recorded(&path);
    let by_rule: BTreeMap<(String, String), u64> = counts
        .iter()
        .map(|((_, rule, path), count)| (((*rule).to_owned(), (*path).to_owned()), *count))
        .collect();
    assert_eq!((messages, recorded), (2 * MESSAGES, by_rule));
    check_peers(&bus);
}

/// What the broker counts is what was sent: it treats nobody else for it.
fn check_peers(bus: &Bus) {
    let Page::Peers(peers) = query(bus, Query::Peers) else { panic!("peers are listed") };
    assert!(peers.iter().all(|peer| (peer.refused, peer.dropped.total()) == (0, 0)), "{peers:#?}");
    let Page::Topics(topics) = query(bus, Query::Topics) else { panic!("topics are listed") };
    let of = |name: &str| {
        let topic = topics.iter().find(|it| it.topic.as_str() == name).unwrap();
        (topic.published, topic.delivered, topic.dropped.total())
    };
    let chat = OF_NEIGHBOUR * MESSAGES / WINDOW;
    assert_eq!((of("plans"), of("chat")), ((2 * MESSAGES, 0, 0), (chat, chat, 0)));
    assert_eq!(query(bus, Query::Violations), Page::Violations(Vec::new()));
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
