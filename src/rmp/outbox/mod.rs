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
//! so that many leave by one write; large ones are shared. A message for several subscriptions of the
//! connection is one unit, kept once, and leaves behind the Deliver of each.
//!
//! Over the bound of all queues whoever holds most, and of those that hold as much has not read for longest,
//! loses its oldest; a share of 256 KiB, or of a connection's part of the bound, is left to it.

mod cut;
mod delivery;
mod front;
mod queue;
mod queue_stats;
mod segments;
mod shares;
#[cfg(test)]
mod tests;
mod unit;

pub use delivery::{Delivery, NotReading, Payload, Sent, TakenOut};
pub use front::Front;
pub use queue::{Outbox, SHARED_BYTES_MIN};
pub use queue_stats::{Budget, Full, QueueStats, QueuedBytes, Slot};
