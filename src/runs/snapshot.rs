//! The state of the runs as a reader of the tap starts from it, with bounded windows.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use super::Plan;
use crate::{
    ids::{ActionId, TraceId},
    limits,
    store::runs::RunRow,
    tap::entry::runs::{Asker, NodeRef, NodeState, RunState},
    time::{Mono, Now, Wall},
    words,
};

/// What holds of runs at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Runs in the order in which they were submitted: all that have not ended, and of the ended ones so
    /// many that there are not more than `limits.runs.shown_max`; those that ended first go first.
    pub runs: VecDeque<RunView>,
    /// Questions that wait for a person, the oldest first; at most `limits.runs.shown_asks_max`.
    pub asks: VecDeque<AskView>,
    /// Questions that wait and are not among those.
    pub asks_unshown: u64,
    /// Whether no attempt is begun, by an operator's brake.
    pub held: bool,
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
    /// How many of those completed or were skipped, once it ended; [`RunView::done_nodes`] tells it sooner.
    pub done: Option<u32>,
    /// Its plan. It is empty once all runs together have more than `limits.runs.shown_nodes_max` nodes;
    /// those that ended first lose it first.
    pub plan: Arc<Plan>,
    /// How its nodes stand, by their places in the plan.
    pub nodes: Vec<NodeView>,
    /// Events that it told.
    pub events: u64,
    /// Artifacts that were kept.
    pub artifacts: u64,
    /// Tokens that its agents used.
    pub tokens: u64,
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
    /// The question.
    pub summary: Arc<str>,
    /// What the node would be given, as JSON; empty where that is not known.
    pub takes: Arc<str>,
    /// Since when.
    pub asked_at: Now,
    /// When it is rejected without an answer.
    pub expires_at: Wall,
}

impl AskView {
    /// Whom the alert of it concerns: its run and its node.
    #[must_use]
    pub fn alert_subject(&self) -> String {
        format!("{}/{}", self.run, self.node.id)
    }

    /// The run that such an alert concerns.
    #[must_use]
    pub fn run_of_alert(subject: &str) -> Option<TraceId> {
        subject.split_once('/')?.0.parse().ok()
    }
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
    /// What holds when the station starts: the runs that ended before, without their plans, oldest first.
    #[must_use]
    pub fn restored(ended: &[RunRow], limits: &limits::Runs) -> Self {
        Self { runs: ended.iter().map(|row| RunView::restored(row, limits)).collect(), ..Self::default() }
    }

    /// The run of this name; of two, the later.
    #[must_use]
    pub fn run(&self, run: TraceId) -> Option<&RunView> {
        self.runs.iter().rev().find(|view| view.run == run)
    }

    /// The questions that are shown, that which silence answers first before the others.
    #[must_use]
    pub fn asks_in_time(&self) -> Vec<&AskView> {
        let mut asks: Vec<_> = self.asks.iter().collect();
        asks.sort_by_key(|ask| ask.expires_at);
        asks
    }

    /// Questions that wait for a person, shown or not.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        self.asks_unshown.saturating_add(self.asks.len() as u64)
    }

    /// Runs that have not ended.
    pub fn open(&self) -> impl Iterator<Item = &RunView> {
        self.runs.iter().filter(|view| !view.state.is_end())
    }
}

impl RunView {
    fn restored(row: &RunRow, limits: &limits::Runs) -> Self {
        let at = |wall| Now { mono: Mono(0), wall };
        Self {
            run: row.run,
            name: Arc::from(&*row.name),
            by: Asker { kind: row.by, client: Arc::from(&*row.client) },
            state: row.state,
            submitted_at: at(row.submitted_at),
            ended_at: row.ended_at.map(at),
            why: row.why.as_deref().map(|why| Arc::from(words::cut(why, limits.shown_text_bytes_max))),
            planned: u32::try_from(row.nodes).unwrap_or(u32::MAX),
            done: u32::try_from(row.done).ok(),
            plan: Arc::default(),
            nodes: Vec::new(),
            events: row.events,
            artifacts: row.artifacts,
            tokens: row.tokens,
        }
    }

    /// How long it took, or takes so far.
    #[must_use]
    pub fn duration(&self, now: Now) -> Duration {
        self.ended_at.unwrap_or(now).since(self.submitted_at)
    }

    /// The first node of the run's own opening that failed for good: with it the run succeeds only where its
    /// opening has a `success` that does without.
    #[must_use]
    pub fn failed_node(&self) -> Option<&str> {
        let mut own = self.plan.nodes.iter().zip(&self.nodes).filter(|(plan, _)| plan.parent.is_none());
        own.find(|(_, node)| node.state == NodeState::Failed).map(|(plan, _)| &*plan.id)
    }

    /// Nodes that completed or were skipped; not known of a run that goes on and whose plan is not kept here.
    #[must_use]
    pub fn done_nodes(&self) -> Option<u32> {
        if self.nodes.is_empty() && self.planned > 0 {
            return self.done;
        }
        u32::try_from(self.nodes.iter().filter(|node| node.state.is_done()).count()).ok()
    }
}

impl NodeView {
    /// A node at the moment at which its run began.
    #[must_use]
    pub const fn new(since: Now) -> Self {
        Self { state: NodeState::Waiting, attempt: 0, since, ran_at: None, progress: None, why: None }
    }
}
