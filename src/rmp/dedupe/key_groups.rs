//! Keys in groups, each with when it was last seen: bounded by group, over all groups, and by age. Looking a
//! key up, adding one and forgetting one cost the same however many there are.

use std::{
    collections::BTreeSet,
    hash::{BuildHasher, Hash},
    time::Duration,
};

use hashbrown::DefaultHashBuilder;

use super::{group::Group, slots};
use crate::time::Mono;

/// The part of a group's cap by which it is gone below when it is reached, as a shift, and the most keys that
/// are forgotten together.
const EVICT_BATCH_SHIFT: u32 = 10;
const EVICT_BATCH_MAX: u64 = 64;

/// The most that a ledger keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Keys of one group. At the cap a thousandth of them is forgotten together.
    pub(super) group_keys: u64,
    /// Keys of all groups.
    pub(super) keys: u64,
    /// How long a key is kept after it was last seen.
    pub(super) age: Duration,
}

/// A group of keys. A group that was closed is never taken for a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroupId {
    index: u32,
    stamp: u32,
}

/// Keys by group.
#[derive(Debug)]
pub(super) struct KeyGroups<K> {
    groups: Vec<GroupEntry<K>>,
    free: Vec<u32>,
    /// The groups that have keys, by when their oldest was last seen, or by an earlier moment: it is looked
    /// at again when its turn comes.
    order: BTreeSet<(Mono, u32)>,
    /// Keys of all groups.
    len: usize,
    hasher: DefaultHashBuilder,
    stamp: u32,
    bounds: Bounds,
    evicted_young: u64,
}

#[derive(Debug)]
struct GroupEntry<K> {
    /// 0 while it is no group.
    stamp: u32,
    keys: Group<K>,
    /// Where it is in the order.
    ordered: Option<Mono>,
    evicted_young: u64,
}

impl<K: Copy + Eq + Hash> KeyGroups<K> {
    pub(super) fn new(bounds: Bounds) -> Self {
        // A place in a group is a number of 32 bits, of which half tell what was forgotten from what is
        // there.
        let group_keys = bounds.group_keys.clamp(1, 1 << 30);
        Self {
            groups: Vec::new(),
            free: Vec::new(),
            order: BTreeSet::new(),
            len: 0,
            hasher: DefaultHashBuilder::default(),
            stamp: 0,
            bounds: Bounds { group_keys, keys: bounds.keys.max(1), ..bounds },
            evicted_young: 0,
        }
    }

    pub(super) fn open(&mut self) -> GroupId {
        self.stamp = self.stamp.wrapping_add(1).max(1);
        let held = GroupEntry { stamp: self.stamp, keys: Group::default(), ordered: None, evicted_young: 0 };
        let place = if let Some(place) = self.free.pop() {
            self.groups[place as usize] = held;
            place
        } else {
            self.groups.push(held);
            u32::try_from(self.groups.len() - 1).unwrap_or(u32::MAX)
        };
        GroupId { index: place, stamp: self.stamp }
    }

    /// Forgets a group and its keys.
    pub(super) fn close(&mut self, id: GroupId) {
        let Some(held) = self.group_mut(id) else { return };
        held.stamp = 0;
        let keys = std::mem::take(&mut held.keys);
        if let Some(at) = held.ordered.take() {
            self.order.remove(&(at, id.index));
        }
        self.len -= keys.len();
        self.free.push(id.index);
    }

    /// Forgets a group and its keys, as a cap does.
    pub(super) fn evict_all(&mut self, id: GroupId, now: Mono) {
        let age = self.bounds.age;
        self.evicted_young += self.group(id).map_or(0, |held| held.keys.younger(now, age));
        self.close(id);
    }

    /// Has the places of keys that are about to be seen be read. Each waits for memory, and so they wait at
    /// the same time.
    pub(super) fn prefetch(&self, id: GroupId, keys: impl Iterator<Item = K>) {
        if let Some(held) = self.group(id) {
            held.keys.prefetch(keys.map(|key| self.hash(&key)));
        }
    }

