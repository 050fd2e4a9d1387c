//! A table of which only the visible rows are made.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{Cell, Cut, text, theme::Role},
        records::selection::Selection,
        settings::view::Canvas,
    },
    field::{Align, Column},
};

/// A table.
pub(crate) struct Table<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) len: usize,
    /// The cells of a row, one a column.
    pub(crate) row: &'a dyn Fn(usize) -> Vec<Cell>,
    /// Whether a row has a bookmark.
    pub(crate) bookmarked: &'a dyn Fn(usize) -> bool,
    /// Whether a row came of a frame that was made by hand.
    pub(crate) by_hand: &'a dyn Fn(usize) -> bool,
    /// Whether a row fits what is looked for.
    pub(crate) is_hit: &'a dyn Fn(usize) -> bool,
    pub(crate) selection: &'a Selection,
    pub(crate) focused: bool,
    /// The column that the rows are sorted by, which gets a sign, and whether the largest comes first.
    pub(crate) sort: Option<(usize, bool)>,
    /// The column of the chosen cell.
    pub(crate) cell: Option<usize>,
    /// Whether there are rows before the first, and behind the last.
    pub(crate) more: (bool, bool),
}

impl<'a> Table<'a> {
    /// All the rows there are, in an order of their own, without bookmarks and cells.
    pub(crate) fn plain(
        columns: &'a [Column],
        len: usize,
        row: &'a dyn Fn(usize) -> Vec<Cell>,
        selection: &'a Selection,
        focused: bool,
    ) -> Self {
        Self {
            columns,
            len,
            row,
            bookmarked: &|_| false,
            by_hand: &|_| false,
            is_hit: &|_| false,
            selection,
            focused,
            sort: None,
            cell: None,
            more: (false, false),
        }
    }

    /// Draws the head and as many rows as fit.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if area.height == 0 || area.width < 4 {
            return;
        }
        let widths = widths(self.columns, area.width);
        let mut x = area.x + 1;
        for (index, (column, width)) in self.columns.iter().zip(&widths).enumerate() {
            if *width > 0 {
                match self.sort.filter(|(sorted, _)| *sorted == index) {
                    Some((_, descending)) => put_sorted(canvas, x, area.y, *width, *column, descending),
                    None => put_aligned(
                        canvas,
                        x,
                        area.y,
                        *width,
                        &Cell::new(column.title, Role::Muted),
                        column.align,
                    ),
                }
                x += width + 1;
            }
        }
        let offset = self.selection.offset();
        let height = usize::from(area.height - 1);
        let rows = (0..height).map(|line| self.selection.row_at(line)).take_while(|row| *row < self.len);
        for (index, y) in rows.zip(area.y + 1..) {
            self.mark(canvas, (area.x, y), index);
            let cells = (self.row)(index);
            let mut x = area.x + 1;
            let mut chosen = None;
            for (place, ((cell, column), width)) in cells.iter().zip(self.columns).zip(&widths).enumerate() {
                if *width > 0 {
                    put_aligned(canvas, x, y, *width, cell, column.align);
                    if self.cell == Some(place) {
                        chosen = Some(Rect::new(x, y, *width, 1));
                    }
                    x += width + 1;
                }
            }
            if self.focused && self.selection.index() == index {
                canvas.select(Rect::new(area.x, y, area.width, 1));
                if let Some(chosen) = chosen {
                    canvas.choose(chosen);
                }
            }
        }
        self.draw_more(canvas, area, offset, height);
    }

    /// Marks a row in the margin before it: that it has a bookmark, that it fits what is looked for, or that
    /// it came of a frame that was made by hand. A line under the bookmark says that it fits, too.
    fn mark(&self, canvas: &mut Canvas<'_>, (x, y): (u16, u16), index: usize) {
        let (glyphs, is_hit) = (canvas.view.glyphs, (self.is_hit)(index));
        if (self.bookmarked)(index) {
            canvas.put(x, y, 1, glyphs.bookmark, Role::Accent);
            if is_hit {
                canvas.choose(Rect::new(x, y, 1, 1));
            }
        } else if is_hit {
            canvas.put(x, y, 1, glyphs.hit, Role::Accent);
        } else if (self.by_hand)(index) {
            canvas.put(x, y, 1, glyphs.by_hand, Role::Warn);
        }
    }

    /// Says how many rows lie above and below, on the frame's lower line.
    fn draw_more(&self, canvas: &mut Canvas<'_>, area: Rect, offset: usize, height: usize) {
        let below = self.len.saturating_sub(offset + height);
        if offset == 0 && below == 0 && self.more == (false, false) {
            return;
        }
        let glyphs = canvas.view.glyphs;
        let sign = |more| if more { "+" } else { "" };
        let (above, beneath) = (sign(self.more.0), sign(self.more.1));
        let words = format!(" {} {offset}{above}  {} {below}{beneath} ", glyphs.up, glyphs.down_arrow);
        let width = u16::try_from(text::width(&words)).unwrap_or(u16::MAX);
        canvas.put(area.right().saturating_sub(width), area.bottom(), width, &words, Role::Muted);
    }
}

