//! What a run begins and ends with.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{
    ids::{OpeningId, TraceId},
    tap::entry::runs::{AskerKind, RunState},
    time::Wall,
};

/// What is known of a run when it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct RunBegin {
    /// The run's trace: its name on the bus.
    pub run: TraceId,
    /// The opening as it was accepted.
    pub opening: OpeningId,
    /// The opening's name.
    pub name: String,
    /// What who asked for it may do.
    pub by: AskerKind,
    /// What that one calls itself.
    pub client: String,
    /// The opening's goals, as they are written.
    pub goals: Vec<String>,
    /// The opening's policy, as it is written.
    pub policy: Map<String, Value>,
    /// What the run is to do.
    pub plan: PlanShape,
    /// The W3C `traceparent` that came with the request, verbatim (ruling MPLP 18).
    pub traceparent: Option<String>,
    /// When it was accepted.
    pub at: Wall,
}

/// The nodes of a run, those of nested openings among them, and what feeds what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanShape {
    /// The nodes, by their places: parents come before their nodes.
    pub nodes: Vec<PlanStep>,
    /// The edges, by the places of the node that gives and the one that takes. One pair may come more than
    /// once; a place without a node is left out.
    pub edges: Vec<(u32, u32)>,
}

/// A node of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// Its id; of a node of a nested opening, `outer/inner`.
    pub id: Arc<str>,
    /// What does its work, as it is written: `agent:writer`, `opening:review`.
    pub uses: Arc<str>,
    /// The place of the node whose opening it belongs to.
    pub parent: Option<u32>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// Its last state.
    pub state: RunState,
    /// Why it did not succeed.
    pub why: Option<String>,
    /// Tokens that its agents used.
    pub tokens: u64,
    /// Events that it told and that are not among those of the record.
    pub events_missing: u64,
    /// Artifacts that it gave and that were not kept.
    pub artifacts_missing: u64,
    /// When.
    pub at: Wall,
}
