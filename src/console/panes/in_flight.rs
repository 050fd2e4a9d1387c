//! In flight: what is with the adapter now.

use ratatui::layout::Rect;

use super::{Align, Cell, Column, pane::Shown, queues::state_sign};
use crate::{
    console::{
        pane_id::PaneId,
        sort::Sort,
        theme::Role,
        ui::Ui,
        view::{Canvas, View},
    },
    ids::InvocationId,
    mpp::{LiveView, QueueView, Snapshot},
};

pub(super) const COLUMNS: &[Column] = &[
    Column::fixed("id", 7, Align::Right),
    Column::growing("queue", 8, 1),
    Column::growing("event", 10, 2),
    Column::fixed("state", 14, Align::Left),
    Column::fixed("age", 6, Align::Right),
    Column::fixed("trace", 5, Align::Left).from(56),
];

type Row<'a> = (&'a InvocationId, &'a LiveView);

/// The rows in the order that they are shown in.
pub(super) fn rows<'a>(mpp: &'a Snapshot, ui: &Ui) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = mpp.live.iter().collect();
    Sort::arrange(ui.sorts.get(&PaneId::InFlight).copied(), &mut rows, |column, one, other| match column {
        1 => one.1.queue.cmp(&other.1.queue),
        2 => one.1.event.cmp(&other.1.event),
        3 => (one.1.state, one.1.left, one.1.acked).cmp(&(other.1.state, other.1.left, other.1.acked)),
        // What is younger is less old.
        4 => other.1.since.wall.cmp(&one.1.since.wall),
        5 => one.1.trace.cmp(&other.1.trace),
        _ => one.0.cmp(other.0),
    });
    rows
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, mpp: &Snapshot, shown: &Shown<'_>) {
    if mpp.live.is_empty() {
        canvas.put(area.x + 1, area.y, area.width.saturating_sub(1), &why_empty(mpp), Role::Muted);
        return;
    }
    let rows = rows(mpp, shown.ui);
    let view = canvas.view;
    let row = |index: usize| rows.get(index).map_or_else(Vec::new, |(id, live)| cells(view, **id, live));
    shown.table(COLUMNS, rows.len(), &row).draw(canvas, area);
}

/// Why nothing is in flight: the operator's own brakes first.
fn why_empty(mpp: &Snapshot) -> String {
    let is_declared = |queue: &&QueueView| queue.ready_after.is_some();
    let (all, held) = (mpp.queues.values().filter(is_declared).count(), mpp.queues.values().filter(|queue| queue.brake.held).count());
    let waits = mpp.queues.values().any(|queue| queue.pending > 0);
    let free_work = mpp.queues.values().any(|queue| queue.pending > 0 && !queue.brake.held);
    match (&mpp.adapter, waits) {
        _ if held > 0 && held >= all => "nothing: every queue is held (ctrl-x releases)".to_owned(),
        (None, true) => "nothing: no adapter is connected, and work waits (see the MPP chip)".to_owned(),
        (None, false) => "nothing: no adapter is connected (see the MPP chip)".to_owned(),
        (Some(_), true) if !free_work => "nothing: what waits is on queues that are held (H releases)".to_owned(),
        (Some(_), true) if held > 0 => format!("nothing: the adapter has not pulled yet; {held} of {all} queues are held"),
        (Some(_), true) => "nothing: the adapter has not pulled yet".to_owned(),
        (Some(_), false) if held > 0 => format!("nothing: no work is pending; {held} of {all} queues are held"),
        (Some(_), false) => "nothing: no work is pending".to_owned(),
    }
}

fn cells(view: &View, id: InvocationId, live: &LiveView) -> Vec<Cell> {
    let glyphs = view.glyphs;
    let (sign, role) = state_sign(live.state, glyphs);
    let (state, role) = if live.left {
        (format!("{} left applied", glyphs.warn), Role::Warn)
    } else if live.acked && live.state == crate::tap::entry::mpp::RowState::Dispatched {
        (format!("{sign} acked"), role)
    } else {
        (format!("{sign} {}", live.state.name()), role)
    };
    vec![
        Cell::new(id.to_string(), Role::Text),
        Cell::new(live.queue.to_string(), Role::Muted),
        Cell::new(live.event.to_string(), Role::Text),
        Cell::new(state, role),
        Cell::new(view.age(live.since), Role::Text),
        Cell::new(live.trace.map_or_else(String::new, crate::ids::TraceId::short), Role::Muted),
    ]
}
