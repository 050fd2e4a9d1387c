//! How much happened when among the kept entries, for the bar that is shown while time is stopped.

use std::{collections::VecDeque, ops::Range};

use crate::{
    console::model::entry_buffer::EntryBuffer,
    dissect::EntryRecord,
    port::BarPart,
    tap::{EntryRef, entry::What},
    time::Mono,
};

/// Slots at most: more than a screen has columns.
const SLOTS_MAX: usize = 2_048;
/// Milliseconds of a slot, as long as there are few.
const SLOT_MS: u64 = 16;

/// Counts in slots of equal time, which get longer where there would be too many.
///
/// ```text
///   kept      e e e e e e e e e e e e e e e e e
///   counted             └────────────┘
///              ◀ older ones then       newer ones first ▶
/// ```
#[derive(Debug)]
pub(super) struct Density {
    slots: VecDeque<BarPart>,
    /// The place of the first slot among all of the monotonic clock.
    first: u64,
    slot_ms: u64,
    /// The indexes of the entries that are counted.
    counted: Range<u64>,
}

impl Density {
    /// Nothing is counted yet: newer entries are those from this index on.
    pub(super) fn new(index: u64) -> Self {
        Self { slots: VecDeque::new(), first: 0, slot_ms: SLOT_MS, counted: index..index }
    }

    /// Whether some of the kept entries are not counted.
    pub(super) fn is_behind(&self, kept: &EntryBuffer) -> bool {
        self.counted.end < kept.end() || kept.first() < self.counted.start
    }

    /// Counts so many entries at most, and lets go what is not kept any longer.
    pub(super) fn advance(&mut self, kept: &EntryBuffer, entries: u64) {
        self.evict(kept);
        let newer = self.counted.end..kept.end().min(self.counted.end.saturating_add(entries));
        let rest = entries.saturating_sub(newer.end.saturating_sub(newer.start));
        let older = kept.first().max(self.counted.start.saturating_sub(rest))..self.counted.start;
        self.count(kept, newer.clone());
        self.count(kept, older.clone());
        self.counted = older.start..newer.end;
    }

    fn evict(&mut self, kept: &EntryBuffer) {
        let first = kept.first();
        if first <= self.counted.start {
            return;
        }
        let oldest = kept.entry(first).filter(|_| first < self.counted.end);
        let Some(oldest) = oldest.map(|found| ms(found.entry.at.mono)) else {
            *self = Self::new(first);
            return;
        };
        self.counted.start = first;
        let gone = (oldest / self.slot_ms).saturating_sub(self.first);
        for _ in 0..gone {
            if self.slots.pop_front().is_none() {
                break;
            }
            self.first += 1;
        }
    }

    fn count(&mut self, kept: &EntryBuffer, indexes: Range<u64>) {
        for (_, found) in kept.range(indexes.clone()) {
            self.add(found.entry.at.mono, part_of(found));
        }
        for (index, lost) in kept.losses(indexes) {
            if let Some(found) = kept.entry(index) {
                self.add(found.entry.at.mono, BarPart { lost, ..BarPart::default() });
            }
        }
    }

    fn add(&mut self, at: Mono, part: BarPart) {
        let slot = self.make_room(at);
        while slot < self.first {
            self.slots.push_front(BarPart::default());
            self.first -= 1;
        }
        let index = usize::try_from(slot - self.first).unwrap_or(SLOTS_MAX).min(SLOTS_MAX - 1);
        if index >= self.slots.len() {
            self.slots.resize(index + 1, BarPart::default());
        }
        if let Some(known) = self.slots.get_mut(index) {
            *known = known.plus(part);
        }
    }

    /// The slot of a moment, after slots got so long that it and all others are few enough.
    fn make_room(&mut self, at: Mono) -> u64 {
        loop {
            let slot = ms(at) / self.slot_ms;
            if self.slots.is_empty() {
                self.first = slot;
            }
            let last = self.first.saturating_add((self.slots.len() as u64).saturating_sub(1));
            if last.max(slot) - self.first.min(slot) < SLOTS_MAX as u64 {
                return slot;
            }
            self.coarsen();
        }
    }

    /// Makes two slots one.
    fn coarsen(&mut self) {
        let mut merged: VecDeque<BarPart> = VecDeque::with_capacity(self.slots.len() / 2 + 1);
        for (place, part) in (self.first..).zip(std::mem::take(&mut self.slots)) {
            match merged.back_mut().filter(|_| place % 2 == 1) {
                Some(before) => *before = before.plus(part),
                None => merged.push_back(part),
            }
        }
        (self.slots, self.first) = (merged, self.first / 2);
        self.slot_ms = self.slot_ms.saturating_mul(2);
    }

    /// So many parts of equal time from one moment to another. What is greatest in several slots is kept.
    pub(super) fn columns(&self, (from, to): (Mono, Mono), columns: usize) -> Vec<BarPart> {
        let (from, to) = (ms(from), ms(to));
        let of = u128::from(to.saturating_sub(from)) + 1;
        let begin = |column: usize| {
            let since = of * column as u128 / columns.max(1) as u128;
            from.saturating_add(u64::try_from(since).unwrap_or(u64::MAX))
        };
        let place = |ms: u64| {
            let place = (ms / self.slot_ms).checked_sub(self.first)?;
            usize::try_from(place).ok()
        };
        let part = |column: usize| {
            let (from, to) = (begin(column), begin(column + 1).saturating_sub(1));
            let end = place(to.max(from)).map_or(0, |last| last.saturating_add(1)).min(self.slots.len());
            let start = place(from).unwrap_or(0).min(end);
            self.slots.range(start..end).fold(BarPart::default(), |one, other| one.greatest(*other))
        };
        (0..columns.min(SLOTS_MAX)).map(part).collect()
    }
}

