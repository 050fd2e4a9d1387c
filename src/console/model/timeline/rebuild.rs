//! The model folded again over what is kept, from before the console came up.
//!
//! ```text
//!   kept     e e e e e e e e e e e e e e e e e e
//!                    K             A             K a keyframe, A the snapshot that the console came up with
//!   windows  └──────────────── fold ────────────▶ into the live model
//!   states           └─ C ── C ── C ── C ── C ──▶ checkpoints
//! ```
//!
//! The state is that of the keyframe and of all entries behind it; what has no keyframe before it moves the
//! windows alone: the log, violations, rates. Where entries are missing, the state is taken anew from the
//! next keyframe or snapshot.

use super::{
    checkpoints::{Checkpoint, Checkpoints, spacing},
    timeline::Timeline,
};
use crate::{
    console::model::Model,
    ids::Seq,
    limits,
    port::{Keyframe, Snapshot},
};

/// A model on its way through what is kept.
#[derive(Debug)]
pub(crate) struct Rebuild {
    model: Model,
    checkpoints: Checkpoints,
    spacing: u64,
    /// The index of the next entry.
    next: u64,
    /// The place that it should have in the tap.
    next_seq: Option<Seq>,
    /// What is known of the state does not hold for the entries that come.
    resyncing: bool,
    /// The next state that was noted.
    keyframe: Option<Keyframe>,
    /// Those behind this place were asked for already.
    asked: Option<Seq>,
    /// Anchors before this index were taken.
    anchored: u64,
}

impl Rebuild {
    /// Begins with the oldest kept entry.
    pub(crate) fn new(limits: &limits::Limits, time: &Timeline, keyframe: Option<Keyframe>) -> Self {
        let mut model = Model::new(limits);
        if let Some(keyframe) = &keyframe {
            model.introduce(&keyframe.snapshot);
        }
        let next = time.entries().first();
        Self {
            model,
            checkpoints: Checkpoints::new(&limits.console),
            spacing: spacing(&limits.console),
            next,
            next_seq: None,
            resyncing: true,
            keyframe,
            asked: None,
            anchored: next,
        }
    }

    /// Whether every entry was taken.
    pub(crate) fn is_done(&self, time: &Timeline) -> bool {
        self.next >= time.entries().end()
    }

    /// The place from which on a keyframe would be of use: the state is not known, and entries are left that
    /// no snapshot of this console speaks for.
    pub(crate) fn wants_keyframe(&mut self, time: &Timeline) -> Option<Seq> {
        let is_lost = self.keyframe.is_none() && self.checkpoints.last().is_some() && !self.knows_state();
        let seq = time.entries().entry(self.next).filter(|_| is_lost)?.entry.seq;
        time.anchor_from(self.next)?;
        self.asked = Some(seq).filter(|_| self.asked.is_none_or(|asked| asked < seq));
        self.asked
    }

    /// Takes the next keyframe, if there is one.
    pub(crate) fn give_keyframe(&mut self, keyframe: Option<Keyframe>) {
        if keyframe.is_none() {
            self.asked = Some(Seq(u64::MAX));
        }
        self.keyframe = keyframe;
    }

    /// Folds at most so many entries.
    pub(crate) fn advance(&mut self, time: &Timeline, count: u64) {
        let kept = time.entries();
        self.next = self.next.max(kept.first());
        let end = kept.end().min(self.next.saturating_add(count));
        for (index, entry) in kept.range(self.next..end) {
            let seq = entry.entry.seq;
            // Entries are missing before it.
            self.resyncing |= self.next_seq.is_some_and(|next| next != seq);
            self.take_anchors(time, index);
            if let Some(keyframe) = self.keyframe.take_if(|keyframe| keyframe.seq < seq) {
                self.resync(*keyframe.snapshot, index);
            }
            self.model.fold(entry, !self.knows_state());
            self.model.judge_all();
            // What rang then rings no more.
            self.model.take_raised_alerts();
            (self.next, self.next_seq) = (index + 1, Some(seq.next()));
            let is_due = self.checkpoints.last().is_some_and(|last| self.next - last >= self.spacing);
            if is_due && self.knows_state() {
                self.checkpoints.push(Checkpoint::new(self.next, &self.model, false, false));
            }
            if self.model.is_void() {
                return;
            }
        }
    }

    fn knows_state(&self) -> bool {
        !self.resyncing && !self.model.is_void()
    }

    /// What the live model was moved by before this entry: what was lost, and the snapshots that mended it.
    fn take_anchors(&mut self, time: &Timeline, index: u64) {
        while let Some(anchor) = time.anchor_from(self.anchored).filter(|anchor| anchor.index <= index) {
            self.anchored = anchor.index + 1;
            match &anchor.model.station_state {
                _ if anchor.resyncing => self.resyncing = true,
                Some(state) if !self.knows_state() => self.resync(state.clone(), index),
                _ => {}
            }
        }
    }

    fn resync(&mut self, snapshot: Snapshot, index: u64) {
        self.model.resync(snapshot);
        self.resyncing = false;
        self.checkpoints.push(Checkpoint::new(index, &self.model, false, true));
    }

    /// Takes what was rebuilt into the live model, and into what can be gone to.
    pub(crate) fn adopt(self, time: &mut Timeline, live: &mut Model) {
        time.adopt(self.model, self.checkpoints, live);
    }
}
