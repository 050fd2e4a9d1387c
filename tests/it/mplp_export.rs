//! `run export` over the real binary: what a run left is a clean bundle, the same bytes every time (mplp-l1
//! §5.1; rulings MPLP 3, 12 to 16).

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{
    real::{Station, command, plugins::PluginStation},
    runs_cli::{Agent, GREETING, file, output, rows, run},
};

const WRITER: &str = "[[rule]]\nnode = \"draft\"\nprogress = [\"writing\"]\ntokens = 7\n";

/// A run that ended, by its id.
fn greeted(data: &Path) -> String {
    let opening = file(data, "greeting.yaml", GREETING);
    let ran = run(data, &["submit", &opening, "--wait"], "").exits(0);
    ran.rows[0]["run"].as_str().unwrap().to_owned()
}

fn exported(data: &Path, id: &str, name: &str) -> Value {
    let path = data.join(name);
    let ran = run(data, &["run", "export", id, "--mplp", path.to_str().unwrap()], "").exits(0);
    assert_eq!((&ran.rows[0]["run"], &ran.rows[0]["findings"]), (&json!(id), &json!(0)));
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn a_run_is_a_clean_bundle_and_the_same_bytes_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let agent = Agent::start(data, "writer", WRITER);
    let id = greeted(data);
    let bundle = exported(data, &id, "one.json");
    assert_eq!((&bundle["mplp"], &bundle["profile"]), (&json!("1.0.0"), &json!("sa")));
    assert_eq!(bundle["context"]["root"]["environment"], "live");
    assert_eq!(bundle["plan"]["status"], "completed");
    let steps: Vec<_> = bundle["plan"]["steps"].as_array().unwrap().iter().collect();
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|step| step["status"] == "completed" && step["agent_role"] == "agent:writer"));
    assert_eq!(bundle["trace"]["status"], "completed");
    assert_eq!(bundle["trace"]["root_span"]["attributes"]["events_missing"], 0);
    let path = data.join("one.json");
    let valid = run(data, &["mplp", "validate", path.to_str().unwrap()], "").exits(0);
    assert_eq!((&valid.rows[0]["schema"], &valid.rows[0]["valid"]), (&json!("bundle"), &json!(true)));
    // A file is not overwritten.
    let again = run(data, &["run", "export", &id, "--mplp", path.to_str().unwrap()], "").exits(1);
    assert_eq!(again.error["code"], "file");
    drop(agent);
    station.terminate();
    let _station = Station::start(data);
    exported(data, &id, "two.json");
    let bytes = fs::read(&path).unwrap();
    assert!(bytes == fs::read(data.join("two.json")).unwrap(), "after a restart it is another");
    let printed = output(data, &["run", "export", &id, "--mplp", "-"], "");
    assert!(printed.stdout == bytes, "stdout has something else");
}

#[test]
fn lines_and_samples_of_a_run_are_clean_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let _agent = Agent::start(data, "writer", WRITER);
    let id = greeted(data);
    let (record, samples) = (data.join("record.ndjson"), data.join("samples.ndjson"));
    let (record, samples) = (record.to_str().unwrap(), samples.to_str().unwrap());
    let lines = run(data, &["run", "export", &id, "--mplp", record, "--ndjson"], "").exits(0);
    let learning = run(data, &["run", "export", &id, "--learning", samples], "").exits(0);
    for (file, written) in [(record, &lines), (samples, &learning)] {
        let valid = run(data, &["mplp", "validate", file], "").exits(0);
        assert_eq!(valid.rows[0]["objects"], written.rows[0]["objects"]);
    }
    let texts = fs::read_to_string(samples).unwrap();
    let parsed: Vec<Value> = texts.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let families: Vec<_> = parsed.iter().filter_map(|it| it["sample_family"].as_str()).collect();
    assert_eq!(families, ["intent_resolution", "pipeline_outcome", "pipeline_outcome"]);
    assert_eq!(parsed.len(), 4, "and the flat one");
}

