//! `gate arm`, `ls`, `pass`, `drop`, `edit` and `disarm`.

use rl_console::{
    ids::Seq,
    port::{Operator as _, Page, Query, wire},
    station::OperatorClient,
    tap::entry::What,
};
use serde_json::{Value, json};

use super::stage::{PULL, Stage};
use crate::{
    real::{cli, plugins::until},
    runs_cli::run,
};

/// The number of the invocation that the adapter gets.
fn invoked(stage: &Stage, adapter: &mut crate::real::Adapter) -> u64 {
    run(stage.data(), &["invoke", "heal_party"], "").exits(0);
    let invocation = adapter.receive().unwrap();
    assert_eq!(invocation["type"], "invocation", "{invocation}");
    invocation["id"].as_u64().unwrap()
}

fn state(stage: &Stage, id: u64) -> Value {
    let rows = stage.ls(&["invocations"]);
    rows.iter().find(|row| row["id"] == id).unwrap()["state"].clone()
}

#[test]
fn a_line_of_the_adapter_is_held_until_it_passes() {
    let stage = Stage::open(&[]);
    let mut adapter = stage.adapter();
    let rule = stage.arm(&["link:mpp kind:pull", "--in", "--for", "600", "--on-timeout", "drop"]);
    adapter.send(PULL).unwrap();
    let held = stage.held(1).remove(0);
    let expected = json!({"rule": rule, "link": "mpp", "way": "in", "kind": "pull", "on_timeout": "drop"});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&held[name], value, "{name} of {held}");
    }
    run(stage.data(), &["invoke", "heal_party"], "").exits(0);
    assert_eq!(state(&stage, 1), "pending", "nothing was pulled");
    let rows = stage.gate(&["ls"]).exits(0).rows;
    assert_eq!((&rows[0]["filter"], &rows[0]["taken"]), (&json!("link:mpp kind:pull"), &json!(1)));
    assert_eq!((rows.len(), &rows[1]), (2, &held));
    let passed = stage.gate(&["pass"]).exits(0);
    assert_eq!(passed.rows, [json!({"passed": [held["frame"]]})]);
    let invocation = adapter.receive().unwrap();
    assert_eq!(invocation["type"], "invocation");
    for kind in ["applied", "done"] {
        adapter.send(&format!(r#"{{"mpp":2,"type":"{kind}","id":{}}}"#, invocation["id"])).unwrap();
    }
    assert_eq!(stage.gate(&["pass"]).exits(0).rows, [json!({"passed": []})]);
    // The rule stayed when its command ended, and holds the next one.
    adapter.send(PULL).unwrap();
    stage.held(1);
    assert_eq!(stage.gate(&["disarm", &rule.to_string()]).exits(0).rows, [json!({"disarmed": [rule]})]);
    stage.held(0);
    let queue = || stage.ls(&["queues"]).into_iter().find(|row| row["queue"] == "default");
    until(|| format!("{:?}", queue()), || queue().filter(|row| row["parked"] == true));
}

#[test]
fn a_line_is_dropped_and_one_to_the_adapter_is_edited() {
    let stage = Stage::open(&[]);
    let mut adapter = stage.adapter();
    stage.arm(&["link:mpp kind:pull", "--in", "--max", "1"]);
    adapter.send(PULL).unwrap();
    let frame = stage.frame();
    assert!(stage.ls(&["gate-rules"]).is_empty(), "it has taken all that it was to take");
    assert_eq!(stage.gate(&["drop", &frame]).exits(0).rows, [json!({"dropped": [1]})]);
    stage.arm(&["link:mpp kind:invocation", "--out"]);
    adapter.send(PULL).unwrap();
    run(stage.data(), &["invoke", "heal_party"], "").exits(0);
    let frame = stage.frame();
    let edited = stage.gate(&["edit", &frame, "--set", "body.params={\"amount\":9}"]).exits(0);
    assert_eq!(edited.rows[0]["edited"].to_string(), frame);
    let foreseen = &edited.rows[0]["foreseen"];
    assert_eq!((&foreseen["verdict"], &foreseen["is_harmful"]), (&json!("sent"), &Value::Null), "{foreseen}");
    let invocation = adapter.receive().unwrap();
    assert_eq!((&invocation["id"], &invocation["params"]), (&json!(1), &json!({"amount": 9})));
}

#[test]
fn an_edit_is_made_of_a_file_of_stdin_or_of_bytes_and_is_kept() {
    let stage = Stage::open(&[]);
    let mut adapter = stage.adapter();
    adapter.send(PULL).unwrap();
    let id = invoked(&stage, &mut adapter);
    stage.arm(&["link:mpp kind:applied", "--in"]);
    adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)).unwrap();
    let failed = json!({"body": {"type": "failed", "id": id, "reason": "edited"}});
    run(stage.data(), &["gate", "edit", &stage.frame(), "-"], &failed.to_string()).exits(0);
    until(|| state(&stage, id).to_string(), || (state(&stage, id) == "failed").then_some(()));
    stage.gate(&["disarm"]).exits(0);
    // What is edited by its bytes, and what the rule makes of the next one.
    stage.arm(&["link:mpp kind:log", "--in"]);
    let log = |text: &str| format!(r#"{{"mpp":2,"type":"log","level":"warn","message":"{text}"}}"#);
    adapter.send(&log("one")).unwrap();
    let raw = rl_console::words::hex(format!("{}\n", log("two")).as_bytes());
    stage.gate(&["edit", &stage.frame(), "--raw", &raw, "--keep"]).exits(0);
    adapter.send(&log("three")).unwrap();
    let row = || stage.ls(&["gate-rules"]).remove(0);
    let row = until(|| row().to_string(), || Some(row()).filter(|row| row["taken"] == 2));
    assert_eq!((&row["rewrites"], stage.held(0).len()), (&json!(true), 0));
}

