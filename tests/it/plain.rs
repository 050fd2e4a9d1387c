//! The console without a screen, and alerts wherever they are heard.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Stdio},
    time::Duration,
};

use serde_json::Value;
use tempfile::tempdir;

use crate::real::{Adapter, Station, cli, command, json, pair, screen::Terminal};

const PATIENCE: Duration = Duration::from_secs(60);
const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

/// A program whose lines are read one by one.
struct Reading {
    child: Child,
    out: BufReader<ChildStdout>,
    /// Everything that was read.
    all: String,
}

impl Reading {
    fn start(data: &Path, args: &[&str]) -> Self {
        let mut child = command(data)
            .args(["--port", "0"])
            .args(args)
            .env("RL_CONSOLE_CONSOLE_ALERTS_ADAPTER_GONE_S", "1")
            .env("RL_CONSOLE_CONSOLE_ALERTS_HEAD_WAITING_S", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out, all: String::new() }
    }

    /// The next line that has these words.
    fn line(&mut self, words: &str) -> String {
        let (found, waiting) = std::sync::mpsc::sync_channel::<()>(1);
        let pid = rustix::process::Pid::from_child(&self.child);
        std::thread::spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        });
        loop {
            let mut line = String::new();
            assert!(
                self.out.read_line(&mut line).unwrap() > 0,
                "it ended before it said {words:?}:\n{}",
                self.all
            );
            self.all.push_str(&line);
            if line.contains(words) {
                drop(found);
                return line;
            }
        }
    }

    /// SIGTERM, and what it said until its end.
    fn terminate(mut self) -> String {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.line("stopping");
        assert!(self.child.wait().unwrap().success());
        std::mem::take(&mut self.all)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn addr_of(ready: &str) -> std::net::SocketAddr {
    let addr = ready.split("adapters connect to ").nth(1).and_then(|rest| rest.split([',', '\n']).next());
    addr.unwrap().parse().unwrap()
}

#[test]
fn one_line_an_event_tells_a_show_to_whoever_sees_no_screen() {
    let folder = tempdir().unwrap();
    let token = pair(folder.path());
    let mut plain = Reading::start(folder.path(), &["--plain"]);
    let ready = plain.line("  info  mpp  ready: adapters connect to");
    assert!(ready.starts_with(|digit: char| digit.is_ascii_digit()), "{ready}");
    let addr = addr_of(&ready);
    let state = plain.line("state: ");
    assert!(
        state.contains("  info  console  state: pack ")
            && state.contains("no adapter")
            && state.contains("store ok"),
        "{state}"
    );
    let mut adapter = Adapter::ready(addr, &token);
    plain.line("  info  mpp  adapter 127.0.0.1:");
    plain.line("state: ");
    json(folder.path(), &["invoke", "give_item", "--params", r#"{"item_id":4,"count":1}"#]);
    plain.line("  info  operator  invoke give_item");
    plain.line("  info  mpp  1 give_item on default: enqueued");
    adapter.send(PULL).unwrap();
    adapter.receive().unwrap();
    plain.line("  info  mpp  1 give_item on default: dispatched");
    adapter.send(r#"{"mpp":2,"type":"failed","id":1,"reason":"no room\u001b[2J\u202e"}"#).unwrap();
    plain.line("  warn  mpp  1 give_item on default: failed: no room␛[2J<202e>");
    for n in 0..2_000 {
        adapter.send(&format!(r#"{{"mpp":2,"type":"log","level":"info","message":"line {n}"}}"#)).unwrap();
    }
    plain.line("  info  adapter  line 0");
    let more = plain.line(" more log lines");
    assert!(more.contains("  info  console  … "), "{more}");
    json(folder.path(), &["hold", "boss"]);
    plain.line("  info  mpp  queue boss held");
    plain.line("held: boss");
    drop(adapter);
    plain.line("  warn  mpp  adapter 127.0.0.1:");
    let alert = plain.line("  warn  console  alert: adapter 127.0.0.1:");
    assert!(alert.contains("; to do: restart the adapter"), "{alert}");
    plain.line("1 alert");
    let _adapter = Adapter::ready(addr, &token);
    plain.line("  info  console  resolved after ");
    let all = plain.terminate();
    assert!(!all.contains(|letter: char| letter.is_control() && letter != '\n'), "{all:?}");
    assert!(!all.contains(['│', '─', '●', '\u{202e}']), "{all}");
    assert!(all.matches("  adapter  line ").count() < 2_000, "a flood is counted");
    assert!(all.lines().all(|line| line.splitn(4, "  ").count() == 4), "{all}");
}

#[test]
fn scripts_hear_every_step_and_every_alert_as_objects() {
    let folder = tempdir().unwrap();
    pair(folder.path());
    let mut plain = Reading::start(folder.path(), &["--plain", "--json"]);
    plain.line(r#"{"event":"ready","mpp":"127.0.0.1:"#);
    json(folder.path(), &["invoke", "heal_party"]);
    let given: Value = serde_json::from_str(&plain.line(r#""event":"enqueued""#)).unwrap();
    assert_eq!(
        (&given["id"], &given["queue"], &given["name"]),
        (&1.into(), &"default".into(), &"heal_party".into())
    );
    let alert: Value = serde_json::from_str(&plain.line(r#""event":"alert""#)).unwrap();
    assert_eq!((&alert["alert"], &alert["subject"]), (&"head_waiting".into(), &"default".into()));
    assert_eq!(alert["text"], "oldest item in default is waiting: no adapter connected");
    assert_eq!(alert["to_do"][0], "start the adapter; pending work is dispatched once it pulls");
    json(folder.path(), &["cancel", "invocation", "1"]);
    let passed: Value = serde_json::from_str(&plain.line(r#""event":"alert_passed""#)).unwrap();
    assert_eq!(passed["alert"], "head_waiting");
    assert!(passed["lasted_s"].as_u64().unwrap() >= 1);
    plain.terminate();
}

#[test]
fn a_bridge_that_is_up_is_not_restarted() {
    let folder = tempdir().unwrap();
    let _station = Station::start(folder.path());
    let refused = cli(folder.path(), &["--json", "restart", "mpp"]);
    assert_eq!(refused.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&refused.stderr).unwrap();
    assert_eq!(error["error"]["code"], "host_up");
}

#[test]
fn serve_tells_of_alerts_too() {
    let folder = tempdir().unwrap();
    let token = pair(folder.path());
    let mut station = Station::start(folder.path());
    drop(Adapter::ready(station.mpp, &token));
    let alert = station.event("alert");
    assert_eq!(alert["alert"], "adapter_gone");
    assert!(alert["to_do"][0].as_str().unwrap().starts_with("restart the adapter"), "{alert}");
    let _adapter = Adapter::ready(station.mpp, &token);
    assert_eq!(station.event("alert_passed")["alert"], "adapter_gone");
}

#[test]
fn a_reader_that_goes_away_does_not_end_the_show() {
    let folder = tempdir().unwrap();
    let token = pair(folder.path());
    let mut plain = Reading::start(folder.path(), &["--plain"]);
    let addr = addr_of(&plain.line("ready: adapters connect to"));
    let mut child = std::process::Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
    plain.out = BufReader::new(child.stdout.take().unwrap());
    child.wait().unwrap();
    let mut adapter = Adapter::ready(addr, &token);
    for _ in 0..20 {
        json(folder.path(), &["invoke", "heal_party"]);
        adapter.send(PULL).unwrap();
        let id = adapter.receive().unwrap()["id"].clone();
        adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)).unwrap();
        adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
    }
    let pid = rustix::process::Pid::from_child(&plain.child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(plain.child.wait().unwrap().success());
}

#[test]
fn plain_goes_with_no_subcommand_and_a_dumb_terminal_is_told_of_it() {
    let folder = tempdir().unwrap();
    assert_eq!(cli(folder.path(), &["--plain", "ls", "queues"]).status.code(), Some(2));
    let words =
        ["/usr/bin/env", "TERM=dumb", env!("CARGO_BIN_EXE_rl-console"), "--data", "d"].map(str::to_owned);
    let mut terminal = Terminal::run(folder.path(), 100, 30, &words);
    terminal.shows(" --plain");
    assert!(!terminal.ended().success());
}

#[test]
fn the_bell_rings_when_the_adapter_is_gone_and_the_first_line_counts_it() {
    let folder = tempdir().unwrap();
    let config = folder.path().join("home/config/rl-console");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[console.alerts]\nadapter_gone_s = 1\ndesktop = \"osc9\"\n")
        .unwrap();
    let token = pair(folder.path());
    let mut terminal = Terminal::start(folder.path(), 100, 30, &["--port", "0"]);
    let addr = crate::terminal::mpp_addr(folder.path());
    let adapter = Adapter::ready(addr, &token);
    terminal.shows("MPP ●");
    assert!(!terminal.has_written(b"\x07"));
    drop(adapter);
    terminal.shows("! 1 alert");
    terminal.writes(b"\x07\x1b]9;rl-console: adapter 127.0.0.1:");
    terminal.keys("a");
    terminal.shows("Alerts: 1 active");
    terminal.keys("A");
    terminal.shows("Alerts: none active");
    let _adapter = Adapter::ready(addr, &token);
    terminal.shows("resolved");
    terminal.keys("\x1b");
    terminal.wait("the tray is closed", |screen| !screen.contains("Alerts:"));
}
