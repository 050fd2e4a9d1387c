//! What went by lately, of many keys, each with three figures.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
};

use crate::{
    console::model::rates::{WINDOW_BUCKETS, bucket_of},
    time::Now,
};

/// Figures that are counted of one key.
pub(crate) const METRICS: usize = 3;
/// Buckets that are over and make a minute with the present one.
const MINUTE_BUCKETS: u64 = 6;

/// Whole seconds that a rate is of.
const RATE_SECONDS: u64 = 5;
/// As many, and the present one.
const SECONDS: usize = 6;

/// Counts of three figures by buckets of ten seconds of monotonic time, and of the last seconds each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WindowedRates {
    buckets: VecDeque<Bucket>,
    /// By second, each at the place of its remainder.
    seconds: [(u64, [u64; METRICS]); SECONDS],
    /// When it began after a time without anything.
    begun_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bucket {
    number: u64,
    counts: [u64; METRICS],
}

fn ms_of(at: Now) -> u64 {
    at.mono.0 / 1_000_000
}

fn add_counts(counts: &mut [u64; METRICS], figures: [u64; METRICS]) {
    for (count, more) in counts.iter_mut().zip(figures) {
        *count = count.saturating_add(more);
    }
}

impl WindowedRates {
    /// So much more at this moment.
    pub(crate) fn add(&mut self, at: Now, figures: [u64; METRICS]) {
        let number = bucket_of(at);
        match self.buckets.back_mut() {
            Some(last) if last.number >= number => add_counts(&mut last.counts, figures),
            _ => self.buckets.push_back(Bucket { number, counts: figures }),
        }
        while self.buckets.len() > WINDOW_BUCKETS {
            self.buckets.pop_front();
        }
        let ms = ms_of(at);
        let second = ms / 1_000;
        if self.recent_seconds(second + 1).next().is_none() {
            self.begun_ms = ms;
        }
        let place = &mut self.seconds[usize::try_from(second % SECONDS as u64).unwrap_or_default()];
        if place.0 != second {
            *place = (second, [0; METRICS]);
        }
        add_counts(&mut place.1, figures);
    }

    /// So much more at a moment that may lie before others.
    pub(crate) fn insert(&mut self, at: Now, figures: [u64; METRICS]) {
        let number = bucket_of(at);
        let place = self.buckets.partition_point(|bucket| bucket.number < number);
        match self.buckets.get_mut(place) {
            Some(bucket) if bucket.number == number => add_counts(&mut bucket.counts, figures),
            _ => self.buckets.insert(place, Bucket { number, counts: figures }),
        }
        while self.buckets.len() > WINDOW_BUCKETS {
            self.buckets.pop_front();
        }
    }

    fn minute(&self, now: Now) -> impl Iterator<Item = &Bucket> {
        let present = bucket_of(now);
        self.buckets
            .iter()
            .filter(move |bucket| bucket.number + MINUTE_BUCKETS > present && bucket.number <= present)
    }

    /// What one figure came to in the last minute, the present bucket included.
    pub(crate) fn per_minute(&self, figure: usize, now: Now) -> u64 {
        self.minute(now).map(|bucket| bucket.counts[figure]).fold(0, u64::saturating_add)
    }

    /// The seconds before this one that a rate is of, where something came in them.
    fn recent_seconds(&self, second: u64) -> impl Iterator<Item = &[u64; METRICS]> {
        let from = second.saturating_sub(RATE_SECONDS);
        let is_of = move |known: u64, counts: &[u64; METRICS]| {
            (from..second).contains(&known) && *counts != [0; METRICS]
        };
        self.seconds.iter().filter(move |(known, counts)| is_of(*known, counts)).map(|(_, counts)| counts)
    }

    /// What one figure came to a second, over the last five whole seconds or those since it began.
    #[expect(clippy::cast_precision_loss, reason = "a rate is read to two digits")]
    pub(crate) fn per_second(&self, figure: usize, now: Now) -> f64 {
        let ms = ms_of(now);
        let second = ms / 1_000;
        let mut count = self.recent_seconds(second).map(|counts| counts[figure]).fold(0, u64::saturating_add);
        let mut elapsed_ms =
            (second * 1_000).saturating_sub(self.begun_ms.max(second.saturating_sub(RATE_SECONDS) * 1_000));
        if self.begun_ms / 1_000 >= second {
            // It began in this second, which is not over.
            count = self.recent_seconds(second + 1).map(|counts| counts[figure]).fold(0, u64::saturating_add);
            elapsed_ms = ms.saturating_sub(self.begun_ms);
        }
        count as f64 * 1_000.0 / elapsed_ms.max(1_000) as f64
    }

