//! What must be durable, what waits for it, and what happens while nothing can be stored (rulings MPP 6 and
//! 7).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use super::{
    cancel::CancelWait, core::Bridge, enqueue::EnqueueWait, frames::class_of, migrate::PageWait,
    settle::SettleWait,
};
use crate::{
    ids::{InvocationId, QueueName, RequestId, Ticket, TraceId},
    mpp::{Refusal, connection::shared, io::Output},
    schema::JsonText,
    store::{
        invocations::{Move, NewRefund},
        op::{Class, CommitError, Done, Op},
    },
    tap::entry::mpp::{RowState, Transition},
    time::{Mono, Now, Wall},
};

/// The first delay before the store is tried again; it doubles.
const RETRY_FIRST: Duration = Duration::from_millis(100);
/// The longest.
const RETRY_LAST: Duration = Duration::from_secs(5);

/// What a ticket was taken for.
#[derive(Debug)]
pub(super) enum TicketPurpose {
    /// A row's transition.
    Row {
        id: InvocationId,
        queue: QueueName,
    },
    /// A queue's brake, and the command that set it.
    Brake {
        queue: QueueName,
        request: Option<RequestId>,
    },
    Enqueue(EnqueueWait),
    Cancel(CancelWait),
    Settle(SettleWait),
    Migrate(PageWait),
}

/// A row's transition.
#[derive(Debug)]
pub(super) struct RowChange {
    pub(super) state: RowState,
    pub(super) result: Option<JsonText>,
    pub(super) reason: Option<String>,
    pub(super) refund: Option<NewRefund>,
}

/// A row whose latest transition is not known to be durable: everything that is not, as one move.
#[derive(Debug)]
pub(super) struct DirtyRow {
    pub(super) queue: QueueName,
    pub(super) moved: RowChange,
    pub(super) at: Wall,
    trace: TraceId,
    /// The ticket that carries all of it.
    latest: Ticket,
}

/// Something to be stored again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Retry {
    Row(InvocationId),
    Brake(QueueName),
}

/// The bridge's dealings with the store.
#[derive(Debug)]
pub(super) struct Commits {
    last: Ticket,
    waiting: BTreeMap<Ticket, TicketPurpose>,
    pub(super) dirty: BTreeMap<InvocationId, DirtyRow>,
    retry: BTreeSet<Retry>,
    pub(super) retry_at: Option<Mono>,
    delay: Duration,
    pub(super) failing: Option<Arc<str>>,
    /// A queue waits for `dirty` to shrink.
    pub(super) blocked_on_store: bool,
}

impl Default for Commits {
    fn default() -> Self {
        Self {
            last: Ticket(0),
            waiting: BTreeMap::new(),
            dirty: BTreeMap::new(),
            retry: BTreeSet::new(),
            retry_at: None,
            delay: RETRY_FIRST,
            failing: None,
            blocked_on_store: false,
        }
    }
}

impl Bridge {
    /// Hands something to the store.
    pub(super) fn persist(&mut self, class: Class, op: Op, trace: Option<TraceId>) -> Ticket {
        self.commits.last = self.commits.last.next();
        let ticket = self.commits.last;
        self.put(Output::Persist { ticket, class, op, trace });
        ticket
    }

    pub(super) fn persist_for(
        &mut self,
        class: Class,
        op: Op,
        trace: Option<TraceId>,
        waits: TicketPurpose,
    ) -> Ticket {
        let ticket = self.persist(class, op, trace);
        self.commits.waiting.insert(ticket, waits);
        ticket
    }

    /// Stores a row's transition, together with what of it is not durable yet.
    pub(super) fn move_row(
        &mut self,
        now: Now,
        id: InvocationId,
        queue: &QueueName,
        moved: RowChange,
        trace: TraceId,
    ) -> Ticket {
        let dirty = self.commits.dirty.entry(id).or_insert_with(|| DirtyRow {
            queue: queue.clone(),
            moved: RowChange { state: moved.state, result: None, reason: None, refund: None },
            at: now.wall,
            trace,
            latest: Ticket(0),
        });
        let RowChange { state, result, reason, refund } = moved;
        let earlier = &mut dirty.moved;
        earlier.state = state;
        earlier.result = result.or(earlier.result.take());
        earlier.reason = reason.or(earlier.reason.take());
        earlier.refund = refund.or(earlier.refund.take());
        dirty.at = now.wall;
        self.store_row(id).unwrap_or_default()
    }

