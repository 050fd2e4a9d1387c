//! The rule of restarts: 1, 5, 25 s by the exits less than 600 s ago, and the fourth disables.

use std::time::Duration;

use rl_console::time::{Mono, Now};

/// What the rule knows of a plugin.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    pub(super) exits: Vec<Now>,
    /// Those of what is installed, while a folder is served in its place.
    pub(super) aside: Option<Vec<Now>>,
    /// When it is to be started again.
    pub(super) due: Option<Mono>,
    /// Whether something but the time may start it.
    pub(super) is_wanted: bool,
    /// Whether its process was called unhealthy.
    pub(super) is_blamed: bool,
}

fn age_ms(now: Now, then: Now) -> u64 {
    if then.mono == Mono(0) {
        now.wall.0.saturating_sub(then.wall.0)
    } else {
        (now.mono.0 - then.mono.0) / 1_000_000
    }
}

impl Rule {
    /// An exit that counts: how long the plugin waits, nothing where it is disabled. How many there were.
    pub(super) fn on_exit(&mut self, now: Now) -> (Option<Duration>, u32) {
        self.exits.retain(|exit| age_ms(now, *exit) < 600_000);
        self.exits.push(now);
        let wait = match self.exits.len() {
            1 => Some(1),
            2 => Some(5),
            3 => Some(25),
            _ => None,
        };
        (wait.map(Duration::from_secs), u32::try_from(self.exits.len()).unwrap())
    }

    /// The operator starts it, or has something else run: nothing of before counts.
    pub(super) fn by_hand(&mut self) {
        self.exits.clear();
        (self.due, self.is_wanted) = (None, true);
    }
}
