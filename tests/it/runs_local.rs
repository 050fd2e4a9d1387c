//! `submit --local`: a run in a station of its own (ruling RMP 14).

use std::{
    fs,
    io::{BufRead as _, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::{
    real::command,
    runs_cli::{Agent, GREETING, file, rows},
};

/// A `submit --local` that waits for its agents.
struct Local {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    socket: String,
}

impl Local {
    fn start(folder: &Path, args: &[&str]) -> Self {
        let mut command = command(folder);
        command.env("TMPDIR", folder).args(["--json", "submit", "--local"]).args(args);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut this = Self { child, lines, socket: String::new() };
        let first = this.next();
        assert_eq!(first["event"], "local");
        first["socket"].as_str().unwrap().clone_into(&mut this.socket);
        this
    }

    fn next(&mut self) -> Value {
        rows(self.lines.next().unwrap().unwrap().as_bytes()).remove(0)
    }

    fn signal(&self) {
        rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::INT,
        )
        .unwrap();
    }

    /// What it said until its end, how it exited, and what it wrote on stderr.
    fn end(self) -> (Vec<Value>, Option<i32>, Vec<Value>) {
        let told = self.lines.map(|line| rows(line.unwrap().as_bytes()).remove(0)).collect();
        let output = self.child.wait_with_output().unwrap();
        (told, output.status.code(), rows(&output.stderr))
    }
}

/// Folders that private stations left.
fn left(folder: &Path) -> usize {
    fs::read_dir(folder)
        .unwrap()
        .filter(|it| it.as_ref().unwrap().file_name().to_string_lossy().starts_with("rl-console-"))
        .count()
}

#[test]
fn a_local_run_waits_for_its_agents_ends_with_the_run_and_leaves_what_it_kept() {
    let folder = tempfile::tempdir().unwrap();
    let opening = file(folder.path(), "greeting.yaml", GREETING);
    let out = folder.path().join("out");
    let mut local = Local::start(folder.path(), &[&opening, "--follow", "--out", out.to_str().unwrap()]);
    assert_eq!(local.next(), json!({"event": "waiting", "agents": ["agent/writer"]}));
    assert_eq!(left(folder.path()), 1);
    let agent = Agent::start_with(folder.path(), &["--socket", &local.socket], "writer", "");
    let (told, code, errors) = local.end();
    assert_eq!((code, errors), (Some(0), Vec::new()), "{told:?}");
    assert_eq!((&told[0]["event"], &told[1]["kind"]), (&json!("accepted"), &json!("plan")));
    assert!(told.iter().any(|row| row["event"] == "ended" && row["state"] == "succeeded"));
    let run = told[0]["run"].as_str().unwrap();
    let out = out.join(format!("greeting-{}", &run[run.len() - 4..]));
    assert_eq!(fs::read_to_string(out.join("1-check-out.json")).unwrap(), "{\"text\":\"hello bob\"}\n");
    assert_eq!(left(folder.path()), 0, "nothing of the station is left");
    drop(agent);
}

#[test]
fn ctrl_c_cancels_a_local_run_and_time_that_is_up_does_too() {
    let folder = tempfile::tempdir().unwrap();
    let opening = file(folder.path(), "greeting.yaml", GREETING);
    let mut local = Local::start(folder.path(), &[&opening, "--follow"]);
    local.next();
    let _agent = Agent::start_with(
        folder.path(),
        &["--socket", &local.socket],
        "writer",
        "[[rule]]\nanswer = \"none\"\n",
    );
    while local.next()["message"] != "draft is running" {}
    local.signal();
    let (told, code, errors) = local.end();
    assert_eq!((code, &errors[0]["error"]["code"]), (Some(5), &json!("run_cancelled")));
    assert_eq!(told.last().unwrap()["state"], "cancelled");

    let mut local = Local::start(folder.path(), &[&opening, "--timeout", "0.3"]);
    local.next();
    let _agent = Agent::start_with(
        folder.path(),
        &["--socket", &local.socket],
        "writer",
        "[[rule]]\nanswer = \"none\"\n",
    );
    let (told, code, errors) = local.end();
    assert_eq!((code, &errors[0]["error"]["code"]), (Some(4), &json!("timed_out")), "{told:?}");
    assert_eq!(left(folder.path()), 0);
}

#[test]
fn a_local_run_is_left_before_it_begins_or_begins_without_its_agents() {
    let folder = tempfile::tempdir().unwrap();
    let opening = file(folder.path(), "greeting.yaml", GREETING);
    let mut local = Local::start(folder.path(), &[&opening]);
    local.next();
    local.signal();
    let (told, code, errors) = local.end();
    assert_eq!((told, code, &errors[0]["error"]["code"]), (Vec::new(), Some(5), &json!("not_submitted")));
    let (told, code, _) = Local::start(folder.path(), &[&opening, "--agents", "0"]).end();
    assert_eq!(code, Some(1));
    let why = "the run failed: node draft failed: no agent subscribed to agent/writer: start the agent, or \
               correct the node's `use`";
    assert_eq!(told[1]["message"], why);
    assert_eq!(left(folder.path()), 0);
}
