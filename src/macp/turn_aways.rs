//! Connections and calls that the port turned away lately: what is said of them while it lasts.

use std::time::Duration;

use super::TurnAwayCause;
use crate::time::Now;

/// How long after the last of them it is over.
const OVER_AFTER: Duration = Duration::from_secs(60);
/// How many before it is worth saying: fewer a person opens who tries something.
const WORTH_SAYING: u64 = 5;

/// Connections and calls that were turned away, each within a minute of the one before, by bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnAways([Option<TurnAwaySpan>; TurnAwayCause::ALL.len()]);

/// Connections or calls that were turned away for one bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnAwaySpan {
    /// Which.
    pub cause: TurnAwayCause,
    /// The first of them.
    pub since: Now,
    /// The last.
    pub last: Now,
    /// How many.
    pub count: u64,
}

impl TurnAways {
    /// One more was turned away.
    pub fn record(&mut self, now: Now, cause: TurnAwayCause) {
        let known = &mut self.0[cause.index()];
        let before = known.filter(|it| it.goes_on(now));
        let (since, count) = before.map_or((now, 0), |it| (it.since, it.count));
        *known = Some(TurnAwaySpan { cause, since, last: now, count: count + 1 });
    }

    /// Those that go on and are worth saying.
    pub fn current(&self, now: Now) -> impl Iterator<Item = TurnAwaySpan> {
        self.0.into_iter().flatten().filter(move |it| it.goes_on(now) && it.count >= WORTH_SAYING)
    }
}

impl TurnAwaySpan {
    fn goes_on(&self, now: Now) -> bool {
        now.mono.since(self.last.mono) < OVER_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_within_a_minute_of_each_other_are_worth_saying_until_a_minute_after_the_last() {
        let mut turn_aways = TurnAways::default();
        let at = |s: u64| Now::at_ms(s * 1_000);
        for n in 0..4 {
            turn_aways.record(at(n * 59), TurnAwayCause::MadeRoom);
            turn_aways.record(at(n * 61), TurnAwayCause::ControlFrames);
        }
        assert_eq!(turn_aways.current(at(200)).count(), 0);
        turn_aways.record(at(200), TurnAwayCause::MadeRoom);
        turn_aways.record(at(201), TurnAwayCause::ControlFrames);
        let current: Vec<_> = turn_aways.current(at(259)).collect();
        let expected = TurnAwaySpan { cause: TurnAwayCause::MadeRoom, since: at(0), last: at(200), count: 5 };
        assert_eq!(current, [expected]);
        assert_eq!(turn_aways.current(at(260)).count(), 0);
    }
}
