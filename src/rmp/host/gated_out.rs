//! Units that the gate stops before they leave to a session.
//!
//! One that is held stays first in its session's queue, where it counts and expires as ever; nothing behind
//! it is written. What the gate is known to let pass leaves in one write.

use std::{io::IoSlice, sync::Arc};

use bytes::Bytes;

use super::{
    conn::Phase,
    drain::{Readiness, with_slices},
    run::Host,
};
use crate::{
    gate::{Notice, Release, Stopped, Waits},
    ids::{ConnectionId, Seq},
    rmp::{
        Dialect, Stand,
        broker::{WriteProgress, bytes_that_leave},
        split::{self, UnitSplit},
    },
    tap::entry::{Direction, Frame, FrameOrigin, Link, Redaction, Verdict, What, gate::Passing},
    time::Now,
};

/// Why nothing of a queue leaves.
enum Unsent {
    /// The gate is to be asked about what is first.
    Unasked,
    /// The socket does not take it.
    Failed(std::io::Error),
}

impl Host {
    /// Decides how the unit that is first to leave does so; it may have expired, or been lost, meanwhile.
    pub(super) fn pass_front(
        &mut self,
        now: Now,
        id: ConnectionId,
        notice: Notice,
        unit: Vec<u8>,
        release: &Release,
    ) {
        let replacement = match release.how {
            Passing::Dropped => Some(Bytes::new()),
            Passing::Cut => {
                let part = unit.get(..unit.len() / 2).unwrap_or_default();
                Some(Bytes::copy_from_slice(part))
            }
            Passing::Duplicated => Some(Bytes::from([&unit[..], &unit[..]].concat())),
            Passing::AsItWas | Passing::Edited | Passing::TimedOut | Passing::Delayed => {
                release.bytes.clone()
            }
        };
        // It is taken off the queue as if it had left.
        let mut is_there = false;
        let _ = self.broker.transmit(now, id, |front| {
            is_there = front.first_unit().as_ref() == Some(&unit);
            if is_there && replacement.is_some() { Ok(unit.len()) } else { Err(()) }
        });
        if !is_there {
            self.tell_passed(now, notice, &Release::dropped());
            return;
        }
        let (seq, origin) = self.tell_passed(now, notice, release);
        let Some(replacement) = replacement else {
            if let Some(conn) = self.conns.get_mut(&id) {
                conn.gated.asked = Some(unit);
            }
            return;
        };
        if let Some(origin) = origin {
            self.tell_changed(now, id, &replacement, seq, origin);
        }
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.gated.replacement.extend_from_slice(&replacement);
            conn.gated.is_cut = release.how == Passing::Cut;
        }
    }

    /// Whether a unit that is held waits first in its queue still; one that has expired, or was lost, is told
    /// so and holds up nothing.
    fn holds_front(&mut self, now: Now, id: ConnectionId) -> bool {
        let Some(conn) = self.conns.get_mut(&id) else { return false };
        conn.is_full = false;
        let Some(front) = conn.gated.front.take() else { return false };
        if self.first_unit(now, id).as_ref() != Some(&front.frame) {
            self.tell_passed(now, front.notice, &Release::dropped());
            self.cause = None;
            return false;
        }
        if let Some(conn) = self.conns.get_mut(&id) {
            conn.gated.front = Some(front);
        }
        true
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
        // It waits for the gate, and not for its socket.
        if self.holds_front(now, id) {
            return None;
        }
        if let Err(error) = self.write_replacement(id, Readiness::Known)? {
            return Some(Err(error));
        }
        let is_open = self.conns.get(&id)?.phase == Phase::Open;
        let is_gated =
            is_open && self.gate.is_armed(Link::Rmp, Direction::Outbound) && self.broker.may_be_held(id);
        if !is_gated {
            return self.transmit(now, id, Readiness::Known, false);
        }
        match self.transmit_cleared(now, id)? {
            Ok(left) => return Some(Ok(left)),
            Err(Unsent::Failed(error)) => return Some(Err(error)),
            Err(Unsent::Unasked) => {}
        }
        let Some(unit) = self.first_unit(now, id).filter(|unit| !self.was_asked(id, unit)) else {
            return self.transmit(now, id, Readiness::Known, true);
        };
        let dialect = self.conns.get(&id)?.read_buffer.dialect.unwrap_or_default();
        let control = match split::split_unit(&unit, dialect, self.limits.body_bytes_max) {
            UnitSplit::Whole(len) if dialect == Dialect::Frames => unit.get(..len).unwrap_or_default(),
            _ => &[],
        };
        let Some(taken) = self.ask_gate(now, id, Direction::Outbound, (&unit, control)) else {
            self.conns.get_mut(&id)?.gated.asked = Some(unit);
            return self.transmit(now, id, Readiness::Known, true);
        };
        self.cause = None;
        let (notice, waits) = taken.tell(|what| self.emit(now, None, what, &unit));
        match waits {
            Waits::Held(held) => {
                let conn = self.conns.get_mut(&id)?;
                conn.gated.front = Some(Stopped { held, notice, frame: unit });
                conn.is_full = false;
                conn.wake();
                None
            }
            Waits::Not(release) => {
                self.pass_front(now, id, notice, unit, &release);
                Some(Ok(WriteProgress::Pending))
            }
        }
    }

    /// Writes once what the gate is not asked about; nothing where the connection has no socket.
    fn transmit_cleared(&mut self, now: Now, id: ConnectionId) -> Option<Result<WriteProgress, Unsent>> {
        let conn = self.conns.get_mut(&id)?;
        conn.is_full = false;
        let (write, gate, cleared) = (conn.write.as_ref()?, &self.gate, &mut conn.gated.cleared_out);
        Some(self.broker.transmit(now, id, |front| {
            let front = if front.is_begun() {
                front.only_first()
            } else {
                match bytes_that_leave(&front, |class| cleared.has(gate, class)) {
                    0 => return Err(Unsent::Unasked),
                    leave => front.only(leave),
                }
            };
            with_slices(&front, |it| Readiness::Known.write(write, it)).map_err(Unsent::Failed)
        }))
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

    /// Writes what leaves before the queue; nothing where the connection has no socket.
    pub(super) fn write_replacement(
        &mut self,
        id: ConnectionId,
        readiness: Readiness,
    ) -> Option<std::io::Result<()>> {
        let conn = self.conns.get_mut(&id)?;
        let write = conn.write.as_ref()?;
        while !conn.gated.replacement.is_empty() {
            match readiness.write(write, &[IoSlice::new(&conn.gated.replacement)]) {
                Ok(taken) => drop(conn.gated.replacement.drain(..taken)),
                Err(error) => return Some(Err(error)),
            }
        }
        Some(if conn.gated.is_cut { Err(std::io::ErrorKind::ConnectionReset.into()) } else { Ok(()) })
    }
}
