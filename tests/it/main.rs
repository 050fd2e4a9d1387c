//! Tests of the whole, one module a topic.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may fail that way")]

mod harness;
mod mpp_clauses;
mod cli;
mod mpp_frames;
mod mpp_framing;
mod mpp_manifest;
//! The library from outside, a module a topic.

mod fixtures;
mod recorded;
mod recorded_snapshot;
mod recording;
mod tap;
mod mpp_refusals;
mod mpp_token;
