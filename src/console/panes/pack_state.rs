//! Pack state: every value, who wrote it and when.

use ratatui::layout::Rect;

use super::{Align, Cell, Class, Column, pane::Shown};
use crate::{
    console::{
        format,
        overlays::{writer_word, written_by_words},
        pane_id::PaneId,
        sort::Sort,
        theme::Role,
        ui::Ui,
        view::{Canvas, View},
    },
    port::StateKeyRow,
};

pub(super) const COLUMNS: &[Column] = &[
    Column::growing("key", 10, 1),
    Column::growing("value", 10, 3),
    Column::fixed("at", 8, Align::Left),
    Column::fixed("writer", 8, Align::Left),
    Column::fixed("kept", 4, Align::Left).from(52),
    Column::growing("written by", 14, 2).from(70),
    Column::growing("scope", 8, 1).from(100),
];

/// The values in the order that they are shown in.
pub(super) fn rows(ui: &Ui) -> Vec<&StateKeyRow> {
    let mut rows: Vec<&StateKeyRow> = ui.pages.state.rows().iter().collect();
    let by = |row: &StateKeyRow| row.written_by.as_ref().map(written_by_words);
    Sort::arrange(ui.sorts.get(&PaneId::State).copied(), &mut rows, |column, one, other| match column {
        1 => one.value.as_str().cmp(other.value.as_str()),
        2 => one.at_ms.cmp(&other.at_ms),
        3 => one.writer.map(writer_word).cmp(&other.writer.map(writer_word)),
        4 => one.persist.cmp(&other.persist),
        5 => by(one).cmp(&by(other)),
        6 => one.scope.cmp(&other.scope),
        _ => one.key.cmp(&other.key),
    });
    rows
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, shown: &Shown<'_>) {
    let view = canvas.view;
    let values = rows(shown.ui);
    let row = |index: usize| values.get(index).map_or_else(Vec::new, |value| cells(view, value));
    shown.paged(canvas, area, COLUMNS, &shown.ui.pages.state, "no adapter has written a value yet", &row);
}

fn cells(view: &View, row: &StateKeyRow) -> Vec<Cell> {
    let nothing = || view.glyphs.none.to_owned();
    vec![
        Cell::new(row.key.to_string(), Role::Text),
        Cell::of_class(row.value.as_str().to_owned(), Role::Text, Class::Payload),
        Cell::new(row.at_ms.map_or_else(nothing, |at| format::time_of_day(at, &view.zone)), Role::Muted),
        Cell::new(row.writer.map_or(view.glyphs.none, writer_word), Role::Muted),
        Cell::new(if row.persist { "yes" } else { "no" }, Role::Muted),
        Cell::new(row.written_by.as_ref().map_or_else(nothing, written_by_words), Role::Muted),
        Cell::of_class(row.scope.clone().unwrap_or_default(), Role::Muted, Class::Payload),
    ]
}
