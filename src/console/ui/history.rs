//! The lines that were run from the palette.

use std::collections::VecDeque;

/// The last lines, the oldest first, at most `limits.console.history_lines_max`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct History {
    lines: VecDeque<String>,
    max: usize,
}

impl History {
    /// A history with these lines, the oldest first.
    pub(crate) fn new(lines: impl IntoIterator<Item = String>, max: u64) -> Self {
        let mut history = Self { lines: VecDeque::new(), max: usize::try_from(max).unwrap_or(usize::MAX) };
        for line in lines {
            history.push(line);
        }
        history
    }

    /// Takes a line, unless it is the last one again.
    pub(crate) fn push(&mut self, line: String) {
        if line.is_empty() || self.lines.back() == Some(&line) {
            return;
        }
        self.lines.push_back(line);
        let cut = self.lines.len().saturating_sub(self.max);
        self.lines.drain(..cut);
    }

    /// The line that was run so many lines ago, from 0.
    pub(crate) fn ago(&self, ago: usize) -> Option<&str> {
        let index = self.lines.len().checked_sub(ago + 1)?;
        self.lines.get(index).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_last_lines_and_no_repeat() {
        let lines = ["a", "b", "b", "", "c", "d"].map(str::to_owned);
        let history = History::new(lines, 3);
        assert_eq!([0, 1, 2, 3].map(|ago| history.ago(ago)), [Some("d"), Some("c"), Some("b"), None]);
    }
}
