//! The way of what the station takes itself, from the bus to it: bounded in messages and in bytes, and
//! nothing is lost on it. Who left is told on the same way, behind what it published.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::{
    ids::ConnectionId,
    limits,
    rmp::broker::{InboundForStation, InboxCapacity, UnreadRequest},
};

/// What the bus tells the station.
#[derive(Debug)]
pub enum BusEvent {
    /// A message that is for it.
    Message(Message),
    /// A session is over; nothing more comes of it.
    SessionClosed(ConnectionId),
    /// What the station asked expired before its agent read it.
    Unread(UnreadRequest),
}

/// A message for the station. Its bytes count as waiting until this is dropped.
#[derive(Debug)]
pub struct Message {
    /// The message.
    pub inbound: InboundForStation,
    _bytes: OwnedSemaphorePermit,
}

/// The bus's end of the way.
#[derive(Clone, Debug)]
pub struct StationInbox {
    to: mpsc::Sender<BusEvent>,
    /// Places on the way that are kept for those that leave.
    reserved: usize,
    bytes: Arc<Semaphore>,
    bytes_max: usize,
}

/// A way to the station: `limits.rmp.heard_max` messages, and `limits.rmp.heard_bytes_max` of their frames;
/// beside them so many that leave as there may be connections.
#[must_use]
pub fn station_inbox(limits: &limits::Rmp) -> (StationInbox, mpsc::Receiver<BusEvent>) {
    let size = |it: u64| usize::try_from(it).unwrap_or(usize::MAX);
    let kept = size(limits.connections_max.saturating_add(limits.operator_connections_max));
    let (to, from) = mpsc::channel(size(limits.heard_max).saturating_add(kept).min(Semaphore::MAX_PERMITS));
    let bytes_max = usize::try_from(limits.heard_bytes_max).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
    (StationInbox { to, reserved: kept, bytes: Arc::new(Semaphore::new(bytes_max)), bytes_max }, from)
}

impl StationInbox {
    /// One message is taken whatever its length where none waits; none once the station's end is gone.
    pub(super) fn capacity(&self) -> InboxCapacity {
        let bytes = self.bytes.available_permits();
        let messages =
            if self.to.is_closed() { 0 } else { self.to.capacity().saturating_sub(self.reserved) as u64 };
        InboxCapacity { messages, bytes: if bytes == self.bytes_max { u64::MAX } else { bytes as u64 } }
    }

    /// Hands over a message for which there was room. It is lost only when the station's end goes at that
    /// moment, and then nobody waits.
    pub(super) fn deliver(&self, heard: InboundForStation) {
        let bytes = heard.body.len().min(self.bytes.available_permits());
        let permit = Arc::clone(&self.bytes).try_acquire_many_owned(u32::try_from(bytes).unwrap_or(u32::MAX));
        if let Ok(permit) = permit {
            let _ = self.to.try_send(BusEvent::Message(Message { inbound: heard, _bytes: permit }));
        }
    }

    /// Tells that a session is over. That is lost only where the station takes nothing while more sessions
    /// leave than there may be.
    pub(super) fn session_closed(&self, session: ConnectionId) {
        let _ = self.to.try_send(BusEvent::SessionClosed(session));
    }

    /// Tells that a message of the station's own was not read in time. Where as much waits as may, that is
    /// lost: the places that are kept are for those that leave.
    pub(super) fn unread(&self, unread: UnreadRequest) {
        if self.to.capacity() > self.reserved {
            let _ = self.to.try_send(BusEvent::Unread(unread));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::{ConnectionId, TopicName, TraceId},
        rmp::{Header, Kind, SchemaId},
    };

    fn inbound(bytes: usize) -> InboundForStation {
        let trace_id = TraceId(uuid::Uuid::nil());
        let header =
            Header { schema_id: SchemaId::CTRL_REQ, created_at_ms: 0, ttl_ms: 1, trace_id, msg_id: 1 };
        let (topic, session, kind, client) =
            (TopicName::new("rlp/ctrl"), ConnectionId(1), Kind::Agent, "a".into());
        let expires_at = crate::time::Mono(u64::MAX);
        InboundForStation { topic, session, kind, client, header, expires_at, body: vec![0; bytes].into() }
    }

    #[test]
    fn who_leaves_is_told_behind_what_it_published_however_full_the_way_is() {
        let limits = limits::Rmp { heard_max: 8, connections_max: 2, ..limits::Rmp::default() };
        let (inbox, mut from) = station_inbox(&limits);
        for _ in 0..8 {
            inbox.deliver(inbound(1));
        }
        assert_eq!(inbox.capacity().messages, 0);
        inbox.session_closed(ConnectionId(1));
        inbox.session_closed(ConnectionId(2));
        let told: Vec<_> = std::iter::from_fn(|| from.try_recv().ok())
            .map(|told| matches!(told, BusEvent::SessionClosed(_)))
            .collect();
        assert_eq!(told, [vec![false; 8], vec![true; 2]].concat());
    }

    #[test]
    fn what_was_not_read_takes_no_place_of_those_that_leave() {
        let limits = limits::Rmp { heard_max: 8, connections_max: 2, ..limits::Rmp::default() };
        let (inbox, mut from) = station_inbox(&limits);
        for msg_id in 0..20 {
            inbox.unread(UnreadRequest { session: ConnectionId(1), msg_id });
        }
        inbox.session_closed(ConnectionId(1));
        inbox.session_closed(ConnectionId(2));
        let told: Vec<_> = std::iter::from_fn(|| from.try_recv().ok())
            .map(|told| matches!(told, BusEvent::SessionClosed(_)))
            .collect();
        assert_eq!(told, [vec![false; 8], vec![true; 2]].concat());
    }

    #[test]
    fn what_waits_takes_room_until_it_is_dropped() {
        let limits = limits::Rmp { heard_max: 8, heard_bytes_max: 100, ..limits::Rmp::default() };
        let (inbox, mut from) = station_inbox(&limits);
        assert_eq!(inbox.capacity(), InboxCapacity { messages: 8, bytes: u64::MAX });
        inbox.deliver(inbound(60));
        assert_eq!(inbox.capacity(), InboxCapacity { messages: 7, bytes: 40 });
        let message = from.try_recv().unwrap();
        assert_eq!(inbox.capacity(), InboxCapacity { messages: 8, bytes: 40 });
        drop(message);
        inbox.deliver(inbound(500));
        assert_eq!(inbox.capacity(), InboxCapacity { messages: 7, bytes: 0 });
        drop(from);
        assert_eq!(inbox.capacity(), InboxCapacity { messages: 0, bytes: u64::MAX });
    }
}
