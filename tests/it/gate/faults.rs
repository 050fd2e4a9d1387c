//! Faults that rules make by themselves, on a station of a rehearsal.

use std::{io::Read as _, time::Duration};

use rl_console::time::Clock;
use serde_json::json;

use super::{
    owner::PATIENT,
    stage::{PULL, Stage},
};
use crate::{real::Adapter, rmp_bus::Peer, runs::test_station::Client, runs_cli::run};

fn rehearsal() -> Stage {
    Stage::open(&["--rehearsal"])
}

/// An adapter that is sent the only invocation.
fn invoked(stage: &Stage) -> Adapter {
    let mut adapter = stage.adapter();
    adapter.send(PULL).unwrap();
    run(stage.data(), &["invoke", "heal_party"], "").exits(0);
    adapter
}

#[test]
fn lines_of_the_bridge_are_dropped_doubled_delayed_and_cut() {
    let stage = rehearsal();
    stage.arm(&["link:mpp kind:pull", "--in", "--then", "drop", "--max", "1"]);
    let mut adapter = invoked(&stage);
    stage.arm(&["link:mpp kind:invocation", "--out", "--then", "duplicate", "--max", "1"]);
    // The first pull is gone: the second is what is answered, and twice.
    adapter.send(PULL).unwrap();
    let twice = [adapter.receive().unwrap(), adapter.receive().unwrap()];
    assert_eq!((&twice[0]["type"], &twice[0]), (&json!("invocation"), &twice[1]));
    stage.arm(&["link:mpp kind:applied", "--in", "--then", "delay=400ms±100", "--seed", "7", "--max", "1"]);
    let clock = Clock::start();
    let before = clock.mono();
    adapter.send(r#"{"mpp":2,"type":"applied","id":1,"result":null}"#).unwrap();
    let applied = || (stage.ls(&["invocations"])[0]["state"] == "applied").then_some(());
    crate::real::plugins::until(|| "it is not applied".to_owned(), applied);
    let took = clock.mono().since(before);
    assert!(took >= Duration::from_millis(300), "{took:?}");
    // Half of a line, and the end.
    stage.arm(&["link:mpp kind:invocation", "--out", "--then", "cut"]);
    adapter.send(PULL).unwrap();
    run(stage.data(), &["invoke", "heal_party"], "").exits(0);
    let mut rest = String::new();
    adapter.socket().read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with("{\"mpp\":2") && !rest.contains('\n'), "{rest:?}");
    let taken = stage.ls(&["gate-rules"])[0]["taken"].clone();
    assert_eq!(taken, 1);
}

#[test]
fn a_line_that_arrives_is_cut_off_with_its_connection() {
    let stage = rehearsal();
    let mut adapter = stage.adapter();
    stage.arm(&["link:mpp kind:pull", "--in", "--then", "cut"]);
    adapter.send(PULL).unwrap();
    assert!(adapter.receive().is_none());
    assert!(stage.ls(&["adapters"]).is_empty());
}

#[test]
fn messages_of_the_bus_are_dropped_doubled_delayed_and_cut() {
    let stage = rehearsal();
    let tail = stage.tail("a/*");
    let n = |tail: &super::stage::Program| tail.row()["body"]["payload"]["n"].clone();
    stage.arm(&["link:rmp topic:a/b", "--out", "--then", "drop", "--max", "1"]);
    assert_eq!(stage.publish("a/b", 1).ended().0, Some(0));
    assert_eq!(stage.publish("a/b", 2).ended().0, Some(0));
    assert_eq!(n(&tail), 2, "the first is gone");
    stage.arm(&["link:rmp topic:a/b", "--out", "--then", "duplicate", "--max", "1"]);
    assert_eq!(stage.publish("a/b", 3).ended().0, Some(0));
    assert_eq!((n(&tail), n(&tail)), (json!(3), json!(3)));
    stage.arm(&["link:rmp topic:a/b", "--in", "--then", "delay=300ms", "--max", "1"]);
    let clock = Clock::start();
    let before = clock.mono();
    assert_eq!(stage.publish("a/b", 4).ended().0, Some(0));
    assert!(clock.mono().since(before) >= Duration::from_millis(300));
    assert_eq!(n(&tail), 4);
    // A message that comes twice from its publisher is a duplicate, and delivered once.
    stage.arm(&["link:rmp topic:a/b", "--in", "--then", "duplicate", "--max", "1"]);
    assert_eq!(stage.publish("a/b", 5).ended().0, Some(0));
    assert_eq!(stage.publish("a/b", 6).ended().0, Some(0));
    assert_eq!((n(&tail), n(&tail)), (json!(5), json!(6)));
    stage.arm(&["link:rmp topic:a/b", "--in", "--then", "cut", "--max", "1"]);
    assert_ne!(stage.publish("a/b", 7).ended().0, Some(0), "its publisher is cut off");
    stage.arm(&["link:rmp topic:a/b", "--out", "--then", "cut", "--max", "1"]);
    assert_eq!(stage.publish("a/b", 8).ended().0, Some(0));
    assert_ne!(tail.ended().0, Some(0), "its subscriber is cut off");
}

