//! Cancelling pending rows, wherever they are (ruling MPP 10).

use std::{collections::BTreeMap, sync::Arc};

use super::{commits::TicketPurpose, core::Bridge};
use crate::{
    ids::{InvocationId, QueueName, RequestId},
    mpp::{CancelledRow, Outcome, RefundRef, Refusal, connection::shared},
    store::{
        invocations::{Changed, Pending, Row},
        op::{Class, CommitError, Op},
    },
    tap::entry::mpp::{FailedBy, RowState, Transition},
    time::Now,
};

/// A row that may be gone soon: it must not be dispatched, and comes back if it stays after all.
#[derive(Debug, Default)]
pub(super) struct Cancelling {
    /// Commands that ask for it.
    times: u32,
    /// The row, if it was at hand.
    row: Option<(QueueName, Pending)>,
}

impl Cancelling {
    /// Keeps a row that was read while it is being cancelled.
    pub(super) fn hold(&mut self, queue: &QueueName, row: &Pending) {
        self.row.get_or_insert_with(|| (queue.clone(), row.clone()));
    }
}

/// A cancel that waits for its commit.
#[derive(Debug)]
pub(super) struct CancelWait {
    request: RequestId,
    /// The ids in the order in which they were given.
    asked: Vec<InvocationId>,
    /// Those that were refused without asking the store.
    refused: BTreeMap<InvocationId, Refusal>,
    /// Those that the store was asked for.
    sent: Vec<InvocationId>,
    reason: Arc<str>,
}

impl Bridge {
    pub(super) fn cancel(
        &mut self,
        now: Now,
        request: RequestId,
        asked: Vec<InvocationId>,
        text: &str,
        refund: bool,
    ) -> Result<Option<Outcome>, Refusal> {
        self.check_rows(asked.len())?;
        self.not_stored()?;
        let mut refused = BTreeMap::new();
        let mut sent = Vec::new();
        for id in &asked {
            match self.state_of(*id).filter(|state| *state != RowState::Pending) {
                Some(state) => {
                    refused.insert(*id, Refusal::WrongState { id: *id, state });
                }
                None => sent.push(*id),
            }
        }
        sent.sort_unstable();
        sent.dedup();
        if sent.is_empty() {
            let answer = asked.iter().filter_map(|id| refused.get(id).cloned().map(Err)).collect();
            return Ok(Some(Outcome::Cancelled(answer)));
        }
        for id in &sent {
            let cancelling = self.cancelling.entry(*id).or_default();
            cancelling.times += 1;
            let found = self
                .queues
                .iter_mut()
                .find_map(|(name, queue)| Some((name.clone(), queue.head.remove(*id)?)));
            cancelling.row = cancelling.row.take().or(found);
        }
        let reason = shared(&format!("cancelled: {text}"));
        let op = Op::Change {
            ids: sent.clone(),
            from: RowState::Pending,
            to: RowState::Failed,
            reason: Some(reason.to_string()),
            refund,
            at: now.wall,
        };
        let class = if refund { Class::Power } else { Class::Process };
        self.persist_for(
            class,
            op,
            None,
            TicketPurpose::Cancel(CancelWait { request, asked, refused, sent, reason }),
        );
        Ok(None)
    }

    pub(super) fn on_cancelled(&mut self, now: Now, wait: CancelWait, changed: Vec<Changed>) {
        let CancelWait { request, asked, refused, sent, reason } = wait;
        let mut results: BTreeMap<InvocationId, Result<CancelledRow, Refusal>> =
            refused.into_iter().map(|(id, why)| (id, Err(why))).collect();
        let mut changed = changed.into_iter();
        for id in sent {
            let result = match changed.next() {
                Some(Changed::Changed { before, refund }) => {
                    self.settle_cancelling(id, true);
                    self.forget_dirty(id);
                    let refund = refund.map(|(id, status)| RefundRef { id, status });
                    Ok(self.cancelled(now, &before, refund, &reason))
                }
                Some(Changed::NotThere { state }) => {
                    self.settle_cancelling(id, state.is_terminal());
                    Err(Refusal::WrongState { id, state })
                }
                Some(Changed::NoSuchRow) | None => {
                    self.settle_cancelling(id, true);
                    Err(Refusal::NoSuchInvocation { id })
                }
            };
            results.insert(id, result);
        }
        let answer = asked.iter().filter_map(|id| results.get(id).cloned()).collect();
        self.answer(request, Ok(Outcome::Cancelled(answer)));
        for name in self.queue_names() {
            self.pump(now, &name);
        }
    }

    fn cancelled(
        &mut self,
        now: Now,
        before: &Row,
        refund: Option<RefundRef>,
        reason: &Arc<str>,
    ) -> CancelledRow {
        let (id, trace) = (before.id, before.trace_id);
        let pack = &self.settings.pack;
        let ours = before.manifest_hash == pack.hash && before.pack_id == pack.id;
        if let Some(queue) = self.queues.get_mut(&before.queue) {
            let count = if ours { &mut queue.pending } else { &mut queue.other_manifest };
            *count = count.saturating_sub(1);
            self.pending_bytes = self.pending_bytes.saturating_sub(before.bytes());
        }
        if ours {
            self.failed_before_dispatch(
                now,
                (id, &before.queue, &before.event),
                FailedBy::Cancelled,
                reason,
                trace,
            );
        } else {
            if let Some(queue) = self.queues.get_mut(&before.queue) {
                queue.failed += 1;
            }
            if let Some(migration) = &mut self.migration {
                migration.gone.insert(id);
            }
            let transition = Transition::OtherCancelled { id, queue: before.queue.clone() };
            self.emit_transition(transition, Some(Arc::clone(reason)), Some(trace));
        }
        self.forget_if_empty(&before.queue);
        if let Some(RefundRef { id: refund, status }) = refund {
            self.emit_transition(Transition::RefundRecorded { refund, id, status }, None, Some(trace));
        }
        CancelledRow { id, queue: before.queue.clone(), refund }
    }

    pub(super) fn on_cancel_failed(&mut self, now: Now, wait: &CancelWait, error: &CommitError) {
        for id in &wait.sent {
            self.settle_cancelling(*id, false);
        }
        self.answer(wait.request, Err(Refusal::NotStored { why: error.to_string() }));
        for name in self.queue_names() {
            self.pump(now, &name);
        }
    }

    /// One command is through with a row. When no other is about it, a row that stays pending goes back to
    /// its queue.
    fn settle_cancelling(&mut self, id: InvocationId, gone: bool) {
        let Some(cancelling) = self.cancelling.get_mut(&id) else { return };
        cancelling.times = cancelling.times.saturating_sub(1);
        if gone {
            cancelling.row = None;
        }
        if cancelling.times > 0 {
            return;
        }
        if let Some((name, row)) = self.cancelling.remove(&id).and_then(|cancelling| cancelling.row)
            && let Some(queue) = self.queues.get_mut(&name)
        {
            queue.head.put_back(row);
        }
    }
}
