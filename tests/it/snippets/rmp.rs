//! Those of the bus and of the coordination runtime.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::net::UnixStream,
    process::{Child, Stdio},
};

use serde_json::Value;

use super::sent::{check, name, needs, of_link};
use crate::real::{Station, command, json};

/// A peer that listens to a topic, killed when it is dropped.
struct Listener(Child);

impl Listener {
    fn to(data: &std::path::Path, topic: &str) -> Self {
        let mut command = command(data);
        command.args(["--json", "tail", topic]).stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The session of the bus that is the only one with subscriptions, or in this dialect.
fn session(data: &std::path::Path, is_it: impl Fn(&Value) -> bool) -> String {
    let found = || {
        let peers = json(data, &["ls", "peers"]);
        peers.iter().find(|peer| is_it(peer)).map(|peer| peer["session"].to_string())
    };
    crate::real::plugins::until(|| "no such session".to_owned(), found)
}

#[test]
fn every_frame_of_the_bus_ends_as_its_snippet_says() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let station = Station::start(data);
    let socket = station.ready["rmp"].as_str().unwrap().to_owned();
    let rows = of_link(data, "rmp");
    assert!(rows.len() > 50, "{}", rows.len());
    for row in rows.iter().filter(|row| !needs(row, "full_bus")) {
        if needs(row, "json_peer") {
            let mut tool = UnixStream::connect(&socket).unwrap();
            let hello = br#"{"Hello":{"kind":"Agent"}}"#;
            tool.write_all(&[&u32::try_from(hello.len()).unwrap().to_be_bytes()[..], hello].concat())
                .unwrap();
            let number = session(data, |peer| peer["dialect"] == "json");
            check(data, row, &["--to", &number]);
        } else if needs(row, "peer") || needs(row, "subscriber") {
            let _listener = Listener::to(data, "agent/twice");
            let number = session(data, |peer| peer["subscriptions"] == 1);
            let flags = ["--to", &number];
            check(data, row, if needs(row, "peer") { &flags } else { &[] });
        } else {
            check(data, row, &[]);
        }
        let gone = || json(data, &["ls", "peers"]).is_empty().then_some(());
        crate::real::plugins::until(|| format!("a peer stays after {}", name(row)), gone);
    }
}

#[test]
fn a_limit_of_the_bus_that_is_reached_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home/config/rl-console");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), "[limits.rmp]\nsession_subscriptions_max = 1\n").unwrap();
    let _station = Station::start(folder.path());
    let rows = of_link(folder.path(), "rmp");
    let full: Vec<&Value> = rows.iter().filter(|row| needs(row, "full_bus")).collect();
    assert_eq!(full.len(), 1);
    check(folder.path(), full[0], &[]);
}

#[test]
fn every_call_of_the_runtime_ends_as_its_snippet_says() {
    let folder = tempfile::tempdir().unwrap();
    let _station = Station::start(folder.path());
    let rows = of_link(folder.path(), "macp");
    assert!(rows.len() > 30, "{}", rows.len());
    // What needs a session comes behind the one that begins it.
    let (later, first): (Vec<_>, Vec<_>) = rows.iter().partition(|row| needs(row, "session"));
    for row in first.into_iter().chain(later) {
        check(folder.path(), row, &[]);
    }
}

#[test]
fn what_is_not_staged_is_said_and_a_flag_goes_before_the_snippet() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path();
    let _station = Station::start(data);
    let mut child = command(data)
        .args(["inject", "rmp", "--snippet", "busy"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    let said: Vec<String> = stderr.map(Result::unwrap).collect();
    assert!(child.wait().unwrap().success());
    assert!(
        said[0].starts_with("warning: it did not end as the snippet shows, which needs a limit"),
        "{said:?}"
    );
    let run = |args: &[&str]| crate::runs_cli::run(data, &[&["inject"], args].concat(), "");
    let expected = ["rmp", "--snippet", "rmp/unsubscribe", "--set", "control.Unsubscribe.sub=9"];
    let row = run(&[&expected[..], &["--expect", "NotSubscribed"]].concat()).exits(0).rows.pop().unwrap();
    assert_eq!((&row["code"], &row["frame"]), (&Value::from("NotSubscribed"), &Value::from(2)));
    let twice = run(&["rmp", "--snippet", "ping", "--count", "2"]).exits(0);
    assert_eq!(twice.rows.len(), 2);
    run(&["rmp", "--snippet", "ping", "--break", "magic"]).exits(1);
    run(&["rmp", "--snippet", "pull"]).exits(2);
    run(&["rmp", "--snippet", "welcome"]).exits(2);
}
