//! What an attack has taken of memory is given back to the system once it is over.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::{fs, path::Path, thread, time::Duration};

use super::operator_bounds::{lists, stops};
use crate::{
    real::Station,
    rmp_bus::{Peer, frames},
};

/// Subscribers that never read, and what each of them is sent.
const STALLED: u64 = 16;
const MESSAGES: u64 = 40;
const MESSAGE_BYTES: usize = 100_000;
/// The bound is 10 s; a loaded machine gets more.
const RECOVERY_STEP: Duration = Duration::from_millis(100);
const RECOVERY_TRIES: u32 = 300;

/// Resident memory of a process, KiB.
fn resident_kib(station: &Station) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", station.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Subscribers that do not read, whose queues hold so many messages each.
fn stalled(path: &Path, messages: u64) -> Vec<Peer> {
    let subscriber = |number| {
        let mut peer = Peer::greeted(path, "agent", None);
        peer.subscribe(1, &format!("stalled/{number}"));
        peer
    };
    let peers: Vec<_> = (0..STALLED).map(subscriber).collect();
    let mut publisher = Peer::greeted(path, "agent", None);
    let text = "x".repeat(MESSAGE_BYTES);
    for number in 0..STALLED * messages {
        let topic = format!("stalled/{}", number % STALLED);
        publisher.publish(&topic, false, &frames::message(number, &text));
    }
    publisher.publish("done", true, &frames::message(u64::MAX, ""));
    assert_eq!(publisher.hear().name(), "Ok");
    peers
}

#[test]
fn what_waited_for_subscribers_that_never_read_is_given_back() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("home/config/rl-console");
    fs::create_dir_all(&folder).unwrap();
    // What the tap keeps is meant to stay: here that is little.
    fs::write(folder.join("config.toml"), "[limits.tap]\nring_bytes_max = 1_048_576\n").unwrap();
    let station = Station::start(data.path());
    let path = Path::new(station.ready["rmp"].as_str().unwrap());
    // What is used for the first time stays too.
    drop(stalled(path, 1));
    let before = resident_kib(&station);
    let peers = stalled(path, MESSAGES);
    let during = resident_kib(&station);
    let queued_kib = STALLED * MESSAGES * MESSAGE_BYTES as u64 / 1024;
    assert!(during > before + queued_kib / 2, "{queued_kib} KiB wait: {before} KiB, then {during}");
    lists(data.path());
    drop(peers);
    let comes_back = (0..RECOVERY_TRIES).any(|_| {
        thread::sleep(RECOVERY_STEP);
        resident_kib(&station) <= before + before / 5
    });
    assert!(comes_back, "{before} KiB, then {during}, and {} stay", resident_kib(&station));
    let _peers = stalled(path, 1);
    stops(data.path());
}
