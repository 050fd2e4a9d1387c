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
    real::{Station, plugins::until, screen::Terminal},
    rmp_bus::{Peer, frames},
    runs_cli::run,
};

/// `limits.gate.intercepted_max`, unless it is set.
const HELD: u64 = 64;

/// Nothing passes because its time is up.
pub(super) const PATIENT: &str = "[limits.gate]\nhold_ms_max = 600000\n";

/// How a console that armed a rule goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Going {
    /// By SIGKILL.
    Killed,
    /// Its terminal is gone.
    HungUp,
    /// With its station.
    StationStops,
}

impl Going {
    /// Makes it so; the console, where its process need not have ended.
    #[must_use]
    pub(super) fn ends(self, mut console: Terminal, station: &mut Station) -> Option<Terminal> {
        match self {
            Self::Killed => {
                console.kill();
                return None;
            }
            Self::HungUp => console.hang_up(),
            Self::StationStops => assert!(station.terminate_unread().success()),
        }
        Some(console)
    }

    pub(super) const fn station_runs(self) -> bool {
        !matches!(self, Self::StationStops)
    }
}

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

pub(super) fn nothing_is_armed(stage: &Stage) {
    assert!(stage.ls(&["gate-rules"]).is_empty() && stage.ls(&["intercepted"]).is_empty());
}

/// Messages of 64 publishers pass.
fn messages_pass(going: Going) {
    let Holding { mut stage, console, mut subscriber, publishers } = Holding::begin();
    let _console = going.ends(console, &mut stage.station);
    lost_none(&mut subscriber);
    if going.station_runs() {
        nothing_is_armed(&stage);
    }
    drop(publishers);
}

#[test]
fn a_console_that_is_killed_takes_its_rules_with_it_and_no_frame() {
    messages_pass(Going::Killed);
}

#[test]
fn a_console_whose_terminal_is_gone_takes_its_rules_with_it_and_no_frame() {
    messages_pass(Going::HungUp);
}

#[test]
fn a_station_that_stops_lets_all_pass_first() {
    messages_pass(Going::StationStops);
}

/// A message of each of 64 connections is held before it leaves, with two more behind it.
fn deliveries_leave_in_their_order(going: Going) {
    let mut stage = Stage::configured(PATIENT, &[]);
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
    let _console = going.ends(console, &mut stage.station);
    for subscriber in &mut subscribers {
        assert_eq!([1, 2, 3], [(); 3].map(|()| subscriber.delivered().2.msg_id()));
    }
    if going.station_runs() {
        nothing_is_armed(&stage);
    }
}

#[test]
fn deliveries_that_a_killed_console_held_leave_in_their_order() {
    deliveries_leave_in_their_order(Going::Killed);
}

#[test]
fn deliveries_that_a_console_without_terminal_held_leave_in_their_order() {
    deliveries_leave_in_their_order(Going::HungUp);
}

#[test]
fn deliveries_held_at_a_stop_leave_in_their_order() {
    deliveries_leave_in_their_order(Going::StationStops);
}

/// What the adapter logged, as the bridge got it; a recording ends with its station, if not before.
fn logged(stage: &mut Stage, doing: impl FnOnce(&mut Stage)) -> Vec<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let operator = runtime.block_on(OperatorClient::connect(stage.data())).unwrap();
    let file = stage.data().join("held.mcap");
    let record = |command| runtime.block_on(operator.command(command)).map(drop);
    record(Command::RecordStart { path: Some(file.clone()), preroll_s: Some(0), whole: false }).unwrap();
    doing(stage);
    if stage.station.ended().is_none() {
        record(Command::RecordStop).unwrap();
    }
    let number = |item| {
        let RecordedItem::Entry(it) = item else { return None };
        let What::Frame(frame) = &it.entry.what else { return None };
        let is_line = it.entry.link == Link::Mpp && frame.direction == Direction::Inbound;
        let line: Value = serde_json::from_slice(&it.bytes).ok().filter(|_| is_line)?;
        line["message"].as_str()?.parse().ok()
    };
    read(&file).unwrap().filter_map(|item| number(item.unwrap())).collect()
}

/// The adapter's line that is held is heard, and what is read behind it after that.
fn lines_are_heard_in_their_order(going: Going) {
    let mut stage = Stage::configured(PATIENT, &[]);
    let mut adapter = stage.adapter();
    let console = armed(stage.data(), "2", "mpp", "kind:log dir:in");
    let heard = logged(&mut stage, |stage| {
        for n in 1..=HELD {
            let line = json!({"mpp": 2, "type": "log", "level": "info", "message": n.to_string()});
            adapter.send(&line.to_string()).unwrap();
        }
        adapter.send(PULL).unwrap();
        assert_eq!(stage.held(1)[0]["kind"], "log");
        let _console = going.ends(console, &mut stage.station);
        if going.station_runs() {
            // What comes last is taken once all before it were.
            let parked = || stage.ls(&["queues"]).into_iter().find(|row| row["parked"] == true);
            until(|| "no queue is parked".to_owned(), parked);
            nothing_is_armed(stage);
        }
    });
    // A station that stops reads nothing more of what its peers sent.
    let count = if going.station_runs() { HELD } else { heard.len().max(1) as u64 };
    assert_eq!(heard, (1..=count).collect::<Vec<_>>());
}

#[test]
fn lines_behind_one_that_a_killed_console_held_are_heard_in_their_order() {
    lines_are_heard_in_their_order(Going::Killed);
}

#[test]
fn lines_behind_one_that_a_console_without_terminal_held_are_heard_in_their_order() {
    lines_are_heard_in_their_order(Going::HungUp);
}

#[test]
fn a_line_held_at_a_stop_is_heard() {
    lines_are_heard_in_their_order(Going::StationStops);
}

/// The invocation that is held leaves, and then the one behind it.
fn invocations_leave_in_their_order(going: Going) {
    let mut stage = Stage::configured(PATIENT, &[]);
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
    let _console = going.ends(console, &mut stage.station);
    let mut next = || loop {
        let frame = adapter.receive().unwrap();
        if frame["type"] != "heartbeat" {
            return (frame["type"].clone(), frame["id"].clone());
        }
    };
    assert_eq!([next(), next()], [1, 2].map(|id| (json!("invocation"), json!(id))));
    if going.station_runs() {
        nothing_is_armed(&stage);
    }
}

#[test]
fn invocations_behind_one_that_a_killed_console_held_leave_in_their_order() {
    invocations_leave_in_their_order(Going::Killed);
}

#[test]
fn invocations_behind_one_that_a_console_without_terminal_held_leave_in_their_order() {
    invocations_leave_in_their_order(Going::HungUp);
}

#[test]
fn invocations_held_at_a_stop_leave_in_their_order() {
    invocations_leave_in_their_order(Going::StationStops);
}
