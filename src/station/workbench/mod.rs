//! Frames that are made by hand: the doors by which they go in and out, and what became of them.
//!
//! ```text
//! Command::Workbench ─▶ Workbench ─▶ serve ─┬─ Open: connect ─▶ a connection of its own ─▶ host
//!    (console, bus, CLI)   bounded           ├─ Send ─▶ pieces ─▶ that connection, or put ─▶ a peer's
//!                                            │            └─▶ told: the tap's entries with its origin
//!                                            ├─ SendAll ─▶ that connection; batch: the entries of each frame
//!                                            └─ Close, idle for limits.workbench.idle_ms_max,
//!                                                 or the session that opened it is over
//! ```
//!
//! The station makes the connections itself, so that a local console, an attached one and the CLI do the same
//! thing. Hosts learn of a connection before it comes ([`OriginCell`](crate::tap::OriginCell)), and mark all
//! that crosses it.

mod batch;
mod call;
mod connect;
mod control;
mod door;
mod doors;
mod handle;
mod judge;
mod put;
mod serve;
mod stream;
#[cfg(test)]
mod tests;
mod told;

pub(super) use handle::Workbench;
pub(super) use judge::judge;
pub(super) use serve::serve;
