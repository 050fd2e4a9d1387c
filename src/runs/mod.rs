//! Openings and their runs: what an operator submits during a stream, and what becomes of it (rmp-v0 §9, §10).
//!
//! - [`openings`]: the language of openings, from YAML to a checked graph of nodes.

pub mod openings;
