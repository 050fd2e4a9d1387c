//! The twelve frame types, and what is read of a frame at a glance.

use crate::ids::{EventName, InvocationId, QueueName};

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
    /// The queue spoken of: on `pull` and `invocation`, and on frames about an invocation as the bridge
    /// resolved it.
    pub queue: Option<QueueName>,
    /// The event of an `invocation`.
    pub event: Option<EventName>,
}
