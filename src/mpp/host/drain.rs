//! Carries the core's outputs to the tap, the sockets, the journal and the store, in their order.

use super::{
    conn::Full,
    run::{Completion, Host},
};
use crate::{
    ids::{ConnectionId, InvocationId, QueueName, RequestId, Ticket, TraceId},
    mpp::{Input, Output},
    store::{
        Journal,
        op::{Class, CommitError, Op},
    },
    tap::{
        OriginCell,
        entry::{Direction, Frame, Head, Redaction, Transition, Verdict, What, mpp::CloseCause},
    },
    time::Now,
};

impl Host {
    /// Drains what the core has to say about anything but a line.
    pub(super) fn drain(&mut self, now: Now) {
        self.drain_line(now, &[]);
    }

    /// Drains what the core has to say about a line, whose bytes go with its entry.
    pub(super) fn drain_line(&mut self, now: Now, wire: &[u8]) {
        while let Some(output) = self.bridge.poll_output() {
            match output {
                Output::Received { conn, head, verdict, redaction, trace } => {
                    let frame = self.frame(
                        conn,
                        Direction::Inbound,
                        head,
                        Verdict::Mpp(verdict),
                        wire.len(),
                        redaction,
                    );
                    self.cause = self.passed;
                    self.cause = Some(self.emit(now, trace, What::Frame(frame), wire));
                }
                Output::Transmit { conn, head, frame, trace } => {
                    self.transmit(now, conn, head, &frame, trace);
                }
                Output::Transition { transition, text, trace } => {
                    let text = text.as_deref().unwrap_or_default();
                    self.emit(now, trace, What::Transition(Transition::Mpp(transition)), text.as_bytes());
                }
                Output::Persist { ticket, class, op, .. } => self.persist(now, ticket, class, op),
                Output::Fetch { queue, after, limit, settled } => {
                    self.fetch(now, queue, after, limit, settled);
                }
                Output::FetchInvocations { request, ids } => self.fetch_invocations(now, request, ids),
                Output::FetchOthers { request, after, limit } => {
                    self.fetch_others(now, request, after, limit);
                }
                Output::Timeout(at) => self.timeout = at,
                Output::Close { conn, cause } => self.close(now, conn, cause),
                Output::Answer { request, outcome } => {
                    if let Some(answer) = self.answers.remove(&request) {
                        let _ = answer.send(outcome);
                    }
                }
            }
        }
    }

    fn frame(
        &self,
        conn: ConnectionId,
        direction: Direction,
        head: crate::mpp::Head,
        verdict: Verdict,
        len: usize,
        redaction: Redaction,
    ) -> Frame {
        let conn = self.conns.get(&conn);
        let peer = conn.map_or_else(|| "gone".into(), |conn| conn.peer.clone());
        let origin = self.by_hand.origin(direction).or_else(|| conn?.by_hand.as_ref().map(OriginCell::get));
        Frame {
            direction,
            peer,
            head: Head::Mpp(head),
            verdict,
            wire_bytes: u32::try_from(len).unwrap_or(u32::MAX),
            redaction,
            origin,
        }
    }

    /// Tapped when it is accepted into the write buffer.
    pub(super) fn push(
        &mut self,
        now: Now,
        id: ConnectionId,
        head: crate::mpp::Head,
        bytes: &[u8],
        trace: Option<TraceId>,
    ) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        match conn.push(bytes) {
            Ok(()) => {
                let frame =
                    self.frame(id, Direction::Outbound, head, Verdict::Sent, bytes.len(), Redaction::None);
                self.emit(now, trace, What::Frame(frame), bytes);
            }
            Err(Full) => self.disconnect_later(now, id),
        }
    }

    /// The adapter does not read: nothing more is queued for it, and the core is told within this drain.
    pub(super) fn disconnect_later(&mut self, now: Now, id: ConnectionId) {
        self.drop_conn(now, id);
        self.bridge.handle(now, Input::Closed { conn: id, cause: CloseCause::NotReading });
    }

    fn close(&mut self, now: Now, id: ConnectionId, cause: CloseCause) {
        match cause {
            CloseCause::TooManyConnections | CloseCause::MadeRoom => self.drop_conn(now, id),
            _ => self.linger(now, id),
        }
    }

    fn persist(&mut self, now: Now, ticket: Ticket, class: Class, op: Op) {
        match class {
            Class::Process if Journal::takes(&op) => match self.journal.append(op) {
                Ok(()) => self.unwritten.push((ticket, self.cause)),
                Err(error) => self.refuse(now, ticket, error),
            },
            Class::WriteBehind => match op {
                Op::WriteState { ref key, .. } => {
                    self.state_writes.insert(key.clone(), op);
                }
                op => self.write_behind.push(op),
            },
            Class::Process | Class::Power => self.commit(now, ticket, class, op),
        }
    }

    /// Has the writer commit it, behind everything journalled before it.
    fn commit(&mut self, now: Now, ticket: Ticket, class: Class, op: Op) {
        self.write_journal(now);
        if self.outstanding.len() >= Self::OUTSTANDING_MAX / 2 {
            return self.refuse(now, ticket, CommitError::Busy { waiting: self.outstanding.len() as u64 });
        }
        let completions = self.completions.clone();
        let done = Box::new(move |result| {
            let _ = completions.try_send(Completion::Committed(ticket, result));
        });
        match self.store.commit(op, class, done) {
            Ok(()) => {
                self.outstanding.insert(ticket, self.cause);
            }
            Err(error) => self.refuse(now, ticket, error),
        }
    }

    fn refuse(&mut self, now: Now, ticket: Ticket, error: CommitError) {
        self.bridge.handle(now, Input::CommitFailed { ticket, error });
    }

    fn fetch(&mut self, now: Now, queue: QueueName, after: InvocationId, limit: u64, settled: bool) {
        self.write_journal(now);
        let completions = self.completions.clone();
        let of = queue.clone();
        let done = Box::new(move |result| {
            let _ = completions.try_send(Completion::Fetched(of, result));
        });
        let asked = self.store.fetch(queue.clone(), after, limit, settled, done);
        if let Err(error) = asked {
            self.bridge.handle(now, Input::FetchFailed { queue, error });
        }
    }

    fn fetch_invocations(&mut self, now: Now, request: RequestId, ids: Vec<InvocationId>) {
        self.write_journal(now);
        let (completions, cause) = (self.completions.clone(), self.cause);
        let done = Box::new(move |result| {
            let _ = completions.try_send(Completion::FetchedInvocations(request, cause, result));
        });
        if let Err(error) = self.store.fetch_invocations(ids, done) {
            self.bridge.handle(now, Input::FetchedInvocations { request, rows: Err(error) });
        }
    }

    fn fetch_others(&mut self, now: Now, request: RequestId, after: InvocationId, limit: u64) {
        self.write_journal(now);
        let completions = self.completions.clone();
        let done = Box::new(move |result| {
            let _ = completions.try_send(Completion::FetchedOthers(request, result));
        });
        let asked = self.store.fetch_others(after, limit, done);
        if let Err(error) = asked {
            self.bridge.handle(now, Input::FetchedOthers { request, rows: Err(error), more: false });
        }
    }
}
