//! `sim adapter` as a process, against a bridge made of a script.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail that way")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

const TOKEN: &str = "not-to-be-seen";

/// One connection of the adapter, as the bridge has it.
struct Bridge {
    lines: BufReader<TcpStream>,
    stream: TcpStream,
}

impl Bridge {
    fn accept(listener: &TcpListener) -> Self {
        let stream = listener.accept().unwrap().0;
        // Only a hang is cut off by it.
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self { lines: BufReader::new(stream.try_clone().unwrap()), stream }
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// The next frame of this type; others are passed over.
    fn next_of(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.next();
            if frame["type"] == kind {
                return frame;
            }
        }
    }

    fn send(&mut self, frame: &Value) {
        writeln!(self.stream, "{frame}").unwrap();
    }

    fn take(&mut self) {
        assert_eq!(self.next()["type"], "hello");
        self.send(&json!({"mpp": 2, "type": "hello_ack", "ok": true, "broadcaster_login": "streamer_login", "session_id": 42}));
        let mut pulled = [self.next_of("pull")["queue"].clone(), self.next_of("pull")["queue"].clone()];
        pulled.sort_by_key(ToString::to_string);
        assert_eq!(pulled, ["boss", "default"]);
    }

    fn invoke(&mut self, id: u64, queue: &str) {
        self.send(&json!({"mpp": 2, "type": "invocation", "id": id, "queue": queue, "event": "give_item", "params": {"item_id": 4}}));
    }
}

fn adapter(listener: &TcpListener, args: &[&str]) -> (Child, BufReader<ChildStdout>) {
    let addr = listener.local_addr().unwrap().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    command
        .args(["--json", "sim", "adapter", "--addr", &addr])
        .args(args)
        .env_clear()
        .env("HOME", "/nonexistent");
    command
        .env("RL_CONSOLE_BRIDGE_TOKEN", TOKEN)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    (child, out)
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// Ends, with its exit code, the events that it told and what it said on stderr.
fn ended(child: Child, out: BufReader<ChildStdout>) -> (Option<i32>, Vec<Value>, String) {
    let told: Vec<Value> = out.lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains(TOKEN) && !told.iter().any(|event| event.to_string().contains(TOKEN)));
    (output.status.code(), told, said)
}

fn terminate(child: &Child) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
}

#[test]
fn serves_every_queue_and_ends_on_a_signal() {
    let listener = listener();
    let (child, out) = adapter(&listener, &[]);
    let mut bridge = Bridge::accept(&listener);
    bridge.take();
    bridge.invoke(1, "default");
    bridge.invoke(2, "boss");
    for id in [1, 2] {
        assert_eq!(bridge.next_of("done")["id"], id);
    }
    terminate(&child);
    let (code, told, _) = ended(child, out);
    assert_eq!(code, Some(0));
    assert_eq!(told.last().unwrap(), &json!({"event": "ended", "done": 2, "failed": 0, "refunded": 0}));
    assert!(told.contains(&json!({"event": "invocation", "id": 1, "queue": "default", "name": "give_item"})));
}

#[test]
fn a_refused_handshake_is_told_with_its_reason() {
    let listener = listener();
    let (child, out) = adapter(&listener, &["--reconnect"]);
    let mut bridge = Bridge::accept(&listener);
    assert_eq!(bridge.next()["bridge_token"], TOKEN);
    bridge.send(&json!({"mpp": 2, "type": "hello_ack", "ok": false, "reason": "invalid_token"}));
    drop(bridge);
    let (code, told, said) = ended(child, out);
    assert_eq!(code, Some(1));
    assert!(told.contains(&json!({"event": "hello_refused", "reason": "invalid_token"})));
    assert!(said.contains("\"adapter_refused\"") && said.contains("invalid_token"), "{said}");
}

#[test]
fn a_lost_connection_is_made_again_where_asked_and_the_same_seed_does_the_same() {
    let outcome = |bridge: &mut Bridge, id| {
        bridge.invoke(id, "boss");
        loop {
            let frame = bridge.next();
            match frame["type"].as_str() {
                Some("done") => return "done",
                Some("failed") => return if frame["refund"] == true { "refunded" } else { "failed" },
                _ => {}
            }
        }
    };
    let listener = listener();
    let (child, out) =
        adapter(&listener, &["--reconnect", "--seed", "7", "--fail-rate", "0.4", "--refund-rate", "0.3"]);
    let mut rounds = Vec::new();
    for _ in 0..2 {
        let mut bridge = Bridge::accept(&listener);
        bridge.take();
        rounds.push((1..=20).map(|id| outcome(&mut bridge, id)).collect::<Vec<_>>());
    }
    assert_eq!(rounds[0], rounds[1]);
    assert!(["done", "failed", "refunded"].iter().all(|end| rounds[0].contains(end)), "{rounds:?}");
    terminate(&child);
    let (code, told, _) = ended(child, out);
    assert_eq!(code, Some(0));
    assert!(told.iter().any(|event| event["event"] == "reconnecting"));
}

#[test]
fn a_flood_of_logs_does_not_keep_it_from_its_work() {
    let listener = listener();
    let (child, out) = adapter(&listener, &["--logs-per-s", "20000"]);
    let mut bridge = Bridge::accept(&listener);
    bridge.take();
    for _ in 0..25_000 {
        let log = bridge.next_of("log");
        assert!(log["level"].is_string() && log["message"].is_string());
    }
    bridge.invoke(1, "default");
    assert_eq!(bridge.next_of("done")["id"], 1);
    terminate(&child);
    let (code, told, _) = ended(child, out);
    assert_eq!(code, Some(0));
    assert!(
        told.iter().any(|event| event["event"] == "flooded" && event["logs"].as_u64() > Some(0)),
        "{told:?}"
    );
    assert_eq!(
        told.iter().filter(|event| event["event"] == "log").count(),
        1,
        "the flood is not told line by line"
    );
    assert!(told.last().unwrap()["logs"].as_u64() >= Some(25_000));
}

#[test]
fn without_reconnect_a_lost_connection_is_exit_three() {
    let listener = listener();
    let (child, out) = adapter(&listener, &[]);
    let mut bridge = Bridge::accept(&listener);
    bridge.take();
    drop(bridge);
    let (code, told, said) = ended(child, out);
    assert_eq!(code, Some(3), "{said}");
    assert_eq!(told.last().unwrap()["event"], "ended");
}
