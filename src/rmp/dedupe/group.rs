//! The keys of one group, in the order in which they were last seen.
//!
//! They lie in a ring, so that adding one and forgetting the oldest go through memory in its order; a table
//! tells the place of a key. A key that is seen again is put at the end anew, and its place before stays
//! empty until the ring's front reaches it.

use std::{collections::VecDeque, time::Duration};

use super::slots::{Hash, SlotEntry, SlotTable};
use crate::time::Mono;

/// Empty slots that are left in a ring however few keys it has.
const EMPTY_MAX: usize = 64;

/// The keys of one group.
#[derive(Debug)]
pub(super) struct Group<K> {
    ring: VecDeque<RingEntry<K>>,
    /// The number of the ring's front; places are numbered on from there, and begin anew behind the last
    /// number.
    first: u32,
    slots: SlotTable,
    len: usize,
}

#[derive(Debug)]
struct RingEntry<K> {
    key: K,
    mark: u64,
    at: Mono,
    hash: Hash,
    is_empty: bool,
}

impl<K> Default for Group<K> {
    fn default() -> Self {
        Self { ring: VecDeque::new(), first: 0, slots: SlotTable::default(), len: 0 }
    }
}

impl<K: Copy + Eq> Group<K> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// When the key not seen for longest was last seen.
    pub(super) fn oldest(&self) -> Option<Mono> {
        self.ring.front().map(|slot| slot.at)
    }

    /// Keys seen no longer ago than `age`.
    pub(super) fn younger(&self, now: Mono, age: Duration) -> u64 {
        self.ring.iter().filter(|slot| !slot.is_empty && now.since(slot.at) <= age).count() as u64
    }

    /// The mark of a key, and when it was last seen.
    pub(super) fn find(&self, hash: Hash, key: &K) -> Option<(u64, Mono)> {
        let (place, _) = self.slots.find(hash, |number| is_at(&self.ring, self.first, number, key))?;
        self.ring.get(index(self.first, place.number)).map(|slot| (slot.mark, slot.at))
    }

    /// Has the places of keys be read that are about to be noted.
    pub(super) fn prefetch(&self, hashes: impl Iterator<Item = Hash>) {
        self.slots.prefetch(hashes);
    }

    /// Has the places of so many of the oldest keys be read, as they are about to be forgotten.
    pub(super) fn prefetch_oldest(&self, keys: u64) {
        let keys = usize::try_from(keys).unwrap_or(usize::MAX);
        self.slots.prefetch(self.ring.iter().take(keys).map(|slot| slot.hash));
    }

    /// Notes a key as the one seen last, and tells its mark before and when that was, if it is there.
    pub(super) fn record_seen(&mut self, hash: Hash, key: K, mark: u64, now: Mono) -> Option<(u64, Mono)> {
        let Self { ring, first, slots: places, .. } = self;
        let latest =
            SlotEntry { hash, number: first.wrapping_add(u32::try_from(ring.len()).unwrap_or(u32::MAX)) };
        let seen = RingEntry { key, mark, at: now, hash, is_empty: false };
        let Some((known, spot)) = places.find(hash, |number| is_at(ring, *first, number, &key)) else {
            places.add(latest);
            ring.push_back(seen);
            self.len += 1;
            return None;
        };
        let at = index(*first, known.number);
        let is_last = at + 1 == ring.len();
        let known = ring.get_mut(at)?;
        let before = (known.mark, known.at);
        if is_last {
            *known = seen;
        } else {
            known.is_empty = true;
            places.set(spot, latest);
            ring.push_back(seen);
            self.tidy();
        }
        Some(before)
    }

    /// Forgets a key, if it is there.
    pub(super) fn remove(&mut self, hash: Hash, key: &K) -> bool {
        let Self { ring, first, slots: places, .. } = self;
        let Some((place, spot)) = places.find(hash, |number| is_at(ring, *first, number, key)) else {
            return false;
        };
        places.remove(spot);
        if let Some(slot) = ring.get_mut(index(*first, place.number)) {
            slot.is_empty = true;
        }
        self.len -= 1;
        self.tidy();
        true
    }

    /// Forgets the key not seen for longest, and tells when that was.
    pub(super) fn forget_oldest(&mut self) -> Option<Mono> {
        let slot = self.ring.pop_front()?;
        if let Some((_, spot)) = self.slots.find(slot.hash, |number| number == self.first) {
            self.slots.remove(spot);
        }
        self.first = self.first.wrapping_add(1);
        self.len -= 1;
        self.tidy();
        Some(slot.at)
    }

    /// Has the ring begin with a key, and hold few more empty slots than keys.
    fn tidy(&mut self) {
        while self.ring.front().is_some_and(|slot| slot.is_empty) {
            self.ring.pop_front();
            self.first = self.first.wrapping_add(1);
        }
        if self.len == 0 {
            *self = Self { first: self.first, ..Self::default() };
        } else if self.ring.len() > 2 * self.len + EMPTY_MAX {
            self.pack();
        }
    }

    /// Takes the empty slots out of the ring.
    fn pack(&mut self) {
        self.ring.retain(|slot| !slot.is_empty);
        self.slots.clear();
        for (slot, number) in self.ring.iter().zip(0..) {
            self.slots.add(SlotEntry { hash: slot.hash, number: self.first.wrapping_add(number) });
        }
    }
}

/// Where a number is in a ring.
fn index(first: u32, number: u32) -> usize {
    number.wrapping_sub(first) as usize
}

fn is_at<K: Eq>(ring: &VecDeque<RingEntry<K>>, first: u32, number: u32, key: &K) -> bool {
    ring.get(index(first, number)).is_some_and(|slot| slot.key == *key)
}
