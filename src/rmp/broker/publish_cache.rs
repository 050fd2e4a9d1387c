//! What the last few bodies of a connection said, byte for byte: a steady publisher costs little MsgPack. Of
//! a `Publish` that is the whole body, of a message its type, up to where its payload begins.

use super::session::TopicRef;
use crate::{
    ids::TopicName,
    rmp::{Body, SchemaId},
};

/// How many are remembered.
const ENTRIES_MAX: usize = 8;
/// A body that is longer is read each time; a topic has 255 bytes at most.
const BODY_BYTES_MAX: usize = 512;

/// The last few bodies.
#[derive(Debug, Default)]
pub(super) struct PublishCache {
    publishes: RecentRing<CachedPublish>,
    types: RecentRing<CachedType>,
    /// Where the last `Publish` that was remembered goes.
    latest: Option<TopicRef>,
}

/// What a body begins with that its schema takes: all before the payload, of two pairs that are the type and
/// the payload.
#[derive(Debug)]
struct CachedType {
    schema_id: SchemaId,
    start: Box<[u8]>,
}

#[derive(Debug)]
struct CachedPublish {
    body: Box<[u8]>,
    topic: TopicRef,
    name: TopicName,
    ack: bool,
}

/// The last few of something.
#[derive(Debug)]
struct RecentRing<T> {
    all: Vec<T>,
    /// Which is replaced next.
    next: usize,
}

impl<T> Default for RecentRing<T> {
    fn default() -> Self {
        Self { all: Vec::new(), next: 0 }
    }
}

impl<T> RecentRing<T> {
    fn find(&self, is_it: impl Fn(&T) -> bool) -> Option<&T> {
        self.all.iter().find(|known| is_it(known))
    }

    /// In the place of the one that is meant, or else of the oldest where there are as many as may be.
    fn put(&mut self, fresh: T, is_it: impl Fn(&T) -> bool) {
        if let Some(known) = self.all.iter_mut().find(|known| is_it(known)) {
            *known = fresh;
        } else if self.all.len() < ENTRIES_MAX {
            self.all.push(fresh);
        } else {
            self.all[self.next] = fresh;
            self.next = (self.next + 1) % ENTRIES_MAX;
        }
    }
}

impl PublishCache {
    /// What a body said, if it is remembered.
    pub(super) fn recall(&mut self, body: &[u8]) -> Option<(TopicRef, bool)> {
        let (topic, ack) =
            self.publishes.find(|known| *known.body == *body).map(|known| (known.topic, known.ack))?;
        self.latest = Some(topic);
        Some((topic, ack))
    }

    /// Where the last `Publish` that was remembered goes.
    pub(super) fn latest(&self) -> Option<TopicRef> {
        self.latest
    }

    /// Whether a message's body is an envelope of a type that its schema takes, as far as that is remembered.
    pub(super) fn is_known_type(&self, schema_id: SchemaId, body: &[u8], depth_max: usize) -> bool {
        let known = self.types.find(|known| known.schema_id == schema_id && body.starts_with(&known.start));
        known.is_some_and(|known| Body::ends_with_payload(body, known.start.len(), depth_max))
    }

    /// Remembers what a message's body begins with that its schema takes.
    pub(super) fn note_type(&mut self, schema_id: SchemaId, start: &[u8]) {
        if start.len() <= BODY_BYTES_MAX {
            // It was looked for, and is not there.
            self.types.put(CachedType { schema_id, start: start.into() }, |_| false);
        }
    }

    /// The name of a topic that is remembered, whether it is still in the table or not.
    pub(super) fn name_of(&self, topic: TopicRef) -> Option<&TopicName> {
        self.publishes.find(|known| known.topic == topic).map(|known| &known.name)
    }

    /// Remembers what a body says.
    pub(super) fn note(&mut self, body: &[u8], (topic, name): (TopicRef, TopicName), ack: bool) {
        if body.len() > BODY_BYTES_MAX {
            return;
        }
        self.publishes
            .put(CachedPublish { body: body.into(), topic, name, ack }, |known| *known.body == *body);
    }
}
