//! Keyframes: the state of the station, noted every so many entries and kept for as long as the tap keeps
//! what came behind it. A console that attaches folds the entries onto one, and has the past.
//!
//! They are taken by a task of their own, at most once a second: who emits pays nothing for it, and a host as
//! much as for a console that attaches.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use super::{
    local::{Inner, LocalPort},
    ticks::Ticks,
};
use crate::{
    ids::Seq,
    port::StationPort as _,
    recording::EncodedSnapshot,
    tap,
    time::{Mono, Now},
};

/// Entries between two of them.
const SPACING: u64 = 16_384;
/// The share of the ring that may lie between two of them where it keeps fewer entries than that.
const RING_SHARE: u64 = 4;
/// How often it is looked whether one is due.
const PERIOD: Duration = Duration::from_secs(1);

/// A state that was noted.
#[derive(Clone, Debug)]
pub(super) struct Encoded {
    /// Every entry up to here is in it.
    pub(super) seq: Seq,
    /// When it was taken.
    pub(super) at: Now,
    /// The snapshot in its recorded form, without tokens.
    pub(super) bytes: Arc<[u8]>,
}

/// What became of the keyframes: taken = kept + evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Keyframes taken.
    pub taken: u64,
    /// Keyframes kept.
    pub kept: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Keyframes that went with the entries behind them, or for want of room.
    pub evicted: u64,
    /// Those of them that went for want of room (`limits.tap.keyframes_bytes_max`).
    pub cut: u64,
}

#[derive(Debug, Default)]
struct Kept {
    list: VecDeque<Encoded>,
    counters: Counters,
}

/// The keyframes that are kept.
#[derive(Debug)]
pub(super) struct Keyframes {
    kept: Mutex<Kept>,
    bytes_max: u64,
}

