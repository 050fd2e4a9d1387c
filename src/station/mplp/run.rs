//! A run, as `mplp::lifecycle` takes it: a stored one by its detail as what it begins with, its events as
//! they are, and its end; an open one by what it tells.

use crate::{
    limits,
    mplp::lifecycle::{
        Bundle, Item, RecordSettings,
        run::{PlanShape, PlanStep, RunBegin, RunEnd, RunRecord},
    },
    port::{RunDetail, RunEventRow},
    runs::{
        Plan,
        engine::{RunBegun, RunEnded},
        openings::declared_purpose,
    },
    store::runs::EventRow,
};

/// The record of a stored run while its events are read, in their order.
#[derive(Debug)]
pub struct RunTranslation {
    record: RunRecord,
    events: u64,
    /// The number of the last of them: the run's last event is stored, whatever is not before it.
    last: u64,
}

impl RunTranslation {
    /// Begins the record.
    #[must_use]
    pub fn new(detail: &RunDetail, limits: &limits::Runs, settings: &RecordSettings) -> Self {
        let (record, _) = RunRecord::begin(beginning(detail, limits), settings);
        Self { record, events: 0, last: 0 }
    }

    /// Takes the next event.
    pub fn event(&mut self, row: RunEventRow) {
        let RunEventRow { number, kind, level, message, meta, at_ms: at } = row;
        self.events += 1;
        self.last = number;
        self.record.read(&EventRow { number, kind, level, message, meta, at });
    }

    /// Takes what a session of its trace makes ([`SessionTranslation::items_for_run`]): the sessions in the
    /// order in which they began.
    ///
    /// [`SessionTranslation::items_for_run`]: super::SessionTranslation::items_for_run
    pub fn session(&mut self, items: Vec<Item>) {
        self.record.add_session(items);
    }

    /// The bundle: as the run ended by its detail, or as it is now where that has no end.
    #[must_use]
    pub fn finish(self, detail: &RunDetail) -> Bundle {
        let RunDetail { row, artifacts_missing, .. } = detail;
        let end = row.ended_at_ms.map(|at| RunEnd {
            state: row.state,
            why: row.why.clone(),
            tokens: row.tokens,
            events_missing: row.events.max(self.last).saturating_sub(self.events),
            artifacts_missing: *artifacts_missing,
            at,
        });
        self.record.into_bundle(end.as_ref())
    }
}

/// What a run began with, as the store has it.
pub(super) fn beginning(detail: &RunDetail, limits: &limits::Runs) -> RunBegin {
    let RunDetail { row, yaml, plan, traceparent, .. } = detail;
    let (goals, policy) = declared_purpose(yaml, limits);
    RunBegin {
        run: row.run,
        opening: row.opening,
        name: row.name.clone(),
        by: row.by,
        client: row.client.clone(),
        goals,
        policy,
        plan: shape(&serde_json::from_value(plan.value()).unwrap_or_default()),
        traceparent: traceparent.clone(),
        at: row.submitted_at_ms,
    }
}

/// What a run begins with, as it tells it.
pub(super) fn beginning_told(begun: RunBegun, limits: &limits::Runs) -> RunBegin {
    let RunBegun { run, opening, name, by, yaml, plan, traceparent, at } = begun;
    let (goals, policy) = declared_purpose(&yaml, limits);
    RunBegin {
        run,
        opening,
        name: name.to_string(),
        by: by.kind,
        client: by.client.to_string(),
        goals,
        policy,
        plan: shape(&plan),
        traceparent,
        at,
    }
}

/// How it ends, as it tells it.
pub(super) fn end_told(ended: RunEnded) -> RunEnd {
    let RunEnded { run: _, state, why, tokens, events_missing, artifacts_missing, at } = ended;
    RunEnd { state, why, tokens, events_missing, artifacts_missing, at }
}

fn shape(plan: &Plan) -> PlanShape {
    let step = |node: &crate::runs::PlanNode| PlanStep {
        id: node.id.clone(),
        uses: node.uses.clone(),
        parent: node.parent,
    };
    PlanShape {
        nodes: plan.nodes.iter().map(step).collect(),
        edges: plan.edges.iter().map(|edge| (edge.from, edge.to)).collect(),
    }
}
