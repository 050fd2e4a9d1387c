//! Openings and runs from the command line, over the real binary: check and draw, submit, follow, cancel, and
//! what is kept (UX, without a screen; rmp-v0 §9, §10).

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Output, Stdio},
};

use serde_json::{Value, json};

use crate::real::{Station, command};

pub(crate) const GREETING: &str = "\
version: 0
name: greeting
params:
  user: bob
nodes:
  - {id: draft, use: 'agent:writer', with: {text: 'hello {{params.user}}'}}
  - {id: check, use: 'agent:writer'}
edges:
  - {from: draft.out, to: check.in}
artifacts:
  save: [check.out]
";

/// An agent that says something on the way, and one that never answers.
const WRITER: &str = "[[rule]]\nnode = \"draft\"\nprogress = [\"writing\"]\ntokens = 7\n";
const MUTE: &str = "[[rule]]\nanswer = \"none\"\n";

/// An agent of the rehearsal that ends with this.
pub(crate) struct Agent(Child);

impl Agent {
    pub(crate) fn start(data: &Path, name: &str, script: &str) -> Self {
        Self::start_with(data, &[], name, script)
    }

    pub(crate) fn start_with(data: &Path, flags: &[&str], name: &str, script: &str) -> Self {
        let file = data.join(format!("{name}.toml"));
        fs::write(&file, script).unwrap();
        let mut command = command(data);
        command
            .args(flags)
            .args(["--json", "sim", "agent", name, "--script"])
            .arg(file)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert!(line.contains("subscribed"), "{line}");
        Self(child)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) struct TestStation {
    pub(crate) folder: tempfile::TempDir,
    // They end before their station.
    _agents: Vec<Agent>,
    _station: Station,
}

impl TestStation {
    pub(crate) fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let station = Station::start(folder.path());
        let agents = [("writer", WRITER), ("mute", MUTE)]
            .map(|(name, script)| Agent::start(folder.path(), name, script));
        Self { folder, _station: station, _agents: agents.into() }
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        file(self.folder.path(), name, text)
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        run(self.folder.path(), args, "")
    }

