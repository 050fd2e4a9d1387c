//! Units that have begun and are not whole: what they hold and how long they take.

use super::{conn::Phase, run::Host};
use crate::{admission::TurnedAway, ids::ConnectionId, rmp::broker::Input, time::Now};

impl Host {
    /// What is kept of a connection's unit has changed; `is_new` says that the one before is whole.
    pub(super) fn note_receiving(&mut self, now: Now, id: ConnectionId, is_new: bool) {
        let Some(conn) = self.conns.get_mut(&id).filter(|conn| !conn.gated.holds_unit()) else { return };
        conn.read_buffer.make_room();
        let bytes = conn.read_buffer.kept_bytes();
        let mut largest = self.receiving.set_kept(now, id, conn.origin, bytes, is_new);
        while let Some(id) = largest {
            self.turn_away(now, id, TurnedAway::ReceivingBytes);
            largest = self.receiving.overflow();
        }
    }

    /// Hands in that it is a moment that the core asked for, and ends the connections whose units took too
    /// long. What has come on those whose time is over is read before: a loop that is late must not take it
    /// for their silence.
    pub(super) fn on_time(&mut self, now: Now) {
        for id in self.broker.due(now).into_iter().chain(self.receiving.due(now)) {
            self.read_once_more(now, id);
        }
        for id in self.receiving.overdue(now) {
            self.turn_away(now, id, TurnedAway::FrameTime);
        }
        self.cause = None;
        self.broker.handle(now, Input::Timeout);
        self.drain(now, &[]);
        self.finish_turn(now);
    }

    fn turn_away(&mut self, now: Now, id: ConnectionId, why: TurnedAway) {
        let Some(conn) = self.conns.get(&id) else { return };
        let dialect = conn.read_buffer.dialect.unwrap_or_default();
        self.break_off(id);
        self.cause = None;
        self.broker.handle(now, Input::TurnedAway { session: id, dialect, why });
        self.drain(now, &[]);
    }

    /// Reads what has come on a connection that is about to make room for another, or whose time is over;
    /// true if there was something. It asks the system itself: the runtime may not know of it yet.
    pub(super) fn read_once_more(&mut self, now: Now, id: ConnectionId) -> bool {
        let Self { conns, scratch, .. } = self;
        let Some(conn) = conns.get_mut(&id).filter(|conn| !conn.gated.holds_unit()) else { return false };
        let Some(write) = conn.write.as_ref().filter(|_| conn.phase == Phase::Open) else { return false };
        let stream: &tokio::net::UnixStream = write.as_ref();
        let kept = conn.read_buffer.pending.len();
        let lacking =
            conn.read_buffer.large.as_ref().map(|(buffer, whole)| whole.saturating_sub(buffer.len()));
        let Some((front, room)) = scratch.split_at_mut_checked(kept) else { return false };
        let len = lacking.unwrap_or(room.len()).min(room.len());
        let Some(room) = room.get_mut(..len) else { return false };
        // Its own task sees to its end.
        let Ok((read @ 1.., _)) = rustix::net::recv(stream, &mut *room, rustix::net::RecvFlags::DONTWAIT)
        else {
            return false;
        };
        let Some((buffer, whole)) = &mut conn.read_buffer.large else {
            front.copy_from_slice(&conn.read_buffer.pending);
            self.on_scratch(now, id, kept + read);
            return true;
        };
        buffer.extend_from_slice(room.get(..read).unwrap_or_default());
        if buffer.len() >= *whole {
            self.on_large(now, id);
        } else {
            self.note_receiving(now, id, false);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, time::Duration};

    use super::*;
    use crate::{
        admission::Origin,
        ids::{Peer, TraceId},
        rmp::{
            client::{Hello, Session, Start},
            host::{conn::Conn, test_setup::test_setup},
        },
    };

    #[tokio::test]
    async fn what_has_come_before_its_time_was_found_to_be_over_counts() {
        let folder = tempfile::tempdir().unwrap();
        let setup = test_setup(&folder.path().join("rmp.sock")).0;
        let mut host = Host::new(setup, std::rc::Weak::new()).0;
        let now = host.clock.now();
        let open = |host: &mut Host, id| {
            let (ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
            ours.set_nonblocking(true).unwrap();
            let (_, write) = tokio::net::UnixStream::from_std(ours).unwrap().into_split();
            let (session, peer) = (ConnectionId(id), Peer::new("uid 1 pid 1"));
            host.conns.insert(session, Conn::new(peer.clone(), Origin::Unknown, write));
            host.broker.handle(now, Input::Opened { session, peer, origin: Origin::Unknown });
            host.drain(now, &[]);
            theirs
        };
        let (mut speaks, mut sends, _silent) = (open(&mut host, 1), open(&mut host, 2), open(&mut host, 3));
        let start = Start { now_ms: now.wall.0, first_id: 1, trace: TraceId(uuid::Uuid::from_u128(1)) };
        let mut unit = Vec::new();
        Session::new(&Hello::agent("test"), start).sending.take(&mut unit);
        speaks.write_all(&unit).unwrap();
        // A frame that has begun, and whose rest lies in the system's buffer when its time is over.
        sends.write_all(&unit[..20]).unwrap();
        assert!(host.read_once_more(now, ConnectionId(2)));
        sends.write_all(&unit[20..]).unwrap();
        host.on_time(now.after(Duration::from_secs(60)));
        let is_open = |id| host.conns.get(&ConnectionId(id)).is_some_and(|conn| conn.phase == Phase::Open);
        assert_eq!([1, 2, 3].map(is_open), [true, true, false], "the last has said nothing");
        let counts = host.broker.tally().turned_away();
        assert_eq!(counts.iter().sum::<u64>(), 1, "{counts:?}");
    }
}
