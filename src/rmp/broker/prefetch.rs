//! Looks at what a busy publisher sends next, so that the memory of it is at hand when its turn comes.

use super::core::Broker;
use crate::{
    ids::ConnectionId,
    rmp::{Header, PREFIX_BYTES, RawFrame, SchemaId, dedupe::Key},
};

/// Units that are looked at together: a `Publish` and its message are two.
pub const PREFETCH_UNITS: u64 = 64;

impl Broker {
    /// Has what is remembered of the messages in `bytes` be read, [`PREFETCH_UNITS`] units of the stream of a
    /// session at most. Each waits for memory, and here they wait at the same time. Nothing is judged,
    /// and nothing changes.
    pub fn prefetch(&self, session: ConnectionId, bytes: &[u8]) {
        let topic = self.sessions.get(session).and_then(|session| session.publish_cache.latest());
        if let Some(scope) = topic.and_then(|topic| self.topics.get(topic)).and_then(|state| state.scope) {
            self.dedupe.prefetch(scope, keys(bytes));
        }
    }
}

/// The keys of the messages among the frames that begin with `bytes`.
fn keys(bytes: &[u8]) -> impl Iterator<Item = Key> {
    let mut rest = bytes;
    let frames = (0..PREFETCH_UNITS).map_while(move |_| {
        let RawFrame { frame_len, header, .. } = RawFrame::split(rest)?;
        rest = rest.get(PREFIX_BYTES + usize::try_from(frame_len).ok()?..)?;
        Some(Header::from(&header))
    });
    frames
        .filter(|header| header.schema_id != SchemaId::CONTROL)
        .map(|header| Key::new(header.trace_id, header.msg_id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ids::TraceId, rmp::encode};

    #[test]
    fn the_messages_of_whole_frames_are_found_and_nothing_is_believed_of_the_rest() {
        let frame = |schema_id, msg_id| {
            let trace_id = TraceId(uuid::Uuid::from_u128(7));
            encode::frame(&Header { schema_id, created_at_ms: 1, ttl_ms: 1, trace_id, msg_id }, b"\xc0")
                .unwrap()
        };
        let key = |msg_id| Key::new(TraceId(uuid::Uuid::from_u128(7)), msg_id);
        let mut bytes =
            [frame(SchemaId::CONTROL, 1), frame(SchemaId::OBSERVATION, 2), frame(SchemaId::INTENT, 3)]
                .concat();
        assert_eq!(keys(&bytes).collect::<Vec<_>>(), [key(2), key(3)]);
        bytes.pop();
        assert_eq!(keys(&bytes).collect::<Vec<_>>(), [key(2)], "a part of a frame is not looked at");
        bytes.splice(..4, u32::MAX.to_be_bytes());
        assert_eq!(keys(&bytes).count(), 0);
        assert_eq!(keys(&[0; 67]).count(), 0);
        let many = frame(SchemaId::OBSERVATION, 1).repeat(100);
        assert_eq!(keys(&many).count() as u64, PREFETCH_UNITS);
    }
}
