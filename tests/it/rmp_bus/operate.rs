//! Subcommands that look after the bus of a real station.

use std::path::Path;

use serde_json::Value;

use super::Peer;
use crate::real::{Station, cli, json};

fn refused(data: &Path, args: &[&str]) -> String {
    let output = cli(data, &[&["--json"], args].concat());
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    error["error"]["code"].as_str().unwrap().to_owned()
}

fn peer(station: &Station) -> Peer {
    Peer::greeted(Path::new(station.ready["rmp"].as_str().unwrap()), "agent", None)
}

/// The session of the peer that calls itself "test".
fn session(data: &Path) -> u64 {
    let rows = json(data, &["ls", "peers"]);
    let row = rows.iter().find(|row| row["client"] == "test").unwrap_or_else(|| panic!("{rows:?}"));
    row["session"].as_u64().unwrap_or_else(|| panic!("{row}"))
}

#[test]
fn a_peer_is_kicked_by_its_session_and_an_unknown_session_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let station = Station::start(folder.path());
    let mut peer = peer(&station);
    let session = session(folder.path()).to_string();
    let rows = json(folder.path(), &["kick", "peer", &session]);
    assert_eq!(rows[0]["session"].to_string(), session);
    while peer.try_hear().is_some() {}
    for gone in [&session, "987654321"] {
        assert_eq!(refused(folder.path(), &["kick", "peer", gone]), "no_session");
    }
}

#[test]
fn a_bus_that_is_up_is_not_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let _station = Station::start(folder.path());
    assert_eq!(refused(folder.path(), &["restart", "rmp"]), "host_up");
}

#[test]
fn topics_peers_and_subscriptions_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let station = Station::start(folder.path());
    let mut peer = peer(&station);
    peer.subscribe(7, "a/**");
    peer.publish("a/b", true, &super::words::message(1, "x"));
    let _ = (peer.hear(), peer.hear(), peer.hear());
    let number = session(folder.path());
    let listed = |what: &str, wanted: &dyn Fn(&Value) -> bool| {
        let rows = json(folder.path(), &["ls", what]);
        assert!(rows.iter().any(wanted), "{what}: {rows:?}");
    };
    listed("peers", &|row| row["session"] == number && row["kind"] == "agent");
    listed("topics", &|row| row["topic"] == "a/b");
    listed("subscriptions", &|row| row["session"] == number && row["sub"] == 7 && row["topic"] == "a/**");
}
