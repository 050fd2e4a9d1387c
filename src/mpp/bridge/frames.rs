//! What follows from a line, carried out.

use std::sync::Arc;

use super::{
    core::{Bridge, ended},
    decide::{Action, Decision, head_of},
};
use crate::{
    ids::{ConnectionId, InvocationId, QueueName},
    mpp::{
        frame::encode,
        io::Output,
        snapshot::{LogView, ReadyAfter},
        text::cut_shared,
    },
    schema::JsonText,
    store::{invocations::NewRefund, op::Class},
    tap::entry::mpp::{CloseCause, FailedBy, Fault, FrameType, Head, Level, RowState, Transition},
    time::Now,
};

use super::commits::RowChange;

impl Bridge {
    pub(super) fn apply(&mut self, now: Now, decision: Decision) {
        let Decision { conn, head, verdict, redaction, trace, spends, action } = decision;
        self.put(Output::Received { conn, head, verdict, redaction, trace });
        if let Some(active) = self.active.as_mut().filter(|active| active.conn == conn) {
            active.last_in = now;
            active.stale = false;
        }
        if let Some(token) = spends {
            self.lent.spend(token);
        }
        match action {
            Action::Nothing | Action::Alive => {}
            Action::Refuse { fault, message } => self.refuse(now, conn, fault, &message),
            Action::Welcome { token } => self.welcome(now, conn, token, spends.is_some()),
            Action::Park { queue } => self.on_pull(now, &queue),
            Action::Ack { id } => self.on_ack(id),
            Action::Applied { id, result } => self.on_applied(now, id, result),
            Action::Done { id } => self.on_done(now, id),
            Action::Failed { id, reason, refund } => self.on_failed(now, id, reason, refund),
            Action::Log { level, text } => self.log(now, level, text),
            Action::Write { key, value, scope } => self.write_state(now, key, value, scope),
            Action::AdapterError { text } => {
                self.log(now, Level::Error, text);
                self.close(now, conn, CloseCause::Fault(Fault::ByAdapter));
            }
        }
    }

    /// "`protocol_error` from the bridge is always fatal: the bridge sends the frame and immediately closes
    /// the TCP connection."
    fn refuse(&mut self, now: Now, conn: ConnectionId, fault: Fault, message: &str) {
        if let Some((head, frame)) = refusal_of(fault, message) {
            self.transmit(now, conn, head, frame, None);
        }
        self.close(now, conn, CloseCause::Fault(fault));
    }

    fn on_pull(&mut self, now: Now, name: &QueueName) {
        if let Some(queue) = self.queues.get_mut(name) {
            queue.parked = true;
            self.emit_transition(Transition::Parked { queue: name.clone() }, None, None);
        }
        self.pump(now, name);
    }

    fn on_ack(&mut self, id: InvocationId) {
        if let Some(live) = self.live.get_mut(&id) {
            live.acked = true;
            let (queue, trace) = (live.queue.clone(), live.trace);
            self.emit_transition(Transition::Acked { id, queue }, None, Some(trace));
        }
    }

    /// dispatched → applied; frees the queue where `ready_after` is `applied` (mpp-v2 §6).
    fn on_applied(&mut self, now: Now, id: InvocationId, result: Option<JsonText>) {
        let Some(live) = self.live.get_mut(&id) else { return };
        live.state = RowState::Applied;
        live.since = now;
        live.row = None;
        let (name, trace) = (live.queue.clone(), live.trace);
        let moved = RowChange { state: RowState::Applied, result, reason: None, refund: None };
        let ticket = self.move_row(now, id, &name, moved, trace);
        let mut cleared = false;
        if let Some(queue) =
            self.queues.get_mut(&name).filter(|queue| queue.ready_after == Some(ReadyAfter::Applied))
        {
            cleared = queue.free(id);
            if cleared {
                queue.clearing = Some((id, ticket));
            }
        }
        self.emit_transition(Transition::Applied { id, queue: name, cleared }, None, Some(trace));
        self.orphan_oldest();
    }

