//! How often data is painted: at the rate of `limits.console.frames_per_s_max`, and less often while entries
//! come faster than they are taken in, or while painting takes too much of the time. What is typed does not
//! wait for it.

use std::time::Duration;

use crate::time::Mono;

/// However slow it gets, so often data is painted; and so often while time is stopped.
const INTERVAL_MAX: Duration = Duration::from_millis(250);
/// The time between two paintings is at least so many times what one takes.
const COST_FACTOR: u32 = 4;
/// Bytes of a frame that the shortest interval is meant for; a longer one is followed by a longer pause.
const FRAME_BYTES_USUAL: u32 = 16 * 1024;
/// So many intervals without arrears, and the next is shorter.
const INTERVALS_ON_TIME_MIN: u32 = 4;

/// The pace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FrameScheduler {
    interval_min: Duration,
    /// As the arrears want it.
    interval: Duration,
    /// As the last frame's cost wants it.
    interval_for_cost: Duration,
    painted_at: Option<Mono>,
    adapted_at: Mono,
    /// All entries were taken in at some moment since the pace was looked at.
    has_caught_up: bool,
    /// Intervals in a row that ended without arrears.
    intervals_on_time: u32,
    /// What has come is taken in for the next frame.
    pub(super) is_folded: bool,
}

impl FrameScheduler {
    /// At most so many frames a second.
    pub(crate) fn new(frames_per_s_max: u64) -> Self {
        let interval = Duration::from_millis(1_000 / frames_per_s_max.max(1));
        Self {
            interval_min: interval,
            interval,
            interval_for_cost: interval,
            painted_at: None,
            adapted_at: Mono(0),
            has_caught_up: true,
            intervals_on_time: 0,
            is_folded: false,
        }
    }

    /// When data may be painted next. While time is stopped there is nothing to paint but the count of what
    /// waits.
    pub(crate) fn next_paint(&self, is_stopped: bool) -> Mono {
        let interval = if is_stopped { self.interval.max(INTERVAL_MAX) } else { self.interval };
        self.painted_at.map_or(Mono(0), |at| at + interval.max(self.interval_for_cost))
    }

    /// All entries there were have been taken in.
    pub(crate) fn caught_up(&mut self) {
        self.has_caught_up = true;
    }

    /// A frame of so many bytes was made.
    pub(crate) fn painted(&mut self, from: Mono, to: Mono, bytes: usize) {
        (self.painted_at, self.is_folded) = (Some(from), false);
        if from < self.adapted_at + self.interval.max(self.interval_for_cost) {
            // Something was typed: there was no time yet to catch up.
            return;
        }
        let passed = from.since(self.adapted_at).as_nanos() / self.interval.as_nanos().max(1);
        self.adapted_at = from;
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let for_bytes = self.interval_min.saturating_mul(bytes.div_ceil(FRAME_BYTES_USUAL));
        let longest = INTERVAL_MAX.max(self.interval_min);
        self.interval_for_cost =
            (to.since(from) * COST_FACTOR).max(for_bytes).clamp(self.interval_min, longest);
        let is_well = std::mem::take(&mut self.has_caught_up);
        self.intervals_on_time = if is_well {
            self.intervals_on_time.saturating_add(u32::try_from(passed).unwrap_or(u32::MAX))
        } else {
            0
        };
        if !is_well {
            self.interval = self.interval * 3 / 2;
        } else if self.intervals_on_time >= INTERVALS_ON_TIME_MIN {
            self.intervals_on_time = 0;
            self.interval = self.interval * 2 / 3;
        }
        self.interval = self.interval.clamp(self.interval_min, longest);
    }

    /// Frames a second, while there are arrears to make up, or while painting allows no more than half of
    /// what there should be.
    pub(crate) fn reduced_rate(&self) -> Option<u64> {
        let rest = if self.interval_for_cost >= self.interval_min * 2 {
            self.interval_for_cost
        } else {
            Duration::ZERO
        };
        let interval = self.interval.max(rest);
        let per_s = 1_000 / u64::try_from(interval.as_millis()).unwrap_or(u64::MAX).max(1);
        (interval > self.interval_min).then_some(per_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    /// Paints whenever it may; gives the moment.
    fn paint(pace: &mut FrameScheduler, ms: u64, took_ms: u64, bytes: usize) -> u64 {
        let at = ms.max(pace.next_paint(false).0.div_ceil(1_000_000));
        pace.painted(Now::at_ms(at).mono, Now::at_ms(at + took_ms).mono, bytes);
        at
    }

    #[test]
    fn while_it_keeps_up_frames_come_at_the_full_rate() {
        let mut pace = FrameScheduler::new(30);
        let mut ms = 1;
        for _ in 0..100 {
            let at = paint(&mut pace, ms, 1, 3_000);
            assert!(ms == 1 || at == ms + 33);
            ms = at;
            pace.caught_up();
        }
        assert_eq!(pace.reduced_rate(), None);
    }

    #[test]
    fn arrears_make_frames_fewer_down_to_four_a_second_and_their_end_brings_them_back() {
        let mut pace = FrameScheduler::new(30);
        let mut ms = 1_000;
        let mut rates = Vec::new();
        for _ in 0..10 {
            ms = paint(&mut pace, ms, 1, 3_000);
            rates.push(pace.reduced_rate());
        }
        // The first one had nothing to catch up with.
        assert_eq!(rates[..5], [None, Some(20), Some(13), Some(9), Some(5)]);
        assert_eq!(rates[9], Some(4));
        let from = ms;
        while pace.reduced_rate().is_some() {
            pace.caught_up();
            ms = paint(&mut pace, ms, 1, 3_000);
        }
        assert!((2_000..10_000).contains(&(ms - from)), "{} ms", ms - from);
    }

    #[test]
    fn keys_between_do_not_count_as_arrears() {
        let mut pace = FrameScheduler::new(30);
        for ms in 0..200 {
            if ms % 33 == 0 {
                pace.caught_up();
            }
            pace.painted(Now::at_ms(ms).mono, Now::at_ms(ms).mono, 3_000);
        }
        assert_eq!(pace.reduced_rate(), None);
    }

    #[test]
    fn painting_takes_at_most_a_quarter_of_the_time_and_long_frames_are_followed_by_long_pauses() {
        let mut pace = FrameScheduler::new(30);
        paint(&mut pace, 1_000, 20, 3_000);
        assert_eq!(pace.reduced_rate(), Some(12));
        let mut pace = FrameScheduler::new(30);
        paint(&mut pace, 1_000, 10, 3_000);
        assert_eq!(
            (pace.reduced_rate(), pace.next_paint(false)),
            (None, Now::at_ms(1_040).mono),
            "a little less is not worth a word"
        );
        let mut pace = FrameScheduler::new(30);
        paint(&mut pace, 1_000, 1, 40_000);
        assert_eq!(pace.reduced_rate(), Some(10));
        let mut pace = FrameScheduler::new(1);
        paint(&mut pace, 5_000, 300, 3_000);
        assert_eq!(
            pace.next_paint(false),
            Now::at_ms(6_200).mono.min(Now::at_ms(6_000).mono),
            "never beyond what was asked for"
        );
    }
}