    /// One figure in the last buckets, oldest first.
    pub(crate) fn window(&self, figure: usize, now: Now) -> [u64; WINDOW_BUCKETS] {
        let present = bucket_of(now);
        let mut window = [0; WINDOW_BUCKETS];
        for bucket in &self.buckets {
            let back = usize::try_from(present.saturating_sub(bucket.number)).unwrap_or(usize::MAX);
            if back < WINDOW_BUCKETS {
                window[WINDOW_BUCKETS - 1 - back] = bucket.counts[figure];
            }
        }
        window
    }

    fn last(&self) -> u64 {
        self.buckets.back().map_or(0, |bucket| bucket.number)
    }
}

/// The flows of many keys, at most so many. Where one more has no room, the quarter that was quiet longest
/// goes.
#[derive(Clone, Debug)]
pub(crate) struct RatesByKey<K> {
    all: BTreeMap<K, WindowedRates>,
    limit: usize,
}

impl<K: Ord + Clone> RatesByKey<K> {
    pub(crate) fn new(limit: u64) -> Self {
        Self { all: BTreeMap::new(), limit: usize::try_from(limit).unwrap_or(usize::MAX).max(4) }
    }

    /// So much more of a key at this moment.
    pub(crate) fn add(&mut self, key: &K, at: Now, figures: [u64; METRICS]) {
        if let Some(flow) = self.all.get_mut(key) {
            flow.add(at, figures);
            return;
        }
        if self.all.len() >= self.limit {
            self.evict_quietest();
        }
        self.all.entry(key.clone()).or_default().add(at, figures);
    }

    fn evict_quietest(&mut self) {
        let mut lasts: Vec<(u64, K)> =
            self.all.iter().map(|(key, flow)| (flow.last(), key.clone())).collect();
        lasts.sort_by_key(|(last, _)| Reverse(*last));
        for (_, key) in lasts.drain(self.limit * 3 / 4..) {
            self.all.remove(&key);
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&WindowedRates> {
        self.all.get(key)
    }

    pub(crate) fn remove(&mut self, key: &K) {
        self.all.remove(key);
    }

    /// Lets go of the keys that this says no to.
    pub(crate) fn retain(&mut self, stays: impl Fn(&K) -> bool) {
        self.all.retain(|key, _| stays(key));
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(flow: &WindowedRates, ms: u64) -> String {
        format!("{:.1}", flow.per_second(0, Now::at_ms(ms)))
    }

    #[test]
    fn a_steady_rate_is_told_as_it_is_from_its_second_second_on_and_none_five_seconds_after_its_end() {
        let mut flow = WindowedRates::default();
        for ms in (40_000..50_000).step_by(10) {
            flow.add(Now::at_ms(ms), [1, 0, 0]);
            if ms >= 41_000 {
                assert_eq!(rate(&flow, ms), "100.0", "at {ms}");
            }
        }
        let after: Vec<String> = (0..7).map(|s| rate(&flow, 50_000 + s * 1_000)).collect();
        assert_eq!(after, ["100.0", "80.0", "60.0", "40.0", "20.0", "0.0", "0.0"]);
    }

    #[test]
    fn a_burst_is_not_thinned_by_the_time_before_it_and_one_a_second_is_one() {
        let mut flow = WindowedRates::default();
        flow.add(Now::at_ms(1_000), [1, 0, 0]);
        for ms in (20_500..23_000).step_by(10) {
            flow.add(Now::at_ms(ms), [80, 0, 0]);
        }
        assert_eq!(rate(&flow, 23_000), "8000.0");
        let mut flow = WindowedRates::default();
        for second in 0..20 {
            flow.add(Now::at_ms(300 + second * 1_000), [1, 0, 0]);
        }
        assert_eq!((rate(&flow, 19_400), rate(&flow, 19_999)), ("1.0".to_owned(), "1.0".to_owned()));
    }

    #[test]
    fn what_came_in_a_minute_is_counted_and_drawn_by_ten_seconds() {
        let mut flow = WindowedRates::default();
        flow.add(Now::at_ms(0), [10, 1_000, 0]);
        flow.add(Now::at_ms(4_000), [10, 1_000, 5]);
        assert_eq!((flow.per_minute(0, Now::at_ms(59_999)), flow.per_minute(0, Now::at_ms(60_000))), (20, 0));
        assert_eq!(flow.window(0, Now::at_ms(15_000)), [0, 0, 0, 0, 0, 0, 20, 0]);
    }

    #[test]
    fn where_there_is_no_room_the_quiet_ones_go() {
        let mut flows = RatesByKey::new(8);
        for key in 0..8_u64 {
            flows.add(&key, Now::at_ms(key * 10_000), [1, 0, 0]);
        }
        flows.add(&0, Now::at_ms(90_000), [1, 0, 0]);
        flows.add(&100, Now::at_ms(90_000), [1, 0, 0]);
        assert_eq!(flows.len(), 7);
        let there = |key: &u64| flows.get(key).is_some();
        assert!(there(&0) && there(&100) && !there(&1) && !there(&2) && there(&3));
    }
}