#[test]
fn a_share_of_frames_is_drawn_by_its_seed() {
    let stage = rehearsal();
    let mut adapter = stage.adapter();
    let rule =
        stage.arm(&["link:mpp kind:heartbeat", "--in", "--then", "drop", "--percent", "50", "--seed", "7"]);
    for _ in 0..100 {
        adapter.send(r#"{"mpp":2,"type":"heartbeat"}"#).unwrap();
    }
    // What follows is read once all of them were.
    adapter.send(PULL).unwrap();
    let parked = || stage.ls(&["queues"]).into_iter().find(|row| row["parked"] == true);
    crate::real::plugins::until(|| "no queue is parked".to_owned(), parked);
    let rules = stage.ls(&["gate-rules"]);
    let taken = rules.iter().find(|row| row["rule"] == rule).unwrap()["taken"].as_u64().unwrap();
    assert!((30..=70).contains(&taken), "{taken}");
}

#[test]
fn a_rehearsal_needs_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_rl-console"))
        .env_clear()
        .env("HOME", folder.path())
        .args(["serve", "--rehearsal"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("--data"), "{said}");
}

#[test]
fn the_store_fails_for_a_while_and_keeps_what_it_has() {
    let stage = rehearsal();
    let tail = stage.tail("a/*");
    run(stage.data(), &["invoke", "heal_party"], "").exits(0);
    stage.arm(&["link:rmp topic:a/b", "--in", "--then", "fail-store=8000ms", "--max", "1"]);
    assert_eq!(stage.publish("a/b", 1).ended().0, Some(0));
    assert_eq!(tail.row()["body"]["payload"]["n"], 1, "the message passes");
    let refused = run(stage.data(), &["invoke", "heal_party"], "").exits(1);
    assert!(refused.error["message"].as_str().unwrap().contains("rule 1 of the gate"), "{refused:?}");
    assert!(refused.error["hint"].as_str().unwrap().contains("gate disarm"), "{refused:?}");
    let again = || {
        let again = run(stage.data(), &["invoke", "heal_party"], "");
        (again.code == Some(0)).then_some(())
    };
    crate::real::plugins::until(|| "the store fails still".to_owned(), again);
    assert_eq!(stage.ls(&["invocations"]).len(), 2);
}

/// Its rule is gone with the only message that it was to take.
#[test]
fn a_store_that_fails_writes_again_once_all_is_disarmed() {
    let stage = Stage::configured(PATIENT, &["--rehearsal"]);
    stage.arm(&["link:rmp topic:a/b", "--in", "--then", "fail-store=600s", "--max", "1"]);
    assert_eq!(stage.publish("a/b", 1).ended().0, Some(0));
    run(stage.data(), &["invoke", "heal_party"], "").exits(1);
    assert_eq!(stage.gate(&["disarm"]).exits(0).rows, [json!({"disarmed": [1]})]);
    stores(&stage);
}

/// Waits until the store takes an invocation.
fn stores(stage: &Stage) {
    let again = || (run(stage.data(), &["invoke", "heal_party"], "").code == Some(0)).then_some(());
    crate::real::plugins::until(|| "the store fails still".to_owned(), again);
}

/// rmp-v0 §9: the answer is published on `rlp/ctrl`, to those who subscribed there.
#[test]
fn a_run_that_the_store_refuses_is_rejected_to_its_sender_and_another_begins_once_the_store_writes() {
    const OPENING: &str = "version: 0\nname: mute\nnodes:\n  - {id: a, use: 'agent:mute'}\nedges: []\n";
    let stage = rehearsal();
    let mut sender = Client::of(Peer::greeted(&stage.data().join("rmp.sock"), "agent", None));
    let rule = stage.arm(&["link:rmp topic:rlp/ctrl", "--in", "--then", "fail-store=30000ms"]);
    let rejected = sender.submit(7, OPENING);
    assert_eq!((rejected.variant.as_str(), rejected.trace), ("RunRejected", 7));
    let why = "cannot store the run: the store cannot write: the database: writes are refused by rule 1 ";
    assert!(rejected.text("reason").starts_with(why), "{rejected:?}");
    assert!(stage.ls(&["runs"]).is_empty());
    assert_eq!(sender.submit(7, OPENING), rejected, "it is answered once and for all");
    stage.gate(&["disarm", &rule.to_string()]).exits(0);
    assert_eq!(sender.submit(8, OPENING).variant, "RunAccepted");
    assert_eq!(stage.ls(&["runs"]).len(), 1);
}
