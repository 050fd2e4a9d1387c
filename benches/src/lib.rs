//! What the benchmarks share: where processes run, servers to throw away, and figures out of several rounds.

pub mod console;
pub mod placement;
pub mod server;
pub mod stats;
