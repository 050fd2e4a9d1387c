//! The attempts of a run as its engine moved its nodes, and as the segments of its Trace have them.

use std::collections::BTreeMap;

use rl_console::runs::{NodeState, Plan};
use serde_json::Value;

use super::{Run, checks::list};

/// A node that came into a state, with the number of attempts that were begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) node: u32,
    pub(super) state: NodeState,
    pub(super) attempt: u32,
}

/// An attempt, or how a node ended without one.
#[derive(Debug, PartialEq, Eq)]
struct Attempt {
    node: u32,
    number: u32,
    status: &'static str,
    /// The place of that of the node that nests it.
    parent: Option<usize>,
    was_begun: bool,
}

/// What ruling MPLP 13 says of a segment that ends as its node comes into a state.
const fn status(state: NodeState) -> &'static str {
    match state {
        NodeState::Completed => "completed",
        NodeState::Failed | NodeState::Retrying => "failed",
        NodeState::Skipped | NodeState::Blocked => "skipped",
        _ => "cancelled",
    }
}

/// What the moves of the engine make.
struct Fold<'a> {
    plan: &'a Plan,
    all: Vec<Attempt>,
    open: BTreeMap<u32, usize>,
    last: BTreeMap<u32, usize>,
    states: BTreeMap<u32, (NodeState, u32)>,
}

impl Fold<'_> {
    fn take(&mut self, it: Move) {
        let had_ended = self.states.get(&it.node).is_some_and(|(state, _)| state.is_end());
        if let Some(at) = self.open.remove(&it.node) {
            self.all[at].status = status(it.state);
        } else if it.state.is_end() && !had_ended {
            self.add(it, status(it.state), false);
        }
        if it.state == NodeState::Running {
            let at = self.add(it, "running", true);
            self.open.insert(it.node, at);
        }
        self.states.insert(it.node, (it.state, it.attempt));
    }

    fn add(&mut self, it: Move, status: &'static str, was_begun: bool) -> usize {
        let outer = self.plan.nodes[it.node as usize].parent;
        let parent = outer.and_then(|outer| self.last.get(&outer).copied());
        self.all.push(Attempt { node: it.node, number: it.attempt, status, parent, was_begun });
        self.last.insert(it.node, self.all.len() - 1);
        self.all.len() - 1
    }

    /// What the engine said nothing of ends with the run, the inner before the outer.
    fn end(mut self) -> Vec<Attempt> {
        for node in (0..u32::try_from(self.plan.nodes.len()).unwrap()).rev() {
            let (state, attempt) = self.states.get(&node).copied().unwrap_or((NodeState::Waiting, 0));
            if !state.is_end() {
                self.take(Move { node, state: NodeState::Cancelled, attempt });
            }
        }
        self.all
    }
}

fn attempts(run: &Run, plan: &Plan) -> Vec<Attempt> {
    let (all, open, last, states) = Default::default();
    let mut fold = Fold { plan, all, open, last, states };
    run.moves.iter().for_each(|it| fold.take(*it));
    fold.end()
}

/// Every segment is an attempt of the engine, with its number, its end and that of the node that nests it.
pub(super) fn check_attempts(seed: u64, run: &Run, trace: &Value) {
    let plan: Plan = serde_json::from_value(run.row.plan.value()).unwrap();
    let segments = list(trace, "segments");
    let expected: Vec<_> = attempts(run, &plan)
        .into_iter()
        .map(|it| {
            let label = format!("{}#{}", plan.nodes[it.node as usize].id, it.number);
            (label, it.status.to_owned(), it.parent, it.was_begun)
        })
        .collect();
    let place = |id: &Value| segments.iter().position(|it| it["segment_id"] == *id).unwrap();
    let told: Vec<_> = segments
        .iter()
        .map(|it| {
            let text = |name: &str| it[name].as_str().unwrap().to_owned();
            let parent = it.get("parent_segment_id").map(place);
            (text("label"), text("status"), parent, it.get("started_at").is_some())
        })
        .collect();
    assert_eq!(told, expected, "seed {seed}");
}