#[test]
fn who_decided_what_is_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let _agent = Agent::start(data, "writer", WRITER);
    let asks = GREETING.replace("text: 'hello", "require_human_confirm: true, text: 'hello");
    let opening = file(data, "asks.yaml", &asks);
    let accepted = run(data, &["submit", &opening], "").exits(0);
    let id = accepted.rows[0]["run"].as_str().unwrap();
    let asked = loop {
        let listed = run(data, &["ls", "confirmations"], "").exits(0);
        if let Some(row) = listed.rows.into_iter().next() {
            break row;
        }
    };
    // One that goes on is exported as it is, and has no samples yet.
    let open = exported(data, id, "open.json");
    assert_eq!(open["confirms"][0]["status"], "pending");
    let early = run(data, &["run", "export", id, "--learning", "-"], "").exits(1);
    assert_eq!(early.error["code"], "not_ended");
    let action = asked["action"].as_str().unwrap();
    run(data, &["run", "approve", action, "--note", "looks fine"], "").exits(0);
    run(data, &["run", "events", id, "--follow"], "").exits(0);
    let confirm = exported(data, id, "ended.json")["confirms"][0].take();
    assert_eq!(Some(confirm["confirm_id"].as_str().unwrap()), action.strip_prefix("action:"));
    assert_eq!((&confirm["status"], &confirm["target_type"]), (&json!("approved"), &json!("plan")));
    assert!(confirm["trace"]["attributes"]["expires_at"].is_string(), "{confirm}");
    let decision = &confirm["decisions"][0];
    assert_eq!((&decision["status"], &decision["reason"]), (&json!("approved"), &json!("looks fine")));
    let by = decision["decided_by_role"].as_str().unwrap();
    assert!(by.starts_with("tui:") && by.len() > 4, "{by}");
}

#[test]
fn a_run_that_is_not_there_is_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let out = data.join("out.json");
    let none = ["run", "export", "trace:0191d3c2-7a41-7f00-8000-00000000a41f", "--mplp"];
    let args = [&none[..], &[out.to_str().unwrap()]].concat();
    run(data, &args, "").exits(3);
    let _station = Station::start(data);
    run(data, &args, "").exits(1);
    assert!(!out.exists());
}

#[test]
fn a_session_is_a_clean_bundle_and_the_same_bytes_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let send = |sender: &str, words: &[&str]| {
        run(data, &[&["session", "send", "s1", "--as", sender], words].concat(), "").exits(0);
    };
    let start = ["session", "start", "s1", "--as", "alice", "--intent", "which map"];
    let listed = ["--participant", "alice", "--participant", "bob"];
    run(data, &[&start[..], &listed].concat(), "").exits(0);
    send("alice", &["propose", "p1", "the mine"]);
    send("bob", &["object", "p1", "low", "--reason", "dark"]);
    send("bob", &["vote", "p1", "approve"]);
    send("alice", &["commit", "go to the mine", "--scope", "show"]);
    let path = data.join("s1.json");
    let export = ["session", "export", "s1", "--mplp", path.to_str().unwrap()];
    let written = run(data, &export, "").exits(0);
    assert_eq!((&written.rows[0]["session"], &written.rows[0]["findings"]), (&json!("s1"), &json!(0)));
    let valid = run(data, &["mplp", "validate", path.to_str().unwrap()], "").exits(0);
    assert_eq!((&valid.rows[0]["schema"], &valid.rows[0]["valid"]), (&json!("bundle"), &json!(true)));
    let bytes = fs::read(&path).unwrap();
    let bundle: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!((&bundle["profile"], &bundle["plan"]["status"]), (&json!("map"), &json!("completed")));
    assert_eq!(bundle["context"]["title"], "which map");
    assert_eq!(bundle["trace"]["segments"].as_array().unwrap().len(), 4);
    assert_eq!(bundle["collabs"][0]["mode"], "swarm");
    // A file is not overwritten.
    assert_eq!(run(data, &export, "").exits(1).error["code"], "file");
    station.terminate();
    let _station = Station::start(data);
    let printed = output(data, &["session", "export", "s1", "--mplp", "-"], "");
    assert!(printed.stdout == bytes, "after a restart it is another");
    assert_eq!(run(data, &["session", "export", "none", "--mplp", "-"], "").exits(1).rows.len(), 0);
}

/// A run that asks and waits, with a session of its trace: its id.
fn with_session(data: &Path) -> String {
    let asks = GREETING.replace("text: 'hello", "require_human_confirm: true, text: 'hello");
    let opening = file(data, "asks.yaml", &asks);
    let accepted = run(data, &["submit", &opening], "").exits(0);
    let id = accepted.rows[0]["run"].as_str().unwrap().to_owned();
    let trace = id.strip_prefix("trace:").unwrap();
    let context = json!({ "trace_id": trace }).to_string();
    let start = ["session", "start", "maps", "--as", "alice", "--intent", "which map", "--context", &context];
    let listed = ["--participant", "alice", "--participant", "bob"];
    run(data, &[&start[..], &listed].concat(), "").exits(0);
    for words in [
        &["--as", "alice", "propose", "p1", "the mine"][..],
        &["--as", "bob", "vote", "p1", "approve"],
        &["--as", "alice", "commit", "go to the mine", "--scope", "show"],
    ] {
        run(data, &[&["session", "send", "maps"], words].concat(), "").exits(0);
    }
    id
}

