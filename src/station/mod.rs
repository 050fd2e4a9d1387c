//! What runs: the hosts, the routes between them, their start and their end.
//!
//! ```text
//! main thread ─ signals          hosts: tokio, multi-thread ─ operator service, tap publisher, metrics, housekeeping
//! rmp thread ─ broker, socket
//! mpp thread ─ bridge, journal   store-writer, store-reader threads        recorder thread
//! ```

mod board;
pub mod bus;
mod config;
pub mod control;
mod housekeeping;
mod local;
pub mod metrics;
mod pages;
pub mod pairing;
mod raise;
mod recorded;
mod recorder;
mod remote;
mod sessions;
mod sieve;
mod start;
#[cfg(test)]
mod tests;
mod trace;
mod wait;

pub use bus::Down;
pub use config::{Config, PackSource, RUN_TIMEOUT_MS};
pub use remote::{Address, Find, OperatorClient, RemotePort};
pub use start::{Ready, StartError, Station};

pub(crate) use recorded::{ADDR_FILE, PATH_FILE};
