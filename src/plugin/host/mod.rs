//! The processes of plugins, and the thread that serves them.
//!
//! ```text
//! station ──requests──▶ run ─▶ Supervisor ─▶ outputs ─▶ tap, store, replies
//!                        ▲         ▲    │
//!                        │  frames │    ▼ frames, in order
//!   guard ◀─ wait, kill ─┤   reader│  writer        a task each for every process, on one thread
//!     └ plugin ─ stderr ─┴─▶ log   └─ stdout   stdin
//! ```
//!
//! All tasks share one host on one thread; none holds it across a wait. Disks and `/proc` may take their
//! time: logs are written, processes are sampled and files are handled on other threads.
//!
//! - [`guard`]: the process between the station and a plugin, which leaves nothing behind.
//! - [`process`]: a plugin's process with its pipes, as the station starts, ends and awaits it.
//! - [`process_tree`]: what a plugin has started, and what that needs.
//! - [`folders`]: what is a plugin's own on disk.
//! - [`log_file`]: its log.
//! - [`credential`]: where a credential comes from.

mod by_hand;
mod child;
pub mod credential;
mod files;
pub mod folders;
mod gated;
pub mod guard;
mod guards;
mod handle;
pub mod log_file;
mod log_thread;
mod logs;
mod outbox;
pub mod process;
pub mod process_tree;
mod records;
mod requests;
mod restore;
mod run;
mod samples;
mod saving;
mod shared;
mod staging;
#[cfg(test)]
mod tests;

pub use guards::Guards;
pub use handle::{AskError, HostHealth, PluginHandle};
pub use run::{HostSettings, RunError, Setup, run};
