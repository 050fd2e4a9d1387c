//! Units that have begun and are not whole: what they hold and how long they take.

use super::{conn::Phase, run::Host};
use crate::{admission::TurnedAway, ids::ConnectionId, time::Now};

impl Host {
    /// What is kept of a connection's unit has changed; `is_new` says that the one before is whole.
    pub(super) fn note_receiving(&mut self, now: Now, id: ConnectionId, is_new: bool) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        let bytes = conn.read_buffer.kept_bytes();
        let was_receiving = std::mem::replace(&mut conn.is_receiving, bytes > 0);
        if bytes == 0 {
            if was_receiving {
                self.receiving.end(id);
            }
            return;
        }
        if is_new || !was_receiving {
            self.receiving.begin(now, id);
        }
        let mut largest = self.receiving.grow(id, bytes);
        while let Some(id) = largest {
            self.turn_away(now, id, TurnedAway::ReceivingBytes);
            largest = self.receiving.overflow();
        }
    }

    /// Ends the connections whose units took too long.
    pub(super) fn end_slow(&mut self, now: Now) {
        for id in self.receiving.overdue(now) {
            self.turn_away(now, id, TurnedAway::FrameTime);
        }
    }

    fn turn_away(&mut self, now: Now, id: ConnectionId, why: TurnedAway) {
        let Some(conn) = self.conns.get_mut(&id) else { return };
        conn.is_receiving = false;
        let dialect = conn.read_buffer.dialect.unwrap_or_default();
        self.break_off(id);
        self.cause = None;
        self.broker.handle(now, crate::rmp::broker::Input::TurnedAway { session: id, dialect, why });
        self.drain(now, &[]);
    }

    /// Reads what has come on a connection that is about to make room for another; true if there was
    /// something. It asks the system itself: the runtime may not know of it yet.
    pub(super) fn read_once_more(&mut self, now: Now, id: ConnectionId) -> bool {
        let Self { conns, scratch, .. } = self;
        let Some(conn) = conns.get(&id) else { return false };
        let kept = conn.read_buffer.pending.len();
        let Some(write) = conn.write.as_ref().filter(|_| conn.phase == Phase::Open) else { return false };
        let Some((front, room)) = scratch.split_at_mut_checked(kept) else { return false };
        if conn.read_buffer.large.is_some() {
            return false;
        }
        let stream: &tokio::net::UnixStream = write.as_ref();
        match rustix::net::recv(stream, room, rustix::net::RecvFlags::DONTWAIT) {
            Ok((read, _)) if read > 0 => {
                front.copy_from_slice(&conn.read_buffer.pending);
                self.on_scratch(now, id, kept + read);
                true
            }
            // Its own task sees to its end.
            Ok(_) | Err(_) => false,
        }
    }
}
