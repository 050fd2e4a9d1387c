//! Rows for people: aligned columns, times on the local clock, foreign texts made safe to print.

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    console::draw::text,
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
/// That of the last column, which goes on in further lines.
const LAST_COLUMNS_MIN: usize = 24;
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
    /// Columns that are left out where there is no room, the first one first.
    spare: &'static [&'static str],
    hidden: Vec<bool>,
    headed: bool,
}

impl Table {
    /// A table with these columns.
    pub(crate) fn new(columns: &'static [(&'static str, Align)]) -> Self {
        let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let widths = names.iter().map(|name| width(name)).collect();
        let hidden = vec![false; columns.len()];
        Self { columns, names, widths, room: None, spare: &[], hidden, headed: false }
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

    /// Without these columns where there is no room for them, the first one first.
    pub(crate) fn sparing(self, spare: &'static [&'static str]) -> Self {
        Self { spare, ..self }
    }

    /// The columns that were left out.
    pub(crate) fn left_out(&self) -> Vec<&'static str> {
        let hidden = self.columns.iter().zip(&self.hidden).filter(|(_, hidden)| **hidden);
        hidden.map(|((name, _), _)| *name).collect()
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
        head.into_iter().chain(rows).flat_map(|row| self.lines(&row)).collect()
    }

    /// The fewest columns that one is cut to.
    fn least(&self, index: usize) -> usize {
        let is_last = index + 1 == self.columns.len();
        let least = if is_last { LAST_COLUMNS_MIN } else { CELL_COLUMNS_MIN };
        let columns = self.widths[index];
        if self.columns[index].1 == Align::Left { columns.min(least) } else { columns }
    }

    fn shown(&self) -> impl Iterator<Item = usize> {
        (0..self.columns.len()).filter(|index| !self.hidden[*index])
    }

    /// Leaves columns out until the others have room, narrows the widest texts, and lets the rest be cut.
    fn fit(&mut self) {
        let Some(room) = self.room else { return };
        let total = |columns: usize, count: usize| columns + count.saturating_sub(1) * GAP;
        for name in if self.headed { &[] } else { self.spare } {
            if total(self.shown().map(|index| self.least(index)).sum(), self.shown().count()) <= room {
                break;
            }
            if let Some(index) = self.columns.iter().position(|(known, _)| known == name) {
                self.hidden[index] = true;
            }
        }
        let widths = self.shown().map(|index| self.widths[index]).sum();
        let mut over = total(widths, self.shown().count()).saturating_sub(room);
        while over > 0 {
            let texts = self.shown().filter(|index| self.widths[*index] > self.least(*index));
            let Some(widest) = texts.max_by_key(|index| self.widths[*index]) else { return };
            self.widths[widest] -= 1;
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

    /// A row; a last text that is longer than its column goes on below itself.
    fn lines(&self, row: &[String]) -> Vec<String> {
        let last = self.columns.len().saturating_sub(1);
        let goes_on =
            self.room.is_some() && self.columns.last().is_some_and(|(_, align)| *align == Align::Left);
        let columns = self.widths.get(last).copied().unwrap_or_default();
        let wrapped = match row.get(last).filter(|text| goes_on && width(text) > columns) {
            Some(text) => text::wrap(text, columns),
            None => Vec::new(),
        };
        let mut parts = wrapped.into_iter();
        let mut first = row.to_vec();
        if let (Some(part), Some(cell)) = (parts.next(), first.get_mut(last)) {
            *cell = part;
        }
        let further = parts.map(|part| {
            let mut cells = vec![String::new(); last];
            cells.push(part);
            cells
        });
        std::iter::once(first).chain(further).map(|cells| self.line(&cells)).collect()
    }

    fn line(&self, row: &[String]) -> String {
        let mut line = String::new();
        for index in self.shown() {
            let (columns, align) = (self.widths[index], self.columns[index].1);
            let cell = words::truncate(row.get(index).map_or("", String::as_str), columns, "…");
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

    #[test]
    fn a_last_text_goes_on_below_and_columns_without_room_are_left_out_and_named() {
        let columns =
            &[("id", Align::Right), ("params", Align::Left), ("source", Align::Left), ("why", Align::Left)];
        let why = "the adapter said that the ROM hung, and left";
        let row =
            vec!["1".to_owned(), "{\"count\":100}".to_owned(), "channel_points".to_owned(), why.to_owned()];
        let mut wide = table(columns, Some(60)).sparing(&["params", "source"]);
        let lines = wide.page(vec![row.clone()]);
        assert!(wide.left_out().is_empty() && lines.len() > 2, "{lines:?}");
        let mut narrow = table(columns, Some(40)).sparing(&["params", "source"]);
        let lines = narrow.page(vec![row]);
        assert_eq!(narrow.left_out(), ["params"]);
        assert!(lines.iter().all(|line| width(line) <= 40), "{lines:?}");
        let text: Vec<_> = lines[1..].iter().flat_map(|line| line.split_whitespace()).collect();
        assert!(text.join(" ").contains("the ROM hung, and left") || text.contains(&"left"), "{lines:?}");
    }
}
