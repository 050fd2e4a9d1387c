//! What goes wrong with sessions, as scripts and people are told of it.

use std::net::SocketAddr;

use tonic::Code as Status;

use super::error::Exit;
use crate::macp::Code;

/// Why a subcommand about sessions did not do its work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SessionError {
    /// The runtime refused a message.
    #[error("{code}: {why}")]
    Refused {
        /// The protocol's code.
        code: String,
        /// What the runtime says to it.
        why: String,
        /// The session that was meant.
        session: String,
        /// How that stands; nothing where there is none.
        state: Option<&'static str>,
    },
    /// The runtime ended a call.
    #[error("the runtime ended the call with {}: {why}", status_name(*status))]
    Declined {
        /// With this status.
        status: Status,
        /// What it says to it.
        why: String,
    },
    /// Nobody answers.
    #[error("no runtime answers at {}", tried.iter().map(|(addr, why)| format!("{addr}: {why}")).collect::<Vec<_>>().join("; "))]
    Unreachable {
        /// Where it was tried, and why that failed.
        tried: Vec<(SocketAddr, String)>,
    },
    /// Several sessions have an id that ends so.
    #[error("several sessions end in {tail}: {}", sessions.join(", "))]
    Ambiguous {
        /// How it was named.
        tail: String,
        /// The first of them.
        sessions: Vec<String>,
    },
    /// The connection broke.
    #[error("lost the connection to the runtime at {addr}: {why}")]
    Lost {
        /// Whose.
        addr: SocketAddr,
        /// The runtime's reason.
        why: String,
    },
    /// It took too long.
    #[error("no answer from the runtime within {ms} ms")]
    TimedOut {
        /// How long was waited.
        ms: u64,
    },
    /// No session has this id.
    #[error("no session {session}")]
    Unknown {
        /// Which.
        session: String,
    },
    /// Nothing but the runtime's own port could say it.
    #[error("cannot read the log of {session}: {why}")]
    NoLog {
        /// Which.
        session: String,
        /// Why.
        why: String,
    },
    /// Messages of a stream were refused, or lines were none.
    #[error("{refused} of {all} messages refused")]
    Some {
        /// How many.
        refused: u64,
        /// Of how many.
        all: u64,
    },
}

impl SessionError {
    /// The exit code.
    pub(super) const fn exit(&self) -> Exit {
        match self {
            Self::Unreachable { .. } | Self::Lost { .. } => Exit::NoStation,
            Self::TimedOut { .. } => Exit::TimedOut,
            Self::Refused { .. }
            | Self::Declined { .. }
            | Self::Unknown { .. }
            | Self::Ambiguous { .. }
            | Self::NoLog { .. }
            | Self::Some { .. } => Exit::Refused,
        }
    }

    /// The machine-readable code.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Refused { code, .. } => Code::from_name(code).map_or("refused", refusal_code),
            Self::Declined { status, .. } => status_code(*status),
            Self::Unreachable { .. } => "unreachable",
            Self::Lost { .. } => "disconnected",
            Self::TimedOut { .. } => "timed_out",
            Self::Unknown { .. } => "unknown_session",
            Self::Ambiguous { .. } => "ambiguous_session",
            Self::NoLog { .. } => "no_log",
            Self::Some { .. } => "messages_refused",
        }
    }

    /// What it means and what to do about it; empty when nothing can be said.
    pub(super) fn hint(&self) -> String {
        match self {
            Self::Refused { code, why, session, state } => match Code::from_name(code) {
                Some(Code::InvalidEnvelope) => invalid_hint(why, session, state.is_some()),
                Some(code) => refusal_hint(code, session),
                None => String::new(),
            },
            Self::Declined { status, .. } => status_hint(*status).to_owned(),
            Self::Unreachable { .. } => {
                "start a station with `rl-console` or `rl-console serve`, or choose another runtime with \
                 --grpc ADDR; `rl-console ls health` shows the state of the station's own"
                    .to_owned()
            }
            Self::Lost { .. } | Self::TimedOut { .. } => {
                "the message may have arrived: resend it with the same --id, and it is accepted once"
                    .to_owned()
            }
            Self::Ambiguous { .. } => "give more characters".to_owned(),
            Self::Unknown { .. } => "`rl-console ls sessions` lists them".to_owned(),
            Self::NoLog { .. } => {
                "only its own station can read it: choose the station's data folder with --data".to_owned()
            }
            Self::Some { .. } => "see the errors above".to_owned(),
        }
    }
}

