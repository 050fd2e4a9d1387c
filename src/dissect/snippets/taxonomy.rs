//! The errors of every protocol, each with the snippet that leads to it, or why none does.

use std::borrow::Cow;

use super::words::SnippetLink;
use crate::{
    macp::{Fault, Status},
    rmp::{Code, Refusal, dialect::JsonRefusal},
    tap::entry::{
        mpp::{HelloReason, Violation},
        plugin::{Code as PluginCode, Violation as PluginViolation},
    },
};

/// An error of a taxonomy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TaxonomyError {
    /// A hello was refused (mpp-v2, `hello_ack`).
    Hello(HelloReason),
    /// The bridge ended a connection (mpp-v2, `protocol_error`).
    Bridge(Violation),
    /// A frame of the bus was refused (rmp-v0 §7; ruling RMP 1).
    Bus(Refusal),
    /// The same in the JSON dialect (ruling RMP 16).
    Json(JsonRefusal),
    /// A message was rejected (macp-v1, Error Codes).
    Message(Fault),
    /// A call ended with a status.
    Call(Status),
    /// A request of a plugin was refused (streamnook-plugin-v1, Errors).
    Plugin(PluginCode),
    /// A frame ended a plugin's process (ruling Plugins 5).
    Framing(PluginViolation),
}

/// What leads to an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Example {
    /// The snippet of this name.
    Snippet(&'static str),
    /// No frame does, for this reason.
    None(&'static str),
}

use Example::{None as Nothing, Snippet as Of};

/// What MACP defines and nothing here leads to.
const NO_TRIGGER: &str = "nothing leads to it here (ruling MACP 8)";

impl TaxonomyError {
    /// All of them, by link.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let of_bridge = HelloReason::ALL.map(Self::Hello).into_iter().chain(Violation::ALL.map(Self::Bridge));
        let of_bus = Code::ALL.into_iter().map(Refusal::Fault).chain(Refusal::OF_SESSION).map(Self::Bus);
        let of_sessions = Fault::ALL.map(Self::Message).into_iter().chain(Status::ALL.map(Self::Call));
        let of_plugins = PluginCode::ALL.map(Self::Plugin).into_iter();
        let of_plugins = of_plugins.chain(PluginViolation::ALL.map(Self::Framing));
        of_bridge.chain(of_bus).chain(json_forms().map(Self::Json)).chain(of_sessions).chain(of_plugins)
    }

    /// Its name in its taxonomy.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Hello(reason) => reason.code(),
            Self::Bridge(violation) => violation.code().code(),
            Self::Bus(refusal) => refusal.name(),
            Self::Json(form) => json_name(form),
            Self::Message(fault) => fault.name(),
            Self::Call(status) => status.name(),
            Self::Plugin(code) => code.name(),
            Self::Framing(violation) => violation.name(),
        }
    }

    /// What a client is told in its place, where that is another name (macp-v1, Error Codes) or a number
    /// (streamnook-plugin-v1, Errors).
    pub(crate) fn wire_name(&self) -> Option<Cow<'static, str>> {
        match self {
            Self::Message(fault) => Some(fault.code().name().into()),
            Self::Plugin(code) => Some(code.number().to_string().into()),
            _ => None,
        }
    }

    /// Whose frames lead to it.
    pub(crate) const fn link(&self) -> SnippetLink {
        match self {
            Self::Hello(_) | Self::Bridge(_) => SnippetLink::Mpp,
            Self::Bus(_) | Self::Json(_) => SnippetLink::Rmp,
            Self::Message(_) | Self::Call(_) => SnippetLink::Macp,
            Self::Plugin(_) | Self::Framing(_) => SnippetLink::Plugin,
        }
    }

    /// What leads to it.
    pub(crate) const fn example(&self) -> Example {
        match self {
            Self::Hello(reason) => of_hello(*reason),
            Self::Bridge(violation) => of_violation(*violation),
            Self::Bus(refusal) => of_refusal(*refusal),
            Self::Json(form) => of_json(form),
            Self::Message(fault) => of_fault(*fault),
            Self::Call(status) => of_status(*status),
            Self::Plugin(code) => of_plugin(*code),
            Self::Framing(violation) => of_framing(*violation),
        }
    }
}