    /// applied → done, terminal.
    fn on_done(&mut self, now: Now, id: InvocationId) {
        let moved = RowChange { state: RowState::Done, result: None, reason: None, refund: None };
        let Some(end) = self.end(now, id, moved, None) else { return };
        let End { queue, event, cleared, trace, .. } = end;
        self.emit_transition(
            Transition::Done { id, queue, event, cleared, settled: false },
            None,
            Some(trace),
        );
    }

    /// → failed or refunded, terminal: "always clears the queue's in-flight slot".
    fn on_failed(&mut self, now: Now, id: InvocationId, reason: Arc<str>, refund: bool) {
        let refund = if refund { self.refund_for(now, id) } else { None };
        let state = if refund.is_some() { RowState::Refunded } else { RowState::Failed };
        let moved = RowChange { state, result: None, reason: Some(reason.to_string()), refund };
        let Some(end) = self.end(now, id, moved, Some(&reason)) else { return };
        let End { queue, event, from, cleared, trace } = end;
        let transition = match state {
            RowState::Refunded => Transition::Refunded { id, queue, event },
            _ => Transition::Failed { id, queue, event, from, cleared, by: FailedBy::Adapter },
        };
        self.emit_transition(transition, Some(reason), Some(trace));
    }

    fn refund_for(&self, now: Now, id: InvocationId) -> Option<NewRefund> {
        let row = self.live.get(&id)?.row.as_ref()?;
        Some(NewRefund {
            invocation_id: id,
            source: row.source.clone(),
            status: row.source.refund_status(),
            at: now.wall,
        })
    }

    /// An invocation comes to its end by the adapter's word.
    fn end(
        &mut self,
        now: Now,
        id: InvocationId,
        moved: RowChange,
        reason: Option<&Arc<str>>,
    ) -> Option<End> {
        let live = self.live.remove(&id)?;
        self.orphaned.remove(&id);
        let state = moved.state;
        let ticket = self.move_row(now, id, &live.queue, moved, live.trace);
        let mut cleared = false;
        if let Some(queue) = self.queues.get_mut(&live.queue) {
            cleared = queue.free(id);
            if cleared {
                queue.clearing = Some((id, ticket));
            }
            queue.head.ended(id);
        }
        if let Some(active) = &mut self.active {
            active.ended.insert(id, self.settings.limits.remembered_ids_max);
        }
        self.remember_ended(ended(now, (id, &live.queue, &live.event), state, reason, live.trace));
        Some(End { queue: live.queue, event: live.event, from: live.state, cleared, trace: live.trace })
    }

    /// One more line in the adapter's log (mpp-v2, log: the oldest goes first).
    fn log(&mut self, now: Now, level: Level, text: Arc<str>) {
        self.logs.push_back(LogView {
            at: now,
            level,
            text: cut_shared(&text, self.settings.limits.log_line_bytes_max),
        });
        while self.logs.len() as u64 > self.settings.limits.log_entries_max {
            self.logs.pop_front();
        }
        self.emit_transition(Transition::Logged { level }, Some(text), None);
    }
}

/// How the adapter is told of a fault, if it is told.
pub(super) fn refusal_of(fault: Fault, message: &str) -> Option<(Head, Vec<u8>)> {
    match fault {
        Fault::Hello(reason) => Some((head_of(FrameType::HelloAck), encode::hello_refused(reason))),
        Fault::Protocol { code, .. } => {
            Some((head_of(FrameType::ProtocolError), encode::protocol_error(code.code(), message)))
        }
        Fault::ByAdapter => None,
    }
}

/// The end of an invocation.
struct End {
    queue: QueueName,
    event: crate::ids::EventName,
    from: RowState,
    cleared: bool,
    trace: crate::ids::TraceId,
}

/// What a transition must survive (ruling MPP 7).
pub(super) fn class_of(moved: &RowChange) -> Class {
    if moved.refund.is_some() { Class::Power } else { Class::Process }
}
