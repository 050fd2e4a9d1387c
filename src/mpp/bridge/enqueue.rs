//! Recording invocations (mpp-v2, security notes; rulings MPP 4, 7, 11 and 17).

use std::sync::Arc;

use super::{
    commits::TicketPurpose,
    core::{Bridge, length},
    dispatch::unknown_queue,
};
use crate::{
    ids::{EventName, InvocationId, QueueName, RequestId, TraceId},
    limits::{MPP_FRAME_BYTES_MAX, QUEUE_NAME_BYTES_MAX},
    mpp::{EnqueuedRow, NewInvocation, Outcome, Refusal, connection::shared, frame::encode},
    schema::JsonText,
    store::{
        invocations::{Enqueued, Pending, Row},
        op::{Class, CommitError, Op},
    },
    tap::entry::mpp::{FailedBy, RowState, Transition},
    time::Now,
    words::cut_marked,
};

/// Bytes of params that are shown where a key is of other work.
const CONFLICT_BYTES_MAX: u64 = 256;

/// An enqueue that waits for its commit: its rows in order.
#[derive(Debug)]
pub(super) struct EnqueueWait {
    pub(super) request: RequestId,
    pub(super) rows: Vec<Admission>,
    /// Ended rows are requeued by it.
    pub(super) is_requeue: bool,
}

/// What was made of one row of an enqueue.
#[derive(Debug)]
pub(super) enum Admission {
    /// It is to be recorded.
    Row(Box<Row>),
    /// It is refused, unless it has a key that is known already for the same work, which is this.
    Refused { refusal: Refusal, key: Option<Box<Work>> },
}

/// What an invocation is to do, by which two with one key are told apart.
#[derive(Debug)]
pub(super) struct Work {
    event: EventName,
    params: Option<JsonText>,
}

impl EnqueueWait {
    fn accepted(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter_map(|row| match row {
            Admission::Row(row) => Some(&**row),
            Admission::Refused { .. } => None,
        })
    }
}

impl Bridge {
    pub(super) fn enqueue(
        &mut self,
        now: Now,
        request: RequestId,
        rows: Vec<NewInvocation>,
    ) -> Result<Option<Outcome>, Refusal> {
        self.check_rows(rows.len())?;
        self.not_stored()?;
        let mut waiting = self.waiting_rows();
        let mut admitted = Vec::with_capacity(rows.len());
        let mut lookups = Vec::new();
        for row in rows {
            let key = row.key.as_ref().or(row.redemption.as_ref()).cloned();
            let key = key.map(|key| (row.source().kind, key));
            let work = Work { event: row.event.clone(), params: row.params.clone() };
            admitted.push(match self.admit(now, row, None, &mut waiting) {
                Ok(row) => Admission::Row(Box::new(row)),
                Err(refusal) => {
                    let work = key.is_some().then(|| Box::new(work));
                    lookups.extend(key);
                    Admission::Refused { refusal, key: work }
                }
            });
        }
        self.persist_rows(now, EnqueueWait { request, rows: admitted, is_requeue: false }, lookups);
        Ok(None)
    }

    /// Rows that wait in all queues, and those on their way into the store.
    pub(super) fn waiting_rows(&self) -> u64 {
        self.queues.values().map(|queue| queue.pending + queue.other_manifest + queue.entering).sum()
    }

    /// Has the rows recorded that were admitted.
    pub(super) fn persist_rows(&mut self, now: Now, wait: EnqueueWait, lookups: Vec<(String, String)>) {
        let accepted: Vec<Row> = wait.accepted().cloned().collect();
        if accepted.is_empty() && lookups.is_empty() {
            return self.on_enqueued(now, wait, Vec::new());
        }
        let trace = accepted.first().map(|row| row.trace_id);
        // What only looks keys up changes nothing that could be lost.
        let class = if accepted.is_empty() { Class::Process } else { Class::Power };
        self.persist_for(class, Op::Enqueue { rows: accepted, lookups }, trace, TicketPurpose::Enqueue(wait));
    }

