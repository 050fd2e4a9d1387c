//! Pull-driven dispatch: the oldest row of an eligible queue leaves (mpp-v2 §6; rulings MPP 6 and 11).

use std::{sync::Arc, time::Duration};

use super::{
    commits::RowChange,
    core::{Bridge, FetchRetry, ended, length},
};
use crate::{
    ids::{EventName, InvocationId, QueueName},
    limits::MPP_FRAME_BYTES_MAX,
    mpp::{connection::shared, frame::encode, invocation::Live, io::Output, manifest::Pack},
    schema::JsonText,
    store::{
        invocations::Pending,
        op::{CommitError, Fetched},
    },
    tap::entry::mpp::{FailedBy, FrameType, Head, RowState, Transition},
    time::Now,
    words::cut_marked,
};

/// How long until a read-ahead that failed is asked again.
const FETCH_RETRY: Duration = Duration::from_millis(500);
/// So many reads of a queue in a row that fail are told.
const FETCHES_TOLD: u32 = 2;
/// Bytes of a schema's finding that are kept.
const FINDING_BYTES_MAX: u64 = 1_024;

impl Bridge {
    /// Lets the queue's oldest row leave if the queue is eligible. Rows that may not be sent fail and the
    /// next is tried, without consuming the credit (ruling MPP 11); no more are tried than are held in
    /// memory.
    pub(super) fn pump(&mut self, now: Now, name: &QueueName) {
        while let Some(row) = self.next_row(name) {
            match frame_of(&self.settings.pack, name, &row) {
                Ok(frame) => self.dispatch(now, name, row, frame),
                Err((by, reason)) => self.fail_pending(now, name, &row, by, &reason),
            }
        }
        self.read_ahead(name);
        self.emit_drained(name);
    }

    fn next_row(&mut self, name: &QueueName) -> Option<Pending> {
        self.active.as_ref()?;
        if !self.queues.get(name)?.is_eligible() {
            return None;
        }
        if self.is_dirty_full() {
            self.commits.blocked_on_store = true;
            return None;
        }
        let queue = self.queues.get_mut(name)?;
        let row = queue.head.take()?;
        queue.pending = queue.pending.saturating_sub(1);
        self.pending_bytes = self.pending_bytes.saturating_sub(row.bytes);
        Some(row)
    }

