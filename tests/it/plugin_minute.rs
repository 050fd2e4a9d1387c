//! What takes a minute at a real station: the watch tick and pings, as plugins of other languages see them,
//! and the end of plugins that read nothing.
#![cfg(target_os = "linux")]

use rl_console::plugin::{StreamCommand, UnhealthyCause, host::process_tree};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::{
    plugin_clients::{Client, NODE, PYTHON, all, set},
    real::plugins::{PluginStation, until},
};

#[test]
fn a_minute_of_plugins() {
    let it = PluginStation::start();
    it.serve_script("test.deaf", "up; while :; do sleep 600; done", &[]);
    it.serve_simulated("sim.stopped", &[]);
    it.serve_simulated("sim.well", &[]);
    it.when_up("test.deaf");
    it.stream(set("ann"));
    let python = Client::serve(&it, &PYTHON, "client.python", all(), "unavailable");
    let node = Client::serve(&it, &NODE, "client.node", all(), "unavailable");
    let stopped = it.when_up("sim.stopped").pid.unwrap();
    for pid in process_tree::descendants(stopped) {
        let pid = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
    }
    // More than their pipes take, so that some of it waits for them.
    let message = serde_json::from_value(json!({"text": "a".repeat(1_000)})).unwrap();
    it.stream(StreamCommand::Chat { messages: vec![message; 200] });
    for id in ["test.deaf", "sim.stopped"] {
        let row = it.when(id, "ended", |row| row.unhealthy.is_some());
        assert_eq!((row.unhealthy, row.misses), (Some(UnhealthyCause::NotReading), 0), "{row:#?}");
        it.answers("sim.well");
    }
    it.when("sim.stopped", "up again", |row| row.state == "up" && row.pid != Some(stopped));
    for client in [python, node].into_iter().flatten() {
        client.until("ping");
        client.until("event.on_watch_tick");
        let checks = client.checks();
        assert!(checks.iter().all(|check| check["ok"] == true), "{checks:#?}");
    }
    let well = it.when_up("sim.well");
    assert_eq!((well.unhealthy, well.misses), (None, 0), "{well:#?}");
    until(|| "it was pinged".to_owned(), || it.row("sim.well").filter(|row| row.ping_us.is_some()));
}
