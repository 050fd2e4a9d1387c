//! What would be made of a call that is not made yet.

use std::{sync::atomic::Ordering, time::Duration};

use bytes::Bytes;
use tokio::sync::Semaphore;

use super::{handle::RuntimeHandle, long_messages::LONG_BYTES, openers::Opener, shared::Shared};
use crate::{
    admission::Origin,
    ids::{ConnectionId, Peer},
    judged::{Certainty, Doubt, Judged},
    macp::{
        Stand,
        kernel::{Judgement, Lookup, Reading},
    },
};

/// Judgements for the workbench that look into the store at one time; others wait for their turn.
pub(super) const LOOKS_MAX: usize = 2;

/// A call has failed while it held the state.
pub(super) struct Failed;

/// A judgement, and what came of its look into the store.
pub(super) struct Looked {
    /// Where the store did not answer, it says which session it was to load.
    pub(super) judgement: Option<Judgement>,
    /// Whether the store refused to look: a call would be refused by it too.
    pub(super) is_refused: bool,
}

/// How long the store may take for one, from its turn on.
const LOOK_TIMEOUT: Duration = Duration::from_secs(1);

impl RuntimeHandle {
    /// What would be made of a request, if it came now; nothing of a runtime that has failed. It changes
    /// nothing, and holds the kernel no longer than a call does. A session that is in the store alone is
    /// looked up, where the store answers within a second of its turn; else the judgement says
    /// [`Certainty::AfterALook`].
    pub async fn judge(&self, stand: &Stand, bytes: &Bytes) -> Option<Judged> {
        let shared = &*self.shared;
        let reading = self.read(stand, bytes).await?;
        let judgement = shared.judge_looking(stand, &reading, &shared.judging).await.ok()?.judgement;
        let is_seen = judgement.is_some();
        let mut judged = reading.judged(judgement);
        judged.doubts.push(Doubt::Transport);
        if is_seen && bytes.len() >= LONG_BYTES && judged.certainty >= Certainty::AsOfNow {
            // It waits until there is room for it (`limits.macp.receiving_bytes_max`).
            judged = judged.as_of_now(&[Doubt::AnotherPeer]);
        }
        Some(judged)
    }

    /// Reads a request on another thread: who asks may have but one, and it is as long as a request may be.
    async fn read(&self, stand: &Stand, bytes: &Bytes) -> Option<Reading> {
        let (stand, bytes, limits) = (stand.clone(), bytes.clone(), self.shared.limits);
        tokio::task::spawn_blocking(move || Reading::new(&stand, &bytes, &limits)).await.ok()
    }
}

impl Shared {
    /// The kernel's judgement of a request, where it sees it, with what the store has of a session that is in
    /// the store alone, once it is this look's turn.
    pub(super) async fn judge_looking(
        &self,
        stand: &Stand,
        reading: &Reading,
        turns: &Semaphore,
    ) -> Result<Looked, Failed> {
        let judgement = self.judge(stand, reading, Lookup::NotAsked)?;
        let load = judgement.as_ref().and_then(|judgement| judgement.load.clone());
        let Some(session) = load else { return Ok(Looked { judgement, is_refused: false }) };
        let found = {
            let _turn = turns.acquire().await.map_err(|_| Failed)?;
            tokio::time::timeout(LOOK_TIMEOUT, self.look_up(&session, reading.message_id())).await
        };
        match found {
            Ok(Ok(found)) => {
                let judgement = self.judge(stand, reading, Lookup::Found(found.as_ref()))?;
                Ok(Looked { judgement, is_refused: false })
            }
            Ok(Err(_)) => Ok(Looked { judgement, is_refused: true }),
            Err(_) => Ok(Looked { judgement, is_refused: false }),
        }
    }

    /// The kernel's judgement of a request, where it sees it.
    pub(super) fn judge(
        &self,
        stand: &Stand,
        reading: &Reading,
        lookup: Lookup<'_>,
    ) -> Result<Option<Judgement>, Failed> {
        // The connections have a lock of their own.
        let opener = stand.peer.as_ref().filter(|_| reading.is_start()).map(|peer| self.opener(peer));
        let mut state = self.lock().ok_or(Failed)?;
        // As a call does: what is measured of the disk is no session's state.
        state.kernel.set_disk_low(self.disk_low.load(Ordering::Relaxed));
        let peer_sessions = opener.map_or(0, |opener| state.openers.count_of(&opener));
        let now = self.clock.now();
        Ok(reading.input(peer_sessions, lookup).map(|input| state.kernel.judge_input(now, &input)))
    }

    /// Whose share a peer has: that of its connection, or of its address where that is not loopback.
    fn opener(&self, peer: &Peer) -> Opener {
        let connected = self.connections.caller(peer);
        connected.as_ref().map_or_else(|| Opener::named(peer), Opener::of)
    }
}

impl Opener {
    /// The share of somebody who has no connection.
    fn named(peer: &Peer) -> Self {
        let origin = crate::admission::without_port(peer).as_str().parse().map(Origin::of_address);
        Self::of(&super::call::Caller {
            peer: peer.clone(),
            origin: origin.unwrap_or(Origin::Unknown),
            connection: None::<ConnectionId>,
            by_hand: None,
            passed: None,
        })
    }
}
