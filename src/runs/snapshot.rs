//! The state of the runs as a reader of the tap starts from it, with bounded windows.

use std::{collections::VecDeque, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ActionId, TraceId},
    tap::entry::runs::{Asker, NodeRef, NodeState, RunState},
    time::{Now, Wall},
};

/// What holds of runs at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Runs in the order in which they were submitted: all that have not ended, and of the ended ones so many that there are not more than
    /// `limits.runs.shown_max`; those that ended first go first.
    pub runs: VecDeque<RunView>,
    /// Questions that wait for a person, the oldest first; at most `limits.runs.shown_asks_max`.
    pub asks: VecDeque<AskView>,
    /// Counts since the station started.
    pub totals: Totals,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// Its name on the bus.
    pub run: TraceId,
    /// The opening's name.
    pub name: Arc<str>,
    /// Who asked for it.
    pub by: Asker,
    /// How it stands.
    pub state: RunState,
    /// Since when it is there.
    pub submitted_at: Now,
    /// When it ended.
    pub ended_at: Option<Now>,
    /// Why it did not succeed.
    pub why: Option<Arc<str>>,
    /// Nodes of its plan, also where that is not kept here.
    pub planned: u32,
    /// Its plan. It is empty once all runs together have more than `limits.runs.shown_nodes_max` nodes; those that ended first lose it
    /// first.
    pub plan: Arc<PlanView>,
    /// How its nodes stand, by their places in the plan.
    pub nodes: Vec<NodeView>,
    /// Events that it told.
    pub events: u64,
    /// Artifacts that were kept.
    pub artifacts: u64,
    /// Tokens that its agents used.
    pub tokens: u64,
}

/// What a run is to do, as it is drawn. The texts beside `Submitted` and `Planned` are this as JSON, in parts that are put together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanView {
    /// The nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<PlanNode>,
    /// What feeds what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<PlanEdge>,
}

/// A node as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanNode {
    /// Its id; of a node of a nested opening, `outer/inner`.
    pub id: Arc<str>,
    /// What does it: `agent:writer`.
    #[serde(rename = "use")]
    pub uses: Arc<str>,
    /// The place of the node whose opening it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
}

/// An edge as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanEdge {
    /// The place of the node that gives.
    pub from: u32,
    /// Its port.
    pub from_port: Arc<str>,
    /// The place of the node that takes.
    pub to: u32,
    /// Its port.
    pub to_port: Arc<str>,
    /// The literal that the port must equal, as it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Arc<str>>,
}

/// How a node stands.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    /// Its state.
    pub state: NodeState,
    /// Attempts that were begun.
    pub attempt: u32,
    /// Since when it stands so.
    pub since: Now,
    /// When its first attempt began.
    pub ran_at: Option<Now>,
    /// How far its agent is, where it said so in this attempt.
    pub progress: Option<Progress>,
    /// What there is to say of it.
    pub why: Option<Arc<str>>,
}

/// How far an agent is, in its own unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub done: Option<f64>,
    /// Of how much.
    pub total: Option<f64>,
}

/// A question that waits for a person.
#[derive(Clone, Debug, PartialEq)]
pub struct AskView {
    /// Its own name.
    pub action: ActionId,
    /// Of which run.
    pub run: TraceId,
    /// Of which node.
    pub node: NodeRef,
    /// What is asked.
    pub summary: Arc<str>,
    /// Since when.
    pub asked_at: Now,
    /// When silence becomes a no.
    pub expires_at: Wall,
}

/// Counts since the station started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Runs that were accepted.
    pub submitted: u64,
    /// Requests that were rejected.
    pub rejected: u64,
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed.
    pub failed: u64,
    /// Runs that were cancelled.
    pub cancelled: u64,
}

impl Snapshot {
    /// The run of this name; of two, the later.
    #[must_use]
    pub fn run(&self, run: TraceId) -> Option<&RunView> {
        self.runs.iter().rev().find(|view| view.run == run)
    }

    /// Runs that have not ended.
    pub fn open(&self) -> impl Iterator<Item = &RunView> {
        self.runs.iter().filter(|view| !view.state.is_end())
    }
}

impl NodeView {
    /// A node at the moment at which its run began.
    #[must_use]
    pub const fn new(since: Now) -> Self {
        Self { state: NodeState::Waiting, attempt: 0, since, ran_at: None, progress: None, why: None }
    }
}

impl PlanView {
    /// The JSON of it in parts of at most about `part_bytes_max` each, at least one. An item that is longer makes a part of its own.
    #[must_use]
    pub fn parts(&self, part_bytes_max: usize) -> Vec<String> {
        let nodes = pieces(&self.nodes, part_bytes_max).map(|nodes| Self { nodes: nodes.to_vec(), edges: Vec::new() });
        let edges = pieces(&self.edges, part_bytes_max).map(|edges| Self { nodes: Vec::new(), edges: edges.to_vec() });
        let text = |part: &Self| serde_json::to_string(part).unwrap_or_default();
        let whole = text(self);
        if whole.len() <= part_bytes_max { vec![whole] } else { nodes.chain(edges).map(|part| text(&part)).collect() }
    }
}

/// Runs of items whose JSON stays within a part.
fn pieces<T: Serialize>(items: &[T], part_bytes_max: usize) -> impl Iterator<Item = &[T]> {
    // The frame of a part: `{"nodes":[]}`.
    const AROUND_BYTES: usize = 16;
    let mut rest = items;
    std::iter::from_fn(move || {
        let mut bytes = AROUND_BYTES;
        let fits = rest.iter().take_while(|item| {
            bytes += serde_json::to_string(item).map_or(0, |text| text.len() + 1);
            bytes <= part_bytes_max
        });
        let count = fits.count().max(1).min(rest.len());
        let (piece, behind) = rest.split_at(count);
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_in_parts_is_the_plan_put_together() {
        let node = |n: u32| PlanNode { id: Arc::from(format!("n{n}")), uses: Arc::from("agent:echo"), parent: (n == 7).then_some(1) };
        let edge = |n: u32| PlanEdge {
            from: n,
            from_port: Arc::from("out"),
            to: n + 1,
            to_port: Arc::from("in"),
            when: (n == 3).then(|| Arc::from("true")),
        };
        let plan = PlanView { nodes: (0..100).map(node).collect(), edges: (0..99).map(edge).collect() };
        for part_bytes_max in [1, 100, 1_000, 1_000_000] {
            let parts = plan.parts(part_bytes_max);
            let mut whole = PlanView::default();
            for part in &parts {
                assert!(part.len() <= part_bytes_max.max(100), "{part}");
                let part: PlanView = serde_json::from_str(part).unwrap();
                whole.nodes.extend(part.nodes);
                whole.edges.extend(part.edges);
            }
            assert_eq!(whole, plan);
        }
        assert_eq!(PlanView::default().parts(100), ["{}"]);
    }
}
