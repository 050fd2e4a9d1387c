//! Who armed a rule goes, with as many frames held as there can be: all of them pass.

use std::collections::BTreeSet;

use super::stage::Stage;
use crate::{
    real::screen::Terminal,
    rmp_bus::{Peer, frames},
};

/// `limits.gate.intercepted_max`, unless it is set.
const HELD: u64 = 64;

/// A console that holds messages of 64 publishers, and who waits for them.
struct Holding {
    stage: Stage,
    console: Terminal,
    subscriber: Peer,
    publishers: Vec<Peer>,
}

impl Holding {
    fn begin() -> Self {
        let stage = Stage::open(&[]);
        let path = stage.data().join("rmp.sock");
        let agent = || Peer::greeted(&path, "agent", None);
        let mut subscriber = agent();
        subscriber.subscribe(1, "a");
        let mut console = Terminal::start(stage.data(), 160, 50, &["attach"]);
        console.stable_text();
        console.keys("3I");
        console.shows("filter     link:rmp");
        console.keys("topic:a\x13");
        console.shows("Rules: 1 armed");
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
    drop(console);
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
