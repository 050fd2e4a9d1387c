//! Tests of the whole, one module a topic.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail that way")]

mod attach;
mod bus_screen;
mod cli;
mod cli_sim;
mod copying;
mod crash;
#[macro_use]
mod every;
mod fixtures;
mod fixtures_rmp;
mod fixtures_runs;
mod harness;
mod metrics;
mod mpp_clauses;
mod mpp_frames;
mod mpp_framing;
mod mpp_manifest;
mod mpp_refusals;
mod mpp_schedules;
mod mpp_token;
mod on_air;
mod openings;
mod plain;
mod real;
mod recorded;
mod recorded_snapshot;
mod recording;
mod rehearsal;
mod rmp_broker;
mod rmp_bus;
mod rmp_cli;
mod rmp_client;
mod rmp_codec;
mod rmp_framing;
mod rmp_python;
mod runs;
mod runs_cli;
mod service;
mod station;
mod store;
mod stories;
mod tap;
mod terminal;
mod terminal_keys;
mod torture;
