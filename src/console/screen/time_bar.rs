//! The time of a recording from its beginning to its end, with where it is, on the line of messages.

use ratatui::layout::Rect;

use crate::{
    console::{
        draw::{format, theme::Role},
        settings::view::{Canvas, View},
        ui::state::Ui,
    },
    port::{BarPart, ReplayPlace, ReplayView},
    time::Wall,
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

/// The column of a moment.
fn column(replay: &ReplayView, width: u16, at: Wall) -> u16 {
    let of = replay.last.wall.0.saturating_sub(replay.first.wall.0).max(1);
    let since = at.0.saturating_sub(replay.first.wall.0).min(of);
    let column = u128::from(since) * u128::from(width.saturating_sub(1)) / u128::from(of);
    u16::try_from(column).unwrap_or_default()
}

/// Draws it.
pub(super) fn draw(canvas: &mut Canvas<'_>, line: Rect, ui: &Ui) {
    let view = canvas.view;
    let (Some(replay), Some(bar)) = (&view.replay, place(line)) else { return };
    let time = |wall| format::time_of_day(wall, &view.zone);
    canvas.put(line.x + 1, line.y, 8, &time(replay.first.wall), Role::Muted);
    canvas.put(bar.right() + 1, line.y, 8, &time(replay.last.wall), Role::Muted);
    let columns = replay.bar.columns(usize::from(bar.width));
    let highest = columns.iter().map(|part| part.weight).max().unwrap_or_default().max(1);
    for (x, part) in (bar.x..).zip(&columns) {
        canvas.put(x, bar.y, 1, glyph(part, highest, view), role(part));
    }
    for bookmark in ui.bookmarks.moments() {
        let x = bar.x + column(replay, bar.width, bookmark.wall);
        canvas.put(x, bar.y, 1, view.glyphs.warn, Role::Accent);
    }
    let shown = ui.time.instant().unwrap_or(view.clock);
    let x = bar.x + column(replay, bar.width, shown.wall);
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

/// The place that a column of the line stands for.
pub(super) fn place_at(replay: Option<&ReplayView>, line: Rect, at: u16) -> Option<ReplayPlace> {
    let (replay, bar) = (replay?, place(line)?);
    let column = at.checked_sub(bar.x).filter(|column| *column < bar.width)?;
    let of = replay.last.wall.0.saturating_sub(replay.first.wall.0);
    let since = u128::from(of) * u128::from(column) / u128::from(bar.width.saturating_sub(1).max(1));
    Some(ReplayPlace::Wall(Wall(replay.first.wall.0 + u64::try_from(since).unwrap_or_default())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        port::{ReplayBar, Speed},
        time::{Mono, Now},
    };

    fn replay() -> ReplayView {
        let mut bar = ReplayBar::with_parts(100);
        bar.add_weight(900, (0, 49), 100);
        bar.add_weight(10, (90, 99), 100);
        bar.note(BarPart { faults: 1, ..BarPart::default() }, (50, 60), 100);
        ReplayView {
            generation: 1,
            at: Now::at_ms(50_000),
            since: Mono(0),
            speed: Speed::ONE,
            is_held: true,
            is_seeking: false,
            first: Now::at_ms(0),
            last: Now::at_ms(100_000),
            refused: None,
            bar: bar.into(),
        }
    }

    #[test]
    fn a_column_stands_for_its_moment_and_back() {
        let replay = replay();
        let place_at = |line, at| super::place_at(Some(&replay), line, at);
        let line = Rect::new(0, 38, 120, 1);
        let bar = place(line).unwrap();
        assert_eq!(place_at(line, bar.x), Some(ReplayPlace::Wall(Now::at_ms(0).wall)));
        let last = Some(ReplayPlace::Wall(Now::at_ms(100_000).wall));
        assert_eq!(place_at(line, bar.right() - 1), last);
        assert_eq!((place_at(line, 0), place_at(line, 119)), (None, None));
        assert_eq!(place_at(Rect { width: 20, ..line }, 12), None, "no room");
        let middle = column(&replay, bar.width, Now::at_ms(50_000).wall);
        assert_eq!(middle, (bar.width - 1) / 2);
        assert_eq!(super::place_at(None, line, bar.x), None);
    }
}
