//! A flood of log frames for rehearsals: paced by the clock, in bursts, and honest about what it left out.

use std::time::Duration;

use crate::{mpp::Level, time::Mono};

/// Between two bursts.
const BURST_EVERY: Duration = Duration::from_millis(2);
/// The time that one burst makes up for at most; what was due before that is left out.
const BURST_MAX: Duration = Duration::from_millis(20);
/// Between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);
const NS_PER_S: u64 = 1_000_000_000;

/// One line in so many has characters that must not reach a screen as they are.
const ODD_EVERY: u64 = 97;
/// One line in so many is long.
const LONG_EVERY: u64 = 499;
/// One line in so many is nearly as long as a frame may be.
const LONGEST_EVERY: u64 = 9_973;
const LONG_BYTES: usize = 2_000;
const LONGEST_BYTES: usize = 60_000;

/// Log frames at a rate.
#[derive(Clone, Debug)]
pub(super) struct Flood {
    per_s: u64,
    /// Up to here everything was sent or left out.
    paid: Mono,
    sent: u64,
    reported_at: Mono,
    reported: u64,
}

/// What was sent since the last report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// Sent.
    pub(super) logs: u64,
    /// What the rate asks for in that time.
    pub(super) asked: u64,
    /// The time.
    pub(super) ms: u64,
}

impl Flood {
    /// A flood that has not begun.
    pub(super) fn new(per_s: u32) -> Self {
        Self { per_s: u64::from(per_s.max(1)), paid: Mono(0), sent: 0, reported_at: Mono(0), reported: 0 }
    }

    /// Begins on a new connection; gives the moment of the first burst.
    pub(super) fn begin(&mut self, now: Mono) -> Mono {
        (self.paid, self.reported_at, self.reported) = (now, now, self.sent);
        now + BURST_EVERY
    }

    /// Sends what is due; gives the moment of the next burst.
    pub(super) fn pour(&mut self, now: Mono, mut send: impl FnMut(Level, &str)) -> Mono {
        let from = self.paid.max(Mono(now.0.saturating_sub(ns(BURST_MAX))));
        let due = now.0.saturating_sub(from.0).saturating_mul(self.per_s) / NS_PER_S;
        for _ in 0..due {
            self.sent += 1;
            let (level, text) = line(self.sent);
            send(level, &text);
        }
        // What is less than a line is due with the next burst.
        self.paid = from + Duration::from_nanos(due.saturating_mul(NS_PER_S) / self.per_s);
        now + BURST_EVERY
    }

    /// The report that is due, if one is.
    pub(super) fn report(&mut self, now: Mono) -> Option<Report> {
        let time = now.since(self.reported_at);
        if time < REPORT_EVERY {
            return None;
        }
        let asked = ns(time).saturating_mul(self.per_s) / NS_PER_S;
        let logs = self.sent - self.reported;
        (self.reported_at, self.reported) = (now, self.sent);
        Some(Report { logs, asked, ms: ns(time) / 1_000_000 })
    }

    /// Lines sent so far, on all connections.
    pub(super) fn sent(&self) -> u64 {
        self.sent
    }
}

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The line of a number, always the same.
fn line(number: u64) -> (Level, String) {
    let level = match number % 50 {
        0 => Level::Error,
        7 | 23 => Level::Warn,
        1..=5 => Level::Trace,
        10..=30 => Level::Debug,
        _ => Level::Info,
    };
    let mut text = match number % 4 {
        0 => format!("frame {number} drawn in {} µs", number * 7 % 16_000),
        1 => format!("[audio] buffer {} of 64 underran, {} samples late", number % 64, number % 441),
        2 => format!(
            "memory at 0x{:08x} reads {:02x}",
            number.wrapping_mul(2_654_435_761) & 0xffff_ffff,
            number & 0xff
        ),
        _ => format!("poll {number}: nothing new"),
    };
    if number.is_multiple_of(ODD_EVERY) {
        text.push_str(" \u{1b}[2J\u{7}\r\u{202e}desrever\u{2066}\u{9b}31m 日本語 e\u{301}\u{200b}\n");
    }
    let bytes = match number {
        _ if number.is_multiple_of(LONGEST_EVERY) => LONGEST_BYTES,
        _ if number.is_multiple_of(LONG_EVERY) => LONG_BYTES,
        _ => 0,
    };
    while text.len() < bytes {
        text.push_str(" and on it goes,");
    }
    (level, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{limits::MPP_FRAME_BYTES_MAX, mpp::frame::encode, time::Now};

    fn poured(flood: &mut Flood, ms: u64) -> usize {
        let mut count = 0;
        flood.pour(Now::at_ms(ms).mono, |_, _| count += 1);
        count
    }

    #[test]
    fn keeps_its_rate_over_any_split_of_time() {
        let mut flood = Flood::new(1_500);
        flood.begin(Now::at_ms(0).mono);
        let counts: Vec<_> = [1, 2, 3, 10, 11, 13].map(|ms| poured(&mut flood, ms)).into();
        assert_eq!(counts, [1, 2, 1, 11, 1, 3]);
        assert_eq!(flood.sent(), 19);
    }

    #[test]
    fn leaves_out_what_it_could_not_send_in_time_and_says_so() {
        let mut flood = Flood::new(50_000);
        flood.begin(Now::at_ms(0).mono);
        for ms in (2..=500).step_by(2) {
            poured(&mut flood, ms);
        }
        assert_eq!(flood.report(Now::at_ms(999).mono), None);
        assert_eq!(poured(&mut flood, 1_000), 1_000, "20 ms of 500");
        assert_eq!(
            flood.report(Now::at_ms(1_000).mono),
            Some(Report { logs: 26_000, asked: 50_000, ms: 1_000 })
        );
        assert_eq!(flood.report(Now::at_ms(1_001).mono), None);
    }

    #[test]
    fn lines_are_of_every_level_and_none_exceeds_a_frame() {
        let mut levels = std::collections::BTreeSet::new();
        let mut longest = 0;
        for number in 1..=20_000 {
            let (level, text) = line(number);
            levels.insert(level);
            longest = longest.max(encode::log(level, &text).len());
        }
        assert_eq!(levels.len(), 5);
        assert!((LONGEST_BYTES..MPP_FRAME_BYTES_MAX).contains(&longest), "{longest}");
        assert!(line(ODD_EVERY).1.contains('\u{1b}'));
    }
}
