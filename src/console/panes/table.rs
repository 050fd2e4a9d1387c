//! A table of which only the visible rows are made.

use ratatui::{layout::Rect, style::Modifier};

use super::Cell;
use crate::console::{text, theme::Role, ui::Selection, view::Canvas};

/// On which side of its column a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) columns: u16,
    /// Its share of what is left over; none for a fixed width.
    pub(crate) grows: u16,
    pub(crate) align: Align,
    /// The pane's inner width below which it is left out.
    pub(crate) from: u16,
}

impl Column {
    /// A column of this width.
    pub(crate) const fn fixed(title: &'static str, columns: u16, align: Align) -> Self {
        Self { title, columns, grows: 0, align, from: 0 }
    }

    /// A column of at least this width that takes a share of what is left.
    pub(crate) const fn growing(title: &'static str, columns: u16, grows: u16) -> Self {
        Self { title, columns, grows, align: Align::Left, from: 0 }
    }

    /// The same, left out of narrower panes.
    pub(crate) const fn from(mut self, columns: u16) -> Self {
        self.from = columns;
        self
    }
}

/// A table.
pub(crate) struct Table<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) len: usize,
    /// The cells of a row, one a column.
    pub(crate) row: &'a dyn Fn(usize) -> Vec<Cell>,
    pub(crate) selection: Option<&'a Selection>,
    pub(crate) focused: bool,
}

impl Table<'_> {
    /// Draws the head and as many rows as fit.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if area.height == 0 || area.width < 4 {
            return;
        }
        let widths = self.widths(area.width);
        let mut x = area.x + 1;
        for (column, width) in self.columns.iter().zip(&widths) {
            if *width > 0 {
                put_aligned(canvas, x, area.y, *width, column.title, Role::Muted, column.align);
                x += width + 1;
            }
        }
        let offset = self.selection.map_or(0, Selection::offset);
        let height = usize::from(area.height - 1);
        for (index, y) in (offset..self.len).take(height).zip(area.y + 1..) {
            let cells = (self.row)(index);
            let mut x = area.x + 1;
            for ((cell, column), width) in cells.iter().zip(self.columns).zip(&widths) {
                if *width > 0 {
                    put_aligned(canvas, x, y, *width, &cell.text, cell.role, column.align);
                    x += width + 1;
                }
            }
            if self.focused && self.selection.is_some_and(|selection| selection.index() == index) {
                let line = Rect::new(area.x, y, area.width, 1);
                canvas.buffer.set_style(line, ratatui::style::Style::new().add_modifier(Modifier::REVERSED));
            }
        }
        self.draw_more(canvas, area, offset, height);
    }

    /// Says how many rows lie above and below, on the frame's lower line.
    fn draw_more(&self, canvas: &mut Canvas<'_>, area: Rect, offset: usize, height: usize) {
        let below = self.len.saturating_sub(offset + height);
        if offset == 0 && below == 0 {
            return;
        }
        let glyphs = canvas.view.glyphs;
        let words = format!(" {} {offset}  {} {below} ", glyphs.up, glyphs.down_arrow);
        let width = u16::try_from(text::width(&words)).unwrap_or(u16::MAX);
        canvas.put(area.right().saturating_sub(width), area.bottom(), width, &words, Role::Muted);
    }

    fn widths(&self, room: u16) -> Vec<u16> {
        let shown = |column: &Column| room >= column.from;
        let fixed: u16 = self.columns.iter().filter(|column| shown(column)).map(|column| column.columns + 1).sum();
        let shares: u16 = self.columns.iter().filter(|column| shown(column)).map(|column| column.grows).sum();
        let left = room.saturating_sub(fixed + 1);
        self.columns
            .iter()
            .map(|column| {
                let share = (left * column.grows).checked_div(shares).unwrap_or(0);
                if shown(column) { column.columns + share } else { 0 }
            })
            .collect()
    }
}

fn put_aligned(canvas: &mut Canvas<'_>, x: u16, y: u16, columns: u16, words: &str, role: Role, align: Align) {
    let used = u16::try_from(text::width(words)).unwrap_or(u16::MAX).min(columns);
    let x = if align == Align::Right { x + columns - used } else { x };
    canvas.put(x, y, columns, words, role);
}
