//! What plugins break: the clause, its text in short, and what their authors do about it.

use crate::tap::entry::plugin::{Code, Lint, Violation};

const TRANSPORT: &str = "streamnook-plugin-v1, Transport";
const HANDSHAKE: &str = "streamnook-plugin-v1, Handshake";
const SHUTDOWN: &str = "streamnook-plugin-v1, Shutdown";
const HEALTH: &str = "streamnook-plugin-v1, Health and restarts";
const ERRORS: &str = "streamnook-plugin-v1, Errors";
const VERSIONING: &str = "streamnook-plugin-v1, Versioning rules";
const FRAMES: &str = "ruling Plugins 5";
const ORDER: &str = "ruling Plugins 2";
const STOPPING: &str = "ruling Plugins 6";
const CREDENTIALS: &str = "ruling Plugins 10";
const RATES: &str = "ruling Plugins 11";
const PANELS: &str = "ruling Plugins 12";
const STATUS: &str = "ruling Plugins 15";

/// The clause of a violation.
pub(in crate::dissect) const fn violation_clause(violation: Violation) -> &'static str {
    match violation {
        Violation::BodyTooLong | Violation::NoLength => TRANSPORT,
        Violation::TwoLengths
        | Violation::LengthNotDecimal
        | Violation::NoColon
        | Violation::HeadersTooLong
        | Violation::EndInFrame => FRAMES,
    }
}

/// The clause of a lint.
pub(in crate::dissect) const fn lint_clause(lint: Lint) -> &'static str {
    match lint {
        Lint::BareLf | Lint::AnswerVersion | Lint::AnswerShape | Lint::UnmatchedAnswer => TRANSPORT,
        Lint::NotARequest | Lint::UnknownNotification | Lint::NotificationParams => ORDER,
        Lint::NotGranted => VERSIONING,
        Lint::Hooks | Lint::HookNotGranted | Lint::PluginVersion => HANDSHAKE,
        Lint::LogParams => RATES,
        Lint::UndeclaredSlot | Lint::StatusTooLong => STATUS,
        Lint::Panel => PANELS,
        Lint::PingError => HEALTH,
        Lint::ExitCode => SHUTDOWN,
        Lint::TokenReturned => CREDENTIALS,
    }
}

/// The clause by which a request is refused.
pub(in crate::dissect) const fn code_clause(code: Code) -> &'static str {
    match code {
        Code::ParseError | Code::InvalidRequest => TRANSPORT,
        Code::MethodNotFound | Code::InvalidParams | Code::InternalError | Code::UnknownStream => ERRORS,
        Code::CapabilityDenied => VERSIONING,
        Code::ConsentDenied | Code::CredentialUnavailable => CREDENTIALS,
        Code::RateLimited => RATES,
        Code::ShuttingDown => STOPPING,
    }
}

/// What the author of a plugin does about a violation.
pub(in crate::dissect) const fn violation_remedy(violation: Violation) -> &'static str {
    match violation {
        Violation::NoLength | Violation::TwoLengths => {
            "begin each message with one Content-Length header; print nothing else to stdout"
        }
        Violation::LengthNotDecimal => "send Content-Length as decimal digits",
        Violation::NoColon => "print logs to stderr: stdout carries messages only",
        Violation::HeadersTooLong => "send Content-Length alone: headers have at most 4,096 bytes",
        Violation::BodyTooLong => "keep a message within 4 MiB",
        Violation::EndInFrame => "write a message whole, and flush it, before the process ends",
    }
}

/// What the author of a plugin does about a lint.
pub(in crate::dissect) const fn lint_remedy(lint: Lint) -> &'static str {
    match lint {
        Lint::BareLf => "end header lines with CRLF",
        Lint::AnswerVersion => "put \"jsonrpc\": \"2.0\" into every message",
        Lint::AnswerShape => "answer with either result or error",
        Lint::UnmatchedAnswer => "answer each request once, with its id",
        Lint::NotARequest => "send an id with a method that has a result",
        Lint::UnknownNotification => "send only methods of the catalogue",
        Lint::NotGranted => "call only what initialize grants",
        Lint::NotificationParams => "send the params that the method names",
        Lint::Hooks => "answer initialize with hooks, a list of event names",
        Lint::HookNotGranted => "name only hooks of granted.events",
        Lint::PluginVersion => "answer initialize with plugin_version",
        Lint::LogParams => "send level and message with log",
        Lint::UndeclaredSlot => "declare the slot in contributes.status of plugin.toml",
        Lint::StatusTooLong => "keep status values short (limits.plugin.status_bytes_max)",
        Lint::Panel => "compare the panel's schema with the field types of the specification",
        Lint::PingError => "answer ping with {}",
        Lint::ExitCode => "end with exit code 0 after exit",
        Lint::TokenReturned => "keep credentials out of logs, notices, status and messages",
    }
}

/// The text of a clause of the plugin host, in short.
pub(in crate::dissect) fn clause_text(clause: &str) -> Option<&'static str> {
    Some(match clause {
        TRANSPORT => {
            "stdin and stdout carry messages only: Content-Length, an empty line, that many bytes of JSON, at most 4 MiB. A request has exactly one response."
        }
        HANDSHAKE => {
            "initialize is answered within 10 s with plugin_version and hooks, a subset of granted.events."
        }
        SHUTDOWN => "shutdown is answered with null; after exit the process ends with code 0 within 5 s.",
        HEALTH => {
            "ping comes every 30 s and is answered with {}; the third miss in a row restarts the plugin."
        }
        VERSIONING => "A plugin calls no method and relies on no event outside its granted set.",
        FRAMES => {
            "No or two lengths, a length that is not decimal, a line without colon, headers over 4,096 bytes, a body over 4,194,304 bytes, or the end within a frame ends the process."
        }
        ORDER => {
            "A request method without id, an unknown notification, and one outside the grant or with wrong params are dropped."
        }
        ERRORS => {
            "The codes of JSON-RPC 2.0 apply; -32002 is a stream_id that does not match an active relay session."
        }
        STOPPING => "A request while the plugin is stopped is answered by -32004 and not performed.",
        CREDENTIALS => {
            "No source: credential_unavailable. Declined, revoked or not answered in 120 s: consent_denied. A credential that was handed over is masked wherever the plugin brings it back."
        }
        RATES => {
            "notify: 3 at once, then one per 10 s; 64 calls may wait. level and message are required; in log they default to info and are noted."
        }
        PANELS => {
            "Title, sections, fields, keys, types, labels and options are checked; all else is noted and accepted."
        }
        STATUS => "A status value has at most 64 KiB and one of the declared slots.",
        _ => return None,
    })
}
