//! Who may hold a connection of the bus, and who is turned away (ruling RMP 1; [`crate::admission`]).

use std::time::Duration;

use super::{
    core::Broker,
    session::{HELLO_TIMEOUT, Place, RefusalDetail, Rights, Session},
};
use crate::{
    admission::{Admitted, Origin, Plan, TableBounds, Tally, TurnedAway},
    ids::{ConnectionId, Peer},
    limits,
    rmp::dialect::unit_bytes_max,
    tap::entry::rmp::{CloseCause, Dialect, Refusal, Transition},
    time::Now,
};

/// The bounds of the bus's table.
pub(super) fn table_bounds(limits: &limits::Rmp) -> TableBounds {
    TableBounds {
        connections_max: limits.connections_max,
        peer_connections_max: limits.peer_connections_max,
        operators_max: limits.operator_connections_max,
        first_frame_max: Some(HELLO_TIMEOUT),
        token_max: Some(Duration::from_millis(limits.token_ms_max)),
    }
}

/// Bytes of units that may be on their way in: a `Publish` and its message fit in any case.
pub(in crate::rmp) fn receiving_bytes_max(limits: &limits::Rmp) -> u64 {
    limits.receiving_bytes_max.max(unit_bytes_max(limits.body_bytes_max).saturating_mul(2))
}

/// Why a connection that was turned away ended.
pub(super) const fn close_cause(why: TurnedAway) -> CloseCause {
    match why {
        TurnedAway::FirstFrame => CloseCause::HelloTimeout,
        TurnedAway::MadeRoom => CloseCause::MadeRoom,
        TurnedAway::TableFull => CloseCause::TooManyConnections,
        TurnedAway::NoToken => CloseCause::NoToken,
        TurnedAway::PeerShare => CloseCause::TooManyOfPeer,
        TurnedAway::FrameTime => CloseCause::FrameTimeout,
        TurnedAway::ReceivingBytes => CloseCause::ReceivingFull,
    }
}

impl Broker {
    /// What would become of a newcomer: who would make room for it is read once more before.
    #[must_use]
    pub fn admission_plan(&self, origin: Origin) -> Plan {
        self.table.plan(origin)
    }

    /// Whether there are no descriptors but those that are held for operators.
    pub fn set_scarce(&mut self, is_scarce: bool) {
        self.table.set_scarce(is_scarce);
    }

    /// Those whose time to say who they are is over.
    #[must_use]
    pub fn due(&self, now: Now) -> Vec<ConnectionId> {
        self.table.due(now)
    }

    /// The counters of who was turned away.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.settings.tally
    }

    pub(super) fn on_opened(&mut self, now: Now, id: ConnectionId, peer: Peer, origin: Origin) {
        self.emit_transition(Transition::Connected { session: id, peer: peer.clone() }, None, None);
        let mut session = Session::new(id, peer, now, &self.settings.limits);
        session.outbox.set_owner(id.0, &mut self.budget);
        let admitted = self.table.open(now, id, origin);
        session.place = Place::new(self.table.is_operators(id));
        self.newest = id;
        self.sessions.insert(session);
        self.budget.set_connections(self.sessions.len());
        match admitted {
            Admitted::Common { evicted } | Admitted::Operators { evicted } => {
                if let Some(evicted) = evicted {
                    self.turn_away(now, evicted, TurnedAway::MadeRoom);
                }
            }
            Admitted::Refused(why) => self.turn_away(now, id, why),
        }
    }

    /// Has a connection that has not said who it is be an agent, whatever token it shows (ruling Plugins 16).
    pub fn confine(&mut self, id: ConnectionId) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.rights = Rights::Confined;
        }
    }

    /// What a session of the operators' room is told that shows no operator's token.
    pub(super) fn no_place(&self) -> RefusalDetail {
        RefusalDetail::new(Refusal::Busy, &self.describe(TurnedAway::NoToken))
    }

    pub(super) fn on_turned_away(&mut self, now: Now, id: ConnectionId, dialect: Dialect, why: TurnedAway) {
        match dialect {
            Dialect::Frames => self.turn_away(now, id, why),
            Dialect::Json => self.end(id, close_cause(why)),
        }
    }

    /// Tells a connection that there is no place for it or for its frame, and ends it.
    pub(super) fn turn_away(&mut self, now: Now, id: ConnectionId, why: TurnedAway) {
        if why != TurnedAway::FirstFrame {
            let busy = RefusalDetail::new(Refusal::Busy, &self.describe(why));
            self.send_final_error(now, id, &busy);
        }
        self.end(id, close_cause(why));
    }

    /// Ends those that have not said who they are in time.
    pub(super) fn end_silent(&mut self, now: Now) {
        while let Some((id, why)) = self.table.overdue(now) {
            self.turn_away(now, id, why);
        }
    }

    pub(super) fn describe(&self, why: TurnedAway) -> String {
        let limits = &self.settings.limits;
        let connections = limits.connections_max;
        match why {
            TurnedAway::FirstFrame => "no Hello in time".to_owned(),
            TurnedAway::MadeRoom => format!(
                "closed to make room, as no Hello arrived: {connections} connections are open, or {} of \
                 this process (limits.rmp.connections_max, limits.rmp.peer_connections_max)",
                table_bounds(limits).peer_share()
            ),
            TurnedAway::TableFull => {
                format!("too many connections: {connections} are open (limits.rmp.connections_max)")
            }
            TurnedAway::NoToken => format!(
                "too many connections, and no operator token for a reserved one: {connections} are open, or \
                 {} of this process (limits.rmp.connections_max, limits.rmp.peer_connections_max), or the \
                 system's limit of open files is reached",
                table_bounds(limits).peer_share()
            ),
            TurnedAway::PeerShare => format!(
                "too many connections from this process: {} are open (limits.rmp.peer_connections_max)",
                table_bounds(limits).peer_share()
            ),
            TurnedAway::FrameTime => {
                format!("a frame was incomplete after {} ms (limits.rmp.frame_ms_max)", limits.frame_ms_max)
            }
            TurnedAway::ReceivingBytes => format!(
                "more than {} bytes of incomplete frames, and this is the largest \
                 (limits.rmp.receiving_bytes_max)",
                receiving_bytes_max(limits)
            ),
        }
    }
}
