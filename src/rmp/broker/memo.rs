//! What the last few `Publish` control bodies of a connection said, byte for byte: a steady publisher costs no MsgPack for them.

use super::session::TopicRef;
use crate::ids::TopicName;

/// How many are remembered.
const KNOWN_MAX: usize = 8;
/// A body that is longer is read each time; a topic has 255 bytes at most.
const BODY_BYTES_MAX: usize = 512;

/// The last few control bodies.
#[derive(Debug, Default)]
pub(super) struct Memo {
    known: Vec<Known>,
    /// Which is replaced next.
    next: usize,
}

#[derive(Debug)]
struct Known {
    body: Box<[u8]>,
    topic: TopicRef,
    name: TopicName,
    ack: bool,
}

impl Memo {
    /// What a body said, if it is remembered.
    pub(super) fn recall(&self, body: &[u8]) -> Option<(TopicRef, bool)> {
        self.known.iter().find(|known| *known.body == *body).map(|known| (known.topic, known.ack))
    }

    /// The name of a topic that is remembered, whether it is still in the table or not.
    pub(super) fn name_of(&self, topic: TopicRef) -> Option<&TopicName> {
        self.known.iter().find(|known| known.topic == topic).map(|known| &known.name)
    }

    /// Remembers what a body says.
    pub(super) fn note(&mut self, body: &[u8], (topic, name): (TopicRef, TopicName), ack: bool) {
        if body.len() > BODY_BYTES_MAX {
            return;
        }
        let fresh = Known { body: body.into(), topic, name, ack };
        if let Some(known) = self.known.iter_mut().find(|known| *known.body == *body) {
            *known = fresh;
        } else if self.known.len() < KNOWN_MAX {
            self.known.push(fresh);
        } else {
            self.known[self.next] = fresh;
            self.next = (self.next + 1) % KNOWN_MAX;
        }
    }
}
