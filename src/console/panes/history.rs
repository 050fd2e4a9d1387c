//! History: every invocation the store has, in pages. And those that wait under another manifest.

use ratatui::layout::Rect;

use super::{Align, Cell, Class, Column, pane::Shown, queues::state_sign};
use crate::{
    console::{
        format,
        marks::mark,
        overlays::Pending,
        theme::Role,
        view::{Canvas, View},
    },
    ids::ManifestHash,
    port::InvocationRow,
    tap::entry::mpp::RowState,
};

pub(super) const COLUMNS: &[Column] = &[
    Column::fixed("id", 8, Align::Right),
    Column::fixed("at", 8, Align::Left),
    Column::fixed("state", 12, Align::Left),
    Column::growing("queue", 8, 1).from(60),
    Column::growing("event", 10, 1),
    Column::growing("reason or result", 8, 6),
    Column::growing("params", 12, 4).from(104),
    Column::fixed("source", 14, Align::Left).from(128),
    Column::fixed("user", 12, Align::Left).from(148),
    Column::fixed("trace", 5, Align::Left).from(92),
];

pub(super) const OTHER_COLUMNS: &[Column] = &[
    Column::fixed("id", 8, Align::Right),
    Column::growing("queue", 8, 1),
    Column::growing("event", 10, 1),
    Column::fixed("waits", 6, Align::Right),
    Column::fixed("manifest", 8, Align::Left),
    Column::growing("params", 8, 4),
    Column::fixed("source", 14, Align::Left).from(90),
    Column::fixed("user", 12, Align::Left).from(110),
];

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, shown: &Shown<'_>) {
    let view = canvas.view;
    let history = &shown.ui.pages.history;
    let row = |index: usize| history.rows().get(index).map_or_else(Vec::new, |row| cells(view, row, shown));
    shown.paged(canvas, area, COLUMNS, history, "nothing was ever enqueued on this data folder", &row);
}

pub(super) fn draw_other(canvas: &mut Canvas<'_>, area: Rect, shown: &Shown<'_>) {
    let view = canvas.view;
    let others = &shown.ui.pages.other_pack;
    let row = |index: usize| others.rows().get(index).map_or_else(Vec::new, |row| other_cells(view, row, shown));
    shown.paged(canvas, area, OTHER_COLUMNS, others, "no row waits under another manifest", &row);
}

/// A row's first cell, with its mark.
fn id_cell(view: &View, row: &InvocationRow, shown: &Shown<'_>) -> Cell {
    let is_marked = shown.ui.marks.contains(row.id);
    Cell::new(mark(view, is_marked, &row.id.to_string()), if is_marked { Role::Accent } else { Role::Text })
}

fn cells(view: &View, row: &InvocationRow, shown: &Shown<'_>) -> Vec<Cell> {
    let state = Pending::state_now(row, shown.model);
    let (sign, role) = state_sign(state, view.glyphs);
    let is_other = row.other_manifest.is_some() && state == RowState::Pending;
    let (words, role) = if is_other { ("other pack", Role::Warn) } else { (state.name(), role) };
    let told = row.reason.clone().or_else(|| row.result.as_ref().map(|result| result.as_str().to_owned()));
    vec![
        id_cell(view, row, shown),
        Cell::new(format::time_of_day(row.updated_at_ms, &view.zone), Role::Muted),
        Cell::new(format!("{sign} {words}"), role),
        Cell::new(row.queue.to_string(), Role::Muted),
        Cell::new(row.event.to_string(), Role::Text),
        Cell::of_class(told.unwrap_or_default(), Role::Text, Class::Payload),
        Cell::of_class(row.params.as_str().to_owned(), Role::Muted, Class::Payload),
        Cell::new(row.source.kind.clone(), Role::Muted),
        Cell::of_class(row.source.user.clone().unwrap_or_default(), Role::Muted, Class::Login),
        Cell::new(row.trace_id.short(), Role::Muted),
    ]
}

fn other_cells(view: &View, row: &InvocationRow, shown: &Shown<'_>) -> Vec<Cell> {
    vec![
        id_cell(view, row, shown),
        Cell::new(row.queue.to_string(), Role::Muted),
        Cell::new(row.event.to_string(), Role::Text),
        Cell::new(format::age(view.now.wall.since(row.enqueued_at_ms)), Role::Text),
        Cell::new(row.other_manifest.as_ref().map_or_else(String::new, short_hash), Role::Warn),
        Cell::of_class(row.params.as_str().to_owned(), Role::Muted, Class::Payload),
        Cell::new(row.source.kind.clone(), Role::Muted),
        Cell::of_class(row.source.user.clone().unwrap_or_default(), Role::Muted, Class::Login),
    ]
}

/// The first digits of a manifest's hash.
fn short_hash(hash: &ManifestHash) -> String {
    let digits = hash.as_str().strip_prefix("sha256:").unwrap_or(hash.as_str());
    digits.chars().take(8).collect()
}
