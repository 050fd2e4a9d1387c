//! What can be told of a run: its ladder, how its nodes stand, and openings that were sent with those that
//! they nest (rmp-v0 §3; ruling RMP 14).

use std::fs;

use serde_json::{Value, json};

use crate::{
    real::Station,
    runs_cli::{Agent, GREETING, TestStation, file, output, run},
};

fn hops<'a>(rows: &'a [Value], schema: &str) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["schema"] == schema).collect()
}

#[test]
fn a_ladder_has_each_hop_with_its_length_as_it_was_sent_and_how_long_its_answer_took() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("all.mcap");
    let station = Station::start_with(folder.path(), &["--record", recording.to_str().unwrap()]);
    let agent = Agent::start_with(folder.path(), &[], "writer", "");
    let opening = file(folder.path(), "greeting.yaml", GREETING);
    let accepted = run(folder.path(), &["submit", &opening, "--wait"], "").exits(0);
    let name = accepted.rows[0]["run"].as_str().unwrap().to_owned();
    let tail = &name[name.len() - 6..];
    let rows = run(folder.path(), &["trace", tail], "").exits(0).rows;
    let (submit, accepted) = (hops(&rows, "CT_CTRL_REQ"), hops(&rows, "CT_CTRL_RESP"));
    assert_eq!((submit.len(), accepted.len()), (1, 1), "{rows:?}");
    assert!(submit[0]["from"].as_str().unwrap().starts_with("submit ("), "{rows:?}");
    assert_eq!(
        (&submit[0]["to"], &accepted[0]["from"], &accepted[0]["to"]),
        (&json!("station"), &json!("station"), &submit[0]["from"])
    );
    assert_eq!(accepted[0]["cause"], submit[0]["seq"]);
    let (requests, answers) =
        (hops(&rows, "CT_EXECUTOR_AGENT_REQUEST"), hops(&rows, "CT_EXECUTOR_AGENT_RESPONSE"));
    assert_eq!((requests.len(), answers.len()), (2, 2), "{rows:?}");
    let told = run(folder.path(), &["run", "events", tail, "--kind", "trace"], "").exits(0).rows;
    for ((request, answer), told) in requests.iter().zip(&answers).zip(&told) {
        assert_eq!(
            (&request["from"], &request["to"], &request["reached"]),
            (&json!("station"), &json!("agent/writer"), &json!(1))
        );
        assert_eq!(
            (&answer["from"], &answer["to"], &answer["cause"]),
            (&json!("agent/writer"), &json!("station"), &request["seq"])
        );
        assert!(answer["latency_us"].is_u64());
        assert_eq!(
            (&request["frame_len"], &answer["frame_len"]),
            (&told["meta"]["request_frame_len"], &told["meta"]["answer_frame_len"])
        );
    }
    assert!(hops(&rows, "CT_RUN_EVENT").is_empty());
    let all = run(folder.path(), &["trace", tail, "--events"], "").exits(0).rows;
    assert!(hops(&all, "CT_RUN_EVENT").len() > 5);
    let text = String::from_utf8(output(folder.path(), &["trace", tail], "").stdout).unwrap();
    assert!(text.starts_with("hop  time") && text.contains("EXECUTOR_AGENT_REQUEST"), "{text}");

    drop(agent);
    station.terminate();
    let recorded =
        run(folder.path(), &["trace", tail, "--recording", recording.to_str().unwrap()], "").exits(0).rows;
    assert_eq!(recorded, rows, "a recording has the same ladder");
    let _station = Station::start(folder.path());
    let rows = run(folder.path(), &["trace", tail], "").exits(0).rows;
    let lens = |rows: &[Value]| {
        hops(rows, "CT_EXECUTOR_AGENT_RESPONSE")
            .iter()
            .map(|row| row["frame_len"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (rows.len(), lens(&rows), &rows[4]["event"]),
        (5, lens(&recorded), &json!("incomplete")),
        "the run's history has the agents' hops"
    );
    run(folder.path(), &["trace", "trace:0191d3c2-7a41-7f00-8000-00000000a41f"], "").exits(1);
}

#[test]
fn what_lies_beside_a_submitted_file_goes_with_it() {
    let fixture = TestStation::open();
    let folder = fixture.folder.path().join("mine");
    fs::create_dir(&folder).unwrap();
    let nested = |name: &str| format!("  - {{id: {name}, use: 'opening:{name}'}}\n");
    let outer =
        format!("version: 0\nname: outer\nnodes:\n{}{}edges: []\n", nested("greeting"), nested("theirs"));
    let outer = file(&folder, "outer.yaml", &outer);
    file(
        &folder,
        "greeting.yml",
        &GREETING
            .replace("  - {id: check, use: 'agent:writer'}\n", "  - {id: check, use: 'opening:deeper'}\n"),
    );
    file(&folder, "deeper.yaml", &GREETING.replace("check", "last"));
    let ran = fixture.run(&["submit", &outer, "--wait"]).exits(1);
    assert!(ran.error["message"].as_str().unwrap().contains("cannot read the opening `theirs`"), "{ran:?}");
    let shelf = fixture.folder.path().join("openings");
    fs::create_dir(&shelf).unwrap();
    file(&shelf, "theirs.yaml", GREETING);
    let run = fixture.run(&["submit", &outer, "--wait"]).exits(0).rows[0]["run"].as_str().unwrap().to_owned();
    let shown = fixture.run(&["run", "show", &run]).exits(0).rows.remove(0);
    let states = shown["node_states"].as_array().unwrap();
    let inner = states.iter().find(|node| node["node"] == "greeting/check/last").unwrap();
    assert_eq!((&inner["state"], &inner["attempts"], states.len()), (&json!("completed"), &json!(1), 8));
    let text = String::from_utf8(output(fixture.folder.path(), &["run", "show", &run], "").stdout).unwrap();
    assert!(
        text.contains("\n\nouter: 8 nodes, 3 edges\n") && text.contains("opening:greeting  completed  "),
        "{text}"
    );
    let yaml = output(fixture.folder.path(), &["run", "show", &run, "--yaml"], "").stdout;
    let again = file(fixture.folder.path(), "again.yaml", &String::from_utf8(yaml).unwrap());
    fixture.run(&["submit", &again, "--wait"]).exits(0);
    file(&folder, "deeper.yaml", &GREETING.replace("edges:", "egdes:"));
    let ran = fixture.run(&["submit", &outer]).exits(1);
    assert!(
        ran.error["message"].as_str().unwrap().contains("deeper.yaml:8:1: unknown key `egdes` in an opening"),
        "{ran:?}"
    );
}

#[test]
fn a_run_that_a_kill_cut_says_how_much_of_it_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let station = Station::start(folder.path());
    let agents = [("writer", ""), ("mute", "[[rule]]\nanswer = \"none\"\n")];
    let agents = agents.map(|(name, script)| Agent::start(folder.path(), name, script));
    let nodes = "  - {id: a, use: 'agent:writer'}\n  - {id: b, use: 'agent:mute'}\n  - {id: c, use: 'agent:writer'}\n";
    let edges = "[{from: a.out, to: b.in}, {from: b.out, to: c.in}]";
    let opening =
        file(folder.path(), "half.yaml", &format!("version: 0\nname: half\nnodes:\n{nodes}edges: {edges}\n"));
    run(folder.path(), &["submit", &opening], "").exits(0);
    let until = |is_so: &dyn Fn(&Value) -> bool| {
        for _ in 0..200 {
            let row = run(folder.path(), &["ls", "runs"], "").exits(0).rows.remove(0);
            if is_so(&row) {
                return row;
            }
        }
        panic!("it never came");
    };
    let open = until(&|row| row["done"] == 1);
    assert_eq!((&open["state"], &open["nodes"]), (&json!("running"), &json!(3)));
    station.kill();
    drop(agents);
    let _station = Station::start(folder.path());
    let cut = until(&|row| row["state"] != "running");
    assert_eq!((&cut["state"], &cut["done"], &cut["nodes"]), (&json!("failed"), &json!(1), &json!(3)));
    let text = |args: &[&str]| String::from_utf8(output(folder.path(), args, "").stdout).unwrap();
    assert!(text(&["ls", "runs"]).contains("  1/3  "), "{}", text(&["ls", "runs"]));
    let shown = text(&["run", "show", cut["run"].as_str().unwrap()]);
    assert!(shown.contains("nodes      1 of 3 completed or were skipped\n"), "{shown}");
    assert_eq!(run(folder.path(), &["ls", "runs", "--filter", "done:1"], "").exits(0).rows.len(), 1);
}