const fn of_hello(reason: HelloReason) -> Example {
    Of(match reason {
        HelloReason::UnsupportedMppVersion => "mpp/unsupported-mpp-version",
        HelloReason::Unpaired => "mpp/unpaired",
        HelloReason::InvalidToken => "mpp/invalid-token",
        HelloReason::PackIdMismatch => "mpp/pack-id-mismatch",
        HelloReason::ManifestHashMismatch => "mpp/manifest-hash-mismatch",
        HelloReason::AlreadyConnected => "mpp/already-connected",
    })
}

const fn of_violation(violation: Violation) -> Example {
    Of(match violation {
        Violation::NotUtf8 => "mpp/not-utf8",
        Violation::NotJson => "mpp/not-json",
        Violation::NotObject => "mpp/not-object",
        Violation::Version => "mpp/version",
        Violation::NoType => "mpp/no-type",
        Violation::UnknownType => "mpp/unknown-type",
        Violation::HelloFirst => "mpp/hello-first",
        Violation::SecondHello => "mpp/second-hello",
        Violation::WrongDirection => "mpp/wrong-direction",
        Violation::Missing(_) => "mpp/missing",
        Violation::Mistyped(_) => "mpp/mistyped",
        Violation::AlreadyParked => "mpp/already-parked",
        Violation::StillInFlight => "mpp/still-in-flight",
        Violation::NoSuchQueue => "mpp/no-such-queue",
        Violation::NotDispatchedHere => "mpp/not-dispatched-here",
        Violation::AlreadyEnded => "mpp/already-ended",
        Violation::NotApplied => "mpp/not-applied",
        Violation::AlreadyApplied => "mpp/already-applied",
        Violation::RefundAfterApplied => "mpp/refund-after-applied",
        Violation::UndeclaredKey => "mpp/undeclared-key",
        Violation::NotTheWriter => "mpp/not-the-writer",
        Violation::StateSchema => "mpp/state-schema",
        Violation::StateTooLarge => "mpp/state-too-large",
        Violation::TooLarge => "mpp/too-large",
        Violation::TooSlow => "mpp/too-slow",
    })
}

const fn of_refusal(refusal: Refusal) -> Example {
    Of(match refusal {
        Refusal::Fault(Code::InvalidMagic) => "rmp/invalid-magic",
        Refusal::Fault(Code::UnsupportedVersion) => "rmp/unsupported-version",
        Refusal::Fault(Code::TruncatedHeader) => "rmp/truncated-header",
        Refusal::Fault(Code::InvalidHeaderFlags) => "rmp/invalid-header-flags",
        Refusal::Fault(Code::LengthMismatch) => "rmp/length-mismatch",
        Refusal::Fault(Code::UnknownSchema) => "rmp/unknown-schema",
        Refusal::Fault(Code::BodyTooLarge) => "rmp/body-too-large",
        Refusal::Fault(Code::InvalidTtl) => "rmp/invalid-ttl",
        Refusal::Fault(Code::InvalidExpiry) => "rmp/invalid-expiry",
        Refusal::Fault(Code::Expired) => "rmp/expired",
        Refusal::Fault(Code::Duplicate) => "rmp/duplicate",
        Refusal::Fault(Code::BodyDecodeError) => "rmp/body-decode-error",
        Refusal::Fault(Code::BodyTypeMismatch) => "rmp/body-type-mismatch",
        Refusal::Forbidden => "rmp/forbidden",
        Refusal::InvalidTopic => "rmp/invalid-topic",
        Refusal::NotSubscribed => "rmp/not-subscribed",
        Refusal::Unauthorized => "rmp/unauthorized",
        Refusal::Busy => "rmp/busy",
    })
}

const fn of_json(form: &JsonRefusal) -> Example {
    Of(match form {
        JsonRefusal::Closed => return Nothing("the bus is stopping: no frame leads to it"),
        JsonRefusal::BackpressureTimeout { .. } => {
            return Nothing("a publisher is never held: what does not fit is dropped (ruling RMP 8)");
        }
        JsonRefusal::MessageExpired => "rmp/json-message-expired",
        JsonRefusal::InvalidTtl => "rmp/json-invalid-ttl",
        JsonRefusal::BodyLengthMismatch { .. } => "rmp/json-body-length-mismatch",
        JsonRefusal::Forbidden(_) => "rmp/json-forbidden",
        JsonRefusal::BodyTypeMismatch { .. } => "rmp/json-body-type-mismatch",
        JsonRefusal::InvalidExpiry { .. } => "rmp/json-invalid-expiry",
        JsonRefusal::UnknownSchema(_) => "rmp/json-unknown-schema",
    })
}

