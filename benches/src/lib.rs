//! What the benchmarks share: where processes run, servers to throw away, clients, and figures out of several
//! rounds.

pub mod calls;
pub mod console;
pub mod paired;
pub mod placement;
pub mod rmp;
pub mod server;
pub mod stats;

/// The messages and the service of MACP, generated.
pub mod v1 {
    #![allow(missing_docs, clippy::pedantic, dead_code, unreachable_pub, reason = "generated")]

    include!(concat!(env!("OUT_DIR"), "/macp.v1.rs"));
}
