//! The connections of one port.

use std::{collections::BTreeMap, time::Duration};

use hashbrown::HashMap;

use super::{
    origin::Origin,
    tally::{Gauge, Tally},
    turned_away::TurnedAway,
};
use crate::{
    ids::ConnectionId,
    time::{Mono, Now},
};

/// The bounds of a table.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "each is a maximum, and named as its setting is")]
pub(crate) struct TableBounds {
    /// Connections at one time, those of the operators' room aside.
    pub(crate) connections_max: u64,
    /// Connections of one known origin; 0 is a quarter of the table.
    pub(crate) peer_connections_max: u64,
    /// Places beside the table for operators; one origin has a quarter of them.
    pub(crate) operators_max: u64,
    /// How long a connection may take to speak; nothing where it may say nothing for ever.
    pub(crate) first_frame_max: Option<Duration>,
    /// How long one in the operators' room may take to show a token.
    pub(crate) token_max: Option<Duration>,
}

impl TableBounds {
    /// Connections of one known origin in the table.
    #[must_use]
    pub(crate) fn peer_share(&self) -> u64 {
        if self.peer_connections_max > 0 { self.peer_connections_max } else { quarter(self.connections_max) }
    }
}

fn quarter(of: u64) -> u64 {
    (of / 4).max(1)
}

/// A part of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Room {
    Common,
    Operators,
}

/// What would become of a newcomer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plan {
    /// There is a place for it.
    Fits,
    /// This one, which has not spoken, would make room. Its host reads it once more and asks again: who has
    /// just spoken stays.
    Evicts(ConnectionId),
    /// It would be refused.
    Refuses(TurnedAway),
}

/// Before a newcomer takes a place: has each read once more that would make room for it, as long as there was
/// something to read; `host` plans and reads.
pub(crate) fn read_before_evicting<H>(
    host: &mut H,
    plan: impl Fn(&H) -> Plan,
    mut read: impl FnMut(&mut H, ConnectionId) -> bool,
) {
    let mut read_last = None;
    while let Plan::Evicts(oldest) = plan(host)
        && read_last != Some(oldest)
        && read(host, oldest)
    {
        read_last = Some(oldest);
    }
}

/// What became of a newcomer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admitted {
    /// It has a place, and must speak by the table's deadline.
    Common {
        /// Who made room and is to be closed.
        evicted: Option<ConnectionId>,
    },
    /// It has a place of the operators' room, and must show an operator's token.
    Operators {
        /// Who made room and is to be closed.
        evicted: Option<ConnectionId>,
    },
    /// It has none.
    Refused(TurnedAway),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    origin: Origin,
    room: Room,
}

/// The connections of one room that have not spoken, with when they must have. The oldest is first: their
/// numbers rise, and all of a room have the same time.
type Silent = BTreeMap<ConnectionId, Option<Mono>>;

/// The connections of one port. Numbers of connections must rise.
#[derive(Debug)]
pub(crate) struct Table {
    bounds: TableBounds,
    slots: HashMap<ConnectionId, Slot>,
    operators: u64,
    silent_common: Silent,
    silent_operators: Silent,
    held: HashMap<(Room, Origin), u64>,
    is_scarce: bool,
    open: Gauge,
    silent: Gauge,
    tally: Tally,
}

impl Table {
    /// Without connections.
    #[must_use]
    pub(crate) fn new(bounds: TableBounds, tally: Tally) -> Self {
        Self {
            bounds,
            slots: HashMap::new(),
            operators: 0,
            silent_common: Silent::new(),
            silent_operators: Silent::new(),
            held: HashMap::new(),
            is_scarce: false,
            open: tally.open_gauge(),
            silent: tally.silent_gauge(),
            tally,
        }
    }

    /// Whether there are no descriptors but those that are held for operators: newcomers come into their room
    /// alone.
    pub(crate) fn set_scarce(&mut self, is_scarce: bool) {
        self.is_scarce = is_scarce;
    }

