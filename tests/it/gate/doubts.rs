//! Frames of less certainty say what may come in between; here it comes, while the gate holds the frame, and
//! the end is another one than was foreseen.

use rl_console::{
    judged::{Certainty, Doubt},
    port::{
        Command, DoorSpec, JudgedRow, Operator as _, Outcome, Page, PageBytes, Query, Stand,
        WorkbenchCommand, WorkbenchOutcome,
    },
    station::OperatorClient,
    time::Clock,
};
use serde_json::{Value, json};

use super::stage::{PULL, Program, Stage};
use crate::{
    real::{json as printed, plugins::until},
    rmp_bus::{Peer, frames},
    runs_cli::run,
};

const GREETING: &str = r#"{"body":{"type":"observation.greeting.v1","payload":{"n":1}}}"#;

/// Injects a frame, which is judged first.
fn inject(stage: &Stage, args: &[&str], json: &str) -> Program {
    let file = stage.data().join("frame.json");
    std::fs::write(&file, json).unwrap();
    let flags = [&["inject", args[0], file.to_str().unwrap(), "--wait-ms", "30000"], &args[1..]].concat();
    stage.program(&flags)
}

/// Whether this was foreseen with a doubt of this name, and of what certainty.
#[track_caller]
fn doubted(row: &Value, doubt: &str) {
    let foreseen = &row["foreseen"];
    assert_eq!(foreseen["certainty"], "as_of_now", "{row:#}");
    let doubts = foreseen["doubts"].as_array().unwrap();
    assert!(doubts.iter().any(|it| it == doubt), "{doubt}: {row:#}");
}

#[test]
fn a_subscriber_leaves_between_the_judgement_and_the_message() {
    let stage = Stage::open(&[]);
    let tail = stage.tail("a/b");
    stage.arm(&["link:rmp topic:a/b", "--in"]);
    let sent = inject(&stage, &["rmp", "--topic", "a/b"], GREETING);
    let frame = stage.frame();
    drop(tail);
    let is_tail = |peer: &Value| peer["client"] == "tail";
    let peers = || stage.ls(&["peers"]);
    until(|| format!("it stays: {:?}", peers()), || (!peers().iter().any(is_tail)).then_some(()));
    stage.gate(&["pass", &frame]).exits(0);
    let row = sent.row();
    doubted(&row, "another_peer");
    assert_eq!((&row["foreseen"]["to_count"], &row["verdict"]), (&json!(1), &json!("accepted")));
    assert_eq!(row["subscribers"], 0, "{row:#}");
}

#[test]
fn a_message_expires_between_the_judgement_and_the_broker() {
    let stage = Stage::open(&[]);
    stage.arm(&["link:rmp topic:a/b", "--in"]);
    let sent = inject(&stage, &["rmp", "--topic", "a/b", "--set", "header.ttl_ms=300"], GREETING);
    let held = stage.held(1).remove(0);
    let expires = held["expires_at_ms"].as_u64().unwrap();
    let clock = Clock::start();
    until(|| "it never expires".to_owned(), || (clock.now().wall.0 > expires + 5).then_some(()));
    stage.gate(&["pass", &held["frame"].to_string()]).exits(0);
    let row = sent.row();
    doubted(&row, "time");
    assert_eq!(row["foreseen"]["verdict"], "accepted");
    // The moment is taken from another clock, in milliseconds.
    let holds_until = row["foreseen"]["holds_until_ms"].as_u64().unwrap();
    assert!(holds_until.abs_diff(expires) <= 2, "{holds_until} for {expires}");
    assert_eq!((&row["verdict"], &row["code"]), (&json!("refused"), &json!("Expired")));
}

