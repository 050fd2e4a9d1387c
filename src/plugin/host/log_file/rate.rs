//! How many lines of a plugin are written, and what is said of the others.

use std::time::Duration;

use super::Line;
use crate::{
    limits,
    time::{Mono, Now},
};

/// How long lines are counted together.
const SECOND: Duration = Duration::from_secs(1);

/// Lines of a plugin, counted: once `limits.plugin.log_lines_per_s_max` of them or
/// `limits.plugin.log_bytes_per_s_max` bytes were taken in a second, further ones are dropped, and so are
/// those that the disk did not take in time. How many is said in the log.
#[derive(Debug)]
pub struct LineRate {
    lines_per_s_max: u64,
    bytes_per_s_max: u64,
    /// When the lines began that are counted together.
    second: Option<Mono>,
    lines: u64,
    bytes: u64,
    too_many: Dropped,
    too_slow: Dropped,
    losses: Losses,
}

/// Lines of a log that are not whole in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Lines whose end was cut.
    pub cut: u64,
    /// Lines that were too many in a second, or that the disk did not take in time.
    pub dropped: u64,
}

/// What is not in the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Dropped {
    lines: u64,
    bytes: u64,
}

impl Dropped {
    fn add(&mut self, lines: u64, bytes: u64) {
        self.lines = self.lines.saturating_add(lines);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    fn text(self, why: &str) -> Option<String> {
        (self.lines > 0).then(|| format!("{} lines ({} bytes) dropped: {why}", self.lines, self.bytes))
    }
}

impl LineRate {
    /// For a plugin that has written nothing.
    #[must_use]
    pub fn new(limits: &limits::Plugin) -> Self {
        let dropped = Dropped::default();
        Self {
            lines_per_s_max: limits.log_lines_per_s_max,
            bytes_per_s_max: limits.log_bytes_per_s_max,
            second: None,
            lines: 0,
            bytes: 0,
            too_many: dropped,
            too_slow: dropped,
            losses: Losses::default(),
        }
    }

    /// Whether the next line is of another second than the last one was. What was dropped is to be said then.
    pub fn begins_second(&mut self, now: Now) -> bool {
        if self.is_within_second(now) {
            return false;
        }
        self.second = Some(now.mono);
        (self.lines, self.bytes) = (0, 0);
        true
    }

    /// Counts a line; whether it is to be written.
    pub fn take(&mut self, line: &Line) -> bool {
        if self.is_second_full() {
            self.count_dropped(1, bytes(line));
            return false;
        }
        self.lines += 1;
        self.bytes = self.bytes.saturating_add(bytes(line));
        self.losses.cut += u64::from(line.cut_bytes > 0);
        true
    }

    /// Counts lines that are not looked at, while [`LineRate::is_full`].
    pub fn count_dropped(&mut self, lines: u64, bytes: u64) {
        self.too_many.add(lines, bytes);
        self.losses.dropped = self.losses.dropped.saturating_add(lines);
    }

    /// Counts a line that was to be written, and was not: others wait for the disk.
    pub fn on_unwritten(&mut self, line: &Line) {
        self.too_slow.add(1, bytes(line));
        self.losses.dropped = self.losses.dropped.saturating_add(1);
    }

    /// Whether a line would be dropped at this moment.
    #[must_use]
    pub fn is_full(&self, now: Now) -> bool {
        self.is_within_second(now) && self.is_second_full()
    }

    const fn is_second_full(&self) -> bool {
        self.lines >= self.lines_per_s_max || self.bytes >= self.bytes_per_s_max
    }

    /// What was lost since this was asked last.
    pub fn take_losses(&mut self) -> Losses {
        std::mem::take(&mut self.losses)
    }

    /// What is to be said of lines that were dropped since this was asked, for each reason.
    pub fn take_dropped(&mut self) -> impl Iterator<Item = String> + use<> {
        let Self { too_many, too_slow, lines_per_s_max: lines, bytes_per_s_max: bytes, .. } = self;
        let (many, slow) = (std::mem::take(too_many), std::mem::take(too_slow));
        let why = format!(
            "more than {lines} lines or {bytes} bytes a second (limits.plugin.log_lines_per_s_max, \
             log_bytes_per_s_max)"
        );
        let texts = [many.text(&why), slow.text("the disk did not take them in time")];
        texts.into_iter().flatten()
    }

    fn is_within_second(&self, now: Now) -> bool {
        self.second.is_some_and(|second| now.mono.since(second) < SECOND)
    }
}

/// The bytes of a line, those that were cut among them.
fn bytes(line: &Line) -> u64 {
    u64::try_from(line.text.len()).unwrap_or(u64::MAX).saturating_add(line.cut_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line { text: text.to_owned(), cut_bytes: 0 }
    }

    fn at(ms: u64) -> Now {
        Now::at_ms(ms)
    }

    fn dropped(rate: &mut LineRate) -> Vec<String> {
        rate.take_dropped().collect()
    }

    #[test]
    fn lines_over_the_rate_are_dropped_and_counted() {
        let mut rate = LineRate::new(&limits::Plugin { log_lines_per_s_max: 2, ..Default::default() });
        assert!(!rate.is_full(at(5)) && rate.begins_second(at(5)));
        assert!(rate.take(&line("1")) && !rate.begins_second(at(6)) && rate.take(&line("2")));
        assert!(rate.is_full(at(7)) && !rate.take(&line("three")) && !rate.take(&line("four")));
        assert!(rate.is_full(at(1_004)) && !rate.is_full(at(1_005)));
        assert!(!rate.begins_second(at(1_004)) && rate.begins_second(at(1_005)));
        let said = dropped(&mut rate);
        assert!(
            said[0].starts_with("2 lines (9 bytes) dropped: more than 2 lines or 1048576 bytes a second")
        );
        assert_eq!((said.len(), rate.take_losses()), (1, Losses { cut: 0, dropped: 2 }));
        assert_eq!(rate.take_losses(), Losses::default());
        assert!(dropped(&mut rate).is_empty(), "once");
        assert!(rate.take(&line("5")));
    }

    #[test]
    fn long_lines_take_no_more_than_their_bytes_of_a_second() {
        let limits = limits::Plugin { log_bytes_per_s_max: 65_536, ..Default::default() };
        let (mut rate, long) = (LineRate::new(&limits), line(&"x".repeat(16_384)));
        assert!(rate.begins_second(at(5)));
        let taken = (0..100).filter(|_| rate.take(&long)).count();
        assert_eq!(taken, 4, "the one that fills the second is whole");
        assert!(rate.is_full(at(900)) && !rate.is_full(at(1_005)));
        assert!(dropped(&mut rate)[0].starts_with(&format!("96 lines ({} bytes) dropped", 96 * 16_384)));
        assert!(rate.begins_second(at(1_005)) && rate.take(&Line { cut_bytes: 1, ..long }));
        assert_eq!(rate.take_losses(), Losses { cut: 1, dropped: 96 });
    }

    #[test]
    fn lines_that_the_disk_did_not_take_are_counted_apart() {
        let mut rate = LineRate::new(&limits::Plugin::default());
        rate.on_unwritten(&Line { text: "four".to_owned(), cut_bytes: 3 });
        assert_eq!(dropped(&mut rate), ["1 lines (7 bytes) dropped: the disk did not take them in time"]);
        assert!(dropped(&mut rate).is_empty(), "once");
    }
}
