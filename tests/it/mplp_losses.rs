//! What the record of a run says where its station was killed amid it, or could not write (mplp-l1 §5.1;
//! rulings MPLP 12, 13).

use std::{fs, path::Path, thread, time::Duration};

use serde_json::{Value, json};

use crate::{
    real::Station,
    runs_cli::{Agent, file, output, run},
};

/// Between two looks at what a station says of itself, and how many there are at most.
const LOOK_EVERY: Duration = Duration::from_millis(50);
const LOOKS_MAX: usize = 600;

/// Looks at a list until one of its rows is as wanted.
fn until(data: &Path, list: &str, is_wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..LOOKS_MAX {
        // What is down is listed too.
        if let Some(row) = run(data, &["ls", list], "").rows.into_iter().find(&is_wanted) {
            return row;
        }
        thread::sleep(LOOK_EVERY);
    }
    panic!("no such row of {list}")
}

fn submitted(data: &Path, name: &str, nodes: &str, rest: &str) -> String {
    let text = format!("version: 0\nname: {name}\nnodes:\n{nodes}{rest}");
    let opening = file(data, &format!("{name}.yaml"), &text);
    let accepted = run(data, &["submit", &opening], "").exits(0);
    accepted.rows[0]["run"].as_str().unwrap().to_owned()
}

/// The bundle of a run, which is clean, and its bytes.
fn exported(data: &Path, id: &str) -> (Value, Vec<u8>) {
    let path = data.join(format!("{}.json", fs::read_dir(data).unwrap().count()));
    let path = path.to_str().unwrap();
    let ran = run(data, &["run", "export", id, "--mplp", path], "").exits(0);
    assert_eq!(ran.rows[0]["findings"], 0, "{ran:?}");
    let valid = run(data, &["mplp", "validate", path], "").exits(0);
    assert_eq!((&valid.rows[0]["schema"], &valid.rows[0]["valid"]), (&json!("bundle"), &json!(true)));
    let bytes = fs::read(path).unwrap();
    (serde_json::from_slice(&bytes).unwrap(), bytes)
}

fn statuses(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|it| it["status"].as_str().unwrap()).collect()
}

#[test]
fn a_run_that_a_kill_cut_is_a_clean_bundle_of_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let agents = [("writer", ""), ("mute", "[[rule]]\nanswer = \"none\"\n")]
        .map(|(name, script)| Agent::start(data, name, script));
    // One is done, one at work, one asks, one is done behind what is said in a session, and one waits.
    let nodes = "  - {id: done, use: 'agent:writer'}\n  - {id: works, use: 'agent:mute'}\n  \
        - {id: asks, use: 'agent:writer', with: {require_human_confirm: true}}\n  \
        - {id: next, use: 'agent:writer', with: {require_human_confirm: true}}\n  \
        - {id: last, use: 'agent:writer'}\n";
    let edges = "edges: [{from: done.out, to: works.in}, {from: works.out, to: last.in}]\n";
    let id = submitted(data, "half", nodes, edges);
    until(data, "runs", |row| row["done"] == 1);
    until(data, "confirmations", |row| row["node"] == "asks");
    let next = until(data, "confirmations", |row| row["node"] == "next");
    let context = json!({ "trace_id": id.strip_prefix("trace:").unwrap() }).to_string();
    let start =
        ["session", "start", "maps", "--as", "alice", "--participant", "alice", "--participant", "bob"];
    run(data, &[&start[..], &["--context", &context]].concat(), "").exits(0);
    run(data, &["session", "send", "maps", "--as", "bob", "propose", "p1", "the mine"], "").exits(0);
    run(data, &["run", "approve", next["action"].as_str().unwrap()], "").exits(0);
    until(data, "runs", |row| row["done"] == 2);
    station.kill();
    drop(agents);
    let station = Station::start(data);
    until(data, "runs", |row| row["state"] == "failed");
    let (bundle, bytes) = exported(data, &id);
    assert_eq!((&bundle["profile"], &bundle["plan"]["status"]), (&json!("map"), &json!("failed")));
    assert_eq!(
        statuses(&bundle["plan"]["steps"]),
        ["completed", "skipped", "skipped", "completed", "skipped"]
    );
    assert_eq!(bundle["trace"]["status"], "failed");
    assert!(!statuses(&bundle["trace"]["segments"]).contains(&"running"), "{}", bundle["trace"]["segments"]);
    let mut confirms = statuses(&bundle["confirms"]);
    confirms.sort_unstable();
    assert_eq!(confirms, ["approved", "cancelled"]);
    assert_eq!(bundle["trace"]["root_span"]["attributes"]["events_missing"], 0);
    let modes: Vec<_> = bundle["collabs"].as_array().unwrap().iter().map(|it| &it["mode"]).collect();
    assert_eq!(modes, ["orchestrated", "swarm"], "its own, and that of the session");
    let turns = |name: &str| {
        bundle["events"].as_array().unwrap().iter().filter(|it| it["event_type"] == name).count()
    };
    assert_eq!((turns("MAPTurnDispatched"), turns("MAPTurnCompleted")), (4, 4));
    // As often as it is asked for, and after an end in order too.
    assert!(output(data, &["run", "export", &id, "--mplp", "-"], "").stdout == bytes);
    station.terminate();
    let _station = Station::start(data);
    assert!(output(data, &["run", "export", &id, "--mplp", "-"], "").stdout == bytes);
}

