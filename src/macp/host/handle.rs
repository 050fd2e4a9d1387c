//! The station's way to the runtime.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    net::SocketAddr,
    sync::{Arc, PoisonError},
};

use super::{
    call::Call,
    cancel_all::CancelAll,
    connections::Connection,
    metrics::Metrics,
    openers::Opener,
    shared::{Ask, Shared},
};
use crate::{
    ids::{Peer, Seq, Ticket},
    macp::{
        Command, Outcome, Refusal, Rpc, SessionState, Snapshot,
        kernel::{Acked, Answer},
    },
    tap::OriginCell,
    time::Now,
};

/// A client of the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// From where.
    pub peer: Peer,
    /// What it calls itself.
    pub client: Option<Arc<str>>,
    /// Since when; nothing of one that is gone.
    pub since: Option<Now>,
    /// Whether it has made a call.
    pub has_called: bool,
    /// Sessions that are open and that it opened; of an address that is not loopback those of all its
    /// connections.
    pub sessions: u64,
}

/// Peers that are gone and are listed for the sessions they hold: those that hold most. The others are one.
const GONE_MAX: usize = 1_000;

/// Those that hold most of the sessions of peers that are gone, at most `max`, and all others as one.
fn most(mut gone: Vec<(Peer, u64)>, max: usize) -> (Vec<(Peer, u64)>, Option<Client>) {
    gone.sort_by_key(|(_, sessions)| Reverse(*sessions));
    let left_out = gone.split_off(gone.len().min(max));
    let others = || Client {
        peer: Peer::new("others"),
        client: Some(Arc::from(format!("{} more, disconnected", left_out.len()))),
        since: None,
        has_called: true,
        sessions: left_out.iter().map(|(_, sessions)| sessions).sum(),
    };
    let others = (!left_out.is_empty()).then(others);
    (gone, others)
}

/// The way of the station to a runtime that is served. Clones are the same way.
#[derive(Clone)]
pub struct RuntimeHandle {
    pub(super) shared: Arc<Shared>,
}

impl std::fmt::Debug for RuntimeHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RuntimeHandle").finish_non_exhaustive()
    }
}

impl RuntimeHandle {
    /// The state, and the last entry of this link that it includes; nothing of a runtime that has failed.
    #[must_use]
    pub fn snapshot(&self) -> Option<(Seq, Snapshot)> {
        self.shared.lock().map(|state| (state.last_seq, state.snapshot.clone()))
    }

    /// Says that a connection of the workbench's own is about to come from there.
    pub fn expect(&self, from: SocketAddr, origin: OriginCell) {
        let now = self.shared.clock.now().mono;
        self.shared.expected.lock().unwrap_or_else(PoisonError::into_inner).add(now, from, origin);
    }

    /// What it counts; nothing of a runtime that has failed.
    #[must_use]
    pub fn metrics(&self) -> Option<Metrics> {
        let Shared { clock, tally, calls, .. } = &*self.shared;
        self.shared.lock().map(|state| state.metrics(clock.now(), tally, calls.count()))
    }

    /// Does what an operator asks; `cause` is its entry in the tap.
    ///
    /// # Errors
    /// [`Refusal`].
    pub async fn command(&self, command: Command, cause: Option<Seq>) -> Result<Outcome, Refusal> {
        match command {
            Command::Cancel { session, reason } => {
                let (state, after) = self.cancel(&session, &reason, cause).await?;
                self.shared.durable(after).await.map_err(|why| Refusal::NotNow(why.to_string()))?;
                Ok(Outcome::Cancelled { state })
            }
            Command::CancelBy { peer, reason } => self.cancel_by(peer, &reason, cause).await,
        }
    }

    async fn cancel(
        &self,
        session: &str,
        reason: &str,
        cause: Option<Seq>,
    ) -> Result<(SessionState, Ticket), Refusal> {
        let peer = Peer::new("operator");
        let call = Call::of_station(Rpc::CancelSession, &peer, cause);
        match self.shared.ask(&call, Ask::Cancel { session, reason, by: "operator" }).await {
            Answer::Acked(Acked { error: None, state: Some(state), after, .. }) => Ok((state, after)),
            Answer::Acked(_) | Answer::Session { .. } => Err(Refusal::UnknownSession(session.to_owned())),
            Answer::Declined { why, .. } => Err(Refusal::NotNow(why)),
        }
    }

