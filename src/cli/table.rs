//! Rows for people: aligned columns, times on the local clock, foreign texts made safe to print.

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    time::Wall,
    words::{self, width},
};

/// The width over which a cell is cut.
const CELL_COLUMNS_MAX: usize = 60;
/// The limit of the last column, which nothing follows.
const LAST_COLUMNS_MAX: usize = 240;

/// How a column is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    /// Texts.
    Left,
    /// Numbers.
    Right,
}

/// A table that is printed page by page: columns only ever get wider.
#[derive(Debug)]
pub(crate) struct Table {
    columns: &'static [(&'static str, Align)],
    widths: Vec<usize>,
    headed: bool,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(columns: &'static [(&'static str, Align)]) -> Self {
        Self { columns, widths: columns.iter().map(|(name, _)| width(name)).collect(), headed: false }
    }

    /// The lines of one page, the first with the head above it.
    pub(crate) fn page(&mut self, rows: Vec<Vec<String>>) -> Vec<String> {
        let rows: Vec<Vec<String>> = rows.into_iter().map(|row| self.fitted(&row)).collect();
        for row in &rows {
            for (columns, cell) in self.widths.iter_mut().zip(row) {
                *columns = (*columns).max(width(cell));
            }
        }
        let head = self.columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let head = (!std::mem::replace(&mut self.headed, true)).then_some(head);
        head.into_iter().chain(rows).map(|row| self.line(&row)).collect()
    }

    fn fitted(&self, row: &[String]) -> Vec<String> {
        let last = self.columns.len().saturating_sub(1);
        let columns_max = |index| if index == last { LAST_COLUMNS_MAX } else { CELL_COLUMNS_MAX };
        row.iter()
            .enumerate()
            .map(|(index, cell)| words::truncate(&visible(cell), columns_max(index), "…").into_owned())
            .collect()
    }

    fn line(&self, row: &[String]) -> String {
        let mut line = String::new();
        for ((cell, columns), (_, align)) in row.iter().zip(&self.widths).zip(self.columns) {
            let pad = " ".repeat(columns.saturating_sub(width(cell)));
            match align {
                Align::Left => line.extend([cell.as_str(), &pad]),
                Align::Right => line.extend([pad.as_str(), cell]),
            }
            line.push_str("  ");
        }
        line.truncate(line.trim_end().len());
        line
    }
}

/// A foreign text made safe to print (as screens have it, [`words::visible()`]).
pub(crate) fn visible(text: &str) -> String {
    words::visible(text, false).into_owned()
}

/// Shows times on the local clock.
#[derive(Clone, Debug)]
pub(crate) struct LocalClock {
    zone: TimeZone,
    today: Option<jiff::civil::Date>,
}

impl LocalClock {
    /// As the system's time zone has it, on the day of `now`.
    pub(crate) fn new(now: Wall) -> Self {
        Self::at(TimeZone::system(), now)
    }

    fn at(zone: TimeZone, now: Wall) -> Self {
        let today = timestamp(now).map(|stamp| stamp.to_zoned(zone.clone()).date());
        Self { zone, today }
    }

    /// The time of today, or day and time.
    pub(crate) fn show(&self, at: Wall) -> String {
        let Some(stamp) = timestamp(at) else { return at.0.to_string() };
        let local = stamp.to_zoned(self.zone.clone());
        let form = if Some(local.date()) == self.today { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
        local.strftime(form).to_string()
    }
}

fn timestamp(at: Wall) -> Option<Timestamp> {
    Timestamp::from_millisecond(i64::try_from(at.0).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_grow_from_page_to_page() {
        let mut table = Table::new(&[("id", Align::Right), ("queue", Align::Left), ("n", Align::Right)]);
        let row = |id: &str, queue: &str, n: &str| vec![id.to_owned(), queue.to_owned(), n.to_owned()];
        assert_eq!(
            table.page(vec![row("7", "default", "12"), row("128", "b", "1")]),
            [" id  queue     n", "  7  default  12", "128  b         1"]
        );
        assert_eq!(table.page(vec![row("1", "a longer one", "1")]), ["  1  a longer one   1"]);
    }

    #[test]
    fn foreign_texts_cannot_steer_the_terminal_nor_hide() {
        for (text, safe) in words::HOSTILE_TEXTS {
            let mut table = Table::new(&[("text", Align::Left)]);
            assert_eq!(table.page(vec![vec![text.to_owned()]])[1], safe.trim_end(), "{text:?}");
        }
        let mut table = Table::new(&[("text", Align::Left), ("n", Align::Left)]);
        let cell = table.page(vec![vec!["x".repeat(100), "1".to_owned()]]).remove(1);
        assert_eq!(width(&cell), CELL_COLUMNS_MAX + 3);
    }

    #[test]
    fn todays_times_are_short() {
        let now = Wall(1_790_000_000_000);
        let clock = LocalClock::at(TimeZone::UTC, now);
        assert_eq!(clock.show(now), "14:13:20");
        assert_eq!(clock.show(Wall(now.0 - 86_400_000)), "2026-09-20 14:13:20");
        assert_eq!(clock.show(Wall(u64::MAX)), u64::MAX.to_string());
    }
}
