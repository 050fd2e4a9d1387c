//! What tells the records of runs apart.

use crate::{
    console::records::{
        paged_list::Record,
        record_key::{KeyKind, RecordKey},
    },
    ids::{ActionId, TraceId},
    port::RunRow,
};

/// A run.
pub(crate) const RUN: KeyKind<TraceId> = KeyKind::new("run");
/// A run as the store has it, with its place among all runs.
pub(crate) const STORED_RUN: KeyKind<(u64, TraceId)> = KeyKind::new("stored run");
/// A node of a run, by its place in the plan.
pub(crate) const NODE: KeyKind<(TraceId, u32)> = KeyKind::new("node");
/// An event of a run, by its place in the run's history.
pub(crate) const RUN_EVENT: KeyKind<(TraceId, u64)> = KeyKind::new("run event");
/// An artifact of a run, by its place among those.
pub(crate) const ARTIFACT: KeyKind<(TraceId, u64)> = KeyKind::new("artifact");
/// An approval that a run waits for.
pub(crate) const APPROVAL: KeyKind<ActionId> = KeyKind::new("approval");

impl Record for RunRow {
    fn key(&self) -> RecordKey {
        STORED_RUN.of((self.number, self.run))
    }

    fn number(&self) -> u64 {
        self.number
    }
}

/// The run that a record is, or is of.
pub(crate) fn run_of(key: &RecordKey) -> Option<TraceId> {
    let whole = RUN.id(key).or_else(|| STORED_RUN.id(key).map(|(_, run)| run));
    let node = || NODE.id(key).map(|(run, _)| run);
    let event = || RUN_EVENT.id(key).map(|(run, _)| run);
    let artifact = || ARTIFACT.id(key).map(|(run, _)| run);
    whole.or_else(node).or_else(event).or_else(artifact).copied()
}
