//! The clock that TTLs are judged by (ruling RMP 18).

use std::time::Duration;

use crate::time::{Mono, Now};

/// A difference over which the wall clock counts as set.
const JUMP_MS: i64 = 1_000;

/// Milliseconds since the Unix epoch by a monotonic clock whose offset was taken once. When the wall clock is
/// set, what is on its way was stamped by the old time and what comes is stamped by the new: until the
/// longest TTL is over the earlier of both holds, so that nothing expires for it, and then the new offset is
/// taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct WallClock {
    /// Wall milliseconds at monotonic zero.
    offset_ms: i64,
    /// The offset of the last jump that was told, and when.
    jumped: Option<(i64, Mono)>,
    jump_holdoff: Duration,
}

impl WallClock {
    pub(super) fn new(now: Now, ttl_ms_max: u64) -> Self {
        Self { offset_ms: offset(now), jumped: None, jump_holdoff: Duration::from_millis(ttl_ms_max) }
    }

    /// The time that TTLs are judged by.
    pub(super) fn now_ms(&self, now: Now) -> u64 {
        let by_start = self.offset_ms.saturating_add(mono_ms(now));
        let held = if self.jumped.is_some() { by_start.min(signed(now.wall.0)) } else { by_start };
        u64::try_from(held).unwrap_or(0)
    }

    /// The clock as it is once it was [looked at](Self::check).
    pub(super) fn checked(mut self, now: Now) -> Self {
        let _ = self.check(now);
        self
    }

    /// Looks whether the wall clock was set, and tells by how many milliseconds, once a jump.
    pub(super) fn check(&mut self, now: Now) -> Option<i64> {
        let present = offset(now);
        let (known, since) = self.jumped.unwrap_or((self.offset_ms, now.mono));
        if self.jumped.is_some() && now.mono.since(since) >= self.jump_holdoff {
            (self.offset_ms, self.jumped) = (known, None);
        }
        let by_ms = present.saturating_sub(known);
        if by_ms.abs() <= JUMP_MS {
            return None;
        }
        self.jumped = Some((present, now.mono));
        Some(by_ms)
    }
}

fn offset(now: Now) -> i64 {
    signed(now.wall.0).saturating_sub(mono_ms(now))
}

fn mono_ms(now: Now) -> i64 {
    signed(now.mono.0 / 1_000_000)
}

fn signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Wall;

    #[test]
    fn a_jump_of_the_wall_clock_is_told_once_and_expires_nothing() {
        let start = Now::at_ms(0);
        let mut clock = WallClock::new(start, 600_000);
        let later = Now::at_ms(5_000);
        assert_eq!((clock.check(later), clock.now_ms(later)), (None, later.wall.0));

        let ahead = Now { wall: Wall(later.wall.0 + 3_600_000), ..later };
        assert_eq!((clock.check(ahead), clock.check(ahead)), (Some(3_600_000), None));
        assert_eq!(clock.now_ms(ahead), later.wall.0, "what was stamped before is not older for it");

        let behind = Now { wall: Wall(later.wall.0 - 3_600_000), ..later };
        let mut clock = WallClock::new(start, 600_000);
        assert_eq!(clock.check(behind), Some(-3_600_000));
        assert_eq!(clock.now_ms(behind), behind.wall.0, "what is stamped by the new time is not old");
    }

    #[test]
    fn the_new_time_holds_once_the_longest_ttl_is_over() {
        let mut clock = WallClock::new(Now::at_ms(0), 600_000);
        let ahead = |ms: u64| Now { wall: Wall(Now::at_ms(ms).wall.0 + 60_000), ..Now::at_ms(ms) };
        assert_eq!(clock.check(ahead(1_000)), Some(60_000));
        assert_eq!(clock.check(ahead(600_999)), None);
        assert_eq!(clock.now_ms(ahead(600_999)), Now::at_ms(600_999).wall.0);
        assert_eq!(clock.check(ahead(601_000)), None);
        assert_eq!(clock.now_ms(ahead(601_000)), ahead(601_000).wall.0);
    }

    #[test]
    fn small_corrections_are_no_jump() {
        let mut clock = WallClock::new(Now::at_ms(0), 600_000);
        let now = Now { wall: Wall(Now::at_ms(9_000).wall.0 + 1_000), ..Now::at_ms(9_000) };
        assert_eq!(clock.check(now), None);
        assert_eq!(clock.now_ms(now), Now::at_ms(9_000).wall.0);
    }
}
