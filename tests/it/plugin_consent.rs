//! A plugin asks for the operator's login: who may answer, and what becomes of the question.
#![cfg(target_os = "linux")]

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::{
    plugin_check::simulated,
    real::{Station, cli, json, screen::Terminal},
};

const ID: &str = "sim.asks";

/// A station with a plugin that asks for the login as soon as it is up.
fn asking() -> (TempDir, Station) {
    let folder = tempdir().unwrap();
    let config = folder.path().join("home/config/rl-console");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[plugins.twitch_android]\ncommand = \"echo a-token\"\n").unwrap();
    let into = folder.path().join("sim");
    fs::create_dir_all(&into).unwrap();
    simulated(&into, &["--id", ID, "--ask-credential"]);
    let mut station = Station::start_with(folder.path(), &["--plugins", into.to_str().unwrap()]);
    assert_eq!(station.event("plugin_asks")["plugin"], ID);
    (folder, station)
}

/// What its audit has of the login.
fn audit(data: &Path) -> Vec<String> {
    let rows = json(data, &["plugin", "audit", ID]);
    let of = |row: &Value| {
        let is_of_login = row["text"].as_str()?.starts_with("twitch.android");
        is_of_login.then(|| row["what"].as_str().unwrap().to_owned())
    };
    rows.iter().filter_map(of).collect()
}

/// Has the plugin ask once more; what it gains it learns of by a restart.
fn ask_again(data: &Path, station: &mut Station, is_revoked: bool) {
    json(data, &["plugin", "grant", ID, "twitch.android"]);
    if !is_revoked {
        json(data, &["plugin", "restart", ID]);
    }
    assert_eq!(station.event("plugin_asks")["plugin"], ID);
}

#[test]
fn a_shell_answers_and_a_cue_and_a_viewer_do_not() {
    let (folder, mut station) = asking();
    let data = folder.path();
    for token in ["cue.token", "viewer.token"] {
        let token = data.join(token);
        for answer in
            [&["allow", ID][..], &["allow", ID, "--always"], &["deny", ID], &["revoke", ID, "notify"]]
        {
            let args = [&["--token-file", token.to_str().unwrap(), "plugin"], answer].concat();
            let refused = cli(data, &args);
            assert_eq!(refused.status.code(), Some(1), "{args:?}: {refused:?}");
        }
    }
    assert_eq!(audit(data), ["asked"], "nobody answered");
    json(data, &["plugin", "deny", ID]);
    assert_eq!(cli(data, &["plugin", "allow", ID]).status.code(), Some(1), "nothing is asked now");
    ask_again(data, &mut station, false);
    json(data, &["plugin", "allow", "asks", "--always"]);
    assert_eq!(station.event("plugin_handed")["plugin"], ID);
    // What is allowed for good is not asked for again.
    json(data, &["plugin", "restart", ID]);
    assert_eq!(station.event("plugin_handed")["plugin"], ID);
    json(data, &["plugin", "revoke", ID, "twitch.android"]);
    let wanted = ["asked", "denied", "asked", "allowed_always", "handed", "handed", "revoked"];
    assert_eq!(audit(data), wanted);
}

#[test]
fn an_attached_console_answers_unless_it_only_looks() {
    let (folder, mut station) = asking();
    let data = folder.path();
    let viewer = data.join("viewer.token");
    let mut looks = Terminal::start(data, 160, 50, &["attach", "--token-file", viewer.to_str().unwrap()]);
    let mut acts = Terminal::start(data, 160, 50, &["attach"]);
    for terminal in [&mut looks, &mut acts] {
        terminal.shows("? 1 approval");
        terminal.keys("a");
        terminal.shows("sim.asks asks for twitch.android");
    }
    looks.keys("p");
    looks.wait("it may not", |screen| {
        screen.contains("read-only token") || screen.contains("Allow twitch.android")
    });
    looks.keys("y");
    looks.shows("read-only token");
    // It is revoked while the answer is thought over: the answer is to nothing.
    acts.keys("p");
    acts.shows("Allow twitch.android to sim.asks?");
    json(data, &["plugin", "revoke", ID, "twitch.android"]);
    acts.shows("sim.asks is no longer asking");
    acts.keys("y");
    acts.wait("no approval waits", |screen| !screen.contains("? 1 approval"));
    for _ in 0..2 {
        acts.wait_stable("\x1b");
    }
    acts.wait("the tray is closed", |screen| !screen.contains("▸ Alerts"));
    looks.wait("nor there", |screen| !screen.contains("? 1 approval"));
    ask_again(data, &mut station, true);
    acts.shows("? 1 approval");
    acts.keys("a");
    acts.shows("sim.asks asks for twitch.android");
    acts.keys("p");
    acts.shows("Allow twitch.android to sim.asks?");
    acts.keys("y");
    acts.shows("twitch.android allowed to sim.asks");
    assert_eq!(station.event("plugin_handed")["plugin"], ID);
    looks.wait("it is answered for all", |screen| !screen.contains("? 1 approval"));
    assert_eq!(audit(data), ["asked", "revoked", "granted", "asked", "allowed", "handed"]);
}
