//! Who armed a rule goes, with as many frames held as there can be: all of them pass.

use std::{collections::BTreeSet, path::Path};

use rl_console::{
    port::{Command, Operator as _},
    recording::{RecordedItem, read},
    station::OperatorClient,
    tap::entry::{Direction, Link, What},
};
use serde_json::{Value, json};

use super::stage::{PULL, Stage};
use crate::{
    real::{plugins::until, screen::Terminal},
    rmp_bus::{Peer, frames},
    runs_cli::run,
};

/// `limits.gate.intercepted_max`, unless it is set.
const HELD: u64 = 64;

/// Nothing passes because its time is up.
pub(super) const PATIENT: &str = "[limits.gate]\nhold_ms_max = 600000\n";

/// A console that armed a rule in a view, with what its filter asks for besides the link.
pub(super) fn armed(data: &Path, view: &str, link: &str, filter: &str) -> Terminal {
    let mut console = Terminal::start(data, 160, 50, &["attach"]);
    console.stable_text();
    console.keys(&format!("{view}I"));
    console.shows(&format!("filter     link:{link}"));
    console.keys(&format!("{filter}\x13"));
    console.shows("Rules: 1 armed");
    console
}

/// A console that holds messages of 64 publishers, and who waits for them.
struct Holding {
    stage: Stage,
    console: Terminal,
    subscriber: Peer,
    publishers: Vec<Peer>,
}

impl Holding {
    fn begin() -> Self {
        let stage = Stage::configured(PATIENT, &[]);
        let path = stage.data().join("rmp.sock");
        let agent = || Peer::greeted(&path, "agent", None);
        let mut subscriber = agent();
        subscriber.subscribe(1, "a");
        let console = armed(stage.data(), "3", "rmp", "topic:a");
        let publish = |msg_id| {
            let mut publisher = agent();
            publisher.publish("a", false, &frames::message(msg_id, "x"));
            publisher
        };
        let publishers = (1..=HELD).map(publish).collect();
        stage.held(64);
        Self { stage, console, subscriber, publishers }
    }
}

/// All of them are delivered.
fn lost_none(subscriber: &mut Peer) {
    let delivered: BTreeSet<u64> = (0..HELD).map(|_| subscriber.delivered().2.msg_id()).collect();
    assert_eq!(delivered, (1..=HELD).collect());
}

fn nothing_is_armed(stage: &Stage) {
    assert!(stage.ls(&["gate-rules"]).is_empty() && stage.ls(&["intercepted"]).is_empty());
}

#[test]
fn a_console_that_is_killed_takes_its_rules_with_it_and_no_frame() {
    let Holding { stage, console, mut subscriber, publishers } = Holding::begin();
    console.kill();
    lost_none(&mut subscriber);
    nothing_is_armed(&stage);
    drop(publishers);
}

#[test]
fn a_console_whose_terminal_is_gone_takes_its_rules_with_it_and_no_frame() {
    let Holding { stage, mut console, mut subscriber, publishers } = Holding::begin();
    console.hang_up();
    lost_none(&mut subscriber);
    nothing_is_armed(&stage);
    drop(publishers);
}

#[test]
fn a_station_that_stops_lets_all_pass_first() {
    let Holding { mut stage, console, mut subscriber, publishers } = Holding::begin();
    assert!(stage.station.terminate_unread().success());
    lost_none(&mut subscriber);
    drop((console, publishers));
}

/// A message of each of 64 connections is held before it leaves, with two more behind it.
#[test]
fn deliveries_that_a_killed_console_held_leave_in_their_order() {
    let stage = Stage::configured(PATIENT, &[]);
    let path = stage.data().join("rmp.sock");
    let agent = || Peer::greeted(&path, "agent", None);
    let mut subscribers: Vec<Peer> = (0..HELD).map(|_| agent()).collect();
    for subscriber in &mut subscribers {
        subscriber.subscribe(1, "a");
    }
    let console = armed(stage.data(), "3", "rmp", "topic:a dir:out");
    let mut publisher = agent();
    for msg_id in 1..=3 {
        publisher.publish("a", true, &frames::message(msg_id, "x"));
        assert_eq!(publisher.hear().name(), "Ok", "the publisher waits for nothing");
    }
    assert!(stage.held(64).iter().all(|row| row["way"] == "out"));
    console.kill();
    for subscriber in &mut subscribers {
        assert_eq!([1, 2, 3], [(); 3].map(|()| subscriber.delivered().2.msg_id()));
    }
    nothing_is_armed(&stage);
}

/// What the adapter logged, as the bridge got it.
fn logged(stage: &Stage, doing: impl FnOnce()) -> Vec<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(stage.data())).unwrap();
    let file = stage.data().join("held.mcap");
    let record = |command| drop(runtime.block_on(operator.command(command)).unwrap());
    record(Command::RecordStart { path: Some(file.clone()), preroll_s: Some(0), whole: false });
    doing();
    record(Command::RecordStop);
    let number = |item| {
        let RecordedItem::Entry(it) = item else { return None };
        let What::Frame(frame) = &it.entry.what else { return None };
        let is_line = it.entry.link == Link::Mpp && frame.direction == Direction::Inbound;
        let line: Value = serde_json::from_slice(&it.bytes).ok().filter(|_| is_line)?;
        line["message"].as_str()?.parse().ok()
    };
    read(&file).unwrap().filter_map(|item| number(item.unwrap())).collect()
}

#[test]
fn lines_behind_one_that_a_killed_console_held_are_heard_in_their_order() {
    let stage = Stage::configured(PATIENT, &[]);
    let mut adapter = stage.adapter();
    let console = armed(stage.data(), "2", "mpp", "kind:log dir:in");
    let heard = logged(&stage, || {
        for n in 1..=HELD {
            let line = json!({"mpp": 2, "type": "log", "level": "info", "message": n.to_string()});
            adapter.send(&line.to_string()).unwrap();
        }
        adapter.send(PULL).unwrap();
        assert_eq!(stage.held(1)[0]["kind"], "log");
        console.kill();
        // What comes last is taken once all before it were.
        let parked = || stage.ls(&["queues"]).into_iter().find(|row| row["parked"] == true);
        until(|| "no queue is parked".to_owned(), parked);
    });
    assert_eq!(heard, (1..=HELD).collect::<Vec<_>>());
    nothing_is_armed(&stage);
}

#[test]
fn invocations_behind_one_that_a_killed_console_held_leave_in_their_order() {
    let stage = Stage::configured(PATIENT, &[]);
    let mut adapter = stage.adapter();
    let console = armed(stage.data(), "2", "mpp", "kind:invocation dir:out");
    for queue in ["default", "boss"] {
        adapter.send(&PULL.replace("default", queue)).unwrap();
    }
    run(stage.data(), &["invoke", "heal_party"], "").exits(0);
    run(stage.data(), &["invoke", "spawn_boss", "--params", r#"{"boss":"x"}"#], "").exits(0);
    let dispatched = || {
        let rows = stage.ls(&["invocations"]);
        (rows.len() == 2 && rows.iter().all(|row| row["state"] == "dispatched")).then_some(())
    };
    until(|| format!("{:?}", stage.ls(&["invocations"])), dispatched);
    assert_eq!(stage.held(1)[0]["kind"], "invocation");
    console.kill();
    let mut next = || loop {
        let frame = adapter.receive().unwrap();
        if frame["type"] != "heartbeat" {
            return (frame["type"].clone(), frame["id"].clone());
        }
    };
    assert_eq!([next(), next()], [1, 2].map(|id| (json!("invocation"), json!(id))));
    nothing_is_armed(&stage);
}
