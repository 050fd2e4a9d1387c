//! What the station takes itself: control requests, decisions and what agents answer (rmp-v0 §9; rulings RMP 7, 10, 13).
//!
//! The way to the station is bounded and loses nothing: a message for which there is no room is refused with `Busy`, so that its publisher
//! knows and can send it again. Duplicates pass; the control plane and the runs tell them apart themselves.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    core::Broker,
    io::{Heard, Output},
    publish::Judged,
    session::Refused,
};
use crate::{
    ids::ConnectionId,
    rmp::{HEADER_BYTES, PREFIX_BYTES},
    tap::entry::rmp::Refusal,
};

/// What the station has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Messages.
    pub messages: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
}

impl Broker {
    /// What the station has room for from now on; to be told before anything that may bring a message.
    pub fn make_room(&mut self, room: Room) {
        self.room = room;
    }

    /// Whether the station takes a message itself.
    pub(super) fn is_for_station(&self, judged: &Judged) -> bool {
        self.settings.hears && judged.class.is_heard()
    }

    /// Why the station cannot take a message that is for it.
    pub(super) fn has_no_room(&self, judged: &Judged, wire: &[u8]) -> Option<Refused> {
        let Room { messages, bytes } = self.room;
        let is_full = messages == 0 || (wire.len() as u64) > bytes;
        let why = || format!("the station has as many messages on {} as it takes: send it again in a moment", judged.topic);
        (self.is_for_station(judged) && is_full).then(|| Refused::new(Refusal::Busy, &why()))
    }

    /// Hands the station a message that is for it, and tells whether it was.
    pub(super) fn hear(&mut self, session: ConnectionId, judged: &Judged, wire: &[u8]) -> bool {
        if !self.is_for_station(judged) {
            return false;
        }
        let Some(from) = self.sessions.get(session) else { return false };
        let body = Bytes::copy_from_slice(wire.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default());
        let (kind, client) = (from.kind(), from.client().unwrap_or_else(|| Arc::from("")));
        self.room.messages = self.room.messages.saturating_sub(1);
        self.room.bytes = self.room.bytes.saturating_sub(wire.len() as u64);
        self.outputs.push_back(Output::Heard(Heard { topic: judged.topic.clone(), session, kind, client, header: judged.header, body }));
        true
    }
}