    /// What would become of a newcomer.
    #[must_use]
    pub(crate) fn plan(&self, origin: Origin) -> Plan {
        match self.decide(origin) {
            Admitted::Common { evicted: Some(evicted) } | Admitted::Operators { evicted: Some(evicted) } => {
                Plan::Evicts(evicted)
            }
            Admitted::Common { evicted: None } | Admitted::Operators { evicted: None } => Plan::Fits,
            Admitted::Refused(why) => Plan::Refuses(why),
        }
    }

    /// Takes a newcomer in, or refuses it. Whoever makes room has no place any more; both are counted.
    pub(crate) fn open(&mut self, now: Now, id: ConnectionId, origin: Origin) -> Admitted {
        let decided = self.decide(origin);
        let (room, evicted) = match decided {
            Admitted::Common { evicted } => (Room::Common, evicted),
            Admitted::Operators { evicted } => (Room::Operators, evicted),
            Admitted::Refused(why) => {
                self.tally.count(why, origin);
                return decided;
            }
        };
        if let Some(evicted) = evicted {
            self.turn_away(evicted, TurnedAway::MadeRoom);
        }
        let time = match room {
            Room::Common => self.bounds.first_frame_max,
            Room::Operators => self.bounds.token_max,
        };
        self.silent_of(room).insert(id, time.map(|time| now.mono + time));
        self.slots.insert(id, Slot { origin, room });
        self.operators += u64::from(room == Room::Operators);
        if origin.is_known() {
            *self.held.entry((room, origin)).or_default() += 1;
        }
        self.publish();
        decided
    }

    /// Marks a connection as one that has spoken; one of the operators' room has shown an operator's token.
    pub(crate) fn establish(&mut self, id: ConnectionId) {
        let Some(&Slot { room, .. }) = self.slots.get(&id) else { return };
        if self.silent_of(room).remove(&id).is_some() {
            self.publish();
        }
    }

    /// Counts that a connection or its frame is turned away, of one that has a place.
    pub(crate) fn count(&self, id: ConnectionId, why: TurnedAway) {
        if let Some(slot) = self.slots.get(&id) {
            self.tally.count(why, slot.origin);
        }
    }

    /// Whether a connection has a place and has not spoken.
    #[must_use]
    pub(crate) fn is_silent(&self, id: ConnectionId) -> bool {
        self.silent_common.contains_key(&id) || self.silent_operators.contains_key(&id)
    }

    /// When a connection must have spoken, of one that has not and has a deadline.
    #[must_use]
    pub(crate) fn speak_by(&self, id: ConnectionId) -> Option<Mono> {
        self.silent_common.get(&id).or_else(|| self.silent_operators.get(&id)).copied().flatten()
    }

    /// A connection is gone.
    pub(crate) fn close(&mut self, id: ConnectionId) {
        let Some(Slot { origin, room }) = self.slots.remove(&id) else { return };
        self.silent_of(room).remove(&id);
        self.operators -= u64::from(room == Room::Operators);
        if let Some(held) = self.held.get_mut(&(room, origin)) {
            *held -= 1;
            if *held == 0 {
                self.held.remove(&(room, origin));
            }
        }
        self.publish();
    }

    fn turn_away(&mut self, id: ConnectionId, why: TurnedAway) {
        self.count(id, why);
        self.close(id);
    }

    /// From where a connection is that has a place.
    #[must_use]
    pub(crate) fn origin(&self, id: ConnectionId) -> Option<Origin> {
        self.slots.get(&id).map(|slot| slot.origin)
    }

    /// Whether a connection is in the operators' room.
    #[must_use]
    pub(crate) fn is_operators(&self, id: ConnectionId) -> bool {
        self.slots.get(&id).is_some_and(|slot| slot.room == Room::Operators)
    }