const fn refusal_code(code: Code) -> &'static str {
    match code {
        Code::UnsupportedProtocolVersion => "unsupported_protocol_version",
        Code::InvalidEnvelope => "invalid_envelope",
        Code::SessionNotFound => "session_not_found",
        Code::SessionNotOpen => "session_not_open",
        Code::ModeNotSupported => "mode_not_supported",
        Code::Forbidden => "forbidden",
        Code::Unauthenticated => "unauthenticated",
        Code::DuplicateMessage => "duplicate_message",
        Code::PayloadTooLarge => "payload_too_large",
        Code::RateLimited => "rate_limited",
    }
}

/// What to do about an envelope that is refused, by what the runtime says of it. Only a session that is there
/// can be shown.
fn invalid_hint(why: &str, session: &str, is_there: bool) -> String {
    let shows = format!("`rl-console session show {session}`");
    let causes: [(&str, String); 7] = [
        ("ttl_ms", "--ttl takes 1 to 86400 seconds; without it a session takes 60".to_owned()),
        ("exists already", format!("choose another id; {shows} shows the existing one's state")),
        ("participant of the session", format!("send it --as one of its participants: {shows} lists them")),
        ("session_id", "give a session id; `rl-console ls sessions` lists them".to_owned()),
        ("message_id", "give the message an --id, or omit the flag".to_owned()),
        ("participants", "list the participants: --participant NAME, once for each".to_owned()),
        ("SessionStartPayload", "start sessions with `rl-console session start`".to_owned()),
    ];
    let found = causes.into_iter().find(|(word, _)| why.contains(word)).map(|(_, hint)| hint);
    found.unwrap_or_else(|| {
        let has = if is_there { format!("; {shows} shows its proposals and votes") } else { String::new() };
        format!("`rl-console help session send` describes each message{has}")
    })
}

fn refusal_hint(code: Code, session: &str) -> String {
    let shows = format!("`rl-console session show {session}`");
    match code {
        Code::UnsupportedProtocolVersion => {
            "the runtime speaks MACP 1.0: omit `macp_version`, or set it to \"1.0\"".to_owned()
        }
        Code::InvalidEnvelope => invalid_hint("", session, true),
        Code::SessionNotFound => {
            "no session has this id: `rl-console ls sessions` lists them, `rl-console session start` starts \
             one"
            .to_owned()
        }
        Code::SessionNotOpen => {
            format!(
                "the session is resolved, expired or cancelled; {shows} shows which, `rl-console \
                     session start` starts another"
            )
        }
        Code::ModeNotSupported => "the modes are decision and multi_round".to_owned(),
        Code::Forbidden => "the sender is not permitted to do that".to_owned(),
        Code::Unauthenticated => {
            "the runtime requires authentication, which this client does not support".to_owned()
        }
        Code::DuplicateMessage => "it was already accepted: nothing to do".to_owned(),
        Code::PayloadTooLarge => {
            "the limit of a payload is the station's `limits.macp.payload_bytes_max`".to_owned()
        }
        Code::RateLimited => "send fewer messages, or retry later".to_owned(),
    }
}

const fn status_name(status: Status) -> &'static str {
    match status {
        Status::Ok => "OK",
        Status::Cancelled => "CANCELLED",
        Status::Unknown => "UNKNOWN",
        Status::InvalidArgument => "INVALID_ARGUMENT",
        Status::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Status::NotFound => "NOT_FOUND",
        Status::AlreadyExists => "ALREADY_EXISTS",
        Status::PermissionDenied => "PERMISSION_DENIED",
        Status::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Status::FailedPrecondition => "FAILED_PRECONDITION",
        Status::Aborted => "ABORTED",
        Status::OutOfRange => "OUT_OF_RANGE",
        Status::Unimplemented => "UNIMPLEMENTED",
        Status::Internal => "INTERNAL",
        Status::Unavailable => "UNAVAILABLE",
        Status::DataLoss => "DATA_LOSS",
        Status::Unauthenticated => "UNAUTHENTICATED",
    }
}

