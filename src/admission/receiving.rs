//! Frames that have begun and are not whole: how long each takes, and how many bytes all of them hold.

use std::{collections::BTreeSet, hash::Hash, time::Duration};

use hashbrown::HashMap;

use super::{
    origin::Origin,
    tally::{Gauge, Tally},
    turned_away::TurnedAway,
};
use crate::time::{Mono, Now};

/// A frame that has begun.
#[derive(Clone, Copy, Debug)]
struct Unfinished {
    due: Mono,
    bytes: u64,
    origin: Origin,
}

/// The frames or messages of one port that have begun and are not whole, by whatever tells them apart: a
/// connection, or a call of one.
///
/// The bytes of all together are at most `bytes_max` once [`grow`](Self::grow) names none any more: give a
/// bound that a whole frame fits into.
#[derive(Debug)]
pub(crate) struct Receiving<K> {
    unfinished: HashMap<K, Unfinished>,
    /// The bytes of each: the largest is asked for with every byte while there are too many.
    by_bytes: BTreeSet<(u64, K)>,
    bytes: Gauge,
    bytes_max: u64,
    frame_time_max: Duration,
    /// No frame is due before it; nothing if none has begun since it passed.
    next_due: Option<Mono>,
    tally: Tally,
}

impl<K: Copy + Hash + Ord> Receiving<K> {
    /// Nothing has begun.
    #[must_use]
    pub(crate) fn new(bytes_max: u64, frame_time_max: Duration, tally: Tally) -> Self {
        Self {
            unfinished: HashMap::new(),
            by_bytes: BTreeSet::new(),
            bytes: tally.receiving_gauge(),
            bytes_max,
            frame_time_max,
            next_due: None,
            tally,
        }
    }

    /// So many bytes of a frame are kept now, none where nothing has begun; `is_new` says that what had begun
    /// before is whole. The answer is that of [`grow`](Self::grow).
    pub(crate) fn set_kept(
        &mut self,
        now: Now,
        key: K,
        origin: Origin,
        bytes: u64,
        is_new: bool,
    ) -> Option<K> {
        if bytes == 0 {
            self.end(key);
            return None;
        }
        if is_new || !self.unfinished.contains_key(&key) {
            self.begin(now, key, origin);
        }
        self.grow(key, bytes)
    }

    /// The first byte of a frame came from somewhere. What had begun under this key is whole.
    pub(crate) fn begin(&mut self, now: Now, key: K, origin: Origin) {
        self.end(key);
        let due = now.mono + self.frame_time_max;
        self.unfinished.insert(key, Unfinished { due, bytes: 0, origin });
        self.by_bytes.insert((0, key));
        self.next_due.get_or_insert(due);
    }

    /// So many bytes of a frame that has begun are held now. The answer is the key of the largest frame while
    /// there are too many bytes: its host ends it (it is forgotten and counted here), and asks again by
    /// [`overflow`](Self::overflow).
    pub(crate) fn grow(&mut self, key: K, bytes: u64) -> Option<K> {
        let frame = self.unfinished.get_mut(&key)?;
        self.by_bytes.remove(&(frame.bytes, key));
        self.by_bytes.insert((bytes, key));
        self.bytes.set(self.bytes.get() - frame.bytes + bytes);
        frame.bytes = bytes;
        self.overflow()
    }

    /// The largest frame while all hold more than they may; it is forgotten and counted as turned away.
    pub(crate) fn overflow(&mut self) -> Option<K> {
        if self.bytes.get() <= self.bytes_max {
            return None;
        }
        let &(_, largest) = self.by_bytes.last()?;
        self.turn_away(largest, TurnedAway::ReceivingBytes);
        Some(largest)
    }

    /// A frame is whole, or nothing more of it comes.
    pub(crate) fn end(&mut self, key: K) {
        // Most frames come whole.
        if !self.unfinished.is_empty() {
            self.remove(key);
        }
    }

    fn turn_away(&mut self, key: K, why: TurnedAway) {
        if let Some(Unfinished { origin, .. }) = self.remove(key) {
            self.tally.count(why, origin);
        }
    }

    fn remove(&mut self, key: K) -> Option<Unfinished> {
        let frame = self.unfinished.remove(&key)?;
        self.by_bytes.remove(&(frame.bytes, key));
        self.bytes.set(self.bytes.get() - frame.bytes);
        Some(frame)
    }

    /// When a frame that has begun must be whole.
    #[must_use]
    pub(crate) fn due_at(&self, key: K) -> Option<Mono> {
        self.unfinished.get(&key).map(|frame| frame.due)
    }

    /// Those that [`overdue`](Self::overdue) would name. Their host reads them once more before: what has
    /// come and was not read yet counts.
    #[must_use]
    pub(crate) fn due(&self, now: Now) -> Vec<K> {
        if self.next_due.is_none_or(|due| now.mono < due) {
            return Vec::new();
        }
        let late = self.unfinished.iter().filter(|(_, frame)| frame.due <= now.mono);
        late.map(|(&key, _)| key).collect()
    }

    /// The frames that took too long; they are forgotten and counted as turned away.
    pub(crate) fn overdue(&mut self, now: Now) -> Vec<K> {
        if self.next_due.is_none_or(|due| now.mono < due) {
            return Vec::new();
        }
        let late = self.due(now);
        for &key in &late {
            self.turn_away(key, TurnedAway::FrameTime);
        }
        self.next_due = self.unfinished.values().map(|frame| frame.due).min();
        late
    }

    /// When to ask for [`overdue`](Self::overdue) next. It may come earlier than a frame is due, once a time
    /// that a frame may take.
    #[must_use]
    pub(crate) fn deadline(&self) -> Option<Mono> {
        self.next_due
    }
}
