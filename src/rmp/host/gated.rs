//! Units that the gate stops: before the broker takes them, and before they leave to a session.
//!
//! A session whose unit is held is not read. One that is to leave stays first in its session's queue, where
//! it counts and expires as ever; nothing behind it is written.

use std::{
    cell::OnceCell,
    future::Future as _,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;

use super::{conn::Phase, drain::Readiness, run::Host};
use crate::{
    gate::{self, Held, Look, Offer, Release, Waits},
    ids::{ConnectionId, Seq},
    rmp::{
        Dialect, HEADER_BYTES, PREFIX_BYTES, Stand,
        broker::{Broker, Input, Wire, WriteProgress},
        split::{self, UnitSplit},
    },
    tap::entry::{
        Direction, Door, Frame, FrameOrigin, Head, Link, Redaction, Verdict, What,
        gate::{Passed, Passing},
        rmp::{CloseCause, FrameKind},
    },
    time::Now,
};

/// What the gate holds of a connection.
#[derive(Debug, Default)]
pub(super) struct Gated {
    /// The unit that came last.
    unit: Option<(Stopped, Dialect)>,
    /// The unit that is first to leave.
    front: Option<Stopped>,
    /// The first unit was asked about: it leaves without being asked again.
    asked: Option<Vec<u8>>,
    /// What leaves before the queue: units that were changed, or a part of one.
    instead: Vec<u8>,
    /// The connection ends once that has left.
    is_cut: bool,
    /// The connection is about to end: nothing is stopped any more.
    is_over: bool,
}

/// A unit that is held.
#[derive(Debug)]
struct Stopped {
    held: Held,
    notice: Notice,
    wire: Vec<u8>,
}

/// The entry that says that a unit was stopped.
#[derive(Clone, Copy, Debug)]
struct Notice {
    seq: Seq,
    /// The unit's number at the gate.
    number: u64,
}

/// What became of the first unit of some bytes.
pub(super) enum Taken {
    /// Nothing: it goes its way as without a gate.
    Ungated,
    /// It was dealt with, and took so many bytes.
    Unit(usize),
    /// It is not whole; how long it will be, where that is known.
    Part(Option<usize>),
    /// It is held, and took so many bytes.
    Held(usize),
}

impl Gated {
    /// Whether the connection is not to be read.
    pub(super) const fn holds_unit(&self) -> bool {
        self.unit.is_some()
    }

    /// Ready when a unit is released.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(Direction, Release)> {
        let unit = self.unit.as_mut().map(|(unit, _)| (&mut unit.held, Direction::Inbound));
        let front = self.front.as_mut().map(|front| (&mut front.held, Direction::Outbound));
        for (held, direction) in unit.into_iter().chain(front) {
            if let Poll::Ready(release) = Pin::new(held).poll(cx) {
                return Poll::Ready((direction, release));
            }
        }
        Poll::Pending
    }
}

/// What the broker says of a unit.
struct AtBroker<'a> {
    broker: &'a Broker,
    now: Now,
    stand: Stand,
    wire: &'a [u8],
    judged: OnceCell<(Head, Verdict)>,
}

impl AtBroker<'_> {
    /// Whether it is the answer to a `Hello`, which is a part of the handshake.
    fn is_welcome(&self) -> bool {
        matches!(self.stand, Stand::Towards(_))
            && matches!(self.judged().0, Head::Rmp(head) if head.kind == Some(FrameKind::Welcome))
    }
}

impl Look for AtBroker<'_> {
    fn head(&self) -> Option<Head> {
        match self.stand {
            Stand::Connection(id) => self.broker.head_of_publish(self.now, id, self.wire).map(Head::Rmp),
            Stand::Towards(_) | Stand::Newcomer { .. } => None,
        }
    }

    fn judged(&self) -> (Head, Verdict) {
        let judge = || {
            let judged = self.broker.judge(self.now, &self.stand, self.wire);
            (judged.head, judged.verdict.unwrap_or(Verdict::Sent))
        };
        self.judged.get_or_init(judge).clone()
    }
}

