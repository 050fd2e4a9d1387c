//! A run as a record: one fold over what a run begins with, the events that it tells, and its end (rulings
//! MPLP 3, 4 and 12 to 18).
//!
//! ```text
//! RunBegin ──▶ RunRecord::begin ──▶ the objects as they are then, the first events
//! EventRow ──▶ RunRecord::event ──▶ events alone                       ┐ add_session: what a session
//! RunEnd ────▶ RunRecord::end ────▶ the last events, then the objects  ┘ of the trace makes
//!              RunRecord::bundle ─▶ all of it, in the order of ruling 12
//!
//! EventRow ──▶ RunRecord::read, RunEnd ──▶ RunRecord::into_bundle: for an export
//! ```
//!
//! | of the run | object or event |
//! |---|---|
//! | name, goals, policy, who asked | Context; the first message of the Dialog |
//! | nodes and edges | Plan; `graph_update` of the kind `bulk` |
//! | what does their work, who asked and decided | Roles; agents in the Network, two or more in a Collab |
//! | a state of a node | its step; `pipeline_stage` and `graph_update` |
//! | an attempt | a segment; `runtime_execution`; of one agent `SAStep…`, of more `MAPTurn…` |
//! | an event but progress | an event of the Trace |
//! | a question | Confirm; messages of the Dialog; a node of the graph |
//! | an artifact, a session | a node of the graph |
//! | tokens | `cost_budget` |
//!
//! An export begins a record, reads its events, and takes it as a bundle; live, one passes on what each call
//! returns. An event that was not kept is not in an export: how its node ended is known all the same.

mod begin;
mod bundle;
mod event_fields;
mod moves;
mod objects;
mod questions;
mod record;
mod sessions;
mod states;
mod steps;
mod trace;

use super::{emit, ids, roles};

pub use super::ids::traceparent;
pub use begin::{PlanShape, PlanStep, RunBegin, RunEnd};
pub use bundle::Bundle;
pub use record::RunRecord;

#[cfg(test)]
pub(super) mod tests;
