//! `session` and `sim session` as a person has them: the real binary against a real station.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::real::{self, Station};

struct TestStation {
    folder: TempDir,
    station: Station,
}

impl TestStation {
    fn open() -> Self {
        let folder = tempdir().unwrap();
        let station = Station::start(folder.path());
        Self { folder, station }
    }

    fn cli(&self, args: &[&str]) -> Output {
        real::cli(self.folder.path(), args)
    }

    /// What it prints, which must succeed.
    fn says(&self, args: &[&str]) -> String {
        let output = self.cli(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        real::json(self.folder.path(), args)
    }

    /// The exit code, what is printed, and the error.
    fn refused(&self, args: &[&str]) -> (i32, Vec<Value>, Value) {
        let output = self.cli(&[&["--json"], args].concat());
        let lines = String::from_utf8(output.stdout).unwrap();
        let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let error: Value = serde_json::from_slice(&output.stderr)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        (output.status.code().unwrap(), lines, error["error"].clone())
    }

    /// Holds a stream whose stdin is this: the exit code and the answers.
    fn stream(&self, args: &[&str], stdin: &str) -> (i32, Vec<Value>) {
        let mut command = real::command(self.folder.path());
        command.args(["--json", "session", "stream"]).args(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let lines = String::from_utf8(output.stdout).unwrap();
        (
            output.status.code().unwrap(),
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
        )
    }
}

#[test]
fn a_person_holds_a_decision_from_a_shell() {
    let fixture = TestStation::open();
    let send = |words: &[&str]| fixture.says(&[&["session", "send", "s1"], words].concat());
    let started = [
        "session",
        "start",
        "s1",
        "--as",
        "alice",
        "--participant",
        "alice",
        "--participant",
        "bob",
        "--intent",
        "which map",
    ];
    assert!(fixture.says(&started).starts_with("s1  SessionStart of alice  accepted  open  "));
    assert!(
        send(&["--as", "alice", "propose", "p1", "the mine", "--rationale", "short"])
            .starts_with("s1  Proposal of alice  accepted  open  ")
    );
    send(&["--as", "bob", "evaluate", "p1", "approve", "--confidence", "0.9", "--reason", "fine"]);
    send(&["--as", "bob", "object", "p1", "low", "--reason", "dark"]);
    assert_eq!(
        send(&["--as", "bob", "--id", "v1", "vote", "p1", "approve"]),
        "s1  Vote of bob  accepted  open  v1\n"
    );
    assert_eq!(
        send(&["--as", "bob", "--id", "v1", "vote", "p1", "approve"]),
        "s1  Vote of bob  duplicate  open  v1\n"
    );
    let shown = fixture.says(&["session", "show", "s1"]);
    for part in [
        "state          open\n",
        "phase          voting\n",
        "participants   alice, bob\n",
        "proposal p1  the mine  (alice)\n  short\n",
        "bob  APPROVE 0.9  fine",
        "objections  low 1\n    bob  low  dark",
        "votes  approve 1",
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(
        send(&["--as", "alice", "commit", "go to the mine", "--scope", "show"])
            .contains("  Commitment of alice  accepted  resolved  ")
    );
    let detail = &fixture.json(&["session", "show", "s1"])[0];
    assert_eq!(
        (&detail["state"], &detail["resolution"]["action"]),
        (&json!("resolved"), &json!("go to the mine"))
    );
    assert_eq!(detail["progress"]["votes"]["bob"]["vote"], json!("approve"));
    let log = fixture.json(&["session", "show", "s1", "--log"]);
    let types: Vec<_> = log
        .iter()
        .map(|row| row["message_type"].as_str().unwrap_or_else(|| row["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(
        types,
        ["SessionStart", "Proposal", "Evaluation", "Objection", "Vote", "Commitment", "resolution"]
    );
    assert_eq!(fixture.json(&["session", "show", "s1", "--log", "--after", "2", "--limit", "3"]).len(), 3);
    let rows = fixture.json(&[
        "ls",
        "sessions",
        "--state",
        "resolved",
        "--mode",
        "macp.mode.decision.v1",
        "--filter",
        "participants:2",
    ]);
    assert_eq!((rows.len(), &rows[0]["session"], &rows[0]["messages"]), (1, &json!("s1"), &json!(5)));
    assert_eq!(fixture.json(&["session", "ls", "--state", "open"]).len(), 0);
}

#[test]
fn what_is_refused_says_what_it_means_and_what_to_do() {
    let fixture = TestStation::open();
    let (code, printed, error) =
        fixture.refused(&["session", "send", "s1", "--as", "a", "vote", "p1", "approve"]);
    assert_eq!(
        (code, &error["code"], &error["message"]),
        (1, &json!("session_not_found"), &json!("SESSION_NOT_FOUND: no such session"))
    );
    assert!(error["hint"].as_str().unwrap().contains("ls sessions`"), "{error}");
    assert_eq!((&printed[0]["ok"], &printed[0]["session_state"]), (&json!(false), &Value::Null));
    fixture.says(&["session", "start", "s1", "--as", "a", "--participant", "a"]);
    let codes = |args: &[&str]| {
        let (code, _, error) = fixture.refused(&[&["session"], args].concat());
        (code, error["code"].as_str().unwrap().to_owned())
    };
    let expected = |code, name: &str| (code, name.to_owned());
    assert_eq!(
        codes(&["send", "s1", "--as", "mallory", "vote", "p", "approve"]),
        expected(1, "invalid_envelope")
    );
    assert_eq!(
        codes(&["send", "s1", "--as", "a", "--type", "Vote", "--payload", "{"]),
        expected(1, "invalid_envelope")
    );
    assert_eq!(codes(&["start", "s1", "--as", "a"]), expected(1, "invalid_envelope"));
    assert_eq!(codes(&["start", "s2", "--as", "a", "--ttl", "86401"]), expected(1, "invalid_envelope"));
    assert_eq!(codes(&["start", "s2", "--as", "a", "--mode", "task"]), expected(1, "mode_not_supported"));
    assert_eq!(codes(&["start", &"s".repeat(2_000), "--as", "a"]), expected(1, "invalid_envelope"));
    assert_eq!(codes(&["cancel", "s1", "--reason", &"x".repeat(5_000)]), expected(1, "resource_exhausted"));
    assert_eq!(codes(&["send", "s1", "vote", "p", "approve"]), expected(2, "usage"));
    assert_eq!(codes(&["send", "s1", "--as", "a"]), expected(2, "usage"));
    assert_eq!(
        codes(&["send", "s1", "--as", "a", "--type", "Vote", "vote", "p", "approve"]),
        expected(2, "usage")
    );
    assert_eq!(codes(&["show", "nowhere"]), expected(1, "unknown_session"));
    assert_eq!(codes(&["show", "nowhere", "--log"]), expected(1, "unknown_session"));
    assert_eq!(codes(&["cancel", "nowhere"]), expected(1, "session_not_found"));
    let closed = ["--grpc", "127.0.0.1:1", "send", "s1", "--as", "a", "vote", "p", "approve"];
    assert_eq!(codes(&closed), expected(3, "unreachable"));
    assert!(
        fixture
            .says(&["session", "send", "", "--as", "a", "--type", "Signal", "--payload", "hello"])
            .starts_with("-  Signal of a  accepted  open  ")
    );
}

#[test]
fn a_session_is_cancelled_with_a_reason_that_stays() {
    let fixture = TestStation::open();
    let started = fixture.json(&["session", "start", "--as", "a", "--ttl", "600"]);
    let session = started[0]["session_id"].as_str().unwrap();
    assert_eq!(uuid::Uuid::parse_str(session).map(|id| id.get_version_num()), Ok(4), "an id is made up");
    let ack = &fixture.json(&["session", "cancel", session, "--as", "alice", "--reason", "it goes wrong"])[0];
    assert_eq!((&ack["ok"], &ack["session_state"]), (&json!(true), &json!("expired")));
    assert!(
        fixture.says(&["session", "show", session]).contains("state          cancelled: it goes wrong\n")
    );
    let log = fixture.json(&["session", "show", session, "--log"]);
    assert_eq!(
        (&log[1]["kind"], &log[1]["payload"]["reason"]),
        (&json!("session_cancel"), &json!("it goes wrong"))
    );
    let (code, _, error) = fixture.refused(&["session", "send", session, "--as", "a", "propose", "p", "x"]);
    assert_eq!((code, &error["code"]), (1, &json!("session_not_open")));
    assert_eq!(
        fixture.json(&["session", "cancel", session])[0]["ok"],
        json!(true),
        "again, and nothing changes"
    );
    let log = fixture.json(&["session", "show", session, "--log"]);
    let by = log
        .iter()
        .find(|record| record["kind"] == "session_cancel")
        .and_then(|record| record["sender"].as_str())
        .unwrap_or_default();
    assert!(by.starts_with("rl-console session cancel of alice (127.0.0.1:"), "{log:?}");
}

#[test]
fn a_stream_takes_words_and_objects_and_answers_each_in_its_turn() {
    let fixture = TestStation::open();
    let lines = "\
        start --mode multi_round --participant alice --participant bob --id start\n\
        contribute blue --id m1\n\
        \n\
        contribute red --as bob --id m2\n\
        {\"message_type\":\"Contribute\",\"sender\":\"mallory\",\"message_id\":\"m3\",\"payload\":{\"value\":\"red\"}}\n\
        contribute blue --as bob --id m4\n\
        contribute blue --as bob --id m5\n";
    let (code, answers) = fixture.stream(&["s1", "--as", "alice"], lines);
    let told: Vec<_> = answers
        .iter()
        .map(|it| (it["message_type"].as_str().unwrap(), it["message_id"].as_str().unwrap()))
        .collect();
    let expected = [
        ("Ack", "ack-start"),
        ("Ack", "ack-m1"),
        ("Ack", "ack-m2"),
        ("Error", "err-m3"),
        ("Ack", "ack-m4"),
        ("Error", "err-m5"),
    ];
    assert_eq!((code, told), (1, expected.to_vec()), "two were refused");
    assert_eq!(answers[4]["payload"], json!({ "duplicate": false, "ok": true, "session_state": "Resolved" }));
    assert_eq!(answers[5]["payload"]["code"], json!("SESSION_NOT_OPEN"));
    let (code, answers) = fixture.stream(&["s1", "--as", "alice"], "contribute blue --id m1\nveto\n");
    assert_eq!(code, 1);
    assert!(
        answers.iter().any(|it| it["message_id"] == "ack-m1" && it["payload"]["duplicate"] == true),
        "{answers:?}"
    );
    assert!(answers.iter().any(|it| it["event"] == "not_sent" && it["line"] == 2), "{answers:?}");
    assert_eq!(fixture.stream(&[], "").0, 0);
    let shown = fixture.says(&["session", "show", "s1"]);
    assert!(
        shown.contains("round          3\n")
            && shown.contains("contributions  blue 2\n    alice  blue\n    bob    blue"),
        "{shown}"
    );
}

#[test]
fn a_stream_answers_while_it_is_open() {
    let fixture = TestStation::open();
    let mut command = real::command(fixture.folder.path());
    command.args(["--json", "session", "stream", "s1", "--as", "alice"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut out) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    for line in ["start", "propose p1 go", "vote p1 approve"] {
        writeln!(stdin, "{line}").unwrap();
        let mut answer = String::new();
        out.read_line(&mut answer).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&answer).unwrap()["message_type"], json!("Ack"), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn another_runtime_tells_what_any_runtime_does() {
    let (fixture, other) = (TestStation::open(), TestStation::open());
    fixture.says(&["session", "start", "s1", "--as", "a", "--mode", "decision", "--policy-version", "7"]);
    let addr = fixture.station.ready["macp"].as_str().unwrap();
    let shown = &other.json(&["--grpc", addr, "session", "show", "s1"])[0];
    assert_eq!(
        (&shown["state"], &shown["mode_name"], &shown["policy_version"]),
        (&json!("open"), &json!("decision"), &json!("7"))
    );
    assert_eq!(shown.get("progress"), None);
    let (code, _, error) = other.refused(&["--grpc", addr, "session", "show", "s1", "--log"]);
    assert_eq!((code, &error["code"]), (1, &json!("no_log")));
    let (code, _, error) = other.refused(&["--grpc", addr, "session", "show", "s2"]);
    assert_eq!((code, &error["code"]), (1, &json!("unknown_session")));
    assert!(
        fixture.json(&["--grpc", addr, "session", "show", "s1"])[0]["progress"].is_object(),
        "its own station tells all"
    );
}

#[test]
fn simulated_participants_hold_the_sessions_that_their_seed_draws() {
    let fixture = TestStation::open();
    let args = [
        "sim",
        "session",
        "--mode",
        "mixed",
        "--sessions",
        "6",
        "--at-once",
        "3",
        "--pace",
        "0",
        "--seed",
        "7",
        "--prefix",
        "x",
    ];
    let told = fixture.json(&args);
    let ended = told.last().unwrap();
    assert_eq!(
        (&ended["event"], &ended["sessions"], &ended["resolved"], &ended["refused"]),
        (&json!("ended"), &json!(6), &json!(6), &json!(0))
    );
    let rows = fixture.json(&["ls", "sessions", "--state", "resolved"]);
    assert_eq!(rows.len(), 6);
    assert_eq!(rows.iter().filter(|row| row["mode"] == "multi_round").count(), 3);
    let again = fixture.json(&args);
    let said = |told: &[Value]| told.iter().filter(|it| it["event"] == "said").count();
    let repeated = again.iter().filter(|it| it["event"] == "said" && it["duplicate"] == true).count();
    assert!(said(&told) > 6, "{told:?}");
    assert_eq!((repeated, said(&again)), (said(&told), said(&told)), "the same messages are the same ones");
    assert_eq!(fixture.json(&["ls", "sessions"]).len(), 6);
    let others = [
        "sim",
        "session",
        "--sessions",
        "4",
        "--pace",
        "0",
        "--cancel-rate",
        "0.5",
        "--leave-rate",
        "0.5",
        "--seed",
        "3",
    ];
    let ended = fixture.json(&others).last().unwrap().clone();
    assert_eq!(ended["cancelled"].as_u64().unwrap() + ended["left"].as_u64().unwrap(), 4);
}

#[test]
fn what_one_peer_opened_is_cancelled_together() {
    let fixture = TestStation::open();
    // Each command has a connection of its own, and leaves what it opened.
    for session in ["s1", "s2"] {
        fixture.json(&["session", "start", session, "--as", "a"]);
    }
    let holders = || {
        let mut rows = fixture.json(&["ls", "clients"]);
        rows.retain(|row| row["link"] == "macp" && row["sessions"] != 0);
        rows
    };
    let rows = holders();
    assert_eq!(
        rows.iter().map(|row| row["sessions"].as_u64().unwrap()).collect::<Vec<_>>(),
        [1, 1],
        "{rows:?}"
    );
    let peer = rows[0]["peer"].as_str().unwrap();
    let cancelled = fixture.json(&["session", "cancel", "--by", peer, "--reason", "too many"]);
    assert_eq!(cancelled, [json!({"peer": peer, "sessions": 1})]);
    let left = holders();
    assert_eq!(left.iter().map(|row| &row["peer"]).collect::<Vec<_>>(), [&rows[1]["peer"]]);
    let open = fixture.json(&["ls", "sessions", "--state", "open"]);
    assert_eq!(open.len(), 1, "{open:?}");
    let (_, lines, error) = fixture.refused(&["session", "cancel", "--by", peer]);
    assert_eq!((lines, &error["code"]), (Vec::new(), &json!("no_sessions_of_peer")));
    assert_eq!(
        fixture.cli(&["session", "cancel", "s2", "--by", peer]).status.code(),
        Some(2),
        "one or the other"
    );
}

#[test]
fn health_and_metrics_tell_of_the_runtime() {
    let folder = tempdir().unwrap();
    let station = Station::start_with(folder.path(), &["--metrics", "0"]);
    let part = || {
        real::json(folder.path(), &["ls", "health"]).into_iter().find(|part| part["part"] == "macp").unwrap()
    };
    let addr = station.ready["macp"].as_str().unwrap();
    assert_eq!(
        (&part()["well"], &part()["detail"]),
        (&json!(true), &json!(format!("listening on {addr}, 0 sessions open, 0 in memory")))
    );
    real::json(folder.path(), &["session", "start", "s1", "--as", "a"]);
    assert!(part()["detail"].as_str().unwrap().contains(", 1 session open, 1 in memory"), "{}", part());
    assert_eq!(std::fs::read_to_string(folder.path().join("macp.addr")).unwrap(), format!("{addr}\n"));
    station.terminate();
    assert!(!folder.path().join("macp.addr").exists(), "it leads nowhere any more");
    let output = real::cli(folder.path(), &["session", "send", "s1", "--as", "a", "vote", "p", "approve"]);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn simulated_participants_go_on_where_they_were_once_a_killed_station_is_back() {
    let folder = tempdir().unwrap();
    let station = Station::start(folder.path());
    let mut command = real::command(folder.path());
    command.args([
        "--json",
        "sim",
        "session",
        "--sessions",
        "2",
        "--pace",
        "40",
        "--seed",
        "5",
        "--reconnect",
    ]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut events = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    assert!(events.any(|event| event["event"] == "said"));
    station.kill();
    assert!(events.any(|event| event["event"] == "disconnected"));
    let _station = Station::start(folder.path());
    assert!(events.any(|event| event["event"] == "connected"), "wherever it is now");
    let ended = events.last().unwrap();
    assert_eq!(
        (&ended["event"], &ended["resolved"], &ended["refused"]),
        (&json!("ended"), &json!(2), &json!(0))
    );
    assert!(child.wait().unwrap().success());
    let rows = real::json(folder.path(), &["ls", "sessions", "--state", "resolved"]);
    assert_eq!(rows.len(), 2);
}