    /// What [`pump`](Self::pump) would do if an adapter's pull were parked on the queue now.
    pub(super) fn foresee_pump(&self, name: &QueueName) -> Pumped<'_> {
        let mut pumped = Pumped::default();
        let Some(queue) = self.queues.get(name).filter(|queue| queue.is_free()) else { return pumped };
        let mut dirty = self.commits.dirty.len() as u64;
        for row in queue.head.known() {
            if dirty >= self.settings.limits.dirty_rows_max {
                return pumped;
            }
            if let Ok(frame) = frame_of(&self.settings.pack, name, row) {
                pumped.sent = Some((row, frame));
                return pumped;
            }
            pumped.failed += 1;
            dirty += u64::from(!self.commits.dirty.contains_key(&row.id));
        }
        pumped.is_read_first = queue.pending > pumped.failed && dirty < self.settings.limits.dirty_rows_max;
        pumped
    }

    /// "Marks it in-flight, and clears `pending_pull`."
    fn dispatch(&mut self, now: Now, name: &QueueName, row: Pending, frame: Vec<u8>) {
        let Some(conn) = self.active.as_ref().map(|active| active.conn) else { return };
        let Some(queue) = self.queues.get_mut(name) else { return };
        queue.parked = false;
        queue.in_flight = Some(row.id);
        let (id, event, trace) = (row.id, row.event.clone(), row.trace_id);
        let live = Live {
            queue: name.clone(),
            event: event.clone(),
            trace,
            state: RowState::Dispatched,
            since: now,
            acked: false,
            orphaned: false,
            conn: Some(conn),
            row: Some(row),
        };
        self.live.insert(id, live);
        self.move_behind(now, id, trace);
        self.emit_transition(
            Transition::Dispatched { id, queue: name.clone(), event: event.clone() },
            None,
            Some(trace),
        );
        self.transmit(now, conn, invocation_head(id, name, &event), frame, Some(trace));
    }

    /// pending → failed, before dispatch (mpp-v2 §9.1).
    fn fail_pending(&mut self, now: Now, name: &QueueName, row: &Pending, by: FailedBy, reason: &str) {
        let reason = shared(reason);
        let moved = RowChange {
            state: RowState::Failed,
            result: None,
            reason: Some(reason.to_string()),
            refund: None,
        };
        self.move_row(now, row.id, name, moved, row.trace_id);
        self.failed_before_dispatch(now, (row.id, name, &row.event), by, &reason, row.trace_id);
    }

    /// Says and counts that a row failed which was never sent.
    pub(super) fn failed_before_dispatch(
        &mut self,
        now: Now,
        (id, queue, event): (InvocationId, &QueueName, &EventName),
        by: FailedBy,
        reason: &Arc<str>,
        trace: crate::ids::TraceId,
    ) {
        if let Some(queue) = self.queues.get_mut(queue) {
            queue.head.ended(id);
        }
        let transition = Transition::Failed {
            id,
            queue: queue.clone(),
            event: event.clone(),
            from: RowState::Pending,
            cleared: false,
            by,
        };
        self.emit_transition(transition, Some(Arc::clone(reason)), Some(trace));
        self.remember_ended(ended(now, (id, queue, event), RowState::Failed, Some(reason), trace));
    }

    /// Tells once that a queue that is drained is empty (ruling MPP 17).
    pub(super) fn emit_drained(&mut self, name: &QueueName) {
        let Some(queue) = self.queues.get_mut(name) else { return };
        if queue.is_drained() && !queue.drained_reported {
            queue.drained_reported = true;
            self.emit_transition(Transition::Drained { queue: name.clone() }, None, None);
        }
    }

    /// Asks for more rows when few are held.
    pub(super) fn read_ahead(&mut self, name: &QueueName) {
        if self.fetch_retries.get(name).is_some_and(|retry| retry.at.is_some()) {
            return;
        }
        let rows_max = length(self.settings.limits.head_rows_max);
        if let Some(want) = self.queues.get_mut(name).and_then(|queue| queue.head.want(rows_max)) {
            self.put(Output::Fetch {
                queue: name.clone(),
                after: want.after,
                limit: want.limit,
                settled: want.settled,
            });
        }
    }

    pub(super) fn on_fetched(&mut self, now: Now, fetched: Fetched) {
        let Fetched { queue: name, after, rows, more } = fetched;
        self.reads_succeed(&name);
        let (live, dirty, cancelling) = (&self.live, &self.commits.dirty, &mut self.cancelling);
        let Some(queue) = self.queues.get_mut(&name) else { return };
        queue.head.fetched(after, rows, more, |row| {
            let ended = dirty.get(&row.id).is_some_and(|dirty| dirty.moved.state != RowState::Pending);
            if live.contains_key(&row.id) || ended {
                return false;
            }
            if let Some(cancelling) = cancelling.get_mut(&row.id) {
                cancelling.hold(&name, row);
                return false;
            }
            true
        });
        if queue.ready_after.is_none() {
            self.fail_undeclared(now, &name);
        }
        self.pump(now, &name);
    }

    /// A failed read is asked again. Failing twice in a row it is told: its queue stands until it succeeds.
    pub(super) fn on_fetch_failed(&mut self, now: Now, name: &QueueName, error: &CommitError) {
        let Some(queue) = self.queues.get_mut(name) else { return };
        queue.head.fetch_failed();
        let failures = self.fetch_retries.get(name).map_or(1, |retry| retry.failures.saturating_add(1));
        let retry = FetchRetry {
            at: Some(now.mono + FETCH_RETRY),
            failures,
            error: shared(&format!("{name}: {error}")),
        };
        self.fetch_retries.insert(name.clone(), retry);
        if self.reads_failing.is_none() {
            self.tell_failing_reads();
        }
    }

    /// A queue's rows are read, or there is none of it any more.
    pub(super) fn reads_succeed(&mut self, name: &QueueName) {
        self.fetch_retries.remove(name);
        if self.reads_failing.take_if(|(told, _)| told == name).is_some() {
            self.tell_failing_reads();
            if self.reads_failing.is_none() {
                self.emit_transition(Transition::ReadsOk, None, None);
            }
        }
    }

    /// Tells of one queue that cannot be read, if there is one.
    fn tell_failing_reads(&mut self) {
        let failing = self.fetch_retries.iter().find(|(_, retry)| retry.failures >= FETCHES_TOLD);
        if let Some((name, retry)) = failing {
            let why = Arc::clone(&retry.error);
            self.reads_failing = Some((name.clone(), Arc::clone(&why)));
            self.emit_transition(Transition::ReadsFailing, Some(why), None);
        }
    }

    /// "If a pending Invocation names a queue that the bridge's loaded Manifest does not declare, the bridge
    /// marks it failed."
    fn fail_undeclared(&mut self, now: Now, name: &QueueName) {
        let reason = unknown_queue(name);
        while let Some(queue) = self.queues.get_mut(name) {
            let Some(row) = queue.head.take() else { break };
            queue.pending = queue.pending.saturating_sub(1);
            self.pending_bytes = self.pending_bytes.saturating_sub(row.bytes);
            self.fail_pending(now, name, &row, FailedBy::UnknownQueue, &reason);
        }
        self.forget_if_empty(name);
    }
}

