//! What the life of an invocation is told in: states, refunds, brakes.

use serde::{Deserialize, Serialize};

use crate::tap::entry::names::names;

names! {
    /// What a source's upstream does with a refund (mpp-v2, failed).
    RefundStatus {
        /// Channel points: to be called upstream.
        Requested = "requested",
        /// Bits: not refundable; the streamer is told.
        Skipped = "skipped",
        /// Anything else: by hand.
        Manual = "manual",
    }
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
    /// Its row in the store cannot be read.
    Damage,
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

names! {
    /// The states of an invocation (mpp-v2 §9.1).
    ///
    /// ```text
    /// pending ──▶ dispatched ──▶ applied ──▶ done
    ///    │  ▲         │  │           └─────▶ failed
    ///    │  └ requeue ┘  ├──▶ failed
    ///    └──▶ failed     └──▶ refunded
    /// ```
    RowState {
        /// Recorded, waiting for a pull.
        Pending = "pending",
        /// Sent to the adapter.
        Dispatched = "dispatched",
        /// The effect is in the game.
        Applied = "applied",
        /// Ended well.
        Done = "done",
        /// Ended badly.
        Failed = "failed",
        /// Ended badly, with a refund request.
        Refunded = "refunded",
    }
}

impl RowState {
    /// Whether nothing follows it.
    #[must_use]
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Refunded)
    }
}