const fn status_code(status: Status) -> &'static str {
    match status {
        Status::InvalidArgument => "invalid_argument",
        Status::NotFound => "not_found",
        Status::ResourceExhausted | Status::OutOfRange => "resource_exhausted",
        Status::Unimplemented => "unimplemented",
        Status::Unavailable => "unavailable",
        Status::Internal => "internal",
        _ => "declined",
    }
}

const fn status_hint(status: Status) -> &'static str {
    match status {
        Status::ResourceExhausted | Status::OutOfRange => {
            "a limit of the runtime is reached: see `limits.macp` in `rl-console config show`"
        }
        Status::Unavailable => {
            "resend it with the same --id, and it is accepted once; check the station's disk with \
             `rl-console doctor`"
        }
        Status::Unimplemented => "the server there is not a MACP runtime: check --grpc",
        Status::InvalidArgument => {
            "the runtime speaks another version of MACP, or did not understand the request: check --grpc"
        }
        _ => "see the station's log",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_envelope_is_hinted_at_by_its_cause() {
        let hint = |why: &str, state| {
            SessionError::Refused {
                code: "INVALID_ENVELOPE".to_owned(),
                why: why.to_owned(),
                session: "m2".to_owned(),
                state,
            }
            .hint()
        };
        assert_eq!(
            hint("ttl_ms is not between 0 and 86400000", None),
            "--ttl takes 1 to 86400 seconds; without it a session takes 60"
        );
        assert!(
            hint("the session exists already", Some("open"))
                .starts_with("choose another id; `rl-console session show m2`")
        );
        assert!(
            hint("the sender is not a participant of the session", Some("open"))
                .contains("--as one of its participants")
        );
        assert!(!hint("session_id is empty", None).contains("session show"));
        assert!(
            !hint("the payload is no Vote", None).contains("session show")
                && hint("no Vote", Some("open")).contains("session show m2")
        );
    }

    #[test]
    fn every_error_has_its_exit_code_its_code_and_says_what_to_do() {
        let text = String::new;
        let addr: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let refused = |code: &str| SessionError::Refused {
            code: code.to_owned(),
            why: text(),
            session: text(),
            state: None,
        };
        let declined = |status| SessionError::Declined { status, why: text() };
        let table = [
            (declined(Status::Unavailable), 1, "unavailable"),
            (declined(Status::ResourceExhausted), 1, "resource_exhausted"),
            (declined(Status::Unimplemented), 1, "unimplemented"),
            (declined(Status::Aborted), 1, "declined"),
            (SessionError::Unreachable { tried: vec![(addr, text())] }, 3, "unreachable"),
            (SessionError::Lost { addr, why: text() }, 3, "disconnected"),
            (SessionError::TimedOut { ms: 1 }, 4, "timed_out"),
            (SessionError::Unknown { session: text() }, 1, "unknown_session"),
            (SessionError::Ambiguous { tail: text(), sessions: vec![text()] }, 1, "ambiguous_session"),
            (SessionError::NoLog { session: text(), why: text() }, 1, "no_log"),
            (SessionError::Some { refused: 1, all: 2 }, 1, "messages_refused"),
        ];
        for (error, exit, code) in table {
            assert_eq!((error.exit() as u8, error.code()), (exit, code), "{error:?}");
            assert!(!error.hint().is_empty(), "{error:?}");
        }
        for code in Code::ALL {
            let error = refused(code.name());
            assert_eq!((error.code(), error.exit()), (code.name().to_lowercase().as_str(), Exit::Refused));
            assert!(!error.hint().is_empty(), "{error:?}");
        }
        assert_eq!(
            (refused("NEW").code(), refused("NEW").to_string()),
            ("refused", "NEW: ".to_owned()),
            "of a later runtime"
        );
    }
}
