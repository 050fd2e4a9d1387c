//! What runs: the hosts, the routes between them, their start and their end.
//!
//! ```text
//! main thread ─ signals          hosts: tokio, multi-thread ─ operator service, tap publisher, metrics, housekeeping
//! rmp thread ─ broker, socket
//! mpp thread ─ bridge, journal   store-writer, store-reader threads        recorder thread
//! ```

mod address_file;
mod bridge;
pub mod bus;
mod config;
mod filtered_page;
mod health;
mod host;
mod hosts;
mod housekeeping;
mod local;
pub mod metrics;
mod pages;
mod recorder;
mod remote;
pub mod runs;
mod sessions;
mod start;
mod status;
mod supervisor;
mod trace;

pub use bridge::pairing;
pub use bus::BusDown;
pub use config::{Config, PackSource, RUN_TIMEOUT_MS};
pub use remote::{Address, Find, OperatorClient, RemotePort};
pub use start::{Ready, StartError, Station};

pub(crate) use address_file::{ADDR_FILE, PATH_FILE};
