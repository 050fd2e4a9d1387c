//! Where a replay is, moved on by the clock. It does no I/O and takes the time as an argument.
//!
//! ```text
//!            play
//!    held ─────────▶ playing        at its end it holds
//!         ◀─────────
//!            hold
//! ```

use std::time::Duration;

use crate::{port::Speed, time::Mono};

/// Where a replay is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Player {
    /// The `log_time` in nanoseconds at `since`.
    at_ns: u64,
    since: Mono,
    speed: Speed,
    is_held: bool,
    first_ns: u64,
    last_ns: u64,
}

impl Player {
    /// Holds at the beginning of what lasts from `first_ns` to `last_ns`.
    pub(super) const fn new((first_ns, last_ns): (u64, u64), now: Mono) -> Self {
        Self { at_ns: first_ns, since: now, speed: Speed::ONE, is_held: true, first_ns, last_ns }
    }

    /// Where it is.
    pub(super) fn position(&self, now: Mono) -> u64 {
        if self.is_held {
            return self.at_ns;
        }
        let passed = self.speed.scale(now.since(self.since)).unwrap_or_default();
        let passed = u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX);
        self.at_ns.saturating_add(passed).min(self.last_ns.max(self.at_ns))
    }

    /// Whether what has this `log_time` is due.
    pub(super) fn is_due(&self, log_ns: u64, now: Mono) -> bool {
        log_ns <= self.position(now) || (!self.is_held && self.is_max())
    }

    /// How long until what has this `log_time` is due; nothing while it holds.
    pub(super) fn until(&self, log_ns: u64, now: Mono) -> Option<Duration> {
        if self.is_held {
            return None;
        }
        let left = log_ns.saturating_sub(self.position(now));
        Some(self.speed.lasts(Duration::from_nanos(left)))
    }

    /// Goes to a place, within what there is.
    pub(super) fn go_to(&mut self, log_ns: u64, now: Mono) {
        self.at_ns = log_ns.clamp(self.first_ns, self.last_ns);
        self.since = now;
    }

    /// Who folds has not come further than here: it waits there. What holds stays where it is.
    pub(super) fn wait_at(&mut self, log_ns: u64, now: Mono) {
        if !self.is_held && self.position(now) > log_ns {
            self.go_to(log_ns, now);
        }
    }

    /// What has this `log_time` was handed out ahead of the clock.
    pub(super) fn reached(&mut self, log_ns: u64, now: Mono) {
        if self.position(now) < log_ns {
            self.go_to(log_ns, now);
        }
    }

    /// Holds where it is.
    pub(super) fn hold(&mut self, now: Mono) {
        self.go_to(self.position(now), now);
        self.is_held = true;
    }

    /// Plays on from where it is.
    pub(super) fn play(&mut self, now: Mono) {
        self.go_to(self.position(now), now);
        self.is_held = false;
    }

    /// Plays at another speed from where it is.
    pub(super) fn set_speed(&mut self, speed: Speed, now: Mono) {
        self.go_to(self.position(now), now);
        self.speed = speed;
    }

    pub(super) const fn speed(&self) -> Speed {
        self.speed
    }

    pub(super) const fn is_held(&self) -> bool {
        self.is_held
    }

    /// Whether it is as fast as entries are folded.
    pub(super) fn is_max(&self) -> bool {
        self.speed == Speed::MAX
    }

    /// Its first `log_time` and its last one.
    pub(super) const fn span(&self) -> (u64, u64) {
        (self.first_ns, self.last_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn at(s: u64) -> Mono {
        Mono(s * SECOND)
    }

    fn player() -> Player {
        Player::new((100 * SECOND, 200 * SECOND), at(0))
    }

    #[test]
    fn it_holds_until_it_is_played_and_then_moves_with_the_clock() {
        let mut player = player();
        assert_eq!(player.position(at(9)), 100 * SECOND);
        assert_eq!(player.until(101 * SECOND, at(9)), None);
        player.play(at(10));
        assert_eq!(player.position(at(13)), 103 * SECOND);
        assert!(player.is_due(103 * SECOND, at(13)) && !player.is_due(104 * SECOND, at(13)));
        assert_eq!(player.until(105 * SECOND, at(13)), Some(Duration::from_secs(2)));
        player.hold(at(14));
        assert_eq!(player.position(at(20)), 104 * SECOND);
        assert_eq!(player.position(at(1_000)), 104 * SECOND);
    }

    #[test]
    fn another_speed_holds_from_where_it_is() {
        let mut player = player();
        player.play(at(0));
        player.set_speed(Speed::parse("4").unwrap(), at(2));
        assert_eq!(player.position(at(2)), 102 * SECOND);
        assert_eq!(player.position(at(3)), 106 * SECOND);
        assert_eq!(player.until(110 * SECOND, at(3)), Some(Duration::from_secs(1)));
        player.set_speed(Speed::parse("1/4").unwrap(), at(3));
        assert_eq!(player.position(at(7)), 107 * SECOND);
    }

    #[test]
    fn it_goes_no_further_than_there_is_something() {
        let mut player = player();
        player.play(at(0));
        assert_eq!(player.position(at(500)), 200 * SECOND);
        player.go_to(900 * SECOND, at(500));
        assert_eq!(player.position(at(500)), 200 * SECOND);
        player.go_to(0, at(500));
        assert_eq!(player.position(at(500)), 100 * SECOND);
        assert_eq!(player.span(), (100 * SECOND, 200 * SECOND));
    }

    #[test]
    fn it_waits_for_who_folds_and_follows_what_is_handed_out() {
        let mut player = player();
        player.play(at(0));
        player.wait_at(103 * SECOND, at(5));
        assert_eq!(player.position(at(6)), 104 * SECOND);
        player.wait_at(150 * SECOND, at(6));
        assert_eq!(player.position(at(6)), 104 * SECOND, "it is not ahead of that");
        player.set_speed(Speed::MAX, at(6));
        assert!(player.is_due(190 * SECOND, at(6)));
        player.reached(190 * SECOND, at(6));
        assert_eq!(player.position(at(99)), 190 * SECOND);
        player.hold(at(99));
        assert!(!player.is_due(191 * SECOND, at(99)) && player.is_due(190 * SECOND, at(99)));
        player.wait_at(180 * SECOND, at(99));
        assert_eq!(player.position(at(99)), 190 * SECOND, "a place that was gone to holds");
    }
}
