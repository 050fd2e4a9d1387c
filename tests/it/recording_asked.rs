//! Subcommands that ask a recording in the place of a station: they answer as the station did.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::{
    real::{Station, cli, json as rows, pair, plugins::until},
    recording_asked_peers::Adapter,
    runs_cli::{Agent, GREETING, file, run},
};

/// What a station said before it was stopped, and what it recorded.
struct Night {
    folder: tempfile::TempDir,
    queues: Vec<Value>,
    invocations: Vec<Value>,
    refunds: Vec<Value>,
    pack_events: Vec<Value>,
    pack_state: Vec<Value>,
    run: Value,
    events: Vec<Value>,
    session: Value,
    logs: Vec<Vec<Value>>,
}

/// Sessions: one that is open, one that is resolved, and one that is cancelled.
const SESSIONS: [&str; 3] = ["s1", "s2", "s3"];

fn hold_sessions(data: &Path) {
    let says = |args: &[&str]| {
        let output = cli(data, args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    for session in SESSIONS {
        let who = ["--as", "alice", "--participant", "alice", "--participant", "bob"];
        says(&[&["session", "start", session][..], &who, &["--intent", "which map"]].concat());
        let propose = ["propose", "p1", "the mine", "--rationale", "short"];
        says(&[&["session", "send", session, "--as", "alice"][..], &propose].concat());
        says(&["session", "send", session, "--as", "bob", "vote", "p1", "approve", "--reason", "fine"]);
    }
    let action = format!("go to the mine{}", " and look around".repeat(60));
    says(&["session", "send", "s2", "--as", "alice", "commit", &action, "--scope", "show"]);
    says(&["session", "cancel", "s3", "--reason", "no time"]);
}

/// Invocations that are done, failed, cancelled, requeued, and pending.
fn invoke_all(data: &Path, station: &Station) {
    let invoke = |args: &[&str]| rows(data, &[&["invoke"], args].concat()).remove(0)["id"].to_string();
    rows(data, &["hold", "default"]);
    let (item, viewer) = (r#"{"item_id":4,"count":1}"#, ["--source", "bits", "--user", "alice"]);
    let first = invoke(&[&["give_item", "--params", item, "--redemption", "r-1"][..], &viewer].concat());
    invoke(&["heal_party"]);
    invoke(&["give_item", "--params", r#"{"item_id":"x"}"#]);
    let cancelled = invoke(&["set_weather", "--params", r#"{ "weather": "rain" }"#]);
    rows(data, &["invocation", "cancel", &cancelled, "--reason", "it is dry", "--refund"]);
    let _adapter = Adapter::start(data, station, &pair(data));
    rows(data, &["resume", "default"]);
    let pending = || {
        rows(data, &["ls", "invocations", "--filter", "not (state=done or state=failed or state=refunded)"])
            .len()
    };
    until(|| format!("{} are pending", pending()), || (pending() == 0).then_some(()));
    rows(data, &["hold"]);
    rows(data, &["invocation", "requeue", &first]);
    invoke(&["spawn_boss", "--params", r#"{"boss":"dragon"}"#]);
}

fn night() -> Night {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let recording = data.join("show.mcap");
    let station = Station::start_with(data, &["--record", recording.to_str().unwrap()]);
    for hp in 1..=3 {
        let body = format!(r#"{{"hp":{hp}}}"#);
        run(data, &["publish", "game/boss", "--type", "observation.note.v1", "--body", &body], "").exits(0);
    }
    let _agent = Agent::start_with(data, &[], "writer", "");
    let opening = file(data, "greeting.yaml", GREETING);
    let accepted = run(data, &["submit", &opening, "--wait"], "").exits(0);
    let name = accepted.rows[0]["run"].as_str().unwrap().to_owned();
    hold_sessions(data);
    invoke_all(data, &station);
    let night = Night {
        queues: rows(data, &["ls", "queues"]),
        invocations: rows(data, &["ls", "invocations"]),
        refunds: rows(data, &["ls", "refunds"]),
        pack_events: rows(data, &["ls", "events"]),
        pack_state: rows(data, &["ls", "state"]),
        run: rows(data, &["run", "show", &name]).remove(0),
        events: rows(data, &["run", "events", &name]),
        session: rows(data, &["session", "show", "s1"]).remove(0),
        logs: SESSIONS.map(|session| rows(data, &["session", "show", session, "--log"])).into(),
        folder,
    };
    station.terminate();
    night
}

impl Night {
    fn data(&self) -> &Path {
        self.folder.path()
    }

    /// What a subcommand says of the recording.
    fn asks(&self, args: &[&str]) -> Vec<Value> {
        let file = self.data().join("show.mcap");
        rows(self.data(), &[args, &["--recording", file.to_str().unwrap()]].concat())
    }

    /// The exit code and the error's code.
    fn refuses(&self, args: &[&str]) -> (i32, String) {
        let file = self.data().join("show.mcap");
        let args = [&["--json", "--recording", file.to_str().unwrap()], args].concat();
        let output = cli(self.data(), &args);
        let error: Value = serde_json::from_slice(&output.stderr)
            .unwrap_or_else(|_| panic!("{args:?}: {}", String::from_utf8_lossy(&output.stderr)));
        assert!(error["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{error:#}");
        (output.status.code().unwrap(), error["error"]["code"].as_str().unwrap().to_owned())
    }
}

/// Those members of an object.
fn members(of: &Value, names: &[&str]) -> Value {
    names.iter().map(|name| ((*name).to_owned(), of[*name].clone())).collect::<serde_json::Map<_, _>>().into()
}

/// Rows without their times, which are of the entries in a recording and of the store at a station, and so
/// some milliseconds apart.
fn timeless(rows: &[Value], times: &[&str]) -> Vec<Value> {
    let mut rows = rows.to_vec();
    for time in times {
        for row in &mut rows {
            row.as_object_mut().unwrap().remove(*time);
        }
    }
    rows
}

#[track_caller]
fn assert_same(recorded: &[Value], live: &[Value], times: &[&str]) {
    assert_eq!(timeless(recorded, times), timeless(live, times));
    for (recorded, live) in recorded.iter().zip(live) {
        for time in times {
            let apart = recorded[*time].as_u64().unwrap().abs_diff(live[*time].as_u64().unwrap());
            assert!(apart < 5_000, "{time}: {apart} ms apart, {recorded:#} {live:#}");
        }
    }
}

#[test]
fn what_a_recording_reads_from_its_entries_is_what_the_station_stored() {
    let night = night();
    let times = ["enqueued_at_ms", "updated_at_ms"];
    let recorded = night.asks(&["ls", "invocations"]);
    assert_same(&recorded, &night.invocations, &times);
    let states: Vec<&str> = recorded.iter().map(|row| row["state"].as_str().unwrap()).collect();
    for (state, count) in [("pending", 2), ("failed", 2), ("done", 2)] {
        assert_eq!(states.iter().filter(|it| **it == state).count(), count, "{states:?}");
    }
    let failed = night.asks(&["ls", "invocations", "--state", "failed", "--filter", "reason~dry"]);
    assert_eq!((failed.len(), &failed[0]["refund"]), (1, &json!("manual")));
    assert_eq!(night.asks(&["ls", "invocations", "--limit", "2"]), recorded[..2]);
    assert!(night.asks(&["ls", "invocations", "--at", "+0s"]).is_empty());

    assert_same(&night.asks(&["ls", "refunds"]), &night.refunds, &["at_ms"]);
    assert!(!night.refunds.is_empty() && night.asks(&["ls", "refunds", "--at", "+0s"]).is_empty());
    let shown = ["key", "value", "persist"];
    let values = |rows: &[Value]| rows.iter().map(|row| members(row, &shown)).collect::<Vec<_>>();
    assert_eq!(values(&night.asks(&["ls", "state"])), values(&night.pack_state));

    let name = night.run["run"].as_str().unwrap();
    assert_same(&night.asks(&["run", "events", name]), &night.events, &[]);
    assert!(night.events.len() > 5);
    let warnings = night.asks(&["run", "events", &name[name.len() - 6..], "--follow", "--level", "warn"]);
    assert!(warnings.iter().all(|row| row["level"] == "warn" || row["level"] == "error"));
    for (session, live) in SESSIONS.iter().zip(&night.logs) {
        assert_same(&night.asks(&["session", "show", session, "--log"]), live, &["at_ms"]);
    }
    let later = night.asks(&["session", "show", "s2", "--log", "--after", "2", "--limit", "2"]);
    assert_eq!(later.iter().map(|row| row["number"].as_u64().unwrap()).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(night.refuses(&["run", "events", name, "--at", "+0s"]), (1, "unknown_run".to_owned()));
}

#[test]
fn what_is_attached_is_listed_printed_and_answers_for_the_pack() {
    let night = night();
    assert_eq!(night.asks(&["ls", "events"]), night.pack_events);
    assert!(!night.pack_events.is_empty());
    let file = night.data().join("show.mcap");
    let file = file.to_str().unwrap();
    let listed = rows(night.data(), &["recording", "info", file]).remove(0);
    let attached = |name: &str| cli(night.data(), &["recording", "info", file, "--attachment", name]);
    for name in ["config.toml", "pack.toml", "version.json", "registry.json"] {
        assert!(listed["attachments"].as_array().unwrap().contains(&json!(name)), "{listed:#}");
        assert!(!attached(name).stdout.is_empty(), "{name}");
    }
    let version: Value = serde_json::from_slice(&attached("version.json").stdout).unwrap();
    assert_eq!(version["rl-console"], env!("CARGO_PKG_VERSION"));
    let none = attached("packs.toml");
    let said = String::from_utf8(none.stderr).unwrap();
    assert!(none.status.code() == Some(2) && said.contains("pack.toml"), "{said}");
    // Another tool leaves attachments out.
    let bare = night.data().join("bare.mcap");
    let mut writer = mcap::Writer::new(fs::File::create(&bare).unwrap()).unwrap();
    let bytes = fs::read(file).unwrap();
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        writer.write(&message.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    let asked = ["--json", "ls", "events", "--recording", bare.to_str().unwrap()];
    // What the other tool left out is said before that.
    let said = String::from_utf8(cli(night.data(), &asked).stderr).unwrap();
    let refused: Value = serde_json::from_str(said.lines().last().unwrap_or_default()).unwrap();
    assert_eq!(refused["error"]["code"], "not_recorded", "{said}");
}

#[test]
fn a_recording_answers_as_its_station_did_at_its_end_and_before() {
    let night = night();
    let shown = ["queue", "ready_after", "pending", "held", "draining"];
    let queues = |rows: &[Value]| rows.iter().map(|row| members(row, &shown)).collect::<Vec<_>>();
    assert_eq!(queues(&night.asks(&["ls", "queues"])), queues(&night.queues));
    let held = |rows: &[Value]| rows.iter().any(|row| row["held"] == true);
    assert!(held(&night.queues) && !held(&night.asks(&["ls", "queues", "--at", "+0s"])));

    let name = night.run["run"].as_str().unwrap();
    let recorded = night.asks(&["run", "show", &name[name.len() - 6..]]).remove(0);
    let shown = ["run", "name", "state", "nodes", "done", "artifacts", "by"];
    assert_eq!(members(&recorded, &shown), members(&night.run, &shown));
    let nodes = |of: &Value| {
        let nodes = of["node_states"].as_array().unwrap().iter();
        nodes.map(|node| members(node, &["node", "state", "attempts"])).collect::<Vec<_>>()
    };
    assert!(nodes(&night.run).len() == 2 && nodes(&recorded) == nodes(&night.run), "{recorded:#}");
    assert_eq!(recorded["plan"], night.run["plan"]);
    assert_eq!(night.asks(&["ls", "runs"]).len(), 1);
    assert!(night.asks(&["ls", "runs", "--filter", "state=failed"]).is_empty());
    assert!(night.asks(&["ls", "runs", "--at", "+0s"]).is_empty());

    let recorded = night.asks(&["session", "show", "s1"]).remove(0);
    let shown = ["session", "mode_name", "state", "phase", "by", "intent", "participants", "listed"];
    assert_eq!(members(&recorded, &shown), members(&night.session, &shown));
    assert_eq!(night.asks(&["ls", "violations"]), Vec::<Value>::new());
}

#[test]
fn what_was_published_is_told_until_a_moment_and_the_last_of_it() {
    let night = night();
    let told = night.asks(&["tail", "game/*", "--decode"]);
    let hp = |row: &Value| row["body"]["payload"]["hp"].clone();
    assert_eq!(told.iter().map(hp).collect::<Vec<_>>(), [json!(1), json!(2), json!(3)], "{told:#?}");
    assert!(told.iter().all(|row| row["topic"] == "game/boss" && row["ttl_ms"].as_u64() > Some(0)));
    let last = night.asks(&["tail", "game/*", "game/boss", "--count", "2", "--decode"]);
    assert_eq!(last.iter().map(hp).collect::<Vec<_>>(), [json!(3), json!(3)], "of two patterns, twice");
    assert!(night.asks(&["tail", "game/*", "--at", "+0s"]).is_empty());
    let judged = night.asks(&["mplp", "validate"]);
    assert_eq!(
        judged.last().map(|row| (&row["schema"], &row["valid"])),
        Some((&json!("recording"), &true.into()))
    );

    let name = night.run["run"].as_str().unwrap();
    let (whole, until) = (night.asks(&["trace", name]), night.asks(&["trace", name, "--at", "end"]));
    assert!(whole.len() > 4);
    assert_eq!(until, whole, "the end is the end");
}

#[test]
fn what_acts_or_was_not_recorded_is_refused_with_what_to_do() {
    let night = night();
    for args in [
        &["hold", "boss"][..],
        &["publish", "game/boss", "--type", "observation.note.v1", "--body", "{}"],
        &["session", "cancel", "s1"],
    ] {
        assert_eq!(night.refuses(args), (1, "replayed".to_owned()), "{args:?}");
    }
    for args in [
        &["ls", "invocations", "--other-manifest"][..],
        &["ls", "health"],
        &["run", "artifacts", "7f3a"],
        &["plugin", "audit", "org.example"],
        &["status"],
    ] {
        assert_eq!(night.refuses(args), (1, "not_recorded".to_owned()), "{args:?}");
    }
    for at in ["soon", "+999s", "seq:999999", "-999s"] {
        assert_eq!(night.refuses(&["ls", "queues", "--at", at]), (2, "usage".to_owned()), "{at}");
    }
    assert_eq!(night.refuses(&["doctor"]), (2, "usage".to_owned()));
    assert_eq!(night.refuses(&["run", "show", "ffff"]), (1, "unknown_run".to_owned()));
    let none = cli(night.data(), &["ls", "queues", "--recording", "/nowhere/none.mcap"]);
    assert_eq!(none.status.code(), Some(2));
    // With and without a place in it, as any other.
    let other = night.data().join("other.mcap");
    std::fs::write(&other, "not a recording").unwrap();
    for at in [&[][..], &["--at", "+0s"]] {
        let asked = ["--json", "trace", "7f3a", "--recording", other.to_str().unwrap()];
        let refused = cli(night.data(), &[&asked[..], at].concat());
        let error: Value = serde_json::from_slice(&refused.stderr).unwrap();
        assert_eq!(
            (refused.status.code(), &error["error"]["code"]),
            (Some(6), &json!("no_recording")),
            "{error:#}"
        );
    }
}

/// What a subcommand with `--json` prints of a recording, and what it says beside that.
fn of(recording: &Path, args: &[&str]) -> (Vec<Value>, String) {
    let folder = tempfile::tempdir().unwrap();
    let all = [&["--json", "--recording", recording.to_str().unwrap()], args].concat();
    let printed = cli(folder.path(), &all);
    let lines = String::from_utf8(printed.stdout).unwrap();
    let rows = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (rows, String::from_utf8(printed.stderr).unwrap())
}

#[test]
fn what_was_wrong_is_found_in_the_shipped_nights_over_every_start_and_damage_is_said() {
    let shipped = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings").join(name);
    let (violations, _) = of(&shipped("errors.mcap"), &["ls", "violations"]);
    assert!(violations.len() > 20 && violations.iter().all(|row| row["count"].as_u64() > Some(0)));
    assert_eq!(of(&shipped("bad.mcap"), &["ls", "findings"]).0.len(), 1);
    let (judged, _) = of(&shipped("bad.mcap"), &["mplp", "validate"]);
    assert!(judged.last().unwrap()["objects"].as_u64() > Some(10), "{judged:#?}");

    let folder = tempfile::tempdir().unwrap();
    for name in ["bad.mcap", "bad.2.mcap"] {
        fs::copy(shipped(name), folder.path().join(name)).unwrap();
    }
    let published = |path: &Path| of(path, &["tail", "**"]).0.len();
    let each = [published(&shipped("bad.mcap")), published(&shipped("bad.2.mcap"))];
    assert!(each.iter().all(|count| *count > 10), "{each:?}");
    assert_eq!(published(folder.path()), each[0] + each[1], "of both starts");

    let damaged = folder.path().join("bad.mcap");
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 400].fill(0x55);
    fs::write(&damaged, bytes).unwrap();
    let (left, said) = of(&damaged, &["tail", "**"]);
    assert!(left.len() < each[0] && said.contains("of the recording cannot be read"), "{said}");
    let verify = format!(" recording verify {}` names them", damaged.display());
    assert!(said.contains(&verify), "{said}");
    let (judged, said) = of(&damaged, &["mplp", "validate"]);
    let is_said = |row: &Value| row["error"].as_str().is_some_and(|it| it.contains("cannot be read"));
    assert!(judged.iter().any(is_said) && said.contains("not_judged"), "{judged:#?} {said}");
}

#[test]
fn what_is_not_in_a_recording_is_said_with_what_lists_what_is() {
    let folder = tempfile::tempdir().unwrap();
    let bad = concat!(env!("CARGO_MANIFEST_DIR"), "/recordings/bad.mcap");
    let said = |args: &[&str]| {
        let output = cli(folder.path(), args);
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let out = folder.path().join("out.mcap").display().to_string();
    for args in [
        &["trace", "zzzz", "--recording", bad][..],
        &["trace", "zzzz", "--recording", bad, "--at", "end"],
        &["trace", "0123456789", "--recording", bad],
        &["trace", "trace:0191d3c2-7a41-7f00-8000-00000000a41f", "--recording", bad],
        &["run", "show", "0123456789", "--recording", bad],
        &["recording", "export", bad, "--trace", "zzzz"],
        &["recording", "cut", bad, &out, "--trace", "zzzz"],
    ] {
        let (code, said) = said(args);
        let runs = if args[0] == "run" { "runs" } else { "its runs" };
        let at = if args.contains(&"--at") { " --at end" } else { "" };
        let is_hinted = said.contains(&format!(" ls runs --recording {bad}{at}` lists {runs}"));
        // What was named whole may be an invocation's, too.
        let is_whole = args.iter().any(|arg| arg.starts_with("trace:"));
        assert!(
            code == Some(1) && is_hinted && said.contains("ls invocations") == is_whole,
            "{args:?}: {said}"
        );
    }
    for (args, nothing) in [
        (&["tail", "nosuch", "--recording", bad][..], "no messages match\n"),
        (&["recording", "export", bad, "--peer", "nope"], "no frames match\n"),
    ] {
        let ((code, text), (_, json)) = (said(args), said(&[&["--json"], args].concat()));
        assert!(code == Some(0) && text.contains(nothing) && !json.contains("match"), "{text}{json}");
    }
}
