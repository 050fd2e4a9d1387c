//! Answers of the plugin host, as a plugin reads them from its stdin.
#![cfg(target_os = "linux")]

use std::{collections::BTreeSet, fs, path::PathBuf, thread};

use rl_console::{
    plugin::{self, framing::Framer},
    port::{Command, Page, PluginRow, Query},
};
use serde_json::{Value, json};

use super::twins::{Looked, Sent, written};
use crate::{
    real::{
        cli, json as printed,
        plugins::{script, until, write},
    },
    runs_cli::output,
    snippets::sent::{name, needs, of_link, were_all_sent},
};

const ID: &str = "com.example.reading";

/// It answers nothing, and keeps all that it reads once it is up. The shell keeps its stdout open.
const READING: &str = "up\ncat >> \"$1\"";

const CREDENTIAL: &str = "[plugins.twitch_android]\ncommand = \"echo a-token\"\n";

/// What may be notified is as much as at the start: what others notified comes back in the midst of it.
const RATE_LIMITED: &str = "plugin/rate-limited";

/// What needs a plugin of another standing.
const STAGED: [&str; 5] = ["not_granted", "declined", "stopping", "credential", "stream"];

/// A plugin that runs on a station.
struct Reading {
    looked: Looked,
    /// What it has read.
    file: PathBuf,
    /// Frames of it that were looked at.
    seen: usize,
    marks: u64,
}

impl Reading {
    fn serve(config: &str, grant: Option<&[&str]>) -> Self {
        let looked = Looked::open(config, false);
        let (source, file) = (looked.data().join("sources").join(ID), looked.data().join("read"));
        write(&source, ID, ("main", &script(READING)), &[file.to_str().unwrap()]);
        let grant = grant.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        let folder = source.to_str().unwrap().to_owned();
        looked.command(Command::Plugin(plugin::Command::Serve { folder, grant, command: None }));
        let this = Self { looked, file, seen: 0, marks: 0 };
        this.when("up", |row| row.state == "up");
        this
    }

    #[track_caller]
    fn when(&self, what: &str, is_so: impl Fn(&PluginRow) -> bool) {
        let row = || match self.looked.query(Query::Plugins) {
            Page::Plugins(rows) => rows.into_iter().find(|row| row.plugin.as_str() == ID),
            other => panic!("{other:?}"),
        };
        until(|| format!("it is not {what}: {:#?}", row()), || row().filter(&is_so).map(drop));
    }

    /// The whole frames that it has read.
    fn frames(&self) -> Vec<Vec<u8>> {
        let mut framer = Framer::new();
        framer.push(&fs::read(&self.file).unwrap_or_default());
        std::iter::from_fn(|| framer.poll_frame().unwrap()).map(|frame| frame.wire().to_vec()).collect()
    }

    /// What it has read since it was last asked: all of it, for a frame behind it was read.
    fn read(&mut self) -> Vec<Vec<u8>> {
        self.marks += 1;
        let mark = format!("mark {}", self.marks);
        let params = json!({ "active_channel_id": null, "ts": mark });
        let frame = json!({"body": {"method": "on_watch_tick", "params": params}});
        let args = ["--json", "inject", "plugin", "--to", ID, "--yes"];
        let sent = output(self.looked.data(), &args, &frame.to_string());
        assert!(sent.status.success(), "{sent:?}");
        let (seen, quoted) = (self.seen, format!("\"{mark}\""));
        let is_mark = |frame: &Vec<u8>| String::from_utf8_lossy(frame).contains(&quoted);
        let mut read = until(
            || format!("{mark} is not among {:?}", self.frames()),
            || {
                let mut all = self.frames().split_off(seen);
                let at = all.iter().position(is_mark)?;
                all.truncate(at);
                Some(all)
            },
        );
        self.seen += read.len() + 1;
        read.retain(|frame| !is_ping(&body(frame)));
        read
    }

    /// The answers among what it has read since it was last asked.
    fn answers(&mut self) -> Vec<Vec<u8>> {
        let mut read = self.read();
        read.retain(|frame| body(frame)["method"].is_null());
        read
    }
}

fn body(frame: &[u8]) -> Value {
    let at = frame.windows(4).position(|it| it == b"\r\n\r\n").unwrap() + 4;
    serde_json::from_slice(&frame[at..]).unwrap()
}

/// Whether the host asks by itself for a sign of life. The snippet has an id of its own.
fn is_ping(body: &Value) -> bool {
    body["method"] == "ping" && body["id"] != 902
}

/// An answer without how long there is to wait still.
fn steady(frame: &[u8]) -> Value {
    let mut body = body(frame);
    if let Some(wait) = body.pointer_mut("/error/data/retry_after_ms") {
        *wait = Value::Null;
    }
    body
}

fn flags(row: &Value) -> [&str; 2] {
    [if row["door"] == "from-plugin" { "--from" } else { "--to" }, ID]
}

