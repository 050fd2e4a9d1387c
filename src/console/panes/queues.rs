//! Queues: what waits, what flies, how fast it goes.

use ratatui::layout::Rect;

use super::{Align, Cell, Column, Table};
use crate::{
    console::{
        format,
        glyphs::Glyphs,
        model::{Model, Rate, WINDOW_BUCKETS},
        theme::Role,
        ui::Selection,
        view::{Canvas, View},
    },
    ids::QueueName,
    mpp::{QueueView, ReadyAfter, Snapshot},
    tap::entry::mpp::RowState,
};

const COLUMNS: &[Column] = &[
    Column::growing("queue", 7, 2),
    Column::fixed("ready", 7, Align::Left),
    Column::fixed("pend", 5, Align::Right),
    Column::fixed("fly", 3, Align::Right),
    Column::fixed("done/m", 6, Align::Right),
    Column { title: "", columns: 8, grows: 0, align: Align::Left, from: 52 },
    Column::fixed("fail", 5, Align::Right).from(58),
    Column::growing("state", 10, 3).from(68),
];

/// A sign and role for a row's state.
pub(crate) fn state_sign(state: RowState, glyphs: &Glyphs) -> (&'static str, Role) {
    match state {
        RowState::Pending => (glyphs.parked, Role::Text),
        RowState::Dispatched => (glyphs.flying, Role::Mpp),
        RowState::Applied => (glyphs.degraded, Role::Accent),
        RowState::Done => (glyphs.ok, Role::Ok),
        RowState::Failed => (glyphs.bad, Role::Bad),
        RowState::Refunded => (glyphs.refunded, Role::Warn),
    }
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, model: &Model, mpp: &Snapshot, selection: &Selection, focused: bool) {
    let queues: Vec<(&QueueName, &QueueView)> = mpp.queues.iter().collect();
    let idle = Rate::default();
    let view = canvas.view;
    let is_narrow = area.width < 68;
    let row = |index: usize| {
        queues
            .get(index)
            .map_or_else(Vec::new, |(name, queue)| cells(view, name, queue, model.rates.get(*name).unwrap_or(&idle), is_narrow))
    };
    Table { columns: COLUMNS, len: queues.len(), row: &row, selection: Some(selection), focused }.draw(canvas, area);
}

fn cells(view: &View, name: &QueueName, queue: &QueueView, rate: &Rate, is_narrow: bool) -> Vec<Cell> {
    let glyphs = view.glyphs;
    let (state, state_role) = condition(queue, glyphs);
    let ready = match queue.ready_after {
        Some(ReadyAfter::Applied) => "applied",
        Some(ReadyAfter::Done) => "done",
        None => glyphs.none,
    };
    let fly = if queue.in_flight.is_some() { format!("1{}", glyphs.flying) } else { glyphs.none.to_owned() };
    // In a narrow pane the state has no column: its sign stands before the name.
    let name = if is_narrow && queue.brake.held {
        format!("{} {name}", glyphs.held)
    } else if is_narrow && queue.brake.draining {
        format!("{} {name}", glyphs.draining)
    } else {
        name.to_string()
    };
    vec![
        Cell::new(name, if is_narrow && state_role == Role::Warn { Role::Warn } else { Role::Text }),
        Cell::new(ready, Role::Muted),
        Cell::new(format::count(queue.pending), if queue.pending > 0 { Role::Text } else { Role::Muted }),
        Cell::new(fly, if queue.in_flight.is_some() { Role::Mpp } else { Role::Muted }),
        Cell::new(format::count(rate.per_minute(view.now)), Role::Ok),
        Cell::new(spark(rate.window(view.now), glyphs), Role::Ok),
        Cell::new(format::count(queue.failed), if queue.failed > 0 { Role::Bad } else { Role::Muted }),
        Cell::new(state, state_role),
    ]
}

/// What holds on a queue, in words.
fn condition(queue: &QueueView, glyphs: &Glyphs) -> (String, Role) {
    let (mut words, role) = match (queue.brake.held, queue.brake.draining) {
        (true, false) => (format!("{} held", glyphs.held), Role::Warn),
        (true, true) => (format!("{} held, refuses", glyphs.held), Role::Warn),
        (false, true) if queue.pending == 0 && queue.in_flight.is_none() => (format!("{} drained", glyphs.draining), Role::Warn),
        (false, true) => (format!("{} draining", glyphs.draining), Role::Warn),
        (false, false) if queue.ready_after.is_none() => ("not in this pack".to_owned(), Role::Warn),
        (false, false) if queue.parked => (format!("{} waits for work", glyphs.parked), Role::Muted),
        (false, false) if queue.in_flight.is_some() => ("busy".to_owned(), Role::Muted),
        (false, false) if queue.pending > 0 => ("no pull yet".to_owned(), Role::Warn),
        (false, false) => (String::new(), Role::Muted),
    };
    if queue.other_manifest > 0 {
        let more = format!("+{} of another pack", format::count(queue.other_manifest));
        words = if words.is_empty() { more } else { format!("{words}, {more}") };
        return (words, Role::Warn);
    }
    (words, role)
}

/// A small chart, its highest bar the highest count.
fn spark(window: [u64; WINDOW_BUCKETS], glyphs: &Glyphs) -> String {
    let highest = window.iter().copied().max().unwrap_or(0);
    if highest == 0 {
        return String::new();
    }
    window
        .iter()
        .map(|count| match count {
            0 => " ",
            _ => glyphs.spark[usize::try_from((count * 7).div_ceil(highest)).unwrap_or(7).min(7)],
        })
        .collect()
}
