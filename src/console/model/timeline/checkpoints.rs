//! Copies of the model from which others are rebuilt.

use std::collections::VecDeque;

use crate::{console::model::Model, limits};

/// A checkpoint is left at least so often within what may be kept.
pub(super) const CHECKPOINTS: u64 = 24;
/// Entries between two checkpoints at most: as many as are folded for one step back.
const SPACING_MAX: u64 = 4_096;

/// Entries between two checkpoints.
pub(super) fn spacing(limits: &limits::Console) -> u64 {
    (limits.kept_entries_max / CHECKPOINTS).min(SPACING_MAX)
}

/// The state before the entry of an index.
#[derive(Debug)]
pub(super) struct Checkpoint {
    pub(super) index: u64,
    pub(super) model: Model,
    bytes: usize,
    /// The entries up to the next anchor lie between a loss and the snapshot that mends it.
    pub(super) resyncing: bool,
    /// What is no entry led to it.
    pub(super) is_anchor: bool,
}

impl Checkpoint {
    pub(super) fn new(index: u64, model: &Model, resyncing: bool, is_anchor: bool) -> Self {
        Self { index, model: model.clone(), bytes: model.memory_bytes(), resyncing, is_anchor }
    }
}

/// The checkpoints, in order of their indexes, at most `limits.console.checkpoint_bytes_max`.
#[derive(Debug)]
pub(super) struct Checkpoints {
    list: VecDeque<Checkpoint>,
    bytes: usize,
    bytes_max: usize,
}

impl Checkpoints {
    pub(super) fn new(limits: &limits::Console) -> Self {
        let bytes_max = usize::try_from(limits.checkpoint_bytes_max).unwrap_or(usize::MAX);
        Self { list: VecDeque::new(), bytes: 0, bytes_max }
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Checkpoint> {
        self.list.iter()
    }

    /// What they hold, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The index of the first.
    pub(super) fn first(&self) -> Option<u64> {
        self.list.front().map(|first| first.index)
    }

    /// The index of the last.
    pub(super) fn last(&self) -> Option<u64> {
        self.list.back().map(|last| last.index)
    }

    /// The last at an index or before it.
    pub(super) fn before(&self, index: u64) -> Option<&Checkpoint> {
        let place = self.list.partition_point(|checkpoint| checkpoint.index <= index);
        self.list.get(place.checked_sub(1)?)
    }

    /// Takes one behind all others, or in place of the last where that is of the same index.
    pub(super) fn push(&mut self, fresh: Checkpoint) {
        if let Some(last) = self.list.pop_back() {
            if last.index < fresh.index {
                self.list.push_back(last);
            } else {
                self.bytes -= last.bytes;
            }
        }
        self.bytes += fresh.bytes;
        self.list.push_back(fresh);
        self.evict();
    }

    /// Lets go checkpoints until they fit: first the one whose neighbours lie nearest, and if all are anchors
    /// the oldest, with its entries.
    fn evict(&mut self) {
        while self.bytes > self.bytes_max && self.list.len() > 1 {
            let between = 1..self.list.len() - 1;
            let gap = |place: &usize| self.list[place + 1].index - self.list[place - 1].index;
            let place = between.filter(|place| !self.list[*place].is_anchor).min_by_key(gap).unwrap_or(0);
            if let Some(gone) = self.list.remove(place) {
                self.bytes -= gone.bytes;
            }
        }
    }

    /// Lets those go that lie before an index; the first that is left.
    pub(super) fn trim(&mut self, index: u64) -> Option<u64> {
        while self.list.front().is_some_and(|oldest| oldest.index < index) {
            let gone = self.list.pop_front();
            self.bytes -= gone.map_or(0, |gone| gone.bytes);
        }
        self.first()
    }
}
