//! Counts of what changed and of what windows let go.

use crate::tap::entry::mpp as events;

/// Counts what happened to what the store has, so that lists that come from there are asked for anew only
/// when they may differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Of invocations.
    pub(crate) rows: u64,
    /// Of those of another manifest.
    pub(crate) others: u64,
    /// Of refund records: one for each.
    pub(crate) refunds: u64,
    /// Of pack-state values.
    pub(crate) state: u64,
    /// Snapshots taken: between two of them anything may have happened.
    pub(crate) resyncs: u64,
}

/// What came into a window, and what it let go since the console came up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct WindowCounts {
    pub(crate) received: u64,
    pub(crate) evicted: u64,
}

impl WindowCounts {
    /// So many more came, and the window went from one length to another.
    pub(crate) fn note(&mut self, came: usize, before: usize, after: usize) {
        self.received = self.received.saturating_add(came as u64);
        self.evicted = self.evicted.saturating_add((before + came).saturating_sub(after) as u64);
    }

    /// The window is another one now: what is in it came, beside what was let go before.
    pub(crate) fn restart(&mut self, len: usize) {
        self.received = self.evicted.saturating_add(len as u64);
    }
}

/// The windows of the bridge's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BridgeWindowCounts {
    /// Rows that ended.
    pub(crate) ended: WindowCounts,
    /// Lines of the adapter's log.
    pub(crate) lines: WindowCounts,
}

impl Changes {
    pub(super) fn note(&mut self, transition: &events::Transition) {
        use events::Transition as T;
        match transition {
            T::Enqueued { .. }
            | T::Dispatched { .. }
            | T::Applied { .. }
            | T::Done { .. }
            | T::Failed { .. }
            | T::Refunded { .. }
            | T::Requeued { .. }
            | T::Orphaned { .. } => self.rows += 1,
            T::OtherCancelled { .. } | T::Migrated { .. } | T::PackLoaded { .. } => {
                self.rows += 1;
                self.others += 1;
            }
            T::RefundRecorded { .. } => self.refunds += 1,
            T::StateWritten { .. } | T::Handshaken { .. } => self.state += 1,
            _ => {}
        }
    }
}
