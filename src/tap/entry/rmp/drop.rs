//! Why a message did not reach a subscriber.

use crate::tap::entry::names::names;

names! {
    /// Why a message was dropped; metrics are labelled by the same names (rmp-v0 §5; ruling RMP 9).
    DropReason {
        /// It was expired at receipt, or when it was to be delivered.
        TtlExpired = "ttl_expired",
        /// The subscriber had it already.
        Duplicate = "duplicate",
        /// The subscriber's queue had no room (ruling RMP 8).
        BackpressureTimeout = "backpressure_timeout",
    }
}
