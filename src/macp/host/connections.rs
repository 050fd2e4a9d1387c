//! The connections of the port, each with its place among all.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    task::Waker,
    time::Duration,
};

use super::end_signal::EndSignal;
use crate::{
    admission::{Admitted, Origin, Plan, Table, TableBounds, Tally, TurnedAway},
    ids::{ConnectionId, Peer},
    limits,
    time::Now,
};

/// The connections of the port. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct Connections(Arc<Mutex<Open>>);

#[derive(Debug)]
struct Open {
    table: Table,
    /// In the order in which they came.
    connected: BTreeMap<ConnectionId, Connected>,
    next: u64,
}

#[derive(Debug)]
struct Connected {
    peer: Peer,
    since: Now,
    signal: Arc<EndSignal>,
}

/// The place of one connection. It is free again with the end of this value.
#[derive(Debug)]
pub(super) struct Place {
    id: ConnectionId,
    signal: Arc<EndSignal>,
    connections: Connections,
}

impl Connections {
    pub(super) fn new(limits: &limits::Macp, tally: Tally) -> Self {
        let bounds = TableBounds {
            connections_max: limits.connections_max,
            peer_connections_max: limits.peer_connections_max,
            // Operators come by the bus.
            operators_max: 0,
            // Who is connected and calls nothing may stay; the preface has its own deadline.
            first_frame_max: Duration::MAX,
            token_max: Duration::MAX,
        };
        let table = Table::new(bounds, tally);
        Self(Arc::new(Mutex::new(Open { table, connected: BTreeMap::new(), next: 0 })))
    }

    /// A place for a newcomer. Whoever makes room for it is read once more before, and told to end.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn admit(&self, now: Now, peer: &Peer, origin: Origin) -> Result<Place, TurnedAway> {
        let mut asked = None;
        while let Plan::Evicts(oldest) = self.with(|open| open.table.plan(origin))
            && asked != Some(oldest)
        {
            asked = Some(oldest);
            self.with(|open| open.connected.get(&oldest).inspect(|it| it.signal.wake()).is_some());
            tokio::task::yield_now().await;
        }
        self.with(|open| open.admit(now, peer, origin)).map(|(id, signal)| Place {
            id,
            signal,
            connections: self.clone(),
        })
    }

    /// All of them, by who they are and since when.
    pub(super) fn all(&self) -> Vec<(Peer, Now)> {
        self.with(|open| open.connected.values().map(|it| (it.peer.clone(), it.since)).collect())
    }

    fn with<T>(&self, work: impl FnOnce(&mut Open) -> T) -> T {
        // Nothing here leaves it half done.
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Open {
    fn admit(
        &mut self,
        now: Now,
        peer: &Peer,
        origin: Origin,
    ) -> Result<(ConnectionId, Arc<EndSignal>), TurnedAway> {
        let id = ConnectionId(self.next);
        self.next += 1;
        match self.table.open(now, id, origin) {
            Admitted::Refused(why) => return Err(why),
            Admitted::Common { evicted } | Admitted::Operators { evicted } => {
                if let Some(evicted) = evicted.and_then(|evicted| self.connected.remove(&evicted)) {
                    evicted.signal.end();
                }
            }
        }
        let signal = Arc::<EndSignal>::default();
        let connected = Connected { peer: peer.clone(), since: now, signal: Arc::clone(&signal) };
        self.connected.insert(id, connected);
        Ok((id, signal))
    }
}

impl Place {
    /// The connection has made a call.
    pub(super) fn spoke(&self) {
        self.connections.with(|open| open.table.spoke(self.id));
    }

    /// Whether the connection is to make room; otherwise it is woken when it is.
    pub(super) fn poll_ended(&self, waker: &Waker) -> bool {
        self.signal.poll(waker)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.with(|open| {
            open.table.close(self.id);
            open.connected.remove(&self.id);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_quarter_and_its_oldest_that_called_nothing_makes_room_for_it() {
        let limits = limits::Macp { connections_max: 8, ..limits::Macp::default() };
        let connections = Connections::new(&limits, Tally::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let admit = |addr: [u8; 4]| {
            let peer = Peer::new(&format!("{addr:?}"));
            runtime.block_on(connections.admit(Now::at_ms(0), &peer, Origin::of_address(addr.into())))
        };
        let is_ended = |place: &Place| place.poll_ended(Waker::noop());
        let far = [10, 0, 0, 1];
        let (first, second) = (admit(far).unwrap(), admit(far).unwrap());
        first.spoke();
        let third = admit(far).unwrap();
        assert_eq!([&first, &second, &third].map(is_ended), [false, true, false]);
        third.spoke();
        assert_eq!(admit(far).map(drop), Err(TurnedAway::PeerShare));
        let near: Vec<Place> = (0..6).map(|_| admit([127, 0, 0, 1]).unwrap()).collect();
        near.iter().for_each(Place::spoke);
        assert_eq!(admit([10, 0, 0, 2]).map(drop), Err(TurnedAway::TableFull));
        drop(third);
        assert!(admit(far).is_ok(), "a place that is left is free");
    }
}