#[test]
fn a_record_says_what_a_store_that_could_not_write_has_not_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let config = data.join("home/config/rl-console");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[limits.runs]\nunsaved_bytes_max = 65536\n").unwrap();
    let _station = Station::start(data);
    // Three values of which each is half of what may wait for the store, and more.
    let value = "x".repeat(40_000);
    let script =
        format!("[[rule]]\n[[rule.ports.out]]\ntype = \"observation.note.v1\"\nvalue = \"{value}\"\n");
    let _agent = Agent::start(data, "writer", &script);
    let nodes = "  - {id: a, use: 'agent:writer', with: {require_human_confirm: true}}\n  \
        - {id: b, use: 'agent:writer'}\n  - {id: c, use: 'agent:writer'}\n  - {id: d, use: 'agent:writer'}\n";
    let rest = "edges: [{from: a.out, to: b.in}, {from: b.out, to: c.in}, {from: c.out, to: d.in}]\n\
        artifacts:\n  save: [a.out, b.out, c.out, d.out]\n";
    let id = submitted(data, "heavy", nodes, rest);
    let asked = until(data, "confirmations", |row| row["node"] == "a");
    let store = |is_well: bool| move |row: &Value| row["part"] == "store" && row["well"] == is_well;
    until(data, "health", store(true));
    let (database, away) = (data.join("station.db"), data.join("kept.db"));
    fs::rename(&database, &away).unwrap();
    fs::write(&database, "").unwrap();
    until(data, "health", store(false));
    run(data, &["run", "approve", asked["action"].as_str().unwrap()], "").exits(0);
    // The list of runs is the store's.
    let is_over = |row: &Value| row["part"] == "runs" && row["figures"] == "0 open";
    until(data, "health", is_over);
    fs::rename(&away, &database).unwrap();
    until(data, "health", store(true));
    until(data, "runs", |row| row["state"] == "succeeded");
    let (bundle, _) = exported(data, &id);
    let attributes = &bundle["trace"]["root_span"]["attributes"];
    let missing = |name: &str| attributes[name].as_u64().unwrap();
    assert!(missing("events_missing") > 0 && missing("artifacts_missing") > 0, "{attributes}");
    assert_eq!(bundle["trace"]["meta"]["tags"], json!(["run", "incomplete"]));
    // How each of its nodes ended is known all the same, and so is what was kept.
    assert_eq!(
        (&bundle["plan"]["status"], &bundle["trace"]["status"]),
        (&json!("completed"), &json!("completed"))
    );
    let shown = run(data, &["run", "show", &id], "").exits(0);
    assert_eq!(shown.rows[0]["events_missing"], attributes["events_missing"]);
    assert_eq!(shown.rows[0]["artifacts_missing"], attributes["artifacts_missing"]);
    let kept = shown.rows[0]["artifacts"].as_u64().unwrap();
    assert_eq!(kept + missing("artifacts_missing"), 4);
    // A run of which all was kept does not.
    let whole = submitted(data, "whole", "  - {id: a, use: 'agent:writer'}\n", "edges: []\n");
    run(data, &["run", "events", &whole, "--follow"], "").exits(0);
    assert_eq!(exported(data, &whole).0["trace"]["meta"]["tags"], json!(["run"]));
}

/// Nodes of the long run, which tell more events than are kept.
const NODES: usize = 60;

#[test]
fn a_run_of_more_events_than_are_kept_says_how_each_step_ended() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let config = data.join("home/config/rl-console");
    fs::create_dir_all(&config).unwrap();
    let text = "[limits.runs]\nevents_kept_max = 100\n\n[mplp]\nenvironment = \"stage two\"\n";
    fs::write(config.join("config.toml"), text).unwrap();
    let _station = Station::start(data);
    let _agent = Agent::start(data, "writer", "");
    let place = |n: usize, agent: &str| format!("  - {{id: n{n}, use: 'agent:{agent}'}}\n");
    // One behind the other; the last but one has no agent, so that one fails and one is blocked.
    let agent = |n| if n == NODES - 2 { "absent" } else { "writer" };
    let nodes: String = (0..NODES).map(|n| place(n, agent(n))).collect();
    let edge = |n: usize| format!("  - {{from: n{n}.out, to: n{}.in}}\n", n + 1);
    let edges: String = (0..NODES - 1).map(edge).collect();
    let id = submitted(data, "long", &nodes, &format!("edges:\n{edges}"));
    until(data, "runs", |row| row["state"] == "failed");
    let (bundle, bytes) = exported(data, &id);
    let shown = run(data, &["run", "show", &id], "").exits(0);
    let missing = &bundle["trace"]["root_span"]["attributes"]["events_missing"];
    assert!(missing.as_u64().unwrap() > 50, "{missing}");
    assert_eq!(shown.rows[0]["events_missing"], *missing);
    assert_eq!(bundle["trace"]["meta"]["tags"], json!(["run", "incomplete"]));
    let mut expected = vec!["completed"; NODES];
    expected[NODES - 2..].copy_from_slice(&["failed", "blocked"]);
    assert_eq!(statuses(&bundle["plan"]["steps"]), expected);
    assert_eq!((&bundle["plan"]["status"], &bundle["trace"]["status"]), (&json!("failed"), &json!("failed")));
    // Each node has a segment that says so, though of the later ones no beginning is known.
    let segments = bundle["trace"]["segments"].as_array().unwrap();
    let ended: Vec<_> = segments.iter().map(|it| it["attributes"]["node"].as_str().unwrap()).collect();
    assert_eq!(ended, (0..NODES).map(|n| format!("n{n}")).collect::<Vec<_>>());
    let begun = segments.iter().filter(|it| it.get("started_at").is_some()).count();
    assert!((10..NODES - 10).contains(&begun), "{begun}");
    assert_eq!(bundle["context"]["root"]["environment"], "stage two");
    assert!(output(data, &["run", "export", &id, "--mplp", "-"], "").stdout == bytes);
    let station = output(data, &["mplp", "station"], "").stdout;
    let station: Value = serde_json::from_slice(&station).unwrap();
    assert_eq!(station["context"]["root"]["environment"], "stage two");
}
