//! Those of the bridge.

use std::fs;

use super::sent::{check, name, of_link};
use crate::{
    real::{Adapter, Station, json, pair},
    runs_cli::run,
};

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

#[test]
fn a_hello_that_is_sent_again_goes_over_a_connection_of_its_own() {
    let (folder, _, _station) = station("", true);
    let sent = run(folder.path(), &["inject", "mpp", "--snippet", "hello", "--count", "3"], "").exits(0).rows;
    let verdicts: Vec<_> = sent.iter().map(|row| (&row["verdict"], &row["answers"][0]["kind"])).collect();
    assert_eq!(verdicts, [(&"accepted".into(), &"hello_ack".into()); 3], "{sent:#?}");
}

#[test]
fn a_frame_that_finds_another_station_than_its_snippet_needs_is_not_sent() {
    let (folder, _, _station) = station("", true);
    let data = folder.path();
    let args = ["inject", "mpp", "--snippet", "unpaired"];
    let not_sent = run(data, &args, "").exits(5);
    assert_eq!((not_sent.rows.len(), &not_sent.error["code"]), (0, &"not_staged".into()));
    let violations = || json(data, &["ls", "violations"]).len();
    assert_eq!(violations(), 0);
    run(data, &[&args[..], &["--yes"]].concat(), "").exits(1);
    assert_eq!(violations(), 1);
}
