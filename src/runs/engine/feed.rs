//! What the record of a run is made of, as the run tells it (rulings MPLP 13 to 17). The station translates
//! it: runs do not know MPLP.

use std::sync::Arc;

use crate::{
    ids::{OpeningId, TraceId},
    runs::Plan,
    store::runs::EventRow,
    tap::entry::runs::{Asker, RunState},
    time::Wall,
};

/// One part of the record of a run: its beginning, each of its events but progress, its end. Those of one run
/// come in this order, and leave when its events do (ruling RMP 11). A run that an earlier start left, and
/// that the next one ends, has none.
#[derive(Clone, Debug, PartialEq)]
pub enum RunFeed {
    /// The runs of before have ended, or will be ended by a start: nothing more comes of them. The first of
    /// each start.
    Started,
    /// A run was accepted.
    Begun(Box<RunBegun>),
    /// It told an event.
    Event {
        /// Which run.
        run: TraceId,
        /// The event.
        event: EventRow,
        /// Whether it is among those that the store keeps of the run.
        is_kept: bool,
    },
    /// It ended.
    Ended(RunEnded),
}

/// What a run begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct RunBegun {
    /// Its trace.
    pub run: TraceId,
    /// The opening as it was accepted.
    pub opening: OpeningId,
    /// The opening's name.
    pub name: Arc<str>,
    /// Who asked for it.
    pub by: Asker,
    /// The opening as it was sent.
    pub yaml: Arc<str>,
    /// What it is to do.
    pub plan: Plan,
    /// The W3C `traceparent` that came with the request.
    pub traceparent: Option<String>,
    /// When it was accepted, as the store has it.
    pub at: Wall,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnded {
    /// Which run.
    pub run: TraceId,
    /// Its last state.
    pub state: RunState,
    /// Why it did not succeed.
    pub why: Option<String>,
    /// Tokens that its agents used.
    pub tokens: u64,
    /// Events that it told and that are not kept.
    pub events_missing: u64,
    /// Artifacts that it gave and that are not kept.
    pub artifacts_missing: u64,
    /// When, as the store has it.
    pub at: Wall,
}
