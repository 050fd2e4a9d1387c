//! Connections that the port closed lately: what is said of them while it lasts.

use std::time::Duration;

use super::CloseCause;
use crate::time::Now;

/// How long after the last of them it is over.
const OVER_AFTER: Duration = Duration::from_secs(60);
/// Connections before it is worth saying: fewer a person opens who tries something.
const WORTH_SAYING: u64 = 5;

/// Connections that were closed for bounds, each within a minute of the one before, by bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Closings([Option<Closing>; CloseCause::ALL.len()]);

/// Connections that were closed for one bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// Which.
    pub cause: CloseCause,
    /// The first of them.
    pub since: Now,
    /// The last.
    pub last: Now,
    /// How many.
    pub count: u64,
}

impl Closings {
    /// One more was closed.
    pub fn record(&mut self, now: Now, cause: CloseCause) {
        let known = &mut self.0[cause.index()];
        let before = known.filter(|it| it.goes_on(now));
        let (since, count) = before.map_or((now, 0), |it| (it.since, it.count));
        *known = Some(Closing { cause, since, last: now, count: count + 1 });
    }

    /// Those that go on and are worth saying.
    pub fn current(&self, now: Now) -> impl Iterator<Item = Closing> {
        self.0.into_iter().flatten().filter(move |it| it.goes_on(now) && it.count >= WORTH_SAYING)
    }
}

impl Closing {
    fn goes_on(&self, now: Now) -> bool {
        now.mono.since(self.last.mono) < OVER_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_within_a_minute_of_each_other_are_worth_saying_until_a_minute_after_the_last() {
        let mut closings = Closings::default();
        let at = |s: u64| Now::at_ms(s * 1_000);
        for n in 0..4 {
            closings.record(at(n * 59), CloseCause::MadeRoom);
            closings.record(at(n * 61), CloseCause::ControlFrames);
        }
        assert_eq!(closings.current(at(200)).count(), 0);
        closings.record(at(200), CloseCause::MadeRoom);
        closings.record(at(201), CloseCause::ControlFrames);
        let current: Vec<_> = closings.current(at(259)).collect();
        let expected = Closing { cause: CloseCause::MadeRoom, since: at(0), last: at(200), count: 5 };
        assert_eq!(current, [expected]);
        assert_eq!(closings.current(at(260)).count(), 0);
    }
}