    async fn cancel_by(&self, peer: Peer, reason: &str, cause: Option<Seq>) -> Result<Outcome, Refusal> {
        /// Sessions that end before others have their turn.
        const AT_ONCE: usize = 64;
        let held = || self.shared.lock().map(|state| state.openers.sessions(&peer)).unwrap_or_default();
        let mut all = CancelAll::default();
        while all.begins_round() {
            for part in held().chunks(AT_ONCE) {
                for session in part {
                    all.note(self.cancel(session, reason, cause).await.map(|it| it.1));
                }
                tokio::task::yield_now().await;
            }
        }
        let CancelAll { done, last, why, .. } = all;
        let left = held().len() as u64;
        let why = why.filter(|_| left > 0);
        let Some(after) = last else { return Err(why.unwrap_or(Refusal::NoSessionsOf(peer))) };
        self.shared.durable(after).await.map_err(|why| Refusal::NotNow(why.to_string()))?;
        Ok(Outcome::CancelledBy { sessions: done, left })
    }

    /// The connections of the port, and peers that are gone and hold sessions, each with what it calls itself
    /// and how many sessions it holds, who holds most first; nothing of a runtime that has failed.
    #[must_use]
    pub fn clients(&self) -> Option<Vec<Client>> {
        let connections = self.shared.connections.all();
        let state = self.shared.lock()?;
        // Of one peer's the name that it said last.
        let names: HashMap<&Peer, &Arc<str>> =
            state.snapshot.clients.iter().map(|known| (&known.peer, &known.client)).collect();
        let name = |peer: &Peer| names.get(peer).map(|client| Arc::clone(client));
        #[expect(clippy::mutable_key_type, reason = "an origin is no part of what a caller is compared by")]
        let open: HashSet<Opener> = connections.iter().map(|it| Opener::of(&it.caller)).collect();
        let mut clients: Vec<Client> = connections
            .into_iter()
            .map(|Connection { caller, since, has_called }| {
                let (client, sessions) = (name(&caller.peer), state.openers.count(&caller));
                Client { peer: caller.peer, client, since: Some(since), has_called, sessions }
            })
            .collect();
        let gone = state.openers.peers().filter(|(opener, _)| !open.contains(opener));
        let gone = gone.map(|(opener, sessions)| (opener.peer(), sessions));
        let (gone, others) = most(gone.collect(), GONE_MAX);
        clients.extend(gone.into_iter().map(|(peer, sessions)| Client {
            client: name(&peer),
            peer,
            since: None,
            has_called: true,
            sessions,
        }));
        clients.sort_by_key(|client| Reverse(client.sessions));
        clients.extend(others);
        Some(clients)
    }

    /// Has the rows of all sessions and their logs in the store as they are. Best effort: while commits fail,
    /// they stay what they were.
    pub async fn flush(&self) {
        let _ = self.shared.write_out().await;
        self.shared.rows().await;
    }
}

#[cfg(test)]
impl RuntimeHandle {
    /// Fails as a call does that has a fault of ours while it holds the kernel.
    pub(crate) fn fail(&self) {
        let shared = Arc::clone(&self.shared);
        let call = std::thread::spawn(move || {
            let _state = shared.lock();
            std::panic::panic_any("on purpose");
        });
        assert!(call.join().is_err());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_peers_that_are_gone_those_are_listed_that_hold_most_and_the_others_as_one() {
        let gone =
            || [("a", 1), ("b", 7), ("c", 3)].map(|(peer, sessions)| (Peer::new(peer), sessions)).to_vec();
        let (listed, others) = most(gone(), 1);
        assert_eq!(listed, [(Peer::new("b"), 7)]);
        let others = others.unwrap();
        assert_eq!((others.client.as_deref(), others.sessions), (Some("2 more, disconnected"), 4));
        assert_eq!(most(gone(), 3).1, None);
    }
}
