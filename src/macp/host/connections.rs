//! The connections of the port, each with its place among all.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    task::Waker,
    time::Duration,
};

use super::{call::Caller, end_signal::EndSignal};
use crate::{
    admission::{Admitted, Origin, Plan, Table, TableBounds, Tally, TurnedAway},
    ids::{ConnectionId, Peer},
    limits,
    time::Now,
};

/// How long a connection's task may take to look: longer waits what others wait for.
const LOOK_MAX: Duration = Duration::from_millis(50);

/// The connections of the port. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct Connections {
    open: Arc<Mutex<Open>>,
    /// How long a connection's task may take to look for unread bytes.
    look_max: Duration,
}

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
    origin: Origin,
    since: Now,
    signal: Arc<EndSignal>,
}

/// A connection as others see it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) caller: Caller,
    pub(super) since: Now,
    /// Whether it has made a call.
    pub(super) has_called: bool,
}

/// The place of one connection. It is free again with the end of this value.
#[derive(Debug)]
pub(super) struct Slot {
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
            first_frame_max: None,
            token_max: None,
        };
        let table = Table::new(bounds, tally);
        let open = Open { table, connected: BTreeMap::new(), next: 0 };
        Self { open: Arc::new(Mutex::new(open)), look_max: LOOK_MAX }
    }

    /// A place for a newcomer. Whoever makes room for it is read once more before, and told to end.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) async fn admit(&self, now: Now, peer: &Peer, origin: Origin) -> Result<Slot, TurnedAway> {
        let mut asked = None;
        while let Plan::Evicts(oldest) = self.with(|open| open.table.plan(origin))
            && asked != Some(oldest)
        {
            asked = Some(oldest);
            if let Some(signal) =
                self.with(|open| open.connected.get(&oldest).map(|it| Arc::clone(&it.signal)))
            {
                signal.look(self.look_max).await;
            }
        }
        self.with(|open| open.admit(now, peer, origin)).map(|(id, signal)| Slot {
            id,
            signal,
            connections: self.clone(),
        })
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Connection> {
        self.with(|Open { table, connected, .. }| {
            let of = |(&id, it): (&ConnectionId, &Connected)| Connection {
                caller: Caller {
                    peer: it.peer.clone(),
                    origin: it.origin,
                    connection: Some(id),
                    by_hand: None,
                    passed: None,
                },
                since: it.since,
                has_called: !table.is_silent(id),
            };
            connected.iter().map(of).collect()
        })
    }

    /// The open connection of this name.
    pub(super) fn caller(&self, peer: &Peer) -> Option<Caller> {
        self.with(|Open { connected, .. }| {
            let (&id, it) = connected.iter().find(|(_, it)| it.peer == *peer)?;
            Some(Caller {
                peer: it.peer.clone(),
                origin: it.origin,
                connection: Some(id),
                by_hand: None,
                passed: None,
            })
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Open) -> T) -> T {
        // Nothing here leaves it half done.
        work(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
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
        let connected = Connected { peer: peer.clone(), origin, since: now, signal: Arc::clone(&signal) };
        self.connected.insert(id, connected);
        Ok((id, signal))
    }
}

impl Slot {
    /// The connection's number.
    pub(super) fn id(&self) -> ConnectionId {
        self.id
    }

    /// The connection has made a call.
    pub(super) fn establish(&self) {
        self.connections.with(|open| open.table.establish(self.id));
    }

    /// What tells the connection's task to end.
    pub(super) fn signal(&self) -> &EndSignal {
        &self.signal
    }

    /// Whether the connection is to make room; otherwise it is woken when it is.
    pub(super) fn poll_ended(&self, waker: &Waker) -> bool {
        self.signal.poll(waker)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.with(|open| {
            open.table.close(self.id);
            open.connected.remove(&self.id);
        });
        self.signal.looked();
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, task::Poll};

    use super::*;

    #[test]
    fn whose_call_lies_unread_keeps_its_place_however_late_its_task_reads() {
        let limits = limits::Macp { connections_max: 2, ..limits::Macp::default() };
        let look_max = Duration::from_secs(86_400);
        let connections = Connections { look_max, ..Connections::new(&limits, Tally::default()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let near = Origin::of_address([127, 0, 0, 1].into());
        let peer = Peer::new("127.0.0.1:1");
        let admit = || connections.admit(Now::at_ms(0), &peer, near);
        runtime.block_on(async {
            let (first, second) = (admit().await.unwrap(), admit().await.unwrap());
            let asked = |slot: Slot| async move {
                poll_fn(|cx| {
                    let _ = slot.poll_ended(cx.waker());
                    if slot.signal().is_asked() { Poll::Ready(()) } else { Poll::Pending }
                })
                .await;
                slot
            };
            let says_nothing = tokio::spawn(async move {
                let second = asked(second).await;
                second.signal().looked();
                second
            });
            let late = tokio::spawn(async move {
                let first = asked(first).await;
                // Others have their turns before it has its own.
                for _ in 0..20 {
                    tokio::task::yield_now().await;
                }
                first.establish();
                first.signal().looked();
                first
            });
            tokio::task::yield_now().await;
            let third = admit().await.unwrap();
            let (first, second) = (late.await.unwrap(), says_nothing.await.unwrap());
            let is_ended = |slot: &Slot| slot.poll_ended(Waker::noop());
            assert_eq!([&first, &second, &third].map(is_ended), [false, true, false]);
        });
    }

    #[test]
    fn an_address_has_a_quarter_and_its_oldest_that_called_nothing_makes_room_for_it() {
        let limits = limits::Macp { connections_max: 8, ..limits::Macp::default() };
        let connections = Connections::new(&limits, Tally::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let admit = |addr: [u8; 4]| {
            let peer = Peer::new(&format!("{addr:?}"));
            runtime.block_on(connections.admit(Now::at_ms(0), &peer, Origin::of_address(addr.into())))
        };
        let is_ended = |slot: &Slot| slot.poll_ended(Waker::noop());
        let far = [10, 0, 0, 1];
        let (first, second) = (admit(far).unwrap(), admit(far).unwrap());
        first.establish();
        let third = admit(far).unwrap();
        assert_eq!([&first, &second, &third].map(is_ended), [false, true, false]);
        third.establish();
        assert_eq!(admit(far).map(drop), Err(TurnedAway::PeerShare));
        let near: Vec<Slot> = (0..6).map(|_| admit([127, 0, 0, 1]).unwrap()).collect();
        near.iter().for_each(Slot::establish);
        assert_eq!(admit([10, 0, 0, 2]).map(drop), Err(TurnedAway::TableFull));
        drop(third);
        assert!(admit(far).is_ok(), "a place that is left is free");
    }
}