    /// A row was sent: not worth waiting for, for a restart takes it back (ruling MPP 6).
    pub(super) fn move_behind(&mut self, now: Now, id: InvocationId, trace: TraceId) {
        if let Some(dirty) = self.commits.dirty.get_mut(&id) {
            dirty.moved.state = RowState::Dispatched;
            dirty.at = now.wall;
        }
        let moved = Move { id, state: RowState::Dispatched, result: None, reason: None, at: now.wall };
        self.persist(Class::WriteBehind, Op::Move(moved), Some(trace));
    }

    fn store_row(&mut self, id: InvocationId) -> Option<Ticket> {
        let dirty = self.commits.dirty.get(&id)?;
        let class = class_of(&dirty.moved);
        let RowChange { state, result, reason, refund } = &dirty.moved;
        let moved = Move { id, state: *state, result: result.clone(), reason: reason.clone(), at: dirty.at };
        let op = match refund {
            Some(refund) => Op::Refund { moved, refund: refund.clone() },
            None => Op::Move(moved),
        };
        let (queue, trace) = (dirty.queue.clone(), dirty.trace);
        self.commits.retry.remove(&Retry::Row(id));
        let ticket = self.persist_for(class, op, Some(trace), TicketPurpose::Row { id, queue });
        if let Some(dirty) = self.commits.dirty.get_mut(&id) {
            dirty.latest = ticket;
        }
        Some(ticket)
    }

    /// Stores a queue's brake as it is now.
    pub(super) fn store_brake(&mut self, name: &QueueName, request: Option<RequestId>) {
        let Some(brake) = self.queues.get(name).map(|queue| queue.brake) else { return };
        self.commits.retry.remove(&Retry::Brake(name.clone()));
        let op = Op::SetBrake { queue: name.clone(), brake };
        let ticket =
            self.persist_for(Class::Process, op, None, TicketPurpose::Brake { queue: name.clone(), request });
        if let Some(queue) = self.queues.get_mut(name) {
            queue.brake_ticket = ticket;
        }
    }

    /// Why a command that needs the store is refused at once, if it is.
    pub(super) fn not_stored(&self) -> Result<(), Refusal> {
        match &self.commits.failing {
            Some(why) => Err(Refusal::NotStored { why: why.to_string() }),
            None => Ok(()),
        }
    }

    pub(super) fn on_committed(&mut self, now: Now, ticket: Ticket, done: Done) {
        let Some(waits) = self.commits.waiting.remove(&ticket) else { return };
        self.on_store_recovered();
        match (waits, done) {
            (TicketPurpose::Row { id, queue }, done) => self.on_row_committed(now, ticket, id, &queue, &done),
            (TicketPurpose::Brake { request, .. }, _) => self.on_brake_stored(request, Ok(())),
            (TicketPurpose::Enqueue(wait), Done::Enqueued(rows)) => self.on_enqueued(now, wait, rows),
            (TicketPurpose::Cancel(wait), Done::Changed(changed)) => self.on_cancelled(now, wait, changed),
            (TicketPurpose::Settle(wait), Done::Changed(changed)) => {
                self.on_settled(now, &wait, changed.into_iter().next());
            }
            (TicketPurpose::Migrate(wait), Done::Migrated { .. }) => self.on_migrated(now, &wait),
            (waits, _) => {
                self.give_up(now, waits, &CommitError::Failed("unexpected answer from the store".to_owned()));
            }
        }
        if self.commits.failing.is_none() {
            self.arm_retry(now);
        }
        if self.commits.blocked_on_store && !self.is_dirty_full() {
            self.commits.blocked_on_store = false;
            for name in self.queue_names() {
                self.pump(now, &name);
            }
        }
    }

    fn on_row_committed(
        &mut self,
        now: Now,
        ticket: Ticket,
        id: InvocationId,
        name: &QueueName,
        done: &Done,
    ) {
        let trace = self.commits.dirty.get(&id).map(|dirty| dirty.trace);
        if self.commits.dirty.get(&id).is_some_and(|dirty| dirty.latest <= ticket) {
            self.commits.retry.remove(&Retry::Row(id));
            if let Some(dirty) = self.commits.dirty.remove(&id)
                && dirty.moved.state != RowState::Pending
                && let Some(queue) = self.queues.get_mut(name)
            {
                // From here on nothing but the store tells of it, and a read that was asked before may not
                // show it yet.
                queue.head.ended(id);
            }
        }
        if let Done::Refunded(refund, status) = *done {
            self.emit_transition(Transition::RefundRecorded { refund, id, status }, None, trace);
        }
        let Some(queue) = self.queues.get_mut(name) else { return };
        if queue.clearing.is_some_and(|(cleared, first)| cleared == id && first <= ticket) {
            queue.clearing = None;
            self.pump(now, &name.clone());
        }
    }