const fn ms(at: Mono) -> u64 {
    at.0 / 1_000_000
}

/// What an entry counts as.
fn part_of(found: EntryRef<'_>) -> BarPart {
    if let What::Loss { count } = found.entry.what {
        return BarPart { lost: count, ..BarPart::default() };
    }
    let record = EntryRecord(found);
    BarPart { weight: 1, faults: record.outcome().is_bad().into(), marks: record.is_mark().into(), lost: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        limits::{self, Limits},
        tap::{
            Draft, Reader, Tap,
            entry::{Link, Transition, mpp, station},
        },
        time::Now,
    };

    fn emit(tap: &Tap, ms: u64, what: What) {
        let at = Now::at_ms(ms);
        tap.emit(Draft { at, link: Link::Station, trace: None, cause: None, what, bytes: b"" });
    }

    fn say(tap: &Tap, ms: u64) {
        let level = mpp::Level::Info;
        emit(tap, ms, What::Transition(Transition::Station(station::Transition::Notice { level })));
    }

    fn read(kept: &mut EntryBuffer, reader: &mut Reader) {
        while let Some(batch) = reader.read() {
            kept.push(batch);
        }
    }

    fn buffer(kept_entries_max: u64) -> EntryBuffer {
        EntryBuffer::new(&limits::Console { kept_entries_max, ..Limits::default().console })
    }

    fn mono(ms: u64) -> Mono {
        Now::at_ms(ms).mono
    }

    fn weights(density: &Density, from: u64, to: u64, columns: usize) -> Vec<u64> {
        density.columns((mono(from), mono(to)), columns).iter().map(|part| part.weight).collect()
    }

    #[test]
    fn what_came_since_is_counted_first_then_what_was_before_a_few_at_a_time() {
        let tap = Tap::new(Limits::default().tap);
        let (mut reader, mut kept) = (tap.reader().unwrap(), buffer(100_000));
        (0..10).for_each(|at| say(&tap, at * 1_000 + 500));
        read(&mut kept, &mut reader);
        let mut density = Density::new(kept.end());
        (10..12).for_each(|at| say(&tap, at * 1_000 + 500));
        read(&mut kept, &mut reader);
        density.advance(&kept, 3);
        assert_eq!(weights(&density, 0, 11_999, 12), [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]);
        assert!(density.is_behind(&kept));
        density.advance(&kept, 100);
        assert!(!density.is_behind(&kept));
        assert_eq!(weights(&density, 0, 11_999, 12), [1; 12]);
    }

    #[test]
    fn marks_and_what_was_lost_are_at_their_time_and_slots_get_longer_with_it() {
        let tap = Tap::new(limits::Tap { ring_entries_max: 1_024, ..Limits::default().tap });
        let (mut reader, mut kept) = (tap.reader().unwrap(), buffer(100_000));
        say(&tap, 0);
        emit(
            &tap,
            1_200_000,
            What::Transition(Transition::Station(station::Transition::Marked { by: None, entry: None })),
        );
        read(&mut kept, &mut reader);
        (0..3_000).for_each(|_| say(&tap, 3_600_000));
        read(&mut kept, &mut reader);
        let mut density = Density::new(kept.end());
        density.advance(&kept, u64::MAX);
        assert!(density.slots.len() <= SLOTS_MAX && density.slot_ms > SLOT_MS);
        let parts = density.columns((mono(0), mono(3_600_000)), 4);
        assert_eq!(parts.iter().map(|part| part.marks).collect::<Vec<_>>(), [0, 1, 0, 0]);
        assert_eq!(parts.iter().position(|part| part.lost > 0), Some(3));
        assert!(parts[3].weight > 0 && parts[2].weight == 0);
    }

    #[test]
    fn what_is_evicted_is_not_in_it_and_moments_far_apart_are_no_trouble() {
        let tap = Tap::new(Limits::default().tap);
        let (mut reader, mut kept) = (tap.reader().unwrap(), buffer(4_096));
        let mut density = Density::new(0);
        for at in 0..10_000 {
            say(&tap, at);
            read(&mut kept, &mut reader);
            density.advance(&kept, 8);
        }
        let first = kept.entry(kept.first()).unwrap().entry.at.mono;
        assert!(!density.is_behind(&kept) && density.first >= ms(first) / density.slot_ms);
        let counted: u64 = density.slots.iter().map(|part| part.weight).sum();
        assert!(counted >= kept.len() as u64 && counted < kept.len() as u64 + density.slot_ms);
        for at in [u64::MAX, 0, 7] {
            density.add(Mono(at), BarPart { weight: 1, ..BarPart::default() });
        }
        assert!(density.slots.len() <= SLOTS_MAX);
        assert_eq!(density.columns((Mono(u64::MAX), Mono(0)), 0), []);
        assert_eq!(Density::new(7).columns((Mono(0), Mono(9)), 3), [BarPart::default(); 3]);
    }
}
