//! Metrics of runs: counters since the station started, and their states now.

use crate::tap::entry::runs::{NodeState, RunState};

macro_rules! reasons {
    ($( $(#[$doc:meta])* $variant:ident = $name:literal ),* $(,)?) => {
        /// Why a request of the control plane was rejected.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RejectedFor {
            $( $(#[$doc])* $variant, )*
        }

        impl RejectedFor {
            /// Every reason.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// Its name in metrics.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }
        }
    };
}

reasons! {
    /// It cannot be read.
    Unreadable = "unreadable",
    /// Its id is not its header's trace (ruling RMP 10).
    RequestId = "request_id",
    /// `limits.runs.open_max` runs are worked on.
    TooMany = "too_many",
    /// The opening has faults.
    Opening = "invalid_opening",
    /// The store did not take it.
    NotRecorded = "not_recorded",
    /// No such run is worked on.
    UnknownRun = "unknown_run",
    /// Who asked may not.
    Forbidden = "forbidden",
    /// It expired before it was taken (rmp-v0 §4).
    Expired = "expired",
    /// It is a decision that answers no question, or cannot be read.
    Decision = "decision",
}

/// How runs end, in the order in which they are counted.
pub const ENDS: [RunState; 3] = [RunState::Succeeded, RunState::Failed, RunState::Cancelled];

/// How nodes end, in the order in which they are counted.
pub const NODE_ENDS: [NodeState; 5] =
    [NodeState::Completed, NodeState::Failed, NodeState::Skipped, NodeState::Blocked, NodeState::Cancelled];

/// Counts since the start, and how runs stand now. Small: whoever asks often asks for this and not for a
/// snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Runs that began.
    pub submitted: u64,
    /// Requests that were rejected, by [`RejectedFor::ALL`].
    pub rejected: [u64; RejectedFor::ALL.len()],
    /// Runs that ended, by [`ENDS`].
    pub ended: [u64; ENDS.len()],
    /// Nodes that ended, by [`NODE_ENDS`]; one that is begun anew with its nested opening ends again.
    pub nodes_ended: [u64; NODE_ENDS.len()],
    /// Attempts that were given to agents.
    pub attempts: u64,
    /// Those of them that were not a node's first.
    pub retries: u64,
    /// Attempts, and nested openings, that took too long.
    pub timeouts: u64,
    /// Answers that came late or twice.
    pub late_answers: u64,
    /// Events that were told.
    pub events: u64,
    /// Artifacts that were kept.
    pub artifacts: u64,
    /// Tokens that agents used.
    pub tokens: u64,
    /// Runs that are worked on now, those that are being recorded included.
    pub running: u64,
    /// Attempts that agents work on now.
    pub in_flight: u64,
    /// Questions that wait for a person now.
    pub asking: u64,
    /// Whether no attempt is begun until an operator resumes.
    pub held: bool,
}

impl Metrics {
    pub(super) fn reject(&mut self, reason: RejectedFor) {
        if let Some(at) = RejectedFor::ALL.iter().position(|it| *it == reason) {
            self.rejected[at] += 1;
        }
    }

    pub(super) fn end(&mut self, state: RunState) {
        if let Some(at) = ENDS.iter().position(|it| *it == state) {
            self.ended[at] += 1;
        }
    }

    pub(super) fn end_node(&mut self, state: NodeState) {
        if let Some(at) = NODE_ENDS.iter().position(|it| *it == state) {
            self.nodes_ended[at] += 1;
        }
    }
}
