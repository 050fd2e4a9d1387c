//! What the MPP bridge reports: frame heads, verdicts with the error taxonomy, transitions (mpp-v2, frames, lifecycle, error scenarios).

use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

pub use super::station::Level;
use crate::ids::{EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, RefundId, SessionId, StateKey};

/// The twelve frame types (mpp-v2, frame set).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameType {
    /// A→B, first: who the adapter is.
    Hello,
    /// B→A: taken or refused.
    HelloAck,
    /// A→B: one credit on a queue.
    Pull,
    /// B→A: an event to run.
    Invocation,
    /// A→B: received.
    Ack,
    /// A→B: the effect is in the game.
    Applied,
    /// A→B: finished.
    Done,
    /// A→B: not done, with a reason.
    Failed,
    /// Both ways: still here.
    Heartbeat,
    /// A→B: a line for the log.
    Log,
    /// A→B: a pack-state value.
    StateWrite,
    /// Both ways: the last frame before a close.
    ProtocolError,
}

impl FrameType {
    /// All twelve.
    pub const ALL: [Self; 12] = [
        Self::Hello,
        Self::HelloAck,
        Self::Pull,
        Self::Invocation,
        Self::Ack,
        Self::Applied,
        Self::Done,
        Self::Failed,
        Self::Heartbeat,
        Self::Log,
        Self::StateWrite,
        Self::ProtocolError,
    ];

    /// The value of `type` on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::HelloAck => "hello_ack",
            Self::Pull => "pull",
            Self::Invocation => "invocation",
            Self::Ack => "ack",
            Self::Applied => "applied",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Heartbeat => "heartbeat",
            Self::Log => "log",
            Self::StateWrite => "state_write",
            Self::ProtocolError => "protocol_error",
        }
    }

    /// The frame type with this `type`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A frame's type and what it speaks of; what could not be read is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Absent when the bytes are no frame or of no known type.
    pub kind: Option<FrameType>,
    /// The invocation spoken of.
    pub id: Option<InvocationId>,
    /// The queue spoken of: on `pull` and `invocation`, and on frames about an invocation as the bridge resolved it.
    pub queue: Option<QueueName>,
    /// The event of an `invocation`.
    pub event: Option<EventName>,
}

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
        /// What is sent as `code`.
        code: ErrorCode,
        /// The exact breach.
        violation: Violation,
    },
    /// The adapter sent `protocol_error` itself; nothing is answered.
    #[error("the adapter ended it by protocol_error")]
    ByAdapter,
}

/// The reason codes of a refused `hello` (mpp-v2, `hello_ack`), in the order of their checks after the version (ruling MPP 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HelloReason {
    /// `mpp` is not 2.
    UnsupportedMppVersion,
    /// This station has no pairing.
    Unpaired,
    /// The token does not match.
    InvalidToken,
    /// Another pack.
    PackIdMismatch,
    /// Another manifest.
    ManifestHashMismatch,
    /// Another adapter is active.
    AlreadyConnected,
}

impl HelloReason {
    /// All six.
    pub const ALL: [Self; 6] = [
        Self::UnsupportedMppVersion,
        Self::Unpaired,
        Self::InvalidToken,
        Self::PackIdMismatch,
        Self::ManifestHashMismatch,
        Self::AlreadyConnected,
    ];

    /// The value of `reason` on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::UnsupportedMppVersion => "unsupported_mpp_version",
            Self::Unpaired => "unpaired",
            Self::InvalidToken => "invalid_token",
            Self::PackIdMismatch => "pack_id_mismatch",
            Self::ManifestHashMismatch => "manifest_hash_mismatch",
            Self::AlreadyConnected => "already_connected",
        }
    }
}

/// The codes of `protocol_error` (mpp-v2, its codes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// Not a frame, or not one that may come here.
    InvalidFrame,
    /// An id that this connection was not sent.
    UnknownInvocationId,
    /// A queue that the manifest lacks.
    UnknownQueue,
    /// A value that its schema refuses.
    SchemaViolation,
    /// A frame that does not follow from the invocation's state.
    UnexpectedStateTransition,
    /// A line over 64 KiB.
    FrameTooLarge,
}

impl ErrorCode {
    /// All six.
    pub const ALL: [Self; 6] = [
        Self::InvalidFrame,
        Self::UnknownInvocationId,
        Self::UnknownQueue,
        Self::SchemaViolation,
        Self::UnexpectedStateTransition,
        Self::FrameTooLarge,
    ];

    /// The value of `code` on the wire.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::InvalidFrame => "INVALID_FRAME",
            Self::UnknownInvocationId => "UNKNOWN_INVOCATION_ID",
            Self::UnknownQueue => "UNKNOWN_QUEUE",
            Self::SchemaViolation => "SCHEMA_VIOLATION",
            Self::UnexpectedStateTransition => "UNEXPECTED_STATE_TRANSITION",
            Self::FrameTooLarge => "FRAME_TOO_LARGE",
        }
    }
}

/// The exact breach behind a `protocol_error`; each names its clause. The text of MPP v2 numbers few of its sections, so clauses are named by
/// their subject.
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
}

impl Violation {
    /// The clause that was broken.
    #[must_use]
    pub const fn clause(self) -> &'static str {
        match self {
            Self::NotUtf8 | Self::TooLarge => "mpp-v2, framing",
            Self::NotJson | Self::NotObject | Self::NoType | Self::UnknownType => "mpp-v2, protocol_error codes",
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
    /// `limits.mpp.connections_max` was reached.
    TooManyConnections,
    /// The station is going down.
    Shutdown,
}

/// What a source's upstream does with a refund (mpp-v2, failed).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefundStatus {
    /// Channel points: to be called upstream.
    Requested,
    /// Bits: not refundable; the streamer is told.
    Skipped,
    /// Anything else: by hand.
    Manual,
}

