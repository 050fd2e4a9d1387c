//! A second client of the MACP runtime, in Python, that shares nothing with this crate but the protos: its scenarios against the real
//! binary.

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use tempfile::tempdir;

use crate::real::{Station, json};

const RUNNER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/python/macp/scenarios.py");
/// Where `.ci/run` puts what `requirements.txt` names.
const ENVIRONMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/python/bin/python");

/// A Python that has grpcio and its tools; nothing, with the reason printed, where there is none and none is required.
fn python() -> Option<PathBuf> {
    let has_grpc = |python: &PathBuf| {
        let asked = Command::new(python).args(["-c", "import grpc, grpc_tools"]).stderr(Stdio::null()).status();
        asked.is_ok_and(|status| status.success())
    };
    let named = std::env::var_os("RL_CONSOLE_TESTS_GRPC_PYTHON").map(PathBuf::from);
    let found = named.into_iter().chain([ENVIRONMENT, "python3"].map(PathBuf::from)).find(has_grpc);
    if found.is_none() {
        let required = std::env::var_os("RL_CONSOLE_TESTS_GRPC").is_some_and(|value| value == "required");
        assert!(!required, "there is no Python with grpcio-tools, and RL_CONSOLE_TESTS_GRPC requires it");
        std::io::stderr().write_all(b"skipped: there is no Python with grpcio and grpcio-tools\n").unwrap();
    }
    found
}

/// What the runner prints and whether it is content.
fn runner(python: &Path, args: &[&str]) -> (bool, String) {
    let output = Command::new(python).arg("-B").arg(RUNNER).args(args).stdin(Stdio::null()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(said).unwrap())
}

fn holds(scenario: &str) {
    let Some(python) = python() else { return };
    let folder = tempdir().unwrap();
    let station = Station::start(folder.path());
    let (content, said) = runner(&python, &[station.ready["macp"].as_str().unwrap(), scenario]);
    assert!(content, "{said}");
    let health = json(folder.path(), &["ls", "health"]);
    assert!(health.iter().any(|part| part["part"] == "macp" && part["well"] == true), "{health:?}");
}

macro_rules! scenarios {
    ($($scenario:ident)*) => {
        const SCENARIOS: &[&str] = &[$(stringify!($scenario)),*];

        $(
            #[test]
            fn $scenario() {
                holds(stringify!($scenario));
            }
        )*
    };
}

scenarios! {
    a_decision_from_its_start_to_its_commitment
    each_error_that_a_client_can_meet
    each_status_that_a_call_can_end_with
    many_callers_vote_at_the_same_time
    reflection_and_health_need_no_protos
    rounds_over_a_stream_until_all_agree
    the_handshake_and_what_the_runtime_tells_of_itself
    the_time_of_a_session_runs_out
}

#[test]
fn every_scenario_is_run() {
    let Some(python) = python() else { return };
    let (content, said) = runner(&python, &["--list"]);
    assert!(content, "{said}");
    let mut listed: Vec<&str> = said.lines().collect();
    listed.sort_unstable();
    assert_eq!(listed, SCENARIOS);
}
