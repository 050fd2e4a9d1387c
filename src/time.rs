//! Time as a value. [`Clock`] is the only reader of the system's clocks; every core takes [`Now`] as an
//! argument.

use std::{
    ops::Add,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

/// Nanoseconds since the process's [`Clock`] was started, or since before that ([`Clock::ahead`]); never goes
/// back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mono(pub u64);

impl Mono {
    /// How long ago `earlier` was; zero when it lies ahead.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Mono {
    type Output = Self;

    fn add(self, more: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(more.as_nanos()).unwrap_or(u64::MAX)))
    }
}

/// Milliseconds since the Unix epoch, as the wall clock had it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Wall(pub u64);

impl Wall {
    /// How long ago `earlier` was; zero when it lies ahead.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// One moment: monotonic for durations and deadlines, wall clock for people and records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Now {
    /// For durations and deadlines.
    pub mono: Mono,
    /// For people and records.
    pub wall: Wall,
}

impl Now {
    /// A moment of virtual time: `ms` after a fixed epoch. For tests and simulations.
    #[must_use]
    pub fn at_ms(ms: u64) -> Self {
        const EPOCH_MS: u64 = 1_790_000_000_000;
        Self { mono: Mono(ms.saturating_mul(1_000_000)), wall: Wall(EPOCH_MS.saturating_add(ms)) }
    }

    /// Whether it has no monotonic time: it is of before this start, and the store gave it.
    #[must_use]
    pub fn is_of_before(self) -> bool {
        self.mono == Mono(0)
    }

    /// How long ago `earlier` was; by the wall clock where that one has no monotonic time.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        if earlier.is_of_before() { self.wall.since(earlier.wall) } else { self.mono.since(earlier.mono) }
    }

    /// This moment moved on by `more`.
    #[must_use]
    pub fn after(self, more: Duration) -> Self {
        let ms = u64::try_from(more.as_millis()).unwrap_or(u64::MAX);
        Self { mono: self.mono + more, wall: Wall(self.wall.0.saturating_add(ms)) }
    }

    /// This moment so much earlier.
    #[must_use]
    pub fn before(self, less: Duration) -> Self {
        let ms = u64::try_from(less.as_millis()).unwrap_or(u64::MAX);
        let ns = u64::try_from(less.as_nanos()).unwrap_or(u64::MAX);
        Self { mono: Mono(self.mono.0.saturating_sub(ns)), wall: Wall(self.wall.0.saturating_sub(ms)) }
    }
}

/// How the clock of another process differs from this one's; not at all by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockShift {
    ns: i128,
}

impl ClockShift {
    /// The difference of two clocks that were read at one moment.
    #[must_use]
    pub fn between(there: Mono, here: Mono) -> Self {
        Self { ns: i128::from(here.0) - i128::from(there.0) }
    }

    /// A moment of the other clock on this one. What has no monotonic time, from an earlier start of the
    /// other process, keeps none.
    #[must_use]
    pub fn apply(self, at: Now) -> Now {
        if self.ns == 0 || at.mono == Mono(0) {
            return at;
        }
        let ns = (i128::from(at.mono.0) + self.ns).max(1);
        Now { mono: Mono(u64::try_from(ns).unwrap_or(u64::MAX)), wall: at.wall }
    }
}

/// The one reader of the system's clocks. Copies of a clock agree.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    ahead: Duration,
}

/// How far ahead [`Clock::ahead`] begins: further back than any machine was started, and far from the end of
/// a [`Mono`].
const AHEAD: Duration = Duration::from_nanos(1 << 62);

impl Clock {
    /// Starts a clock whose monotonic time is zero now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clocks")]
    pub fn start() -> Self {
        Self { start: Instant::now(), ahead: Duration::ZERO }
    }

    /// Starts a clock whose monotonic time is some 146 years now, so that moments of clocks that were started
    /// earlier have one on it too.
    #[must_use]
    pub fn ahead() -> Self {
        Self { ahead: AHEAD, ..Self::start() }
    }

    /// The present moment.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clocks")]
    pub fn now(self) -> Now {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Now { mono: self.mono(), wall: Wall(u64::try_from(wall.as_millis()).unwrap_or(u64::MAX)) }
    }

    /// The present moment, for durations and deadlines alone.
    #[must_use]
    pub fn mono(self) -> Mono {
        Mono(u64::try_from((self.ahead + self.start.elapsed()).as_nanos()).unwrap_or(u64::MAX))
    }

    /// How long from the present moment until `deadline`; zero when it has passed.
    #[must_use]
    pub fn until(self, deadline: Mono) -> Duration {
        deadline.since(self.mono())
    }
}
