//! What the station takes itself: control requests, decisions and what agents answer (rmp-v0 §9; rulings RMP
//! 7, 10, 13).
//!
//! The way to the station is bounded and loses nothing: a message for which there is no room is refused with
//! `Busy`, so that its publisher knows and can send it again. Duplicates pass; the control plane and the runs
//! tell them apart themselves.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    core::Broker,
    io::{InboundForStation, Output},
    publish::AdmittedMessage,
    session::RefusalDetail,
};
use crate::{
    ids::{ConnectionId, TopicName},
    rmp::{HEADER_BYTES, Header, PREFIX_BYTES, topic::Class},
    tap::entry::rmp::Refusal,
    time::Now,
};

/// What the station has room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InboxCapacity {
    /// Messages.
    pub messages: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
}

impl Broker {
    /// What the station has room for from now on; to be told before anything that may bring a message.
    pub fn set_inbox_capacity(&mut self, room: InboxCapacity) {
        self.inbox_capacity = room;
    }

    /// Whether the station takes messages of this class itself.
    pub(super) fn is_for_station(&self, class: Class) -> bool {
        self.settings.has_station_inbox && class.is_for_station()
    }

    /// Whether a message is for the station, which has no room for it.
    pub(super) fn exceeds_inbox(&self, class: Class, wire_bytes: usize) -> bool {
        let InboxCapacity { messages, bytes } = self.inbox_capacity;
        self.is_for_station(class) && (messages == 0 || wire_bytes as u64 > bytes)
    }

    /// Why the station cannot take a message that is for it.
    pub(super) fn inbox_full_refusal(
        &self,
        judged: &AdmittedMessage<'_>,
        wire: &[u8],
    ) -> Option<RefusalDetail> {
        let why = || format!("too many messages on {}: send it again in a moment", judged.topic);
        self.exceeds_inbox(judged.class, wire.len()).then(|| RefusalDetail::new(Refusal::Busy, &why()))
    }

    /// Hands the station a message that is for it.
    pub(super) fn deliver_to_station(
        &mut self,
        now: Now,
        session: ConnectionId,
        topic: TopicName,
        header: Header,
        wire: &[u8],
    ) {
        let Some(from) = self.sessions.get(session) else { return };
        let body = Bytes::copy_from_slice(wire.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default());
        let (kind, client) = (from.kind(), from.client().unwrap_or_else(|| Arc::from("")));
        self.inbox_capacity.messages = self.inbox_capacity.messages.saturating_sub(1);
        self.inbox_capacity.bytes = self.inbox_capacity.bytes.saturating_sub(wire.len() as u64);
        let left_ms =
            header.created_at_ms.saturating_add(header.ttl_ms).saturating_sub(self.wall.now_ms(now));
        let expires_at = now.mono + Duration::from_millis(left_ms);
        self.outputs.push_back(Output::ForStation(InboundForStation {
            topic,
            session,
            kind,
            client,
            header,
            expires_at,
            body,
        }));
    }
}
