//! How much of what a plugin writes is read (ruling Plugins 8).

use std::time::Duration;

use crate::{limits, time::Mono};

/// Whether a plugin may be read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permit {
    /// So many bytes, at least one.
    Read(usize),
    /// Not before this moment: it wrote more than is read in a second.
    At(Mono),
    /// Not before its answers have room again.
    Full,
}

/// A bucket that holds what may be read in one second, and fills evenly.
#[derive(Clone, Debug)]
struct Bucket {
    per_s: u64,
    /// In billionths.
    left: u128,
    at: Mono,
}

const BILLION: u128 = 1_000_000_000;

impl Bucket {
    fn new(now: Mono, per_s: u64) -> Self {
        Self { per_s, left: u128::from(per_s) * BILLION, at: now }
    }

    fn left(&self, now: Mono) -> u128 {
        let full = u128::from(self.per_s) * BILLION;
        (self.left + now.since(self.at).as_nanos() * u128::from(self.per_s)).min(full)
    }

    fn take(&mut self, now: Mono, count: u64) {
        self.left = self.left(now).saturating_sub(u128::from(count) * BILLION);
        self.at = self.at.max(now);
    }

    /// When a tenth of it is there again: less would be read in crumbs.
    fn refilled_at(&self, now: Mono) -> Mono {
        let wanted = (u128::from(self.per_s) * BILLION / 10).max(BILLION);
        let missing = wanted.saturating_sub(self.left(now));
        let ns = missing.div_ceil(u128::from(self.per_s.max(1)));
        now + Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// What of a plugin's frames and bytes may be read within a second.
#[derive(Clone, Debug)]
pub(in crate::plugin) struct ReadBudget {
    frames: Bucket,
    bytes: Bucket,
    turn_bytes_max: usize,
}

impl ReadBudget {
    pub(in crate::plugin) fn new(now: Mono, limits: &limits::Plugin) -> Self {
        Self {
            frames: Bucket::new(now, limits.frames_per_s_max),
            bytes: Bucket::new(now, limits.bytes_per_s_max),
            turn_bytes_max: usize::try_from(limits.turn_bytes_max).unwrap_or(usize::MAX),
        }
    }

    pub(in crate::plugin) fn on_frame(&mut self, now: Mono) {
        self.frames.take(now, 1);
    }

    pub(in crate::plugin) fn on_bytes(&mut self, now: Mono, bytes: u64) {
        self.bytes.take(now, bytes);
    }

    /// Whether something may be read now.
    pub(in crate::plugin) fn permit(&self, now: Mono) -> Permit {
        let bytes = self.bytes.left(now) / BILLION;
        if self.frames.left(now) < BILLION || bytes == 0 {
            return Permit::At(self.frames.refilled_at(now).max(self.bytes.refilled_at(now)));
        }
        Permit::Read(usize::try_from(bytes).unwrap_or(usize::MAX).min(self.turn_bytes_max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    fn at(ms: u64) -> Mono {
        Now::at_ms(ms).mono
    }

    #[test]
    fn a_flood_waits_until_a_tenth_of_a_second_is_there_again() {
        let limits = limits::Plugin { frames_per_s_max: 1_000, ..limits::Plugin::default() };
        let mut budget = ReadBudget::new(at(0), &limits);
        (0..1_000).for_each(|_| budget.on_frame(at(0)));
        assert_eq!(budget.permit(at(0)), Permit::At(at(100)));
        assert_eq!(budget.permit(at(100)), Permit::Read(65_536));
        (0..100).for_each(|_| budget.on_frame(at(100)));
        assert_eq!(budget.permit(at(100)), Permit::At(at(200)));
    }

    #[test]
    fn bytes_are_counted_as_well_and_a_turn_is_bounded() {
        let limits = limits::Plugin { bytes_per_s_max: 100_000, ..limits::Plugin::default() };
        let mut budget = ReadBudget::new(at(0), &limits);
        budget.on_bytes(at(0), 60_000);
        assert_eq!(budget.permit(at(0)), Permit::Read(40_000));
        budget.on_bytes(at(0), 40_000);
        assert_eq!(budget.permit(at(0)), Permit::At(at(100)));
        assert_eq!(budget.permit(at(2_000)), Permit::Read(65_536));
    }
}
