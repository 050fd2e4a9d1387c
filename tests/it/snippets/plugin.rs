//! Those of a plugin and its host.
#![cfg(target_os = "linux")]

use std::{collections::BTreeSet, thread};

use super::sent::{check, name, needs, of_link, were_all_sent};
use crate::real::{
    cli, json,
    plugins::{PluginStation, script},
};

const ID: &str = "com.example.snippets";

/// It reads whatever comes, and answers nothing: so it is stopped for a while when it is to be.
const MUTE: &str = "up\nwhile :; do recv; done";

const CREDENTIAL: &str = "[plugins.twitch_android]\ncommand = \"echo a-token\"\n";

fn station(config: &str, grant: Option<&[&str]>) -> PluginStation {
    let station = PluginStation::configured(config);
    station.serve_file(ID, ("main", &script(MUTE)), &[], grant);
    station.when_up(ID);
    station
}

fn flags(door: &str) -> [&str; 2] {
    [if door == "from-plugin" { "--from" } else { "--to" }, ID]
}

/// What needs a plugin of another standing.
const STAGED: [&str; 5] = ["not_granted", "declined", "stopping", "credential", "stream"];

#[test]
fn every_frame_of_a_plugin_ends_as_its_snippet_says() {
    let station = station("", None);
    let data = station.folder.path();
    let rows = of_link(data, "plugin");
    assert!(rows.len() > 35, "{}", rows.len());
    let mut sent = BTreeSet::new();
    for row in rows.iter().filter(|row| !STAGED.iter().any(|stage| needs(row, stage))) {
        check(data, row, &flags(row["door"].as_str().unwrap()));
        sent.insert(name(row).to_owned());
        if row["expect"]["verdict"] == "refused" && row["expect"]["answer"].is_null() {
            // A broken frame ended it. That an operator starts it is not counted.
            station.when(ID, "ended", |row| row.state != "up");
            json(data, &["plugin", "restart", ID]);
        }
        station.when_up(ID);
    }
    let elsewhere = "in the other tests";
    let skipped = [
        ("plugin/set-upstream", elsewhere),
        ("plugin/get-credential", elsewhere),
        ("plugin/capability-denied", elsewhere),
        ("plugin/consent-denied", elsewhere),
        ("plugin/shutting-down", elsewhere),
    ];
    were_all_sent(&rows, &sent, &skipped);
}

#[test]
fn what_is_not_granted_declined_or_stopping_is_refused_so() {
    let bare = station("", Some(&["log"]));
    let data = bare.folder.path();
    let rows = of_link(data, "plugin");
    let row = |wanted: &str| rows.iter().find(|row| name(row) == wanted).unwrap();
    check(data, row("plugin/capability-denied"), &flags("from-plugin"));

    let asking = station(CREDENTIAL, None);
    let data = asking.folder.path();
    check(data, row("plugin/get-credential"), &flags("from-plugin"));
    json(data, &["plugin", "deny", ID]);
    check(data, row("plugin/consent-denied"), &flags("from-plugin"));
    json(data, &["stream", "set", "streamer"]);
    check(data, row("plugin/set-upstream"), &flags("from-plugin"));

    thread::scope(|scope| {
        // It does not answer `shutdown`, and has 5 s for it.
        let stopping = scope.spawn(|| cli(data, &["plugin", "disable", ID]));
        asking.when(ID, "stopping", |row| row.state != "up");
        check(data, row("plugin/shutting-down"), &flags("from-plugin"));
        assert!(stopping.join().unwrap().status.success());
    });
}
