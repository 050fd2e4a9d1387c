//! Carries the core's outputs to the tap, the station and the sockets, in their order.

use std::{
    io::{self, IoSlice},
    sync::Arc,
};

use tokio::net::{UnixStream, unix::OwnedWriteHalf};

use super::{
    conn::{Phase, lingers},
    run::Host,
};
use crate::{
    ids::{ConnectionId, Peer, Seq, TraceId},
    rmp::{
        broker::{Input, Output, STATION, WriteProgress},
        outbox::Front,
    },
    tap::{
        Draft, OriginCell,
        entry::{Direction, Frame, Head, Link, Redaction, Transition, Verdict, What, rmp::CloseCause},
    },
    time::Now,
};

/// Slices of one write.
const SLICES_MAX: usize = 32;
/// Writes to one connection in a row; what is left then waits until the others had their turn.
const WRITES_MAX: usize = 8;

/// Who says whether a socket takes something.
#[derive(Clone, Copy, Debug)]
pub(super) enum Readiness {
    /// The runtime knows it.
    Known,
    /// The system is asked: the runtime may not know yet.
    Asked,
}

impl Readiness {
    /// Writes what a socket takes.
    pub(super) fn write(self, socket: &OwnedWriteHalf, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Known => socket.try_write_vectored(slices),
            Self::Asked => {
                let stream: &UnixStream = socket.as_ref();
                rustix::io::writev(stream, slices).map_err(io::Error::from)
            }
        }
    }
}

impl Host {
    /// Drains what the core has to say about a unit, whose bytes go with its entry.
    pub(super) fn drain(&mut self, now: Now, wire: &[u8]) {
        let mut closing = Vec::new();
        while let Some(output) = self.broker.poll_output() {
            match output {
                Output::Received { session, head, verdict, redaction, trace } => {
                    let frame = self.frame(
                        session,
                        Direction::Inbound,
                        head,
                        Verdict::Rmp(verdict),
                        wire.len(),
                        redaction,
                    );
                    self.cause = self.passed;
                    self.cause = Some(self.emit(now, trace, What::Frame(frame), wire));
                }
                Output::Answered { session, head, frame: bytes, trace } => {
                    let frame = self.frame(
                        session,
                        Direction::Outbound,
                        head,
                        Verdict::Sent,
                        bytes.len(),
                        Redaction::None,
                    );
                    self.emit(now, trace, What::Frame(frame), &bytes);
                }
                Output::Transition { transition, text, trace } => {
                    let text = text.as_deref().unwrap_or_default();
                    self.emit(now, trace, What::Transition(Transition::Rmp(transition)), text.as_bytes());
                }
                Output::OperatorRequest { request: asked, ticket } => {
                    let is_taken = self.operator_requests.try_send(asked).is_ok();
                    self.broker.answer_operator_request(now, ticket, is_taken);
                }
                Output::ForStation(heard) => {
                    if let Some(inbox) = &self.station_inbox {
                        inbox.deliver(heard);
                    }
                }
                Output::Unread(unread) => {
                    if let Some(inbox) = &self.station_inbox {
                        inbox.unread(unread);
                    }
                }
                Output::TokenIgnored { session } => {
                    let peer = self.peer(session);
                    let pid = self.conns.get(&session).and_then(|conn| conn.origin.pid());
                    (self.confinement.token_ignored)(&peer, pid);
                }
                // What the gate holds of it goes on once this unit is told of.
                Output::Close { session, cause } if self.holds_any(session) => closing.push((session, cause)),
                Output::Close { session, cause } => self.close(now, session, cause),
            }
        }
        for (session, cause) in closing {
            self.close(now, session, cause);
        }
    }

    #[inline]
    fn frame(
        &mut self,
        session: ConnectionId,
        direction: Direction,
        mut head: crate::rmp::Head,
        verdict: Verdict,
        len: usize,
        redaction: Redaction,
    ) -> Frame {
        head.session = Some(session);
        let (peer, by_hand) = match &self.recent {
            Some((id, peer, by_hand)) if *id == session => (peer.clone(), by_hand.as_ref()),
            _ => {
                let peer = self.peer(session);
                (peer, self.conns.get(&session).and_then(|conn| conn.by_hand.as_ref()))
            }
        };
        let put = self.putting.as_ref().filter(|(way, _)| *way == direction);
        let origin = put.map(|(_, origin)| Arc::clone(origin));
        let origin = origin.or_else(|| by_hand.map(OriginCell::get));
        Frame {
            direction,
            peer,
            head: Head::Rmp(head),
            verdict,
            wire_bytes: u32::try_from(len).unwrap_or(u32::MAX),
            redaction,
            origin,
        }
    }

    /// Who is at the other end of a session.
    fn peer(&mut self, session: ConnectionId) -> Peer {
        let Some(conn) = self.conns.get(&session) else {
            return if session == STATION { self.station.clone() } else { Peer::new("gone") };
        };
        self.recent = Some((session, conn.peer.clone(), conn.by_hand.clone()));
        conn.peer.clone()
    }