/// Approves what the run waits for, and waits for its end.
fn finish(data: &Path, id: &str) {
    let asked = loop {
        let listed = run(data, &["ls", "confirmations"], "").exits(0);
        if let Some(row) = listed.rows.into_iter().next() {
            break row;
        }
    };
    run(data, &["run", "approve", asked["action"].as_str().unwrap()], "").exits(0);
    run(data, &["run", "events", id, "--follow"], "").exits(0);
}

#[test]
fn the_sessions_of_a_trace_are_in_the_bundle_of_its_run_also_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let agent = Agent::start(data, "writer", WRITER);
    let id = with_session(data);
    let open = exported(data, &id, "open.json");
    assert_eq!((&open["profile"], &open["plan"]["status"]), (&json!("map"), &json!("in_progress")));
    finish(data, &id);
    // What comes behind the run's end is none of its.
    let late = json!({ "trace_id": id.strip_prefix("trace:").unwrap() }).to_string();
    run(data, &["session", "start", "late", "--as", "alice", "--context", &late], "").exits(0);
    let bundle = exported(data, &id, "one.json");
    assert_eq!((&bundle["profile"], &bundle["plan"]["status"]), (&json!("map"), &json!("completed")));
    let collabs = bundle["collabs"].as_array().unwrap();
    assert_eq!(collabs.len(), 1, "one agent has none of its own");
    assert_eq!((&collabs[0]["mode"], &collabs[0]["status"]), (&json!("swarm"), &json!("completed")));
    let names: Vec<_> = bundle["roles"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert!(names.contains(&&json!("macp:alice")) && names.contains(&&json!("macp:bob")), "{names:?}");
    let count = |name: &str| {
        bundle["events"].as_array().unwrap().iter().filter(|it| it["event_type"] == name).count()
    };
    assert_eq!((count("MAPTurnDispatched"), count("MAPTurnCompleted")), (3, 3));
    assert_eq!((count("session_added"), count("MAPSessionCompleted")), (1, 1));
    let path = data.join("one.json");
    let path = path.to_str().unwrap();
    let valid = run(data, &["mplp", "validate", path, "--profile", "map"], "").exits(0);
    assert_eq!(valid.rows[0]["valid"], true);
    // The session's own record has the Context of the run.
    let own = output(data, &["session", "export", "maps", "--mplp", "-"], "").stdout;
    let session: Value = serde_json::from_slice(&own).unwrap();
    assert_eq!((&session["context"], &session["profile"]), (&bundle["context"], &json!("map")));
    assert_ne!(session["plan"]["plan_id"], bundle["plan"]["plan_id"]);
    drop(agent);
    station.kill();
    let _station = Station::start(data);
    let bytes = output(data, &["session", "export", "maps", "--mplp", "-"], "").stdout;
    assert!(bytes == own, "after a kill the session's is another");
    let bytes = output(data, &["run", "export", &id, "--mplp", "-"], "").stdout;
    assert!(bytes == fs::read(path).unwrap(), "after a kill it is another");
}

#[test]
fn an_export_is_told_to_the_station_unless_one_may_only_look() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let _agent = Agent::start(data, "writer", WRITER);
    let id = greeted(data);
    let told = || {
        let rows = run(data, &["ls", "health"], "").exits(0).rows;
        let row = rows.into_iter().find(|row| row["component"] == "mplp" || row["part"] == "mplp").unwrap();
        row["detail"].as_str().unwrap().to_owned()
    };
    assert!(told().contains("0 records exported") || told().contains("0 record"), "{}", told());
    run(data, &["run", "export", &id, "--mplp", "-"], "").exits(0);
    run(data, &["run", "export", &id, "--learning", "-"], "").exits(0);
    run(data, &["mplp", "station"], "").exits(0);
    assert!(told().contains("3 records"), "{}", told());
    let viewer = data.join("viewer.token");
    assert!(viewer.exists(), "{:?}", fs::read_dir(data).unwrap().collect::<Vec<_>>());
    let looks = ["--token-file", viewer.to_str().unwrap(), "run", "export", &id, "--mplp", "-"];
    run(data, &looks, "").exits(0);
    assert!(told().contains("3 records"), "{}", told());
}

#[test]
fn a_record_that_could_not_be_written_whole_is_not_in_the_way_of_the_next_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let path = data.join("station.json");
    let export = ["mplp", "station", "--mplp", path.to_str().unwrap()];
    let real = command(data);
    let mut bounded = Command::new("sh");
    // No file may have more than a block.
    bounded.args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"]).arg(real.get_program());
    bounded.args(real.get_args()).args(["--json"]).args(export).env_clear();
    bounded.envs(real.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let failed = bounded.output().unwrap();
    assert_eq!(rows(&failed.stderr)[0]["error"]["code"], "file", "{failed:?}");
    assert!(!path.exists(), "a part of it is left");
    run(data, &export, "").exits(0);
}

