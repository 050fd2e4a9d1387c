//! How often a plugin may notify the operator: a burst of three, then one every ten seconds (ruling
//! Plugins 11).

use std::time::Duration;

use crate::time::Mono;

const EVERY: Duration = Duration::from_secs(10);
const BURST: u32 = 3;

/// The bucket of one plugin; it outlives its processes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NotifyBucket {
    /// When the bucket is full again.
    full_at: Mono,
}

impl NotifyBucket {
    /// Nothing where a call has room, else in how many milliseconds the next has, rounded up.
    pub(super) fn retry_after_ms(self, now: Mono) -> Option<u64> {
        let wait = (self.full_at.max(now) + EVERY).since(now + EVERY * BURST);
        let ms = wait.as_nanos().div_ceil(1_000_000);
        (!wait.is_zero()).then(|| u64::try_from(ms).unwrap_or(u64::MAX))
    }

    /// Takes the room of a call.
    pub(super) fn take(&mut self, now: Mono) {
        self.full_at = self.full_at.max(now) + EVERY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    #[test]
    fn three_at_once_then_one_every_ten_seconds_to_the_millisecond() {
        let mut bucket = NotifyBucket::default();
        let at = |ms: u64| Now::at_ms(1_000_000 + ms).mono;
        for _ in 0..3 {
            assert_eq!(bucket.retry_after_ms(at(0)), None);
            bucket.take(at(0));
        }
        assert_eq!(bucket.retry_after_ms(at(0)), Some(10_000));
        assert_eq!(bucket.retry_after_ms(at(9_999)), Some(1));
        assert_eq!(bucket.retry_after_ms(Mono(at(9_999).0 + 1)), Some(1), "rounded up");
        assert_eq!(bucket.retry_after_ms(at(10_000)), None);
        bucket.take(at(10_000));
        assert_eq!(bucket.retry_after_ms(at(10_000)), Some(10_000));
        assert_eq!(bucket.retry_after_ms(at(40_000)), None);
    }
}
