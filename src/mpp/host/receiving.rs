//! Lines that have begun and are not whole, and who is read once more before it makes room.

use std::time::Duration;

use super::{conn::Phase, run::Host};
use crate::{
    admission::{Origin, Receiving, read_before_evicting},
    ids::ConnectionId,
    limits,
    mpp::{Bridge, Input},
    time::Now,
};

/// Without a line begun.
pub(super) fn none(limits: &limits::Mpp, bridge: &Bridge) -> Receiving<ConnectionId> {
    let frame_time = Duration::from_millis(limits.frame_ms_max);
    Receiving::new(limits.receiving_bytes_max, frame_time, bridge.tally().clone())
}

impl Host {
    /// What is kept of a connection's line has changed; `is_new` says that the one before is whole.
    pub(super) fn note_receiving(&mut self, now: Now, id: ConnectionId, is_new: bool) {
        let Some(conn) = self.conns.get_mut(&id).filter(|conn| conn.is_read()) else { return };
        let bytes = conn.framer.held_bytes() as u64;
        let mut longest = self.receiving.set_kept(now, id, conn.origin, bytes, is_new);
        while let Some(conn) = longest {
            self.cause = None;
            self.bridge.handle(now, Input::ReceivingFull { conn });
            self.drain(now);
            longest = self.receiving.overflow();
        }
    }

    /// Reads what has come on connections whose time is over: a loop that is late must not take it for their
    /// silence.
    pub(super) fn read_those_due(&mut self, now: Now) {
        for id in self.bridge.due(now).into_iter().chain(self.receiving.due(now)) {
            self.read_once_more(now, id);
        }
    }

    /// Ends the connections whose lines took too long.
    pub(super) fn end_slow(&mut self, now: Now) {
        for id in self.receiving.overdue(now) {
            let Some(conn) = self.conns.get_mut(&id).filter(|conn| conn.phase == Phase::Open) else {
                continue;
            };
            let framer = std::mem::take(&mut conn.framer);
            self.cause = None;
            self.bridge.handle(now, Input::TooSlow { conn: id, wire: framer.pending() });
            self.drain_line(now, framer.pending());
        }
    }

    /// Before a newcomer takes a place: what lies ready on those that would make room for it, as a hello that
    /// has come counts.
    pub(super) fn read_those_that_would_go(&mut self, now: Now, origin: Origin) {
        let plan = |host: &Self| host.bridge.admission_plan(origin);
        read_before_evicting(self, plan, |host, oldest| host.read_once_more(now, oldest));
    }

    /// Whether there was something.
    fn read_once_more(&mut self, now: Now, id: ConnectionId) -> bool {
        let Some(conn) = self.conns.get_mut(&id).filter(|conn| conn.is_read()) else {
            return false;
        };
        let read = conn.read_now();
        let is_something = read.is_some() || conn.framer.pending_bytes() > 0;
        match read {
            Some(read) => self.on_read(now, id, &read),
            // Its first words may be held back.
            None => self.on_lines(now, id),
        }
        is_something
    }
}
