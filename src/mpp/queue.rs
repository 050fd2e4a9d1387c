//! One queue: its credit of one, its slot, its brake and the head of its pending rows (mpp-v2 §6).

use super::{read_ahead::ReadAhead, snapshot::QueueView, snapshot::ReadyAfter};
use crate::{
    ids::{InvocationId, Ticket},
    store::invocations::QueueCounts,
    tap::entry::mpp::{Brake, Violation},
};

/// What the bridge keeps of one queue.
///
/// ```text
/// pull ──▶ parked ──dispatch──▶ in_flight ──ready_after, failed──▶ clearing ──its commit──▶ free
/// ```
#[derive(Debug)]
pub(super) struct Queue {
    /// Absent when the manifest in force does not declare the queue.
    pub(super) ready_after: Option<ReadyAfter>,
    /// Recorded rows waiting under the manifest in force.
    pub(super) pending: u64,
    /// Recorded rows waiting under another manifest.
    pub(super) other_manifest: u64,
    /// Rows on their way into the store.
    pub(super) entering: u64,
    pub(super) in_flight: Option<InvocationId>,
    pub(super) parked: bool,
    /// The row that freed the slot last, and the first ticket that says so durably: nothing leaves before
    /// (ruling MPP 6).
    pub(super) clearing: Option<(InvocationId, Ticket)>,
    pub(super) brake: Brake,
    /// The last request to store the brake.
    pub(super) brake_ticket: Ticket,
    /// The operator was told that it is empty.
    pub(super) drained_reported: bool,
    pub(super) done: u64,
    pub(super) failed: u64,
    pub(super) head: ReadAhead,
}

impl Queue {
    pub(super) fn new(ready_after: Option<ReadyAfter>, counts: &QueueCounts, brake: Brake) -> Self {
        Self {
            ready_after,
            pending: counts.pending,
            other_manifest: counts.other_manifest,
            entering: 0,
            in_flight: None,
            parked: false,
            clearing: None,
            brake,
            brake_ticket: Ticket(0),
            drained_reported: brake.draining && counts.pending == 0,
            done: 0,
            failed: 0,
            head: ReadAhead::new(counts.pending > 0),
        }
    }

    /// Whether a pull may be parked (mpp-v2, pull: credit of one).
    pub(super) fn check_pull(&self) -> Result<(), Violation> {
        if self.parked {
            Err(Violation::AlreadyParked)
        } else if self.in_flight.is_some() {
            Err(Violation::StillInFlight)
        } else {
            Ok(())
        }
    }

    /// Whether the next row may leave (mpp-v2 §6; rulings MPP 6 and 17).
    pub(super) fn is_eligible(&self) -> bool {
        self.parked && self.is_free()
    }

    /// Whether a row could leave at once if a pull came.
    pub(super) fn is_free(&self) -> bool {
        self.in_flight.is_none() && self.clearing.is_none() && !self.brake.held
    }

    /// Rows are waiting that were not before: where it is drained, its end is told again.
    pub(super) fn add_pending(&mut self, rows: u64) {
        self.pending += rows;
        if rows > 0 {
            self.drained_reported = false;
        }
    }

    /// Whether a drain has come to its end.
    pub(super) fn is_drained(&self) -> bool {
        self.brake.draining && self.pending == 0 && self.entering == 0 && self.in_flight.is_none()
    }

    /// Whether there is nothing to show: the manifest lacks it, and no row names it.
    pub(super) fn is_forgettable(&self) -> bool {
        self.ready_after.is_none() && self.pending == 0 && self.other_manifest == 0
    }

    /// Frees the slot if this row holds it.
    pub(super) fn free(&mut self, id: InvocationId) -> bool {
        let held = self.in_flight == Some(id);
        if held {
            self.in_flight = None;
        }
        held
    }

    pub(super) fn view(&self) -> QueueView {
        QueueView {
            ready_after: self.ready_after,
            pending: self.pending,
            other_manifest: self.other_manifest,
            in_flight: self.in_flight,
            parked: self.parked,
            brake: self.brake,
            done: self.done,
            failed: self.failed,
        }
    }
}
