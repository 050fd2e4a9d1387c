//! What went by lately, of many keys, each with three figures.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
};

use super::rates::{BUCKET_MS, WINDOW_BUCKETS, bucket_of};
use crate::time::Now;

/// Figures that are counted of one key.
pub(crate) const FIGURES: usize = 3;
/// Buckets that are over and make a minute with the present one.
const MINUTE_BUCKETS: u64 = 6;

/// Counts of three figures by buckets of ten seconds of monotonic time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    buckets: VecDeque<(u64, [u64; FIGURES])>,
}

impl Flow {
    /// So much more at this moment.
    pub(super) fn add(&mut self, at: Now, figures: [u64; FIGURES]) {
        let bucket = bucket_of(at);
        match self.buckets.back_mut() {
            Some((last, counts)) if *last >= bucket => {
                for (count, more) in counts.iter_mut().zip(figures) {
                    *count = count.saturating_add(more);
                }
            }
            _ => self.buckets.push_back((bucket, figures)),
        }
        while self.buckets.len() > WINDOW_BUCKETS {
            self.buckets.pop_front();
        }
    }

    fn minute(&self, now: Now) -> impl Iterator<Item = &(u64, [u64; FIGURES])> {
        let present = bucket_of(now);
        self.buckets.iter().filter(move |(bucket, _)| bucket + MINUTE_BUCKETS > present && *bucket <= present)
    }

    /// What one figure came to in the last minute, the present bucket included.
    pub(crate) fn per_minute(&self, figure: usize, now: Now) -> u64 {
        self.minute(now).map(|(_, counts)| counts[figure]).fold(0, u64::saturating_add)
    }

    /// What one figure came to a second, since the first that came in the last minute.
    #[expect(clippy::cast_precision_loss, reason = "a rate is read to two digits")]
    pub(crate) fn per_second(&self, figure: usize, now: Now) -> f64 {
        let Some((first, _)) = self.minute(now).next() else { return 0.0 };
        let ms = (now.mono.0 / 1_000_000).saturating_sub(first * BUCKET_MS).max(1_000);
        self.per_minute(figure, now) as f64 * 1_000.0 / ms as f64
    }

    /// One figure in the last buckets, oldest first.
    pub(crate) fn window(&self, figure: usize, now: Now) -> [u64; WINDOW_BUCKETS] {
        let present = bucket_of(now);
        let mut window = [0; WINDOW_BUCKETS];
        for (bucket, counts) in &self.buckets {
            let back = usize::try_from(present.saturating_sub(*bucket)).unwrap_or(usize::MAX);
            if back < WINDOW_BUCKETS {
                window[WINDOW_BUCKETS - 1 - back] = counts[figure];
            }
        }
        window
    }

    /// Since when one figure came to something in every bucket up to the present or the last one, if it did in so many.
    pub(crate) fn steady_since(&self, buckets: usize, now: Now) -> Option<Now> {
        let present = bucket_of(now);
        let mut wanted = self.buckets.back().map(|(last, _)| *last).filter(|last| last + 1 >= present)?;
        let mut first = None;
        let mut found = 0;
        for (bucket, counts) in self.buckets.iter().rev() {
            if *bucket != wanted || counts.iter().all(|count| *count == 0) {
                break;
            }
            (first, found) = (Some(*bucket), found + 1);
            wanted = bucket.saturating_sub(1);
        }
        let began_ms = first.filter(|_| found >= buckets)? * BUCKET_MS;
        let back_ms = (now.mono.0 / 1_000_000).saturating_sub(began_ms);
        Some(Now { mono: crate::time::Mono(began_ms * 1_000_000), wall: crate::time::Wall(now.wall.0.saturating_sub(back_ms)) })
    }

    fn last(&self) -> u64 {
        self.buckets.back().map_or(0, |(bucket, _)| *bucket)
    }
}

/// The flows of many keys, at most so many. Where one more has no room, the quarter that was quiet longest goes.
#[derive(Clone, Debug)]
pub(crate) struct Flows<K> {
    all: BTreeMap<K, Flow>,
    limit: usize,
}

impl<K: Ord + Clone> Flows<K> {
    pub(super) fn new(limit: u64) -> Self {
        Self { all: BTreeMap::new(), limit: usize::try_from(limit).unwrap_or(usize::MAX).max(4) }
    }

    /// So much more of a key at this moment.
    pub(super) fn add(&mut self, key: &K, at: Now, figures: [u64; FIGURES]) {
        if let Some(flow) = self.all.get_mut(key) {
            flow.add(at, figures);
            return;
        }
        if self.all.len() >= self.limit {
            self.thin();
        }
        self.all.entry(key.clone()).or_default().add(at, figures);
    }

    fn thin(&mut self) {
        let mut lasts: Vec<(u64, K)> = self.all.iter().map(|(key, flow)| (flow.last(), key.clone())).collect();
        lasts.sort_by_key(|(last, _)| Reverse(*last));
        for (_, key) in lasts.drain(self.limit * 3 / 4..) {
            self.all.remove(&key);
        }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&Flow> {
        self.all.get(key)
    }

    pub(super) fn remove(&mut self, key: &K) {
        self.all.remove(key);
    }

    /// Lets go of the keys that this says no to.
    pub(super) fn retain(&mut self, stays: impl Fn(&K) -> bool) {
        self.all.retain(|key, _| stays(key));
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_of_the_last_minute_or_of_as_much_of_it_as_there_was() {
        let mut flow = Flow::default();
        flow.add(Now::at_ms(0), [10, 1_000, 0]);
        flow.add(Now::at_ms(4_000), [10, 1_000, 5]);
        let rates = [0, 1, 2].map(|figure| format!("{:.1}", flow.per_second(figure, Now::at_ms(5_000))));
        assert_eq!(rates, ["4.0", "400.0", "1.0"]);
        assert_eq!(format!("{:.2}", flow.per_second(0, Now::at_ms(40_000))), "0.50");
        assert_eq!((flow.per_minute(0, Now::at_ms(59_999)), flow.per_minute(0, Now::at_ms(60_000))), (20, 0));
        assert_eq!(flow.window(0, Now::at_ms(15_000)), [0, 0, 0, 0, 0, 0, 20, 0]);
    }

    #[test]
    fn it_is_steady_while_no_bucket_is_empty() {
        let mut flow = Flow::default();
        for ms in [5_000, 15_000, 25_000] {
            flow.add(Now::at_ms(ms), [1, 0, 0]);
        }
        assert_eq!(flow.steady_since(3, Now::at_ms(29_000)).map(|at| at.mono), Some(Now::at_ms(0).mono));
        assert_eq!(flow.steady_since(3, Now::at_ms(39_999)).map(|at| at.mono), Some(Now::at_ms(0).mono), "the present one may be young");
        assert_eq!((flow.steady_since(3, Now::at_ms(40_000)), flow.steady_since(4, Now::at_ms(29_000))), (None, None));
    }

    #[test]
    fn where_there_is_no_room_the_quiet_ones_go() {
        let mut flows = Flows::new(8);
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
