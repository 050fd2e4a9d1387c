//! What `serve` and the metrics say of the gate.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use serde_json::json;

use super::stage::{PULL, Stage};

#[test]
fn what_is_held_and_what_became_of_it_is_told_and_counted() {
    let mut stage = Stage::open(&["--metrics", "0"]);
    let metrics = stage.station.ready["metrics"].as_str().unwrap().to_owned();
    let count = |name: &str| {
        let mut stream = TcpStream::connect(&metrics).unwrap();
        stream.write_all(format!("GET /metrics HTTP/1.1\r\nHost: {metrics}\r\n\r\n").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{text}"));
        line.trim().parse::<u64>().unwrap()
    };
    let mut adapter = stage.adapter();
    let rule = stage.arm(&["link:mpp kind:pull", "--in"]);
    adapter.send(PULL).unwrap();
    let held = stage.station.event("intercepted");
    assert_eq!((&held["frame"], &held["rule"], &held["head"]), (&json!(1), &json!(rule), &json!("pull")));
    assert_eq!(
        (&held["link"], &held["direction"], &held["hold_ms"]),
        (&json!("mpp"), &json!("in"), &json!(30_000))
    );
    assert_eq!((count("rl_console_gate_rules"), count("rl_console_gate_held_frames")), (1, 1));
    stage.gate(&["drop", "1"]).exits(0);
    let passed = stage.station.event("passed");
    assert_eq!((&passed["frame"], &passed["how"]), (&json!(1), &json!("dropped")));
    assert_eq!(passed["by"]["kind"], "tui");
    assert_eq!(count("rl_console_gate_held_frames"), 0);
    assert_eq!(count(r#"rl_console_gate_frames_total{how="dropped"}"#), 1);
    assert_eq!(count("rl_console_gate_full_frames_total"), 0);
}

#[test]
fn a_held_call_that_its_client_gives_up_is_dropped_and_told() {
    let mut stage = Stage::open(&[]);
    stage.arm(&["link:macp", "--in"]);
    let client = stage.program(&["session", "start", "s1", "--as", "alice"]);
    let held = stage.held(1).remove(0);
    assert_eq!((&held["link"], &held["kind"]), (&json!("macp"), &json!("Send")));
    drop(client);
    let passed = stage.station.event("passed");
    assert_eq!((&passed["frame"], &passed["how"]), (&held["frame"], &json!("dropped")));
    stage.held(0);
    assert!(stage.ls(&["sessions"]).is_empty(), "the kernel never saw it");
}

#[test]
fn a_call_and_its_answer_are_held_and_edited() {
    let stage = Stage::open(&[]);
    stage.arm(&["link:macp", "--in", "--max", "1"]);
    let client = stage.program(&["session", "start", "s1", "--as", "alice"]);
    let frame = stage.frame();
    stage.arm(&["link:macp", "--out", "--max", "1"]);
    stage.gate(&["edit", &frame, "--set", "body.envelope.session_id=s2"]).exits(0);
    let answer = stage.held(1).remove(0);
    assert_eq!(answer["way"], "out");
    let frame = answer["frame"].to_string();
    let edit = stage.gate(&["edit", &frame, "--set", "body.x=1"]);
    assert_eq!((edit.code, &edit.error["code"]), (Some(2), &json!("usage")), "{edit:?}");
    stage.gate(&["pass", &frame]).exits(0);
    assert_eq!(client.ended().0, Some(0));
    assert_eq!(stage.ls(&["sessions"])[0]["session"], "s2");
}
