//! The twelve frame types, and what is read of a frame at a glance.

use crate::{
    ids::{EventName, InvocationId, QueueName},
    tap::entry::names::names,
};

names! {
    /// The twelve frame types (mpp-v2, frame set).
    FrameType {
        /// A→B, first: who the adapter is.
        Hello = "hello",
        /// B→A: taken or refused.
        HelloAck = "hello_ack",
        /// A→B: one credit on a queue.
        Pull = "pull",
        /// B→A: an event to run.
        Invocation = "invocation",
        /// A→B: received.
        Ack = "ack",
        /// A→B: the effect is in the game.
        Applied = "applied",
        /// A→B: finished.
        Done = "done",
        /// A→B: not done, with a reason.
        Failed = "failed",
        /// Both ways: still here.
        Heartbeat = "heartbeat",
        /// A→B: a line for the log.
        Log = "log",
        /// A→B: a pack-state value.
        StateWrite = "state_write",
        /// Both ways: the last frame before a close.
        ProtocolError = "protocol_error",
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
