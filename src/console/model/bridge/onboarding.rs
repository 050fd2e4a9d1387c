//! The first steps of a new operator.

use crate::{mpp, tap::entry::mpp::RowState};

/// What of the first steps has been seen done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OnboardingProgress {
    pub(crate) paired: bool,
    pub(crate) connected: bool,
    pub(crate) worked: bool,
}

impl OnboardingProgress {
    /// Whether nothing is left to learn.
    pub(crate) fn is_complete(self) -> bool {
        self.paired && self.connected && self.worked
    }

    /// Takes what the bridge's state shows to have been done.
    pub(super) fn update(&mut self, mpp: &mpp::Snapshot) {
        if self.is_complete() {
            return;
        }
        self.paired |= mpp.paired;
        self.connected |= mpp.adapter.is_some() || mpp.last_close.is_some() || !mpp.live.is_empty();
        let is_done = |row: &mpp::EndedView| row.state == RowState::Done;
        self.worked |= mpp.recent.iter().any(is_done) || mpp.queues.values().any(|queue| queue.done > 0);
        // Work that ran to its end went through an adapter, in this start of the station or an earlier one.
        self.connected |= self.worked;
    }
}