#[test]
fn another_message_of_the_same_id_comes_first() {
    let stage = Stage::open(&[]);
    let tail = stage.tail("a/b");
    stage.arm(&["link:rmp topic:a/b", "--in", "--max", "1"]);
    let id = "trace:3f0c8f3e-0000-4000-8000-000000000009";
    let same = json!({"header": {"trace_id": id, "msg_id": 7}, "body": {
        "type": "observation.greeting.v1", "payload": {"n": 1},
    }});
    let sent = inject(&stage, &["rmp", "--topic", "a/b"], &same.to_string());
    let frame = stage.frame();
    run(stage.data(), &["inject", "rmp", "--topic", "a/b"], &same.to_string()).exits(0);
    assert_eq!(tail.row()["topic"], "a/b");
    stage.gate(&["pass", &frame]).exits(0);
    let row = sent.row();
    doubted(&row, "same_id_first");
    assert_eq!((&row["foreseen"]["to_count"], &row["verdict"]), (&json!(1), &json!("accepted")));
    assert_eq!(row["subscribers"], 0, "{row:#}");
    let hops = printed(stage.data(), &["trace", row["trace"].as_str().unwrap()]);
    let of = |seq: &Value| hops.iter().find(|hop| hop["seq"] == *seq).unwrap()["dropped"].clone();
    assert_eq!(of(&row["seq"]), 1, "it is a duplicate to the one who is there: {hops:?}");
}

