//! `gate watch`: frames as they are held, and decisions of a script.

use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader, Write as _},
};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{
    owner::PATIENT,
    stage::{PULL, Program, Stage},
};
use crate::rmp_bus::{Peer, frames};

fn say(watch: &mut Program, line: &str) {
    let stdin = watch.child.stdin.as_mut().unwrap();
    stdin.write_all(format!("{line}\n").as_bytes()).unwrap();
}

fn bytes(row: &Value) -> Vec<u8> {
    rl_console::rmp::json::unhex(row["bytes"].as_str().unwrap()).unwrap()
}

#[test]
fn frames_are_printed_as_they_are_held_and_decided_on() {
    let stage = Stage::open(&[]);
    let mut adapter = stage.adapter();
    stage.arm(&["link:mpp kind:pull", "--in"]);
    adapter.send(PULL).unwrap();
    stage.held(1);
    let mut watch = stage.program(&["gate", "watch"]);
    let first = watch.row();
    assert_eq!(bytes(&first), format!("{PULL}\n").into_bytes());
    let left_ms = first["expires_in_ms"].as_u64().unwrap();
    assert!((1..=30_000).contains(&left_ms), "{first}");
    let mut rest = first.clone();
    rest.as_object_mut()
        .unwrap()
        .retain(|name, _| name != "bytes" && name != "expires_in_ms" && name != "peer");
    let expected =
        json!({"id": 1, "link": "mpp", "direction": "in", "head": "pull", "clause": null, "ttl_in_ms": null});
    assert_eq!(rest, expected);
    assert!(first["peer"].as_str().unwrap().starts_with("127.0.0.1:"));
    // Another queue is pulled from than the adapter asked for.
    let other = rl_console::words::hex(format!("{}\n", PULL.replace("default", "boss")).as_bytes());
    say(&mut watch, &format!(r#"{{"id":1,"do":"edit","bytes":"{other}"}}"#));
    let parked = || stage.ls(&["queues"]).into_iter().find(|row| row["parked"] == true);
    let queue = crate::real::plugins::until(|| "no queue is parked".to_owned(), parked);
    assert_eq!(queue["queue"], "boss");
    // A decision that comes too late is answered by a line.
    say(&mut watch, r#"{"id":1,"do":"drop"}"#);
    assert_eq!(watch.row(), json!({"id": 1, "error": "not_intercepted"}));
    adapter.send(PULL).unwrap();
    let second = watch.row();
    assert_eq!(second["id"], 2);
    // So is one that is refused, with why.
    say(&mut watch, r#"{"id":2,"do":"edit","bytes":"7b7d"}"#);
    let refused = watch.row();
    assert_eq!((&refused["id"], &refused["error"]), (&json!(2), &json!("not_whole")));
    assert!(refused["why"].as_str().is_some_and(|why| why.contains("LF")), "{refused}");
    say(&mut watch, r#"{"id":2,"do":"drop"}"#);
    stage.held(0);
    // Its connection still is the adapter's: what breaks a clause is said with the clause.
    stage.arm(&["link:mpp verdict:fault", "--in"]);
    adapter.send(r#"{"mpp":2,"type":"ack","id":99}"#).unwrap();
    let broken = watch.row();
    assert_eq!(broken["head"], "ack");
    assert!(broken["clause"].as_str().is_some(), "{broken}");
    say(&mut watch, r#"{"id":3,"do":"drop"}"#);
    stage.held(0);
    watch.signal(Signal::TERM);
    assert_eq!(watch.ended(), (Some(0), Value::Null));
}

#[test]
fn a_line_that_cannot_be_read_is_reported_and_the_watch_goes_on() {
    let stage = Stage::open(&[]);
    stage.arm(&["link:rmp topic:a/b", "--in"]);
    let _publishers = [stage.publish("a/b", 1), stage.publish("a/b", 2)];
    let mut watch = stage.program(&["gate", "watch"]);
    let frames = [watch.row(), watch.row()];
    assert!(frames.iter().all(|row| row["link"] == "rmp" && !bytes(row).is_empty()), "{frames:?}");
    say(&mut watch, "");
    say(&mut watch, "pass all");
    say(&mut watch, r#"{"id":1,"do":"hold"}"#);
    say(&mut watch, r#"{"id":1,"do":"pass"}"#);
    let mut errors = BufReader::new(watch.child.stderr.take().unwrap()).lines();
    for (line, why) in [("line 2: ", "expected value"), ("line 3: ", "unknown variant `hold`")] {
        let warning: Value = serde_json::from_str(&errors.next().unwrap().unwrap()).unwrap();
        let warning = &warning["warning"];
        assert_eq!(warning["code"], "bad_line");
        let message = warning["message"].as_str().unwrap();
        assert!(message.starts_with(line) && message.contains(why), "{message}");
    }
    assert_eq!(stage.held(1)[0]["frame"], 2);
    // The end of stdin is no end of the watch.
    drop(watch.child.stdin.take());
    let _publisher = stage.publish("a/b", 3);
    assert_eq!(watch.row()["id"], 3);
    watch.signal(Signal::INT);
    assert_eq!(watch.child.wait().unwrap().code(), Some(0));
}

/// With as many frames held as there can be, every line that does nothing is answered by name, and those
/// behind it are carried out.
#[test]
fn each_line_that_does_nothing_is_answered_by_name_while_many_are_held() {
    let stage = Stage::configured(PATIENT, &[]);
    stage.arm(&["link:rmp topic:a/b", "--in"]);
    let path = stage.data().join("rmp.sock");
    let publish = |msg_id| {
        let mut publisher = Peer::greeted(&path, "agent", None);
        publisher.publish("a/b", false, &frames::message(msg_id, "x"));
        publisher
    };
    let _publishers: Vec<Peer> = (1..=64).map(publish).collect();
    stage.held(64);
    let mut watch = stage.program(&["gate", "watch"]);
    let ids: BTreeSet<u64> = (1..=64).map(|_| watch.row()["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, (1..=64).collect());
    stage.gate(&["pass", "7"]).exits(0);
    say(&mut watch, "{");
    say(&mut watch, r#"{"id":1,"do":"edit","bytes":"zz"}"#);
    say(&mut watch, r#"{"id":1,"do":"edit","bytes":"abc"}"#);
    say(&mut watch, r#"{"id":1,"do":"edit"}"#);
    say(&mut watch, r#"{"id":7,"do":"pass"}"#);
    say(&mut watch, r#"{"id":999,"do":"drop"}"#);
    say(&mut watch, r#"{"id":1,"do":"edit","bytes":"00"}"#);
    for id in [7, 999] {
        assert_eq!(watch.row(), json!({"id": id, "error": "not_intercepted"}));
    }
    assert_eq!(watch.row()["error"], "not_whole");
    let mut errors = BufReader::new(watch.child.stderr.take().unwrap()).lines();
    for line in 1..=4 {
        let warning: Value = serde_json::from_str(&errors.next().unwrap().unwrap()).unwrap();
        let message = warning["warning"]["message"].as_str().unwrap().to_owned();
        assert_eq!(warning["warning"]["code"], "bad_line", "{warning}");
        assert!(message.starts_with(&format!("line {line}: ")), "{message}");
    }
    for id in ids.into_iter().filter(|id| *id != 7) {
        say(&mut watch, &format!(r#"{{"id":{id},"do":"pass"}}"#));
    }
    stage.held(0);
}

#[test]
fn a_watch_ends_with_its_station() {
    let stage = Stage::open(&[]);
    stage.arm(&["link:rmp topic:a/b", "--in"]);
    let _publisher = stage.publish("a/b", 1);
    let watch = stage.program(&["gate", "watch"]);
    watch.row();
    drop(stage);
    let (code, error) = watch.ended();
    assert_eq!((code, &error["error"]["code"]), (Some(3), &json!("no_station")));
}
