//! A page in so many columns: text is wrapped between words, and a table that does not fit has its rows one
//! below the other.

use super::{
    block::{Block, Span, Style, plain},
    place::Place,
};
use crate::words::width;

/// Columns further in that code and the items of a list are, by depth.
const INDENT: usize = 2;
/// Columns between those of a table.
const GAP: usize = 2;
/// The most columns that a cell takes of a table whose rows do not fit, the last one aside.
const CELL_COLUMNS_MAX: usize = 30;
/// The fewest that the last one has.
const LAST_COLUMNS_MIN: usize = 24;

/// One line of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) spans: Vec<Span>,
    /// What it is a line of; an empty one, of what is above it.
    pub(crate) place: Place,
}

#[cfg(test)]
impl Line {
    /// Its text.
    pub(crate) fn text(&self) -> String {
        plain(&self.spans)
    }
}

/// How a page is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) columns: usize,
    /// Whether lines of code are broken too: on a screen that does not move sideways.
    pub(crate) breaks_code: bool,
}

/// Blocks as lines, an empty line between two.
pub(crate) fn lines(blocks: &[Block], layout: Layout) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut is_item_before = false;
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| !matches!(block, Block::Find(_))) {
        let is_item = matches!(block, Block::Paragraph { depth: 1.., .. });
        let place = Place { block: at, row: 0 };
        if !(lines.is_empty() || is_item && is_item_before) {
            lines.push(Line {
                spans: Vec::new(),
                place: Place { block: at.saturating_sub(1), row: usize::MAX },
            });
        }
        is_item_before = is_item;
        let rows: Vec<(usize, Vec<Span>)> = match block {
            Block::Heading(_, spans) => of_one(wrap(spans, layout.columns)),
            Block::Paragraph { depth, marker, spans } => {
                of_one(hanging(spans, INDENT * depth.saturating_sub(1), marker, layout.columns))
            }
            Block::Code { depth, lines, .. } => of_one(code(lines, INDENT * (depth + 1), layout)),
            Block::Table(rows) => table(rows, layout.columns),
            Block::Find(_) => Vec::new(),
        };
        lines.extend(rows.into_iter().map(|(row, spans)| Line { spans, place: Place { row, ..place } }));
    }
    lines
}

fn of_one(lines: Vec<Vec<Span>>) -> Vec<(usize, Vec<Span>)> {
    lines.into_iter().map(|line| (0, line)).collect()
}

/// A text behind a marker, its further lines as far in as the first.
fn hanging(spans: &[Span], before: usize, marker: &str, columns: usize) -> Vec<Vec<Span>> {
    let indent = before + width(marker);
    let lines = wrap(spans, columns.saturating_sub(indent));
    let lead = |at| if at == 0 { format!("{:before$}{marker}", "") } else { " ".repeat(indent) };
    lines.into_iter().enumerate().map(|(at, line)| led(lead(at), line)).collect()
}

fn code(lines: &[String], indent: usize, layout: Layout) -> Vec<Vec<Span>> {
    let span = |text: String| Span { text, style: Style::Code, link: None };
    let room = if layout.breaks_code { layout.columns.saturating_sub(indent).max(1) } else { usize::MAX };
    let parts =
        lines.iter().flat_map(|line| if line.is_empty() { vec![String::new()] } else { pieces(line, room) });
    parts.map(|part| led(" ".repeat(indent), vec![span(part)])).collect()
}

fn led(lead: String, mut line: Vec<Span>) -> Vec<Span> {
    if !lead.is_empty() {
        line.insert(0, Span { text: lead, ..Span::default() });
    }
    line
}

/// A text in parts of at most so many columns.
fn pieces(text: &str, columns: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut used = 0;
    for sign in text.chars() {
        let wide = width(sign.encode_utf8(&mut [0; 4]));
        if used + wide > columns && used > 0 {
            parts.push(String::new());
            used = 0;
        }
        used += wide;
        if let Some(part) = parts.last_mut() {
            part.push(sign);
        }
    }
    parts
}

/// A text in lines of at most so many columns; only a word that is longer is broken.
fn wrap(spans: &[Span], columns: usize) -> Vec<Vec<Span>> {
    let columns = columns.max(1);
    let mut lines = vec![Vec::new()];
    let mut used = 0;
    // A word may be of several spans: it ends with its blank.
    let mut word: Vec<Span> = Vec::new();
    let flush = |word: &mut Vec<Span>, lines: &mut Vec<Vec<Span>>, used: &mut usize| {
        let needed = width(plain(word).trim_end());
        if *used > 0 && *used + needed > columns {
            lines.push(Vec::new());
            *used = 0;
        }
        for span in word.drain(..) {
            let room = if needed > columns { columns } else { usize::MAX };
            for text in pieces(&span.text, room) {
                let wide = width(&text);
                if needed > columns && *used > 0 && *used + width(text.trim_end()) > columns {
                    lines.push(Vec::new());
                    *used = 0;
                }
                *used += wide;
                if let Some(line) = lines.last_mut() {
                    line.push(Span { text, ..span.clone() });
                }
            }
        }
    };
    for span in spans {
        for part in span.text.split_inclusive(' ') {
            word.push(Span { text: part.to_owned(), ..span.clone() });
            if part.ends_with(' ') {
                flush(&mut word, &mut lines, &mut used);
            }
        }
    }
    flush(&mut word, &mut lines, &mut used);
    lines.iter_mut().for_each(join);
    lines
}

/// Neighbours of one style become one, and no blank is left at the end.
fn join(line: &mut Vec<Span>) {
    line.dedup_by(|next, before| {
        let is_alike = next.style == before.style && next.link == before.link;
        if is_alike {
            before.text.push_str(&next.text);
        }
        is_alike
    });
    if let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
}

