//! Runs of openings, what they told, what they kept, and what was answered to those who asked for them.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::mplp::Rating;
use crate::{
    ids::{OpeningId, TraceId},
    schema::JsonText,
    tap::entry::{
        mplp::RatingVerdict,
        runs::{AskerKind, EventKind, RunState},
        station::Level,
    },
    time::Wall,
};

/// One run as the store has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRow {
    /// Its place among all runs: a later one has a greater number.
    pub number: u64,
    /// Its name on the bus.
    pub run: TraceId,
    /// The opening as it was accepted.
    pub opening: OpeningId,
    /// The opening's name.
    pub name: String,
    /// What who asked for it may do.
    pub by: AskerKind,
    /// What that one calls itself.
    pub client: String,
    /// How it stands.
    pub state: RunState,
    /// Why it did not succeed.
    pub why: Option<String>,
    /// Nodes of its plan, those of nested openings included.
    pub nodes: u64,
    /// Of those, how many completed or were skipped.
    pub done: u64,
    /// Tokens that its agents used.
    pub tokens: u64,
    /// Events that it told.
    pub events: u64,
    /// Artifacts that it kept.
    pub artifacts: u64,
    /// When it was accepted.
    pub submitted_at: Wall,
    /// When it ended.
    pub ended_at: Option<Wall>,
    /// What a person thinks of it.
    #[serde(default)]
    pub rated: Option<RatingVerdict>,
}

/// A run that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// Its name on the bus.
    pub run: TraceId,
    /// The opening as it was accepted.
    pub opening: OpeningId,
    /// The opening's name.
    pub name: String,
    /// What who asked for it may do.
    pub by: AskerKind,
    /// What that one calls itself.
    pub client: String,
    /// Nodes of its plan.
    pub nodes: u64,
    /// The opening's text.
    pub yaml: String,
    /// Its plan, as it is drawn.
    pub plan: JsonText,
    /// The `traceparent` that it was submitted with, as it came, where that was valid (ruling MPLP 18).
    pub traceparent: Option<Box<str>>,
    /// When it was accepted.
    pub at: Wall,
}

/// One event of a run (rmp-v0 §10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// Its place in the run's history, from 1 on.
    pub number: u64,
    /// What it is.
    pub kind: EventKind,
    /// How grave it is.
    pub level: Option<Level>,
    /// What it says.
    pub message: String,
    /// Its `meta`, as it went over the bus; ids as texts.
    pub meta: JsonText,
    /// When it was told.
    pub at: Wall,
}

/// One artifact of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactRow {
    /// Its place among the run's, from 1 on.
    pub number: u64,
    /// Which node gave it; of a nested opening, `outer/inner`.
    pub node: String,
    /// On which port.
    pub port: String,
    /// Its type.
    pub kind: String,
    /// Its schema.
    pub schema_id: u16,
    /// The value as MsgPack.
    pub value: Bytes,
    /// When it was kept.
    pub at: Wall,
}

/// What was answered to a request of the control plane, to be answered again to the same (ruling RMP 10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRow {
    /// The trace of the request's header.
    pub request: TraceId,
    /// Which kind of request it was: its variant's name.
    pub variant: String,
    /// The answer's MsgPack envelope.
    pub body: Bytes,
    /// When it was given.
    pub at: Wall,
}

/// One thing to be kept of runs. It happens in the order in which it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOp {
    /// A run begins. One of the same name that is there already makes the whole operation fail.
    Begin(Box<NewRun>),
    /// A run told something. One that is there already under this number is left as it is.
    Event {
        /// Which run.
        run: TraceId,
        /// The event.
        event: EventRow,
    },
    /// A run keeps something.
    Artifact {
        /// Which run.
        run: TraceId,
        /// What.
        artifact: ArtifactRow,
    },
    /// What the agents of a run used so far. Of one that ended it is left as it is.
    Spent {
        /// Which run.
        run: TraceId,
        /// Tokens.
        tokens: u64,
    },
    /// So many nodes of a run completed or were skipped. Of one that ended it is left as it is.
    Done {
        /// Which run.
        run: TraceId,
        /// Nodes.
        nodes: u64,
    },
    /// A run ended. One that ended before is left as it is.
    End {
        /// Which run.
        run: TraceId,
        /// How.
        state: RunState,
        /// Why it did not succeed.
        why: Option<String>,
        /// Tokens that its agents used.
        tokens: u64,
        /// Nodes that completed or were skipped.
        done: u64,
        /// Artifacts that were not kept, because the store could not write or had no room.
        artifacts_missing: u64,
        /// When.
        at: Wall,
    },
    /// A request was answered. The first answer stays.
    Answer(AnswerRow),
}

/// Which runs to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only those in this state.
    pub state: Option<RunState>,
    /// Only those of this opening's name.
    pub name: Option<String>,
    /// Only those submitted at or after this.
    pub since: Option<Wall>,
    /// Only those beyond this number, in the direction of the order.
    pub beyond: Option<u64>,
    /// Oldest first; else newest first.
    pub oldest_first: bool,
    /// At most so many; cut to 10,000.
    pub limit: u64,
}

/// A run with its opening's text and its plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDetail {
    /// The run.
    pub row: RunRow,
    /// The opening's text.
    pub yaml: String,
    /// Its plan.
    pub plan: JsonText,
    /// The `traceparent` that it was submitted with (ruling MPLP 18).
    pub traceparent: Option<String>,
    /// Artifacts that were not kept; known once it has ended.
    pub artifacts_missing: u64,
    /// What a person thinks of it.
    pub rating: Option<Rating>,
}

/// A run that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenRun {
    /// The run.
    pub row: RunRow,
    /// The number of the last event that is kept of it; 0 where there is none. Events may be missing before
    /// it.
    pub last_event: u64,
    /// The last that is known of the station while it went on: that the store was closed in order, or else
    /// the run's last event, or its beginning.
    pub last_at: Wall,
}

/// What the control plane starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoredRuns {
    /// Runs that have not ended, oldest first.
    pub open: Vec<OpenRun>,
    /// The newest that ended, oldest first.
    pub ended: Vec<RunRow>,
    /// What was answered, oldest first.
    pub answers: Vec<AnswerRow>,
    /// Whether there may be older answers.
    pub has_more_answers: bool,
}
