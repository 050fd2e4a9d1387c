//! What adapters break: the text of a clause in short, and what their authors do about it.

use crate::tap::entry::mpp::Violation;

/// What the author of an adapter does about a violation.
pub(in crate::dissect) const fn violation_remedy(violation: Violation) -> &'static str {
    match violation {
        Violation::NotUtf8 | Violation::NotJson | Violation::NotObject => {
            "send one JSON object a line, in UTF-8, ended by LF"
        }
        Violation::Version => "put \"mpp\": 2 into every frame",
        Violation::NoType | Violation::UnknownType => "put one of the twelve frame types into `type`",
        Violation::HelloFirst => "send hello before anything else",
        Violation::SecondHello => "send hello once per connection; reconnect to send another",
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
        Violation::NoSuchQueue => "pull only queues of pack.toml; compare both sides' files (pack hash)",
        Violation::NotDispatchedHere => {
            "answer only ids sent on this connection; ids from before a reconnect are invalid"
        }
        Violation::AlreadyEnded => "send nothing for an id after done or failed",
        Violation::NotApplied => "send applied before done",
        Violation::AlreadyApplied => "send applied once for an id",
        Violation::RefundAfterApplied => {
            "request a refund before applied; afterwards send failed without one"
        }
        Violation::UndeclaredKey => "declare the key in pack.toml, [state.<key>], on both sides",
        Violation::NotTheWriter => "leave the key to the platform, or declare writer = \"adapter\"",
        Violation::StateSchema => "send a value that fits the key's schema",
        Violation::StateTooLarge => "keep persisted values small: all of them go into one hello_ack",
        Violation::TooLarge => "keep a line below 65,536 bytes, its LF included",
        Violation::TooSlow => "send a line in one piece, its LF included (limits.mpp.frame_ms_max)",
    }
}

/// The text of a clause of the bridge, in short.
pub(in crate::dissect) fn clause_text(clause: &str) -> Option<&'static str> {
    Some(match clause {
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
        _ => return None,
    })
}
