//! What the life of an invocation is told in: states, refunds, brakes.

use serde::{Deserialize, Serialize};

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

impl RefundStatus {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Requested, Self::Skipped, Self::Manual];

    /// Its name, as in `ls refunds --state`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Skipped => "skipped",
            Self::Manual => "manual",
        }
    }

    /// The status with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
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
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::Dispatched, Self::Applied, Self::Done, Self::Failed, Self::Refunded];

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
