//! The time of a recording from its beginning to its end, with where it is, on the line of messages; in a
//! live console while time is stopped, that of the entries that are kept.

use std::time::Duration;

use ratatui::layout::Rect;

use super::{replaying, time_travel};
use crate::{
    console::{
        draw::{class::Class, format, glyphs::Glyphs, theme::Role},
        model::station::said_by_person,
        records::bookmarks::Bookmark,
        settings::view::{Canvas, View},
        ui::{act::ActContext, effect::Effect, state::Ui},
    },
    dissect::EntryRecord,
    port::{BarPart, ReplayPlace},
    tap::entry::{Transition, What},
    time::{Mono, Now, Wall},
};

/// Columns of a time at each end, with the gap beside it.
const TIME_COLUMNS: u16 = 9;
/// The least columns of the bar itself.
const COLUMNS_MIN: u16 = 16;

/// The columns of what is said of the entry that is shown, where the line is as wide as this.
const NOTE_COLUMNS: u16 = 44;
const NOTED_COLUMNS_MIN: u16 = 120;

/// The bar between the times, where the line has room for it, and what is said behind them.
fn places(line: Rect, is_held: bool) -> Option<(Rect, Rect)> {
    let note_columns = if is_held && line.width >= NOTED_COLUMNS_MIN { NOTE_COLUMNS } else { 0 };
    let width = line.width.checked_sub(2 * TIME_COLUMNS + 2 + note_columns)?;
    let bar = Rect { x: line.x + 1 + TIME_COLUMNS, width, height: 1, ..line };
    let note = Rect { x: bar.right() + 1 + TIME_COLUMNS, width: note_columns.saturating_sub(1), ..bar };
    (width >= COLUMNS_MIN).then_some((bar, note))
}

/// Whether no time passes in what is shown.
fn is_held(ui: &Ui, view: &View) -> bool {
    ui.time.is_stopped() || view.replay.as_ref().is_some_and(|replay| replay.is_held)
}

/// What is said of the entry at the moment that is shown, where it is one to stop at. Of a command and of a
/// mark that is what the Journal has, as far as it may be seen.
fn note(ui: &Ui, view: &View) -> Option<(String, Class, Role)> {
    let shown = ui.time.instant().unwrap_or(view.clock);
    let entry = ui.time.current_entry().filter(|it| is_held(ui, view) && it.entry.at.wall == shown.wall)?;
    let record = EntryRecord(entry);
    if !record.is_of_note() {
        return None;
    }
    let role = if record.outcome().is_of_note() { Role::Warn } else { Role::Text };
    if let What::Transition(Transition::Station(of)) = &entry.entry.what
        && !entry.bytes.is_empty()
        && !view.mask_policy.masks(Class::Payload)
        && let Some(words) = said_by_person(of, &entry.text())
    {
        return Some((words, Class::Payload, role));
    }
    Some((format!("{} {}", record.kind(), record.line()), Class::Public, role))
}

/// What the bar is of: a recording, or what is kept while time is stopped. Its columns are of the monotonic
/// clock: the wall clock may have been set meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    /// Its ends, as they are shown.
    ends: (Wall, Wall),
    lasts: Duration,
}

impl Span {
    /// That of the bar which is shown, if one is.
    fn of(ui: &Ui, view: &View) -> Option<Self> {
        if let Some(replay) = &view.replay {
            return Some(Self { ends: (replay.first.wall, replay.last.wall), lasts: replay.span.lasts });
        }
        let (first, last) = kept(ui)?;
        Some(Self { ends: (first.wall, last.wall), lasts: last.mono.since(first.mono) })
    }

    /// The column of what is so far from the beginning, of so many.
    fn column(self, width: u16, passed: Duration) -> u16 {
        let of = self.lasts.as_nanos().max(1);
        let column = passed.as_nanos().min(of) * u128::from(width.saturating_sub(1)) / of;
        u16::try_from(column).unwrap_or_default()
    }

