//! Each error, with its code, its hint and its exit code.

use serde_json::json;

use super::stage::{PULL, Stage};
use crate::{real::command, runs_cli::Ran};

#[track_caller]
fn refused(ran: &Ran, code: &str) {
    assert_eq!((ran.code, &ran.error["code"]), (Some(1), &json!(code)), "{ran:?}");
    assert!(ran.error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{ran:?}");
}

#[test]
fn each_error_has_its_code_and_its_hint() {
    let stage = Stage::open(&[]);
    let mut adapter = stage.adapter();
    refused(&stage.gate(&["arm", "  "]), "no_filter");
    refused(&stage.gate(&["arm", "link:"]), "bad_filter");
    refused(&stage.gate(&["arm", "nosuch:x"]), "bad_filter");
    refused(&stage.gate(&["arm", "trace:a41f"]), "not_known_yet");
    for fault in ["drop", "duplicate", "cut", "delay=5ms"] {
        refused(&stage.gate(&["arm", "link:mpp", "--then", fault]), "rehearsal_only");
    }
    for args in [
        &["kind:hello"][..],
        &["link:macp kind:Initialize"],
        &["link:mpp kind:pull", "--out"],
        &["link:rmp dir:out", "--in"],
        &["link:macp", "--then", "duplicate"],
    ] {
        refused(&stage.gate(&[&["arm"], args].concat()), "nothing_to_do");
    }
    refused(&stage.gate(&["disarm", "7"]), "no_rule");
    for args in [&["pass", "7"][..], &["drop", "7"], &["drop", "7", "8"], &["edit", "7", "--raw", "0a"]] {
        refused(&stage.gate(args), "not_intercepted");
    }
    stage.arm(&["link:mpp kind:pull", "--in"]);
    adapter.send(PULL).unwrap();
    let frame = stage.frame();
    let not_whole = stage.gate(&["edit", &frame, "--raw", "7b7d"]);
    refused(&not_whole, "not_whole");
    assert!(not_whole.error["hint"].as_str().unwrap().contains("one LF"), "{not_whole:?}");
    refused(&stage.gate(&["edit", &frame, "--raw", "7b7d0a7b"]), "not_whole");
    let same = stage.gate(&["edit", &frame, "--set", "body.queue=default", "--keep"]);
    refused(&same, "not_kept");
    assert_eq!(stage.frame(), frame, "it is held still");
    stage.gate(&["disarm"]).exits(0);
    // A rule that has taken all that it was to take makes no further change.
    stage.arm(&["link:mpp kind:heartbeat", "--in", "--max", "1"]);
    adapter.send(r#"{"mpp":2,"type":"heartbeat"}"#).unwrap();
    let frame = stage.frame();
    let kept = stage.gate(&["edit", &frame, "--set", "body.x=1", "--keep"]);
    refused(&kept, "not_kept");
    assert!(kept.error["message"].as_str().unwrap().contains("disarmed"), "{kept:?}");
}

#[test]
fn so_many_rules_are_armed_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home/config/rl-console");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.toml"), "[limits.gate]\nrules_max = 1\n").unwrap();
    let _station = crate::real::Station::start(folder.path());
    let arm = || crate::runs_cli::run(folder.path(), &["gate", "arm", "link:rmp"], "");
    arm().exits(0);
    refused(&arm(), "gate_full");
}

#[test]
fn who_only_looks_neither_arms_nor_sees_frames() {
    let stage = Stage::open(&[]);
    for token in ["viewer", "cue"] {
        for args in [&["gate", "arm", "link:mpp"][..], &["gate", "ls"], &["gate", "pass"], &["gate", "watch"]]
        {
            let output = command(stage.data())
                .arg("--token-file")
                .arg(stage.data().join(format!("{token}.token")))
                .arg("--json")
                .args(args)
                .stdin(std::process::Stdio::null())
                .output()
                .unwrap();
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{token} {args:?}: {error}");
            assert!(error.contains(r#""code":"forbidden""#), "{token} {args:?}: {error}");
        }
    }
}

#[test]
fn without_a_station_nothing_is_held() {
    let folder = tempfile::tempdir().unwrap();
    for args in [&["gate", "ls"][..], &["gate", "watch"], &["gate", "arm", "link:mpp"]] {
        let ran = crate::runs_cli::run(folder.path(), args, "");
        assert_eq!((ran.code, &ran.error["code"]), (Some(3), &json!("no_station")), "{args:?}");
    }
}
