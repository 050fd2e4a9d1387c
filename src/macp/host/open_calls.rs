//! The calls that are open, over all connections. Where they are too many, the connection that has most of
//! them makes room.
//!
//! Most calls find room: they touch what their connection has, and one number of all.

use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, Weak,
    atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
};

use slab::Slab;

use super::{call::Caller, end_signal::EndSignal};
use crate::{limits, macp::Status};

/// How often room is looked for where a call that was to make it has just ended.
const LOOKS_MAX: usize = 8;

/// The calls that are open, at most `limits.macp.calls_max`. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct OpenCalls(Arc<All>);

#[derive(Debug)]
struct All {
    calls_max: u64,
    open: AtomicU64,
    /// The number of the next call.
    next: AtomicU64,
    /// Each with how many it has.
    connections: Mutex<Slab<(Arc<AtomicUsize>, Weak<ConnectionCalls>)>>,
}

/// The calls of one connection.
#[derive(Debug)]
pub(super) struct ConnectionCalls {
    caller: Caller,
    /// Its place among all connections.
    at: usize,
    count: Arc<AtomicUsize>,
    /// Each with its number: they rise.
    calls: Mutex<Slab<(u64, Weak<OpenCall>)>>,
    all: Arc<All>,
}

/// A call that is open, until this value ends or its place is taken.
#[derive(Debug)]
pub(super) struct OpenCall {
    number: u64,
    /// Its place among those of its connection.
    at: usize,
    /// What tells the side that reads the request that the call is to end.
    pub(super) request: EndSignal,
    /// What tells the side that answers.
    pub(super) answer: EndSignal,
    of: Arc<ConnectionCalls>,
}

/// What became of a call that comes.
#[derive(Debug)]
pub(super) enum Begun {
    /// It is open. Where another was ended for it, whose that was.
    Open(Arc<OpenCall>, Option<Caller>),
    /// There are too many, and no connection has so many that it is to make room.
    Refused,
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here leaves it half done.
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OpenCalls {
    pub(super) fn new(limits: &limits::Macp) -> Self {
        Self(Arc::new(All {
            calls_max: limits.calls_max,
            open: AtomicU64::new(0),
            next: AtomicU64::new(0),
            connections: Mutex::default(),
        }))
    }

    /// A connection that has no call yet.
    pub(super) fn connection(&self, caller: Caller) -> Arc<ConnectionCalls> {
        let count = Arc::<AtomicUsize>::default();
        let mut connections = lock(&self.0.connections);
        let place = connections.vacant_entry();
        let new = Arc::new(ConnectionCalls {
            caller,
            at: place.key(),
            count: Arc::clone(&count),
            calls: Mutex::default(),
            all: Arc::clone(&self.0),
        });
        place.insert((count, Arc::downgrade(&new)));
        new
    }

    /// Whether so many are open that they are to come one by one.
    pub(super) fn is_crowded(&self) -> bool {
        self.count() >= self.0.calls_max / 2
    }

    /// How many are open.
    pub(super) fn count(&self) -> u64 {
        self.0.open.load(Relaxed)
    }
}

impl All {
    /// The connection that has most calls, if it has more than this many.
    fn hoarder(&self, more_than: usize) -> Option<Arc<ConnectionCalls>> {
        let connections = lock(&self.connections);
        let counts = connections.iter().map(|(at, (count, _))| (count.load(Relaxed), at));
        let (_, at) = counts.max().filter(|(count, _)| *count > more_than)?;
        connections.get(at)?.1.upgrade()
    }
}

impl ConnectionCalls {
    /// A call comes. Where there are too many, the one that began last is ended of the connection that has
    /// most, if that has more than this one will have.
    pub(super) fn begin(self: &Arc<Self>) -> Begun {
        let is_room = |open: u64| (open < self.all.calls_max).then_some(open + 1);
        for _ in 0..LOOKS_MAX {
            if self.all.open.fetch_update(Relaxed, Relaxed, is_room).is_ok() {
                return Begun::Open(self.open(), None);
            }
            let Some(hoarder) = self.all.hoarder(self.count.load(Relaxed) + 1) else { break };
            if hoarder.give_up_last() {
                return Begun::Open(self.open(), Some(hoarder.caller.clone()));
            }
        }
        Begun::Refused
    }

    fn open(self: &Arc<Self>) -> Arc<OpenCall> {
        let mut calls = lock(&self.calls);
        let place = calls.vacant_entry();
        let call = Arc::new(OpenCall {
            number: self.all.next.fetch_add(1, Relaxed),
            at: place.key(),
            request: EndSignal::default(),
            answer: EndSignal::default(),
            of: Arc::clone(self),
        });
        place.insert((call.number, Arc::downgrade(&call)));
        self.count.store(calls.len(), Relaxed);
        call
    }