    #[inline]
    pub(super) fn emit(&mut self, now: Now, trace: Option<TraceId>, what: What, bytes: &[u8]) -> Seq {
        let seq = self.tap.emit(Draft { at: now, link: Link::Rmp, trace, cause: self.cause, what, bytes });
        self.last_seq = seq;
        seq
    }

    /// The core is done with a connection; its task sees to the rest.
    fn close(&mut self, now: Now, id: ConnectionId, cause: CloseCause) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        // A session is closed once.
        if let Some(inbox) = self.station_inbox.as_ref().filter(|_| conn.phase == Phase::Open) {
            inbox.session_closed(id);
        }
        conn.phase = Phase::Closing(cause);
        conn.wake();
        let is_scarce = conn.is_scarce;
        self.release_held(now, id);
        self.receiving.end(id);
        if !lingers(cause) {
            return self.drop_conn(now, id);
        }
        if is_scarce {
            // The next operator needs it.
            self.send_now(now, id);
            return self.drop_conn(now, id);
        }
        self.leaving.insert(id);
        if self.leaving.len() as u64 > self.limits.leaving_max
            && let Some(&oldest) = self.leaving.first()
        {
            self.send_now(now, oldest);
            self.drop_conn(now, oldest);
        }
    }

    /// A connection that ended from outside.
    pub(super) fn on_connection_lost(&mut self, now: Now, id: ConnectionId, cause: CloseCause) {
        self.release_held(now, id);
        self.cause = None;
        self.broker.handle(now, Input::Closed { session: id, cause });
        self.drain(now, &[]);
        self.close(now, id, cause);
    }

    /// Reports what did not leave, and forgets the connection.
    pub(super) fn drop_conn(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.remove(&id) else { return };
        conn.wake();
        self.leaving.remove(&id);
        self.recent = None;
        self.parts.remove(&id);
        let (frames, bytes) = self.broker.forget(id);
        let replacement = conn.gated.replacement.len() as u64;
        let (frames, bytes) = (frames + u64::from(replacement > 0), bytes + replacement);
        if frames > 0 {
            self.emit(now, None, What::Unsent { frames, bytes }, conn.peer.as_str().as_bytes());
        }
    }

    /// Writes to every connection that has something new.
    pub(super) fn flush(&mut self, now: Now) {
        while let Some(id) = self.broker.poll_waiting() {
            if self.conns.get(&id).is_some_and(|conn| !conn.is_full) {
                self.write(now, id);
            }
        }
    }

    /// Writes what a connection's socket takes now.
    pub(super) fn write(&mut self, now: Now, id: ConnectionId) {
        for _ in 0..WRITES_MAX {
            let Some(left) = self.transmit_gated(now, id) else { return };
            self.drain(now, &[]);
            match left {
                Ok(WriteProgress::Drained) => return self.answer_parts(now, id),
                Ok(WriteProgress::Pending) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => return self.on_connection_lost(now, id, CloseCause::WriteFailed),
            }
        }
        self.answer_parts(now, id);
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.is_full = true;
            conn.wake();
        }
    }

    /// Sends what the socket takes of a connection that goes at once.
    fn send_now(&mut self, now: Now, id: ConnectionId) {
        if !matches!(self.write_replacement(id, Readiness::Asked), Some(Ok(()))) {
            return;
        }
        for _ in 0..WRITES_MAX {
            if !matches!(self.transmit(now, id, Readiness::Asked, false), Some(Ok(WriteProgress::Pending))) {
                return;
            }
        }
    }

    /// Writes once what is at the front of a connection's outbox; nothing where it has no socket.
    pub(super) fn transmit(
        &mut self,
        now: Now,
        id: ConnectionId,
        readiness: Readiness,
        is_gated: bool,
    ) -> Option<io::Result<WriteProgress>> {
        let conn = self.conns.get_mut(&id)?;
        conn.is_full = false;
        let write = conn.write.as_ref()?;
        Some(self.broker.transmit(now, id, |front| {
            let front = if is_gated { front.only_first() } else { front };
            with_slices(&front, |it| readiness.write(write, it))
        }))
    }

    /// What follows every turn: writes, what is asked of the clock and what is told to the station.
    pub(super) fn finish_turn(&mut self, now: Now) {
        self.flush(now);
        let at = self.broker.timeout().into_iter().chain(self.receiving.deadline()).min();
        if at != self.armed {
            let is_earlier = at.is_some_and(|at| self.armed.is_none_or(|armed| at < armed));
            self.armed = at;
            if is_earlier {
                self.timer.notify_one();
            }
        }
        let readers = self.broker.tap_readers();
        if *self.tap_readers.borrow() != readers {
            self.tap_readers.send_replace(readers);
        }
    }
}

/// Writes what is at the front of an outbox.
pub(super) fn with_slices(
    front: &Front<'_>,
    write: impl FnOnce(&[IoSlice<'_>]) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut slices = [IoSlice::new(&[]); SLICES_MAX];
    let used =
        slices.iter_mut().zip(front.slices()).map(|(slice, bytes)| *slice = IoSlice::new(bytes)).count();
    write(slices.get(..used).unwrap_or_default())
}
