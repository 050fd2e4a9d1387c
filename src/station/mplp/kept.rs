//! Records that were asked for, kept for a while: the pages of one are asked for one after another.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::built::BuiltRecord;
use crate::{
    port::RecordOf,
    time::{Clock, Mono},
};

/// How long a record is kept that nobody asks for.
const UNUSED_MAX: Duration = Duration::from_secs(60);

/// How long the pages behind the first are of the record as it was when that was asked for.
const PAGED_MAX: Duration = Duration::from_secs(30);

/// Records that are built at one time; whoever asks for another waits.
const BUILDS_MAX: usize = 2;

/// How many may wait; whoever asks then is told that the station is busy.
const WAITING_MAX: usize = 32;

/// Records that were built, the last used behind.
#[derive(Debug)]
pub(super) struct KeptRecords {
    state: Mutex<State>,
    builds: Semaphore,
    /// Turns that are waited for or taken.
    turns: Semaphore,
}

/// A turn to build a record.
pub(super) struct Turn<'a> {
    _build: SemaphorePermit<'a>,
    _turn: SemaphorePermit<'a>,
}

impl Default for KeptRecords {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            builds: Semaphore::const_new(BUILDS_MAX),
            turns: Semaphore::const_new(BUILDS_MAX + WAITING_MAX),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    records: VecDeque<Kept>,
    /// Whether somebody sees to it that they go.
    is_watched: bool,
}

#[derive(Debug)]
struct Kept {
    record: Arc<BuiltRecord>,
    /// When it was last found to be as the store has it.
    seen_at: Mono,
    used_at: Mono,
}

impl KeptRecords {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn to build a record; nothing where too many wait.
    pub(super) async fn turn(&self) -> Option<Turn<'_>> {
        let turn = self.turns.try_acquire().ok()?;
        Some(Turn { _build: self.builds.acquire().await.ok()?, _turn: turn })
    }

    /// A record for whoever asks for the next pages of it, though it may be another by now.
    pub(super) fn paged(&self, of: &RecordOf, now: Mono) -> Option<Arc<BuiltRecord>> {
        self.take(now, false, |kept| kept.record.of == *of && now.since(kept.seen_at) <= PAGED_MAX)
    }

    /// A record in this state of it, which is that of the store.
    pub(super) fn of_version(&self, of: &RecordOf, version: u64, now: Mono) -> Option<Arc<BuiltRecord>> {
        self.take(now, true, |kept| kept.record.of == *of && kept.record.version == version)
    }

    /// One that this is true of: it is the last used then, and was seen to be that of the store now or not.
    fn take(&self, now: Mono, is_seen: bool, is_it: impl Fn(&Kept) -> bool) -> Option<Arc<BuiltRecord>> {
        let mut state = self.lock();
        let place = state.records.iter().position(is_it)?;
        let mut kept = state.records.remove(place)?;
        kept.used_at = now;
        if is_seen {
            kept.seen_at = now;
        }
        let record = Arc::clone(&kept.record);
        state.records.push_back(kept);
        Some(record)
    }

    /// Keeps a record in place of an earlier one of the same, and as many of the others, those used last, as
    /// there is room for in so many bytes.
    pub(super) fn put(&self, record: Arc<BuiltRecord>, bytes_max: u64, now: Mono) {
        let mut state = self.lock();
        state.records.retain(|kept| kept.record.of != record.of);
        state.records.push_back(Kept { record, seen_at: now, used_at: now });
        let mut bytes: u64 = state.records.iter().map(|kept| kept.record.bytes()).sum();
        while bytes > bytes_max
            && let Some(oldest) = state.records.pop_front()
        {
            bytes = bytes.saturating_sub(oldest.record.bytes());
        }
    }

    /// Lets go of those that nobody asked for since; whether any are left. Nobody watches where none are.
    fn drop_unused(&self, now: Mono) -> bool {
        let mut state = self.lock();
        state.records.retain(|kept| now.since(kept.used_at) < UNUSED_MAX);
        state.is_watched = !state.records.is_empty();
        state.is_watched
    }

    /// Lets go of all.
    pub(super) fn clear(&self) {
        self.lock().records.clear();
    }

    /// Sees to it that what nobody asks for goes, by a task of the runtime of whoever asks.
    pub(super) fn watch(self: &Arc<Self>, clock: Clock) {
        if std::mem::replace(&mut self.lock().is_watched, true) {
            return;
        }
        let mut watching = Watching { kept: Arc::clone(self), is_over: false };
        tokio::spawn(async move {
            while !watching.is_over {
                tokio::time::sleep(UNUSED_MAX).await;
                watching.is_over = !watching.kept.drop_unused(clock.now().mono);
            }
        });
    }
}

/// Ends with the task, and with the runtime that it is of: whoever asks next watches then.
struct Watching {
    kept: Arc<KeptRecords>,
    /// Whether none are left, and another may watch already.
    is_over: bool,
}

impl Drop for Watching {
    fn drop(&mut self) {
        if !self.is_over {
            self.kept.lock().is_watched = false;
        }
    }
}

#[cfg(test)]
mod tests;
