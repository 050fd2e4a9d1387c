//! Recent: what ended, newest first.

use ratatui::layout::Rect;

use super::{Align, Cell, Class, Column, pane::Shown, queues::state_sign};
use crate::{
    console::{
        model::Model,
        pane_id::PaneId,
        sort::Sort,
        theme::Role,
        ui::Ui,
        view::{Canvas, View},
    },
    mpp::EndedView,
};

pub(super) const COLUMNS: &[Column] = &[
    Column::fixed("at", 8, Align::Left),
    Column::fixed("id", 7, Align::Right),
    Column::fixed("state", 10, Align::Left),
    Column::growing("queue", 8, 1),
    Column::growing("event", 10, 1),
    Column::growing("reason", 8, 8).from(60),
    Column::fixed("trace", 5, Align::Left).from(72),
];

/// The rows in the order that they are shown in.
pub(super) fn rows<'a>(model: &'a Model, ui: &Ui) -> Vec<&'a EndedView> {
    let mut rows: Vec<&EndedView> = model.ended().collect();
    Sort::arrange(ui.sorts.get(&PaneId::Recent).copied(), &mut rows, |column, one, other| match column {
        1 => one.id.cmp(&other.id),
        2 => one.state.cmp(&other.state),
        3 => one.queue.cmp(&other.queue),
        4 => one.event.cmp(&other.event),
        5 => one.reason.cmp(&other.reason),
        6 => one.trace.cmp(&other.trace),
        _ => one.at.wall.cmp(&other.at.wall),
    });
    rows
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, shown: &Shown<'_>) {
    let ended = rows(shown.model, shown.ui);
    if ended.is_empty() {
        canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), "nothing has ended since the station started", Role::Muted);
        return;
    }
    let view = canvas.view;
    let row = |index: usize| ended.get(index).map_or_else(Vec::new, |ended| cells(view, ended));
    shown.table(COLUMNS, ended.len(), &row).draw(canvas, area);
}

fn cells(view: &View, ended: &EndedView) -> Vec<Cell> {
    let (sign, role) = state_sign(ended.state, view.glyphs);
    vec![
        Cell::new(view.time_of_day(ended.at), Role::Muted),
        Cell::new(ended.id.to_string(), Role::Text),
        Cell::new(format!("{sign} {}", ended.state.name()), role),
        Cell::new(ended.queue.to_string(), Role::Muted),
        Cell::new(ended.event.to_string(), Role::Text),
        Cell::of_class(ended.reason.as_deref().unwrap_or("").to_owned(), Role::Text, Class::Payload),
        Cell::new(ended.trace.map_or_else(String::new, crate::ids::TraceId::short), Role::Muted),
    ]
}
