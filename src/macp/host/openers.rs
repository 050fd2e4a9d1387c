//! Which sessions that are open were opened by whom: what a peer holds of them.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::call::Caller;
use crate::{
    admission::{Origin, without_port},
    ids::Peer,
    macp::{SessionRef, Transition},
};

/// The sessions that are open and were opened since the runtime started, by who opened them. At most
/// `limits.macp.open_max`.
///
/// Who opened a session is not stored with it: those that were open before the runtime started are nobody's.
/// They count for no share (`limits.macp.peer_sessions_max`), and end by their ids or their own time.
#[derive(Debug, Default)]
pub(super) struct Openers {
    by_peer: HashMap<Opener, BTreeMap<u64, Arc<str>>>,
    by_session: HashMap<u64, Opener>,
}

/// Whose share of the open sessions one is of: a connection's, or that of all connections of an address that
/// is not loopback.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Opener {
    Connection(Caller),
    Address(Origin),
}

impl Opener {
    pub(super) fn of(caller: &Caller) -> Self {
        match caller.origin {
            Origin::Address(_) => Self::Address(caller.origin),
            _ => Self::Connection(caller.clone()),
        }
    }

    /// It by the name that it is given by.
    pub(super) fn peer(&self) -> Peer {
        match self {
            Self::Connection(caller) => caller.peer.clone(),
            Self::Address(origin) => origin.peer().unwrap_or_else(|| Peer::new("unknown")),
        }
    }

    /// Whether it is given by this name: a connection also by its address alone, an address with any port.
    fn is(&self, peer: &Peer) -> bool {
        let given = || without_port(peer).as_str().parse().ok().map(Origin::of_address);
        match self {
            Self::Connection(caller) if caller.peer == *peer => true,
            Self::Connection(caller) => {
                let is_address_alone = without_port(peer) == *peer;
                is_address_alone && given() == Some(caller.origin)
            }
            Self::Address(origin) => given() == Some(*origin),
        }
    }
}

impl Openers {
    /// Takes in what a call of somebody, or nobody's, changed.
    pub(super) fn follow(&mut self, transition: &Transition, caller: Option<&Caller>) {
        match transition {
            Transition::Opened { session: SessionRef { number, id }, .. } => {
                let Some(opener) = caller.map(Opener::of) else { return };
                self.by_peer.entry(opener.clone()).or_default().insert(*number, Arc::clone(id));
                self.by_session.insert(*number, opener);
            }
            Transition::Ended { session, .. } => {
                let Some(opener) = self.by_session.remove(&session.number) else { return };
                if let Some(sessions) = self.by_peer.get_mut(&opener) {
                    sessions.remove(&session.number);
                    if sessions.is_empty() {
                        self.by_peer.remove(&opener);
                    }
                }
            }
            _ => {}
        }
    }

    /// How many sessions are open of the share that a caller has.
    pub(super) fn count(&self, caller: &Caller) -> u64 {
        self.count_of(&Opener::of(caller))
    }

    /// How many sessions are open of a share.
    pub(super) fn count_of(&self, opener: &Opener) -> u64 {
        self.by_peer.get(opener).map_or(0, |sessions| sessions.len() as u64)
    }

    /// All who hold open sessions, with how many.
    pub(super) fn peers(&self) -> impl Iterator<Item = (&Opener, u64)> {
        self.by_peer.iter().map(|(opener, sessions)| (opener, sessions.len() as u64))
    }

    /// The sessions that are open of all who are given by a name, in the order in which they began.
    pub(super) fn sessions(&self, peer: &Peer) -> Vec<Arc<str>> {
        let held = self.by_peer.iter().filter(|(opener, _)| opener.is(peer));
        let sessions: BTreeMap<_, _> = held.flat_map(|(_, sessions)| sessions).collect();
        sessions.into_values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::{
        ids::ConnectionId,
        macp::{Ending, Mode},
        time::Wall,
    };

    fn session(number: u64) -> SessionRef {
        SessionRef { number, id: format!("s{number}").into() }
    }

    fn opened(number: u64) -> Transition {
        Transition::Opened {
            session: session(number),
            mode: Mode::Decision,
            by: "a".into(),
            participants: 0,
            expires_at: Wall(0),
            intent: "".into(),
            listed: [].into(),
        }
    }

    #[test]
    fn a_connection_or_an_address_that_is_not_loopback_holds_what_it_opened_until_it_ends() {
        let mut openers = Openers::default();
        let caller = |peer: &str, connection| {
            let addr: SocketAddr = peer.parse().unwrap();
            let origin = Origin::of_address(addr.ip());
            Caller {
                peer: Peer::new(peer),
                origin,
                connection: Some(ConnectionId(connection)),
                by_hand: None,
                passed: None,
            }
        };
        let [here, there] = [caller("127.0.0.1:1", 1), caller("127.0.0.1:2", 2)];
        let [far, farther] = [caller("10.0.0.1:1", 3), caller("10.0.0.1:2", 4)];
        for (number, peer) in [(1, &here), (2, &there), (3, &far), (4, &farther), (5, &here)] {
            openers.follow(&opened(number), Some(peer));
        }
        openers.follow(&opened(6), None);
        let counts = [&here, &there, &far, &farther].map(|caller| openers.count(caller));
        assert_eq!(counts, [2, 1, 2, 2]);
        let newcomer = caller("127.0.0.1:1", 5);
        assert_eq!(openers.count(&newcomer), 0, "a port that was another's before brings nothing of it");
        assert_eq!(openers.sessions(&here.peer), ["s1".into(), "s5".into()]);
        assert_eq!(openers.sessions(&Peer::new("10.0.0.1")), ["s3".into(), "s4".into()]);
        let of_all_here = openers.sessions(&Peer::new("127.0.0.1"));
        assert_eq!(
            of_all_here,
            ["s1".into(), "s2".into(), "s5".into()],
            "an address alone is all of its connections"
        );
        for number in 1..=6 {
            let ended = Transition::Ended { session: session(number), ending: Ending::Cancelled };
            openers.follow(&ended, Some(&there));
        }
        assert!(openers.by_peer.is_empty() && openers.by_session.is_empty());
    }
}
