//! Openings and their runs: what an operator submits during a stream, and what becomes of it (rmp-v0 §9,
//! §10).
//!
//! - [`openings`]: the language of openings, from YAML to a checked graph of nodes.
//! - [`payload`]: the messages of runs as they are on the bus.
//! - [`engine`]: what becomes of a submission, as a core without I/O.
//! - [`host`]: the loop around it.
//! - [`Plan`]: what a run is to do, in the one form that everything shares.
//! - [`yaml`]: texts as trees in which everything knows its place.
//! - [`Metrics`]: what is counted of runs.
//! - [`Snapshot`]: runs as a reader of the tap starts from them, carried on by its entries.

mod command;
pub mod engine;
mod fold;
pub mod host;
mod metrics;
pub mod openings;
pub mod payload;
mod plan;
mod snapshot;
mod stand;
mod taxonomy;
pub mod yaml;

pub use command::{Command, Outcome, Refusal};
pub use metrics::{ENDS, Metrics, NODE_ENDS, RejectedFor};
pub use plan::{Plan, PlanEdge, PlanError, PlanNode, PlanPart};
pub use snapshot::{AskView, NodeView, Progress, RunView, Snapshot, Totals};
pub use stand::{ControlTopic, ControlVerdict, JudgedControl, Stand};

pub use crate::tap::entry::runs::{
    Asker, AskerKind, EventKind, NodeRef, NodeState, RunState, Transition, Verdict,
};
