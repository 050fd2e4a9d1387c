//! Timers: what is due when.

use std::collections::BTreeMap;

use super::idempotency;
use crate::{
    ids::{ActionId, TraceId},
    time::Mono,
};

/// A timer that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// An attempt took too long.
    Attempt(TraceId, u32),
    /// The next attempt may begin.
    Backoff(TraceId, u32),
    /// A request that nobody took may be offered again.
    Offer(TraceId, u32),
    /// An agent that left had time to answer all the same.
    LateAnswer(TraceId, u32),
    /// What an agent said of its progress last may be told.
    Progress(TraceId, u32),
    /// Nobody decided.
    Ask(ActionId),
    /// A run took too long.
    Run(TraceId),
    /// Who submitted a run had time to subscribe to its events (ruling RMP 11).
    Events(TraceId),
    /// What the store refused may be offered again.
    Save,
    /// The store had time to say how a request was answered before.
    Lookup(idempotency::Key),
}

/// Which of them: a moment, and what tells those of one moment apart, in the order in which they were set.
pub(super) type Key = (Mono, u64);

/// All that is due.
#[derive(Debug, Default)]
pub(super) struct Timers {
    queue: BTreeMap<Key, Due>,
    next: u64,
}

impl Timers {
    pub(super) fn set(&mut self, at: Mono, due: Due) -> Key {
        self.next += 1;
        let key = (at, self.next);
        self.queue.insert(key, due);
        key
    }

    pub(super) fn clear(&mut self, key: &mut Option<Key>) {
        if let Some(key) = key.take() {
            self.queue.remove(&key);
        }
    }

    /// The next that is due by now.
    pub(super) fn pop(&mut self, now: Mono) -> Option<Due> {
        let entry = self.queue.first_entry().filter(|entry| entry.key().0 <= now)?;
        Some(entry.remove())
    }

    pub(super) fn next(&self) -> Option<Mono> {
        self.queue.first_key_value().map(|((at, _), _)| *at)
    }
}
