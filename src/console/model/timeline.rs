//! Looking back: what is kept of what was.

use super::kept::Kept;
use crate::{limits, tap::Batch};

/// The entries that can be looked back at.
#[derive(Debug)]
pub(crate) struct Timeline {
    kept: Kept,
}

impl Timeline {
    /// Nothing to look back at yet.
    pub(crate) fn new(limits: &limits::Console) -> Self {
        Self { kept: Kept::new(limits) }
    }

    /// Takes a batch that the model has taken in.
    pub(crate) fn push(&mut self, batch: Batch) {
        self.kept.push(batch);
    }

    /// Notes that entries were lost of which no batch tells.
    pub(crate) fn lose(&mut self, count: u64) {
        self.kept.lose(count);
    }

    /// The entries that are kept.
    pub(crate) const fn kept(&self) -> &Kept {
        &self.kept
    }
}
