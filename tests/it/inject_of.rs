//! Captured frames that are sent again, and where the origin of an injected frame is found.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use rl_console::{
    ids::Seq,
    limits::Limits,
    port::{Command, Operator, Outcome, StationPort},
    recording::{RecordedItem, read},
    station::{Address, OperatorClient, RemotePort},
    tap::{
        EntryRef,
        entry::{Door, FrameOrigin, What},
    },
    time::Clock,
};
use serde_json::{Value, json};

use crate::{
    real::{Station, cli, json as printed, plugins::until},
    runs_cli::{Ran, run},
};

const PULL: &str = r#"{"body":{"type":"pull","queue":"default"}}"#;
const GREETING: &str = r#"{"body":{"type":"observation.greeting.v1","payload":{"n":1}}}"#;

fn inject(data: &Path, args: &[&str], stdin: &str) -> Ran {
    run(data, &[&["inject"], args].concat(), stdin)
}

/// The number of the only frame that was sent, and its verdict.
fn sent(ran: &Ran) -> (u64, String) {
    let row = &ran.rows[0];
    (row["seq"].as_u64().unwrap(), row["verdict"].as_str().unwrap().to_owned())
}

fn again(data: &Path, link: &str, seq: u64, flags: &[&str]) -> Ran {
    inject(data, &[&[link, "--of", &seq.to_string()], flags].concat(), "")
}

