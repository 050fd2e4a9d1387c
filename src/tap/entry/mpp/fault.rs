//! What the bridge makes of frames and connections: verdicts, the error taxonomy, the causes of a close.

use crate::{admission::TurnedAway, tap::entry::names::names};

/// What the bridge made of an inbound frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was taken.
    Accepted,
    /// It ended the connection.
    Refused(Fault),
    /// It arrived after its connection was closed by us, and was not looked at.
    TooLate,
}

/// Why a connection is ended over a frame, and how the adapter is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The handshake is refused by `hello_ack` with `ok: false`.
    #[error("hello refused: {}", .0.code())]
    Hello(HelloReason),
    /// The connection is ended by `protocol_error`.
    #[error("{}: {violation}", .code.code())]
    Protocol {
        /// The `code` that is sent.
        code: ErrorCode,
        /// The exact breach.
        violation: Violation,
    },
    /// The adapter sent `protocol_error` itself; nothing is answered.
    #[error("the adapter ended it by protocol_error")]
    ByAdapter,
}

names! {
    /// The reason codes of a refused `hello` (mpp-v2, `hello_ack`), in the order of their checks after the
    /// version (ruling MPP 2).
    HelloReason {
        /// `mpp` is not 2.
        UnsupportedMppVersion = "unsupported_mpp_version",
        /// This station has no pairing.
        Unpaired = "unpaired",
        /// The token does not match.
        InvalidToken = "invalid_token",
        /// Another pack.
        PackIdMismatch = "pack_id_mismatch",
        /// Another manifest.
        ManifestHashMismatch = "manifest_hash_mismatch",
        /// Another adapter is active.
        AlreadyConnected = "already_connected",
    }
}

impl HelloReason {
    /// The value of `reason` on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.name()
    }
}

names! {
    /// The codes of `protocol_error` (mpp-v2, its codes).
    ErrorCode {
        /// Not a frame, or not one that may come here.
        InvalidFrame = "INVALID_FRAME",
        /// An id that this connection was not sent.
        UnknownInvocationId = "UNKNOWN_INVOCATION_ID",
        /// A queue that the manifest lacks.
        UnknownQueue = "UNKNOWN_QUEUE",
        /// A value that its schema refuses.
        SchemaViolation = "SCHEMA_VIOLATION",
        /// A frame that does not follow from the invocation's state.
        UnexpectedStateTransition = "UNEXPECTED_STATE_TRANSITION",
        /// A line over 64 KiB.
        FrameTooLarge = "FRAME_TOO_LARGE",
    }
}

impl ErrorCode {
    /// The value of `code` on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.name()
    }
}

/// The exact breach behind a `protocol_error`; each names its clause. The text of MPP v2 numbers few of its
/// sections, so clauses are named by their subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Violation {
    /// Bytes that are not UTF-8.
    #[error("the line is not UTF-8")]
    NotUtf8,
    /// A line that is not one JSON value.
    #[error("the line is not JSON")]
    NotJson,
    /// A JSON value that is not an object.
    #[error("the line is not a JSON object")]
    NotObject,
    /// After the handshake: `mpp` is missing or not 2.
    #[error("`mpp` is missing or not 2")]
    Version,
    /// `type` is missing or not a string.
    #[error("`type` is missing or not a string")]
    NoType,
    /// `type` names no frame of MPP v2.
    #[error("unknown type")]
    UnknownType,
    /// The first frame is not `hello`.
    #[error("the first frame is not a hello")]
    HelloFirst,
    /// A `hello` after the handshake.
    #[error("a second hello")]
    SecondHello,
    /// A frame that only the bridge sends.
    #[error("a type that only the bridge sends")]
    WrongDirection,
    /// A required field is absent.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field has the wrong JSON type or lies outside its enumeration.
    #[error("`{0}` has the wrong type or value")]
    Mistyped(&'static str),
    /// A pull for a queue that already has one parked.
    #[error("a pull is already parked on this queue")]
    AlreadyParked,
    /// A pull for a queue whose invocation has not reached `ready_after`.
    #[error("the queue's invocation is still in flight")]
    StillInFlight,
    /// A pull for a queue that the manifest lacks.
    #[error("the manifest has no such queue")]
    NoSuchQueue,
    /// An id that this connection was not sent.
    #[error("this connection was not sent this id")]
    NotDispatchedHere,
    /// A frame for an invocation that has ended.
    #[error("the invocation has ended")]
    AlreadyEnded,
    /// `done` before `applied`.
    #[error("done before applied")]
    NotApplied,
    /// `applied` twice.
    #[error("applied twice")]
    AlreadyApplied,
    /// `failed` with `refund: true` after `applied`.
    #[error("a refund after applied")]
    RefundAfterApplied,
    /// A `state_write` to an undeclared key.
    #[error("the manifest declares no such state key")]
    UndeclaredKey,
    /// A `state_write` to a key that the platform writes.
    #[error("the adapter is not this key's writer")]
    NotTheWriter,
    /// A `state_write` whose value its schema refuses.
    #[error("the value does not fit the key's schema")]
    StateSchema,
    /// A `state_write` that would make the next `hello_ack` too large (ruling MPP 4).
    #[error("the value would make the next hello_ack exceed one frame")]
    StateTooLarge,
    /// A line of 65,536 bytes or more.
    #[error("the line exceeds 65536 bytes")]
    TooLarge,
    /// A line whose LF did not come within `limits.mpp.frame_ms_max` of its first byte.
    #[error("the line did not become whole in time")]
    TooSlow,
}

