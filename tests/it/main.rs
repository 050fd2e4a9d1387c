//! Tests of the whole, one module a topic.

mod cli;
mod cli_sim;
mod mpp_frames;
mod mpp_manifest;