impl Host {
    fn ask_gate(&self, now: Now, id: ConnectionId, direction: Direction, wire: &[u8]) -> Option<gate::Taken> {
        let stand = match direction {
            Direction::Inbound => Stand::Connection(id),
            Direction::Outbound => Stand::Towards(id),
        };
        let conn = self.conns.get(&id).filter(|conn| !conn.gated.is_over)?;
        let look = AtBroker { broker: &self.broker, now, stand, wire, judged: OnceCell::new() };
        if look.is_welcome() {
            return None;
        }
        self.gate.offer(now, &Offer { link: Link::Rmp, direction, peer: &conn.peer, bytes: wire }, &look)
    }

    /// Asks the gate about the first unit of some bytes, whose first frame has `len` bytes: a `Publish` and
    /// its message are one.
    pub(super) fn take_unit(
        &mut self,
        now: Now,
        id: ConnectionId,
        dialect: Dialect,
        bytes: &[u8],
        len: usize,
    ) -> Taken {
        if !self.gate.is_armed(Link::Rmp, Direction::Inbound) || !self.broker.may_be_held(id) {
            return Taken::Ungated;
        }
        let Some((frame, behind)) = bytes.split_at_checked(len) else { return Taken::Ungated };
        let is_publish = dialect == Dialect::Frames && self.broker.is_publish(now, id, frame);
        let len = match is_publish.then(|| split::split_unit(behind, dialect, self.limits.body_bytes_max)) {
            None => len,
            Some(UnitSplit::Whole(message)) => len + message,
            Some(UnitSplit::Part(whole)) => return Taken::Part(whole.map(|whole| len + whole)),
            Some(UnitSplit::Broken(_)) => return Taken::Ungated,
        };
        let Some(unit) = bytes.get(..len) else { return Taken::Ungated };
        let Some(taken) = self.ask_gate(now, id, Direction::Inbound, unit) else {
            self.hand_in(now, id, dialect, unit, None);
            return Taken::Unit(len);
        };
        self.cause = None;
        let (notice, waits) = self.tell_stopped(now, taken, unit);
        match waits {
            Waits::Held(held) => {
                if let Some(conn) = self.conns.get_mut(&id) {
                    conn.gated.unit = Some((Stopped { held, notice, wire: unit.to_vec() }, dialect));
                }
                // What has begun behind it is read when it goes.
                self.receiving.end(id);
                Taken::Held(len)
            }
            Waits::Not(release) => {
                self.pass_unit(now, id, notice, (dialect, unit), &release);
                Taken::Unit(len)
            }
        }
    }

    /// Hands a unit to the broker, caused by this entry.
    fn hand_in(&mut self, now: Now, id: ConnectionId, dialect: Dialect, unit: &[u8], passed: Option<Seq>) {
        self.passed = passed;
        self.cause = None;
        let body_bytes_max = self.limits.body_bytes_max;
        let mut at = 0;
        while let Some(rest) = unit.get(at..).filter(|rest| !rest.is_empty()) {
            let error = match split::split_unit(rest, dialect, body_bytes_max) {
                UnitSplit::Whole(len) => {
                    let frame = rest.get(..len).unwrap_or(rest);
                    let input = match dialect {
                        Dialect::Frames => Input::Frame { session: id, frame: Wire::Lent(frame) },
                        Dialect::Json => Input::Unit { session: id, unit: frame },
                    };
                    self.broker.handle(now, input);
                    at += len;
                    continue;
                }
                UnitSplit::Broken(error) => Some(error),
                UnitSplit::Part(_) => split::truncation(rest, dialect, body_bytes_max),
            };
            if let Some(error) = error {
                self.broker.handle(now, Input::Broken { session: id, dialect, error });
                let seen = at + rest.len().min(PREFIX_BYTES + HEADER_BYTES);
                self.drain(now, unit.get(..seen).unwrap_or(unit));
                self.break_off(id);
            }
            break;
        }
        self.drain(now, unit);
        self.passed = None;
    }

    fn tell_stopped(&mut self, now: Now, taken: gate::Taken, wire: &[u8]) -> (Notice, Waits) {
        let number = taken.notice.number;
        let seq = self.emit(now, None, What::Intercepted(Box::new(taken.notice)), wire);
        (Notice { seq, number }, taken.waits)
    }

