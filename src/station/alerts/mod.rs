//! What an operator must not miss: causes that last, until they are gone or were acknowledged.
//!
//! A fold of its own over the tap's entries, and a snapshot of the station's state a second, held against
//! the rules of each system once a second. It is judged here alone: every console, `serve`, `--plain` and a
//! recording have the same alerts with the same ids, from snapshots and from the station's transitions, and
//! an alert that was acknowledged by one is acknowledged for all. What each system remembers and its rules
//! lie in that system's folder (`alerts.rs`); those of the station itself lie here. A recording of a version
//! whose consoles judged for themselves shows none, and says so.
//!
//! ```text
//!            rule met                    cause gone
//!  (nothing) ────────▶ active ─────────────────────▶ resolved
//!                         │ acknowledged               ▲
//!                         └────────▶ acknowledged ─────┘
//! ```
//!
//! Alerts are kept in the store, and their ids outlive the process. A start takes up what the one before
//! left: what still holds goes on as it was, acknowledged or not, and what is not found before the slowest
//! rule would have met it is resolved.

mod cause;
mod fold;
mod host;
mod of_station;
#[cfg(test)]
mod tests;
mod watch;

#[cfg(test)]
pub(crate) use cause::Cause;
pub(crate) use cause::{ActiveCause, CauseKind};
#[cfg(test)]
use fold::NotAcknowledged;
#[cfg(test)]
pub(crate) use fold::{Alerts, kinds, transition};
pub(super) use host::{AlertBoard, run};
#[cfg(test)]
pub(crate) use of_station::{DISK_LOW, STATION_ERROR, STORE_FAILING, TURNED_AWAY};
pub(crate) use of_station::{RECORDING_FAILED, StationWatch, TRIGGERED};
pub use watch::AlertThresholds;
pub(crate) use watch::{EndedCause, Evidence, Findings, Watch, Watching};
