//! Which messages a subscriber has seen before (rmp-v0 §5; ruling RMP 7).
//!
//! The scope is the concrete topic and the subscriber, the key `(trace_id, msg_id)`. One set of keys a topic serves all its subscribers: a
//! key is kept with the mark at which it was last seen, and who subscribed at a later mark has not seen it. What a subscriber lost to
//! back-pressure it has not seen either; such keys are kept for it apart, so that a publisher's retry reaches it.
//!
//! Both sets forget what was not seen for the longest TTL (`limits.rmp.ttl_ms_max`), and what was not seen for longest where a cap is
//! reached; what goes before its age is counted.

mod group;
mod horizon;
mod ledger;
mod places;
#[cfg(test)]
mod tests;

pub use horizon::{Dedupe, Figures, Key, Scope, Seen, Subscriber};
