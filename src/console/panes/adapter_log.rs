//! The adapter's log: its own lines with their levels, newest first.

use ratatui::layout::Rect;

use super::{Align, Cell, Class, Column, log::level_cell, pane::Shown};
use crate::{
    console::{model::Model, pane_id::PaneId, sort::Sort, theme::Role, ui::Ui, view::Canvas},
    mpp::LogView,
    tap::entry::station::Level,
};

pub(super) const COLUMNS: &[Column] =
    &[Column::fixed("at", 8, Align::Left), Column::fixed("level", 7, Align::Left), Column::growing("", 10, 1)];

/// The lines in the order that they are shown in, with their numbers.
pub(super) fn rows<'a>(model: &'a Model, ui: &Ui) -> Vec<(u64, &'a LogView)> {
    let Some(mpp) = model.mpp() else { return Vec::new() };
    let numbered = mpp.logs.iter().enumerate().map(|(place, line)| (model.first_line.wrapping_add(place as u64), line));
    let mut rows: Vec<_> = numbered.rev().collect();
    Sort::arrange(ui.sorts.get(&PaneId::AdapterLog).copied(), &mut rows, |column, one, other| match column {
        1 => one.1.level.cmp(&other.1.level),
        2 => one.1.text.cmp(&other.1.text),
        _ => one.0.cmp(&other.0),
    });
    rows
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, shown: &Shown<'_>) {
    let lines = rows(shown.model, shown.ui);
    if lines.is_empty() {
        canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), "the adapter has said nothing", Role::Muted);
        return;
    }
    let view = canvas.view;
    let row = |index: usize| {
        lines.get(index).map_or_else(Vec::new, |(_, line)| {
            let (level, role) = level_cell(line.level, view.glyphs);
            let words = if line.level >= Level::Warn { role } else { Role::Text };
            vec![
                Cell::new(view.time_of_day(line.at), Role::Muted),
                Cell::new(level, role),
                Cell::of_class(line.text.to_string(), words, Class::Payload),
            ]
        })
    };
    shown.table(COLUMNS, lines.len(), &row).draw(canvas, area);
}
