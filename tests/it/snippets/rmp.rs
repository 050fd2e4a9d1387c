//! Those of the bus, with other flags.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use serde_json::Value;

use crate::real::{Station, command};

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
