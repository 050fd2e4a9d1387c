//! Why a call to the bus failed.

use std::{io, path::PathBuf, sync::Arc};

use super::super::fault::{Fault, Refused, SendError};

/// Why a session is over.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Closed {
    /// By this client.
    #[error("the session was closed here")]
    Here,
    /// By the station, which said why or did not.
    #[error("the station closed the session{}", .0.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    There(Option<Refused>),
    /// The socket failed.
    #[error("the connection failed: {0}")]
    Failed(Arc<io::Error>),
    /// The station sent what it may not.
    #[error("the station broke the protocol: {0}")]
    Broken(Fault),
}

/// Why a call to the bus failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Nobody answers there.
    #[error("{}: {why}", path.display())]
    Unreachable {
        /// The socket's path.
        path: PathBuf,
        /// What the system says.
        why: io::Error,
    },
    /// The station took the connection and refused the session.
    #[error("the station refused the session: {0}")]
    NotWelcome(Refused),
    /// The station refused what was asked.
    #[error("{0}")]
    Refused(Refused),
    /// It was not sent.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The session is over.
    #[error("{0}")]
    Closed(#[from] Closed),
    /// No answer came in time.
    #[error("there was no answer within {ms} ms")]
    TimedOut {
        /// How long was waited, in milliseconds.
        ms: u64,
    },
    /// So much waits for an answer that no more is asked (`limits.client.answers_max`).
    #[error("{answers_max} requests wait for their answers")]
    Busy {
        /// The limit.
        answers_max: u64,
    },
}
