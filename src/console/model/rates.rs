//! How many rows a queue finished lately.

use std::collections::VecDeque;

use crate::{console::draw::format, time::Now};

/// Buckets that a rate is drawn of.
pub(crate) const WINDOW_BUCKETS: usize = 8;
/// The length of a bucket.
const BUCKET_MS: u64 = 10_000;
/// Buckets that make a minute.
const MINUTE_BUCKETS: u64 = 6;

/// Counts by buckets of ten seconds of monotonic time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rate {
    buckets: VecDeque<(u64, u64)>,
}

pub(crate) fn bucket_of(at: Now) -> u64 {
    at.mono.0 / 1_000_000 / BUCKET_MS
}

impl Rate {
    /// One more at this moment.
    pub(crate) fn count(&mut self, at: Now) {
        let bucket = bucket_of(at);
        match self.buckets.back_mut() {
            Some((last, count)) if *last >= bucket => *count = count.saturating_add(1),
            _ => self.buckets.push_back((bucket, 1)),
        }
        while self.buckets.len() > WINDOW_BUCKETS {
            self.buckets.pop_front();
        }
    }

    /// Those of the last minute, the present bucket included.
    pub(crate) fn per_minute(&self, now: Now) -> u64 {
        let present = bucket_of(now);
        self.buckets
            .iter()
            .filter(|(bucket, _)| bucket + MINUTE_BUCKETS > present)
            .map(|(_, count)| count)
            .sum()
    }

    /// The counts of the last buckets, oldest first.
    pub(crate) fn window(&self, now: Now) -> [u64; WINDOW_BUCKETS] {
        let present = bucket_of(now);
        let mut window = [0; WINDOW_BUCKETS];
        for (bucket, count) in &self.buckets {
            let back = usize::try_from(present.saturating_sub(*bucket)).unwrap_or(usize::MAX);
            if back < WINDOW_BUCKETS {
                window[WINDOW_BUCKETS - 1 - back] = *count;
            }
        }
        window
    }
}

/// A rate as a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rates are not negative, and what is too large stays large"
)]
pub(crate) fn round_rate(rate: f64) -> u64 {
    rate.round() as u64
}

/// A rate to two digits: `0.4`, `7.5`, `120`, `12.3k`.
pub(crate) fn rate_text(rate: f64) -> String {
    if rate <= 0.0 {
        "0".to_owned()
    } else if rate < 0.1 {
        "<0.1".to_owned()
    } else if rate < 9.95 {
        format!("{rate:.1}")
    } else {
        format::count(round_rate(rate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_what_is_older_than_its_window() {
        let mut rate = Rate::default();
        for ms in [0, 5_000, 10_000, 35_000] {
            rate.count(Now::at_ms(ms));
        }
        assert_eq!(rate.per_minute(Now::at_ms(35_000)), 4);
        assert_eq!(rate.window(Now::at_ms(39_999)), [0, 0, 0, 0, 2, 1, 0, 1]);
        assert_eq!(rate.per_minute(Now::at_ms(70_000)), 1);
        assert_eq!(rate.window(Now::at_ms(3_600_000)), [0; WINDOW_BUCKETS]);
    }
}