    /// How far a column of so many is from the beginning.
    fn passed(self, width: u16, column: u16) -> Duration {
        let of = self.lasts.as_nanos();
        let ns = of * u128::from(column) / u128::from(width.saturating_sub(1).max(1));
        Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// The ends of what is kept, while time is stopped. Time passes without entries too.
fn kept(ui: &Ui) -> Option<(Now, Now)> {
    let (shown, (first, last)) = (ui.time.instant()?, ui.time.span()?);
    Some((first, if shown.mono > last.mono { shown } else { last }))
}

/// How far a moment that is shown is from the beginning.
fn passed(ui: &Ui, view: &View, at: Now) -> Duration {
    match &view.replay {
        Some(replay) => replay.passed_at(at),
        None => at.mono.since(kept(ui).map_or(Mono(0), |(first, _)| first.mono)),
    }
}

/// How far a bookmark is from the beginning, where it is in the time of the bar.
fn passed_of_bookmark(ui: &Ui, view: &View, bookmark: &Bookmark) -> Option<Duration> {
    let at = bookmark.at;
    if let Some(replay) = &view.replay {
        // One of a file that does not say it is where the wall clock has it.
        let after = bookmark.after.unwrap_or_else(|| at.wall.since(replay.first.wall));
        return (after <= replay.span.lasts).then_some(after);
    }
    let (first, last) = kept(ui)?;
    (first.mono..=last.mono).contains(&at.mono).then(|| at.mono.since(first.mono))
}

/// Draws it.
pub(super) fn draw(canvas: &mut Canvas<'_>, line: Rect, ui: &Ui) {
    let view = canvas.view;
    let (Some(span), Some((bar, noted))) = (Span::of(ui, view), places(line, is_held(ui, view))) else {
        return;
    };
    let time = |wall| format::time_of_day(wall, &view.zone);
    // The border of a pane lies below it.
    canvas.clear(Rect { x: line.x + 1, width: line.width.saturating_sub(2), height: 1, ..line });
    canvas.put(line.x + 1, line.y, 8, &time(span.ends.0), Role::Muted);
    canvas.put(bar.right() + 1, line.y, 8, &time(span.ends.1), Role::Muted);
    if let Some((words, class, role)) = note(ui, view) {
        canvas.put_as(noted.x, noted.y, noted.width, &words, role, class);
    }
    let columns = match &view.replay {
        Some(replay) => replay.bar.columns(usize::from(bar.width)),
        None => kept(ui).map_or_else(Vec::new, |(first, last)| {
            ui.time.bar((first.mono, last.mono), usize::from(bar.width))
        }),
    };
    let heights = columns.iter().filter(|part| sign(part, view.glyphs).is_none());
    let highest = heights.map(|part| part.weight).max().unwrap_or_default().max(1);
    for (x, part) in (bar.x..).zip(&columns) {
        let height = || (height(part.weight, highest, view.glyphs), Role::Muted);
        let (sign, role) = sign(part, view.glyphs).unwrap_or_else(height);
        canvas.put(x, bar.y, 1, sign, role);
    }
    for passed in ui.bookmarks.iter().filter_map(|bookmark| passed_of_bookmark(ui, view, bookmark)) {
        let x = bar.x + span.column(bar.width, passed);
        canvas.put(x, bar.y, 1, view.glyphs.bookmark, Role::Accent);
    }
    let shown = ui.time.instant().unwrap_or(view.clock);
    let x = bar.x + span.column(bar.width, passed(ui, view, shown));
    canvas.put(x, bar.y, 1, "|", Role::Accent);
}

/// How much happened, beside where most did.
fn height(weight: u64, highest: u64, glyphs: &Glyphs) -> &'static str {
    if weight == 0 {
        return glyphs.spark[0];
    }
    let step = u128::from(weight) * 7 / u128::from(highest);
    glyphs.spark.get(usize::try_from(step).unwrap_or(7)).copied().unwrap_or(glyphs.spark[7])
}

/// What must be seen, and is seen without colour too: the worst first.
const fn sign(part: &BarPart, glyphs: &Glyphs) -> Option<(&'static str, Role)> {
    match part {
        BarPart { lost: 1.., .. } => Some((glyphs.lost, Role::Bad)),
        BarPart { faults: 1.., .. } => Some((glyphs.bad, Role::Warn)),
        BarPart { marks: 1.., .. } => Some((glyphs.moment, Role::Accent)),
        _ => None,
    }
}

/// Goes where the line was clicked; nothing where no bar is shown there.
pub(super) fn click(ui: &mut Ui, cx: &ActContext<'_>, line: Rect, column: u16) -> Option<Vec<Effect>> {
    if ui.message.is_some() || !ui.faults.is_empty() {
        return None;
    }
    let (span, (bar, _)) = (Span::of(ui, cx.view)?, places(line, is_held(ui, cx.view))?);
    let column = column.checked_sub(bar.x).filter(|column| *column < bar.width)?;
    let passed = span.passed(bar.width, column);
    if cx.view.replay.is_some() {
        return Some(replaying::seek(ui, ReplayPlace::After(passed)));
    }
    let (first, _) = kept(ui)?;
    time_travel::seek(ui, cx.live, cx.view, first.mono + passed, cx.now);
    Some(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::draw::glyphs;

    #[test]
    fn a_column_is_for_its_moment_and_back() {
        let s = Duration::from_secs;
        let span = Span { ends: (Wall(7), Wall(5)), lasts: s(100) };
        let (bar, _) = places(Rect::new(0, 38, 119, 1), true).unwrap();
        assert_eq!((bar.x, bar.right()), (10, 109));
        let (all, _) = places(Rect::new(0, 38, 160, 1), false).unwrap();
        assert_eq!((all.x, all.right()), (10, 150));
        let (wide, note) = places(Rect::new(0, 38, 160, 1), true).unwrap();
        assert_eq!((wide.x, wide.right(), note.x, note.right()), (10, 106, 116, 159));
        assert_eq!(span.passed(bar.width, 0), s(0));
        assert_eq!(span.passed(bar.width, bar.width - 1), s(100));
        assert_eq!(span.column(bar.width, s(50)), (bar.width - 1) / 2);
        assert_eq!(span.column(bar.width, s(100)), bar.width - 1);
        assert_eq!(span.column(bar.width, s(200)), bar.width - 1);
        let empty = Span { lasts: s(0), ..span };
        assert_eq!((empty.column(bar.width, s(9)), empty.passed(bar.width, 99)), (bar.width - 1, s(0)));
        assert_eq!(places(Rect::new(0, 38, 20, 1), false), None, "no room");
    }

    #[test]
    fn what_must_be_seen_has_a_sign_that_no_height_has() {
        let of = |faults, lost, marks| BarPart { weight: 9, faults, lost, marks };
        for glyphs in [&glyphs::UNICODE, &glyphs::ASCII] {
            let signs = [of(1, 1, 1), of(1, 0, 1), of(0, 0, 1)].map(|part| sign(&part, glyphs).unwrap().0);
            assert_eq!(signs, [glyphs.lost, glyphs.bad, glyphs.moment]);
            let all = [&signs[..], &[glyphs.bookmark, "|"]].concat();
            assert!(all.iter().all(|sign| !glyphs.spark.contains(sign)), "{all:?}");
            let distinct: std::collections::BTreeSet<_> = all.iter().collect();
            assert_eq!(distinct.len(), all.len(), "{all:?}");
            assert_eq!(sign(&of(0, 0, 0), glyphs), None);
        }
    }
}
