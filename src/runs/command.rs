//! What an operator asks of the runs through the port.

use serde::{Deserialize, Serialize};

use crate::ids::{ActionId, TraceId};

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Run an opening. Whether it was accepted is answered on `rlp/ctrl`, as for everybody.
    Submit {
        /// The request's name, and the run's.
        request: TraceId,
        /// The opening.
        opening_yaml: String,
        /// The `traceparent` of the W3C that it comes with. One that is not valid is left out, and the run
        /// tells so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        traceparent: Option<String>,
    },
    /// End a run before its time.
    Cancel {
        /// Which.
        run: TraceId,
    },
    /// Begin no attempt any more: what agents work on goes on, and so do all times. It ends with the station.
    Hold,
    /// Begin them again.
    Release,
    /// Decide whether a node may go on.
    Decide {
        /// Which question.
        action: ActionId,
        /// Whether it may.
        approved: bool,
        /// What there is to say to it.
        note: Option<String>,
    },
}

/// What a command did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The request was taken, and is answered on `rlp/ctrl`.
    Taken,
    /// The run was cancelled, or will be once it is recorded.
    Cancelled {
        /// Nodes that had not ended.
        nodes: u64,
    },
    /// The question ended with this decision.
    Decided,
    /// Attempts are begun, or are not.
    Braked {
        /// Whether they are held.
        held: bool,
    },
}

/// Why a command did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No run of this name is worked on.
    #[error("run {0} is not running: it has ended or does not exist")]
    UnknownRun(TraceId),
    /// No question of this name waits.
    #[error("{0} is not awaiting approval: it was decided, expired, or its run ended")]
    UnknownAction(ActionId),
}

impl Refusal {
    /// The machine-readable code of the CLI's errors.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownRun(_) => "unknown_run",
            Self::UnknownAction(_) => "unknown_action",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownRun(_) => "`rl-console ls runs` lists them".to_owned(),
            Self::UnknownAction(_) => "`rl-console ls confirmations` lists pending approvals".to_owned(),
        }
    }
}