fn origin(entry: EntryRef<'_>) -> Option<Arc<FrameOrigin>> {
    match &entry.entry.what {
        What::Frame(frame) => frame.origin.clone(),
        _ => None,
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn a_captured_frame_is_sent_again_the_way_that_it_came_or_another() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let (pull, _) = sent(&inject(data, &["mpp"], PULL).exits(0));
    assert_eq!(sent(&again(data, "mpp", pull, &[]).exits(0)).1, "accepted");
    let unannounced = again(data, "mpp", pull, &["--as", "none"]).exits(1);
    assert_eq!(unannounced.rows[0]["code"], "INVALID_FRAME", "its way is the one that is named");
    let (published, _) = sent(&inject(data, &["rmp", "--topic", "a/b"], GREETING).exits(0));
    let duplicate = again(data, "rmp", published, &[]).exits(0);
    assert_eq!(sent(&duplicate).1, "accepted", "a duplicate is acknowledged");
    let broken = again(data, "rmp", published, &["--break", "magic", "--expect", "InvalidMagic"]).exits(0);
    assert_eq!(broken.rows[0]["code"], "InvalidMagic");
    let foreseen = again(data, "mpp", pull, &["--dry-run"]).exits(0);
    assert_eq!((&foreseen.rows[0]["verdict"], foreseen.rows[0].get("seq")), (&json!("accepted"), None));

    let other = again(data, "rmp", pull, &[]).exits(2);
    assert_eq!(other.error["hint"], format!("inject mpp --of {pull}"));
    let gone = again(data, "mpp", 1 << 40, &[]).exits(1);
    assert_eq!(gone.error["code"], "not_kept");
    let no_frame = again(data, "mpp", 1, &[]).exits(1);
    assert_eq!(no_frame.error["code"], "not_whole", "the first entry says that the station started");
    assert_eq!(again(data, "mpp", pull, &["--set", "body.queue=x"]).code, Some(2));
}

#[test]
fn a_frame_that_is_cut_or_withheld_is_not_sent_again_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let config = data.join("home/config/rl-console");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[limits.tap]\nframe_bytes_max = 256\n").unwrap();
    let _station = Station::start(data);
    let long = GREETING.replace("\"n\":1", &format!("\"n\":\"{}\"", "x".repeat(900)));
    let (cut, verdict) = sent(&inject(data, &["rmp", "--topic", "a/b"], &long).exits(0));
    assert_eq!(verdict, "accepted");
    let refused = again(data, "rmp", cut, &[]).exits(6);
    assert_eq!(refused.error["code"], "frame_cut");
    let message = refused.error["message"].as_str().unwrap();
    assert!(message.starts_with("the tap kept 256 of the frame's 1"), "{message}");
    assert!(refused.error["hint"].as_str().unwrap().contains("limits.tap.frame_bytes_max"));
    assert!(refused.rows.is_empty(), "nothing was sent: {:?}", refused.rows);

    // Before a hello anything may hold a token.
    let (withheld, _) = sent(&inject(data, &["rmp", "--as", "none"], r#"{"control":{"Ping":{}}}"#).exits(1));
    let refused = again(data, "rmp", withheld, &[]).exits(6);
    assert_eq!(refused.error["code"], "withheld");
    assert!(refused.error["hint"].as_str().unwrap().contains("inject it from JSON"));
}

#[test]
fn a_captured_hello_is_sent_again_with_a_token_that_is_lent() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let pack = rl_console::mpp::manifest::Pack::sample();
    let hello = json!({"body": {
        "type": "hello", "pack_id": pack.id, "manifest_hash": pack.hash, "bridge_token": "$TOKEN",
    }});
    let (captured, verdict) = sent(&inject(data, &["mpp"], &hello.to_string()).exits(0));
    assert_eq!(verdict, "accepted");
    let is_gone = || run(data, &["ls", "adapters"], "").rows.is_empty().then_some(());
    until(|| "its connection stays".to_owned(), is_gone);
    assert_eq!(sent(&again(data, "mpp", captured, &[]).exits(0)).1, "accepted");
}

#[test]
fn the_origin_is_in_a_recording_over_an_attach_and_in_the_trace() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_path_buf();
    let _station = Station::start(&data);
    let file = data.join("out.mcap");
    let record = |command| {
        block_on(async {
            let station = OperatorClient::connect(&data).await.unwrap();
            station.command(command).await.unwrap()
        })
    };
    let (before, _) = sent(&inject(&data, &["rmp", "--topic", "a/b"], GREETING).exits(0));
    let started = record(Command::RecordStart { path: Some(file.clone()), preroll_s: Some(0), whole: false });
    assert!(matches!(started, Outcome::Recording { .. }), "{started:?}");
    let injected = again(&data, "rmp", before, &[]).exits(0);
    let (seq, trace) = (sent(&injected).0, injected.rows[0]["trace"].as_str().unwrap().to_owned());
    record(Command::RecordStop);
    let is_it = |entry: EntryRef<'_>| (entry.entry.seq == Seq(seq)).then(|| origin(entry).unwrap());

    let recorded = read(&file).unwrap().filter_map(|item| match item.unwrap() {
        RecordedItem::Entry(entry) => is_it(entry.as_ref()),
        RecordedItem::Snapshot { .. } => None,
    });
    let recorded: Vec<_> = recorded.collect();
    let [recorded] = &recorded[..] else { panic!("{recorded:?}") };
    assert_eq!((recorded.door, recorded.of), (Door::Own, Some(Seq(before))));
    assert!(recorded.by.session.is_some() && &*recorded.by.client == "rl-console", "{recorded:?}");

    let of_data = data.clone();
    let attached = block_on(async {
        let find = Box::new(move || Address::of_data(&of_data));
        let port = RemotePort::attach(find, Clock::ahead(), Limits::default()).await.unwrap();
        let page = port.past(port.entries().unwrap().next()).await.unwrap();
        page.batches.iter().flat_map(rl_console::tap::Batch::iter).find_map(is_it)
    });
    assert_eq!(attached.as_ref(), Some(recorded), "as it is in the recording");

    let hops = printed(&data, &["trace", &trace]);
    let hop = hops.iter().find(|hop| hop["seq"] == seq).unwrap();
    assert_eq!(hop["origin"], recorded.words());
}

/// The traces that have injected frames, as a console that attaches now has them.
fn injected_traces(data: &Path) -> BTreeSet<String> {
    let of_data = data.to_path_buf();
    block_on(async {
        let find = Box::new(move || Address::of_data(&of_data));
        let port = RemotePort::attach(find, Clock::ahead(), Limits::default()).await.unwrap();
        let snapshot = port.snapshot().await.unwrap();
        snapshot.station.injected_traces.iter().map(|trace| format!("trace:{}", trace.0)).collect()
    })
}

