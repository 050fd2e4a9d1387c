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
    let mut station = Station::start(folder.path());
    let mut peer = peer(&station);
    let session = session(folder.path()).to_string();
    let rows = json(folder.path(), &["kick", "peer", &session]);
    assert_eq!(rows[0]["session"].to_string(), session);
    let told = peer.hear();
    assert!(told.text("message").contains("an operator ended this session"), "{told:?}");
    assert_eq!(told.error(), (0, "Forbidden".to_owned()));
    while peer.try_hear().is_some() {}
    for gone in [&session, "987654321"] {
        assert_eq!(refused(folder.path(), &["kick", "peer", gone]), "no_session");
    }
    let notice = station.event("notice");
    assert_eq!(
        notice["text"],
        format!("refused: disconnect peer {session}: the bus has no session {session}")
    );
    let output = cli(folder.path(), &["kick", "peer", "writer"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("rl-console ls peers"), "{output:?}");
}

#[test]
fn a_bus_that_is_up_is_not_restarted() {
    let folder = tempfile::tempdir().unwrap();
    let _station = Station::start(folder.path());
    assert_eq!(refused(folder.path(), &["restart", "rmp"]), "host_up");
}

/// The path of a station's socket, with something in its place that is never bound over.
fn blocked(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("rmp.sock");
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "no socket").unwrap();
    path
}

fn error_of(output: &std::process::Output) -> Value {
    let error: Value = serde_json::from_slice(&output.stderr).unwrap_or_else(|_| panic!("{output:?}"));
    error["error"].clone()
}

#[test]
fn who_holds_a_folder_is_told_where_its_bus_is_not_reached_and_can_be_ended_by_force() {
    let folder = tempfile::tempdir().unwrap();
    let mut station = Station::start(folder.path());
    let path = blocked(folder.path());
    let output = cli(folder.path(), &["--json", "ls", "health"]);
    let error = error_of(&output);
    assert_eq!((output.status.code(), &error["code"]), (Some(3), &"unreached".into()), "{error}");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains(&format!("pid {}", station.pid())) && message.contains(path.to_str().unwrap()),
        "{message}"
    );
    let held = cli(folder.path(), &["serve"]);
    let hint = String::from_utf8(held.stderr).unwrap();
    assert!(hint.contains(" attach`") && !hint.contains("kill"), "{hint}");
    assert_eq!(cli(folder.path(), &["stop"]).status.code(), Some(3));
    let unasked = cli(folder.path(), &["--json", "stop", "--force"]);
    assert_eq!((unasked.status.code(), &error_of(&unasked)["code"]), (Some(1), &"declined".into()));
    let rows = json(folder.path(), &["stop", "--force", "--yes"]);
    assert_eq!(rows[0]["pid"], station.pid());
    station.event("stopping");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "no socket");
}

#[test]
fn a_station_whose_bus_never_came_up_is_ended_by_force() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rmp.sock"), "no socket").unwrap();
    let mut station = Station::start(folder.path());
    let output = cli(folder.path(), &["--json", "stop", "--yes"]);
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("stop --force"), "{error}");
    let rows = json(folder.path(), &["stop", "--force", "--yes"]);
    assert_eq!(rows[0]["pid"], station.pid());
    station.event("stopping");
}

#[test]
fn a_station_is_ended_from_elsewhere_and_says_first_what_hangs_on_it() {
    let fixture = crate::real::test_station::TestStation::open();
    let folder = fixture.folder.path().to_path_buf();
    let mut adapter = fixture.adapter();
    adapter.send(r#"{"mpp":2,"type":"pull","queue":"default","max":1}"#).unwrap();
    let id = fixture.give_item();
    fixture.wait_for(id, rl_console::tap::entry::mpp::RowState::Dispatched);
    let output = cli(&folder, &["--json", "stop"]);
    let error = error_of(&output);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(
        error["message"].as_str().unwrap().contains(&format!("A restart requeues 1 dispatched: {id}.")),
        "{error}"
    );
    let mut station = fixture.station;
    let rows = json(&folder, &["stop", "--yes"]);
    assert_eq!(rows[0]["pid"], station.pid());
    while station.event("operated")["what"] != "stop" {}
    station.event("stopping");
    assert!(!folder.join("rmp.sock").exists());
    // A viewer's token ends nothing.
    let folder = tempfile::tempdir().unwrap();
    let _station = Station::start(folder.path());
    std::fs::copy(folder.path().join("viewer.token"), folder.path().join("operator.token")).unwrap();
    assert_eq!(refused(folder.path(), &["stop"]), "forbidden");
}

#[test]
fn a_station_whose_port_is_taken_says_so_once_and_is_ready() {
    use std::io::BufRead as _;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut child = crate::real::command(folder.path())
        .args(["--port", &port, "--json", "serve"])
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told: Vec<Value> = lines.by_ref().take(2).map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert_eq!((&told[0]["event"], &told[0]["host"]), (&"down".into(), &"mpp".into()), "{told:?}");
    assert_eq!((&told[1]["event"], &told[1]["mpp"]), (&"ready".into(), &Value::Null), "{told:?}");
    assert!(told[1]["rmp"].is_string());
    assert!(!json(folder.path(), &["stop"]).is_empty());
    assert!(child.wait().unwrap().success());
    let rest: Vec<String> = lines.collect();
    assert!(!rest.iter().any(|line| line.contains(r#""host":"mpp""#)), "{rest:?}");
}

#[test]
fn topics_peers_and_subscriptions_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let station = Station::start(folder.path());
    let mut peer = peer(&station);
    peer.subscribe(7, "a/**");
    peer.publish("a/b", true, &super::frames::message(1, "x"));
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
