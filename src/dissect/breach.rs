//! What peers break: the clause, its text in short, what was wrong, and what their authors do about it.

use crate::{
    dissect::rmp::clauses,
    rmp::Refusal,
    tap::entry::mpp::{ErrorCode, Fault, HelloReason, Violation},
};

/// A breach by a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breach {
    /// Its connection was ended by `protocol_error`.
    Protocol(ErrorCode, Violation),
    /// Its `hello` was refused.
    Hello(HelloReason),
    /// It sent no `hello` in time.
    HelloTimeout,
    /// It ended its connection by `protocol_error` itself.
    ByAdapter,
    /// A frame of it on the bus was refused.
    Bus(Refusal),
    /// It connected to the bus and said no `Hello` in time.
    BusHelloTimeout,
}

const HELLO: &str = "mpp-v2, hello";
const VERSION: &str = "mpp-v2, version";
const REASONS: &str = "mpp-v2, hello_ack reasons";
const BY_ADAPTER: &str = "mpp-v2, protocol_error";

impl From<Fault> for Breach {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Hello(reason) => Self::Hello(reason),
            Fault::Protocol { code, violation } => Self::Protocol(code, violation),
            Fault::ByAdapter => Self::ByAdapter,
        }
    }
}

impl Breach {
    /// The clause.
    pub(crate) const fn clause(self) -> &'static str {
        match self {
            Self::Protocol(_, violation) => violation.clause(),
            Self::Hello(HelloReason::UnsupportedMppVersion) => VERSION,
            Self::Hello(_) => REASONS,
            Self::HelloTimeout => HELLO,
            Self::ByAdapter => BY_ADAPTER,
            Self::Bus(refusal) => refusal.clause(),
            Self::BusHelloTimeout => Refusal::Unauthorized.clause(),
        }
    }

    /// What was wrong.
    pub(crate) fn text(self) -> String {
        match self {
            Self::Protocol(code, violation) => format!("{}: {violation}", code.code()),
            Self::Hello(reason) => format!("hello refused: {}", reason.code()),
            Self::HelloTimeout => "no hello came within 10 s".to_owned(),
            Self::BusHelloTimeout => "no Hello came within 10 s".to_owned(),
            Self::Bus(Refusal::Fault(code)) => {
                format!("{}: {}", code.name(), code.says().trim_end_matches('.'))
            }
            Self::Bus(refusal) => refusal.name().to_owned(),
            Self::ByAdapter => "the adapter ended it by protocol_error".to_owned(),
        }
    }

    /// What the author of the peer does about it; refused handshakes have remedies of their own.
    pub(crate) const fn remedy(self) -> Option<&'static str> {
        Some(match self {
            Self::Hello(_) => return None,
            Self::Bus(refusal) => clauses::refusal_remedy(refusal),
            Self::BusHelloTimeout => clauses::refusal_remedy(Refusal::Unauthorized),
            Self::HelloTimeout => {
                "send hello as the first line, at once after connecting, and end it with LF"
            }
            Self::ByAdapter => "read what it said in its log: the adapter itself gave up",
            Self::Protocol(_, violation) => match violation {
                Violation::NotUtf8 | Violation::NotJson | Violation::NotObject => {
                    "send one JSON object a line, in UTF-8, ended by LF"
                }
                Violation::Version => "put \"mpp\": 2 into every frame",
                Violation::NoType | Violation::UnknownType => "put one of the twelve frame types into `type`",
                Violation::HelloFirst => "send hello before anything else",
                Violation::SecondHello => "send hello once a connection; close it to begin anew",
                Violation::WrongDirection => {
                    "send only what an adapter sends: hello, pull, ack, applied, done, failed, log, state_write"
                }
                Violation::Missing(_) | Violation::Mistyped(_) => {
                    "fill in every field of the frame with the type that its table names"
                }
                Violation::AlreadyParked => "send one pull for a queue, and wait for its invocation",
                Violation::StillInFlight => {
                    "send the next pull once the invocation has reached the queue's ready_after"
                }
                Violation::NoSuchQueue => {
                    "pull only queues of pack.toml; compare both sides' files (pack hash)"
                }
                Violation::NotDispatchedHere => {
                    "answer only ids that this connection was sent; after a reconnect the old ones are gone"
                }
                Violation::AlreadyEnded => "send nothing for an id after done or failed",
                Violation::NotApplied => "send applied before done",
                Violation::AlreadyApplied => "send applied once for an id",
                Violation::RefundAfterApplied => {
                    "ask for a refund before applied; afterwards send failed without one"
                }
                Violation::UndeclaredKey => "declare the key in pack.toml, [state.<key>], on both sides",
                Violation::NotTheWriter => "leave the key to the platform, or declare writer = \"adapter\"",
                Violation::StateSchema => "send a value that the key's schema takes",
                Violation::StateTooLarge => "keep what persists small: all of it goes into one hello_ack",
                Violation::TooLarge => "keep a line below 65,536 bytes, its LF included",
            },
        })
    }
}

