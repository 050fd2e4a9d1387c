//! `plugin` and `stream` as a person has them: the real binary against a real station.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail that way")]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::real::{self, Station};

const ID: &str = "community.example";

const MANIFEST: &str = r#"id = "community.example"
name = "Example"
version = "1.0.0"
author = "A"
tier = "A"
description = "An example"
host_min = "1.0.0"
[runtime]
kind = "process"
entry = "main.py"
[capabilities]
events = ["on_chat_message", "on_panel_change"]
host_methods = ["register_panel", "get_panel_values", "log"]
ui = ["panel"]
[contributes]
actions = ["example.add"]
"#;

const MAIN: &str = r#"#!/usr/bin/env python3
import json, sys
def send(**message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    sys.stdout.buffer.flush()
while True:
    length = 0
    while (line := sys.stdin.buffer.readline().strip()):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    if not length:
        break
    message = json.loads(sys.stdin.buffer.read(length))
    method, id = message.get("method"), message.get("id")
    if method == "initialize":
        hooks = ["on_chat_message", "on_panel_change"]
        send(id=id, result={"protocol_version": 1, "plugin_version": "1.0.0", "hooks": hooks})
    elif method == "initialized":
        field = {"type": "slider", "key": "volume", "label": "Volume", "min": 0, "max": 9, "default": 3}
        send(id=1, method="register_panel",
             params={"schema": {"title": "T", "sections": [{"label": "S", "fields": [field]}]}})
    elif method == "invoke_action":
        send(id=id, result={"sum": sum(message["params"]["args"]["of"])})
    elif method == "exit":
        break
    elif id is not None and method:
        send(id=id, result={})
    elif method:
        print("got", method, json.dumps(message["params"]), file=sys.stderr, flush=True)
"#;

struct Fixture {
    folder: TempDir,
    _station: Station,
}

impl Fixture {
    /// Nothing where there is no Python.
    fn open() -> Option<Self> {
        std::process::Command::new("python3").arg("-V").output().ok()?;
        let folder = tempdir().unwrap();
        let station = Station::start(folder.path());
        Some(Self { folder, _station: station })
    }

    fn plugin(&self) -> PathBuf {
        plugin(self.folder.path())
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        real::json(self.folder.path(), args)
    }

    /// The exit code and the error's code.
    fn refused(&self, args: &[&str]) -> (i32, String) {
        let output = real::cli(self.folder.path(), &[&["--json"], args].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        let error: Value = serde_json::from_str(error.lines().last().unwrap_or_default())
            .unwrap_or_else(|_| panic!("{error}"));
        (output.status.code().unwrap(), error["error"]["code"].as_str().unwrap().to_owned())
    }

    fn wait(&self, args: &[&str], is_there: impl Fn(&[Value]) -> bool) {
        for _ in 0..300 {
            let output = real::cli(self.folder.path(), &[&["--json"], args].concat());
            let lines = String::from_utf8(output.stdout).unwrap();
            let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            if is_there(&lines) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{args:?}: {:?}", self.json(args));
    }

    fn wait_for(&self, state: &str) {
        self.wait(&["plugin", "show", ID], |rows| {
            rows.first().is_some_and(|it| it["state"] == state && (state != "up" || !it["panel"].is_null()))
        });
    }
}

fn plugin(below: &Path) -> PathBuf {
    let folder = below.join("source");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("plugin.toml"), MANIFEST).unwrap();
    fs::write(folder.join("main.py"), MAIN).unwrap();
    fs::set_permissions(folder.join("main.py"), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_plugin_is_installed_used_and_removed_from_a_shell() {
    let Some(fixture) = Fixture::open() else { return };
    let folder = fixture.plugin();
    let folder = folder.to_str().unwrap();
    assert_eq!(fixture.refused(&["plugin", "install", folder]), (1, "declined".to_owned()));
    assert_eq!(fixture.json(&["plugin", "show"]), [Value::Null; 0]);
    let installed = fixture.json(&["plugin", "install", folder, "--yes"]);
    assert_eq!((&installed[0]["plugin"], &installed[0]["version"]), (&json!(ID), &json!("1.0.0")));
    fixture.wait_for("up");

    fixture.json(&["plugin", "set", "example", "volume", "7"]);
    assert_eq!(fixture.json(&["plugin", "show", ID])[0]["values"]["volume"], json!(7));
    assert_eq!(fixture.refused(&["plugin", "set", ID, "volume", "70"]).0, 2);
    assert_eq!(fixture.refused(&["plugin", "set", ID, "pitch", "7"]), (1, "unknown_key".to_owned()));
    let sum = fixture.json(&["plugin", "invoke", "example.add", "--args", r#"{"of":[1,2]}"#]);
    assert_eq!(sum[0]["result"], json!({ "sum": 3 }));
    assert_eq!(fixture.refused(&["plugin", "invoke", "example.none"]), (1, "unknown_action".to_owned()));

    fixture.json(&["plugin", "event", ID, "on_chat_message", r#"{"n":1}"#]);
    let says = |word: &'static str| {
        move |rows: &[Value]| rows.iter().any(|row| row["line"].as_str().unwrap().contains(word))
    };
    fixture.wait(&["plugin", "logs", ID], says(r#"got on_chat_message {"n": 1}"#));
    fixture.json(&["stream", "set", "ann", "--game", "Chess"]);
    assert_eq!(fixture.json(&["stream", "show"])[0]["channel"]["game_name"], json!("Chess"));
    fixture.json(&["stream", "chat", "--as", "bob", "hello there"]);
    fixture.wait(&["plugin", "logs", ID], says("hello there"));

    fixture.json(&["plugin", "revoke", ID, "on_chat_message"]);
    fixture.json(&["plugin", "grant", ID, "on_chat_message"]);
    let audit = fixture.json(&["plugin", "audit", ID]);
    assert!(
        audit.iter().any(|row| row["what"] == "revoked" && row["text"] == "on_chat_message"),
        "{audit:?}"
    );
    fixture.json(&["plugin", "disable", ID]);
    fixture.wait_for("disabled");
    fixture.json(&["plugin", "enable", ID]);
    fixture.wait_for("up");
    fixture.json(&["plugin", "restart", ID]);
    fixture.wait_for("up");
    fixture.json(&["plugin", "remove", ID, "--purge"]);
    assert!(!fixture.folder.path().join("plugins").join(ID).exists());
    assert_eq!(fixture.refused(&["plugin", "enable", ID]), (1, "unknown_plugin".to_owned()));
}

#[test]
fn a_check_names_each_fault_and_needs_no_station() {
    let folder = tempdir().unwrap();
    let source = plugin(folder.path());
    let source = source.to_str().unwrap();
    assert!(real::cli(folder.path(), &["plugin", "check", source]).status.success());
    let path = folder.path().join("source/plugin.toml");
    fs::write(&path, MANIFEST.replace("tier = \"A\"", "tier = \"D\"").replace("process", "wasm")).unwrap();
    let output = real::cli(folder.path(), &["--json", "plugin", "check", source]);
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8(output.stdout).unwrap();
    let codes: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["code"].clone()).collect();
    assert_eq!(codes, ["tier", "wasm"]);
}