/// Whether its last frame ends the process: nothing is read behind it.
fn is_ended(sent: &[Sent]) -> bool {
    sent.last().is_some_and(|last| last.foreseen.ends.is_some())
}

/// What was foreseen as the answers is what the tap has, and what the plugin read.
#[track_caller]
fn answered(reading: &mut Reading, row: &Value) -> Vec<Sent> {
    let sent = reading.looked.sent(row, &flags(row));
    for frame in &sent {
        assert!(frame.agrees(steady), "{} is foreseen", name(row));
    }
    if !is_ended(&sent) {
        let told: Vec<Vec<u8>> = sent.iter().flat_map(|frame| frame.answers.iter().cloned()).collect();
        assert_eq!(texts(&reading.answers()), texts(&told), "{}", name(row));
    }
    sent
}

/// What goes to a plugin in the host's place is what it reads.
#[track_caller]
fn delivered(reading: &mut Reading, row: &Value) -> Vec<Sent> {
    let sent = reading.looked.sent(row, &flags(row));
    let read = reading.read();
    assert_eq!(read.len(), sent.len(), "{}: {:?}", name(row), texts(&read));
    for (at, (frame, read)) in sent.iter().zip(&read).enumerate() {
        let members = written(&reading.looked, row, at)["body"].take();
        let (members, body) = (members.as_object().unwrap(), body(read));
        assert!(members.iter().all(|(name, value)| body[name] == *value), "{}: {body}", name(row));
        if let Some(kept) = frame.whole() {
            assert_eq!(String::from_utf8_lossy(read), String::from_utf8_lossy(kept), "{}", name(row));
        }
        assert!(frame.answers.is_empty(), "{}: {:#}", name(row), frame.row);
    }
    sent
}

fn texts(frames: &[Vec<u8>]) -> Vec<String> {
    frames.iter().map(|frame| String::from_utf8_lossy(frame).into_owned()).collect()
}

#[test]
fn each_answer_of_the_host_is_read_by_the_plugin_as_it_was_foreseen() {
    let mut reading = Reading::serve("", None);
    let rows = of_link(reading.looked.data(), "plugin");
    let mut read = BTreeSet::new();
    for row in rows.iter().filter(|row| !STAGED.iter().any(|stage| needs(row, stage))) {
        read.insert(name(row).to_owned());
        if name(row) == RATE_LIMITED {
            answered(&mut Reading::serve("", None), row);
            continue;
        }
        let is_to = row["door"] == "to-plugin";
        let sent = if is_to { delivered(&mut reading, row) } else { answered(&mut reading, row) };
        if is_ended(&sent) {
            reading.when("ended", |row| row.state != "up");
            printed(reading.looked.data(), &["plugin", "restart", ID]);
            reading.when("up again", |row| row.state == "up");
        }
    }
    let elsewhere = "in the other test";
    let skipped = [
        ("plugin/set-upstream", elsewhere),
        ("plugin/get-credential", elsewhere),
        ("plugin/capability-denied", elsewhere),
        ("plugin/consent-denied", elsewhere),
        ("plugin/shutting-down", elsewhere),
    ];
    were_all_sent(&rows, &read, &skipped);
}

#[test]
fn each_answer_to_a_plugin_of_another_standing_is_read_as_it_was_foreseen() {
    let mut bare = Reading::serve("", Some(&["log"]));
    let rows = of_link(bare.looked.data(), "plugin");
    let row = |wanted: &str| rows.iter().find(|row| name(row) == wanted).unwrap();
    answered(&mut bare, row("plugin/capability-denied"));

    let mut asking = Reading::serve(CREDENTIAL, None);
    // The call waits: it is answered by the refusal of the operator.
    let asked = answered(&mut asking, row("plugin/get-credential"));
    assert!(asked[0].answers.is_empty(), "{:#}", asked[0].row);
    printed(asking.looked.data(), &["plugin", "deny", ID]);
    let denied = asking.answers();
    assert_eq!(denied.len(), 1, "{:?}", texts(&denied));
    assert_eq!(body(&denied[0])["id"], 1);
    answered(&mut asking, row("plugin/consent-denied"));
    printed(asking.looked.data(), &["stream", "set", "streamer"]);
    answered(&mut asking, row("plugin/set-upstream"));

    let data = asking.looked.data().to_owned();
    thread::scope(|scope| {
        // It does not answer `shutdown`, and has 5 s for it.
        let stopping = scope.spawn(|| cli(&data, &["plugin", "disable", ID]));
        asking.when("stopping", |row| row.state != "up");
        let sent = asking.looked.sent(row("plugin/shutting-down"), &["--from", ID]);
        assert!(sent[0].agrees(steady) && sent[0].answers.len() == 1, "{:#}", sent[0].row);
        assert!(stopping.join().unwrap().status.success());
        // All is read that was written before it ended.
        let read = asking.frames();
        assert!(read.contains(&sent[0].answers[0]), "{:?}", texts(&read));
    });
}
