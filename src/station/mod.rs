//! What runs: the hosts, the routes between them, their start and their end.
//!
//! ```text
//! main thread ─ signals          hosts: tokio, multi-thread ─ operator service, tap publisher, metrics, housekeeping
//! rmp thread ─ broker, socket
//! mpp thread ─ bridge, journal   store-writer, store-reader threads        recorder thread
//! ```
//!
//! Each system that is hosted has a folder, and all have the same shape: `handle` is the way to it, `serve`
//! starts and ends it, `host` is what the station asks of it (`host.rs`), and beside them lie its `commands`,
//! `pages` and metrics (`families`). `hosts.rs` is the one list of them.

mod address_file;
mod admission;
pub(crate) mod alerts;
pub(crate) mod bridge;
pub mod bus;
mod clients;
mod commands;
mod config;
mod descriptors;
mod filtered_page;
pub(crate) mod findings;
mod gate;
mod health;
mod host;
mod host_thread;
mod hosts;
mod housekeeping;
mod injected_traces;
pub mod keyframes;
mod local;
pub mod metrics;
pub mod mplp;
mod pages;
mod past;
mod plugins;
mod recording;
mod remote;
mod replay;
mod reported;
pub mod runs;
pub(crate) mod sessions;
mod start;
mod status;
mod supervisor;
mod ticks;
mod trace;
mod triggers;
pub(crate) mod violations;
mod workbench;

pub use alerts::AlertThresholds;
pub use bridge::pairing;
pub use bus::BusDown;
pub use config::{Config, PackSource, RUN_TIMEOUT_MS};
pub use gate::matchers as gate_matchers;
pub(crate) use recording::tallied;
pub use recording::{RecordingSettings, ReportSource, check_redact};
pub use remote::{Address, Find, OperatorClient, RemotePort};
#[cfg(test)]
pub(crate) use replay::test_recordings;
pub use replay::{ReplayPort, ReplayStart};
pub use start::{Ready, RunningPlugins, StartError, Station};
pub use triggers::{CLIENT_VARIABLE, Trigger, check_triggers, trigger_filter};

pub(crate) use address_file::{ADDR_FILE, METRICS_FILE, MPP_FILE, PATH_FILE};