    /// Notes that a key is seen now, and tells the mark at which it was last seen, if that is remembered.
    /// Nothing is kept for a group that was closed.
    pub(super) fn record_seen(&mut self, id: GroupId, key: K, mark: u64, now: Mono) -> Option<u64> {
        self.group(id)?;
        self.forget_old(now, 2);
        let hash = self.hash(&key);
        let held = self.groups.get_mut(id.index as usize)?;
        if let Some((before, at)) = held.keys.record_seen(hash, key, mark, now) {
            return (now.since(at) <= self.bounds.age).then_some(before);
        }
        if held.ordered.is_none() {
            held.ordered = Some(now);
            self.order.insert((now, id.index));
        }
        self.len += 1;
        if held.keys.len() as u64 > self.bounds.group_keys {
            let together = (self.bounds.group_keys >> EVICT_BATCH_SHIFT).clamp(1, EVICT_BATCH_MAX);
            held.keys.prefetch_oldest(together);
            for _ in 0..together {
                self.evict(id.index, now);
            }
        } else if self.len as u64 > self.bounds.keys
            && let Some((_, place)) = self.oldest()
        {
            self.evict(place, now);
        }
        None
    }

    /// The mark at which a key was last seen, if its age is not over.
    pub(super) fn mark(&self, id: GroupId, key: &K, now: Mono) -> Option<u64> {
        let (mark, at) = self.group(id)?.keys.find(self.hash(key), key)?;
        (now.since(at) <= self.bounds.age).then_some(mark)
    }

    /// Forgets a key, if it is there.
    pub(super) fn remove(&mut self, id: GroupId, key: &K) {
        if self.len_of(id) == 0 {
            return;
        }
        let hash = self.hash(key);
        if self.group_mut(id).is_some_and(|held| held.keys.remove(hash, key)) {
            self.len -= 1;
        }
    }

    /// Forgets up to so many keys whose age is over, and tells how many it were.
    pub(super) fn forget_old(&mut self, now: Mono, keys_max: usize) -> usize {
        for forgotten in 0..keys_max {
            let is_early = |at: Mono| now.since(at) <= self.bounds.age;
            // What stands in the order is no later than what it stands for.
            if self.order.first().is_none_or(|(at, _)| is_early(*at)) {
                return forgotten;
            }
            let Some((_, place)) = self.oldest().filter(|(at, _)| now.since(*at) > self.bounds.age) else {
                return forgotten;
            };
            self.forget(place);
        }
        keys_max
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn len_of(&self, id: GroupId) -> u64 {
        self.group(id).map_or(0, |held| held.keys.len() as u64)
    }

    /// Keys that went before their age was over, because of a cap.
    pub(super) fn evicted_young(&self) -> u64 {
        self.evicted_young
    }

    pub(super) fn evicted_young_of(&self, id: GroupId) -> u64 {
        self.group(id).map_or(0, |held| held.evicted_young)
    }

    fn group(&self, id: GroupId) -> Option<&GroupEntry<K>> {
        self.groups.get(id.index as usize).filter(|held| held.stamp == id.stamp)
    }

    fn group_mut(&mut self, id: GroupId) -> Option<&mut GroupEntry<K>> {
        self.groups.get_mut(id.index as usize).filter(|held| held.stamp == id.stamp)
    }

    fn hash(&self, key: &K) -> slots::Hash {
        slots::Hash::of(self.hasher.hash_one(key))
    }

    /// The group of the key not seen for longest, and when it was.
    fn oldest(&mut self) -> Option<(Mono, u32)> {
        loop {
            let (known, place) = *self.order.first()?;
            let held = self.groups.get_mut(place as usize)?;
            let oldest = held.keys.oldest();
            if oldest == Some(known) {
                return Some((known, place));
            }
            self.order.remove(&(known, place));
            held.ordered = oldest;
            if let Some(at) = oldest {
                self.order.insert((at, place));
            }
        }
    }

    /// Forgets a group's key not seen for longest, because of a cap.
    fn evict(&mut self, index: u32, now: Mono) {
        if self.forget(index).is_some_and(|at| now.since(at) <= self.bounds.age) {
            self.evicted_young += 1;
            if let Some(held) = self.groups.get_mut(index as usize) {
                held.evicted_young += 1;
            }
        }
    }

    /// Forgets a group's key not seen for longest, and tells when that was.
    fn forget(&mut self, index: u32) -> Option<Mono> {
        let at = self.groups.get_mut(index as usize)?.keys.forget_oldest()?;
        self.len -= 1;
        Some(at)
    }
}
