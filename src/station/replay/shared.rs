//! What every handle of a replay and its thread share.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use tokio::sync::{Notify, watch};

use super::state::ReplayState;
use crate::{
    ids::Seq,
    limits::Limits,
    port::{ReplayAct, ReplayView},
    recording::RecordingSet,
    tap::Mirror,
    time::Clock,
};

/// Acts that wait to be done; further ones are left out.
const ACTS_MAX: usize = 64;

/// What whoever watches has.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) mirror: Mirror,
    pub(super) state: ReplayState,
    pub(super) generation: u64,
    /// The chunk that is read next.
    pub(super) chunk: usize,
}

/// What every handle and the thread share.
pub(super) struct Shared {
    pub(super) set: Arc<RecordingSet>,
    pub(super) clock: Clock,
    pub(super) limits: Limits,
    pub(super) view: watch::Sender<ReplayView>,
    stage: Mutex<Stage>,
    acts: Mutex<VecDeque<ReplayAct>>,
    pub(super) wake: Notify,
    generation: AtomicU64,
    /// The place behind the last entry of this generation that was folded.
    folded: AtomicU64,
    /// Parts that could not be read where all entries were asked for: the most of one time.
    unread: AtomicU64,
    is_over: AtomicBool,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn acts(&self) -> MutexGuard<'_, VecDeque<ReplayAct>> {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins with a place.
    pub(super) fn new(
        (set, clock, limits): (Arc<RecordingSet>, Clock, Limits),
        view: ReplayView,
        stage: Stage,
    ) -> Self {
        Self {
            set,
            clock,
            limits,
            view: watch::Sender::new(view),
            generation: AtomicU64::new(stage.generation),
            folded: AtomicU64::new(stage.mirror.next().0),
            stage: Mutex::new(stage),
            acts: Mutex::default(),
            wake: Notify::new(),
            unread: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Takes what was asked for.
    pub(super) fn take_acts(&self) -> VecDeque<ReplayAct> {
        std::mem::take(&mut *self.acts())
    }

    /// Another place was gone to: a new generation.
    pub(super) fn set_stage(&self, mirror: Mirror, state: ReplayState, chunk: usize) {
        let mut before = self.stage();
        let (generation, next) = (before.generation + 1, mirror.next());
        self.generation.store(generation, Ordering::Relaxed);
        self.folded.store(next.0, Ordering::Relaxed);
        *before = Stage { mirror, state, generation, chunk };
    }

    /// Which place of those that were gone to it is at.
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// How many entries before this place wait to be folded.
    pub(super) fn unfolded(&self, next: Seq) -> u64 {
        next.0.saturating_sub(self.folded.load(Ordering::Relaxed))
    }

    /// Notes parts that could not be read.
    pub(super) fn note_unread(&self, parts: u64) {
        self.unread.fetch_max(parts, Ordering::Relaxed);
    }

    /// How many there were at most.
    pub(super) fn unread(&self) -> u64 {
        self.unread.load(Ordering::Relaxed)
    }

    /// Whether no handle is left.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    pub(super) fn act(&self, act: ReplayAct) {
        let mut acts = self.acts();
        if acts.len() < ACTS_MAX {
            acts.push_back(act);
        }
        drop(acts);
        self.wake.notify_one();
    }

    pub(super) fn folded(&self, generation: u64, next: Seq) {
        if self.generation.load(Ordering::Relaxed) == generation {
            self.folded.fetch_max(next.0, Ordering::Relaxed);
            self.wake.notify_one();
        }
    }

    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }
}
