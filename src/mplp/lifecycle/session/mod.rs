//! A session as a record: one fold over its start, the messages that it accepted, and its end (rulings MPLP
//! 3, 4, 12 to 15 and 18).
//!
//! ```text
//! SessionBegin ───▶ SessionRecord::begin
//! SessionMessage ─▶ SessionRecord::message
//! SessionEnd ─────▶ SessionRecord::end
//!                   SessionRecord::bundle ────────▶ all of it, in the order of ruling 12
//!                   SessionRecord::items_for_run ─▶ what the record of its trace's run takes of it
//!                   SessionRecord::poll_events ───▶ what of that is new: for who tells it live
//! ```
//!
//! | of the session | object or event |
//! |---|---|
//! | id, mode, versions, who began it | Context, which is its trace's where it has one; Network |
//! | intent | titles; the first message of the Dialog |
//! | phases of a decision; the rounds | steps of the Plan; `pipeline_stage` and `graph_update` as they move |
//! | participants | Roles; the Network; two or more are a Collab |
//! | a message | a segment; an event of the Trace; `runtime_execution`; a message of the Dialog |
//! | a message of one of two or more | `MAPTurnDispatched` and `MAPTurnCompleted`; else `SAStep…` |
//! | an objection; a commitment behind one | `MAPConflictDetected`; `MAPConflictResolved` |
//! | start and end | events of the Trace; `pipeline_stage`; the first and last events of the profile |
//!
//! Those take part who are listed; where nobody is, who began the session and each who sends a message. A
//! session in which fewer than two take part is of the profile SA and has no Collab (ruling MPLP 15).

mod begin;
mod events;
mod objects;
mod participants;
mod record;
mod states;
mod trace;

pub use begin::{SessionBegin, SessionEnd, SessionMessage};
pub use record::SessionRecord;

#[cfg(test)]
mod tests;
