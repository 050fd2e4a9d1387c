//! Why a call to the bus failed.

use std::{io, path::PathBuf, sync::Arc};

use super::super::fault::{RefusalReply, SendError, Violation};

fn close_text(why: &RefusalReply) -> String {
    format!("the station closed the session: {}", why.message)
}

/// Why a session is over.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CloseReason {
    /// By this client.
    #[error("the session was closed by this client")]
    ByClient,
    /// From the other side: the station said why it ends the session, or the connection was gone without a
    /// word, as where it was killed.
    #[error("{}", .0.as_ref().map_or_else(|| "the station closed the connection unexpectedly".to_owned(), close_text))]
    ByStation(Option<RefusalReply>),
    /// The socket failed.
    #[error("the connection failed: {0}")]
    Failed(Arc<io::Error>),
    /// The station sent what it may not.
    #[error("the station violated the protocol: {0}")]
    Broken(Violation),
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
    /// Another user listens there, and is shown no token.
    #[error("{}: another user (uid {uid}) is listening there; no token was sent", path.display())]
    OfAnother {
        /// The socket's path.
        path: PathBuf,
        /// That user.
        uid: u32,
    },
    /// Another process of this user listens there than the one whose token it is, and is shown none.
    #[error("{}: another station (process {process}) is listening there; no token was sent", path.display())]
    OfAnotherProcess {
        /// The socket's path.
        path: PathBuf,
        /// That process.
        process: u32,
    },
    /// The station took the connection and refused the session.
    #[error("the station refused the session: {0}")]
    SessionRefused(RefusalReply),
    /// The station refused what was asked.
    #[error("{0}")]
    Refused(RefusalReply),
    /// It was not sent.
    #[error(transparent)]
    Send(#[from] SendError),
    /// The session is over.
    #[error("{0}")]
    Closed(#[from] CloseReason),
    /// No answer came in time.
    #[error("no answer within {ms} ms")]
    TimedOut {
        /// How long was waited, in milliseconds.
        ms: u64,
    },
    /// So much waits for an answer that no more is asked (`limits.client.answers_max`).
    #[error("too many open requests: {answers_max} are waiting for answers")]
    Busy {
        /// The limit.
        answers_max: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ended_a_session_is_said_by_its_last_words_alone() {
        assert_eq!(
            CloseReason::ByStation(None).to_string(),
            "the station closed the connection unexpectedly",
            "it may have been killed"
        );
        let words = RefusalReply {
            code: "Forbidden".into(),
            message: "an operator ended this session; it may connect again".into(),
        };
        assert_eq!(
            CloseReason::ByStation(Some(words)).to_string(),
            "the station closed the session: an operator ended this session; it may connect again"
        );
    }
}
