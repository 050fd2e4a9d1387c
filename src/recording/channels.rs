//! What the messages of a recording's channels are.

use std::collections::BTreeMap;

use mcap::records::MessageHeader;

use super::{
    format::{SNAPSHOT_TOPIC, is_of_entries},
    reader::{Damage, RecordedItem},
};
use crate::{
    tap::recorded::{self, DecodeError},
    time::Wall,
};

/// Channels by their topics; those that are not ours have none, whatever its length was.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Channels(pub(super) BTreeMap<u16, String>);

impl Channels {
    /// Notes one; one that was known is another from now on.
    pub(super) fn insert(&mut self, id: u16, topic: &str) {
        self.0.insert(id, known_topic(topic));
    }

    /// What a message is, of a chunk which has a keyframe or not.
    pub(super) fn item(
        &self,
        has_keyframe: bool,
        header: MessageHeader,
        data: &[u8],
    ) -> Result<RecordedItem, Damage> {
        let topic = self.0.get(&header.channel_id);
        // What names it may be in a chunk that cannot be read: a keyframe has one of its own.
        if topic.map_or(has_keyframe, |topic| topic == SNAPSHOT_TOPIC) {
            return Ok(RecordedItem::Snapshot {
                at: Wall(header.publish_time / 1_000_000),
                bytes: data.to_vec(),
            });
        }
        let damaged = |why: DecodeError| Damage::Entry { seq: header.sequence, why };
        if topic.is_some_and(String::is_empty) {
            return Err(damaged(DecodeError::Missing("channel")));
        }
        recorded::decode(data).map(RecordedItem::Entry).map_err(damaged)
    }
}

/// A topic as it is kept.
pub(super) fn known_topic(topic: &str) -> String {
    if topic == SNAPSHOT_TOPIC || is_of_entries(topic) { topic.to_owned() } else { String::new() }
}