#[test]
fn a_node_that_waits_for_a_person_is_listed_and_decided() {
    let fixture = TestStation::open();
    let node =
        |id: &str| format!("  - {{id: {id}, use: 'agent:writer', with: {{require_human_confirm: true}}}}\n");
    let opening = fixture.file(
        "sure.yaml",
        &format!("version: 0\nname: sure\nnodes:\n{}{}edges: []\n", node("yes"), node("no")),
    );
    let run = fixture.run(&["submit", &opening]).exits(0).rows[0]["run"].as_str().unwrap().to_owned();
    let waiting = fixture.run(&["ls", "confirmations", "--filter", "node:yes or node:no"]).exits(0).rows;
    assert_eq!(
        (waiting.len(), &waiting[0]["run"], &waiting[0]["node"]),
        (2, &json!(run), &json!("yes")),
        "{waiting:?}"
    );
    let (yes, no) = (waiting[0]["action"].as_str().unwrap(), waiting[1]["action"].as_str().unwrap());
    let decided = fixture.run(&["approve", &yes[yes.len() - 12..]]).exits(0).rows;
    assert_eq!(decided, [json!({"action": yes, "approved": true})]);
    fixture.run(&["reject", no, "--note", "not today"]).exits(0);
    assert_eq!(fixture.run(&["reject", no]).exits(1).error["code"], "unknown_action");
    assert_eq!(fixture.run(&["approve", "dead"]).exits(1).error["code"], "unknown_action");
    fixture.run(&["run", "events", &run, "--follow"]).exits(0);
    let shown = fixture.run(&["run", "show", &run]).exits(0).rows.remove(0);
    assert_eq!(shown["why"], "node no failed: rejected by operator: not today");
}

#[test]
fn a_failed_run_says_which_node_failed_and_why() {
    let fixture = TestStation::open();
    let nodes = "  - {id: a, use: 'agent:mute', timeout_ms: 30, retry: {max_attempts: 2}}\n  - {id: b, use: 'agent:writer'}\n";
    let opening = fixture.file(
        "late.yaml",
        &format!("version: 0\nname: late\nnodes:\n{nodes}edges: [{{from: a.out, to: b.in}}]\n"),
    );
    let ran = fixture.run(&["submit", &opening, "--wait"]).exits(1);
    let why = "node a failed: timed out after 30 ms";
    assert_eq!(ran.rows[1]["message"], format!("the run failed: {why}"));
    let shown = fixture.run(&["run", "show", ran.rows[0]["run"].as_str().unwrap()]).exits(0).rows.remove(0);
    assert_eq!(shown["why"], why);
    let told: Vec<_> = shown["node_states"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["state"], &it["attempts"], &it["why"]))
        .collect();
    let timed_out = (&json!("failed"), &json!(2), &json!("timed out after 30 ms"));
    assert_eq!(told, [timed_out, (&json!("blocked"), &json!(0), &json!("upstream a failed"))]);
}
