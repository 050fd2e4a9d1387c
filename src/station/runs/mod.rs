//! The control plane in a station: runs of openings on a thread of their own, with the bus and the store as
//! they need them (rmp-v0 §9).
//!
//! ```text
//! rmp::host ──inbox──▶ hear ──▶ runs::host ──▶ Outward ──▶ rmp::host
//! ```
//!
//! The way from the bus is bounded at each step; where runs cannot keep up, publishers are told `Busy`. A bus
//! that is started again finds the same runs.

pub(crate) mod alerts;
mod commands;
pub(crate) mod families;
mod handle;
mod host;
mod library;
mod pages;
mod runs_bus;
mod serve;
#[cfg(test)]
mod tests;

pub use library::Folder;

pub(super) use commands::command;
#[cfg(test)]
pub(super) use families::families;
pub(super) use handle::Runs;
pub(super) use serve::{asker_kind, forward};
