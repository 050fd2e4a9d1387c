//! `stream`: what plays, what is live, relay sessions and chat, from a shell and from pipes.
#![expect(clippy::unwrap_used, reason = "a test may fail that way")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::real;

fn station() -> (TempDir, real::Station) {
    let folder = tempdir().unwrap();
    let station = real::Station::start(folder.path());
    (folder, station)
}

/// Runs a subcommand with this on its stdin.
fn piped(data: &Path, args: &[&str], input: &str) -> Output {
    let mut child = real::command(data)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn what_plays_what_is_live_and_sessions_are_declared() {
    let (folder, station) = station();
    let data = folder.path();
    let show = || real::json(data, &["stream", "show"]).remove(0);
    assert_eq!(show(), json!({ "channel": null, "live": null, "sessions": {} }));
    real::json(data, &["stream", "set", "ann", "--id", "7", "--name", "Ann", "--viewers", "12"]);
    let channel = show()["channel"].clone();
    assert_eq!((&channel["login"], &channel["channel_id"]), (&json!("ann"), &json!("7")));
    assert_eq!((&channel["display_name"], &channel["viewer_count"]), (&json!("Ann"), &json!(12)));
    let lines = "bob\n\n{\"login\":\"eve\",\"game_name\":\"Chess\"}\n";
    let output = piped(data, &["stream", "live", "-"], lines);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let logins = || -> Vec<Value> {
        show()["live"].as_array().unwrap().iter().map(|channel| channel["login"].clone()).collect()
    };
    assert_eq!(logins(), ["bob", "eve"]);
    assert_eq!(show()["live"][1]["game_name"], "Chess");
    let file = data.join("live");
    fs::write(&file, "zoe\n").unwrap();
    real::json(data, &["stream", "live", file.to_str().unwrap()]);
    assert_eq!(logins(), ["zoe"]);
    let output = piped(data, &["--json", "stream", "live", "-"], "bob\n{\"name\":1}\n");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().contains("line 2"), "{error}");
    assert_eq!((output.status.code(), &error["error"]["code"]), (Some(1), &json!("bad_input")));
    assert_eq!(logins(), ["zoe"], "all of it or nothing");

    real::json(data, &["stream", "session", "add", "relay-1"]);
    let sessions = show()["sessions"].clone();
    let names: Vec<&String> = sessions.as_object().unwrap().keys().collect();
    assert_eq!(names, ["relay-1", "solo"], "solo while a channel plays");
    real::json(data, &["stream", "session", "rm", "relay-1"]);
    real::json(data, &["stream", "stop"]);
    assert_eq!((&show()["channel"], &show()["sessions"]), (&Value::Null, &json!({})));
    station.kill();
}

#[test]
fn chat_from_a_pipe_is_sent_as_its_lines_come() {
    let (folder, station) = station();
    real::json(folder.path(), &["stream", "set", "ann"]);
    let mut child = real::command(folder.path())
        .args(["--json", "stream", "chat", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for text in ["one", "two"] {
        // What is behind it has not been written when this one is delivered.
        writeln!(input, "{}", json!({ "login": "bob", "text": text })).unwrap();
        let told: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert_eq!(told, json!({ "delivered": { "receivers": 0 } }));
    }
    input.write_all(b"\n{\"login\":\"bob\",\"text\":\"three\"}\nnot json\n{\"text\":\"never\"}\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().contains("line 5"), "{error}");
    assert_eq!((output.status.code(), &error["error"]["code"]), (Some(1), &json!("bad_input")));
    let ended = piped(folder.path(), &["stream", "chat", "-"], "{\"login\":\"bob\",\"text\":\"last\"}");
    assert_eq!(ended.status.code(), Some(0), "at the end of stdin it is done");
    assert_eq!(String::from_utf8(ended.stdout).unwrap(), "delivered to 0 plugins\n");
    station.kill();
}