    /// Ends the call that began last, and leaves its place to another; false where there is none any more.
    fn give_up_last(&self) -> bool {
        let mut calls = lock(&self.calls);
        let Some((at, _)) = calls.iter().max_by_key(|(_, (number, _))| *number) else { return false };
        let (_, last) = calls.remove(at);
        self.count.store(calls.len(), Relaxed);
        drop(calls);
        if let Some(last) = last.upgrade() {
            last.request.end();
            last.answer.end();
        }
        true
    }

    fn close(&self, at: usize, number: u64) {
        let mut calls = lock(&self.calls);
        // One that made room has none any more.
        if calls.get(at).is_some_and(|(of, _)| *of == number) {
            calls.remove(at);
            self.count.store(calls.len(), Relaxed);
            self.all.open.fetch_sub(1, Relaxed);
        }
    }
}

impl Drop for ConnectionCalls {
    fn drop(&mut self) {
        lock(&self.all.connections).remove(self.at);
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.of.close(self.at, self.number);
    }
}

/// What a call is told that there is no room for, or none any more.
pub(super) fn too_many(limits: &limits::Macp) -> (Status, String) {
    let max = limits.calls_max;
    let why = format!(
        "all connections together may have {max} concurrent calls (limits.macp.calls_max), and this one had \
         the most; end some and call again"
    );
    (Status::ResourceExhausted, why)
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        admission::Origin,
        ids::{ConnectionId, Peer},
    };

    fn connections<const N: usize>(calls_max: u64) -> (OpenCalls, [Arc<ConnectionCalls>; N]) {
        let open = OpenCalls::new(&limits::Macp { calls_max, ..limits::Macp::default() });
        let connection = |n: usize| {
            let (peer, id) = (Peer::new(&format!("127.0.0.1:{n}")), ConnectionId(n as u64));
            open.connection(Caller {
                peer,
                origin: Origin::Unknown,
                connection: Some(id),
                by_hand: None,
                passed: None,
            })
        };
        let connections = std::array::from_fn(connection);
        (open, connections)
    }

    fn begin(connection: &Arc<ConnectionCalls>) -> Option<(Arc<OpenCall>, Option<Caller>)> {
        match connection.begin() {
            Begun::Open(call, ended) => Some((call, ended)),
            Begun::Refused => None,
        }
    }

    fn is_ended(call: &OpenCall) -> bool {
        let [request, answer] = [&call.request, &call.answer].map(|it| it.poll(Waker::noop()));
        assert_eq!(request, answer);
        request
    }

    #[test]
    fn who_has_most_calls_makes_room_with_the_one_that_began_last() {
        let (open, [one, other, _idle]) = connections(4);
        let hoarded: Vec<_> = (0..4).map(|_| begin(&one).unwrap().0).collect();
        assert!(begin(&one).is_none(), "it has most itself");
        let (_its, ended) = begin(&other).unwrap();
        assert_eq!(ended.as_ref(), Some(&one.caller));
        assert_eq!(
            hoarded.iter().map(|call| is_ended(call)).collect::<Vec<_>>(),
            [false, false, false, true]
        );
        let (_another, _) = begin(&other).expect("the other has three still");
        assert!(begin(&one).is_none() && begin(&other).is_none(), "two and two");
        assert_eq!(open.count(), 4);
        drop(hoarded);
        assert_eq!(open.count(), 2, "what made room is counted no more");
        assert!(begin(&one).is_some_and(|(_, ended)| ended.is_none()));
        drop((one, other));
        assert_eq!(
            lock(&open.0.connections).len(),
            2,
            "one that is gone is known while a call of its is open"
        );
    }

    proptest! {
        #[test]
        fn a_connection_keeps_its_share_whatever_others_do(
            steps in prop::collection::vec((0..5_usize, any::<bool>()), 0..300),
        ) {
            // Four calls for each of the five connections.
            const CALLS_MAX: u64 = 20;
            let (open, connections) = connections::<5>(CALLS_MAX);
            let mut held: Vec<(usize, Arc<OpenCall>)> = Vec::new();
            for (of, is_new) in steps {
                if is_new {
                    if let Some((call, _)) = begin(&connections[of]) {
                        held.push((of, call));
                    } else {
                        let own = held.iter().filter(|(its, call)| *its == of && !is_ended(call)).count();
                        prop_assert!(own >= 4, "{own}");
                    }
                } else if let Some(at) = held.iter().position(|(its, _)| *its == of) {
                    held.remove(at);
                }
                let live = held.iter().filter(|(_, call)| !is_ended(call)).count() as u64;
                prop_assert!(open.count() == live && live <= CALLS_MAX, "{} {live}", open.count());
            }
        }
    }
}
