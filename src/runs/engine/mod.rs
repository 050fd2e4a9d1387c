//! The engine: runs of openings as a core without I/O (rmp-v0 §9, §10; Runloop facts, Execution; rulings RMP
//! 10 to 14).
//!
//! - [`Engine`] takes an [`Input`] and gives [`Output`]s; every moment is an argument.
//! - A submission is answered once: its opening is loaded by the host, the run is recorded, and only then
//!   `RunAccepted` leaves and its nodes begin. The same request gets the same answer, also after a restart.
//! - A node is ready when every edge into it has settled. An attempt has a reply topic of its own, so that
//!   late and second answers are told apart from the one that is awaited.

mod admit;
mod agent_backlog;
mod attempt;
mod control;
mod core;
mod decision;
mod ending;
mod events;
mod feed;
mod idempotency;
mod io;
mod judge;
mod question;
mod reach;
mod redelivery;
mod run;
mod save_queue;
mod settle;
mod shared;
#[cfg(test)]
mod tests;
mod timers;

pub use core::Engine;

pub use feed::{RunBegun, RunEnded, RunFeed};
pub use io::{Input, Output, Publish, Reach};
pub use judge::{ControlLookups, ControlNeed};
pub use shared::{AgentsCancel, Settings, TTL_MS};
