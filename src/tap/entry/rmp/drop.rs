//! Why a message did not reach a subscriber.

use serde::{Deserialize, Serialize};

/// Why a message was dropped; metrics are labelled by the same names (rmp-v0 §5; ruling RMP 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// It was expired at receipt, or when it was to be delivered.
    TtlExpired,
    /// The subscriber had it already.
    Duplicate,
    /// The subscriber's queue had no room (ruling RMP 8).
    BackpressureTimeout,
}

impl DropReason {
    /// All three, in the order of their index.
    pub const ALL: [Self; 3] = [Self::TtlExpired, Self::Duplicate, Self::BackpressureTimeout];

    /// Its name in notices and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TtlExpired => "ttl_expired",
            Self::Duplicate => "duplicate",
            Self::BackpressureTimeout => "backpressure_timeout",
        }
    }

    /// Its place in arrays that count one number a reason.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            Self::TtlExpired => 0,
            Self::Duplicate => 1,
            Self::BackpressureTimeout => 2,
        }
    }
}
