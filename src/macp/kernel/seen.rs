//! Ids of messages that a session accepted (macp-v1, Message Deduplication), with the time of each.

use std::collections::HashMap;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

/// Up to so many are looked through.
const FEW: usize = 8;

/// Ids of accepted messages. Few of them take little room.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Seen {
    few: Vec<(Box<str>, u64)>,
    #[expect(clippy::box_collection, reason = "a session that has few is to stay small")]
    many: Option<Box<HashMap<Box<str>, u64>>>,
}

impl Seen {
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

    /// The same, small and for looking up only.
    pub(super) fn digests(&self) -> Digests {
        let few = self.few.iter().map(|(id, at)| (&**id, *at));
        let many = self.many.iter().flat_map(|many| many.iter().map(|(id, at)| (&**id, *at)));
        Digests::new(few.chain(many))
    }
}

/// Ids of accepted messages as a session that is in the store alone has them: for each the first 16 bytes of its SHA-256 and the time of
/// its acceptance, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests(pub Bytes);

const DIGEST_BYTES: usize = 16;
const ITEM_BYTES: usize = DIGEST_BYTES + 8;

impl Digests {
    fn new<'a>(ids: impl Iterator<Item = (&'a str, u64)>) -> Self {
        let mut items: Vec<[u8; ITEM_BYTES]> = ids
            .map(|(id, at)| {
                let mut item = [0; ITEM_BYTES];
                item[..DIGEST_BYTES].copy_from_slice(&digest(id));
                item[DIGEST_BYTES..].copy_from_slice(&at.to_be_bytes());
                item
            })
            .collect();
        items.sort_unstable();
        Self(Bytes::from(items.concat()))
    }

    /// When a message of this id was accepted, in Unix milliseconds.
    #[must_use]
    pub fn at(&self, id: &str) -> Option<u64> {
        let wanted = digest(id);
        let (items, _) = self.0.as_chunks::<ITEM_BYTES>();
        let place = items.binary_search_by(|item| item[..DIGEST_BYTES].cmp(&wanted)).ok()?;
        items[place].last_chunk().map(|at| u64::from_be_bytes(*at))
    }
}

fn digest(id: &str) -> [u8; DIGEST_BYTES] {
    let mut digest = [0; DIGEST_BYTES];
    digest.copy_from_slice(&Sha256::digest(id.as_bytes())[..DIGEST_BYTES]);
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_with_its_time_among_few_and_many_and_in_the_digests() {
        for count in [1_u64, 2, 8, 9, 10, 500] {
            let mut seen = Seen::of("0", 100);
            for n in 1..count {
                seen.insert(&n.to_string(), 100 + n);
            }
            let digests = seen.digests();
            for n in 0..count {
                assert_eq!((seen.at(&n.to_string()), digests.at(&n.to_string())), (Some(100 + n), Some(100 + n)), "{n} of {count}");
            }
            assert_eq!((seen.at("x"), digests.at("x"), digests.at("")), (None, None, None));
            assert_eq!(digests.0.len() as u64, count * 24);
        }
        assert_eq!(Digests::default().at("x"), None);
    }
}
