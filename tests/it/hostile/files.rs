//! Damaged files of a station that was killed: cut, zeroed, with bits flipped. It starts, or says which file
//! keeps it from that and what to do; what it has no more it tells.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use fastrand::Rng;
use prost::Message as _;
use rl_console::macp::proto::v1::{SendRequest, SessionStartPayload};
use serde_json::Value;
use tempfile::TempDir;
use tonic::transport::Endpoint;

use super::operator_bounds::ls;
use crate::{
    macp::test_station::{Client, envelope},
    real::{Adapter, Station, command, json, pair},
};

const ROWS: usize = 30;
const DONE: u64 = 10;
const MESSAGES: u64 = 5;
/// How long a station may take to come up or to give up.
const START_MAX: Duration = Duration::from_secs(60);

/// The folder of a station that was killed after it had acknowledged [`ROWS`] rows, [`DONE`] of which were
/// done, and a session of [`MESSAGES`] messages.
fn killed() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let token = pair(folder.path());
    let station = Station::start(folder.path());
    let rows = folder.path().join("rows.ndjson");
    fs::write(&rows, "{\"event\":\"heal_party\"}\n".repeat(ROWS)).unwrap();
    assert_eq!(json(folder.path(), &["invoke", "--from", rows.to_str().unwrap()]).len(), ROWS);
    let mut adapter = Adapter::ready(station.mpp, &token);
    for id in 1..=DONE {
        adapter.send(r#"{"mpp":2,"type":"pull","queue":"default"}"#).unwrap();
        while adapter.receive().unwrap()["type"] != "invocation" {}
        for settled in [r#""applied","result":null"#, r#""done""#] {
            adapter.send(&format!(r#"{{"mpp":2,"id":{id},"type":{settled}}}"#)).unwrap();
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let endpoint = Endpoint::new(format!("http://{}", station.ready["macp"].as_str().unwrap())).unwrap();
    let mut caller = Client::new(runtime.block_on(endpoint.connect()).unwrap());
    let start = SessionStartPayload { ttl_ms: 86_400_000, ..SessionStartPayload::default() };
    let mut messages = vec![envelope("kept", "SessionStart", "start", "a", start.encode_to_vec())];
    for n in 1..MESSAGES {
        let proposal = format!(r#"{{"proposal_id":"{n}"}}"#);
        messages.push(envelope("kept", "Proposal", &n.to_string(), "a", proposal));
    }
    for message in messages {
        let sent = caller.send(SendRequest { envelope: Some(message) });
        let ack = runtime.block_on(sent).unwrap().into_inner().ack.unwrap();
        assert!(ack.ok, "{ack:?}");
    }
    let done =
        || json(folder.path(), &["ls", "invocations", "--state", "done", "--limit", "99"]).len() as u64;
    while done() < DONE {}
    station.kill();
    folder
}

/// What a station's folder consists of, sockets and what is not its own apart.
fn files(folder: &Path) -> BTreeMap<String, PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    let files = files.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
    files.filter(|(name, _)| name != "rows.ndjson").collect()
}

fn copied(from: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, path) in files(from) {
        fs::copy(path, folder.path().join(name)).unwrap();
    }
    folder
}

/// A station that was started on a damaged folder.
struct Started {
    events: Vec<Value>,
    stderr: String,
    is_up: bool,
}

impl Started {
    /// Starts a station, asks it with `look` where it comes up, and ends it.
    fn on(folder: &Path, look: impl FnOnce()) -> Self {
        let mut command: Command = command(folder);
        command.args(["--port", "0", "--json", "serve"]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        let (ended, waiting) = std::sync::mpsc::sync_channel::<()>(1);
        let watchdog = std::thread::spawn(move || {
            if waiting.recv_timeout(START_MAX) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        let mut stderr = child.stderr.take().unwrap();
        let said = std::thread::spawn(move || {
            let mut text = Vec::new();
            stderr.read_to_end(&mut text).unwrap();
            String::from_utf8_lossy(&text).into_owned()
        });
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let read = |line: String| serde_json::from_str::<Value>(&line).unwrap();
        let mut events = Vec::new();
        let is_up = loop {
            let Some(event) = lines.next().map(read) else { break false };
            let is_ready = event["event"] == "ready";
            events.push(event);
            if is_ready {
                break true;
            }
        };
        if is_up {
            look();
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        }
        events.extend(lines.map(read));
        let status = child.wait().unwrap();
        drop(ended);
        watchdog.join().unwrap();
        assert_eq!(status.success(), is_up, "{status}");
        Self { events, stderr: said.join().unwrap(), is_up }
    }

    /// What it told of that is no matter of course.
    fn told(&self) -> Vec<&Value> {
        let is_bad = |event: &&Value| event["level"] == "error" || event["level"] == "warn";
        let is_damage = |event: &&Value| event["event"] == "notice" && is_bad(event);
        self.events.iter().filter(is_damage).collect()
    }

    /// Why a part of it did not come up, if one did not.
    fn down(&self) -> Option<&str> {
        self.events.iter().find(|event| event["event"] == "down")?["why"].as_str()
    }
}

/// What of all that was acknowledged is not there: of rows and of the session.
fn missing(folder: &Path) -> Vec<String> {
    let (_, rows) = ls(folder, &["invocations", "--limit", "99"]);
    let rows: BTreeMap<u64, &Value> = rows.iter().map(|row| (row["id"].as_u64().unwrap(), row)).collect();
    let is_as_acknowledged = |id: &u64| {
        let state = if *id <= DONE { "done" } else { "pending" };
        rows.get(id).is_some_and(|row| row["state"] == state && row["event"] == "heal_party")
    };
    let ids = (1..=ROWS as u64).filter(|id| !is_as_acknowledged(id)).map(|id| format!("row {id}"));
    let (_, sessions) = ls(folder, &["sessions"]);
    // What begins it is not counted.
    let is_whole = |row: &Value| row["session"] == "kept" && row["messages"] == MESSAGES - 1;
    ids.chain((!sessions.iter().any(is_whole)).then(|| format!("the session: {sessions:?}"))).collect()
}

/// Damages each file of a killed station, one after the other, and looks what a start makes of it.
#[track_caller]
fn damage(kind: &str, of: impl Fn(&mut Vec<u8>, &mut Rng)) {
    // The tests that run at the same time share it.
    static KILLED: Mutex<Weak<TempDir>> = Mutex::new(Weak::new());
    let killed = {
        let mut shared = KILLED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let made = Arc::new(killed());
            *shared = Arc::downgrade(&made);
            made
        })
    };
    let mut random = Rng::with_seed(18);
    // Of tokens one is as the other; what says where the ports were is written anew.
    let is_tried =
        |name: &str| !name.contains(".addr") && !["viewer.token", "operator.token"].contains(&name);
    for (name, path) in files(killed.path()).into_iter().filter(|(name, _)| is_tried(name)) {
        let bytes = fs::read(path).unwrap();
        let mut damaged = bytes.clone();
        of(&mut damaged, &mut random);
        if damaged == bytes {
            continue;
        }
        let folder = copied(killed.path());
        fs::write(folder.path().join(&name), &damaged).unwrap();
        let mut lost = Vec::new();
        let started = Started::on(folder.path(), || lost = missing(folder.path()));
        let all = format!("{kind} {name}: {:#?}\n{}", started.told(), started.stderr);
        assert!(!all.contains("panicked"), "{all}");
        if let Some(down) = started.down() {
            assert!(down.contains(&name), "it does not say which file: {all}");
        } else if started.is_up {
            assert!(
                lost.is_empty() || !started.told().is_empty(),
                "{lost:?} are missing, and nothing is told: {all}"
            );
            assert!(lost.len() < ROWS || name.starts_with("station.db"), "{lost:?}: {all}");
        } else {
            assert!(started.stderr.contains(&name), "it does not say which file: {all}");
        }
    }
}

#[test]
fn a_station_of_which_a_file_is_cut_tells_what_is_lost() {
    damage("cut", |bytes, _| bytes.truncate(bytes.len() / 2));
}

#[test]
fn a_station_of_which_a_file_is_zeroed_tells_what_is_lost() {
    damage("zeroed", |bytes, _| bytes.fill(0));
}

#[test]
fn a_station_of_which_a_file_has_other_bits_tells_what_is_lost() {
    damage("flipped", |bytes, random| {
        // In each page of a database: no checksum keeps a single value in it.
        for page in bytes.chunks_mut(4_096) {
            for _ in 0..8 {
                let at = random.usize(..page.len().min(64));
                page[at] ^= 1 << random.u8(..8);
            }
        }
    });
}
