//! The station as a whole, from the shell.

use std::process::Stdio;

use rl_console::{
    port::{Operator, Page, Query},
    station::OperatorClient,
    tap::entry::mpp::RowState,
};
use serde_json::{Value, json as value};
use tempfile::tempdir;

use crate::real::{Adapter, Station, cli, command, json, pair, test_station::TestStation};

const PULL: &str = r#"{"mpp":2,"type":"pull","queue":"default"}"#;

#[test]
fn work_goes_from_the_shell_to_the_adapter_and_back() {
    let fixture = TestStation::open();
    let mut adapter = fixture.adapter();
    adapter.send(PULL).unwrap();
    let invoked = fixture.json(&["invoke", "give_item", "--params", r#"{"item_id":4,"count":1}"#]);
    let id = invoked[0]["id"].as_u64().unwrap();
    let frame = adapter.receive().unwrap();
    assert_eq!(
        frame,
        value!({"mpp": 2, "type": "invocation", "id": id, "queue": "default", "event": "give_item", "params": {"item_id": 4, "count": 1}})
    );
    adapter
        .send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":{{"resolved_item_id":4}}}}"#))
        .unwrap();
    adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
    fixture.wait_for(id, RowState::Done);
    let row = &fixture.json(&["ls", "invocations"])[0];
    assert_eq!(row["result"], value!({"resolved_item_id": 4}));
    assert_eq!(row["trace_id"], invoked[0]["trace_id"]);
}

#[test]
fn ls_prints_the_fields_that_scripts_rely_on() {
    let fixture = TestStation::open();
    let adapter = fixture.adapter();
    fixture.give_item();
    let names = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut expected = vec![
        "enqueued_at_ms",
        "event",
        "id",
        "params",
        "queue",
        "reason",
        "result",
        "source",
        "state",
        "trace_id",
        "updated_at_ms",
    ];
    assert_eq!(names(&fixture.json(&["ls", "invocations"])[0]), expected);
    expected =
        vec!["draining", "held", "in_flight", "other_manifest", "parked", "pending", "queue", "ready_after"];
    assert_eq!(names(&fixture.json(&["ls", "queues"])[0]), expected);
    expected = vec!["connected_at_ms", "last_in_ms", "pack_id", "peer"];
    assert_eq!(names(&fixture.json(&["ls", "adapters"])[0]), expected);
    drop(adapter);
}

#[test]
fn what_has_ended_is_requeued_as_a_new_row_and_what_is_refunded_only_where_that_is_said() {
    let fixture = TestStation::open();
    let redeem =
        ["invoke", "heal_party", "--source", "channel_points", "--redemption", "r-1", "--user", "ada"];
    let id = fixture.json(&redeem)[0]["id"].as_u64().unwrap();
    let first = id.to_string();
    let refused = |args: &[&str]| {
        let output = cli(fixture.folder.path(), &[&["--json"], args].concat());
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        (output.status.code(), error["error"]["code"].as_str().unwrap().to_owned())
    };
    let requeue = ["invocation", "requeue", first.as_str()];
    assert_eq!(refused(&requeue), (Some(1), "not_ended".to_owned()));
    assert_eq!(refused(&["invocation", "requeue", "77"]), (Some(1), "no_such_invocation".to_owned()));
    fixture.json(&["invocation", "cancel", &first, "--refund"]);
    assert_eq!(refused(&requeue), (Some(1), "refund_requested".to_owned()));
    let again = &fixture.json(&[&requeue[..], &["--even-if-refunded"]].concat())[0];
    assert_eq!((&again["requeued_from"], &again["state"]), (&value!(id), &value!("pending")));
    let rows = fixture.json(&["ls", "invocations"]);
    assert_eq!(rows.len(), 2);
    for field in ["event", "params", "queue"] {
        assert_eq!(rows[0][field], rows[1][field], "{field}");
    }
    assert_eq!(
        (&rows[0]["source"], &rows[0]["requeued_from"]),
        (&value!({"kind": "channel_points", "user": "ada"}), &value!(id))
    );
    assert_eq!(rows[1]["refund"], "requested");
    let filter = format!("requeued_from={id}");
    let found = fixture.json(&["ls", "invocations", "--filter", &filter]);
    assert_eq!((found.len(), &found[0]["id"]), (1, &again["id"]));
    // The same redemption is still known as the first row's.
    assert_eq!(fixture.json(&redeem)[0]["id"], value!(id));
}

#[test]
fn a_filter_narrows_every_list_and_one_that_cannot_be_read_is_pointed_at() {
    let fixture = TestStation::open();
    let ids: Vec<u64> = (0..3).map(|_| fixture.give_item()).collect();
    fixture.json(&[
        "invoke",
        "heal_party",
        "--source",
        "channel_points",
        "--redemption",
        "r-1",
        "--user",
        "alice",
    ]);
    let found = |filter: &str| {
        let rows = fixture.json(&["ls", "invocations", "--filter", filter]);
        rows.iter().map(|row| row["event"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found("give"), ["give_item"; 3]);
    assert_eq!(found("user:ALICE age<1h"), ["heal_party"]);
    assert_eq!(found(&format!("id>{} not heal", ids[0])), ["give_item"; 2]);
    assert!(found("state:done").is_empty());
    assert_eq!(fixture.json(&["ls", "invocations", "--filter", "give or heal", "--limit", "2"]).len(), 2);
    assert_eq!(fixture.json(&["ls", "queues", "--filter", "queue=default pending>=3"]).len(), 1);
    assert_eq!(fixture.json(&["ls", "events", "--filter", "event~^heal"]).len(), 1);
    assert_eq!(fixture.json(&["ls", "health", "--filter", "part:store well:yes"]).len(), 1);
    for what in ["refunds", "adapters", "state"] {
        assert!(fixture.json(&["ls", what, "--filter", "nothing"]).is_empty(), "{what}");
    }
    let people = cli(fixture.folder.path(), &["ls", "invocations", "--filter", "give stat:done"]);
    assert_eq!(people.status.code(), Some(2));
    let said = String::from_utf8(people.stderr).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("error: invalid filter: there is no field `stat`: did you mean `state`?"),
        "{said}"
    );
    assert_eq!(lines[1..3], ["  give stat:done", "       ^^^^"]);
    let script = cli(fixture.folder.path(), &["--json", "ls", "queues", "--filter", "age>"]);
    let error: Value = serde_json::from_slice(&script.stderr).unwrap();
    assert_eq!(
        (script.status.code(), &error["error"]["code"], &error["error"]["at"]),
        (Some(2), &value!("filter"), &value!([3, 4]))
    );
}

#[test]
fn a_station_refuses_a_filter_that_it_cannot_read() {
    let fixture = TestStation::open();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ask = |text: &str| {
        let filter = Some(text.to_owned());
        let query = Query::Refunds { status: None, beyond: None, oldest_first: false, filter, limit: 10 };
        runtime.block_on(async {
            OperatorClient::connect(fixture.folder.path()).await.unwrap().query(query).await
        })
    };
    assert_eq!(ask("age>1h"), Ok(Page::Refunds { rows: Vec::new(), more: false, beyond: None }));
    let refused = ask("age>soon").unwrap_err().to_string();
    assert!(refused.contains("filter, at byte 5: `soon` is not a duration"), "{refused}");
}

#[test]
fn a_second_station_names_the_holder_and_exits_3() {
    let fixture = TestStation::open();
    let output = cli(fixture.folder.path(), &["--port", "0", "--json", "serve"]);
    assert_eq!(output.status.code(), Some(3));
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert!(
        error["error"]["message"].as_str().unwrap().contains(&fixture.station.pid().to_string()),
        "{error}"
    );
}

#[test]
fn a_repeated_key_prints_the_first_row() {
    let fixture = TestStation::open();
    let args = ["invoke", "heal_party", "--source", "channel_points", "--redemption", "r-1"];
    let first = fixture.json(&args);
    let again = fixture.json(&args);
    assert_eq!(first[0]["id"], again[0]["id"]);
    assert_eq!(again[0]["repeated"], true);
    assert!(first[0].get("repeated").is_none());
    assert_eq!(fixture.json(&["ls", "invocations"]).len(), 1);
}

#[test]
fn an_unknown_event_is_refused_with_the_nearest_name() {
    let fixture = TestStation::open();
    let output = cli(fixture.folder.path(), &["--json", "invoke", "give_itme"]);
    assert_eq!(output.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(error["error"]["code"], "unknown_event");
    assert!(error["error"]["hint"].as_str().unwrap().contains("give_item"), "{error}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_restart_maps_dispatched_to_pending_and_keeps_applied() {
    let mut fixture = TestStation::open();
    let boss = fixture.json(&["invoke", "spawn_boss", "--params", r#"{"boss":"dragon"}"#])[0]["id"]
        .as_u64()
        .unwrap();
    let item = fixture.give_item();
    let mut adapter = fixture.adapter();
    adapter.send(PULL).unwrap();
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"boss"}"#).unwrap();
    let mut came = [
        adapter.receive().unwrap()["id"].as_u64().unwrap(),
        adapter.receive().unwrap()["id"].as_u64().unwrap(),
    ];
    came.sort_unstable();
    assert_eq!(came, [boss, item]);
    adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{boss},"result":null}}"#)).unwrap();
    fixture.wait_for(boss, RowState::Applied);
    let folder = fixture.folder;
    fixture.station.kill();
    fixture = TestStation { station: Station::start(folder.path()), token: fixture.token, folder };
    assert_eq!(fixture.state_of(item), "pending");
    assert_eq!(fixture.state_of(boss), "applied");
    fixture.json(&["settle", &boss.to_string(), "done"]);
    assert_eq!(fixture.state_of(boss), "done");
}

#[test]
fn rotation_takes_effect_at_once_and_a_connected_adapter_stays() {
    let fixture = TestStation::open();
    let mut adapter = fixture.adapter();
    let refused = cli(fixture.folder.path(), &["pair"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--rotate"));
    let rotated = cli(fixture.folder.path(), &["pair", "--rotate"]);
    let fresh = String::from_utf8(rotated.stdout).unwrap();
    assert_eq!(fresh.lines().count(), 1);
    assert_ne!(fresh.trim(), fixture.token);
    let mut late = Adapter::connect(fixture.station.mpp);
    let pack = rl_console::mpp::manifest::Pack::sample();
    late.send(&format!(
        r#"{{"mpp":2,"type":"hello","pack_id":"{}","manifest_hash":"{}","bridge_token":"{}"}}"#,
        pack.id, pack.hash, fixture.token
    ))
    .unwrap();
    assert_eq!(late.receive().unwrap()["reason"], "invalid_token");
    let id = fixture.give_item();
    adapter.send(PULL).unwrap();
    assert_eq!(adapter.receive().unwrap()["id"], id);
}

#[test]
fn a_token_file_is_made_once_and_never_emptied() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("bridge.token");
    let path = file.to_str().unwrap();
    assert!(cli(folder.path(), &["pair", "--out", path]).status.success());
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions()) & 0o777,
        0o600
    );
    assert!(!cli(folder.path(), &["pair", "--rotate", "--out", path]).status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), kept);
    let other = folder.path().join("other.token");
    assert!(
        !cli(folder.path(), &["pair", "--out", other.to_str().unwrap()]).status.success(),
        "it is paired already"
    );
    assert!(!other.exists());
    let station = Station::start(folder.path());
    Adapter::ready(station.mpp, kept.trim());
}

#[test]
fn hold_and_drain_survive_a_restart() {
    let fixture = TestStation::open();
    fixture.json(&["hold", "default"]);
    fixture.json(&["drain", "boss"]);
    let TestStation { folder, token, station } = fixture;
    station.kill();
    let fixture = TestStation { station: Station::start(folder.path()), token, folder };
    let rows = fixture.json(&["ls", "queues"]);
    let of = |name: &str| rows.iter().find(|row| row["queue"] == name).unwrap().clone();
    assert_eq!(of("default")["held"], true);
    assert_eq!(of("boss")["draining"], true);
    let refused =
        cli(fixture.folder.path(), &["--json", "invoke", "spawn_boss", "--params", r#"{"boss":"dragon"}"#]);
    assert_eq!(refused.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&refused.stderr).unwrap();
    assert_eq!(error["error"]["code"], "draining");
}

#[test]
fn a_state_value_says_who_wrote_it_and_that_it_was_replayed_after_a_restart() {
    let fixture = TestStation::open();
    let mut adapter = fixture.adapter();
    adapter.send(r#"{"mpp":2,"type":"state_write","key":"resets","value":3.0,"scope":"run:1"}"#).unwrap();
    adapter.send(r#"{"mpp":2,"type":"state_write","key":"party","value":["a"]}"#).unwrap();
    adapter.send(PULL).unwrap();
    let id = fixture.give_item();
    assert_eq!(adapter.receive().unwrap()["id"], id, "the writes are taken in");
    let rows = fixture.json(&["ls", "state"]);
    assert_eq!((&rows[0]["key"], &rows[1]["key"]), (&value!("party"), &value!("resets")));
    for row in &rows {
        assert_eq!(row["writer"], "adapter");
        assert_eq!(row["written_by"]["adapter"]["session_id"], 1);
        assert!(row["written_by"]["adapter"]["peer"].as_str().unwrap().starts_with("127.0.0.1:"), "{row}");
        assert!(row["at_ms"].as_u64().unwrap() > 1_600_000_000_000);
    }
    drop(adapter);
    let TestStation { folder, token, station } = fixture;
    assert!(station.terminate().success());
    let fixture = TestStation { station: Station::start(folder.path()), token, folder };
    let stored = fixture.json(&["ls", "state"]);
    assert_eq!(
        (stored.len(), &stored[0]["written_by"], &stored[0]["at_ms"]),
        (1, &value!("stored"), &rows[1]["at_ms"])
    );
    let adapter = fixture.adapter();
    assert_eq!(fixture.json(&["ls", "state"])[0]["written_by"], "replayed");
    drop(adapter);
}

#[test]
fn rows_of_another_manifest_are_listed_apart_and_the_head_of_a_queue_has_its_age() {
    let fixture = TestStation::open();
    let first = fixture.give_item();
    fixture.give_item();
    let pending = fixture.json(&["ls", "invocations"]);
    let queue = |rows: Vec<Value>| rows.into_iter().find(|row| row["queue"] == "default").unwrap();
    let head = queue(fixture.json(&["ls", "queues"]));
    let oldest = pending.iter().find(|row| row["id"] == first).unwrap();
    assert_eq!(head["head_at_ms"], oldest["enqueued_at_ms"]);
    assert!(fixture.json(&["ls", "invocations", "--other-manifest"]).is_empty());
    let TestStation { folder, token, station } = fixture;
    assert!(station.terminate().success());
    let manifest = folder.path().join("pack.toml");
    let sample =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/mpp/sample/pack.toml")).unwrap();
    std::fs::write(&manifest, format!("{sample}\n# another\n")).unwrap();
    let station = Station::start_with(folder.path(), &["--pack", manifest.to_str().unwrap()]);
    let fixture = TestStation { folder, token, station };
    let third = fixture.give_item();
    let others = fixture.json(&["ls", "invocations", "--other-manifest", "--state", "pending"]);
    assert_eq!((others.len(), &others[1]["id"]), (2, &value!(first)));
    assert!(others.iter().all(|row| row["other_manifest"].is_string()));
    assert_eq!(fixture.json(&["ls", "invocations", "--state", "pending"])[0]["id"], third);
    let queue = queue(fixture.json(&["ls", "queues"]));
    assert_eq!((&queue["pending"], &queue["other_manifest"]), (&value!(1), &value!(2)));
    assert_eq!(
        queue["head_at_ms"],
        fixture.json(&["ls", "invocations", "--state", "pending"])[0]["enqueued_at_ms"]
    );
}

#[test]
fn wait_exits_0_4_and_5() {
    let fixture = TestStation::open();
    let waiting = ["invoke", "heal_party", "--wait", "done", "--timeout", "0.2"];
    assert_eq!(cli(fixture.folder.path(), &waiting).status.code(), Some(4), "nobody serves it");
    let mut adapter = fixture.adapter();
    for (answer, code) in [("done", 0), ("failed", 5)] {
        let child = command(fixture.folder.path())
            .args([
                "invoke",
                "set_weather",
                "--params",
                r#"{"weather":"rain"}"#,
                "--wait",
                "done",
                "--timeout",
                "60",
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        loop {
            adapter.send(PULL).unwrap();
            let frame = adapter.receive().unwrap();
            let (id, event) = (frame["id"].as_u64().unwrap(), frame["event"].as_str().unwrap());
            let applied = format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#);
            if event == "set_weather" && answer == "failed" {
                adapter.send(&format!(r#"{{"mpp":2,"type":"failed","id":{id},"reason":"no sky"}}"#)).unwrap();
            } else {
                adapter.send(&applied).unwrap();
                adapter.send(&format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#)).unwrap();
            }
            if event == "set_weather" {
                break;
            }
        }
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(code), "{answer}");
    }
}

#[test]
fn the_token_is_in_no_recording_database_or_log() {
    let folder = tempdir().unwrap();
    let data = folder.path().join("data");
    let token = pair(&data);
    let recording = folder.path().join("night.mcap");
    let station = Station::start_with(&data, &["--record", recording.to_str().unwrap()]);
    let mut adapter = Adapter::ready(station.mpp, &token);
    adapter
        .send(&format!(r#"{{"mpp":2,"type":"log","level":"info","message":"connected with {token}"}}"#))
        .unwrap();
    adapter
        .send(&format!(
            r#"{{"mpp":2,"type":"hello","pack_id":"x","manifest_hash":"y","bridge_token":"{token}"}}"#
        ))
        .unwrap();
    assert_eq!(adapter.receive().unwrap()["code"], "INVALID_FRAME");
    let mut other = Adapter::connect(station.mpp);
    other.send(&format!(r#"{{"bridge_token":"{token}""#)).unwrap();
    assert_eq!(other.receive().unwrap()["code"], "INVALID_FRAME");
    assert!(station.terminate().success());
    let mut entries = 0;
    for recorded in rl_console::recording::read(&recording).unwrap() {
        let text = format!("{:?}", recorded.unwrap());
        assert!(!text.contains(&token));
        entries += 1;
    }
    assert!(entries > 5, "{entries}");
    for path in walk(folder.path()) {
        let bytes = std::fs::read(&path).unwrap();
        assert!(memchr::memmem::find(&bytes, token.as_bytes()).is_none(), "{}", path.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else if path.is_file() {
            files.push(path);
        }
    }
    files
}

#[test]
fn what_a_key_can_do_a_script_can_do() {
    let folder = tempdir().unwrap();
    let _station = Station::start(folder.path());
    let events = json(folder.path(), &["ls", "events"]);
    let names: Vec<_> = events.iter().map(|row| row["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["boss_rush", "give_item", "heal_party", "set_weather", "spawn_boss"]);
    assert_eq!(
        (&events[1]["title"], &events[1]["schema"]["required"][0]),
        (&"Give an item".into(), &"item_id".into())
    );
    json(folder.path(), &["drain", "boss"]);
    json(folder.path(), &["hold"]);
    let mut released = json(folder.path(), &["resume", "--keep-drain"]);
    assert_eq!(released.pop().unwrap(), serde_json::json!({"part": "runs", "held": false}));
    assert!(
        released.iter().all(|row| row["held"] == false && row["draining"] == (row["queue"] == "boss")),
        "{released:?}"
    );
    let recorded = json(folder.path(), &["record", "--for", "0.1"]);
    let file = std::path::PathBuf::from(recorded[1]["path"].as_str().unwrap());
    assert_eq!(file.parent().unwrap(), folder.path().join("recordings"));
    assert!(file.metadata().unwrap().len() > 0);
}