/// A refusal of every form.
fn json_forms() -> impl Iterator<Item = JsonRefusal> {
    [
        JsonRefusal::Closed,
        JsonRefusal::MessageExpired,
        JsonRefusal::InvalidTtl,
        JsonRefusal::BodyLengthMismatch { expected: 0, actual: 0 },
        JsonRefusal::BackpressureTimeout { topic: String::new() },
        JsonRefusal::Forbidden(String::new()),
        JsonRefusal::BodyTypeMismatch { expected: 0, actual: String::new() },
        JsonRefusal::InvalidExpiry { created_at_ms: 0, ttl_ms: 0 },
        JsonRefusal::UnknownSchema(0),
    ]
    .into_iter()
}

const fn json_name(form: &JsonRefusal) -> &'static str {
    match form {
        JsonRefusal::Closed => "Closed",
        JsonRefusal::MessageExpired => "MessageExpired",
        JsonRefusal::InvalidTtl => "InvalidTtl",
        JsonRefusal::BodyLengthMismatch { .. } => "BodyLengthMismatch",
        JsonRefusal::BackpressureTimeout { .. } => "BackpressureTimeout",
        JsonRefusal::Forbidden(_) => "Forbidden",
        JsonRefusal::BodyTypeMismatch { .. } => "BodyTypeMismatch",
        JsonRefusal::InvalidExpiry { .. } => "InvalidExpiry",
        JsonRefusal::UnknownSchema(_) => "UnknownSchema",
    }
}

const fn of_fault(fault: Fault) -> Example {
    Of(match fault {
        Fault::Forbidden | Fault::Unauthenticated | Fault::DuplicateMessage | Fault::RateLimited => {
            return Nothing(NO_TRIGGER);
        }
        Fault::InvalidModeState => {
            return Nothing("the state of a mode is the station's own: only a damaged store leads to it");
        }
        Fault::InvalidMacpVersion => "macp/invalid-macp-version",
        Fault::InvalidEnvelope => "macp/invalid-envelope",
        Fault::DuplicateSession => "macp/duplicate-session",
        Fault::InvalidTtl => "macp/invalid-ttl",
        Fault::InvalidPayload => "macp/invalid-payload",
        Fault::UnknownSession => "macp/unknown-session",
        Fault::SessionNotOpen => "macp/session-not-open",
        Fault::TtlExpired => "macp/ttl-expired",
        Fault::UnknownMode => "macp/unknown-mode",
        Fault::PayloadTooLarge => "macp/payload-too-large",
    })
}

const fn of_status(status: Status) -> Example {
    Of(match status {
        Status::DeadlineExceeded => {
            return Nothing("a message whose bytes do not come in time leads to it, whatever they are");
        }
        Status::InvalidArgument => "macp/invalid-argument",
        Status::NotFound => "macp/not-found",
        Status::Unimplemented => "macp/unimplemented",
        Status::ResourceExhausted => "macp/resource-exhausted",
        Status::Internal => "macp/internal",
        Status::Unavailable => "macp/unavailable",
    })
}

const fn of_plugin(code: PluginCode) -> Example {
    Of(match code {
        PluginCode::InternalError => {
            return Nothing(
                "the answer to a call that was accepted: a result over 4 MiB, or a credential whose handover \
                 the store does not keep",
            );
        }
        PluginCode::ParseError => "plugin/parse-error",
        PluginCode::InvalidRequest => "plugin/invalid-request",
        PluginCode::MethodNotFound => "plugin/method-not-found",
        PluginCode::InvalidParams => "plugin/invalid-params",
        PluginCode::CapabilityDenied => "plugin/capability-denied",
        PluginCode::ConsentDenied => "plugin/consent-denied",
        PluginCode::UnknownStream => "plugin/unknown-stream",
        PluginCode::RateLimited => "plugin/rate-limited",
        PluginCode::ShuttingDown => "plugin/shutting-down",
        PluginCode::CredentialUnavailable => "plugin/credential-unavailable",
    })
}

const fn of_framing(violation: PluginViolation) -> Example {
    Of(match violation {
        PluginViolation::EndInFrame => {
            return Nothing("its own end leads to it: what is sent in its place ends nothing");
        }
        PluginViolation::NoLength => "plugin/no-length",
        PluginViolation::TwoLengths => "plugin/two-lengths",
        PluginViolation::LengthNotDecimal => "plugin/length-not-decimal",
        PluginViolation::NoColon => "plugin/no-colon",
        PluginViolation::HeadersTooLong => "plugin/headers-too-long",
        PluginViolation::BodyTooLong => "plugin/body-too-long",
    })
}