    pub(super) fn is_dirty_full(&self) -> bool {
        self.commits.dirty.len() as u64 >= self.settings.limits.dirty_rows_max
    }

    /// Nothing can be stored: it is told, and tried again.
    pub(super) fn on_store_failing(&mut self, now: Now, why: Arc<str>) {
        self.commits.failing = Some(Arc::clone(&why));
        self.emit_transition(Transition::CommitsFailing, Some(why), None);
        self.arm_retry(now);
    }

    pub(super) fn on_commit_failed(&mut self, now: Now, ticket: Ticket, error: &CommitError) {
        let Some(waits) = self.commits.waiting.remove(&ticket) else { return };
        // A store that is busy is well: what it did not take is offered again, and what was asked is refused.
        if matches!(error, CommitError::Failed(_)) && self.commits.failing.is_none() {
            self.on_store_failing(now, shared(&error.to_string()));
        }
        match waits {
            TicketPurpose::Row { id, .. } => {
                // A newer request says all that this one said.
                if self.commits.dirty.get(&id).is_some_and(|dirty| dirty.latest == ticket) {
                    self.commits.retry.insert(Retry::Row(id));
                }
            }
            TicketPurpose::Brake { queue, request } => {
                if self.queues.get(&queue).is_some_and(|known| known.brake_ticket == ticket) {
                    self.commits.retry.insert(Retry::Brake(queue));
                }
                self.on_brake_stored(request, Err(error));
            }
            waits => self.give_up(now, waits, error),
        }
        self.arm_retry(now);
    }

    /// A command whose request did not happen is refused.
    fn give_up(&mut self, now: Now, waits: TicketPurpose, error: &CommitError) {
        match waits {
            TicketPurpose::Row { .. } | TicketPurpose::Brake { .. } => {}
            TicketPurpose::Enqueue(wait) => self.on_enqueue_failed(now, &wait, error),
            TicketPurpose::Cancel(wait) => self.on_cancel_failed(now, &wait, error),
            TicketPurpose::Settle(wait) => self.on_settle_failed(&wait, error),
            TicketPurpose::Migrate(_) => self.on_migrate_failed(error),
        }
    }

    /// Tries a failing store with one request. Without any that failed, a brake is stored as it is, so that
    /// the operator learns when the store is well. A store that was busy is offered everything again.
    pub(super) fn probe_store(&mut self, now: Now) {
        self.commits.retry_at = None;
        if self.commits.failing.is_none() {
            self.store_all_again();
            return self.arm_retry(now);
        }
        let probe = self
            .commits
            .retry
            .iter()
            .find(|retry| !self.is_being_cancelled(retry))
            .cloned()
            .or_else(|| self.declared().into_iter().next().map(Retry::Brake));
        match probe {
            Some(probe) => self.store_again(&probe),
            None => self.on_store_recovered(),
        }
    }

    fn store_again(&mut self, retry: &Retry) {
        self.commits.retry.remove(retry);
        match retry {
            Retry::Row(id) => {
                self.store_row(*id);
            }
            Retry::Brake(name) => self.store_brake(name, None),
        }
    }

    fn on_store_recovered(&mut self) {
        if self.commits.failing.take().is_none() {
            if self.commits.retry.is_empty() {
                self.commits.delay = RETRY_FIRST;
            }
            return;
        }
        self.commits.delay = RETRY_FIRST;
        self.commits.retry_at = None;
        self.emit_transition(Transition::CommitsOk, None, None);
        self.store_all_again();
    }

    fn store_all_again(&mut self) {
        for retry in std::mem::take(&mut self.commits.retry) {
            if self.is_being_cancelled(&retry) {
                self.commits.retry.insert(retry);
            } else {
                self.store_again(&retry);
            }
        }
    }

    /// Behind its cancellation a row's older transition would bring it back.
    fn is_being_cancelled(&self, retry: &Retry) -> bool {
        matches!(retry, Retry::Row(id) if self.cancelling.contains_key(id))
    }

    /// The store has ended a row: what it did not take of it before is void.
    pub(super) fn forget_dirty(&mut self, id: InvocationId) {
        self.commits.dirty.remove(&id);
        self.commits.retry.remove(&Retry::Row(id));
    }

    fn arm_retry(&mut self, now: Now) {
        let wanted = self.commits.failing.is_some() || !self.commits.retry.is_empty();
        if wanted && self.commits.retry_at.is_none() {
            self.commits.retry_at = Some(now.mono + self.commits.delay);
            self.commits.delay = (self.commits.delay * 2).min(RETRY_LAST);
        }
    }
}