/// A clause and its text. A ruling is known to this program alone: its text is all there is.
pub(crate) fn clause_with_text(clause: &str) -> String {
    if clause.starts_with("ruling ") {
        clause_text(clause).to_owned()
    } else {
        format!("{clause}: {}", clause_text(clause))
    }
}

/// What a clause is called where there is no room for its text.
pub(crate) fn clause_name(clause: &str) -> &str {
    match clause.split_once(", ruling ") {
        Some((specified, _)) => specified,
        None if clause.starts_with("ruling RMP") => "the bus's rules",
        None if clause.starts_with("ruling ") => "the bridge's rules",
        None => clause,
    }
}

/// The text of a clause, in short.
pub(crate) fn clause_text(clause: &str) -> &'static str {
    match clause {
        "mpp-v2, framing" => {
            "One JSON object a line in UTF-8, ended by one LF, at most 65,536 bytes with it. A longer line closes the connection."
        }
        "mpp-v2, protocol_error codes" => {
            "INVALID_FRAME: the JSON does not parse, `mpp` or `type` is missing, or `type` is unknown. protocol_error is always fatal."
        }
        "mpp-v2, version" => "Every frame has \"mpp\": 2. There is no compatibility with MPP v1.",
        "mpp-v2, hello" => {
            "The adapter sends hello as the first frame, once, within 10 seconds of connecting."
        }
        "mpp-v2, hello_ack reasons" => {
            "Token, pack_id and manifest_hash must be the bridge's, and no other adapter may be active; else hello_ack has ok: false."
        }
        "mpp-v2, protocol_error" => {
            "A protocol_error from the adapter is fatal: it is logged and the connection is closed."
        }
        "mpp-v2, frame directions" => "hello_ack and invocation go from the bridge to the adapter only.",
        "mpp-v2, frame fields" => {
            "Every field that a frame's table requires is there, with its type and within its enumeration."
        }
        "mpp-v2, pull" => {
            "A pull grants one credit on a queue of the manifest. The next one waits until the invocation has reached the queue's ready_after."
        }
        "mpp-v2, error scenarios" => {
            "ack, applied, done and failed name an id that this connection was sent; else UNKNOWN_INVOCATION_ID."
        }
        "mpp-v2, done" => {
            "done and failed are terminal: no further frame for this id is expected or honoured."
        }
        "mpp-v2 §9.1" => {
            "pending, dispatched, applied, done; or dispatched to failed, or to refunded by failed with refund: true."
        }
        "mpp-v2, state_write" => {
            "The key is declared, the adapter is its writer, and the value fits its schema."
        }
        "ruling MPP 4" => {
            "A state_write is refused when the next hello_ack would exceed one frame, so that no adapter locks itself out."
        }
        clause => clauses::clause_text(clause),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_clause_has_a_text_and_every_breach_a_remedy() {
        let violations = [
            Violation::NotUtf8,
            Violation::NotJson,
            Violation::NotObject,
            Violation::Version,
            Violation::NoType,
            Violation::UnknownType,
            Violation::HelloFirst,
            Violation::SecondHello,
            Violation::WrongDirection,
            Violation::Missing("id"),
            Violation::Mistyped("id"),
            Violation::AlreadyParked,
            Violation::StillInFlight,
            Violation::NoSuchQueue,
            Violation::NotDispatchedHere,
            Violation::AlreadyEnded,
            Violation::NotApplied,
            Violation::AlreadyApplied,
            Violation::RefundAfterApplied,
            Violation::UndeclaredKey,
            Violation::NotTheWriter,
            Violation::StateSchema,
            Violation::StateTooLarge,
            Violation::TooLarge,
        ];
        let breaches = violations.map(|violation| Breach::Protocol(ErrorCode::InvalidFrame, violation));
        let others =
            HelloReason::ALL.map(Breach::Hello).into_iter().chain([Breach::HelloTimeout, Breach::ByAdapter]);
        for breach in breaches.into_iter().chain(others) {
            assert!(!clause_text(breach.clause()).is_empty(), "{}", breach.clause());
            assert!(breach.remedy().is_some() || matches!(breach, Breach::Hello(_)));
        }
    }
}