impl Keyframes {
    pub(super) fn new(bytes_max: u64) -> Self {
        Self { kept: Mutex::default(), bytes_max }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The oldest one at a place or behind it.
    pub(super) fn from(&self, place: Seq) -> Option<Encoded> {
        self.lock().list.iter().find(|known| known.seq >= place).cloned()
    }

    /// The last one that is no later than a moment, else the oldest; all entries that follow it are kept.
    pub(super) fn at_or_before(&self, moment: Mono) -> Option<Encoded> {
        let kept = self.lock();
        let before = kept.list.iter().rev().find(|known| known.at.mono <= moment);
        before.or_else(|| kept.list.front()).cloned()
    }

    /// Keeps one that was taken for something else, unless there is one of a later place.
    pub(super) fn note(&self, seq: Seq, EncodedSnapshot { at, bytes }: &EncodedSnapshot) {
        self.push(Encoded { seq, at: *at, bytes: bytes.as_slice().into() });
    }

    /// What became of them.
    pub(super) fn counters(&self) -> Counters {
        self.lock().counters
    }

    /// The last one's place.
    fn last(&self) -> Option<Seq> {
        self.lock().list.back().map(|last| last.seq)
    }

    /// Keeps one that is behind all others.
    fn push(&self, fresh: Encoded) {
        let mut kept = self.lock();
        if kept.list.back().is_some_and(|last| last.seq >= fresh.seq) {
            return;
        }
        kept.counters.taken += 1;
        kept.counters.bytes += fresh.bytes.len() as u64;
        kept.list.push_back(fresh);
        while kept.counters.bytes > self.bytes_max {
            let gap = |at: &usize| kept.list[at + 1].seq.0 - kept.list[at - 1].seq.0;
            let at = (1..kept.list.len().saturating_sub(1)).min_by_key(gap).unwrap_or(0);
            kept.counters.cut += 1;
            kept.evict(at);
        }
        kept.counters.kept = kept.list.len() as u64;
    }

    /// Lets those go behind which the tap does not keep everything.
    fn trim(&self, oldest: Seq) {
        let mut kept = self.lock();
        while kept.list.front().is_some_and(|first| first.seq.next() < oldest) {
            kept.evict(0);
        }
        kept.counters.kept = kept.list.len() as u64;
    }
}

impl Kept {
    fn evict(&mut self, at: usize) {
        if let Some(gone) = self.list.remove(at) {
            self.counters.bytes -= gone.bytes.len() as u64;
            self.counters.evicted += 1;
        }
    }
}

/// How many entries lie between two keyframes: less where the ring is smaller than that, which is known once
/// it is full.
fn spacing(tap: tap::Counters) -> u64 {
    if tap.evicted == 0 { SPACING } else { SPACING.min(tap.kept_entries / RING_SHARE) }
}

/// Takes them whenever one is due, for as long as the station runs: one as soon as the hosts run, and one
/// whenever a host began anew, of which entries alone do not tell the state.
pub(super) async fn keep(inner: Weak<Inner>) {
    let clock = {
        let Some(inner) = inner.upgrade() else { return };
        // What they answer is awaited once: the first one is of the station's beginning.
        drop(inner.running().await);
        inner.clock
    };
    let mut ticks = Ticks::every(PERIOD, clock);
    let mut starts = 0;
    loop {
        ticks.tick().await;
        let Some(inner) = inner.upgrade() else { return };
        inner.keyframes.trim(inner.tap.oldest());
        if inner.recording.has_rules() {
            let looking = Arc::clone(&inner);
            let look = move || looking.recording.look_through(&looking.tap);
            drop(tokio::task::spawn_blocking(look).await);
        }
        if inner.running_now().is_none() {
            continue;
        }
        let (last, begun) = (inner.tap.last(), inner.status.host_starts());
        let passed = inner.keyframes.last().map(|known| last.0.saturating_sub(known.0));
        let is_due = passed.is_none_or(|passed| passed >= spacing(inner.tap.counters()));
        if !is_due && begun == starts {
            continue;
        }
        if take(&inner, last).await {
            starts = begun;
        }
    }
}

/// Takes one that has every entry up to a place; whether the station gave it.
async fn take(inner: &Arc<Inner>, seq: Seq) -> bool {
    let port = LocalPort::own(Arc::clone(inner));
    let Ok(snapshot) = port.snapshot().await else { return false };
    let at = snapshot.at;
    let tap = inner.tap.clone();
    let encode = move || tap.without_tokens(snapshot.encode());
    let Ok(bytes) = tokio::task::spawn_blocking(encode).await else { return false };
    inner.keyframes.push(Encoded { seq, at, bytes: bytes.into() });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(frames: &Keyframes, seq: u64, bytes: usize) {
        frames.push(Encoded { seq: Seq(seq), at: Now::at_ms(seq), bytes: vec![0; bytes].into() });
    }

    fn places(frames: &Keyframes) -> Vec<u64> {
        frames.lock().list.iter().map(|known| known.seq.0).collect()
    }

    #[test]
    fn they_go_with_the_entries_behind_them_and_reach_as_far_back_with_little_room() {
        let frames = Keyframes::new(1_000);
        for seq in [10, 20, 30, 40] {
            push(&frames, seq, 300);
        }
        assert_eq!(places(&frames), [10, 30, 40], "both ends stay");
        assert_eq!(frames.from(Seq(11)).map(|known| known.seq), Some(Seq(30)));
        assert!(frames.from(Seq(41)).is_none());
        let at = |ms| frames.at_or_before(Now::at_ms(ms).mono).map(|known| known.seq.0);
        assert_eq!([at(35), at(30), at(9)], [Some(30), Some(30), Some(10)]);
        frames.trim(Seq(11));
        assert_eq!(places(&frames), [10, 30, 40], "all entries behind the first are kept");
        frames.trim(Seq(12));
        assert_eq!(places(&frames), [30, 40]);
        assert_eq!(frames.counters(), Counters { taken: 4, kept: 2, bytes: 600, evicted: 2, cut: 1 });
        push(&frames, 50, 2_000);
        assert_eq!(places(&frames), [0; 0], "what has no room at all is not kept");
        assert_eq!(frames.counters(), Counters { taken: 5, kept: 0, bytes: 0, evicted: 5, cut: 4 });
    }

    #[test]
    fn a_ring_that_keeps_few_entries_has_its_keyframes_nearer_to_each_other() {
        let tap = |evicted, kept_entries| tap::Counters {
            emitted: evicted + kept_entries,
            evicted,
            kept_entries,
            kept_bytes: 0,
            cut: 0,
            readers: 0,
            masked_unseen: 0,
        };
        assert_eq!([tap(0, 1_000), tap(1, 1_000), tap(1, 130_000)].map(spacing), [SPACING, 250, SPACING]);
    }
}
