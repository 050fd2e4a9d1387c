//! A night in which two agents flood the bus with broken MPLP messages, one in each dialect: what a console
//! and the station say of it live, and what a console makes of its recording, are the same.

use std::{
    collections::BTreeMap,
    io::{Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    sync::{Arc, Barrier},
    thread,
};

use futures_util::future::try_join_all;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::{
    console::tests::night::{JournalFindings, NightConsole},
    limits::Limits,
    port::{Command, FindingRow, Outcome, Page, Query, Snapshot},
    recording::{self, RecordedItem},
    rmp::{
        SchemaId,
        client::{Client, Hello, Message},
    },
    station::{Config, Station},
    tap::{
        EntryRef, Reader,
        entry::{Frame, Head, What},
        recorded::OwnedEntry,
    },
    time::Clock,
};

/// Messages of each dialect.
const MESSAGES: u64 = 2_500;
/// Messages that each publishes before it waits for the other.
const WINDOW: u64 = 50;
const KIND: &str = "observation.mplp.event.v1";
const ID: &str = "5a0e8400-e29b-41d4-a716-446655440000";

/// The payload of the `n`th message: one of five, of which the last is clean.
fn payload(n: u64) -> Value {
    let item =
        |schema: &str, object: Value| json!({ "v": 1, "items": [{ "schema": schema, "object": object }] });
    match n % 5 {
        0 => item("trace-base", json!({ "trace_id": ID, "span_id": "5A" })),
        1 => item("trace-base", json!({ "trace_id": ID })),
        2 => item("plans", json!({})),
        3 => json!({ "v": 2, "items": [] }),
        _ => item("trace-base", json!({ "trace_id": ID, "span_id": ID })),
    }
}

/// How many of the messages of both dialects are of this kind.
fn sent(kind: u64) -> u64 {
    2 * (1..=MESSAGES).filter(|n| n % 5 == kind).count() as u64
}

/// A unit of the JSON dialect: its length, and the text.
fn unit(json: &Value) -> Vec<u8> {
    let text = json.to_string();
    [&u32::try_from(text.len()).unwrap().to_be_bytes()[..], text.as_bytes()].concat()
}

fn publish_unit(n: u64) -> Vec<u8> {
    let body = rmp_serde::to_vec_named(&json!({ "type": KIND, "payload": payload(n) })).unwrap();
    let header = json!({
        "header_version": 0, "header_len": 64, "flags": 0, "schema_id": 131, "body_len": body.len(),
        "created_at_ms": 1, "ttl_ms": u64::MAX - 2, "trace_id": 7, "msg_id": n,
    });
    unit(&json!({ "Publish": { "id": n, "topic": "plans", "message": { "header": header, "body": body } } }))
}

fn answer(socket: &mut UnixStream) -> Value {
    let mut prefix = [0; 4];
    socket.read_exact(&mut prefix).unwrap();
    let mut text = vec![0; usize::try_from(u32::from_be_bytes(prefix)).unwrap()];
    socket.read_exact(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Publishes all of the JSON dialect; every message is taken.
fn flood_json(path: &Path, both: &Barrier) {
    let mut tool = UnixStream::connect(path).unwrap();
    tool.write_all(&unit(&json!({ "Hello": { "kind": "Agent" } }))).unwrap();
    answer(&mut tool);
    for first in (1..=MESSAGES).step_by(usize::try_from(WINDOW).unwrap()) {
        both.wait();
        for n in first..first + WINDOW {
            tool.write_all(&publish_unit(n)).unwrap();
        }
        for n in first..first + WINDOW {
            let taken = json!({ "PublishAck": { "id": n, "result": { "Ok": null } } });
            assert_eq!(answer(&mut tool), taken);
        }
    }
}

/// Publishes all of the frames; every message is taken.
fn flood_frames(runtime: &Runtime, path: &Path, both: &Barrier) {
    let agent = runtime.block_on(Client::connect(path, Hello::agent("planner"))).unwrap();
    for first in (1..=MESSAGES).step_by(usize::try_from(WINDOW).unwrap()) {
        let messages: Vec<Message> =
            (first..first + WINDOW).map(|n| Message::of(SchemaId(131), KIND, &payload(n)).unwrap()).collect();
        both.wait();
        runtime
            .block_on(try_join_all(messages.iter().map(|message| agent.publish("plans", message))))
            .unwrap();
    }
}

fn flood(runtime: &Runtime, path: &Path) {
    let both = Arc::new(Barrier::new(2));
    let (of_json, socket) = (Arc::clone(&both), path.to_owned());
    let tool = thread::spawn(move || flood_json(&socket, &of_json));
    flood_frames(runtime, path, &both);
    tool.join().unwrap();
}

/// What a console that was there says of what a reader has before it, and how often the dialect changed.
fn live(snapshot: Snapshot, mut reader: Reader, listed: &[FindingRow]) -> (JournalFindings, usize) {
    let (mut console, mut sessions) = (NightConsole::new(snapshot), Vec::new());
    while let Some(batch) = reader.read() {
        assert_eq!(batch.lost, 0);
        for entry in batch.iter() {
            if let What::Frame(Frame { head: Head::Rmp(head), .. }) = &entry.entry.what
                && head.schema_id == Some(131)
            {
                sessions.push(head.session);
            }
            console.take(entry);
        }
    }
    console.assert_lists(listed);
    let changes = sessions.windows(2).filter(|pair| pair[0] != pair[1]).count();
    (console.journal(), changes)
}

fn replayed(path: &Path) -> JournalFindings {
    let mut console = None;
    for item in recording::read(path).unwrap() {
        match (item.unwrap(), &mut console) {
            (RecordedItem::Snapshot { bytes, .. }, None) => {
                console = Some(NightConsole::new(Snapshot::decode(&bytes).unwrap()));
            }
            (RecordedItem::Entry(OwnedEntry { entry, bytes }), Some(console)) => {
                console.take(EntryRef { entry: &entry, bytes: &bytes });
            }
            (item, _) => panic!("{item:?}"),
        }
    }
    console.unwrap().journal()
}

#[test]
fn a_flood_in_both_dialects_draws_the_same_journal_live_and_replayed() {
    let folder = tempfile::tempdir().unwrap();
    let mut limits = Limits::default();
    limits.tap.ring_bytes_max = 268_435_456;
    let config = Config { limits, ..Config::within(folder.path()) };
    let station = Station::start(config, Clock::start()).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(station.ready()).unwrap();
    let port = station.port();
    let path = folder.path().join("night.mcap");
    let command = |command| runtime.block_on(port.command(command)).unwrap();
    command(Command::RecordStart { path: Some(path.clone()), preroll_s: Some(0), whole: false });
    let snapshot = runtime.block_on(port.snapshot()).unwrap();
    let reader = port.entries().unwrap();
    flood(&runtime, &folder.path().join("rmp.sock"));
    let Page::Findings(listed) = runtime.block_on(port.query(Query::Findings)).unwrap() else {
        panic!("no findings")
    };
    let Outcome::Recorded { .. } = command(Command::RecordStop) else { panic!("no recording") };
    let (live, changes) = live(snapshot, reader, &listed);
    assert!(changes > 50, "the dialects came one after the other: {changes}");
    let counts: BTreeMap<_, _> = listed.iter().map(|it| ((&*it.rule, &*it.path), it.count)).collect();
    let expected = BTreeMap::from([
        (("pattern", "$.trace_base.span_id"), sent(0)),
        (("required", "$.trace_base.span_id"), sent(1)),
        (("enum", "$.payload.items[*].schema"), sent(2)),
        (("const", "$.payload.v"), sent(3)),
    ]);
    assert_eq!(counts, expected);
    assert_eq!((live.count, live.judged), (sent(0) + sent(1) + sent(2) + sent(3), 2 * MESSAGES));
    assert_eq!(live.lines.len(), 4, "{:#?}", live.lines);
    assert_eq!(replayed(&path), live);
    station.stop();
}
