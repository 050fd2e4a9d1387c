//! What the subscribers of all topics have seen.

use std::time::Duration;

use super::{
    key_groups::{Bounds, GroupId, KeyGroups},
    losses::{self, LossTotals, Losses},
};
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
#[derive(Debug)]
pub struct Subscriber {
    since: u64,
    lost: Losses,
}

/// A message at its publication: what was known of it before.
#[derive(Clone, Copy, Debug)]
pub struct Sighting {
    /// The mark that it had before.
    before: Option<u64>,
    /// The one that it has now.
    mark: Option<u64>,
    now: Mono,
}

impl Sighting {
    /// Whether nobody can have seen it.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }
}

/// The metrics of the keys that are remembered now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DedupeMetrics {
    /// Keys of all topics.
    pub keys: usize,
    /// Keys that a cap took before the longest TTL was over: a duplicate of theirs would pass.
    pub evicted_young: u64,
    /// Runs of messages that subscribers lost.
    pub lost_runs: u64,
    /// Lost messages that a cap took before the longest TTL was over: a retry of theirs would be a
    /// duplicate.
    pub lost_evicted_young: u64,
}

/// What the subscribers of all topics have seen.
///
/// At a publication that reaches any subscriber: [`record_seen`](Self::record_seen) once; for each subscriber
/// tell whether it is [given](Self::record_delivered) the message, where it [`has_seen`](Self::has_seen) it
/// too, or `lost` it.
#[derive(Debug)]
pub struct Dedupe {
    seen: KeyGroups<Key>,
    lost: LossTotals,
    mark: u64,
}

impl Dedupe {
    /// Nothing seen.
    #[must_use]
    pub fn new(limits: &limits::Rmp) -> Self {
        let age = Duration::from_millis(limits.ttl_ms_max);
        let seen = Bounds { group_keys: limits.topic_keys_max, keys: limits.keys_max, age };
        let lost = losses::Bounds {
            subscriber_runs: limits.subscriber_lost_runs_max,
            runs: limits.lost_runs_max,
            age,
        };
        Self { seen: KeyGroups::new(seen), lost: LossTotals::new(lost), mark: 0 }
    }

    /// A topic on which nothing was seen.
    pub fn open_topic(&mut self) -> Scope {
        Scope(self.seen.open())
    }

    /// Forgets a topic for which there is no room; its keys count as taken by a cap. What costs is their
    /// number.
    pub fn close_topic(&mut self, scope: Scope, now: Mono) {
        self.seen.evict_all(scope.0, now);
    }

    /// Forgets a topic that nobody subscribes to any more: who comes later has seen nothing, and so no
    /// duplicate passes for it.
    pub fn clear_topic(&mut self, scope: Scope) {
        self.seen.close(scope.0);
    }

    /// A subscription made now: it has seen nothing.
    pub fn open_subscriber(&mut self) -> Subscriber {
        Subscriber { since: self.mark, lost: Losses::default() }
    }

    /// Forgets a subscription.
    pub fn close_subscriber(&mut self, Subscriber { lost, .. }: Subscriber) {
        self.lost.runs -= lost.len();
    }

    /// Has what is remembered of these keys be read, all at a time, as they are about to be seen. Nothing
    /// else comes of it.
    pub fn prefetch(&self, scope: Scope, keys: impl Iterator<Item = Key>) {
        self.seen.prefetch(scope.0, keys);
    }

    /// Notes a message published on a topic now.
    pub fn record_seen(&mut self, scope: Scope, key: Key, now: Mono) -> Sighting {
        self.mark += 1;
        Sighting { before: self.seen.record_seen(scope.0, key, self.mark, now), mark: Some(self.mark), now }
    }

    /// What [`record_seen`](Self::record_seen) would tell; nothing is noted.
    #[must_use]
    pub fn lookup(&self, scope: Scope, key: Key, now: Mono) -> Sighting {
        let known = self.seen.mark(scope.0, &key, now);
        Sighting { before: known, mark: known, now }
    }

    /// Whether a subscriber has seen the message before: it was there then, and did not lose it.
    #[must_use]
    pub fn has_seen(&self, seen: &Sighting, subscriber: &Subscriber) -> bool {
        let was_there = seen.before.filter(|before| *before > subscriber.since);
        was_there.is_some_and(|before| !subscriber.lost.has(before, seen.now, self.lost.bounds.age))
    }

    /// A subscriber gets the message seen last, or had it before.
    pub fn record_delivered(&mut self, subscriber: &mut Subscriber) {
        subscriber.lost.end_run();
    }

    /// A subscriber does not get the message for back-pressure or because it expired on its way, so that a
    /// retry is no duplicate to it.
    pub fn record_lost(&mut self, seen: &Sighting, subscriber: &mut Subscriber) {
        match seen.mark {
            Some(mark) if mark == self.mark => subscriber.lost.add_latest(mark, seen.now, &mut self.lost),
            Some(mark) => subscriber.lost.add(mark, seen.now, &mut self.lost),
            None => {}
        }
    }

    /// Forgets that a message was published on a topic, so that a retry is no duplicate.
    pub fn forget(&mut self, scope: Scope, key: Key) {
        self.seen.remove(scope.0, &key);
    }

    /// Forgets up to so many keys whose age is over; without it they are forgotten as others come.
    pub fn forget_old(&mut self, now: Mono, keys_max: usize) {
        self.seen.forget_old(now, keys_max);
    }

    /// The metrics of the keys that are remembered now.
    #[must_use]
    pub fn metrics(&self) -> DedupeMetrics {
        DedupeMetrics {
            keys: self.seen.len(),
            evicted_young: self.seen.evicted_young(),
            lost_runs: self.lost.runs,
            lost_evicted_young: self.lost.evicted_young,
        }
    }

    /// Keys of a topic, and how many of its keys a cap took before the longest TTL was over.
    #[must_use]
    pub fn metrics_of(&self, scope: Scope) -> (u64, u64) {
        (self.seen.len_of(scope.0), self.seen.evicted_young_of(scope.0))
    }
}