    /// A run that does not end by itself.
    pub(crate) fn endless(&self) -> String {
        let opening = self.file(
            "endless.yaml",
            "version: 0\nname: endless\nnodes:\n  - {id: wait, use: 'agent:mute'}\nedges: []\n",
        );
        let accepted = self.run(&["submit", &opening]).exits(0);
        accepted.rows[0]["run"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn file(folder: &Path, name: &str, text: &str) -> String {
    let path: PathBuf = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What a subcommand with `--json` did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) rows: Vec<Value>,
    pub(crate) error: Value,
}

impl Ran {
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

pub(crate) fn rows(bytes: &[u8]) -> Vec<Value> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

pub(crate) fn output(data: &Path, args: &[&str], stdin: &str) -> Output {
    let mut command = command(data);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

pub(crate) fn run(data: &Path, args: &[&str], stdin: &str) -> Ran {
    let args = [&["--json"], args].concat();
    let output = output(data, &args, stdin);
    let error = rows(&output.stderr).into_iter().next().map_or(Value::Null, |mut row| row["error"].take());
    Ran { code: output.status.code(), rows: rows(&output.stdout), error }
}

#[test]
fn every_fault_of_every_opening_is_told_at_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let well = file(folder.path(), "well.yaml", GREETING);
    let bad = file(
        folder.path(),
        "bad.yaml",
        &GREETING.replace("to: check.in", "to: chek.in").replace("id: draft", "id: Draft"),
    );
    let ran = run(folder.path(), &["opening", "check", &well, &bad], "").exits(6);
    assert_eq!(ran.rows[0], json!({"path": well, "valid": true, "name": "greeting", "nodes": 2, "edges": 1}));
    let faults: Vec<_> = ran.rows[1..]
        .iter()
        .map(|row| (row["line"].as_u64().unwrap(), row["code"].as_str().unwrap()))
        .collect();
    assert!(faults.contains(&(6, "invalid_node_id")) && faults.contains(&(9, "unknown_node")), "{faults:?}");
    assert!(ran.rows[1..].iter().all(|row| row["path"] == bad), "{ran:?}");
    assert_eq!(
        (&ran.error["code"], &ran.error["message"]),
        (&json!("invalid_opening"), &json!("1 of 2 openings is not valid"))
    );
    let told = output(folder.path(), &["opening", "check", &bad], "");
    let told = String::from_utf8(told.stdout).unwrap();
    assert!(told.contains(&format!("{bad}:9:27: unknown node `chek`; did you mean `check`?\n")), "{told}");
}

#[test]
fn the_openings_of_the_folder_are_listed_with_their_faults() {
    let folder = tempfile::tempdir().unwrap();
    let told = output(folder.path(), &["opening", "ls"], "");
    assert_eq!(told.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&told.stderr).contains("no openings in "));
    let openings = folder.path().join("openings");
    std::fs::create_dir_all(&openings).unwrap();
    file(&openings, "well.yaml", GREETING);
    file(
        &openings,
        "bad.yml",
        &GREETING.replace("to: check.in", "to: chek.in").replace("id: draft", "id: Draft"),
    );
    std::fs::write(openings.join("binary.yaml"), [0xff]).unwrap();
    file(&openings, "notes.txt", "no opening");
    let ran = run(folder.path(), &["opening", "ls"], "").exits(0);
    let names: Vec<_> = ran.rows.iter().map(|row| row["opening"].as_str().unwrap()).collect();
    assert_eq!(names, ["bad", "binary", "well"]);
    let lines: Vec<_> = ran.rows[0]["faults"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fault| fault["line"].as_u64().unwrap())
        .collect();
    assert!(ran.rows[0]["valid"] == false && lines.contains(&6) && lines.contains(&9), "{ran:?}");
    assert!(ran.rows[1]["error"].as_str().unwrap().contains("not UTF-8"), "{ran:?}");
    assert_eq!(
        (&ran.rows[2]["name"], &ran.rows[2]["nodes"], &ran.rows[2]["valid"]),
        (&json!("greeting"), &json!(2), &json!(true))
    );
    let told = output(folder.path(), &["opening", "ls"], "");
    let told = String::from_utf8(told.stdout).unwrap();
    let bad = told.lines().find(|line| line.starts_with("bad ")).unwrap();
    assert!(bad.contains("6:") && told.lines().any(|line| line.starts_with("well     greeting")), "{told}");
}

#[test]
fn params_count_when_an_opening_is_checked_and_stdin_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let text = GREETING.replace("params:\n  user: bob\n", "");
    let ran = run(folder.path(), &["opening", "check", "-"], &text).exits(6);
    assert_eq!((&ran.rows[0]["path"], &ran.rows[0]["code"]), (&json!("-"), &json!("unknown_param")));
    run(folder.path(), &["opening", "check", "-", "-p", "user=ann"], &text).exits(0);
    run(folder.path(), &["opening", "check", "-", "--params", r#"{"user":"ann"}"#], &text).exits(0);
    run(folder.path(), &["opening", "check", "-", "--params", "[]"], &text).exits(2);
    run(folder.path(), &["opening", "check", "missing.yaml"], "").exits(1);
}

#[test]
fn an_opening_is_drawn_with_those_that_it_nests_beside_it_or_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("openings")).unwrap();
    file(&folder.path().join("openings"), "greeting.yaml", GREETING);
    fs::create_dir(folder.path().join("mine")).unwrap();
    let outer = "version: 0\nname: outer\nnodes:\n  - {id: inner, use: 'opening:greeting'}\nedges: []\n";
    let outer = file(&folder.path().join("mine"), "outer.yaml", outer);
    let drawn = |args: &[&str]| {
        let output = output(folder.path(), args, "");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let text = drawn(&["opening", "graph", &outer]);
    assert!(
        text.starts_with(
            "outer: 3 nodes, 1 edge\n  1  inner  opening:greeting\n       1  draft  agent:writer\n"
        ),
        "{text}"
    );
    let mermaid = drawn(&["opening", "graph", &outer, "--mermaid"]);
    assert!(
        mermaid.starts_with("flowchart TD\n  subgraph n0[") && mermaid.contains("n1 -->|\"out → in\"| n2"),
        "{mermaid}"
    );
    file(
        &folder.path().join("mine"),
        "greeting.yml",
        &GREETING.replace("id: draft", "id: beside").replace("draft.out", "beside.out"),
    );
    assert!(drawn(&["opening", "graph", &outer]).contains("beside"));
    assert_eq!(
        run(folder.path(), &["opening", "graph", &outer], "").exits(0).rows[0]["nodes"][0]["use"],
        "opening:greeting"
    );
}

#[test]
fn a_submitted_opening_is_followed_to_its_end_and_all_of_it_is_kept() {
    let fixture = TestStation::open();
    let opening = fixture.file("greeting.yaml", GREETING);
    let ran = fixture.run(&["submit", &opening, "-p", "user=ann", "--follow"]).exits(0);
    let (first, last) = (&ran.rows[0], ran.rows.last().unwrap());
    assert_eq!((&first["event"], &first["name"]), (&json!("accepted"), &json!("greeting")));
    let run = first["run"].as_str().unwrap();
    assert_eq!(
        *last,
        json!({"event": "ended", "run": run, "state": "succeeded", "message": "the run succeeded"})
    );
    let told = &ran.rows[1..ran.rows.len() - 1];
    assert_eq!((&told[0]["kind"], &told.last().unwrap()["meta"]["success"]), (&json!("plan"), &json!(true)));
    assert!(
        told.iter()
            .any(|row| row["kind"] == "progress" && row["message"].as_str().unwrap().contains("writing")),
        "{told:?}"
    );
    assert!(told.iter().all(|row| row["meta"]["run_id"] == run));

    let tail = &run[run.len() - 6..];
    let kept = fixture.run(&["run", "events", tail]).exits(0).rows;
    let said = |rows: &[Value]| rows.iter().map(|row| row["message"].clone()).collect::<Vec<_>>();
    assert_eq!(said(&kept), said(told), "what was told live is what is kept");
    let traces = fixture.run(&["run", "events", tail, "--kind", "trace", "--follow"]).exits(0).rows;
    assert_eq!(traces.len(), 2);
    assert_eq!(fixture.run(&["run", "events", tail, "--level", "warn"]).exits(0).rows, Vec::<Value>::new());

    let listed = fixture.run(&[
        "ls",
        "runs",
        "--state",
        "succeeded",
        "--name",
        "greeting",
        "--since",
        "1h",
        "--filter",
        "tokens:7",
    ]);
    assert_eq!(
        (listed.rows.len(), &listed.rows[0]["run"], &listed.rows[0]["tokens"]),
        (1, &json!(run), &json!(7))
    );
    assert_eq!(fixture.run(&["ls", "runs", "--name", "other"]).exits(0).rows, Vec::<Value>::new());
    let shown = fixture.run(&["run", "show", tail]).exits(0).rows.remove(0);
    assert_eq!((&shown["state"], &shown["plan"]["nodes"][1]["id"]), (&json!("succeeded"), &json!("check")));
    let yaml = output(fixture.folder.path(), &["run", "show", tail, "--yaml"], "");
    assert_eq!(
        String::from_utf8(yaml.stdout).unwrap(),
        GREETING.replace("user: bob", "user: ann"),
        "the text as it was merged"
    );
    let artifact = fixture.run(&["run", "artifacts", tail]).exits(0).rows.remove(0);
    assert_eq!((&artifact["port"], &artifact["value"]), (&json!("out"), &json!({"text": "hello ann"})));
    let out = fixture.folder.path().join("out");
    fixture.run(&["run", "artifacts", tail, "--out", out.to_str().unwrap()]).exits(0);
    assert_eq!(
        fs::read_to_string(out.join(format!("greeting-{}", &run[run.len() - 4..])).join("1-check-out.json"))
            .unwrap(),
        "{\"text\":\"hello ann\"}\n"
    );
}

#[test]
fn what_is_rejected_or_fails_says_why() {
    let fixture = TestStation::open();
    let bad = fixture.file("bad.yaml", "version: 0\nname: bad\nnodes: []\nedges: []\n");
    let ran = fixture.run(&["submit", &bad]).exits(1);
    assert_eq!(ran.error["code"], "run_rejected");
    let told = format!("rejected: {bad}:3:8: an opening needs at least one node");
    assert!(ran.error["message"].as_str().unwrap().starts_with(&told), "{ran:?}");
    let broken = fixture.file("broken.yaml", "params: [\n");
    assert_eq!(
        fixture.run(&["submit", &broken, "-p", "a=1"]).exits(1).error["code"],
        "run_rejected",
        "before it is sent"
    );
    let alone = fixture
        .file("alone.yaml", "version: 0\nname: alone\nnodes:\n  - {id: a, use: 'agent:nobody'}\nedges: []\n");
    let ran = fixture.run(&["submit", &alone, "--wait"]).exits(1);
    assert_eq!(
        (ran.rows.len(), &ran.rows[1]["state"], &ran.error["code"]),
        (2, &json!("failed"), &json!("run_failed"))
    );
    assert!(
        ran.error["message"].as_str().unwrap().contains("no agent subscribed to agent/nobody"),
        "{ran:?}"
    );
    for args in
        [&["run", "show", "ffff"][..], &["run", "events", "trace:0191d3c2-7a41-7f00-8000-00000000a41f"]]
    {
        assert_eq!(fixture.run(args).exits(1).error["code"], "unknown_run");
    }
}

#[test]
fn a_run_is_cancelled_by_its_last_digits_and_whoever_follows_it_is_told() {
    let fixture = TestStation::open();
    let run = fixture.endless();
    let mut command = command(fixture.folder.path());
    command.args(["--json", "run", "events", &run, "--follow"]).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut following = command.spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("plan"));
    let ran = fixture.run(&["cancel", "run", &run[run.len() - 8..]]).exits(0);
    assert_eq!(ran.rows, [json!({"run": run, "cancelled": true})]);
    let last = rows(lines.last().unwrap().unwrap().as_bytes()).remove(0);
    assert_eq!(last["meta"]["state"], "cancelled");
    assert_eq!(following.wait().unwrap().code(), Some(0));
    let again = fixture.run(&["cancel", "run", &run]).exits(1);
    assert_eq!(again.error["code"], "run_rejected");
}

#[test]
fn a_run_that_goes_on_is_left_in_time_or_by_hand() {
    let fixture = TestStation::open();
    let run = fixture.endless();
    let opening = fixture.folder.path().join("endless.yaml");
    let ran = fixture.run(&["submit", opening.to_str().unwrap(), "--wait", "--timeout", "0.2"]).exits(4);
    assert_eq!(ran.error["code"], "timed_out");
    let mut command = command(fixture.folder.path());
    command
        .args(["--json", "submit"])
        .arg(&opening)
        .arg("--follow")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut following = command.spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("wait is running")));
    rustix::process::kill_process(rustix::process::Pid::from_child(&following), rustix::process::Signal::INT)
        .unwrap();
    let left = following.wait_with_output().unwrap();
    assert_eq!(left.status.code(), Some(4));
    let error = rows(&left.stderr).remove(0);
    assert_eq!(error["error"]["code"], "left");
    assert!(error["error"]["hint"].as_str().unwrap().contains(" run cancel trace:"), "{error}");
    let going_on = fixture.run(&["ls", "runs", "--state", "running"]).exits(0).rows;
    assert_eq!(going_on.len(), 3, "leaving ends nothing");
    assert_eq!(going_on[2]["run"], run.as_str());
    fixture.run(&["submit", opening.to_str().unwrap(), "--timeout", "1"]).exits(2);
}