/// What would leave of a queue.
#[derive(Debug, Default)]
pub(super) struct Pumped<'a> {
    /// The row that would be sent, and its frame.
    pub(super) sent: Option<(&'a Pending, Vec<u8>)>,
    /// How many rows would fail before, as they may not be sent.
    pub(super) failed: u64,
    /// Whether rows wait that the store must be asked for first.
    pub(super) is_read_first: bool,
}

/// The head of an `invocation`.
pub(super) fn invocation_head(id: InvocationId, queue: &QueueName, event: &EventName) -> Head {
    Head {
        kind: Some(FrameType::Invocation),
        id: Some(id),
        queue: Some(queue.clone()),
        event: Some(event.clone()),
    }
}

/// The reason of a row whose queue the manifest lacks (mpp-v2, unknown queue).
pub(super) fn unknown_queue(name: &QueueName) -> String {
    format!("unknown_queue: {name}")
}

/// The frame of a row, or the reason why it may not be sent (mpp-v2, invocation; ruling MPP 4).
fn frame_of(pack: &Pack, queue: &QueueName, row: &Pending) -> Result<Vec<u8>, (FailedBy, String)> {
    if let Some(damage) = &row.damage {
        return Err((FailedBy::Damage, format!("damaged: {damage}")));
    }
    let misfit = |reason| (FailedBy::Schema, reason);
    check(pack, &row.event, &row.params).map_err(misfit)?;
    let frame = encode::invocation(row.id, queue.as_str(), row.event.as_str(), row.params.as_str());
    if frame.len() > MPP_FRAME_BYTES_MAX { Err(misfit(too_large(frame.len()))) } else { Ok(frame) }
}

/// Whether a row may be sent under the manifest in force, without making its frame.
pub(super) fn check_row(pack: &Pack, queue: &QueueName, row: &Pending) -> Result<(), String> {
    if let Some(damage) = &row.damage {
        return Err(format!("damaged: {damage}"));
    }
    check(pack, &row.event, &row.params)?;
    let bytes = encode::invocation_len(row.id, queue.as_str(), row.event.as_str(), row.params.as_str());
    if bytes > MPP_FRAME_BYTES_MAX { Err(too_large(bytes)) } else { Ok(()) }
}

fn check(pack: &Pack, event: &EventName, params: &JsonText) -> Result<(), String> {
    pack.check_params(event, params)
        .map_err(|finding| format!("schema_validation: {}", cut_marked(&finding, FINDING_BYTES_MAX)))
}

fn too_large(bytes: usize) -> String {
    format!("schema_validation: frame of {bytes} bytes")
}
