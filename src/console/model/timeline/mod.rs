//! Time: the state at any kept entry, and the moment that is shown while time is stopped.
//!
//! Entries go on being folded into the live model. From time to time a copy of it is kept as a checkpoint, so
//! that the state at any kept entry is the nearest checkpoint before it with the entries between folded on
//! top. What is no entry and moves the model (a snapshot, a loss, a notice of our own) leaves a checkpoint
//! too, an anchor, which cannot be thinned out.
//!
//! ```text
//!   kept         e e e e e e e e e e e e e e ····· e e e
//!   checkpoints  C       C       C       A gap     A
//!                              └─fold─▶ shown            ▲ live
//! ```
//!
//! Invariant: a checkpoint lies at the first kept entry or before it, so that every kept entry can be gone
//! to.

mod checkpoints;
mod density;
mod frozen_state;
mod rebuild;
#[cfg(test)]
mod tests;
#[expect(clippy::module_inception, reason = "the folder's one type")]
mod timeline;

pub(crate) use frozen_state::FrozenState;
pub(crate) use rebuild::Rebuild;
pub(crate) use timeline::{StepOutcome, Timeline};