    /// Whether a newcomer would come into the operators' room.
    #[must_use]
    pub(crate) fn plans_operators(&self, origin: Origin) -> bool {
        matches!(self.decide(origin), Admitted::Operators { .. })
    }

    /// Those that [`overdue`](Self::overdue) would name. Their host reads them once more before: what has
    /// come and was not read yet counts.
    #[must_use]
    pub(crate) fn due(&self, now: Now) -> Vec<ConnectionId> {
        let rooms = [&self.silent_common, &self.silent_operators].into_iter();
        rooms
            .flat_map(|silent| silent.iter().take_while(|(_, by)| by.is_some_and(|by| by <= now.mono)))
            .map(|(id, _)| *id)
            .collect()
    }

    /// A connection that has not spoken in time. It has no place any more and is counted; ask until there is
    /// none.
    pub(crate) fn overdue(&mut self, now: Now) -> Option<(ConnectionId, TurnedAway)> {
        let late = |silent: &Silent| {
            let (&id, by) = silent.first_key_value()?;
            by.is_some_and(|by| by <= now.mono).then_some(id)
        };
        let common = late(&self.silent_common).map(|id| (id, TurnedAway::FirstFrame));
        let found = common.or_else(|| late(&self.silent_operators).map(|id| (id, TurnedAway::NoToken)))?;
        self.turn_away(found.0, found.1);
        Some(found)
    }

    /// When to ask for [`overdue`](Self::overdue) next.
    #[must_use]
    pub(crate) fn deadline(&self) -> Option<Mono> {
        let first =
            [&self.silent_common, &self.silent_operators].map(|silent| silent.values().next().copied());
        first.into_iter().flatten().flatten().min()
    }

    fn decide(&self, origin: Origin) -> Admitted {
        if self.is_scarce {
            return self.decide_operators(origin, TurnedAway::TableFull);
        }
        if self.held(Room::Common, origin) >= self.bounds.peer_share() {
            return match self.oldest_of(&self.silent_common, origin) {
                Some(own) => Admitted::Common { evicted: Some(own) },
                None => self.decide_operators(origin, TurnedAway::PeerShare),
            };
        }
        if (self.slots.len() as u64 - self.operators) < self.bounds.connections_max {
            return Admitted::Common { evicted: None };
        }
        match self.silent_common.first_key_value() {
            Some((&oldest, _)) => Admitted::Common { evicted: Some(oldest) },
            None => self.decide_operators(origin, TurnedAway::TableFull),
        }
    }

    /// One that the table has no place for.
    fn decide_operators(&self, origin: Origin, why: TurnedAway) -> Admitted {
        let evicted = if self.held(Room::Operators, origin) >= quarter(self.bounds.operators_max) {
            self.oldest_of(&self.silent_operators, origin)
        } else if self.operators < self.bounds.operators_max {
            return Admitted::Operators { evicted: None };
        } else {
            self.silent_operators.first_key_value().map(|(&oldest, _)| oldest)
        };
        evicted.map_or(Admitted::Refused(why), |oldest| Admitted::Operators { evicted: Some(oldest) })
    }

    /// The oldest connection of an origin that has not spoken.
    fn oldest_of(&self, silent: &Silent, origin: Origin) -> Option<ConnectionId> {
        let is_its = |id: &&ConnectionId| self.slots.get(*id).is_some_and(|slot| slot.origin == origin);
        silent.keys().find(is_its).copied()
    }

    /// Connections of an origin that can be told from others.
    fn held(&self, room: Room, origin: Origin) -> u64 {
        self.held.get(&(room, origin)).copied().unwrap_or(0)
    }

    fn silent_of(&mut self, room: Room) -> &mut Silent {
        match room {
            Room::Common => &mut self.silent_common,
            Room::Operators => &mut self.silent_operators,
        }
    }

    fn publish(&mut self) {
        self.open.set(self.slots.len() as u64);
        self.silent.set((self.silent_common.len() + self.silent_operators.len()) as u64);
    }
}
