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
    /// Times, as texts; the column's name has the zone behind it.
    Time,
}

/// The width of a column that is cut further only where nothing else can be.
const CELL_COLUMNS_MIN: usize = 8;
/// Columns between two cells.
const GAP: usize = 2;

/// A table that is printed page by page: columns only ever get wider.
#[derive(Debug)]
pub(crate) struct Table {
    columns: &'static [(&'static str, Align)],
    names: Vec<String>,
    widths: Vec<usize>,
    /// Columns of the terminal that it is to fit.
    room: Option<usize>,
    headed: bool,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(columns: &'static [(&'static str, Align)]) -> Self {
        let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let widths = names.iter().map(|name| width(name)).collect();
        Self { columns, names, widths, room: None, headed: false }
    }

    /// With the zone of a clock in the names of its times.
    pub(crate) fn timed(mut self, clock: &LocalClock) -> Self {
        let zone = clock.zone_name();
        for ((_, align), (name, columns)) in
            self.columns.iter().zip(self.names.iter_mut().zip(&mut self.widths))
        {
            if *align == Align::Time {
                *name = format!("{name} ({zone})");
                *columns = width(name);
            }
        }
        self
    }

    /// So narrow that it fits a terminal, where it goes to one.
    pub(crate) fn fitting(self, room: Option<usize>) -> Self {
        Self { room, ..self }
    }

    /// The lines of one page, the first with the head above it.
    pub(crate) fn page(&mut self, rows: Vec<Vec<String>>) -> Vec<String> {
        let rows: Vec<Vec<String>> = rows.into_iter().map(|row| self.fitted(&row)).collect();
        for row in &rows {
            for (columns, cell) in self.widths.iter_mut().zip(row) {
                *columns = (*columns).max(width(cell));
            }
        }
        self.fit();
        let head = (!std::mem::replace(&mut self.headed, true)).then(|| self.names.clone());
        head.into_iter().chain(rows).map(|row| self.line(&row)).collect()
    }

    /// Narrows the widest texts until all columns have room, or no more can be cut.
    fn fit(&mut self) {
        let Some(room) = self.room else { return };
        let gaps = self.columns.len().saturating_sub(1) * GAP;
        let mut over = (self.widths.iter().sum::<usize>() + gaps).saturating_sub(room);
        while over > 0 {
            let texts = self.widths.iter().zip(self.columns).enumerate();
            let texts = texts.filter(|(_, (_, (_, align)))| *align == Align::Left);
            let widest = texts.max_by_key(|(_, (columns, _))| **columns).map(|(index, _)| index);
            let Some(columns) = widest.and_then(|index| self.widths.get_mut(index)) else { return };
            if *columns <= CELL_COLUMNS_MIN {
                return;
            }
            *columns -= 1;
            over -= 1;
        }
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
            let cell = words::truncate(cell, *columns, "…");
            let pad = " ".repeat(columns.saturating_sub(width(&cell)));
            match align {
                Align::Left | Align::Time => line.extend([&*cell, &pad]),
                Align::Right => line.extend([pad.as_str(), &cell]),
            }
            line.push_str("  ");
        }
        line.truncate(line.trim_end().len());
        match self.room {
            Some(room) => words::truncate(&line, room, "…").into_owned(),
            None => line,
        }
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
    now: Wall,
    today: Option<jiff::civil::Date>,
}

impl LocalClock {
    /// As the system's time zone has it, on the day of `now`.
    pub(crate) fn new(now: Wall) -> Self {
        Self::at(TimeZone::system(), now)
    }

    fn at(zone: TimeZone, now: Wall) -> Self {
        let today = timestamp(now).map(|stamp| stamp.to_zoned(zone.clone()).date());
        Self { zone, now, today }
    }

    /// The zone's short name, as it is now: `CEST`.
    pub(crate) fn zone_name(&self) -> String {
        words::format::zone_name(self.now, &self.zone)
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

    const NOW: Wall = Wall(1_790_000_000_000);

    fn table(columns: &'static [(&'static str, Align)], room: Option<usize>) -> Table {
        Table::new(columns).fitting(room)
    }

    #[test]
    fn a_zone_is_known_by_its_name_and_stands_in_the_head() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let clock = LocalClock::at(berlin, NOW);
        assert_eq!((clock.show(NOW), clock.zone_name()), ("16:13:20".to_owned(), "CEST".to_owned()));
        let mut table = Table::new(&[("at", Align::Time), ("n", Align::Left)]).timed(&clock);
        let lines = table.page(vec![vec![clock.show(NOW), "1".to_owned()]]);
        assert_eq!(lines, ["at (CEST)  n", "16:13:20   1"]);
        assert_eq!(LocalClock::at(TimeZone::unknown(), NOW).zone_name(), "UTC");
    }

    #[test]
    fn the_widest_texts_are_cut_so_that_lines_fit_a_terminal() {
        let columns = &[("id", Align::Right), ("what", Align::Left), ("why", Align::Left)];
        let row = vec!["1234567".to_owned(), "x".repeat(40), "short".to_owned()];
        let lines = table(columns, Some(40)).page(vec![row.clone()]);
        assert!(lines.iter().all(|line| width(line) <= 40), "{lines:?}");
        assert!(lines[1].starts_with("1234567  xxx") && lines[1].ends_with("…  short"), "{lines:?}");
        assert!(table(columns, Some(12)).page(vec![row.clone()]).iter().all(|line| width(line) <= 12));
        assert!(width(&table(columns, None).page(vec![row])[1]) > 40);
    }

    #[test]
    fn columns_line_up_and_grow_from_page_to_page() {
        let mut table = table(&[("id", Align::Right), ("queue", Align::Left), ("n", Align::Right)], None);
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
            let mut table = table(&[("text", Align::Left)], None);
            assert_eq!(table.page(vec![vec![text.to_owned()]])[1], safe.trim_end(), "{text:?}");
        }
        let mut table = table(&[("text", Align::Left), ("n", Align::Left)], None);
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
