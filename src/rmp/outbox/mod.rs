//! What waits to leave on one connection: bounded, in order, and never a reason to hold a publisher (ruling
//! RMP 8).
//!
//! ```text
//! push_answer ───┐   units, first in first out
//! push_delivery ─┴▶ [answer][head+message][head+shared]… ─▶ front(now) ─▶ written ─▶ advance(n)
//!                                                             └▶ expired ones, taken out for their notice
//! ```
//!
//! A unit is a control answer, or a Deliver with its message; it leaves as one. Expiry is judged once more
//! when a unit is about to leave; one that has begun to leave goes on to its end. Small messages are copied,
//! so that many leave by one write; large ones are shared.

mod delivery;
mod queue;
mod queue_stats;
mod segments;
#[cfg(test)]
mod tests;

pub use delivery::{Delivery, Expired, NotReading, Payload, Sent};
pub use queue::{Front, Outbox, SHARED_BYTES_MIN};
pub use queue_stats::{Budget, Full, QueueStats, QueuedBytes, Slot};