    /// Says how a unit leaves the gate, and as whose it goes on where it was changed.
    fn tell_passed(
        &mut self,
        now: Now,
        notice: Notice,
        release: &Release,
    ) -> (Seq, Option<Arc<FrameOrigin>>) {
        let Release { how, by, bytes } = release;
        self.cause = Some(notice.seq);
        let passed = Passed { number: notice.number, how: *how, by: by.clone() };
        let seq = self.emit(now, None, What::Passed(passed), bytes.as_deref().unwrap_or_default());
        let (number, of) = (notice.number, Some(notice.seq));
        let origin = by.clone().filter(|_| bytes.is_some());
        (seq, origin.map(|by| Arc::new(FrameOrigin { by, door: Door::Gate, number, of })))
    }

    fn pass_unit(
        &mut self,
        now: Now,
        id: ConnectionId,
        notice: Notice,
        (dialect, unit): (Dialect, &[u8]),
        release: &Release,
    ) {
        let (seq, origin) = self.tell_passed(now, notice, release);
        self.putting = origin.map(|origin| (Direction::Inbound, origin));
        match release.how {
            Passing::Dropped => {}
            Passing::Cut => {
                self.break_off(id);
                self.on_connection_lost(now, id, CloseCause::PeerClosed);
            }
            Passing::Duplicated => {
                self.hand_in(now, id, dialect, unit, Some(seq));
                if self.conns.get(&id).is_some_and(|conn| conn.phase == Phase::Open) {
                    self.hand_in(now, id, dialect, unit, Some(seq));
                }
            }
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => {
                let bytes = release.bytes.as_deref().unwrap_or(unit);
                self.hand_in(now, id, dialect, bytes, Some(seq));
            }
        }
        self.putting = None;
    }

