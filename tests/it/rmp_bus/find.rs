//! Where subcommands find the bus (rmp-v0 §12; ruling RMP 15), and by what token.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use serde_json::Value;

use crate::real::{Station, cli, command};

/// A subcommand of who names no data folder.
fn at_home(home: &Path, variables: &[(&str, &Path)], args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rl-console"));
    command.env_clear().env("HOME", home).envs(variables.iter().copied()).arg("--json").args(args);
    command.stdin(Stdio::null()).output().unwrap()
}

fn error(output: &Output) -> (Option<i32>, String) {
    let told: Value = serde_json::from_slice(&output.stderr).unwrap_or_else(|_| panic!("{output:?}"));
    (output.status.code(), told["error"]["message"].as_str().unwrap().to_owned())
}

const SOCKET_PATH: &str = "RL_CONSOLE_RUNTIME_SOCKET_PATH";
const SOCKETS_DIR: &str = "RL_CONSOLE_RUNTIME_SOCKETS_DIR";

#[test]
fn operators_go_the_way_of_all_clients() {
    let folder = tempfile::tempdir().unwrap();
    let (data, home) = (folder.path().join("d"), folder.path().join("h"));
    fs::create_dir_all(home.join(".runloop/sock")).unwrap();
    let users = home.join(".runloop/sock/rmp.sock");
    let _station = Station::start_with(&data, &["--socket", users.to_str().unwrap()]);
    let token = data.join("operator.token");
    let ls = |variables: &[(&str, &Path)]| {
        at_home(&home, variables, &["ls", "peers", "--token-file", token.to_str().unwrap()])
    };
    let listed = |variables: &[(&str, &Path)]| {
        let output = ls(variables);
        assert!(output.status.success(), "{variables:?}: {output:?}");
    };
    listed(&[]);
    listed(&[(SOCKET_PATH, &users)]);
    listed(&[(SOCKETS_DIR, &home.join(".runloop/sock"))]);
    // Step 1 holds alone, and so does step 2.
    let (code, message) = error(&ls(&[(SOCKET_PATH, &home.join("dead.sock"))]));
    assert!(code == Some(3) && message.contains("runtime.socket_path"), "{message}");
    let (code, message) = error(&ls(&[(SOCKETS_DIR, &home)]));
    assert!(code == Some(3) && message.contains("runtime.sockets_dir"), "{message}");
    // A folder that a file names and in which nothing is recorded is none to ask.
    fs::create_dir_all(home.join(".config/rl-console")).unwrap();
    fs::write(home.join(".config/rl-console/config.toml"), format!("data = {:?}\n", home.join("empty")))
        .unwrap();
    listed(&[]);
    let (code, _) =
        error(&at_home(&home, &[], &["--data", home.join("empty").to_str().unwrap(), "ls", "peers"]));
    assert_eq!(code, Some(3), "one that a flag names is");
}

/// A process that ends with its test.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_station_whose_bus_is_down_is_told_from_none() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rmp.sock"), "in the way").unwrap();
    let serve = command(folder.path())
        .args(["--port", "0", "--json", "serve"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn();
    let mut station = Killed(serve.unwrap());
    let mut line = String::new();
    BufReader::new(station.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("not a socket"), "{line}");
    let (code, message) = error(&cli(folder.path(), &["--json", "ls", "queues"]));
    assert_eq!(code, Some(3));
    assert!(message.contains("is down") && message.contains("not a socket"), "{message}");
    let doctor = cli(folder.path(), &["--json", "doctor"]);
    let rows: Vec<Value> = String::from_utf8(doctor.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let bus = rows.iter().find(|row| row["check"] == "bus").unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(bus["ok"], false, "{bus}");
    drop(station);
    let (_, message) = error(&cli(folder.path(), &["--json", "ls", "queues"]));
    assert!(!message.contains("is down"), "{message}");
}

#[test]
fn a_socket_that_the_platform_cannot_name_is_refused_with_its_length_and_nothing_else_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("x".repeat(120)).join("rmp.sock");
    let args = ["--port", "0", "--json", "--socket", long.to_str().unwrap(), "serve"];
    let serve = command(folder.path()).args(args).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut station = Killed(serve.unwrap());
    let lines = BufReader::new(station.0.stdout.take().unwrap()).lines().map_while(Result::ok);
    let told: Vec<Value> = lines.take(2).map(|line| serde_json::from_str(&line).unwrap()).collect();
    let why = told[0]["why"].as_str().unwrap_or_else(|| panic!("{told:?}"));
    assert_eq!((&told[0]["event"], &told[0]["host"]), (&"down".into(), &"rmp".into()), "{told:?}");
    assert!(
        why.contains(&format!("has {} bytes", long.as_os_str().len())) && why.contains("at most"),
        "{why}"
    );
    assert!(
        told[1]["event"] == "ready" && told[1]["mpp"].is_string() && told[1]["rmp"].is_null(),
        "{told:?}"
    );
}
