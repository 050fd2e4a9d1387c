//! Log: notices of the station and the bridge, and the adapter's own lines, newest first.

use ratatui::layout::Rect;

use super::{Align, Cell, Class, Column, Table};
use crate::{
    console::{
        model::{Model, Notice, Origin},
        theme::Role,
        ui::Selection,
        view::{Canvas, View},
    },
    tap::entry::station::Level,
};

const COLUMNS: &[Column] = &[
    Column::fixed("at", 8, Align::Left),
    Column::fixed("level", 7, Align::Left),
    Column::fixed("who", 7, Align::Left),
    Column::growing("", 10, 1),
];

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, selection: &Selection, focused: bool) {
    let notices = &model.journal.notices;
    if notices.is_empty() {
        canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), "quiet so far", Role::Muted);
        return;
    }
    let view = canvas.view;
    let row = |index: usize| notices.iter().rev().nth(index).map_or_else(Vec::new, |notice| cells(view, notice));
    Table { columns: COLUMNS, len: notices.len(), row: &row, selection: Some(selection), focused }.draw(canvas, area);
}

fn cells(view: &View, notice: &Notice) -> Vec<Cell> {
    let glyphs = view.glyphs;
    let (level, role) = match notice.level {
        Level::Error => (format!("{} error", glyphs.bad), Role::Bad),
        Level::Warn => (format!("{} warn", glyphs.warn), Role::Warn),
        quiet => (format!("  {}", quiet.name()), Role::Muted),
    };
    let (who, who_role) = match notice.origin {
        Origin::Station => ("station", Role::Station),
        Origin::Bridge => ("mpp", Role::Mpp),
        Origin::Adapter => ("adapter", Role::Accent),
        Origin::Console => ("console", Role::Muted),
    };
    let words = if notice.level >= Level::Warn { role } else { Role::Text };
    vec![
        Cell::new(view.time_of_day(notice.at), Role::Muted),
        Cell::new(level, role),
        Cell::new(who, who_role),
        Cell::of_class(notice.text.to_string(), words, if notice.origin == Origin::Adapter { Class::Payload } else { Class::Public }),
    ]
}
