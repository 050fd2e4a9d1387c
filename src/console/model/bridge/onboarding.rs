//! The first steps of a new operator.

use crate::{mpp, tap::entry::mpp::RowState};

/// What of the first steps has been seen done.
#[expect(clippy::struct_excessive_bools, reason = "each step is done or is not, in any order")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OnboardingProgress {
    pub(crate) paired: bool,
    pub(crate) connected: bool,
    pub(crate) worked: bool,
    /// Work has run to its end as it should.
    pub(crate) done: bool,
}

impl OnboardingProgress {
    /// Whether nothing is left to learn.
    pub(crate) fn is_complete(self) -> bool {
        self.paired && self.connected && self.worked
    }

    /// Takes what the bridge's state shows to have been done.
    pub(super) fn update(&mut self, mpp: &mpp::Snapshot) {
        if self.is_complete() && self.done {
            return;
        }
        self.paired |= mpp.paired;
        self.connected |= mpp.adapter.is_some() || mpp.last_close.is_some() || !mpp.live.is_empty();
        let has_rows =
            |queue: &mpp::QueueView| queue.pending + queue.other_manifest + queue.done + queue.failed > 0;
        self.worked |= !mpp.recent.is_empty() || !mpp.live.is_empty() || mpp.queues.values().any(has_rows);
        let is_done = |row: &mpp::EndedView| row.state == RowState::Done;
        self.done |= mpp.recent.iter().any(is_done) || mpp.queues.values().any(|queue| queue.done > 0);
        // Work that ran to its end went through an adapter, in this start of the station or an earlier one.
        self.connected |= self.done;
    }
}
