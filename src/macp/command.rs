//! What an operator asks of the runtime through the port.

use serde::{Deserialize, Serialize};

use super::SessionState;
use crate::ids::Peer;

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// End a session before its time. One that has ended is left as it is.
    Cancel {
        /// Which, by its id.
        session: String,
        /// Why; it stays in the session's log.
        reason: String,
    },
    /// End the sessions that are open and that a peer opened since the runtime started.
    CancelBy {
        /// Who, as `ls clients` prints it; of an address that is not loopback its port does not count.
        peer: Peer,
        /// Why; it stays in the sessions' logs.
        reason: String,
    },
}

/// What a command did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The session has ended.
    Cancelled {
        /// How it stands: resolved, where it was before.
        state: SessionState,
    },
    /// The sessions of a peer have ended.
    CancelledBy {
        /// How many.
        sessions: u64,
        /// How many it holds still: they could not be ended, or it opens more.
        #[serde(default)]
        left: u64,
    },
}

/// Why a command did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No session has this id.
    #[error("no session {0}")]
    UnknownSession(String),
    /// No session that is open was opened by this peer since the runtime started.
    #[error("no open session was opened by {0} since the runtime started")]
    NoSessionsOf(Peer),
    /// It cannot be recorded now.
    #[error("the session was not cancelled: {0}")]
    NotNow(String),
}

impl Refusal {
    /// The machine-readable code of the CLI's errors.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownSession(_) => "unknown_session",
            Self::NoSessionsOf(_) => "no_sessions_of_peer",
            Self::NotNow(_) => "session_not_cancelled",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownSession(_) => "`rl-console ls sessions` lists them".to_owned(),
            Self::NoSessionsOf(_) => {
                "`rl-console ls clients` lists peers with the sessions they hold".to_owned()
            }
            Self::NotNow(_) => "try again; `rl-console doctor` checks the database".to_owned(),
        }
    }
}