/// What the core makes of bytes in a held frame's place.
fn in_place_of(stage: &Stage, frame: &str, bytes: &[u8]) -> JudgedRow {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(stage.data())).unwrap();
    let stand = Stand::Intercepted(frame.parse().unwrap());
    let query = Query::Judge { stand, bytes: PageBytes(bytes.to_vec()) };
    match runtime.block_on(operator.query(query)) {
        Ok(Page::Judged(row)) => *row,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_held_frame_is_judged_on_the_connection_that_it_came_by() {
    let stage = Stage::open(&[]);
    let mut peer = Peer::greeted(&stage.data().join("rmp.sock"), "agent", None);
    peer.subscribe(1, "a/b");
    stage.arm(&["link:rmp kind:Unsubscribe", "--in"]);
    let unsubscribe = frames::control(7, "Unsubscribe", vec![("sub", 1.into())]);
    peer.send(&unsubscribe);
    let frame = stage.frame();
    let judged = in_place_of(&stage, &frame, &unsubscribe);
    assert_eq!((judged.verdict.as_str(), judged.code.as_deref()), ("accepted", None), "{judged:?}");
    let other = frames::control(7, "Unsubscribe", vec![("sub", 2.into())]);
    let judged = in_place_of(&stage, &frame, &other);
    assert_eq!((judged.verdict.as_str(), judged.code.as_deref()), ("refused", Some("NotSubscribed")));
    stage.gate(&["pass", &frame]).exits(0);
    assert_eq!(peer.hear().name(), "Ok");
}

#[test]
fn an_answer_that_is_held_is_its_callers_to_read() {
    let stage = Stage::open(&[]);
    stage.arm(&["link:macp", "--out", "--max", "1"]);
    let called = inject(&stage, &["macp", "--rpc", "ListModes"], r#"{"body":{}}"#);
    let frame = stage.frame();
    let judged = in_place_of(&stage, &frame, b"whatever");
    assert_eq!((judged.verdict.as_str(), judged.certainty), ("sent", Certainty::ThePeers), "{judged:?}");
    stage.gate(&["pass", &frame]).exits(0);
    assert_eq!(called.row()["verdict"], "accepted");
}

#[test]
fn a_rule_on_a_clause_or_a_code_stops_what_breaks_it_and_nothing_else() {
    let stage = Stage::open(&[]);
    stage.arm(&["link:rmp code:InvalidTopic", "--in"]);
    assert_eq!(stage.publish("a/b", 1).ended().0, Some(0));
    let refused = inject(&stage, &["rmp", "--topic", "a//b"], GREETING);
    let frame = stage.frame();
    stage.gate(&["pass", &frame]).exits(0);
    let row = refused.row();
    assert_eq!(row["code"], "InvalidTopic", "{row:#}");
    stage.gate(&["disarm"]).exits(0);
    let clause = format!("link:rmp clause:\"{}\"", row["clause"].as_str().unwrap());
    stage.arm(&[&clause, "--in"]);
    assert_eq!(stage.publish("a/b", 2).ended().0, Some(0));
    let refused = inject(&stage, &["rmp", "--topic", "a//b"], GREETING);
    stage.gate(&["pass", &stage.frame()]).exits(0);
    assert_eq!(refused.row()["code"], "InvalidTopic");
}

#[test]
fn another_pulls_first_and_the_pull_that_was_to_be_accepted_ends_the_adapter() {
    let stage = Stage::open(&[]);
    let mut adapter = stage.adapter();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(stage.data())).unwrap();
    let bench = |command| match runtime.block_on(operator.command(Command::Workbench(command))) {
        Ok(Outcome::Workbench(outcome)) => outcome,
        other => panic!("{other:?}"),
    };
    let bytes = PageBytes(format!("{PULL}\n").into_bytes());
    let opened = bench(WorkbenchCommand::Open { door: DoorSpec::AsAdapter });
    let WorkbenchOutcome::Opened { door, .. } = opened else { panic!("{opened:?}") };
    let query = Query::Judge { stand: Stand::Door(door), bytes: bytes.clone() };
    let Ok(Page::Judged(foreseen)) = runtime.block_on(operator.query(query)) else { panic!("a verdict") };
    assert_eq!((foreseen.verdict.as_str(), foreseen.ends), ("accepted", None));
    assert_eq!((foreseen.certainty, &foreseen.doubts[..]), (Certainty::AsOfNow, &[Doubt::AnotherPeer][..]));
    adapter.send(PULL).unwrap();
    let parked = || stage.ls(&["queues"]).into_iter().find(|row| row["parked"] == true);
    until(|| "no queue is parked".to_owned(), parked);
    let send = WorkbenchCommand::Send {
        door,
        pieces: vec![bytes],
        of: None,
        wait_ms: 30_000,
        answers: None,
        foreseen: Vec::new(),
    };
    let WorkbenchOutcome::Sent(done) = bench(send) else { panic!("it is sent") };
    let own = done.own().unwrap();
    assert_eq!((own.verdict.as_deref(), own.code.as_deref()), (Some("refused"), Some("INVALID_FRAME")));
    assert!(done.closed.is_some(), "{done:?}");
    assert_eq!(adapter.receive().unwrap()["type"], "protocol_error");
}

#[test]
fn the_store_does_not_commit_the_run_that_was_to_begin() {
    let stage = Stage::open(&["--rehearsal"]);
    stage.arm(&["link:rmp topic:rlp/ctrl", "--in", "--then", "fail-store=30000ms", "--max", "1"]);
    let id = "trace:3f0c8f3e-0000-4000-8000-000000000007";
    let opening = "version: 0\nname: endless\nnodes:\n  - {id: wait, use: 'agent:mute'}\nedges: []\n";
    let submit = json!({"header": {"trace_id": id}, "body": {"type": "intent.ctrl.request.v1", "payload": {
        "RunSubmit": {"request_id": id, "opening_yaml": opening},
    }}});
    let file = stage.data().join("frame.json");
    std::fs::write(&file, submit.to_string()).unwrap();
    let args = ["inject", "rmp", file.to_str().unwrap(), "--topic", "rlp/ctrl", "--wait-ms", "1500"];
    let row = stage.program(&args).row();
    doubted(&row, "commit");
    let effect = row["foreseen"]["effect"].as_str().unwrap();
    assert!(effect.starts_with("run endless begins"), "{row:#}");
    let kinds = |answers: &Value| -> Vec<Value> {
        answers.as_array().unwrap().iter().map(|answer| answer["kind"].clone()).collect()
    };
    assert_eq!(kinds(&row["foreseen"]["answers"]), ["Ok", "Publish"]);
    assert_eq!(kinds(&row["answers"]), ["Ok"], "the message is taken, and no run begins");
    assert!(stage.ls(&["runs"]).is_empty());
}
