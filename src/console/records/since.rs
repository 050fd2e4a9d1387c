//! How long ago something was, as fields have it.

use crate::time::{Mono, Now, Wall};

/// Milliseconds since a moment. What an earlier start of the station left has the wall clock's time alone.
pub(crate) fn ms(at: Now, now: Now) -> u64 {
    if at.mono == Mono(0) {
        wall_ms(at.wall, now)
    } else {
        u64::try_from(now.mono.since(at.mono).as_millis()).unwrap_or(u64::MAX)
    }
}

/// Milliseconds since a moment of the wall clock.
pub(crate) fn wall_ms(at: Wall, now: Now) -> u64 {
    u64::try_from(now.wall.since(at).as_millis()).unwrap_or(u64::MAX)
}
