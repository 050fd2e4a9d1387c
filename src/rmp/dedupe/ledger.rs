//! Keys in groups, each with when it was last seen: bounded by group, over all groups, and by age. Looking a key up, adding one and
//! forgetting one cost the same however many there are.

use std::{
    hash::{BuildHasher, Hash},
    time::Duration,
};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

use crate::time::Mono;

/// The end of a list.
const NONE: u32 = u32::MAX;
/// Forgotten keys that are taken out of the table together: each waits for memory, and so they wait at the same time.
const SWEPT: usize = 64;

/// The most that a ledger keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    /// Keys of one group.
    pub(super) group_keys: u64,
    /// Keys of all groups.
    pub(super) keys: u64,
    /// How long a key is kept after it was last seen.
    pub(super) age: Duration,
}

/// A group of keys. A group that was closed is never taken for a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GroupId {
    place: u32,
    stamp: u32,
}

/// Keys by group, each in two lists from the one seen longest ago to the one seen last: its group's, and that of all.
#[derive(Debug)]
pub(super) struct Ledger<K> {
    table: HashTable<Place>,
    hasher: DefaultHashBuilder,
    nodes: Vec<Node<K>>,
    free_nodes: Vec<u32>,
    /// Forgotten, in no group and no list, and still in the table.
    dead: Vec<u32>,
    /// Keys that are not forgotten.
    len: usize,
    groups: Vec<Group>,
    free_groups: Vec<u32>,
    all: Ends,
    stamp: u32,
    bounds: Bounds,
    evicted_young: u64,
}

/// Where a key is, with its hash, so that a node is looked at for the key sought alone.
#[derive(Clone, Copy, Debug)]
struct Place {
    node: u32,
    hash: u32,
}

#[derive(Debug)]
struct Node<K> {
    key: K,
    mark: u64,
    at: Mono,
    /// [`NONE`] once it is forgotten.
    group: u32,
    hash: u32,
    in_group: Links,
    in_all: Links,
}

impl<K: Eq> Node<K> {
    fn is(&self, group: u32, key: &K) -> bool {
        self.group == group && self.key == *key
    }
}

#[derive(Clone, Copy, Debug)]
struct Links {
    older: u32,
    newer: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    oldest: u32,
    newest: u32,
}

#[derive(Debug)]
struct Group {
    ends: Ends,
    len: u64,
    stamp: u32,
    evicted_young: u64,
}

const EMPTY: Ends = Ends { oldest: NONE, newest: NONE };

/// A hash as the table takes it: it looks at the lowest bits and at the highest.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

/// Which of its two lists a node is treated in.
#[derive(Clone, Copy)]
enum List {
    Group,
    All,
}

impl<K: Copy + Eq + Hash> Ledger<K> {
    pub(super) fn new(bounds: Bounds) -> Self {
        // A place is a number of 32 bits, the last of which is none; forgotten keys hold theirs for a while.
        let keys = bounds.keys.clamp(1, u64::from(NONE) - SWEPT as u64);
        Self {
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            nodes: Vec::new(),
            free_nodes: Vec::new(),
            dead: Vec::new(),
            len: 0,
            groups: Vec::new(),
            free_groups: Vec::new(),
            all: EMPTY,
            stamp: 0,
            bounds: Bounds { group_keys: bounds.group_keys.max(1), keys, ..bounds },
            evicted_young: 0,
        }
    }

    pub(super) fn open(&mut self) -> GroupId {
        self.stamp = self.stamp.wrapping_add(1);
        let group = Group { ends: EMPTY, len: 0, stamp: self.stamp, evicted_young: 0 };
        let place = if let Some(place) = self.free_groups.pop() {
            self.groups[place as usize] = group;
            place
        } else {
            self.groups.push(group);
            u32::try_from(self.groups.len() - 1).unwrap_or(NONE)
        };
        GroupId { place, stamp: self.stamp }
    }

