//! What runs: the hosts, the routes between them, their start and their end.
//!
//! ```text
//! main thread ─ signals          hosts: tokio, multi-thread ─ operator socket, metrics, housekeeping
//! rmp thread ─ broker, socket
//! mpp thread ─ bridge, journal   store-writer, store-reader threads        recorder thread
//! ```

mod board;
pub mod bus;
mod config;
mod housekeeping;
mod local;
pub mod metrics;
mod operator;
mod pages;
pub mod pairing;
mod raise;
mod recorder;
mod sieve;
mod start;
#[cfg(test)]
mod tests;
mod wait;

pub use config::{Config, PackSource};
pub use operator::{OperatorClient, socket_path as operator_socket_path};
pub use start::{Ready, StartError, Station};
