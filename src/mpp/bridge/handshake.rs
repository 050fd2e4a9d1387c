//! The handshake: the checks of a `hello` in their order, and the answer with `persisted[]` (mpp-v2,
//! `hello_ack`; rulings MPP 2 and 13).

use std::sync::Arc;

use super::{core::Bridge, decide::head_of};
use crate::{
    ids::{ConnectionId, Peer, StateKey},
    mpp::{
        connection::{ActiveAdapter, RecentlyEnded, Secret, TokenHash},
        frame::encode,
    },
    tap::entry::mpp::{FrameType, HelloReason, Transition},
    time::Now,
};

/// The keys whose values are not replayed, and why.
type LeftOut = Vec<(StateKey, Arc<str>)>;

impl Bridge {
    /// The token that a hello shows, if it was lent to its connection (ruling MPP 15).
    pub(super) fn lent_token(&self, now: Now, peer: Option<&Peer>, token: &str) -> Option<TokenHash> {
        let shown = TokenHash::of(token);
        self.lent.is_lent(now.mono, peer?, shown).then_some(shown)
    }

    /// The checks behind the version and the fields, in the order of ruling MPP 2. A token that was lent
    /// stands for that of a pairing.
    pub(super) fn check_hello(
        &self,
        pack_id: &str,
        manifest_hash: &str,
        token: &str,
        is_lent: bool,
    ) -> Result<(), HelloReason> {
        if !is_lent {
            let stored = self.settings.token_sha256.ok_or(HelloReason::Unpaired)?;
            if TokenHash::of(token) != stored {
                return Err(HelloReason::InvalidToken);
            }
        }
        if pack_id != self.settings.pack.id.as_str() {
            return Err(HelloReason::PackIdMismatch);
        }
        if manifest_hash != self.settings.pack.hash.as_str() {
            return Err(HelloReason::ManifestHashMismatch);
        }
        if self.active.is_some() {
            return Err(HelloReason::AlreadyConnected);
        }
        Ok(())
    }

    /// The `hello_ack` of an adapter that is taken, with how many values it replays, and what it leaves out.
    pub(super) fn welcome_frame(&self) -> (Vec<u8>, u32, LeftOut) {
        let (login, session_id) = (&self.settings.broadcaster_login, self.settings.session_id);
        let (rows, left_out) = self.pack_state.replay(login, session_id);
        let persisted = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        (encode::hello_ack(login, session_id, &rows), persisted, left_out)
    }

    /// The guest becomes the active adapter.
    pub(super) fn welcome(&mut self, now: Now, conn: ConnectionId, token: Box<Secret>, is_lent: bool) {
        let Some(guest) = self.unauthenticated.remove(&conn) else { return };
        let session_id = self.settings.session_id;
        let (frame, persisted, left_out) = self.welcome_frame();
        self.pack_state.note_replayed(&left_out);
        self.table.establish(conn);
        self.active = Some(ActiveAdapter {
            conn,
            peer: guest.peer.clone(),
            connected_at: now,
            last_in: now,
            last_out: now.mono,
            stale: false,
            token,
            is_lent,
            ended: RecentlyEnded::default(),
        });
        self.transmit(now, conn, head_of(FrameType::HelloAck), frame, None);
        self.emit_transition(Transition::Handshaken { peer: guest.peer, session_id, persisted }, None, None);
        for (key, why) in left_out {
            self.emit_transition(Transition::PersistedLeftOut { key }, Some(why), None);
        }
    }
}
