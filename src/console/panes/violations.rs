//! Violations: faults of peers, one row a clause.

use ratatui::layout::Rect;

use super::{Align, Cell, Column, pane::Shown};
use crate::console::{
    format,
    model::{FaultGroup, Model},
    pane_id::PaneId,
    sort::Sort,
    theme::Role,
    ui::Ui,
    view::{Canvas, View},
};

pub(super) const COLUMNS: &[Column] = &[
    Column::growing("clause", 14, 1),
    Column::fixed("times", 5, Align::Right),
    Column::fixed("last", 8, Align::Left),
    Column::growing("what it was", 12, 3),
    Column::fixed("peer", 21, Align::Left).from(100),
];

/// The clauses in the order that they are shown in.
pub(super) fn rows<'a>(model: &'a Model, ui: &Ui) -> Vec<&'a FaultGroup> {
    let mut rows: Vec<&FaultGroup> = model.faults.groups().collect();
    Sort::arrange(ui.sorts.get(&PaneId::Violations).copied(), &mut rows, |column, one, other| match column {
        1 => one.count.cmp(&other.count),
        2 => one.at.mono.cmp(&other.at.mono),
        3 => one.last.words().cmp(&other.last.words()),
        4 => one.peer.cmp(&other.peer),
        _ => one.clause.cmp(other.clause),
    });
    rows
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, shown: &Shown<'_>) {
    let groups = rows(shown.model, shown.ui);
    if groups.is_empty() {
        let words = "no peer has broken a clause since this console came up";
        canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), words, Role::Muted);
        return;
    }
    let view = canvas.view;
    let row = |index: usize| groups.get(index).map_or_else(Vec::new, |group| cells(view, group));
    shown.table(COLUMNS, groups.len(), &row).draw(canvas, area);
}

/// A clause without the name of the specification, which all but a few have.
fn short(clause: &'static str) -> &'static str {
    clause.strip_prefix("mpp-v2").map_or(clause, |rest| rest.trim_start_matches([',', ' ']))
}

fn cells(view: &View, group: &FaultGroup) -> Vec<Cell> {
    vec![
        Cell::new(short(group.clause), Role::Text),
        Cell::new(format::count(group.count), Role::Warn),
        Cell::new(view.time_of_day(group.at), Role::Muted),
        Cell::new(group.last.words(), Role::Text),
        Cell::new(group.peer.to_string(), Role::Muted),
    ]
}
