//! Queues: what waits, what flies, how fast it goes.

use std::collections::BTreeMap;

use ratatui::layout::Rect;

use super::{Align, Cell, Column, pane::Shown};
use crate::{
    console::{
        format,
        glyphs::{self, Glyphs},
        model::{Model, Rate, WINDOW_BUCKETS},
        pane_id::PaneId,
        sort::Sort,
        theme::Role,
        ui::Ui,
        view::{Canvas, View},
    },
    ids::QueueName,
    mpp::{QueueView, ReadyAfter, Snapshot},
    tap::entry::mpp::RowState,
    time::Wall,
};

/// The inner width from which a pane says how long heads wait.
pub(super) const HEAD_FROM: u16 = 76;

pub(super) const COLUMNS: &[Column] = &[
    Column::growing("queue", 7, 2),
    Column::fixed("ready", 7, Align::Left),
    Column::fixed("pend", 5, Align::Right),
    Column::fixed("head", 6, Align::Right).from(HEAD_FROM),
    Column::fixed("fly", 3, Align::Right),
    Column::fixed("done/m", 6, Align::Right),
    Column::fixed("", 8, Align::Left).from(52),
    Column::fixed("fail", 5, Align::Right).from(58),
    Column::fixed("fail/m", 6, Align::Right).from(88),
    Column::fixed("", 8, Align::Left).from(100),
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

type Row<'a> = (&'a QueueName, &'a QueueView);

/// The queues in the order that they are shown in.
pub(super) fn rows<'a>(mpp: &'a Snapshot, model: &Model, ui: &Ui) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = mpp.queues.iter().collect();
    let sort = ui.sorts.get(&PaneId::Queues).copied();
    let rate = |rates: &BTreeMap<QueueName, Rate>, row: &Row<'_>| rates.get(row.0).map_or(0, |rate| rate.per_minute(ui.at));
    // A head that is not known stands behind those that are; the oldest has waited longest.
    let head = |row: &Row<'_>| std::cmp::Reverse(ui.pages.head_at(row.0).unwrap_or(Wall(u64::MAX)));
    Sort::arrange(sort, &mut rows, |column, one, other| match column {
        1 => one.1.ready_after.map(|after| after == ReadyAfter::Done).cmp(&other.1.ready_after.map(|after| after == ReadyAfter::Done)),
        2 => one.1.pending.cmp(&other.1.pending),
        3 => head(one).cmp(&head(other)),
        4 => one.1.in_flight.is_some().cmp(&other.1.in_flight.is_some()),
        5 | 6 => rate(&model.rates, one).cmp(&rate(&model.rates, other)),
        7 => one.1.failed.cmp(&other.1.failed),
        8 | 9 => rate(&model.failures, one).cmp(&rate(&model.failures, other)),
        10 => condition(one.1, &glyphs::ASCII).0.cmp(&condition(other.1, &glyphs::ASCII).0),
        _ => one.0.cmp(other.0),
    });
    rows
}

pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, mpp: &Snapshot, shown: &Shown<'_>) {
    let queues = rows(mpp, shown.model, shown.ui);
    let view = canvas.view;
    let is_narrow = area.width < 68;
    let row = |index: usize| queues.get(index).map_or_else(Vec::new, |(name, queue)| cells(view, shown, name, queue, is_narrow));
    shown.table(COLUMNS, queues.len(), &row).draw(canvas, area);
}

fn cells(view: &View, shown: &Shown<'_>, name: &QueueName, queue: &QueueView, is_narrow: bool) -> Vec<Cell> {
    let glyphs = view.glyphs;
    let idle = Rate::default();
    let (done, failed) = (shown.model.rates.get(name).unwrap_or(&idle), shown.model.failures.get(name).unwrap_or(&idle));
    let (state, state_role) = condition(queue, glyphs);
    let ready = match queue.ready_after {
        Some(ReadyAfter::Applied) => "applied",
        Some(ReadyAfter::Done) => "done",
        None => glyphs.none,
    };
    let fly = if queue.in_flight.is_some() { format!("1{}", glyphs.flying) } else { glyphs.none.to_owned() };
    let head = shown.ui.pages.head_at(name).filter(|_| queue.pending > 0);
    let head = head.map_or_else(|| glyphs.none.to_owned(), |at| format::age(view.now.wall.since(at)));
    // In a narrow pane the state has no column: its sign stands before the name.
    let name = if is_narrow && queue.brake.held {
        format!("{} {name}", glyphs.held)
    } else if is_narrow && queue.brake.draining {
        format!("{} {name}", glyphs.draining)
    } else {
        name.to_string()
    };
    let failed_m = failed.per_minute(view.now);
    vec![
        Cell::new(name, if is_narrow && state_role == Role::Warn { Role::Warn } else { Role::Text }),
        Cell::new(ready, Role::Muted),
        Cell::new(format::count(queue.pending), if queue.pending > 0 { Role::Text } else { Role::Muted }),
        Cell::new(head, if queue.pending > 0 { Role::Text } else { Role::Muted }),
        Cell::new(fly, if queue.in_flight.is_some() { Role::Mpp } else { Role::Muted }),
        Cell::new(format::count(done.per_minute(view.now)), Role::Ok),
        Cell::new(spark(done.window(view.now), glyphs), Role::Ok),
        Cell::new(format::count(queue.failed), if queue.failed > 0 { Role::Bad } else { Role::Muted }),
        Cell::new(format::count(failed_m), if failed_m > 0 { Role::Bad } else { Role::Muted }),
        Cell::new(spark(failed.window(view.now), glyphs), Role::Bad),
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
