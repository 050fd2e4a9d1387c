//! Triggers: a filter over the tap's entries, read by one thread that no host waits for, and what is done
//! when it finds something.
//!
//! ```text
//! configuration, `trigger add` ─▶ board ─ take ◀─ thread ◀─ a reader of the tap
//!                                           └─ fires ─▶ actions: mark, clip, alert, run
//! ```
//!
//! A station without triggers has no such reader. What a trigger did is not looked at by triggers, nor what
//! becomes of recordings.

mod actions;
mod board;
mod check;
mod serve;
mod trigger;

pub use actions::CLIENT_VARIABLE;
pub(super) use board::TriggerBoard;
pub use check::{check_triggers, trigger_filter};
pub(super) use serve::start;
pub use trigger::Trigger;
