//! When a recording has its next keyframe.

use std::time::Duration;

use crate::time::Mono;

/// Entries between two of them at least.
const ENTRIES_MIN: u64 = 16_384;
/// How many times its own length lies between two of them at least.
const LENGTHS_MIN: u64 = 10;
/// How long at most, where anything happens; and at least, whatever happens.
const AFTER_MAX: Duration = Duration::from_secs(60);
const AFTER_MIN: Duration = Duration::from_secs(1);

/// What came since the last one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KeyframeSchedule {
    taken_at: Mono,
    /// Its length in the file, compressed.
    length: u64,
    /// Where it ends in the file.
    end: u64,
    entries: u64,
    /// The state after what came last is not known from entries.
    is_needed: bool,
    /// None could be taken: not before then, and how long it was waited.
    retry_at: Mono,
    pause: Duration,
}

impl KeyframeSchedule {
    /// Notes one, by its place in the file.
    pub(super) fn taken(&mut self, now: Mono, begin: u64, end: u64) {
        let length = end.saturating_sub(begin);
        *self = Self { taken_at: now, length, end, ..Self::default() };
    }

    /// Notes an entry of which something can be seen.
    pub(super) fn entry(&mut self) {
        self.entries += 1;
    }

    /// Notes that entries alone do not say the state.
    pub(super) fn need(&mut self) {
        self.is_needed = true;
    }

    /// Whether entries alone do not say the state.
    pub(super) const fn is_needed(&self) -> bool {
        self.is_needed
    }

    /// Notes that none could be taken. Each time it is waited for twice as long.
    pub(super) fn failed(&mut self, now: Mono) {
        self.pause = (self.pause * 2).clamp(AFTER_MIN, AFTER_MAX);
        self.retry_at = now + self.pause;
    }

    /// Whether one is due, with so many bytes in the file.
    pub(super) fn is_due(&self, now: Mono, bytes: u64) -> bool {
        let passed = now.since(self.taken_at);
        let is_enough = self.entries >= ENTRIES_MIN
            && bytes.saturating_sub(self.end) >= self.length.saturating_mul(LENGTHS_MIN);
        now >= self.retry_at
            && passed >= AFTER_MIN
            && (self.is_needed || is_enough || (passed >= AFTER_MAX && self.entries > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    fn at(ms: u64) -> Mono {
        Now::at_ms(ms).mono
    }

    fn taken(entries: u64) -> KeyframeSchedule {
        let mut schedule = KeyframeSchedule::default();
        schedule.taken(at(1_000), 4_000, 5_000);
        (0..entries).for_each(|_| schedule.entry());
        schedule
    }

    #[test]
    fn one_is_due_after_enough_entries_and_ten_times_its_length() {
        assert!(taken(16_384).is_due(at(2_000), 15_000));
        assert!(!taken(16_383).is_due(at(2_000), 15_000));
        assert!(!taken(16_384).is_due(at(2_000), 14_999));
        assert!(!taken(16_384).is_due(at(1_999), 15_000), "at the soonest after 1 s");
    }

    #[test]
    fn one_is_due_after_a_minute_in_which_anything_happened() {
        assert!(taken(1).is_due(at(61_000), 5_000));
        assert!(!taken(1).is_due(at(60_999), 5_000));
        assert!(!taken(0).is_due(at(1_000_000), 5_000));
    }

    #[test]
    fn one_that_is_needed_is_due_after_a_second() {
        let mut schedule = taken(0);
        schedule.need();
        assert!(!schedule.is_due(at(1_999), 5_000) && schedule.is_due(at(2_000), 5_000));
        schedule.failed(at(2_000));
        assert!(!schedule.is_due(at(2_999), 5_000) && schedule.is_due(at(3_000), 5_000));
        schedule.failed(at(3_000));
        assert!(!schedule.is_due(at(4_999), 5_000) && schedule.is_due(at(5_000), 5_000), "twice as long");
        schedule.taken(at(5_000), 0, 9);
        assert!(!schedule.is_due(at(9_000), 5_000));
    }
}
