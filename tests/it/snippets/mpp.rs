//! Those of the bridge.

use std::fs;

use super::sent::{check, name, needs, of_link};
use crate::real::{Adapter, Station, json, pair};

/// A station whose folder has a token, or none, and the configuration.
fn station(config: &str, is_paired: bool) -> (tempfile::TempDir, Option<String>, Station) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home/config/rl-console");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), config).unwrap();
    let token = is_paired.then(|| pair(folder.path()));
    let station = Station::start(folder.path());
    (folder, token, station)
}

/// So that a line without its end is found in time.
const IMPATIENT: &str = "[limits.mpp]\nframe_ms_max = 300\n";

#[test]
fn every_frame_of_the_bridge_ends_as_its_snippet_says() {
    let (folder, token, shared) = station(IMPATIENT, true);
    let rows = of_link(folder.path(), "mpp");
    assert!(rows.len() > 40, "{}", rows.len());
    for row in &rows {
        // What changes rows, or needs another station, has one of its own.
        if needs(row, "unpaired") {
            let (folder, _, _station) = station("", false);
            check(folder.path(), row, &[]);
        } else if needs(row, "row_waiting") {
            let (folder, _, _station) = station("", true);
            json(folder.path(), &["invoke", "give_item", "--params", r#"{"item_id":4,"count":1}"#]);
            check(folder.path(), row, &[]);
        } else {
            let adapter = needs(row, "adapter").then(|| Adapter::ready(shared.mpp, token.as_ref().unwrap()));
            check(folder.path(), row, &[]);
            drop(adapter);
            let gone = || json(folder.path(), &["ls", "adapters"]).is_empty().then_some(());
            crate::real::plugins::until(|| format!("the adapter after {} stays", name(row)), gone);
        }
    }
}

#[test]
fn an_adapters_frame_goes_into_its_own_connection_as_well() {
    let (folder, token, station) = station("", true);
    let rows = of_link(folder.path(), "mpp");
    for wanted in ["mpp/heartbeat", "mpp/state-schema", "mpp/not-dispatched-here"] {
        let adapter = Adapter::ready(station.mpp, token.as_ref().unwrap());
        let row = rows.iter().find(|row| name(row) == wanted).unwrap();
        check(folder.path(), row, &["--from", "adapter"]);
        let gone = || json(folder.path(), &["ls", "adapters"]).is_empty().then_some(());
        drop(adapter);
        crate::real::plugins::until(|| format!("the adapter after {wanted} stays"), gone);
    }
}
