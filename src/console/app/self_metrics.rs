//! What this console costs and how well it keeps up, second by second over the last minute. It holds 60
//! seconds of counts, whatever happens; process memory is not read.

use std::{collections::VecDeque, time::Duration};

use crate::{
    console::model::station::{HealthMetrics, Measured},
    time::Mono,
};

/// Seconds that are remembered, the one that runs included.
const SECONDS: u64 = 60;
/// Frame times are counted in buckets, four to an octave: a percentile is at most a fifth too long.
const BUCKETS: usize = 80;
/// The first bucket's upper bound.
const FIRST: Duration = Duration::from_micros(8);

/// One second.
#[derive(Clone, Debug)]
struct Second {
    /// Which one, since the clock began.
    number: u64,
    frames: u64,
    bytes: u64,
    longest: Duration,
    times: [u32; BUCKETS],
    folded: u64,
    folding: Duration,
    behind: u64,
}

impl Second {
    fn new(number: u64) -> Self {
        Self {
            number,
            frames: 0,
            bytes: 0,
            longest: Duration::ZERO,
            times: [0; BUCKETS],
            folded: 0,
            folding: Duration::ZERO,
            behind: 0,
        }
    }
}

/// The seconds in which anything was counted, the oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfMetrics {
    seconds: VecDeque<Second>,
}

impl SelfMetrics {
    /// A frame of so many bytes was handed over: when drawing began, and when it was done.
    pub(crate) fn frame(&mut self, from: Mono, to: Mono, bytes: usize) {
        let took = to.since(from);
        let second = self.second(to);
        second.frames += 1;
        second.bytes = second.bytes.saturating_add(bytes as u64);
        second.longest = second.longest.max(took);
        second.times[bucket(took)] += 1;
    }

    /// So many entries were taken in; so many had waited when that began.
    pub(crate) fn fold(&mut self, from: Mono, to: Mono, entries: u64, waited: u64) {
        let second = self.second(to);
        second.folded = second.folded.saturating_add(entries);
        second.folding += to.since(from);
        second.behind = second.behind.max(waited);
    }

    fn second(&mut self, at: Mono) -> &mut Second {
        let number = number(at);
        self.seconds.retain(|second| second.number + SECONDS > number);
        if self.seconds.back().is_none_or(|last| last.number < number) {
            self.seconds.push_back(Second::new(number));
        }
        let last = self.seconds.len() - 1;
        &mut self.seconds[last]
    }