#[test]
fn the_station_is_a_clean_bundle_of_what_it_hosts() {
    let it = PluginStation::start();
    let data = it.folder.path();
    it.serve_simulated("org.example.a", &[]);
    it.when_up("org.example.a");
    let _agent = Agent::start(data, "writer", WRITER);
    run(data, &["session", "start", "s1", "--as", "alice"], "").exits(0);
    let path = data.join("station.json");
    let path = path.to_str().unwrap();
    let written = run(data, &["mplp", "station", "--mplp", path], "").exits(0);
    assert_eq!((&written.rows[0]["station"], &written.rows[0]["findings"]), (&json!(true), &json!(0)));
    run(data, &["mplp", "validate", path], "").exits(0);
    let bundle: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert_eq!(bundle["context"]["root"]["environment"], "live");
    assert_eq!(bundle["core"]["modules"].as_array().unwrap().len(), 10);
    let nodes = bundle["network"]["nodes"].as_array().unwrap();
    let status = |name: &str| {
        let node = nodes.iter().find(|node| node["name"] == name);
        node.unwrap_or_else(|| panic!("no {name}: {nodes:#?}"))["status"].as_str().unwrap()
    };
    assert_eq!([status("station"), status("bus"), status("store")], ["active"; 3]);
    assert_eq!((status("adapter"), status("agent:writer")), ("inactive", "active"));
    assert!(nodes.iter().any(|node| node["kind"] == "queue"), "{nodes:#?}");
    let extensions = bundle["extensions"].as_array().unwrap();
    let of = |sort: &str| extensions.iter().filter(|it| it["config"]["sort"] == sort).count();
    assert_eq!((of("pack"), of("mode"), of("plugin")), (1, 2, 1));
    assert_eq!(status("plugin:org.example.a"), "active");
    let decision = extensions.iter().find(|it| it["config"]["id"] == "macp.mode.decision.v1").unwrap();
    assert_eq!((&decision["status"], &decision["version"]), (&json!("active"), &json!("1.0.0")));
    // Again it is another, and as lines.
    let lines = output(data, &["mplp", "station", "--ndjson"], "");
    let lines = String::from_utf8(lines.stdout).unwrap();
    assert_eq!(lines.lines().count() as u64, written.rows[0]["objects"].as_u64().unwrap());
    assert_eq!(run(data, &["mplp", "station", "--mplp", path], "").exits(1).error["code"], "file");
}

#[test]
fn a_record_with_findings_is_written_by_force_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let agent = Agent::start(data, "writer", WRITER);
    let id = greeted(data);
    let clean = exported(data, &id, "clean.json");
    drop(agent);
    station.terminate();
    // No station makes such a plan: somebody wrote to its database.
    let database = rusqlite::Connection::open(data.join("station.db")).unwrap();
    let changed =
        database.execute("UPDATE runs SET plan = replace(plan, '\"agent:writer\"', '\"\"')", []).unwrap();
    assert_eq!(changed, 1);
    drop(database);
    let _station = Station::start(data);
    let path = data.join("forced.json");
    let export = ["run", "export", &id, "--mplp", path.to_str().unwrap()];
    let refused = run(data, &export, "").exits(1);
    assert_eq!(refused.error["code"], "findings");
    let rules: Vec<_> = refused.rows.iter().filter_map(|row| row["rule"].as_str()).collect();
    assert!(rules.contains(&"sa_steps_have_agent_role"), "{refused:?}");
    assert!(!path.exists(), "it was written all the same");
    let printed = output(data, &["run", "export", &id, "--mplp", "-"], "");
    assert!(!printed.status.success(), "stdout is refused too: {printed:?}");
    let forced = output(data, &[&["--json"], &export[..], &["--force"]].concat(), "");
    assert_eq!(forced.status.code(), Some(0), "{forced:?}");
    assert_eq!(rows(&forced.stdout)[0]["findings"], rules.len());
    let said = String::from_utf8(forced.stderr).unwrap();
    assert!(said.contains(&format!("written with {} findings", rules.len())), "{said}");
    let bundle: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(
        (&bundle["plan"]["steps"][0]["agent_role"], &bundle["trace"]["trace_id"]),
        (&json!(""), &clean["trace"]["trace_id"])
    );
    // Of what was written the same is found.
    let valid = run(data, &["mplp", "validate", path.to_str().unwrap()], "").exits(1);
    let found: Vec<_> = valid.rows.iter().filter_map(|row| row["rule"].as_str()).collect();
    assert_eq!(found, rules);
}
