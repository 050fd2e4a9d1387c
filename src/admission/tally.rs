//! What a port's admission counts, for metrics, `ls health` and alerts.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use super::{most::Most, origin::Origin, turned_away::TurnedAway};

/// The counters of one port. Clones are the same counters; they outlive a host that is started again.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    turned_away: [AtomicU64; TurnedAway::ALL.len()],
    /// Who they were, since it was asked last.
    whom: Mutex<[Most<Origin>; TurnedAway::ALL.len()]>,
    open: AtomicU64,
    silent: AtomicU64,
    receiving_bytes: AtomicU64,
}

impl Tally {
    /// One more was turned away.
    pub fn count(&self, why: TurnedAway, origin: Origin) {
        if let Some(count) = self.0.turned_away.get(why.index()) {
            count.fetch_add(1, Relaxed);
        }
        // Nothing here leaves it half done.
        let mut whom = self.0.whom.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(most) = whom.get_mut(why.index()) {
            most.add(origin, 1);
        }
    }

    /// Those that were turned away most since this was asked last, each with a number of times, by
    /// [`TurnedAway::index`].
    #[must_use]
    pub fn take_whom(&self) -> [Vec<(Origin, u64)>; TurnedAway::ALL.len()] {
        let mut whom = self.0.whom.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *whom).map(Most::into_counted)
    }

    /// How many were turned away so far, by [`TurnedAway::index`].
    #[must_use]
    pub fn turned_away(&self) -> [u64; TurnedAway::ALL.len()] {
        self.0.turned_away.each_ref().map(|count| count.load(Relaxed))
    }

    /// Connections that have a place now.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.0.open.load(Relaxed)
    }

    /// Those of them that have not spoken.
    #[must_use]
    pub fn silent(&self) -> u64 {
        self.0.silent.load(Relaxed)
    }

    /// Bytes of frames that are not whole yet.
    #[must_use]
    pub fn receiving_bytes(&self) -> u64 {
        self.0.receiving_bytes.load(Relaxed)
    }

    /// A part of [`open`](Self::open).
    pub(super) fn open_gauge(&self) -> Gauge {
        Gauge::new(self, |counters| &counters.open)
    }

    /// A part of [`silent`](Self::silent).
    pub(super) fn silent_gauge(&self) -> Gauge {
        Gauge::new(self, |counters| &counters.silent)
    }

    /// A part of [`receiving_bytes`](Self::receiving_bytes).
    pub(super) fn receiving_gauge(&self) -> Gauge {
        Gauge::new(self, |counters| &counters.receiving_bytes)
    }
}

/// What one table, or one set of frames, adds to a number of the port for as long as it lives: a host that
/// ends beside its successor takes nothing of the successor's with it.
#[derive(Debug)]
pub(super) struct Gauge {
    tally: Tally,
    of: fn(&Counters) -> &AtomicU64,
    value: u64,
}

impl Gauge {
    fn new(tally: &Tally, of: fn(&Counters) -> &AtomicU64) -> Self {
        Self { tally: tally.clone(), of, value: 0 }
    }

    pub(super) fn get(&self) -> u64 {
        self.value
    }

    pub(super) fn set(&mut self, value: u64) {
        let total = (self.of)(&self.tally.0);
        // The sum wraps as the difference does.
        total.fetch_add(value.wrapping_sub(self.value), Relaxed);
        self.value = value;
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        self.set(0);
    }
}
