//! Which messages a subscriber has seen before (rmp-v0 §5; ruling RMP 7).
//!
//! The scope is the concrete topic and the subscriber, the key `(trace_id, msg_id)`. One set of keys a topic
//! serves all its subscribers: a key is kept with the mark at which it was last seen, and who subscribed at a
//! later mark has not seen it. What a subscriber lost to back-pressure it has not seen either: the marks of
//! that are kept for it apart, in runs, so that a publisher's retry reaches it.
//!
//! Both forget what is older than the longest TTL (`limits.rmp.ttl_ms_max`), and what is oldest where a cap
//! is reached; what goes before its age is counted. With the last subscription of a topic all that was seen
//! on it goes.

mod group;
mod key_groups;
mod losses;
mod seen_keys;
mod slots;
#[cfg(test)]
mod tests;

pub use seen_keys::{Dedupe, DedupeMetrics, Key, Scope, Sighting, Subscriber};