#[test]
fn a_cue_submits_and_hears_nothing_more() {
    let fixture = TestStation::open();
    let opening = fixture.file("greeting.yaml", GREETING);
    let accepted = fixture.run(&["submit", &opening, "--as", "cue"]).exits(0);
    assert_eq!(accepted.rows[0]["event"], "accepted");
    fixture.run(&["submit", &opening, "--as", "cue", "--wait"]).exits(2);
}

#[test]
fn where_no_station_runs_it_says_how_to_start_one() {
    let folder = tempfile::tempdir().unwrap();
    let opening = file(folder.path(), "greeting.yaml", GREETING);
    let ran = run(folder.path(), &["submit", &opening], "").exits(3);
    let hint = ran.error["hint"].as_str().unwrap();
    assert!(hint.contains("serve") && hint.contains(" --local`"), "{ran:?}");
}

#[test]
fn one_that_answers_nothing_is_waited_for_no_longer_than_2_s() {
    let folder = tempfile::tempdir().unwrap();
    let opening = file(folder.path(), "greeting.yaml", GREETING);
    let socket = folder.path().join("s");
    let _mute = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let ran = run(folder.path(), &["--socket", socket.to_str().unwrap(), "submit", &opening], "").exits(4);
    assert_eq!(ran.error["message"], "no answer to the request within 2000 ms");
    let hint = ran.error["hint"].as_str().unwrap();
    assert!(hint.contains(" stop --force") && hint.contains(" --local"), "{ran:?}");
}