    /// A unit goes on, and what has come behind it, or waits to leave behind it.
    pub(super) fn on_released(&mut self, now: Now, id: ConnectionId, direction: Direction, release: Release) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        match direction {
            Direction::Inbound => {
                if let Some((Stopped { notice, wire, .. }, dialect)) = conn.gated.unit.take() {
                    self.pass_unit(now, id, notice, (dialect, &wire), &release);
                }
                self.handle_kept(now, id);
            }
            Direction::Outbound => {
                if let Some(Stopped { notice, wire, .. }) = conn.gated.front.take() {
                    self.pass_front(now, id, notice, wire, release);
                }
                self.write(now, id);
                self.finish_turn(now);
            }
        }
    }

    /// Before a connection ends: what the gate holds of it goes on, with all that has come behind it.
    pub(super) fn release_held(&mut self, now: Now, id: ConnectionId) {
        let Some(conn) = self.conns.get_mut(&id).filter(|conn| !conn.gated.is_over) else { return };
        conn.gated.is_over = true;
        if let Some((Stopped { mut held, notice, wire }, dialect)) = conn.gated.unit.take() {
            let release = held.try_release().unwrap_or_else(Release::as_it_was);
            self.pass_unit(now, id, notice, (dialect, &wire), &release);
            self.handle_kept(now, id);
        }
        let front = self.conns.get_mut(&id).and_then(|conn| conn.gated.front.take());
        if let Some(Stopped { mut held, notice, wire }) = front {
            let release = held.try_release().unwrap_or_else(Release::as_it_was);
            self.pass_front(now, id, notice, wire, release);
        }
    }

    /// Decides how the unit that is first to leave does so; it may have expired, or been lost, meanwhile.
    fn pass_front(&mut self, now: Now, id: ConnectionId, notice: Notice, unit: Vec<u8>, release: Release) {
        let is_there = self.first_unit(now, id).as_ref() == Some(&unit);
        let (seq, origin) = self.tell_passed(now, notice, &release);
        let instead = match release.how {
            _ if !is_there => return,
            Passing::Dropped => Some(Bytes::new()),
            Passing::Cut => {
                let part = unit.get(..unit.len() / 2).unwrap_or_default();
                Some(Bytes::copy_from_slice(part))
            }
            Passing::Duplicated => Some(Bytes::from([&unit[..], &unit[..]].concat())),
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => release.bytes,
        };
        let Some(instead) = instead else {
            if let Some(conn) = self.conns.get_mut(&id) {
                conn.gated.asked = Some(unit);
            }
            return;
        };
        // It is taken off the queue as if it had left.
        let len = unit.len();
        let _ = self.broker.transmit(now, id, |_| Ok::<_, std::convert::Infallible>(len));
        if let Some(origin) = origin {
            self.tell_changed(now, id, &instead, seq, origin);
        }
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.gated.instead.extend_from_slice(&instead);
            conn.gated.is_cut = release.how == Passing::Cut;
        }
    }

    fn tell_changed(&mut self, now: Now, id: ConnectionId, bytes: &[u8], seq: Seq, origin: Arc<FrameOrigin>) {
        let judged = self.broker.judge(now, &Stand::Towards(id), bytes);
        let Some(peer) = self.conns.get(&id).map(|conn| conn.peer.clone()) else { return };
        self.cause = Some(seq);
        let frame = Frame {
            direction: Direction::Outbound,
            peer,
            head: judged.head,
            verdict: Verdict::Sent,
            wire_bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            redaction: Redaction::None,
            origin: Some(origin),
        };
        self.emit(now, None, What::Frame(frame), bytes);
    }

    /// The unit that is first to leave, where nothing of it has left.
    fn first_unit(&mut self, now: Now, id: ConnectionId) -> Option<Vec<u8>> {
        let mut first = None;
        let _ = self.broker.transmit(now, id, |front| {
            first = front.first_unit();
            Err::<usize, _>(())
        });
        first
    }

    /// Writes once what may leave on a connection; nothing where it has no socket, or the gate holds what is
    /// first.
    pub(super) fn transmit_gated(
        &mut self,
        now: Now,
        id: ConnectionId,
    ) -> Option<std::io::Result<WriteProgress>> {
        let conn = self.conns.get_mut(&id)?;
        if conn.gated.front.is_some() {
            // It waits for the gate, and not for its socket.
            conn.is_full = false;
            return None;
        }
        if (!conn.gated.instead.is_empty() || conn.gated.is_cut)
            && let Err(error) = self.write_instead(id)?
        {
            return Some(Err(error));
        }
        let is_open = self.conns.get(&id)?.phase == Phase::Open;
        let is_gated =
            is_open && self.gate.is_armed(Link::Rmp, Direction::Outbound) && self.broker.may_be_held(id);
        if is_gated
            && let Some(unit) = self.first_unit(now, id)
            && !self.was_asked(id, &unit)
            && let Some(taken) = self.ask_gate(now, id, Direction::Outbound, &unit)
        {
            self.cause = None;
            let (notice, waits) = self.tell_stopped(now, taken, &unit);
            match waits {
                Waits::Held(held) => {
                    let conn = self.conns.get_mut(&id)?;
                    conn.gated.front = Some(Stopped { held, notice, wire: unit });
                    conn.is_full = false;
                    conn.wake();
                    return None;
                }
                Waits::Not(release) => {
                    self.pass_front(now, id, notice, unit, release);
                    return Some(Ok(WriteProgress::Pending));
                }
            }
        }
        self.transmit(now, id, Readiness::Known, is_gated)
    }

    /// Whether the gate has let this unit go, and it did not leave yet.
    fn was_asked(&mut self, id: ConnectionId, unit: &[u8]) -> bool {
        let Some(conn) = self.conns.get_mut(&id) else { return false };
        let is_it = conn.gated.asked.as_deref() == Some(unit);
        if !is_it {
            conn.gated.asked = None;
        }
        is_it
    }

    /// Writes what leaves before the queue.
    fn write_instead(&mut self, id: ConnectionId) -> Option<std::io::Result<()>> {
        let conn = self.conns.get_mut(&id)?;
        let write = conn.write.as_ref()?;
        while !conn.gated.instead.is_empty() {
            match write.try_write(&conn.gated.instead) {
                Ok(taken) => drop(conn.gated.instead.drain(..taken)),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(if conn.gated.is_cut { Err(std::io::ErrorKind::ConnectionReset.into()) } else { Ok(()) })
    }
}
