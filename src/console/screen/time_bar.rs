//! The time of a recording from its beginning to its end, with where it is, on the line of messages; in a
//! live console while time is stopped, that of the entries that are kept.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{format, theme::Role},
        settings::view::{Canvas, View},
        ui::state::Ui,
    },
    port::BarPart,
    time::{Now, Wall},
};

/// Columns of a time at each end, with the gap beside it.
const TIME_COLUMNS: u16 = 9;
/// The least columns of the bar itself.
const COLUMNS_MIN: u16 = 16;

/// The bar between the times, where the line has room for it.
fn place(line: Rect) -> Option<Rect> {
    let width = line.width.checked_sub(2 * TIME_COLUMNS + 2).filter(|width| *width >= COLUMNS_MIN)?;
    Some(Rect { x: line.x + 1 + TIME_COLUMNS, width, height: 1, ..line })
}

/// What the bar is of: a recording, or what is kept while time is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    first: Wall,
    last: Wall,
}

impl Span {
    /// That of the bar which is shown, if one is.
    fn of(ui: &Ui, view: &View) -> Option<Self> {
        if let Some(replay) = &view.replay {
            return Some(Self { first: replay.first.wall, last: replay.last.wall });
        }
        let (shown, (first, last)) = (ui.time.instant()?, ui.time.span()?);
        // Time passes without entries too.
        Some(Self { first: first.wall, last: last.wall.max(shown.wall) })
    }

    /// The column of a moment, of so many.
    fn column(self, width: u16, at: Wall) -> u16 {
        let of = self.last.0.saturating_sub(self.first.0).max(1);
        let since = at.0.saturating_sub(self.first.0).min(of);
        let column = u128::from(since) * u128::from(width.saturating_sub(1)) / u128::from(of);
        u16::try_from(column).unwrap_or_default()
    }

    /// The moment of a column of so many.
    fn moment(self, width: u16, column: u16) -> Wall {
        let of = self.last.0.saturating_sub(self.first.0);
        let since = u128::from(of) * u128::from(column) / u128::from(width.saturating_sub(1).max(1));
        Wall(self.first.0.saturating_add(u64::try_from(since).unwrap_or_default()))
    }
}

/// Draws it.
pub(super) fn draw(canvas: &mut Canvas<'_>, line: Rect, ui: &Ui) {
    let view = canvas.view;
    let (Some(span), Some(bar)) = (Span::of(ui, view), place(line)) else { return };
    let time = |wall| format::time_of_day(wall, &view.zone);
    // The border of a pane lies below it.
    canvas.clear(Rect { x: line.x + 1, width: line.width.saturating_sub(2), height: 1, ..line });
    canvas.put(line.x + 1, line.y, 8, &time(span.first), Role::Muted);
    canvas.put(bar.right() + 1, line.y, 8, &time(span.last), Role::Muted);
    let columns = match &view.replay {
        Some(replay) => replay.bar.columns(usize::from(bar.width)),
        None => ui.time.bar((span.first, span.last), usize::from(bar.width)),
    };
    let highest = columns.iter().map(|part| part.weight).max().unwrap_or_default().max(1);
    for (x, part) in (bar.x..).zip(&columns) {
        canvas.put(x, bar.y, 1, glyph(part, highest, view), role(part));
    }
    let is_within = |at: &Now| at.wall >= span.first && at.wall <= span.last;
    for bookmark in ui.bookmarks.moments().filter(is_within) {
        let x = bar.x + span.column(bar.width, bookmark.wall);
        canvas.put(x, bar.y, 1, view.glyphs.warn, Role::Accent);
    }
    let shown = ui.time.instant().unwrap_or(view.clock);
    let x = bar.x + span.column(bar.width, shown.wall);
    canvas.put(x, bar.y, 1, "|", Role::Accent);
}

/// How much happened, beside where most did.
fn glyph(part: &BarPart, highest: u64, view: &View) -> &'static str {
    if part.weight == 0 {
        return view.glyphs.spark[0];
    }
    let step = u128::from(part.weight) * 7 / u128::from(highest);
    view.glyphs.spark.get(usize::try_from(step).unwrap_or(7)).copied().unwrap_or(view.glyphs.spark[7])
}

/// What must be seen is seen first.
const fn role(part: &BarPart) -> Role {
    match part {
        BarPart { lost: 1.., .. } => Role::Bad,
        BarPart { faults: 1.., .. } => Role::Warn,
        BarPart { marks: 1.., .. } => Role::Accent,
        _ => Role::Muted,
    }
}

/// The moment that a column of the line is for, where the bar is shown.
pub(super) fn moment_at(ui: &Ui, view: &View, line: Rect, at: u16) -> Option<Wall> {
    if ui.message.is_some() || !ui.faults.is_empty() {
        return None;
    }
    let (span, bar) = (Span::of(ui, view)?, place(line)?);
    let column = at.checked_sub(bar.x).filter(|column| *column < bar.width)?;
    Some(span.moment(bar.width, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_for_its_moment_and_back() {
        let wall = |ms| Now::at_ms(ms).wall;
        let span = Span { first: wall(0), last: wall(100_000) };
        let bar = place(Rect::new(0, 38, 120, 1)).unwrap();
        assert_eq!((bar.x, bar.right()), (10, 110));
        assert_eq!(span.moment(bar.width, 0), wall(0));
        assert_eq!(span.moment(bar.width, bar.width - 1), wall(100_000));
        assert_eq!(span.column(bar.width, wall(50_000)), (bar.width - 1) / 2);
        assert_eq!(span.column(bar.width, wall(100_000)), bar.width - 1);
        assert_eq!(span.column(bar.width, wall(200_000)), bar.width - 1);
        let none = Span { last: wall(0), ..span };
        assert_eq!((none.column(bar.width, wall(9)), none.moment(bar.width, 99)), (bar.width - 1, wall(0)));
        assert_eq!(place(Rect::new(0, 38, 20, 1)), None, "no room");
    }
}