type Row = Vec<Vec<Span>>;

/// The lines of a table, each with the number of its row.
fn table(rows: &[Row], columns: usize) -> Vec<(usize, Vec<Span>)> {
    match widths(rows, columns) {
        Some(widths) => rows.iter().enumerate().flat_map(|(at, row)| of_row(at, row, &widths)).collect(),
        None => stacked(rows, columns),
    }
}

/// The columns of its cells; none where the last one would have too little room.
fn widths(rows: &[Row], columns: usize) -> Option<Vec<usize>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let natural = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| width(&plain(cell))).max();
    let mut widths: Vec<usize> = (0..count).map(|at| natural(at).unwrap_or(0)).collect();
    let gaps = GAP * count.saturating_sub(1);
    if widths.iter().sum::<usize>() + gaps <= columns {
        return Some(widths);
    }
    let (last, before) = widths.split_last_mut()?;
    let room = |before: &[usize]| columns.checked_sub(before.iter().sum::<usize>() + gaps);
    if room(before).is_none_or(|room| room < LAST_COLUMNS_MIN) {
        for column in before.iter_mut() {
            *column = (*column).min(CELL_COLUMNS_MAX);
        }
    }
    *last = room(before).filter(|room| *room >= LAST_COLUMNS_MIN)?;
    Some(widths)
}

fn of_row(at: usize, row: &Row, widths: &[usize]) -> Vec<(usize, Vec<Span>)> {
    let cells: Vec<_> = row.iter().zip(widths).map(|(cell, columns)| wrap(cell, *columns)).collect();
    let count = cells.iter().map(Vec::len).max().unwrap_or(0);
    (0..count).map(|line| (at, of_line(&cells, line, widths, at == 0))).collect()
}

fn of_line(cells: &[Vec<Vec<Span>>], line: usize, widths: &[usize], is_head: bool) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    let mut pending = 0;
    for (cell, columns) in cells.iter().zip(widths) {
        let mut part = cell.get(line).cloned().unwrap_or_default();
        let used = width(&plain(&part));
        if !part.is_empty() {
            if pending > 0 {
                out.push(Span { text: " ".repeat(pending), ..Span::default() });
            }
            out.append(&mut part);
            pending = 0;
        }
        pending += columns.saturating_sub(used) + GAP;
    }
    if is_head {
        for span in &mut out {
            span.style = Style::Strong;
        }
    }
    out
}

/// Each row as its first cell, and the others below it behind the names of their columns; the last one, which
/// says most, without.
fn stacked(rows: &[Row], columns: usize) -> Vec<(usize, Vec<Span>)> {
    let Some((head, rows)) = rows.split_first() else { return Vec::new() };
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        for (index, cell) in row.iter().enumerate().filter(|(_, cell)| !plain(cell).is_empty()) {
            let is_last = index + 1 == row.len();
            let name = head.get(index).filter(|_| index > 0 && !is_last);
            let lead = name.map(|name| Span { text: format!("{}: ", plain(name)), ..Span::default() });
            let spans: Vec<Span> = lead.into_iter().chain(cell.iter().cloned()).collect();
            let indent = if index == 0 { 0 } else { INDENT };
            lines.extend(hanging(&spans, indent, "", columns).into_iter().map(|line| (at + 1, line)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::Page;

    fn shown(text: &str, columns: usize) -> Vec<String> {
        let layout = Layout { columns, breaks_code: false };
        lines(&Page::read("x", text).blocks, layout).iter().map(Line::text).collect()
    }

    #[test]
    fn words_are_wrapped_and_code_is_not() {
        assert_eq!(shown("one `two` three four", 9), ["one two", "three", "four"]);
        assert_eq!(shown("```sh\na very long line\n```", 5), ["  a very long line"]);
        assert_eq!(shown("averylongword b", 5), ["avery", "longw", "ord b"]);
        assert_eq!(shown("- one two\n- three\n\nfour", 7), ["- one", "  two", "- three", "", "four"]);
    }

    #[test]
    fn code_is_broken_where_it_could_not_be_seen() {
        let layout = Layout { columns: 7, breaks_code: true };
        let blocks = Page::read("x", "```sh\nabcdefgh\n\ni\n```").blocks;
        let shown: Vec<String> = lines(&blocks, layout).iter().map(Line::text).collect();
        assert_eq!(shown, ["  abcde", "  fgh", "  ", "  i"]);
    }

    const TABLE: &str =
        "| key | what |\n|---|---|\n| `a` | one two three four five six seven eight |\n| bb | b |\n";

    #[test]
    fn the_last_column_of_a_table_is_wrapped() {
        assert_eq!(
            shown(TABLE, 30),
            ["key  what", "a    one two three four five", "     six seven eight", "bb   b"]
        );
    }

    #[test]
    fn a_table_without_room_has_its_rows_one_below_the_other() {
        let text = "| key | default | what |\n|---|---|---|\n| `a.long.name.of.a.key` | 17 | one two three four |\n| b | | c |\n";
        assert_eq!(
            shown(text, 24),
            ["a.long.name.of.a.key", "  default: 17", "  one two three four", "b", "  c"]
        );
        let layout = Layout { columns: 24, breaks_code: false };
        let rows: Vec<usize> =
            lines(&Page::read("x", text).blocks, layout).iter().map(|line| line.place.row).collect();
        assert_eq!(rows, [1, 1, 1, 2, 2]);
    }

    #[test]
    fn no_line_is_wider_than_the_page() {
        for columns in 1..40 {
            for line in shown(TABLE, columns) {
                assert!(width(&line) <= columns.max(3), "{columns}: {line}");
            }
        }
    }
}
