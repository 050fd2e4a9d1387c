//! What is done again and again, at multiples of its period on the station's clock: what is due together
//! wakes an idle station once.

use std::time::Duration;

use crate::time::{Clock, Mono};

/// One such period; the first tick is at once.
pub(super) struct Ticks {
    clock: Clock,
    period: Duration,
    due: Mono,
}

impl Ticks {
    pub(super) fn every(period: Duration, clock: Clock) -> Self {
        Self { clock, period, due: clock.mono() }
    }

    /// Waits for the next; those that were missed are left out.
    pub(super) async fn tick(&mut self) {
        tokio::time::sleep(self.clock.until(self.due)).await;
        self.due = after(self.clock.mono(), self.period);
    }
}

/// The first multiple of a period that lies ahead.
fn after(now: Mono, period: Duration) -> Mono {
    let period = u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1);
    Mono((now.0 / period).saturating_add(1).saturating_mul(period))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_is_a_multiple_of_the_period_and_lies_ahead() {
        let second = Duration::from_secs(1);
        for (now, next) in [(0, 1), (1, 1_000_000_000), (999_999_999, 1_000_000_000), (1_000_000_000, 2)] {
            let next = if next < 10 { next * 1_000_000_000 } else { next };
            assert_eq!(after(Mono(now), second), Mono(next));
        }
        assert_eq!(after(Mono(1_700_000_000), second / 2), Mono(2_000_000_000));
        assert_eq!(after(Mono(5), Duration::ZERO), Mono(6), "no period is none");
    }

    #[tokio::test]
    async fn the_first_is_at_once_and_others_come_in_their_time() {
        let clock = Clock::start();
        let mut ticks = Ticks::every(Duration::from_millis(20), clock);
        ticks.tick().await;
        let first = ticks.due;
        for number in 1..4 {
            ticks.tick().await;
            assert!(clock.mono() >= first + Duration::from_millis(20 * (number - 1)));
        }
    }
}