#[test]
fn what_came_of_an_injected_frame_is_known_to_who_attaches_later_and_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    assert!(injected_traces(data).is_empty());
    let trace_of = |number: u64| {
        let greeting = GREETING.replace("\"n\":1", &format!("\"n\":{number}"));
        let ran = inject(data, &["rmp", "--topic", "a/b"], &greeting).exits(0);
        ran.rows[0]["trace"].as_str().unwrap().to_owned()
    };
    let first = trace_of(1);
    let before = injected_traces(data);
    assert!(before.contains(&first), "{first}: {before:?}");
    let body = r#"{"type":"observation.greeting.v1","payload":{"n":2}}"#;
    assert!(cli(data, &["publish", "a/b", "--as", "tui", "--body", body]).status.success());
    assert_eq!(injected_traces(data), before, "what a client sends is no such frame");
    assert!(station.terminate().success());

    let station = Station::start(data);
    assert_eq!(injected_traces(data), before);
    let second = trace_of(3);
    let both = injected_traces(data);
    assert!(both.is_superset(&before) && both.contains(&second), "{second}: {both:?}");
    let stored = || {
        let db = rusqlite::Connection::open(data.join("station.db")).unwrap();
        db.query_row("SELECT count(*) FROM injected_traces", [], |row| row.get::<_, i64>(0)).unwrap()
    };
    until(
        || format!("{} are stored", stored()),
        || (stored() == i64::try_from(both.len()).unwrap()).then_some(()),
    );
    station.kill();
    let _station = Station::start(data);
    assert_eq!(injected_traces(data), both, "also what was sent just before it was killed");
}

#[test]
fn a_run_and_a_session_keep_their_mark_however_many_frames_are_injected_after_them() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let id = "trace:3f0c8f3e-0000-4000-8000-000000000007";
    let opening = "version: 0\nname: endless\nnodes:\n  - {id: wait, use: 'agent:mute'}\nedges: []\n";
    let submit = json!({"header": {"trace_id": id}, "body": {"type": "intent.ctrl.request.v1", "payload": {
        "RunSubmit": {"request_id": id, "opening_yaml": opening},
    }}});
    inject(data, &["rmp", "--topic", "rlp/ctrl"], &submit.to_string()).exits(0);
    until(|| "no run begins".to_owned(), || printed(data, &["ls", "runs"]).pop());
    let session = "trace:3f0c8f3e-0000-4000-8000-000000000008";
    let context = json!({ "trace_id": session }).to_string();
    let start = json!({"body": {"envelope": {
        "message_type": "SessionStart", "message_id": "m1", "session_id": "by-hand", "mode": "decision",
        "payload": {"participants": ["alice"], "ttl_ms": 60_000, "context": context},
    }}});
    let started = inject(data, &["macp", "--as", "alice"], &start.to_string()).exits(0);
    assert_eq!(started.rows[0]["trace"], session);

    let flood = inject(data, &["rmp", "--topic", "a/b", "--count", "1100"], GREETING).exits(0);
    assert_eq!(flood.rows.len(), 1_100);
    let mut of_frames: BTreeSet<String> =
        flood.rows.iter().map(|row| row["trace"].as_str().unwrap().to_owned()).collect();
    assert_eq!(of_frames.len(), 1_100, "more than are known of frames alone");
    let known = injected_traces(data);
    assert!(known.contains(id) && known.contains(session), "{} are known", known.len());
    assert!(!of_frames.is_subset(&known), "the oldest frames say themselves what they are");
    assert!(station.terminate().success());

    let _station = Station::start(data);
    let known = injected_traces(data);
    assert!(known.contains(id) && known.contains(session), "{} are known after a restart", known.len());
    of_frames.retain(|trace| known.contains(trace));
    assert!((1..=1_024).contains(&of_frames.len()), "{} of frames alone", of_frames.len());
}

#[test]
fn a_session_that_was_begun_by_hand_without_a_trace_is_named_and_marked() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let start = json!({"body": {"envelope": {
        "message_type": "SessionStart", "message_id": "m1", "session_id": "by-hand", "mode": "decision",
        "payload": {"participants": ["alice"], "ttl_ms": 60_000},
    }}});
    let started = inject(data, &["macp", "--as", "alice"], &start.to_string()).exits(0);
    let row = &started.rows[0];
    assert_eq!((&row["trace"], &row["session"]), (&Value::Null, &json!("by-hand")), "{row:#}");
    let line = cli(data, &["inject", "macp", "--snippet", "get-session", "--set", "body.session_id=by-hand"]);
    assert!(String::from_utf8_lossy(&line.stdout).contains("  session by-hand"), "{line:?}");
    // A mark of version 8 is in the place of a trace.
    let marks = || {
        let known = injected_traces(data).into_iter();
        known.filter(|id| id.as_bytes().get("trace:".len() + 14) == Some(&b'8')).collect::<BTreeSet<_>>()
    };
    let before = marks();
    assert_eq!(before.len(), 1, "{before:?}");
    assert!(station.terminate().success());
    let _station = Station::start(data);
    assert_eq!(marks(), before, "for good");
}
