//! A second client of the MACP runtime, in Python, that shares nothing with this crate but the protos: its
//! scenarios against the real binary.

use std::path::PathBuf;

use tempfile::tempdir;

use crate::{
    python::{ENVIRONMENT, Runner, scenarios},
    real::{Station, json},
};

const RUNNER: Runner = Runner {
    script: "macp/scenarios.py",
    pythons,
    modules: ("grpc, grpc_tools", "grpcio and grpcio-tools"),
    required_by: "RL_CONSOLE_TESTS_GRPC",
};

fn pythons() -> Vec<PathBuf> {
    let named = std::env::var_os("RL_CONSOLE_TESTS_GRPC_PYTHON").map(PathBuf::from);
    named.into_iter().chain([PathBuf::from(ENVIRONMENT)]).collect()
}

fn holds(scenario: &str) {
    let folder = tempdir().unwrap();
    let station = Station::start(folder.path());
    if RUNNER.holds(&[station.ready["macp"].as_str().unwrap(), scenario]) {
        let health = json(folder.path(), &["ls", "health"]);
        assert!(health.iter().any(|part| part["part"] == "macp" && part["well"] == true), "{health:?}");
    }
}

scenarios! {
    RUNNER;
    a_decision_from_its_start_to_its_commitment
    each_error_that_a_client_can_meet
    each_status_that_a_call_can_end_with
    many_callers_vote_at_the_same_time
    reflection_and_health_need_no_protos
    rounds_over_a_stream_until_all_agree
    the_handshake_and_what_the_runtime_tells_of_itself
    the_time_of_a_session_runs_out
}
