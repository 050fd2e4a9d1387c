//! One list of alerts and one acknowledgement, for every console and over starts of the station.

use std::{path::Path, time::Duration};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::{
    real::{Adapter, Station, cli, json, pair, screen::Terminal},
    terminal::mpp_addr,
};

/// A folder whose station misses an adapter after a second, and so a head of a queue.
fn folder() -> TempDir {
    let folder = tempdir().unwrap();
    let config = folder.path().join("home/config/rl-console");
    std::fs::create_dir_all(&config).unwrap();
    let thresholds = "[console.alerts]\nadapter_gone_s = 1\nhead_waiting_s = 1\n";
    std::fs::write(config.join("config.toml"), thresholds).unwrap();
    folder
}

fn alerts(data: &Path) -> Vec<Value> {
    json(data, &["ls", "alerts"])
}

/// The alerts, once they are as wanted.
fn wait(data: &Path, what: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    for _ in 0..200 {
        let found = alerts(data);
        if wanted(&found) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{what}: {:?}", alerts(data));
}

fn is(alert: &Value, id: u64, name: &str, state: &str) -> bool {
    alert["id"] == id && alert["alert"] == name && alert["state"] == state
}

#[test]
fn two_consoles_one_acknowledgement() {
    let folder = folder();
    let data = folder.path();
    let token = pair(data);
    let mut first = Terminal::start(data, 120, 40, &["--port", "0"]);
    let adapter = Adapter::ready(mpp_addr(data), &token);
    first.shows("MPP ●");
    let mut second = Terminal::start(data, 120, 40, &["attach"]);
    second.shows("MPP ●");
    drop(adapter);
    // Both are told, and both ring.
    for terminal in [&first, &second] {
        terminal.shows("! 1 alert");
        terminal.writes(b"\x07");
    }
    // One who comes later has the list at once, and is not rung at for what was there before.
    let mut third = Terminal::start(data, 120, 40, &["attach"]);
    third.shows("! 1 alert");
    assert!(!third.has_written(b"\x07"));
    // What one acknowledges is acknowledged for all.
    first.keys("a");
    first.shows("Alerts: 1 active");
    second.keys("a");
    second.shows("Alerts: 1 active");
    second.keys("A");
    second.shows("Alerts: none active");
    first.shows("Alerts: none active");
    first.shows("acknowledged");
    third.wait("it is acknowledged there too", |screen| !screen.contains("1 alert"));
    let [alert] = &alerts(data)[..] else { panic!("{:?}", alerts(data)) };
    assert!(is(alert, 1, "adapter_gone", "acknowledged"), "{alert}");
    let _adapter = Adapter::ready(mpp_addr(data), &token);
    first.shows("resolved");
    second.shows("resolved");
    wait(data, "already resolved in the store", |all| is(&all[0], 1, "adapter_gone", "resolved"));
    third.keys("a");
    third.shows("resolved");
}

#[test]
fn ids_and_what_was_acknowledged_outlive_a_restart() {
    let folder = folder();
    let data = folder.path();
    let mut station = Station::start(data);
    json(data, &["invoke", "heal_party"]);
    let raised = station.event("alert");
    assert_eq!(raised["alert"], "head_waiting");
    let [alert] = &alerts(data)[..] else { panic!("{:?}", alerts(data)) };
    assert!(is(alert, 1, "head_waiting", "active"), "{alert}");
    let since = alert["since_ms"].clone();
    let status = |args: &[&str]| String::from_utf8(cli(data, args).stdout).unwrap();
    assert!(status(&["status"]).contains("\nalert 1: "), "{}", status(&["status"]));
    assert!(status(&["status", "--short"]).contains("  1 alert"), "{}", status(&["status", "--short"]));
    let listed = status(&["ls", "alerts"]);
    assert!(listed.contains("since (") && listed.contains("until ("), "{listed}");
    let told = String::from_utf8(cli(data, &["alert", "ack", "1"]).stdout).unwrap();
    assert!(!status(&["status", "--short"]).contains("1 alert"), "it is seen");
    assert!(told.contains("acknowledged 1 alert: 1"), "{told}");
    assert!(station.terminate().success());
    let mut station = Station::start(data);
    // It is judged anew, and by then a rule of a second is met.
    std::thread::sleep(Duration::from_millis(3_500));
    let [alert] = &alerts(data)[..] else { panic!("{:?}", alerts(data)) };
    assert!(is(alert, 1, "head_waiting", "acknowledged"), "{alert}");
    assert_eq!(alert["since_ms"], since, "it has held since then");
    json(data, &["invocation", "cancel", "1"]);
    wait(data, "it is gone", |all| is(&all[0], 1, "head_waiting", "resolved"));
    json(data, &["invoke", "heal_party"]);
    assert_eq!(station.event("alert")["alert"], "head_waiting");
    let found = alerts(data);
    assert!(is(&found[0], 2, "head_waiting", "active"), "no id is given twice: {found:?}");
    assert!(is(&found[1], 1, "head_waiting", "resolved"), "what is resolved is listed: {found:?}");
    assert_eq!(json(data, &["alert", "ack", "--all"]), [serde_json::json!({ "acknowledged": [2] })]);
    let listed = |state: &str| json(data, &["ls", "alerts", "--state", state]).len();
    assert_eq!((listed("active"), listed("acknowledged"), listed("resolved")), (0, 1, 1));
}

#[test]
fn an_alert_that_is_not_there_is_refused_with_where_to_look() {
    let folder = folder();
    let data = folder.path();
    let _station = Station::start(data);
    let refused = cli(data, &["--json", "alert", "ack", "77"]);
    assert_eq!(refused.status.code(), Some(1));
    let error: Value = serde_json::from_slice(&refused.stderr).unwrap();
    assert_eq!(error["error"]["code"], "no_alert", "{error}");
    assert!(error.to_string().contains("ls alerts"), "{error}");
    assert_eq!(cli(data, &["alert", "ack"]).status.code(), Some(2));
    let told = String::from_utf8(cli(data, &["alert", "ack", "--all"]).stdout).unwrap();
    assert!(told.contains("nothing to acknowledge"), "{told}");
}
