//! Requeuing ended rows: each is recorded once more, as a new row.
//!
//! ```text
//! Requeue ──▶ FetchInvocations ──▶ judged one by one ──▶ Op::Enqueue (power) ──▶ Outcome::Requeued
//! ```

use std::collections::BTreeSet;

use super::{
    core::Bridge,
    enqueue::{Admission, EnqueueWait},
};
use crate::{
    ids::{InvocationId, RequestId},
    mpp::{NewInvocation, Outcome, Refusal, io::Output},
    store::{InvocationsById, invocations::Row, op::CommitError},
    tap::entry::mpp::{RefundStatus, RowState},
    time::Now,
};

/// A requeue whose rows are being read.
#[derive(Debug)]
pub(super) struct RequeueWait {
    ids: Vec<InvocationId>,
    even_if_refunded: bool,
}

impl Bridge {
    pub(super) fn requeue(
        &mut self,
        request: RequestId,
        mut ids: Vec<InvocationId>,
        even_if_refunded: bool,
    ) -> Result<Option<Outcome>, Refusal> {
        self.check_rows(ids.len())?;
        self.not_stored()?;
        let mut seen = BTreeSet::new();
        ids.retain(|id| seen.insert(*id));
        self.put(Output::FetchInvocations { request, ids: ids.clone() });
        self.requeues.insert(request, RequeueWait { ids, even_if_refunded });
        Ok(None)
    }

    /// The rows as the store has them: those that may be requeued are recorded once more.
    pub(super) fn on_fetched_invocations(
        &mut self,
        now: Now,
        request: RequestId,
        rows: Result<InvocationsById, CommitError>,
    ) {
        let Some(RequeueWait { ids, even_if_refunded }) = self.requeues.remove(&request) else { return };
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => {
                return self.answer(request, Err(Refusal::NotStored { why: error.to_string() }));
            }
        };
        let mut waiting = self.waiting_rows();
        let mut rows = rows.into_iter();
        let mut admitted = Vec::with_capacity(ids.len());
        for id in ids {
            let again = self
                .again(id, rows.next().flatten(), even_if_refunded)
                .and_then(|new| self.admit(now, new, Some(id), &mut waiting));
            admitted.push(match again {
                Ok(row) => Admission::Row(Box::new(row)),
                Err(refusal) => Admission::Refused { refusal, key: None },
            });
        }
        self.persist_rows(now, EnqueueWait { request, rows: admitted, is_requeue: true }, Vec::new());
    }

    /// An ended row as an enqueue would give it. One that would only fail is refused.
    fn again(
        &self,
        id: InvocationId,
        row: Option<Row>,
        even_if_refunded: bool,
    ) -> Result<NewInvocation, Refusal> {
        let row = row.ok_or(Refusal::NoSuchInvocation { id })?;
        let state = self.state_of(id).unwrap_or(row.state);
        if !state.is_terminal() {
            return Err(Refusal::NotEnded { id, state });
        }
        if let Some(why) = row.damage {
            return Err(Refusal::Damaged { id, why });
        }
        // A refund of an upstream that knows none is recorded as skipped: nothing is given back.
        let is_unstored = self.commits.dirty.get(&id).is_some_and(|dirty| dirty.moved.refund.is_some());
        let is_refunded = state == RowState::Refunded || is_unstored;
        let refund = row.refund.or_else(|| is_refunded.then(|| row.source.refund_status()));
        if let Some(refund) = refund.filter(|refund| *refund != RefundStatus::Skipped && !even_if_refunded) {
            return Err(Refusal::RefundRequested { id, refund });
        }
        let pack = &self.settings.pack;
        if !pack.queues.contains_key(&row.queue) {
            return Err(Refusal::UnknownQueue { queue: row.queue });
        }
        if pack.events.contains_key(&row.event)
            && let Err(why) = pack.check_params(&row.event, &row.params)
        {
            return Err(Refusal::ParamsMismatch { id, why });
        }
        Ok(NewInvocation {
            params: Some(row.params),
            queue: Some(row.queue),
            source: Some(row.source.kind),
            user: row.source.user,
            ..NewInvocation::new(row.event.as_str())
        })
    }
}
