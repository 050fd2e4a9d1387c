//! Which sessions that are open were opened by whom: what a peer holds of them.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::Arc,
};

use crate::{
    admission::Origin,
    ids::Peer,
    macp::{SessionRef, Transition},
};

/// The sessions that are open and were opened since the runtime started, by who opened them. At most
/// `limits.macp.open_max`.
#[derive(Debug, Default)]
pub(super) struct Openers {
    by_peer: HashMap<Opener, BTreeMap<u64, Arc<str>>>,
    by_session: HashMap<u64, Opener>,
}

/// Whose share of the open sessions one is of: a connection's, or that of all connections of an address that
/// is not loopback.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Opener {
    Connection(Peer),
    Address(Origin),
}

impl Opener {
    pub(super) fn of(peer: &Peer) -> Self {
        // An address without a port is one that a person gives.
        let addr =
            peer.as_str().parse::<SocketAddr>().map(|addr| addr.ip()).or_else(|_| peer.as_str().parse());
        match addr.map(Origin::of_address) {
            Ok(origin @ Origin::Address(_)) => Self::Address(origin),
            _ => Self::Connection(peer.clone()),
        }
    }
}

impl Opener {
    /// It by the name that it is given by.
    pub(super) fn peer(&self) -> Peer {
        match self {
            Self::Connection(peer) => peer.clone(),
            Self::Address(Origin::Address(addr)) => Peer::new(&addr.to_string()),
            Self::Address(_) => Peer::new("unknown"),
        }
    }
}

impl Openers {
    /// Takes in what a call of a peer, or nobody's, changed.
    pub(super) fn follow(&mut self, transition: &Transition, peer: Option<&Peer>) {
        match transition {
            Transition::Opened { session: SessionRef { number, id }, .. } => {
                let Some(opener) = peer.map(Opener::of) else { return };
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

    /// How many sessions of a peer are open.
    pub(super) fn count(&self, peer: &Peer) -> u64 {
        self.by_peer.get(&Opener::of(peer)).map_or(0, |sessions| sessions.len() as u64)
    }

    /// All who hold open sessions, with how many.
    pub(super) fn peers(&self) -> impl Iterator<Item = (&Opener, u64)> {
        self.by_peer.iter().map(|(opener, sessions)| (opener, sessions.len() as u64))
    }

    /// The sessions of a peer that are open, in the order in which they began.
    pub(super) fn sessions(&self, peer: &Peer) -> Vec<Arc<str>> {
        self.by_peer.get(&Opener::of(peer)).map_or_else(Vec::new, |it| it.values().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
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
        let [here, there, far, farther] =
            ["127.0.0.1:1", "127.0.0.1:2", "10.0.0.1:1", "10.0.0.1:2"].map(Peer::new);
        for (number, peer) in [(1, &here), (2, &there), (3, &far), (4, &farther), (5, &here)] {
            openers.follow(&opened(number), Some(peer));
        }
        openers.follow(&opened(6), None);
        let counts = [&here, &there, &far, &farther].map(|peer| openers.count(peer));
        assert_eq!(counts, [2, 1, 2, 2]);
        assert_eq!(openers.sessions(&here), ["s1".into(), "s5".into()]);
        assert_eq!(openers.sessions(&Peer::new("10.0.0.1")), ["s3".into(), "s4".into()]);
        for number in 1..=6 {
            let ended = Transition::Ended { session: session(number), ending: Ending::Cancelled };
            openers.follow(&ended, Some(&there));
        }
        assert!(openers.by_peer.is_empty() && openers.by_session.is_empty());
    }
}
