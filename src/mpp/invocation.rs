//! The lifecycle of an invocation that was sent to an adapter (mpp-v2 §9.1; ruling MPP 8).

use crate::{
    ids::{ConnectionId, EventName, QueueName, TraceId},
    mpp::snapshot::LiveView,
    store::invocations::Pending,
    tap::entry::mpp::{RowState, Violation},
    time::Now,
};

/// An invocation that was sent and has not ended, or was left in `applied`.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) queue: QueueName,
    pub(super) event: EventName,
    pub(super) trace: TraceId,
    /// `dispatched` or `applied`.
    pub(super) state: RowState,
    pub(super) since: Now,
    pub(super) acked: bool,
    /// Its connection is gone, or it was forgotten for newer ones.
    pub(super) orphaned: bool,
    /// The connection that it was sent to, while that may still end it.
    pub(super) conn: Option<ConnectionId>,
    /// The row, for as long as it may be requeued or refunded: while dispatched.
    pub(super) row: Option<Pending>,
}

/// What an adapter's frame asks of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Ack,
    Applied,
    Done,
    Failed { refund: bool },
}

impl Live {
    /// Whether the step follows from the state.
    pub(super) fn check(&self, step: Step) -> Result<(), Violation> {
        match (self.state, step) {
            (RowState::Applied, Step::Applied) => Err(Violation::AlreadyApplied),
            (RowState::Dispatched, Step::Done) => Err(Violation::NotApplied),
            (RowState::Applied, Step::Failed { refund: true }) => Err(Violation::RefundAfterApplied),
            _ => Ok(()),
        }
    }

    pub(super) fn view(&self) -> LiveView {
        LiveView {
            queue: self.queue.clone(),
            event: self.event.clone(),
            state: self.state,
            since: self.since,
            trace: Some(self.trace),
            acked: self.acked,
            orphaned: self.orphaned,
        }
    }
}