/// Why a row failed without the adapter saying so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedBy {
    /// The adapter sent `failed`.
    Adapter,
    /// Its queue is not in the manifest.
    UnknownQueue,
    /// Its params do not fit, or its frame would be too large.
    Schema,
    /// An operator cancelled it.
    Cancelled,
    /// An operator settled it.
    Settled,
}

/// How dispatch on a queue is held back (ruling MPP 17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brake {
    /// Nothing is dispatched.
    pub held: bool,
    /// Nothing is enqueued.
    pub draining: bool,
}

/// A change of the bridge's state. A text that belongs to it lies beside the entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// The port answers.
    Listening {
        /// Where.
        addr: SocketAddr,
    },
    /// The port could not be bound or accepting fails; the text says why.
    NotListening,
    /// The station has a pairing now.
    Paired,
    /// A connection was accepted.
    Connected {
        /// From where.
        peer: Peer,
    },
    /// The handshake succeeded; this is the active adapter.
    Handshaken {
        /// From where.
        peer: Peer,
        /// What it was told.
        session_id: SessionId,
        /// Rows of `persisted[]` it was sent.
        persisted: u32,
    },
    /// A connection ended.
    Disconnected {
        /// From where.
        peer: Peer,
        /// Whether it was the active adapter.
        active: bool,
        /// Why.
        cause: CloseCause,
    },
    /// The active adapter has sent nothing for so long (mpp-v2, heartbeat).
    Stale {
        /// Seconds of silence.
        silent_s: u64,
    },
    /// A pull was parked.
    Parked {
        /// On which queue.
        queue: QueueName,
    },
    /// A row was recorded as pending, durably.
    Enqueued {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
    },
    /// pending → dispatched; the pull is consumed.
    Dispatched {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
    },
    /// The adapter confirmed receipt.
    Acked {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// dispatched → applied.
    Applied {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Whether that freed the queue.
        cleared: bool,
    },
    /// applied → done.
    Done {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
        /// Whether that freed the queue.
        cleared: bool,
        /// By an operator rather than by the adapter.
        settled: bool,
    },
    /// → failed. The text is the reason, verbatim.
    Failed {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
        /// The state it left: `pending`, `dispatched` or `applied`.
        from: RowState,
        /// Whether that freed the queue.
        cleared: bool,
        /// By whom.
        by: FailedBy,
    },
    /// dispatched → refunded. The text is the reason, verbatim.
    Refunded {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
    },
    /// dispatched → pending, because the connection went away.
    Requeued {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// Its connection went away after `applied` on a `done` queue; it stays applied and does not occupy its queue (ruling MPP 9).
    LeftApplied {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// A refund was recorded, durably.
    RefundRecorded {
        /// The record.
        refund: RefundId,
        /// For which invocation.
        id: InvocationId,
        /// What becomes of it.
        status: RefundStatus,
    },
    /// A pending row of another manifest was cancelled.
    OtherCancelled {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// Rows of another manifest took this one's hash (ruling MPP 5).
    Migrated {
        /// Their queue.
        queue: QueueName,
        /// How many are pending here now.
        rows: u64,
        /// How many of them failed instead, because their queue is unknown or their params do not fit.
        failed: u64,
    },
    /// A queue's brake changed.
    Braked {
        /// Which queue.
        queue: QueueName,
        /// What holds now.
        brake: Brake,
    },
    /// A draining queue has become empty.
    Drained {
        /// Which queue.
        queue: QueueName,
    },
    /// The adapter logged a line; the text is the line (mpp-v2, log).
    Logged {
        /// As it said.
        level: Level,
    },
    /// A pack-state value was written; the text is the value's JSON.
    StateWritten {
        /// Its key.
        key: StateKey,
        /// Whether it is replayed at the next handshake.
        persist: bool,
    },
    /// A persisted value was left out of `persisted[]`; the text says why (ruling MPP 13).
    PersistedLeftOut {
        /// Its key.
        key: StateKey,
    },
    /// Commits fail; pulls stay parked and enqueue is refused. The text says why.
    CommitsFailing,
    /// Commits succeed again.
    CommitsWell,
    /// The manifest in force.
    PackLoaded {
        /// Its identifier.
        pack_id: PackId,
        /// Its hash.
        manifest_hash: ManifestHash,
    },
}

/// The states of an invocation (mpp-v2 §9.1).
///
/// ```text
/// pending ──▶ dispatched ──▶ applied ──▶ done
///    │  ▲         │  │           └─────▶ failed
///    │  └ requeue ┘  ├──▶ failed
///    └──▶ failed     └──▶ refunded
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowState {
    /// Recorded, waiting for a pull.
    Pending,
    /// Sent to the adapter.
    Dispatched,
    /// The effect is in the game.
    Applied,
    /// Ended well.
    Done,
    /// Ended badly.
    Failed,
    /// Ended badly, with a refund request.
    Refunded,
}

impl RowState {
    /// All six.
    pub const ALL: [Self; 6] = [Self::Pending, Self::Dispatched, Self::Applied, Self::Done, Self::Failed, Self::Refunded];

    /// Its name, as in `ls invocations --state`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Dispatched => "dispatched",
            Self::Applied => "applied",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refunded => "refunded",
        }
    }

    /// The state with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether nothing follows it.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Refunded)
    }
}