    /// Forgets a group and its keys.
    pub(super) fn close(&mut self, id: GroupId) {
        let Some(group) = self.group_mut(id) else { return };
        group.stamp = 0;
        while let Some(oldest) = Some(self.groups[id.place as usize].ends.oldest).filter(|oldest| *oldest != NONE) {
            self.forget(oldest);
        }
        self.free_groups.push(id.place);
    }

    /// Forgets the keys of a group, as a cap does.
    pub(super) fn evict_all(&mut self, id: GroupId, now: Mono) {
        while let Some(oldest) = self.group(id).map(|group| group.ends.oldest).filter(|oldest| *oldest != NONE) {
            self.evict(oldest, now);
        }
    }

    /// Notes that a key is seen now, and tells the mark at which it was last seen, if that is remembered. Nothing is kept for a group that
    /// was closed.
    pub(super) fn see(&mut self, id: GroupId, key: K, mark: u64, now: Mono) -> Option<u64> {
        let group_len = self.group(id)?.len;
        self.forget_old(now, 2);
        let (hash, nodes) = (self.hash(id.place, &key), &self.nodes);
        let is_it = |place: &Place| place.hash == hash && nodes[place.node as usize].is(id.place, &key);
        let place = match self.table.entry(spread(hash), is_it, |place| spread(place.hash)) {
            Entry::Occupied(found) => {
                let found = found.get().node;
                let node = &mut self.nodes[found as usize];
                let before = (now.since(node.at) <= self.bounds.age).then_some(node.mark);
                (node.mark, node.at) = (mark, now);
                for list in [List::Group, List::All] {
                    self.unlink(found, list);
                    self.link(found, list);
                }
                return before;
            }
            Entry::Vacant(entry) => {
                let place = self.free_nodes.pop().unwrap_or_else(|| u32::try_from(self.nodes.len()).unwrap_or(NONE));
                entry.insert(Place { node: place, hash });
                place
            }
        };
        let links = Links { older: NONE, newer: NONE };
        let node = Node { key, mark, at: now, group: id.place, hash, in_group: links, in_all: links };
        match self.nodes.get_mut(place as usize) {
            Some(free) => *free = node,
            None => self.nodes.push(node),
        }
        if group_len >= self.bounds.group_keys {
            self.evict(self.groups[id.place as usize].ends.oldest, now);
        } else if self.len as u64 >= self.bounds.keys {
            self.evict(self.all.oldest, now);
        }
        self.len += 1;
        self.groups[id.place as usize].len += 1;
        self.link(place, List::Group);
        self.link(place, List::All);
        None
    }

    /// Whether a key is remembered.
    pub(super) fn has(&self, id: GroupId, key: &K, now: Mono) -> bool {
        if self.len_of(id) == 0 {
            return false;
        }
        let found = self.find(self.hash(id.place, key), id.place, key);
        found.is_some_and(|found| now.since(self.nodes[found as usize].at) <= self.bounds.age)
    }

    /// The mark at which a key was last seen, if its age is not over.
    pub(super) fn mark(&self, id: GroupId, key: &K, now: Mono) -> Option<u64> {
        let found = self.find(self.hash(id.place, key), id.place, key).filter(|_| self.group(id).is_some())?;
        let node = self.nodes.get(found as usize)?;
        (now.since(node.at) <= self.bounds.age).then_some(node.mark)
    }

    /// Forgets a key, if it is there.
    pub(super) fn remove(&mut self, id: GroupId, key: &K) {
        if self.len_of(id) == 0 {
            return;
        }
        if let Some(found) = self.find(self.hash(id.place, key), id.place, key) {
            self.forget(found);
        }
    }

