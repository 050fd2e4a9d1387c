//! Connections come and go (mpp-v2 §8, disconnect; rulings MPP 2 and 9).

use super::{
    commits::RowChange,
    core::{Bridge, Settings},
};
use crate::{
    admission::{Admitted, Origin, Plan, Table, TableBounds, Tally, TurnedAway},
    ids::{ConnectionId, InvocationId, Peer},
    mpp::{
        connection::{HELLO_WITHIN, UnauthenticatedConnection},
        io::Output,
    },
    tap::entry::mpp::{CloseCause, RowState, Transition},
    time::Now,
};

/// Without connections.
pub(super) fn table(settings: &Settings) -> Table {
    let bounds = TableBounds {
        connections_max: settings.limits.connections_max,
        peer_connections_max: settings.limits.peer_connections_max,
        operators_max: 0,
        first_frame_max: Some(HELLO_WITHIN),
        token_max: None,
    };
    Table::new(bounds, settings.tally.clone())
}

impl Bridge {
    /// What would become of a newcomer: who would make room for it is read once more before.
    #[must_use]
    pub fn admission_plan(&self, origin: Origin) -> Plan {
        self.table.plan(origin)
    }

    /// Those whose time to say hello is over.
    #[must_use]
    pub fn due(&self, now: Now) -> Vec<ConnectionId> {
        self.table.due(now)
    }

    /// Who is connected and has not said hello, with since when.
    #[must_use]
    pub fn guests(&self) -> Vec<(Peer, Now)> {
        self.unauthenticated.values().map(|guest| (guest.peer.clone(), guest.since)).collect()
    }

    /// The counters of who was turned away.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.settings.tally
    }

    pub(super) fn on_opened(&mut self, now: Now, conn: ConnectionId, peer: Peer, origin: Origin) {
        self.emit_transition(Transition::Connected { peer: peer.clone() }, None, None);
        self.unauthenticated.insert(conn, UnauthenticatedConnection { peer, since: now });
        match self.table.open(now, conn, origin) {
            // Not the newcomer: those that say nothing must not keep the adapter out.
            Admitted::Common { evicted } | Admitted::Operators { evicted } => {
                if let Some(oldest) = evicted {
                    self.close(now, oldest, CloseCause::MadeRoom);
                }
            }
            Admitted::Refused(TurnedAway::PeerShare) => self.close(now, conn, CloseCause::TooManyOfPeer),
            Admitted::Refused(_) => self.close(now, conn, CloseCause::TooManyConnections),
        }
    }

    /// We end a connection.
    pub(super) fn close(&mut self, now: Now, conn: ConnectionId, cause: CloseCause) {
        self.disconnect(now, conn, cause);
        self.put(Output::Close { conn, cause });
    }

    /// A connection is gone. One that was closed by us before is known no more.
    pub(super) fn disconnect(&mut self, now: Now, conn: ConnectionId, cause: CloseCause) {
        self.table.close(conn);
        if let Some(guest) = self.unauthenticated.remove(&conn) {
            self.emit_transition(
                Transition::Disconnected { peer: guest.peer, active: false, cause },
                None,
                None,
            );
            return;
        }
        let Some(active) = self.active.take_if(|active| active.conn == conn) else { return };
        for queue in self.queues.values_mut() {
            queue.parked = false;
        }
        self.requeue_dispatched(now);
        self.last_close = Some((active.peer.clone(), cause, now));
        self.emit_transition(Transition::Disconnected { peer: active.peer, active: true, cause }, None, None);
        for name in self.declared() {
            self.emit_drained(&name);
        }
    }

    /// "Requeues only the Invocation currently in flight"; what reached `applied` is left there (mpp-v2 §8).
    fn requeue_dispatched(&mut self, now: Now) {
        let ids: Vec<InvocationId> =
            self.live.iter().filter(|(_, live)| !live.orphaned).map(|(id, _)| *id).collect();
        for id in ids {
            match self.live.get_mut(&id).and_then(|live| live.row.take()) {
                None => self.orphan(id),
                Some(row) => {
                    let Some(live) = self.live.remove(&id) else { continue };
                    let moved =
                        RowChange { state: RowState::Pending, result: None, reason: None, refund: None };
                    self.move_row(now, id, &live.queue, moved, live.trace);
                    if let Some(queue) = self.queues.get_mut(&live.queue) {
                        queue.free(id);
                        queue.add_pending(1);
                        self.pending_bytes += row.bytes;
                        queue.head.put_back(row);
                    }
                    self.emit_transition(
                        Transition::Requeued { id, queue: live.queue },
                        None,
                        Some(live.trace),
                    );
                }
            }
        }
    }

    /// A row stays in `applied` without a connection that speaks for it, and does not occupy its queue
    /// (ruling MPP 9).
    fn orphan(&mut self, id: InvocationId) {
        let Some(live) = self.live.get_mut(&id) else { return };
        live.orphaned = true;
        let (queue, trace) = (live.queue.clone(), live.trace);
        if let Some(queue) = self.queues.get_mut(&queue) {
            queue.free(id);
        }
        self.orphaned.insert(id);
        if self.orphaned.len() as u64 > self.settings.limits.recent_rows_max
            && let Some(oldest) = self.orphaned.pop_first()
        {
            self.live.remove(&oldest);
        }
        self.emit_transition(Transition::Orphaned { id, queue }, None, Some(trace));
    }

    /// Bounds what one connection may have in `applied` without ending it.
    pub(super) fn orphan_oldest(&mut self) {
        if (self.live.len() - self.orphaned.len()) as u64 <= self.settings.limits.live_rows_max {
            return;
        }
        let queues = &self.queues;
        let ended =
            |id: &InvocationId, queue| queues.get(queue).is_none_or(|queue| queue.in_flight != Some(*id));
        let oldest = self
            .live
            .iter()
            .find(|(id, live)| !live.orphaned && live.state == RowState::Applied && ended(id, &live.queue));
        if let Some(id) = oldest.map(|(id, _)| *id) {
            self.orphan(id);
        }
    }
}
