//! Ids of messages that a session accepted (macp-v1, Message Deduplication), with the time of each.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::store::macp::{DIGEST_BYTES, Digest, SEEN_BYTES, SEEN_PART_BYTES, SeenPart, accepted_at};

/// Up to so many are looked through.
const FEW: usize = 8;

/// Ids of accepted messages. Few of them take little room.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SeenIds {
    few: Vec<(Box<str>, u64)>,
    #[expect(clippy::box_collection, reason = "a session that has few is to stay small")]
    many: Option<Box<HashMap<Box<str>, u64>>>,
}

impl SeenIds {
    /// Those of a session that begins.
    pub(super) fn of(id: &str, at_ms: u64) -> Self {
        Self { few: vec![(Box::from(id), at_ms)], many: None }
    }

    /// When a message of this id was accepted, in Unix milliseconds.
    pub(super) fn at(&self, id: &str) -> Option<u64> {
        match &self.many {
            Some(many) => many.get(id).copied(),
            None => self.few.iter().find(|(seen, _)| **seen == *id).map(|(_, at)| *at),
        }
    }

    /// Adds one that is not there.
    pub(super) fn insert(&mut self, id: &str, at_ms: u64) {
        match &mut self.many {
            Some(many) => drop(many.insert(Box::from(id), at_ms)),
            None if self.few.len() < FEW => self.few.push((Box::from(id), at_ms)),
            None => {
                let mut many: HashMap<_, _> = std::mem::take(&mut self.few).into_iter().collect();
                many.insert(Box::from(id), at_ms);
                self.many = Some(Box::new(many));
            }
        }
    }

    fn count(&self) -> usize {
        self.many.as_ref().map_or(self.few.len(), |many| many.len())
    }

    /// These ids, small and for looking up only.
    pub(super) fn digests(&self) -> Digests {
        let few = self.few.iter().map(|(id, at)| (&**id, *at));
        let many = self.many.iter().flat_map(|many| many.iter().map(|(id, at)| (&**id, *at)));
        Digests::new(few.chain(many))
    }
}

/// Ids of the messages of a session that ended, shared with who writes them.
#[derive(Clone, Debug)]
pub struct MessageIds(Arc<SeenIds>);

impl MessageIds {
    pub(super) fn new(seen: SeenIds) -> Self {
        Self(Arc::new(seen))
    }

    /// How many.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.count()
    }

    /// These ids, small and for looking up only. This takes long of many: it is made where nobody waits.
    #[must_use]
    pub fn digests(&self) -> Digests {
        self.0.digests()
    }

    pub(super) fn at(&self, id: &str) -> Option<u64> {
        self.0.at(id)
    }
}

/// Ids of accepted messages as a session that is in the store alone has them: for each its digest and the
/// time of its acceptance, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests(pub Bytes);

impl Digests {
    fn new<'a>(ids: impl Iterator<Item = (&'a str, u64)>) -> Self {
        let mut items: Vec<[u8; SEEN_BYTES]> = ids
            .map(|(id, at)| {
                let mut item = [0; SEEN_BYTES];
                item[..DIGEST_BYTES].copy_from_slice(&digest(id));
                item[DIGEST_BYTES..].copy_from_slice(&at.to_be_bytes());
                item
            })
            .collect();
        items.sort_unstable();
        Self(Bytes::from(items.into_flattened()))
    }

    /// When a message of this id was accepted, in Unix milliseconds.
    #[must_use]
    pub fn at(&self, id: &str) -> Option<u64> {
        accepted_at(&self.0, &digest(id))
    }

    /// They in parts as the store takes them.
    pub fn parts(&self, session: u64) -> impl Iterator<Item = SeenPart> {
        let bytes = &self.0;
        (0..bytes.len()).step_by(SEEN_PART_BYTES).map(move |at| {
            let items = bytes.slice(at..bytes.len().min(at + SEEN_PART_BYTES));
            SeenPart { session, items }
        })
    }
}

/// The digest of a message's id.
#[must_use]
pub fn digest(id: &str) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(&Sha256::digest(id.as_bytes())[..DIGEST_BYTES]);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_with_its_time_among_few_and_many_and_in_the_digests() {
        for count in [1_u64, 2, 8, 9, 10, 500] {
            let mut seen = SeenIds::of("0", 100);
            for n in 1..count {
                seen.insert(&n.to_string(), 100 + n);
            }
            let digests = seen.digests();
            for n in 0..count {
                assert_eq!(
                    (seen.at(&n.to_string()), digests.at(&n.to_string())),
                    (Some(100 + n), Some(100 + n)),
                    "{n} of {count}"
                );
            }
            assert_eq!((seen.at("x"), digests.at("x"), digests.at("")), (None, None, None));
            assert_eq!((digests.0.len() as u64, seen.count() as u64), (count * 24, count));
        }
        assert_eq!(Digests::default().at("x"), None);
    }

    #[test]
    fn digests_are_given_in_parts_that_are_whole_together() {
        let digests = Digests(Bytes::from(vec![7; 2 * SEEN_PART_BYTES + 24]));
        let parts: Vec<_> = digests.parts(3).collect();
        assert_eq!(
            parts.iter().map(|part| (part.session, part.items.len())).collect::<Vec<_>>(),
            [(3, SEEN_PART_BYTES), (3, SEEN_PART_BYTES), (3, 24)]
        );
        assert_eq!(Digests::default().parts(3).count(), 0);
    }
}