#[test]
fn a_message_of_the_bus_is_held_edited_and_delivered() {
    let stage = Stage::open(&[]);
    let tail = stage.tail("a/*");
    stage.arm(&["link:rmp topic:a/b", "--in"]);
    let publisher = stage.publish("a/b", 1);
    let held = stage.held(1).remove(0);
    assert_eq!((&held["link"], &held["verdict"]), (&json!("rmp"), &json!("accepted")), "{held}");
    stage.gate(&["edit", &held["frame"].to_string(), "--set", "body.payload.n=2"]).exits(0);
    assert_eq!(tail.row()["body"]["payload"], json!({"n": 2}));
    assert_eq!(publisher.row()["ack"], true);
    assert_eq!(publisher.ended().0, Some(0));
    // What leaves is edited for its receiver alone.
    stage.gate(&["disarm"]).exits(0);
    stage.arm(&["link:rmp topic:a/b", "--out"]);
    let publisher = stage.publish("a/b", 3);
    assert_eq!(publisher.row()["ack"], true, "the publisher waits for nothing");
    stage.gate(&["edit", &stage.frame(), "--set", "body.payload.n=4"]).exits(0);
    assert_eq!(tail.row()["body"]["payload"], json!({"n": 4}));
}

#[test]
fn several_are_decided_on_and_those_that_passed_are_named() {
    let stage = Stage::open(&[]);
    let tail = stage.tail("a/*");
    stage.arm(&["link:rmp topic:a/b", "--in"]);
    let publishers: Vec<_> = (0..3).map(|number| stage.publish("a/b", number)).collect();
    let held = stage.held(3);
    let frames: Vec<String> = held.iter().map(|row| row["frame"].to_string()).collect();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let what = format!("{} from {}", text(&held[1]["kind"]), text(&held[1]["peer"]));
    stage.gate(&["pass", &frames[0]]).exits(0);
    let output = cli(stage.data(), &["gate", "drop", &frames[0], &frames[1]]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains(&format!("frame {} is not held", frames[0])), "{said}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("frame {} dropped: {what}\n", frames[1]));
    assert_eq!(stage.gate(&["pass"]).exits(0).rows[0]["passed"].as_array().unwrap().len(), 1);
    assert_eq!((tail.row()["topic"].clone(), tail.row()["topic"].clone()), (json!("a/b"), json!("a/b")));
    drop(publishers);
}

#[test]
fn an_edit_is_judged_and_one_that_ends_the_connection_needs_yes() {
    let stage = Stage::open(&[]);
    let mut adapter = stage.adapter();
    adapter.send(PULL).unwrap();
    let id = invoked(&stage, &mut adapter);
    stage.arm(&["link:mpp kind:applied", "--in"]);
    adapter.send(&format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":null}}"#)).unwrap();
    let frame = stage.frame();
    let refused = stage.gate(&["edit", &frame, "--set", "body.id=abc"]);
    assert_eq!((refused.code, &refused.error["code"]), (Some(1), &json!("needs_yes")), "{refused:?}");
    assert!(refused.error["message"].as_str().unwrap().contains("would end the connection"), "{refused:?}");
    assert_eq!((stage.frame(), state(&stage, id)), (frame.clone(), json!("dispatched")), "it is held still");
    let output = cli(stage.data(), &["gate", "edit", &frame, "--set", "body.id=abc", "--yes"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && said.contains("foreseen: refused"), "{said}");
    assert!(said.contains("would end the connection: "), "{said}");
    stage.held(0);
}

#[test]
fn where_there_are_neither_rules_nor_frames_the_list_says_so() {
    let stage = Stage::open(&[]);
    let listed = || String::from_utf8(cli(stage.data(), &["gate", "ls"]).stdout).unwrap();
    assert_eq!(listed(), "no rules; nothing is held\n");
    assert!(stage.gate(&["ls"]).exits(0).rows.is_empty());
    stage.arm(&["link:mpp", "--in"]);
    assert!(listed().contains("link:mpp"), "{}", listed());
}

#[test]
fn what_is_injected_and_waits_at_the_gate_is_said_to_be_held() {
    let stage = Stage::open(&[]);
    let _adapter = stage.adapter();
    stage.arm(&["link:mpp kind:pull", "--in"]);
    let inject = ["inject", "mpp", "--from", "adapter", "--wait-ms", "300"];
    let held = run(stage.data(), &inject, &format!("{{\"body\":{PULL}}}"));
    assert_eq!((held.code, &held.error["code"]), (Some(4), &json!("no_answer")), "{:?}", held.rows);
    assert_eq!(held.rows[0]["verdict"], "held at the gate");
    assert_eq!(held.rows[0]["answers"], json!([]), "what says so is no answer");
    assert!(held.error["hint"].as_str().unwrap().contains("gate ls"), "{}", held.error);
}

/// The entry that says that the gate stopped a frame.
fn stopped(stage: &Stage) -> Option<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = OperatorClient::connect(stage.data()).await.unwrap();
        let query = Query::Entries { before: None, after: Seq(0), limit: u64::MAX };
        let Page::Entries(page) = client.query(query).await.unwrap() else { panic!("another page") };
        let mut entries = wire::entries(&page.entries.0).map(|found| found.unwrap().entry);
        entries.find(|entry| matches!(entry.what, What::Intercepted(_))).map(|entry| entry.seq.0)
    })
}