/// The columns that each column of a table gets of a room; none for one that is left out.
fn widths(columns: &[Column], room: u16) -> Vec<u16> {
    let shown = |column: &Column| room >= column.from;
    let fixed: u16 = columns.iter().filter(|column| shown(column)).map(|column| column.columns + 1).sum();
    let shares: u16 = columns.iter().filter(|column| shown(column)).map(|column| column.grows).sum();
    let left = room.saturating_sub(fixed + 1);
    columns
        .iter()
        .map(|column| {
            let share = (left * column.grows).checked_div(shares).unwrap_or(0);
            if shown(column) { column.columns + share } else { 0 }
        })
        .collect()
}

/// The column whose head is at a place of the table's first line.
pub(crate) fn column_at(columns: &[Column], area: Rect, place: u16) -> Option<usize> {
    let mut x = area.x + 1;
    for (index, width) in widths(columns, area.width).into_iter().enumerate() {
        if width > 0 {
            // The gap behind a column is its own.
            if (x..=x + width).contains(&place) {
                return Some(index);
            }
            x += width + 1;
        }
    }
    None
}

fn put_aligned(canvas: &mut Canvas<'_>, x: u16, y: u16, columns: u16, cell: &Cell, align: Align) {
    let (room, first) = (usize::from(columns), cell.text.split(' ').next().unwrap_or_default());
    let text = match cell.cut {
        Cut::Within => text::fit_within(&cell.text, room, canvas.view.glyphs),
        Cut::FirstWordWithin if first.len() > room => text::fit_within(first, room, canvas.view.glyphs),
        Cut::FirstWordWithin | Cut::End => Cow::Borrowed(&*cell.text),
    };
    match align {
        Align::Left => {
            canvas.put_as(x, y, columns, &text, cell.role, cell.class);
        }
        Align::Right => canvas.put_right(x, y, columns, &text, cell.role, cell.class),
    }
}

/// The title of the column that the rows are sorted by. Its sign always has room.
fn put_sorted(canvas: &mut Canvas<'_>, x: u16, y: u16, columns: u16, column: Column, descending: bool) {
    let glyphs = canvas.view.glyphs;
    let sign = if descending { glyphs.descending } else { glyphs.ascending };
    let title = text::truncate(column.title, usize::from(columns.saturating_sub(1)), "");
    put_aligned(canvas, x, y, columns, &Cell::new(format!("{title}{sign}"), Role::Accent), column.align);
}

/// The width of the table in a pane of this size.
pub(crate) fn inner_width(area: Rect) -> u16 {
    inside(area).width
}

/// What lies within the frame of a pane of this size.
pub(crate) fn inside(area: Rect) -> Rect {
    Rect::new(area.x + 1, area.y + 1, area.width.saturating_sub(2), area.height.saturating_sub(2))
}

/// Rows that a pane of this size shows, its frame and head taken off.
pub(crate) fn list_height(area: Rect) -> usize {
    usize::from(area.height.saturating_sub(3))
}

/// The row at a place of a pane, as counted from its first.
pub(crate) fn row_at(area: Rect, row: u16, selection: &Selection) -> Option<usize> {
    let line = usize::from(row.checked_sub(area.y + 2)?);
    (line < list_height(area)).then(|| selection.row_at(line))
}