impl Violation {
    /// All of them; those of a field name `id`.
    pub const ALL: [Self; 25] = [
        Self::NotUtf8,
        Self::NotJson,
        Self::NotObject,
        Self::Version,
        Self::NoType,
        Self::UnknownType,
        Self::HelloFirst,
        Self::SecondHello,
        Self::WrongDirection,
        Self::Missing("id"),
        Self::Mistyped("id"),
        Self::AlreadyParked,
        Self::StillInFlight,
        Self::NoSuchQueue,
        Self::NotDispatchedHere,
        Self::AlreadyEnded,
        Self::NotApplied,
        Self::AlreadyApplied,
        Self::RefundAfterApplied,
        Self::UndeclaredKey,
        Self::NotTheWriter,
        Self::StateSchema,
        Self::StateTooLarge,
        Self::TooLarge,
        Self::TooSlow,
    ];

    /// The code that it is reported with (mpp-v2, `protocol_error`).
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::NoSuchQueue => ErrorCode::UnknownQueue,
            Self::NotDispatchedHere => ErrorCode::UnknownInvocationId,
            Self::AlreadyEnded | Self::NotApplied | Self::AlreadyApplied | Self::RefundAfterApplied => {
                ErrorCode::UnexpectedStateTransition
            }
            Self::StateSchema | Self::StateTooLarge => ErrorCode::SchemaViolation,
            Self::TooLarge => ErrorCode::FrameTooLarge,
            Self::NotUtf8
            | Self::NotJson
            | Self::NotObject
            | Self::Version
            | Self::NoType
            | Self::UnknownType
            | Self::HelloFirst
            | Self::SecondHello
            | Self::WrongDirection
            | Self::Missing(_)
            | Self::Mistyped(_)
            | Self::AlreadyParked
            | Self::StillInFlight
            | Self::UndeclaredKey
            | Self::NotTheWriter
            | Self::TooSlow => ErrorCode::InvalidFrame,
        }
    }

    /// The clause that was broken.
    #[must_use]
    pub const fn clause(self) -> &'static str {
        match self {
            Self::NotUtf8 | Self::TooLarge | Self::TooSlow => "mpp-v2, framing",
            Self::NotJson | Self::NotObject | Self::NoType | Self::UnknownType => {
                "mpp-v2, protocol_error codes"
            }
            Self::Version => "mpp-v2, version",
            Self::HelloFirst | Self::SecondHello => "mpp-v2, hello",
            Self::WrongDirection => "mpp-v2, frame directions",
            Self::Missing(_) | Self::Mistyped(_) => "mpp-v2, frame fields",
            Self::AlreadyParked | Self::StillInFlight | Self::NoSuchQueue => "mpp-v2, pull",
            Self::NotDispatchedHere => "mpp-v2, error scenarios",
            Self::AlreadyEnded => "mpp-v2, done",
            Self::NotApplied | Self::AlreadyApplied | Self::RefundAfterApplied => "mpp-v2 §9.1",
            Self::UndeclaredKey | Self::NotTheWriter | Self::StateSchema => "mpp-v2, state_write",
            Self::StateTooLarge => "ruling MPP 4",
        }
    }
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseCause {
    /// The adapter closed it (FIN).
    PeerClosed,
    /// Reading failed (RST among others).
    ReadFailed,
    /// Writing failed.
    WriteFailed,
    /// No `hello` came within 10 s (mpp-v2, hello).
    HelloTimeout,
    /// A frame ended it.
    Fault(Fault),
    /// The adapter did not read, and the write buffer reached its limit.
    NotReading,
    /// A write could not leave for 30 s (ruling MPP 16).
    WriteStalled,
    /// An operator kicked it.
    Kicked,
    /// `limits.mpp.connections_max` was reached by connections that have said hello.
    TooManyConnections,
    /// It had not said hello, was the oldest of those, and another needed its place.
    MadeRoom,
    /// Its address has `limits.mpp.peer_connections_max` connections.
    TooManyOfPeer,
    /// `limits.mpp.receiving_bytes_max` was reached, and its unfinished line was the longest.
    ReceivingFull,
    /// The station is going down.
    Shutdown,
}

impl CloseCause {
    /// As scripts compare it: the protocol's own code where there is one.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::PeerClosed => "peer_closed",
            Self::ReadFailed => "read_failed",
            Self::WriteFailed => "write_failed",
            Self::HelloTimeout => "hello_timeout",
            Self::Fault(Fault::Hello(reason)) => reason.code(),
            Self::Fault(Fault::Protocol { code, .. }) => code.code(),
            Self::Fault(Fault::ByAdapter) => "protocol_error_by_adapter",
            Self::NotReading => "not_reading",
            Self::WriteStalled => "write_stalled",
            Self::Kicked => "kicked",
            Self::TooManyConnections | Self::MadeRoom => "too_many_connections",
            Self::TooManyOfPeer => "too_many_of_peer",
            Self::ReceivingFull => "receiving_full",
            Self::Shutdown => "shutdown",
        }
    }

    /// Why it was turned away, if it was.
    #[must_use]
    pub const fn turned_away(self) -> Option<TurnedAway> {
        match self {
            Self::HelloTimeout => Some(TurnedAway::FirstFrame),
            Self::TooManyConnections => Some(TurnedAway::TableFull),
            Self::MadeRoom => Some(TurnedAway::MadeRoom),
            Self::TooManyOfPeer => Some(TurnedAway::PeerShare),
            Self::Fault(Fault::Protocol { violation: Violation::TooSlow, .. }) => Some(TurnedAway::FrameTime),
            Self::ReceivingFull => Some(TurnedAway::ReceivingBytes),
            Self::PeerClosed
            | Self::ReadFailed
            | Self::WriteFailed
            | Self::Fault(_)
            | Self::NotReading
            | Self::WriteStalled
            | Self::Kicked
            | Self::Shutdown => None,
        }
    }
}