#[test]
fn a_frame_that_is_held_is_sent_by_hand_as_it_came() {
    let stage = Stage::open(&[]);
    stage.arm(&["link:rmp topic:a/b", "--in", "--max", "1"]);
    let _held = stage.publish("a/b", 1);
    stage.held(1);
    let seq = until(|| "nothing was stopped".to_owned(), || stopped(&stage)).to_string();
    let sent = run(stage.data(), &["inject", "rmp", "--of", &seq], "").exits(0).rows;
    assert_eq!((sent.len(), &sent[0]["verdict"]), (1, &json!("accepted")), "{sent:#?}");
    stage.held(1);
}

#[test]
fn the_lifetime_of_what_is_held_runs_on_and_is_shown() {
    let stage = Stage::open(&[]);
    for filter in ["link:rmp topic:a/b", "link:macp type:Proposal"] {
        stage.arm(&[filter, "--in"]);
    }
    run(stage.data(), &["session", "start", "s1", "--as", "a", "--participant", "a"], "").exits(0);
    let open = stage.ls(&["sessions"]).remove(0);
    let _publisher = stage.publish("a/b", 1);
    stage.held(1);
    let _sender = stage.program(&["session", "send", "s1", "--as", "a", "propose", "p1", "x"]);
    let [message, call] = <[Value; 2]>::try_from(stage.held(2)).unwrap();
    assert_eq!(call["expires_at_ms"], open["expires_at_ms"]);
    let left = |row: &Value| row["ttl_in_ms"].as_u64().unwrap_or_else(|| panic!("{row}"));
    let later = stage.held(2);
    for (then, now) in [&message, &call].into_iter().zip(&later) {
        let lives = then["expires_at_ms"].as_u64().unwrap() - then["since_ms"].as_u64().unwrap();
        assert!(lives >= left(then) && left(then) > left(now), "{then} {now}");
    }
    let watch = stage.program(&["gate", "watch"]);
    assert!((0..2).all(|_| left(&watch.row()) > 0));
    let text = String::from_utf8(cli(stage.data(), &["gate", "ls"]).stdout).unwrap();
    assert!(text.lines().any(|line| line.contains("until") && line.contains("ttl")), "{text}");
}
