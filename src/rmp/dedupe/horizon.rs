//! What the subscribers of all topics have seen.

use std::time::Duration;

use super::ledger::{Bounds, GroupId, Ledger};
use crate::{ids::TraceId, limits, time::Mono};

/// What tells a message from another: `(trace_id, msg_id)` (rmp-v0 §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    trace_id: (u64, u64),
    msg_id: u64,
}

impl Key {
    /// The key of a message.
    #[must_use]
    pub fn new(trace_id: TraceId, msg_id: u64) -> Self {
        Self { trace_id: trace_id.0.as_u64_pair(), msg_id }
    }
}

/// The keys of one concrete topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scope(GroupId);

/// One subscription: since when it is there, and what it lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subscriber {
    since: u64,
    lost: GroupId,
}

/// A message at its publication: what was known of it before.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    scope: Scope,
    key: Key,
    before: Option<u64>,
    now: Mono,
}

impl Seen {
    /// Whether nobody can have seen it.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }
}

/// What is remembered now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Keys of all topics.
    pub keys: usize,
    /// Keys that a cap took before the longest TTL was over: a duplicate of theirs would pass.
    pub evicted_young: u64,
    /// Lost keys of all subscribers.
    pub lost_keys: usize,
    /// Lost keys that a cap took before the longest TTL was over: a retry of theirs would be a duplicate.
    pub lost_evicted_young: u64,
}

/// What the subscribers of all topics have seen.
///
/// At a publication that reaches any subscriber: [`see`](Self::see) once; for each subscriber, where it [`has_seen`](Self::has_seen) the
/// message, that is a duplicate; otherwise tell whether it was [`delivered`](Self::delivered) or [`lost`](Self::lost).
#[derive(Debug)]
pub struct Dedupe {
    seen: Ledger<Key>,
    lost: Ledger<(Scope, Key)>,
    mark: u64,
}

impl Dedupe {
    /// Nothing seen.
    #[must_use]
    pub fn new(limits: &limits::Rmp) -> Self {
        let age = Duration::from_millis(limits.ttl_ms_max);
        let seen = Bounds { group_keys: limits.topic_keys_max, keys: limits.keys_max, age };
        let lost = Bounds { group_keys: limits.subscriber_lost_keys_max, keys: limits.lost_keys_max, age };
        Self { seen: Ledger::new(seen), lost: Ledger::new(lost), mark: 0 }
    }

    /// A topic on which nothing was seen.
    pub fn open_topic(&mut self) -> Scope {
        Scope(self.seen.open())
    }

    /// Forgets a topic for which there is no room; its keys count as taken by a cap. What costs is their number.
    pub fn close_topic(&mut self, scope: Scope, now: Mono) {
        self.seen.evict_all(scope.0, now);
    }

    /// A subscription made now: it has seen nothing.
    pub fn open_subscriber(&mut self) -> Subscriber {
        Subscriber { since: self.mark, lost: self.lost.open() }
    }

    /// Forgets a subscription.
    pub fn close_subscriber(&mut self, subscriber: Subscriber) {
        self.lost.close(subscriber.lost);
    }

    /// Notes a message published on a topic now.
    pub fn see(&mut self, scope: Scope, key: Key, now: Mono) -> Seen {
        self.mark += 1;
        Seen { scope, key, before: self.seen.see(scope.0, key, self.mark, now), now }
    }

    /// What [`see`](Self::see) would tell; nothing is noted.
    #[must_use]
    pub fn look(&self, scope: Scope, key: Key, now: Mono) -> Seen {
        Seen { scope, key, before: self.seen.mark(scope.0, &key, now), now }
    }

    /// Whether a subscriber has seen the message before: it was there then, and did not lose it.
    #[must_use]
    pub fn has_seen(&self, seen: &Seen, subscriber: &Subscriber) -> bool {
        let was_there = seen.before.is_some_and(|before| before > subscriber.since);
        was_there && !self.lost.has(subscriber.lost, &(seen.scope, seen.key), seen.now)
    }

    /// A subscriber gets the message.
    pub fn delivered(&mut self, seen: &Seen, subscriber: &Subscriber) {
        self.lost.remove(subscriber.lost, &(seen.scope, seen.key));
    }

    /// A subscriber does not get the message for back-pressure, so that a retry is no duplicate to it.
    pub fn lost(&mut self, seen: &Seen, subscriber: &Subscriber) {
        self.lost.see(subscriber.lost, (seen.scope, seen.key), self.mark, seen.now);
    }

    /// Forgets that a message was published on a topic, so that a retry is no duplicate.
    pub fn forget(&mut self, scope: Scope, key: Key) {
        self.seen.remove(scope.0, &key);
    }

    /// Forgets up to so many keys whose age is over; without it they are forgotten as others come.
    pub fn forget_old(&mut self, now: Mono, keys_max: usize) {
        self.seen.forget_old(now, keys_max);
        self.lost.forget_old(now, keys_max);
    }

    /// What is remembered now.
    #[must_use]
    pub fn figures(&self) -> Figures {
        Figures {
            keys: self.seen.len(),
            evicted_young: self.seen.evicted_young(),
            lost_keys: self.lost.len(),
            lost_evicted_young: self.lost.evicted_young(),
        }
    }

    /// Keys of a topic, and how many of its keys a cap took before the longest TTL was over.
    #[must_use]
    pub fn figures_of(&self, scope: Scope) -> (u64, u64) {
        (self.seen.len_of(scope.0), self.seen.evicted_young_of(scope.0))
    }

    /// Keys that a subscriber lost and may still get.
    #[must_use]
    pub fn lost_of(&self, subscriber: &Subscriber) -> u64 {
        self.lost.len_of(subscriber.lost)
    }
}
