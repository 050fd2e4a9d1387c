//! Who armed a rule goes, with calls of the runtime held.
#![cfg(target_os = "linux")]

use rl_console::macp::proto::v1::SendRequest;

use super::{
    owner::{Going, PATIENT, armed, nothing_is_armed},
    stage::Stage,
};
use crate::{gate_hosts::runtime, macp::test_station::envelope};

/// Calls, as many as can be held.
const CALLS: u64 = 64;

/// Each of them is answered.
fn calls_are_answered(going: Going) {
    let mut stage = Stage::configured(PATIENT, &[]);
    let tokio = tokio::runtime::Runtime::new().unwrap();
    let mut client = runtime::connected(&tokio, stage.station.ready["macp"].as_str().unwrap());
    runtime::started(&tokio, &mut client, "held");
    let console = armed(stage.data(), "5", "macp", "type:Proposal dir:in");
    let calls: Vec<_> = (1..=CALLS)
        .map(|n| {
            let payload = format!(r#"{{"proposal_id":"p{n}","option":"x"}}"#);
            let proposal = envelope("held", "Proposal", &format!("m{n}"), "alice", payload);
            let mut client = client.clone();
            tokio.spawn(async move { client.send(SendRequest { envelope: Some(proposal) }).await })
        })
        .collect();
    stage.held(64);
    let _console = going.ends(console, &mut stage.station);
    for call in calls {
        let ack = tokio.block_on(call).unwrap().unwrap().into_inner().ack.unwrap();
        assert!(ack.ok, "{ack:?}");
    }
    if going.station_runs() {
        nothing_is_armed(&stage);
    }
}

#[test]
fn calls_that_a_killed_console_held_are_answered() {
    calls_are_answered(Going::Killed);
}

#[test]
fn calls_that_a_console_without_terminal_held_are_answered() {
    calls_are_answered(Going::HungUp);
}

#[test]
fn calls_held_at_a_stop_are_answered() {
    calls_are_answered(Going::StationStops);
}
