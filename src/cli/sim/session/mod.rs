//! Simulated participants, without I/O: whole sessions drawn from a seed, message by message.
//!
//! ```text
//! seed, number ─▶ Plan: who says what when ─▶ resolved · cancelled on the way · left on the way, so that its time runs out
//! ```

mod decision;
mod event;
mod plan;
mod rounds;
mod vocabulary;

pub(crate) use event::Event;
pub(crate) use plan::{Act, Plan, SessionProfile, SimOutcome};
