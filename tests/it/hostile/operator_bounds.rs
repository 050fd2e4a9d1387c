//! What an operator's commands may take while an attack lasts. Every attack here asserts it, by the real
//! commands, at a station in a process of its own ([`stops`]) or in that of the test ([`stops_here`]).

use std::{path::Path, process::Output, time::Duration};

use rl_console::{station::Station, time::Clock};
use serde_json::Value;

use crate::real::cli;

/// `ls` and `stop`, by a console as it is shipped on a machine that has time for it.
const LS_MAX: Duration = Duration::from_secs(1);
const STOP_MAX: Duration = Duration::from_secs(3);
/// How much longer they may take here: neither end is optimised, and as many tests as there are cores run at
/// one time, each with attackers of its own (`ls` takes 20 ms alone, and up to 500 ms among them; `stop` 340
/// ms and up to 1,200 ms). What the bounds are against, a command that waits for the end of the attack or for
/// a deadline of 10 s and more, exceeds them all the same.
const LOAD_FACTOR: u32 = 4;

#[track_caller]
fn in_time<T>(what: &str, bound: Duration, command: impl FnOnce() -> T) -> T {
    let clock = Clock::start();
    let from = clock.now().mono;
    let answer = command();
    let took = clock.now().mono.since(from);
    assert!(took <= bound * LOAD_FACTOR, "{what} took {took:?}");
    answer
}

/// `ls`, whatever it says, comes to its end in time: its rows.
#[track_caller]
pub(super) fn ls(data: &Path, args: &[&str]) -> (Output, Vec<Value>) {
    let listed = in_time("ls", LS_MAX, || cli(data, &[&["--json", "ls"], args].concat()));
    let lines = str::from_utf8(&listed.stdout).unwrap().lines();
    let rows = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
    (listed, rows)
}

/// `ls health` is answered in time: its rows.
#[track_caller]
pub(super) fn lists(data: &Path) -> Vec<Value> {
    let (listed, rows) = ls(data, &["health"]);
    is_done(&listed);
    assert!(!rows.is_empty());
    rows
}

/// `stop` ends a station in time.
#[track_caller]
pub(super) fn stops(data: &Path) {
    let stopped = in_time("stop", STOP_MAX, || cli(data, &["stop", "--yes"]));
    is_done(&stopped);
}

/// `stop --force` ends one that has no place for an operator, in time.
#[track_caller]
pub(super) fn stops_by_force(data: &Path) {
    let stopped = in_time("stop", STOP_MAX, || cli(data, &["stop", "--yes", "--force"]));
    is_done(&stopped);
}

/// `ls` is answered, and `stop` ends a station that is in this process, in time.
#[track_caller]
pub(super) fn stops_here(data: &Path, station: Station) {
    lists(data);
    let stopped = in_time("stop", STOP_MAX, || {
        std::thread::scope(|scope| {
            let command = scope.spawn(|| cli(data, &["stop", "--yes"]));
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let asked =
                async { tokio::time::timeout(STOP_MAX * LOAD_FACTOR, station.stop_requested()).await };
            assert!(runtime.block_on(asked).is_ok(), "it is not asked to end: {:?}", command.join());
            station.stop();
            command.join().unwrap()
        })
    });
    is_done(&stopped);
}

#[track_caller]
fn is_done(command: &Output) {
    assert!(command.status.success(), "{}", String::from_utf8_lossy(&command.stderr));
}
