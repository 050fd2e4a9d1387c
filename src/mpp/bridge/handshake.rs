//! The handshake: the checks of a `hello` in their order, and the answer with `persisted[]` (mpp-v2,
//! `hello_ack`; rulings MPP 2 and 13).

use super::{core::Bridge, decide::head_of};
use crate::{
    ids::ConnectionId,
    mpp::{
        connection::{ActiveAdapter, RecentlyEnded, Secret, TokenHash},
        frame::encode,
    },
    tap::entry::mpp::{FrameType, HelloReason, Transition},
    time::Now,
};

impl Bridge {
    /// The checks behind the version and the fields, in the order of ruling MPP 2.
    pub(super) fn check_hello(
        &self,
        pack_id: &str,
        manifest_hash: &str,
        token: &str,
    ) -> Result<(), HelloReason> {
        let stored = self.settings.token_sha256.ok_or(HelloReason::Unpaired)?;
        if TokenHash::of(token) != stored {
            return Err(HelloReason::InvalidToken);
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

    /// The guest becomes the active adapter.
    pub(super) fn welcome(&mut self, now: Now, conn: ConnectionId, token: Box<Secret>) {
        let Some(guest) = self.unauthenticated.remove(&conn) else { return };
        let session_id = self.settings.session_id;
        let login = &self.settings.broadcaster_login;
        let (rows, left_out) = self.pack_state.replay(login, session_id);
        let persisted = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        let frame = encode::hello_ack(login, session_id, &rows);
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
            ended: RecentlyEnded::default(),
        });
        self.transmit(now, conn, head_of(FrameType::HelloAck), frame, None);
        self.emit_transition(Transition::Handshaken { peer: guest.peer, session_id, persisted }, None, None);
        for (key, why) in left_out {
            self.emit_transition(Transition::PersistedLeftOut { key }, Some(why), None);
        }
    }
}
