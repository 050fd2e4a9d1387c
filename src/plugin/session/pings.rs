//! Pings (ruling Plugins 4).

use std::{collections::VecDeque, time::Duration};

use crate::time::Mono;

/// How often a plugin is pinged, and from `initialized` to the first ping.
pub(in crate::plugin) const PING_EVERY: Duration = Duration::from_secs(30);

/// Misses in a row that end a process.
const MISSES_MAX: u32 = 3;

/// Pings whose answers are still known as such.
const REMEMBERED: usize = 16;

/// The pings of one process.
#[derive(Clone, Debug)]
pub(in crate::plugin) struct Pings {
    /// Those without an answer, by id, with when they were sent.
    open: VecDeque<(u64, Mono)>,
    /// Whether the last one was answered.
    is_answered: bool,
    misses: u32,
    next_at: Mono,
}

/// What is due at the moment of the next ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plugin) struct PingDue {
    /// The misses in a row, if the last ping was missed.
    pub(in crate::plugin) missed: Option<u32>,
    /// Whether they are too many.
    pub(in crate::plugin) is_unhealthy: bool,
}

impl Pings {
    /// The pings after `initialized`.
    pub(in crate::plugin) fn new(now: Mono) -> Self {
        Self { open: VecDeque::new(), is_answered: true, misses: 0, next_at: now + PING_EVERY }
    }

    pub(in crate::plugin) const fn next_at(&self) -> Mono {
        self.next_at
    }

    /// Judges the last ping where the next is due.
    pub(in crate::plugin) fn due(&mut self, now: Mono) -> Option<PingDue> {
        if now < self.next_at {
            return None;
        }
        self.next_at = now + PING_EVERY;
        if self.is_answered {
            return Some(PingDue { missed: None, is_unhealthy: false });
        }
        self.misses += 1;
        Some(PingDue { missed: Some(self.misses), is_unhealthy: self.misses >= MISSES_MAX })
    }

    pub(in crate::plugin) fn on_sent(&mut self, now: Mono, id: u64) {
        self.open.push_back((id, now));
        if self.open.len() > REMEMBERED {
            self.open.pop_front();
        }
        self.is_answered = false;
    }

    /// Whether the id is a ping's: how long it took. An answer to any ping resets the misses.
    pub(in crate::plugin) fn on_answer(&mut self, now: Mono, id: u64) -> Option<Duration> {
        let at = self.open.iter().position(|(open, _)| *open == id)?;
        let (_, sent_at) = self.open[at];
        self.is_answered |= at + 1 == self.open.len();
        self.open.remove(at);
        self.misses = 0;
        Some(now.since(sent_at))
    }

    /// Whether the id is that of an open ping.
    pub(in crate::plugin) fn is_open(&self, id: u64) -> bool {
        self.open.iter().any(|(open, _)| *open == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Now;

    fn at(s: u64) -> Mono {
        Now::at_ms(s * 1_000).mono
    }

    #[test]
    fn the_third_miss_in_a_row_comes_at_120_s() {
        let mut pings = Pings::new(at(0));
        assert_eq!(pings.due(Mono(at(30).0 - 1)), None);
        let mut seen = Vec::new();
        for (id, s) in [30, 60, 90, 120].into_iter().enumerate() {
            seen.push(pings.due(at(s)).unwrap());
            pings.on_sent(at(s), id as u64);
        }
        let misses: Vec<_> = seen.iter().map(|due| (due.missed, due.is_unhealthy)).collect();
        assert_eq!(misses, [(None, false), (Some(1), false), (Some(2), false), (Some(3), true)]);
    }

    #[test]
    fn a_late_answer_resets_and_the_next_miss_is_the_first() {
        let mut pings = Pings::new(at(0));
        for (id, s) in [(1, 30), (2, 60), (3, 90)] {
            pings.due(at(s)).unwrap();
            pings.on_sent(at(s), id);
        }
        assert_eq!(pings.on_answer(at(100), 1), Some(Duration::from_secs(70)));
        assert!(!pings.is_open(1) && pings.is_open(3));
        assert_eq!(pings.due(at(120)).unwrap(), PingDue { missed: Some(1), is_unhealthy: false });
        assert_eq!(pings.on_answer(at(121), 1), None, "it was answered before");
    }

    #[test]
    fn a_held_up_station_counts_one_miss_for_the_whole_time() {
        let mut pings = Pings::new(at(0));
        pings.due(at(30)).unwrap();
        pings.on_sent(at(30), 1);
        assert_eq!(pings.due(at(500)).unwrap().missed, Some(1));
    }
}
