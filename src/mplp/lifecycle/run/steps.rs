//! The steps of a run's Plan: its nodes and what feeds them.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use serde_json::{Value, json};

use super::{
    begin::PlanShape,
    emit::AGENT,
    ids::Ids,
    states::{stage_status, step_status},
};
use crate::{mplp::MplpId, tap::entry::runs::NodeState};

/// A node of a run, and how it stands.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) node: Arc<str>,
    pub(super) uses: Arc<str>,
    pub(super) parent: Option<u32>,
    pub(super) id: MplpId,
    /// The places of the steps that feed it, each once.
    dependencies: BTreeSet<u32>,
    pub(super) state: NodeState,
    /// The attempt that is open: the place of its segment, and the number of its turn.
    pub(super) open: Option<Attempt>,
    /// The attempts that were begun when it moved last.
    pub(super) last_attempt: u32,
    /// Its last segment.
    pub(super) last_segment: Option<MplpId>,
    /// The place of its question that is open.
    pub(super) question: Option<usize>,
}

/// An attempt that is open.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) segment: usize,
    pub(super) turn: u64,
}

/// All steps, by their places.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    all: Vec<Step>,
    by_node: HashMap<Arc<str>, u32>,
    dependencies: usize,
    /// The agents that the plan names, each once, in the order of the plan.
    pub(super) agents: Vec<Arc<str>>,
}

impl Steps {
    pub(super) fn new(plan: PlanShape, ids: &Ids) -> Self {
        let mut all: Vec<Step> = Vec::with_capacity(plan.nodes.len());
        let (mut by_node, mut agents, mut seen) = (HashMap::new(), Vec::new(), BTreeSet::new());
        for (node, place) in plan.nodes.into_iter().zip(0_u32..) {
            by_node.entry(Arc::clone(&node.id)).or_insert(place);
            if node.uses.starts_with(AGENT) && seen.insert(Arc::clone(&node.uses)) {
                agents.push(Arc::clone(&node.uses));
            }
            all.push(Step {
                id: ids.step(&node.id),
                parent: node.parent.filter(|parent| *parent < place),
                node: node.id,
                uses: node.uses,
                dependencies: BTreeSet::new(),
                state: NodeState::Waiting,
                open: None,
                last_attempt: 0,
                last_segment: None,
                question: None,
            });
        }
        let mut dependencies = 0;
        for (from, to) in plan.edges {
            if (from as usize) < all.len()
                && let Some(step) = all.get_mut(to as usize)
            {
                dependencies += usize::from(step.dependencies.insert(from));
            }
        }
        Self { all, by_node, dependencies, agents }
    }

    /// The place of a node.
    pub(super) fn place_of(&self, node: &str) -> Option<u32> {
        self.by_node.get(node).copied()
    }

    pub(super) fn step(&self, place: u32) -> &Step {
        &self.all[place as usize]
    }

    pub(super) fn step_mut(&mut self, place: u32) -> &mut Step {
        &mut self.all[place as usize]
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, &Step)> {
        // A plan has fewer nodes than a place can name: they are named by it.
        self.all.iter().enumerate().map(|(place, step)| (u32::try_from(place).unwrap_or(u32::MAX), step))
    }

    /// Steps, and what feeds what.
    pub(super) const fn graph(&self) -> (usize, usize) {
        (self.all.len(), self.dependencies)
    }

    /// The segment that one of a step is part of: that of the node that nests it, the last.
    pub(super) fn parent_segment(&self, place: u32) -> Option<MplpId> {
        self.step(self.step(place).parent?).last_segment
    }

    /// The steps of the Plan.
    pub(super) fn objects(&self) -> Value {
        self.iter()
            .map(|(place, step)| {
                let dependencies: Vec<MplpId> =
                    step.dependencies.iter().map(|from| self.step(*from).id).collect();
                json!({
                    "step_id": step.id,
                    "description": step.description(),
                    "status": step_status(step.state),
                    "dependencies": dependencies,
                    "agent_role": &*step.uses,
                    "order_index": place,
                })
            })
            .collect()
    }
}

impl Step {
    /// What the step is for: `<id>: <use>`.
    pub(super) fn description(&self) -> String {
        format!("{}: {}", self.node, self.uses)
    }

    /// The status of its stage.
    pub(super) const fn stage_status(&self) -> &'static str {
        stage_status(self.state)
    }
}
