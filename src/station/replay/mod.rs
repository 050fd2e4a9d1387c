//! The port of a recording: what crossed the tap of a station then, on the same screens.
//!
//! ```text
//! files ── cursor ─▶ ReplayThread ── entries that are due ─▶ Mirror ─▶ who watches
//!            ▲            │  └────── the same ─▶ ReplayState ─▶ snapshots, answers to queries
//!            └─ reach ◀── acts       Player: where it is, how fast, whether it holds
//! ```
//!
//! Going to a place makes a new generation: a keyframe in front of it with the entries from there to it is
//! the snapshot, an empty mirror continues behind it, and what lies before is read backwards from the files.

mod answers;
mod bar;
mod clocks;
#[cfg(test)]
mod entry_answers_tests;
#[cfg(test)]
mod gap_tests;
mod invocation_history;
#[cfg(test)]
mod invocation_history_tests;
mod invocation_rows;
mod invocations;
mod lists;
mod note_search;
#[cfg(test)]
mod note_search_tests;
mod numbered;
#[cfg(test)]
mod overlap_tests;
mod pack_events;
mod pack_state;
mod past;
mod player;
mod plugin_log;
mod port;
mod reach;
#[cfg(test)]
mod redact_tests;
mod refunds;
mod run_events;
mod seek;
#[cfg(test)]
mod seek_tests;
mod session;
mod session_calls;
mod session_log;
mod session_numbers;
mod shared;
mod state;
#[cfg(test)]
pub(crate) mod test_recordings;
#[cfg(test)]
mod tests;
mod thread;
mod walk;

pub use port::{ReplayPort, ReplayStart};
pub(super) use state::{Carried, ReplayState};
