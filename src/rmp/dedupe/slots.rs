//! Where keys lie in a ring, by their hashes.
//!
//! One run of memory, in which a place stands at the first free spot from where its hash points on: finding,
//! adding and taking out touch a line of it, where a table that keeps its occupancy apart touches two.
//! Nothing is left where a place is taken out, so that the table never has to be made anew for as many keys
//! as come as go.

/// Spots of the smallest table.
const SLOTS_MIN: usize = 16;

/// A key's place: its number in the ring, with its hash, so that the ring is looked at for the key sought
/// alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotEntry {
    pub(super) hash: Hash,
    pub(super) number: u32,
}

/// 31 bits of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hash(u32);

impl Hash {
    pub(super) fn of(hash: u64) -> Self {
        Self((hash >> 32) as u32 | 1)
    }
}

/// The places of a ring's keys.
#[derive(Debug, Default)]
pub(super) struct SlotTable {
    /// 0 where none is; a power of two of them, or none at all.
    slots: Box<[u64]>,
    len: usize,
}

/// Where a place was found, or where it would stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotIndex(usize);

impl SlotTable {
    /// The place of a hash for which `is_it` holds, with its spot.
    pub(super) fn find(
        &self,
        hash: Hash,
        mut is_it: impl FnMut(u32) -> bool,
    ) -> Option<(SlotEntry, SlotIndex)> {
        let mut at = self.home(hash)?;
        loop {
            let place = read(*self.slots.get(at)?)?;
            if place.hash == hash && is_it(place.number) {
                return Some((place, SlotIndex(at)));
            }
            at = self.next(at);
        }
    }

    /// Reads where these hashes point, one right after the other: memory is waited for once, not for each.
    pub(super) fn prefetch(&self, hashes: impl Iterator<Item = Hash>) {
        let spots = hashes.filter_map(|hash| self.slots.get(self.home(hash)?));
        std::hint::black_box(spots.fold(0, |all, spot| all ^ spot));
    }

    /// Adds a place.
    pub(super) fn add(&mut self, place: SlotEntry) {
        // At most five spots of eight are taken: a search ends soon, and always.
        if (self.len + 1) * 8 > self.slots.len() * 5 {
            self.grow();
        }
        self.put(place);
        self.len += 1;
    }

    /// Has a place that was found be another one of the same hash.
    pub(super) fn set(&mut self, SlotIndex(at): SlotIndex, place: SlotEntry) {
        if let Some(spot) = self.slots.get_mut(at) {
            *spot = written(place);
        }
    }

    /// Takes a place out that was found. Those behind it that it kept from their spots move up.
    pub(super) fn remove(&mut self, SlotIndex(at): SlotIndex) {
        let (mut free, mut behind) = (at, self.next(at));
        while let Some(place) = self.slots.get(behind).copied().and_then(read) {
            let Some(home) = self.home(place.hash) else { break };
            let mask = self.slots.len() - 1;
            if behind.wrapping_sub(home) & mask >= behind.wrapping_sub(free) & mask {
                self.set(SlotIndex(free), place);
                free = behind;
            }
            behind = self.next(behind);
        }
        if let Some(spot) = self.slots.get_mut(free) {
            *spot = 0;
            self.len -= 1;
        }
    }

    /// Takes all out.
    pub(super) fn clear(&mut self) {
        self.slots.fill(0);
        self.len = 0;
    }

    fn home(&self, Hash(hash): Hash) -> Option<usize> {
        self.slots.len().checked_sub(1).map(|mask| (hash >> 1) as usize & mask)
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & self.slots.len().wrapping_sub(1)
    }

    fn put(&mut self, place: SlotEntry) {
        let Some(mut at) = self.home(place.hash) else { return };
        while self.slots.get(at).is_some_and(|spot| *spot != 0) {
            at = self.next(at);
        }
        self.set(SlotIndex(at), place);
    }

    fn grow(&mut self) {
        let spots = vec![0; (self.slots.len() * 2).max(SLOTS_MIN)];
        for place in std::mem::replace(&mut self.slots, spots.into()).into_iter().filter_map(read) {
            self.put(place);
        }
    }
}

fn written(SlotEntry { hash: Hash(hash), number }: SlotEntry) -> u64 {
    u64::from(hash) << 32 | u64::from(number)
}

fn read(spot: u64) -> Option<SlotEntry> {
    let [a, b, c, d, number @ ..] = spot.to_be_bytes();
    (spot != 0).then_some(SlotEntry {
        hash: Hash(u32::from_be_bytes([a, b, c, d])),
        number: u32::from_be_bytes(number),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few hashes, so that places stand in each other's way.
        #[test]
        fn has_what_was_added_and_not_taken_out(
            ops in proptest::collection::vec((0_u64..40, 0_u32..4, any::<bool>()), 0..400),
        ) {
            let mut places = SlotTable::default();
            let mut plain = HashMap::new();
            for (number, (hash, of, is_added)) in (0..).zip(ops) {
                let (key, hash) = ((hash, of), Hash::of(hash * 0x1_0000_0000 * 2));
                let known = plain.get(&key).copied();
                let found = known.and_then(|known| places.find(hash, |number| number == known));
                prop_assert_eq!(found.map(|(place, _)| place.number), known);
                match (found, is_added) {
                    (Some((_, spot)), true) => places.set(spot, SlotEntry { hash, number }),
                    (Some((_, spot)), false) => places.remove(spot),
                    (None, true) => places.add(SlotEntry { hash, number }),
                    (None, false) => continue,
                }
                if is_added {
                    plain.insert(key, number)
                } else {
                    plain.remove(&key)
                };
            }
            for ((hash, _), number) in &plain {
                let hash = Hash::of(hash * 0x1_0000_0000 * 2);
                prop_assert!(places.find(hash, |other| other == *number).is_some());
            }
            prop_assert_eq!(places.len, plain.len());
            prop_assert_eq!(places.slots.iter().filter(|spot| **spot != 0).count(), plain.len());
        }
    }
}