    /// The figures of the last whole second, and of the last minute.
    pub(crate) fn metrics(&self, now: Mono) -> HealthMetrics {
        let number = number(now);
        let minute: Vec<&Second> =
            self.seconds.iter().filter(|second| second.number + SECONDS > number).collect();
        let last: Vec<&Second> =
            minute.iter().copied().filter(|second| second.number + 1 == number).collect();
        // What a second that has only begun would count for is too little to be told as its rate, but is in
        // what was the most.
        let measured = |value: fn(&Second) -> u64| Measured {
            last: last.iter().map(|second| value(second)).sum(),
            minute: minute.iter().map(|second| value(second)).max().unwrap_or(0),
        };
        let percentile =
            |percent| Measured { last: percentile(&last, percent), minute: percentile(&minute, percent) };
        HealthMetrics {
            p50: percentile(50),
            p95: percentile(95),
            longest: Measured { last: longest(&last), minute: longest(&minute) },
            frames: measured(|second| second.frames),
            bytes: measured(|second| second.bytes),
            lag: measured(|second| second.behind),
            processed: measured(|second| second.folded),
            processing_ms: measured(|second| u64::try_from(second.folding.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

fn number(at: Mono) -> u64 {
    at.0 / 1_000_000_000
}

fn longest(seconds: &[&Second]) -> Option<Duration> {
    seconds.iter().filter(|second| second.frames > 0).map(|second| second.longest).max()
}

/// The time that so many of a hundred frames took at most; nothing without frames.
fn percentile(seconds: &[&Second], percent: u64) -> Option<Duration> {
    let frames: u64 = seconds.iter().map(|second| second.frames).sum();
    let wanted = (frames * percent).div_ceil(100);
    let mut counted = 0;
    for bucket in 0..BUCKETS {
        counted += seconds.iter().map(|second| u64::from(second.times[bucket])).sum::<u64>();
        if counted >= wanted && frames > 0 {
            return longest(seconds).map(|longest| bound(bucket).min(longest));
        }
    }
    None
}

/// A bucket's upper bound.
fn bound(bucket: usize) -> Duration {
    let quarter = [4, 5, 6, 7][bucket % 4];
    FIRST.saturating_mul(1 << (bucket / 4)) * quarter / 4
}

/// The first bucket whose bound is no less; the last one has what is longer than all.
fn bucket(took: Duration) -> usize {
    (0..BUCKETS - 1).find(|bucket| took <= bound(*bucket)).unwrap_or(BUCKETS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    fn at(us: u64) -> Mono {
        Mono(us * 1_000)
    }

    #[test]
    fn percentiles_are_at_most_a_quarter_too_long_and_never_longer_than_the_longest() {
        let mut random = fastrand::Rng::with_seed(3);
        for _ in 0..50 {
            let mut gauge = SelfMetrics::default();
            let mut took: Vec<u64> =
                (0..random.u64(1..400)).map(|_| (1 << random.u64(3..16)) + random.u64(0..8)).collect();
            for us in &took {
                gauge.frame(at(5_000_000), at(5_000_000 + us), 1);
            }
            took.sort_unstable();
            let figures = gauge.metrics(at(6_000_000));
            for (percent, told) in [(50, figures.p50), (95, figures.p95)] {
                let exact = took[(took.len() * percent).div_ceil(100) - 1];
                let told = u64::try_from(told.minute.unwrap().as_micros()).unwrap();
                assert!(
                    exact <= told && told <= exact * 5 / 4 + 1,
                    "p{percent} is {exact} us and told as {told}"
                );
                assert!(told <= took[took.len() - 1]);
            }
            assert_eq!(figures.longest.minute, Some(Duration::from_micros(took[took.len() - 1])));
        }
    }

    #[test]
    fn a_second_is_told_when_it_is_over_and_forgotten_after_a_minute() {
        let mut gauge = SelfMetrics::default();
        for frame in 0..30 {
            let from = Now::at_ms(10_000 + frame * 33).mono;
            gauge.frame(from, from, 100);
            gauge.fold(from, from + Duration::from_millis(2), 7, frame);
        }
        let seen = |ms| {
            let figures = gauge.metrics(Now::at_ms(ms).mono);
            [figures.frames, figures.bytes, figures.processed, figures.processing_ms, figures.lag]
                .map(|it| (it.last, it.minute))
        };
        assert_eq!(seen(10_999), [(0, 30), (0, 3_000), (0, 210), (0, 60), (0, 29)]);
        assert_eq!(seen(11_500), [(30, 30), (3_000, 3_000), (210, 210), (60, 60), (29, 29)]);
        assert_eq!(seen(12_000), [(0, 30), (0, 3_000), (0, 210), (0, 60), (0, 29)]);
        assert_eq!(seen(69_999).map(|(_, minute)| minute), [30, 3_000, 210, 60, 29]);
        assert_eq!(seen(70_000), [(0, 0); 5]);
        assert_eq!(gauge.metrics(Now::at_ms(70_000).mono).p50, Measured::default());
    }

    #[test]
    fn it_holds_a_minute_however_long_it_runs() {
        let mut gauge = SelfMetrics::default();
        for s in 0..10_000 {
            gauge.frame(Now::at_ms(s * 500).mono, Now::at_ms(s * 500).mono, 1);
        }
        assert_eq!(gauge.seconds.len() as u64, SECONDS);
    }
}
