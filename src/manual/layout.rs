//! A page in so many columns: text is wrapped between words, code is not.

use super::block::{Block, Span, Style, plain};
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
pub(crate) type Line = Vec<Span>;

/// Blocks in so many columns, an empty line between two.
pub(crate) fn lines(blocks: &[Block], columns: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut is_item_before = false;
    for block in blocks {
        let is_item = matches!(block, Block::Paragraph { depth: 1.., .. });
        if !(lines.is_empty() || is_item && is_item_before) {
            lines.push(Line::new());
        }
        is_item_before = is_item;
        match block {
            Block::Heading(_, spans) => lines.extend(wrap(spans, columns)),
            Block::Paragraph { depth, marker, spans } => {
                let before = INDENT * depth.saturating_sub(1);
                let hanging = before + width(marker);
                for (at, line) in wrap(spans, columns.saturating_sub(hanging)).into_iter().enumerate() {
                    let lead = if at == 0 { marker } else { "" };
                    lines.push(led(
                        format!("{:before$}{lead}{:rest$}", "", "", rest = hanging - before - width(lead)),
                        line,
                    ));
                }
            }
            Block::Code { depth, lines: code, .. } => {
                let indent = " ".repeat(INDENT * (depth + 1));
                let span = |text: &String| Span { text: text.clone(), style: Style::Code, link: None };
                lines.extend(code.iter().map(|text| led(indent.clone(), vec![span(text)])));
            }
            Block::Table(rows) => lines.extend(table(rows, columns)),
        }
    }
    lines
}

fn led(lead: String, mut line: Line) -> Line {
    if !lead.is_empty() {
        line.insert(0, Span { text: lead, ..Span::default() });
    }
    line
}

/// A text in lines of at most so many columns; a word that is longer has a line of its own.
fn wrap(spans: &[Span], columns: usize) -> Vec<Line> {
    let mut lines = vec![Line::new()];
    let mut used = 0;
    // A word may be of several spans: it ends with its blank.
    let mut word: Line = Vec::new();
    let flush = |word: &mut Line, lines: &mut Vec<Line>, used: &mut usize| {
        let needed = width(plain(word).trim_end());
        if *used > 0 && *used + needed > columns {
            lines.push(Line::new());
            *used = 0;
        }
        *used += width(&plain(word));
        if let Some(line) = lines.last_mut() {
            line.append(word);
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
    lines.iter_mut().for_each(joined);
    lines
}

/// Neighbours of one style become one, and no blank is left at the end.
fn joined(line: &mut Line) {
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

fn table(rows: &[Vec<Vec<Span>>], columns: usize) -> Vec<Line> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let natural = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| width(&plain(cell))).max();
    let mut widths: Vec<usize> = (0..count).map(|at| natural(at).unwrap_or(0)).collect();
    let gaps = GAP * count.saturating_sub(1);
    if widths.iter().sum::<usize>() + gaps > columns
        && let Some((last, before)) = widths.split_last_mut()
    {
        let others = |widths: &[usize]| widths.iter().sum::<usize>();
        if others(before) + gaps + LAST_COLUMNS_MIN > columns {
            for column in before.iter_mut() {
                *column = (*column).min(CELL_COLUMNS_MAX);
            }
        }
        *last = columns.saturating_sub(others(before) + gaps).max(LAST_COLUMNS_MIN);
    }
    let mut lines = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, columns)| wrap(cell, *columns)).collect();
        for line in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let mut out = Line::new();
            let mut pending = 0;
            for (cell, columns) in cells.iter().zip(&widths) {
                let part = cell.get(line).cloned().unwrap_or_default();
                let used = width(&plain(&part));
                if !part.is_empty() {
                    out = if pending > 0 {
                        [out, vec![Span { text: " ".repeat(pending), ..Span::default() }], part].concat()
                    } else {
                        [out, part].concat()
                    };
                    pending = 0;
                }
                pending += columns.saturating_sub(used) + GAP;
            }
            if at == 0 {
                for span in &mut out {
                    span.style = Style::Strong;
                }
            }
            lines.push(out);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manual::Page;

    fn shown(text: &str, columns: usize) -> Vec<String> {
        lines(&Page::read("x", text).blocks, columns).iter().map(|line| plain(line)).collect()
    }

    #[test]
    fn words_are_wrapped_and_code_is_not() {
        assert_eq!(shown("one `two` three four", 9), ["one two", "three", "four"]);
        assert_eq!(shown("```sh\na very long line\n```", 5), ["  a very long line"]);
        assert_eq!(shown("averylongword b", 5), ["averylongword", "b"]);
        assert_eq!(shown("- one two\n- three\n\nfour", 7), ["- one", "  two", "- three", "", "four"]);
    }

    #[test]
    fn the_last_column_of_a_table_is_wrapped() {
        let text =
            "| key | what |\n|---|---|\n| `a` | one two three four five six seven eight |\n| bb | b |\n";
        assert_eq!(
            shown(text, 30),
            ["key  what", "a    one two three four five", "     six seven eight", "bb   b"]
        );
    }
}