    /// Judges one row and gives it its id. A queue that the manifest lacks is recorded and fails at once
    /// (ruling MPP 11).
    pub(super) fn admit(
        &mut self,
        now: Now,
        new: NewInvocation,
        requeued_from: Option<InvocationId>,
        waiting: &mut u64,
    ) -> Result<Row, Refusal> {
        let pack = Arc::clone(&self.settings.pack);
        let Some((event, declared)) = pack.events.get_key_value(&new.event) else {
            let nearest = pack.nearest_event(new.event.as_str()).cloned();
            return Err(Refusal::UnknownEvent { event: new.event, nearest });
        };
        let name = new.queue.as_ref().unwrap_or(&declared.queue);
        if name.as_str().len() > QUEUE_NAME_BYTES_MAX {
            return Err(Refusal::QueueNameTooLong { bytes: name.as_str().len() as u64 });
        }
        let params = params_of(&new)?;
        let id = self.next_id;
        let bytes = encode::invocation_len(id, name.as_str(), event.as_str(), params.as_str());
        if bytes > MPP_FRAME_BYTES_MAX {
            return Err(Refusal::FrameTooLarge { bytes: bytes as u64 });
        }
        let limit = self.settings.limits.pending_rows_max;
        let known = self.queues.get_key_value(name).filter(|(_, queue)| queue.ready_after.is_some());
        let queue = match known {
            Some((name, queue)) if queue.brake.draining => {
                return Err(Refusal::Draining { queue: name.clone() });
            }
            Some(_) if *waiting >= limit => return Err(Refusal::TooManyPending { limit }),
            Some((name, _)) => name.clone(),
            None => name.clone(),
        };
        let fails = (!pack.queues.contains_key(&queue)).then(|| unknown_queue(&queue));
        let source = new.source();
        let row = Row {
            id,
            queue,
            event: event.clone(),
            state: if fails.is_some() { RowState::Failed } else { RowState::Pending },
            params,
            result: None,
            reason: fails,
            key: new.key.or(new.redemption),
            source,
            trace_id: new.trace_id.unwrap_or_else(|| TraceId((self.settings.ids)())),
            pack_id: pack.id.clone(),
            manifest_hash: pack.hash.clone(),
            enqueued_at_ms: now.wall,
            updated_at_ms: now.wall,
            refund: None,
            requeued_from,
            damage: None,
        };
        if row.state == RowState::Pending {
            let limit = self.settings.limits.pending_bytes_max;
            let bytes = self.pending_bytes.saturating_add(row.bytes());
            if bytes > limit {
                return Err(Refusal::TooManyPendingBytes { limit });
            }
            self.pending_bytes = bytes;
            *waiting += 1;
            if let Some(queue) = self.queues.get_mut(&row.queue) {
                queue.entering += 1;
            }
        }
        self.next_id = id.next();
        Ok(row)
    }

    /// The rows are recorded, or were before under the same key.
    pub(super) fn on_enqueued(&mut self, now: Now, wait: EnqueueWait, done: Vec<Enqueued>) {
        self.no_longer_entering(&wait);
        let mut done = done;
        let mut looked_up = done.split_off(wait.accepted().count().min(done.len())).into_iter();
        let mut inserted = done.into_iter();
        let mut queues: Vec<QueueName> = Vec::new();
        let mut answer = Vec::with_capacity(wait.rows.len());
        for row in wait.rows {
            let row = match row {
                Admission::Row(row) => *row,
                Admission::Refused { refusal, key } => {
                    let first = key.and_then(|work| Some((looked_up.next()?, work)));
                    answer.push(match first {
                        Some((Enqueued::Repeated(first), work)) => self.repeated(*first, &work),
                        _ => Err(refusal),
                    });
                    continue;
                }
            };
            answer.push(match inserted.next() {
                Some(Enqueued::Inserted) => {
                    if !queues.contains(&row.queue) {
                        queues.push(row.queue.clone());
                    }
                    Ok(self.recorded(now, row))
                }
                Some(Enqueued::Repeated(first)) => {
                    self.repeated(*first, &Work { event: row.event, params: Some(row.params) })
                }
                Some(Enqueued::NotThere) | None => {
                    Err(Refusal::NotStored { why: "the store did not report the outcome".to_owned() })
                }
            });
        }
        let outcome = if wait.is_requeue { Outcome::Requeued(answer) } else { Outcome::Enqueued(answer) };
        self.answer(wait.request, Ok(outcome));
        for name in &queues {
            self.pump(now, name);
        }
    }

