//! The way of what the station takes itself, from the bus to it: bounded in messages and in bytes, and nothing is lost on it.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::{
    limits,
    rmp::broker::{Heard, Room},
};

/// A message for the station. Its bytes count as waiting until this is dropped.
#[derive(Debug)]
pub struct Message {
    /// The message.
    pub heard: Heard,
    _bytes: OwnedSemaphorePermit,
}

/// The bus's end of the way.
#[derive(Clone, Debug)]
pub struct Ear {
    to: mpsc::Sender<Message>,
    bytes: Arc<Semaphore>,
    bytes_max: usize,
}

/// A way to the station: `limits.rmp.heard_max` messages, and `limits.rmp.heard_bytes_max` of their frames.
#[must_use]
pub fn ear(limits: &limits::Rmp) -> (Ear, mpsc::Receiver<Message>) {
    let (to, from) = mpsc::channel(usize::try_from(limits.heard_max).unwrap_or(usize::MAX));
    let bytes_max = usize::try_from(limits.heard_bytes_max).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
    (Ear { to, bytes: Arc::new(Semaphore::new(bytes_max)), bytes_max }, from)
}

impl Ear {
    /// One message is taken whatever its length where none waits; none once the station's end is gone.
    pub(super) fn room(&self) -> Room {
        let bytes = self.bytes.available_permits();
        let messages = if self.to.is_closed() { 0 } else { self.to.capacity() as u64 };
        Room { messages, bytes: if bytes == self.bytes_max { u64::MAX } else { bytes as u64 } }
    }

    /// Hands over a message for which there was room. It is lost only when the station's end goes at that moment, and then nobody waits.
    pub(super) fn hear(&self, heard: Heard) {
        let bytes = heard.body.len().min(self.bytes.available_permits());
        let permit = Arc::clone(&self.bytes).try_acquire_many_owned(u32::try_from(bytes).unwrap_or(u32::MAX));
        if let Ok(permit) = permit {
            let _ = self.to.try_send(Message { heard, _bytes: permit });
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

    fn heard(bytes: usize) -> Heard {
        let trace_id = TraceId(uuid::Uuid::nil());
        let header = Header { schema_id: SchemaId::CTRL_REQ, created_at_ms: 0, ttl_ms: 1, trace_id, msg_id: 1 };
        let (topic, session, kind, client) = (TopicName::new("rlp/ctrl"), ConnectionId(1), Kind::Agent, "a".into());
        Heard { topic, session, kind, client, header, body: vec![0; bytes].into() }
    }

    #[test]
    fn what_waits_takes_room_until_it_is_dropped() {
        let limits = limits::Rmp { heard_max: 8, heard_bytes_max: 100, ..limits::Rmp::default() };
        let (ear, mut from) = ear(&limits);
        assert_eq!(ear.room(), Room { messages: 8, bytes: u64::MAX });
        ear.hear(heard(60));
        assert_eq!(ear.room(), Room { messages: 7, bytes: 40 });
        let message = from.try_recv().unwrap();
        assert_eq!(ear.room(), Room { messages: 8, bytes: 40 });
        drop(message);
        ear.hear(heard(500));
        assert_eq!(ear.room(), Room { messages: 7, bytes: 0 });
        drop(from);
        assert_eq!(ear.room(), Room { messages: 0, bytes: u64::MAX });
    }
}