    /// Forgets up to so many keys whose age is over, and tells how many it were.
    pub(super) fn forget_old(&mut self, now: Mono, keys_max: usize) -> usize {
        for forgotten in 0..keys_max {
            let oldest = self.all.oldest;
            if oldest == NONE || now.since(self.nodes[oldest as usize].at) <= self.bounds.age {
                return forgotten;
            }
            self.forget(oldest);
        }
        keys_max
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn len_of(&self, id: GroupId) -> u64 {
        self.group(id).map_or(0, |group| group.len)
    }

    /// Keys that went before their age was over, because of a cap.
    pub(super) fn evicted_young(&self) -> u64 {
        self.evicted_young
    }

    pub(super) fn evicted_young_of(&self, id: GroupId) -> u64 {
        self.group(id).map_or(0, |group| group.evicted_young)
    }

    /// Gives back memory that its keys no longer need.
    pub(super) fn relax(&mut self) {
        if self.len == 0 && !self.nodes.is_empty() {
            self.table = HashTable::new();
            self.nodes = Vec::new();
            self.free_nodes = Vec::new();
            self.dead = Vec::new();
        }
    }

    fn group(&self, id: GroupId) -> Option<&Group> {
        self.groups.get(id.place as usize).filter(|group| group.stamp == id.stamp)
    }

    fn group_mut(&mut self, id: GroupId) -> Option<&mut Group> {
        self.groups.get_mut(id.place as usize).filter(|group| group.stamp == id.stamp)
    }

    fn hash(&self, group: u32, key: &K) -> u32 {
        (self.hasher.hash_one((group, key)) >> 32) as u32
    }

    fn find(&self, hash: u32, group: u32, key: &K) -> Option<u32> {
        let is_it = |place: &Place| place.hash == hash && self.nodes[place.node as usize].is(group, key);
        self.table.find(spread(hash), is_it).map(|place| place.node)
    }

    fn evict(&mut self, place: u32, now: Mono) {
        let Some(node) = self.nodes.get(place as usize) else { return };
        if now.since(node.at) <= self.bounds.age {
            self.evicted_young += 1;
            self.groups[node.group as usize].evicted_young += 1;
        }
        self.forget(place);
    }

    fn forget(&mut self, place: u32) {
        self.unlink(place, List::Group);
        self.unlink(place, List::All);
        let group = std::mem::replace(&mut self.nodes[place as usize].group, NONE);
        self.groups[group as usize].len -= 1;
        self.len -= 1;
        self.dead.push(place);
        if self.dead.len() >= SWEPT {
            self.sweep();
        }
    }

    /// Takes what was forgotten out of the table.
    fn sweep(&mut self) {
        for place in self.dead.drain(..).rev() {
            let hash = spread(self.nodes[place as usize].hash);
            if let Ok(entry) = self.table.find_entry(hash, |other| other.node == place) {
                entry.remove();
            }
            self.free_nodes.push(place);
        }
    }

    fn ends(&mut self, list: List, group: u32) -> &mut Ends {
        match list {
            List::Group => &mut self.groups[group as usize].ends,
            List::All => &mut self.all,
        }
    }

    fn links(&mut self, list: List, place: u32) -> &mut Links {
        let node = &mut self.nodes[place as usize];
        match list {
            List::Group => &mut node.in_group,
            List::All => &mut node.in_all,
        }
    }

    /// Takes a key out of a list.
    fn unlink(&mut self, place: u32, list: List) {
        let group = self.nodes[place as usize].group;
        let Links { older, newer } = *self.links(list, place);
        match older {
            NONE => self.ends(list, group).oldest = newer,
            _ => self.links(list, older).newer = newer,
        }
        match newer {
            NONE => self.ends(list, group).newest = older,
            _ => self.links(list, newer).older = older,
        }
    }

    /// Puts a key at a list's end, as the one seen last.
    fn link(&mut self, place: u32, list: List) {
        let group = self.nodes[place as usize].group;
        let newest = self.ends(list, group).newest;
        *self.links(list, place) = Links { older: newest, newer: NONE };
        match newest {
            NONE => self.ends(list, group).oldest = place,
            _ => self.links(list, newest).newer = place,
        }
        self.ends(list, group).newest = place;
    }
}