    fn recorded(&mut self, now: Now, row: Row) -> EnqueuedRow {
        let answer = EnqueuedRow {
            id: row.id,
            queue: row.queue.clone(),
            event: row.event.clone(),
            state: row.state,
            trace_id: row.trace_id,
            repeated: false,
            requeued_from: row.requeued_from,
        };
        let transition = Transition::Enqueued {
            id: row.id,
            queue: row.queue.clone(),
            event: row.event.clone(),
            requeued_from: row.requeued_from,
        };
        self.emit_transition(transition, None, Some(row.trace_id));
        if let Some(reason) = &row.reason {
            let subject = (row.id, &row.queue, &row.event);
            self.failed_before_dispatch(now, subject, FailedBy::UnknownQueue, &shared(reason), row.trace_id);
            return answer;
        }
        let rows_max = length(self.settings.limits.head_rows_max);
        if let Some(queue) = self.queues.get_mut(&row.queue) {
            queue.add_pending(1);
            self.pending_bytes += row.bytes();
            let name = row.queue.clone();
            queue.head.append(pending(row), rows_max);
            // Its id was guessed and cancelled before it was recorded: the store decides.
            if let Some(cancelling) = self.cancelling.get_mut(&answer.id)
                && let Some(row) = queue.head.remove(answer.id)
            {
                cancelling.hold(&name, &row);
            }
        }
        answer
    }

    /// The row that has the key, where it is of the same work.
    fn repeated(&self, first: Row, now: &Work) -> Result<EnqueuedRow, Refusal> {
        if first.event != now.event || !is_same(&first.params, now.params.as_ref()) {
            let key = first.key.as_deref().unwrap_or_default();
            let now_params = now.params.as_ref().map_or("{}", JsonText::as_str);
            return Err(Refusal::KeyConflict {
                key: format!("the key `{key}` of {}", first.source.kind),
                id: first.id,
                first: work_text(&first.event, first.params.as_str()),
                now: work_text(&now.event, now_params),
            });
        }
        let state = self.state_of(first.id).unwrap_or(first.state);
        Ok(EnqueuedRow {
            id: first.id,
            queue: first.queue,
            event: first.event,
            state,
            trace_id: first.trace_id,
            repeated: true,
            requeued_from: None,
        })
    }

    /// Where a row stands, if the bridge knows something newer than the store.
    pub(super) fn state_of(&self, id: InvocationId) -> Option<RowState> {
        let live = self.live.get(&id).map(|live| live.state);
        live.or_else(|| self.commits.dirty.get(&id).map(|dirty| dirty.moved.state))
    }

    pub(super) fn on_enqueue_failed(&mut self, now: Now, wait: &EnqueueWait, error: &CommitError) {
        self.no_longer_entering(wait);
        self.answer(wait.request, Err(Refusal::NotStored { why: error.to_string() }));
        for name in self.queue_names() {
            self.pump(now, &name);
        }
    }

    fn no_longer_entering(&mut self, wait: &EnqueueWait) {
        for row in wait.accepted().filter(|row| row.state == RowState::Pending) {
            self.pending_bytes = self.pending_bytes.saturating_sub(row.bytes());
            if let Some(queue) = self.queues.get_mut(&row.queue) {
                queue.entering = queue.entering.saturating_sub(1);
            }
        }
    }
}

/// Whether params say the same, however they are written.
fn is_same(first: &JsonText, now: Option<&JsonText>) -> bool {
    match now {
        Some(now) => first == now || first.value() == now.value(),
        None => first.value().as_object().is_some_and(serde_json::Map::is_empty),
    }
}

fn work_text(event: &EventName, params: &str) -> String {
    format!("{event} {}", cut_marked(params, CONFLICT_BYTES_MAX))
}

fn params_of(new: &NewInvocation) -> Result<JsonText, Refusal> {
    match &new.params {
        None => JsonText::parse("{}").map_err(|_| Refusal::ParamsNotObject),
        Some(params) if params.as_str().starts_with('{') => Ok(params.clone()),
        Some(_) => Err(Refusal::ParamsNotObject),
    }
}

fn pending(row: Row) -> Pending {
    Pending {
        bytes: row.bytes(),
        id: row.id,
        event: row.event,
        params: row.params,
        trace_id: row.trace_id,
        source: row.source,
        enqueued_at: row.enqueued_at_ms,
        damage: row.damage,
    }
}
