//! Log: notices of all origins, newest first; and the station's own log, those of the station, its bridge and this console alone.

use ratatui::layout::Rect;

use super::{Align, Cell, Column, pane::Shown};
use crate::{
    console::{
        glyphs::Glyphs,
        model::{Model, Notice, Origin},
        pane_id::PaneId,
        sort::Sort,
        theme::Role,
        ui::Ui,
        view::{Canvas, View},
    },
    tap::entry::station::Level,
};

pub(super) const COLUMNS: &[Column] = &[
    Column::fixed("at", 8, Align::Left),
    Column::fixed("level", 7, Align::Left),
    Column::fixed("who", 7, Align::Left),
    Column::growing("", 10, 1),
];

/// The notices in the order that they are shown in.
pub(super) fn rows<'a>(pane: PaneId, model: &'a Model, ui: &Ui) -> Vec<&'a Notice> {
    let notices = if pane == PaneId::StationLog { &model.journal.station } else { &model.journal.notices };
    let mut rows: Vec<&Notice> = notices.iter().rev().collect();
    Sort::arrange(ui.sorts.get(&pane).copied(), &mut rows, |column, one, other| match column {
        1 => one.level.cmp(&other.level),
        2 => one.origin.cmp(&other.origin),
        3 => one.text.cmp(&other.text),
        _ => one.number.cmp(&other.number),
    });
    rows
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, pane: PaneId, shown: &Shown<'_>) {
    let notices = rows(pane, shown.model, shown.ui);
    if notices.is_empty() {
        canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), "quiet so far", Role::Muted);
        return;
    }
    let view = canvas.view;
    let row = |index: usize| notices.get(index).map_or_else(Vec::new, |notice| cells(view, notice));
    shown.table(COLUMNS, notices.len(), &row).draw(canvas, area);
}

/// A level with its sign.
pub(super) fn level_cell(level: Level, glyphs: &Glyphs) -> (String, Role) {
    match level {
        Level::Error => (format!("{} error", glyphs.bad), Role::Bad),
        Level::Warn => (format!("{} warn", glyphs.warn), Role::Warn),
        quiet => (format!("  {}", quiet.name()), Role::Muted),
    }
}

fn cells(view: &View, notice: &Notice) -> Vec<Cell> {
    let (level, role) = level_cell(notice.level, view.glyphs);
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
        Cell::of_class(notice.text.to_string(), words, notice.class),
    ]
}
