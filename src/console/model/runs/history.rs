//! What of runs no snapshot has: what they told lately, and which requests were rejected.

use std::{collections::VecDeque, sync::Arc};

use super::journal;
use crate::{
    console::model::{
        Model, Numbered,
        station::StationState,
        systems::{Folding, NODE_BYTES, Resync, SystemModel},
    },
    ids::TraceId,
    limits,
    port::RunEventRow,
    runs,
    runs::{AskView, EventKind, NodeView, PlanEdge, PlanNode, RunView, Transition},
    tap::{
        EntryRef,
        entry::{Transition as Any, What, station::Level},
    },
    time::Wall,
};

/// Requests that were rejected, as far as they are remembered.
const REJECTED_MAX: usize = 32;

impl Model {
    /// The runs, once there is a snapshot.
    pub(crate) fn runs(&self) -> Option<&runs::Snapshot> {
        self.station_state.as_ref().map(|state| &state.runs)
    }

    /// What a run told last and this console heard, up to the last that it told: empty where the last was not
    /// heard, so that what is shown is to be had from the store.
    pub(crate) fn recent_run_events(&self, run: TraceId) -> impl Iterator<Item = &RunLine> {
        let told = self.runs().and_then(|runs| runs.run(run)).map_or(0, |view| view.events);
        self.runs.of(run, told)
    }
}

/// Something that a run told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunLine {
    pub(crate) run: TraceId,
    /// Its place in the run's history, from 1 on.
    pub(crate) number: u64,
    pub(crate) kind: EventKind,
    pub(crate) level: Option<Level>,
    /// The node that it speaks of, by its id.
    pub(crate) node: Option<Arc<str>>,
    pub(crate) message: Arc<str>,
    /// Its `meta`, where it came from the store.
    pub(crate) meta: Option<Arc<str>>,
    pub(crate) at: Wall,
}

impl RunLine {
    /// An event as the store has it.
    pub(crate) fn of(run: TraceId, row: RunEventRow) -> Self {
        let meta = serde_json::from_str::<serde_json::Value>(row.meta.as_str()).ok();
        let node = meta.as_ref().and_then(|meta| meta.get("node_id")?.as_str()).map(Arc::from);
        Self {
            run,
            number: row.number,
            kind: row.kind,
            level: row.level,
            node,
            message: row.message.into(),
            meta: Some(row.meta.as_str().into()),
            at: row.at_ms,
        }
    }
}

impl Numbered for RunLine {
    fn number(&self) -> u64 {
        self.number
    }
}

/// The last lines of one history, `told` being the number of its last, without a gap up to that: what was
/// told before the first of these is to be had from the store.
pub(crate) fn contiguous_tail<'a, L: Numbered + 'a>(
    newest_first: impl Iterator<Item = &'a L>,
    told: u64,
) -> impl Iterator<Item = &'a L> {
    let mut found: Vec<&L> = Vec::new();
    for line in newest_first {
        let has_gap = found.last().map_or(line.number() < told, |next| next.number() != line.number() + 1);
        if has_gap {
            break;
        }
        found.push(line);
    }
    found.into_iter().rev()
}

/// What runs told lately.
#[derive(Clone, Debug)]
pub(crate) struct RunHistory {
    lines: VecDeque<Arc<RunLine>>,
    lines_max: usize,
    /// Requests that were rejected lately, and why.
    rejected: VecDeque<(TraceId, Arc<str>)>,
    /// How often a run was accepted or ended, so that what the store lists of them is asked for anew.
    pub(crate) run_changes: u64,
    /// How often an artifact was kept.
    pub(crate) artifact_changes: u64,
    limits: limits::Runs,
}

impl RunHistory {
    /// Takes what a transition says by itself.
    fn count(&mut self, transition: &Transition, entry: EntryRef<'_>) {
        match transition {
            Transition::Event { run, number, kind, level, node } => {
                let message = entry.text();
                self.lines.push_back(Arc::new(RunLine {
                    run: *run,
                    number: *number,
                    kind: *kind,
                    level: *level,
                    node: node.as_ref().map(|node| Arc::clone(&node.id)),
                    message: message.as_ref().into(),
                    meta: None,
                    at: entry.entry.at.wall,
                }));
                while self.lines.len() > self.lines_max {
                    self.lines.pop_front();
                }
            }
            Transition::Submitted { .. } | Transition::Ended { .. } => self.run_changes += 1,
            Transition::Rejected { request, .. } => {
                self.rejected.push_back((*request, entry.text().as_ref().into()));
                if self.rejected.len() > REJECTED_MAX {
                    self.rejected.pop_front();
                }
            }
            Transition::Saved { .. } => self.artifact_changes += 1,
            _ => {}
        }
    }

    /// What a run told last, without a gap up to the last that it told.
    fn of(&self, run: TraceId, told: u64) -> impl Iterator<Item = &RunLine> {
        contiguous_tail(self.lines.iter().rev().map(|line| &**line).filter(move |line| line.run == run), told)
    }

    /// Why a request was rejected, if it was lately.
    pub(crate) fn rejected(&self, request: TraceId) -> Option<&Arc<str>> {
        self.rejected.iter().rev().find(|(known, _)| *known == request).map(|(_, why)| why)
    }
}

impl SystemModel for RunHistory {
    const STATION_LOG: Option<Level> = Some(Level::Warn);

    fn new(limits: &limits::Limits) -> Self {
        let lines_max = usize::try_from(limits.console.run_lines_max).unwrap_or(usize::MAX);
        Self {
            lines: VecDeque::new(),
            lines_max,
            rejected: VecDeque::new(),
            run_changes: 0,
            artifact_changes: 0,
            limits: limits.runs,
        }
    }

    /// What a run kept of the time before the store has, and what it did not keep is told by nobody any more.
    fn reset(&mut self) {
        self.lines.clear();
    }

    fn resync(&mut self, _: &mut Resync<'_>) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        let What::Transition(Any::Runs(transition)) = &entry.entry.what else { return };
        let text = entry.text();
        let notice = journal::describe(transition, &text, cx.known().map(|state| &state.runs));
        cx.note(entry, notice);
        if let Some(state) = cx.carried() {
            state.runs.apply(entry.entry, &text, &self.limits);
        }
        self.count(transition, entry);
    }

    fn memory_bytes(&self, state: Option<&StationState>) -> usize {
        let of_run = |run: &RunView| {
            let plan = run.plan.nodes.len() * (size_of::<PlanNode>() + NODE_BYTES)
                + run.plan.edges.len() * size_of::<PlanEdge>();
            size_of::<RunView>() + plan + run.nodes.len() * size_of::<NodeView>()
        };
        let state = state.map_or(0, |StationState { runs, .. }| {
            runs.runs.iter().map(of_run).sum::<usize>() + runs.asks.len() * size_of::<AskView>()
        });
        // The lines themselves are shared.
        state + self.lines.len() * size_of::<Arc<RunLine>>()
    }
}
