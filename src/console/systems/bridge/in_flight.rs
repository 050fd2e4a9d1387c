//! In flight: what is with the adapter now.

use super::queues::state_sign;
use crate::{
    console::{
        copy::line,
        draw::{Cell, theme::Role},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, OPEN_FIRST, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::bridge::keys::INVOCATION,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Room, Source, Title},
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{InvocationId, TraceId},
    mpp::{LiveView, QueueView, Snapshot},
    port::{InvocationRow, health::mpp::in_flight as count_in_flight},
    tap::entry::mpp::RowState,
};

/// An invocation that is with the adapter, or was left in applied.
pub(crate) struct InFlight<'a> {
    pub(crate) id: InvocationId,
    pub(crate) live: &'a LiveView,
}

impl InFlight<'_> {
    fn state(&self) -> &'static str {
        match (self.live.orphaned, self.live.state) {
            (true, _) => "orphaned",
            (false, RowState::Dispatched) if self.live.acked => "acked",
            (false, state) => state.name(),
        }
    }
}

fields! {
    InFlight<'_> {
        "id", Serial, Public, "number", Column::fixed("id", 7).right() => |it, _| Value::Serial(it.id.0);
        "queue", Text, Public, "queue", Column::growing("queue", 8, 1) => |it, _| Value::text(it.live.queue.as_str());
        "event", Text, Public, "event", Column::growing("event", 10, 2) => |it, _| Value::text(it.live.event.as_str());
        "state", State(&["dispatched", "acked", "applied", "orphaned"]) reads (&[("left", "orphaned")]), Public, "state", Column::fixed("state", 14)
            => |it, _| Value::text(it.state());
        "age", Duration, Public, "time in that state", Column::fixed("age", 6).right()
            => |it, now| Value::Duration(crate::console::records::ms(it.live.since, now));
        "trace", Id, Public, "trace", Column::fixed("trace", 5).from(56)
            => |it, _| Value::maybe(it.live.trace.map(|trace| trace.0.hyphenated().to_string()));
        "since", Time, Public, "start of that state" => |it, _| Value::Time(it.live.since.wall);
    }
}

impl PaneRecord for InFlight<'_> {
    fn key(&self) -> RecordKey {
        INVOCATION.of(self.id)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        Some(match field {
            "queue" => Cell::new(self.live.queue.to_string(), Role::Muted),
            "state" if self.live.orphaned => Cell::new(format!("{} orphaned", glyphs.warn), Role::Warn),
            "state" => {
                let (sign, role) = state_sign(self.live.state, glyphs);
                Cell::new(format!("{sign} {}", self.state()), role)
            }
            "age" => Cell::new(look.view.age(self.live.since), Role::Text),
            "trace" => Cell::new(self.live.trace.map_or_else(String::new, TraceId::short), Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        None
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(EntryQuery::Invocation(self.id))
    }

    fn trace(&self) -> Option<TraceId> {
        self.live.trace
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("invocations", &format!("id={}", self.id)))
    }

    fn invocation(&self) -> Result<&InvocationRow, &'static str> {
        Err(OPEN_FIRST)
    }
}

/// The invocations with the adapter, oldest first.
fn rows(mpp: &Snapshot) -> Rows<'_> {
    mpp.live.iter().map(|(id, live)| InFlight { id: *id, live }).collect()
}

/// Why nothing is in flight: the operator's own brakes first.
fn empty_text(mpp: &Snapshot) -> String {
    let is_declared = |queue: &&QueueView| queue.ready_after.is_some();
    let (all, held) = (
        mpp.queues.values().filter(is_declared).count(),
        mpp.queues.values().filter(|queue| queue.brake.held).count(),
    );
    let waits = mpp.queues.values().any(|queue| queue.pending > 0);
    let free_work = mpp.queues.values().any(|queue| queue.pending > 0 && !queue.brake.held);
    match (&mpp.adapter, waits) {
        _ if held > 0 && held >= all => "none: every queue is held (U resumes all)".to_owned(),
        (None, true) => "none: no adapter connected, work pending (see the MPP chip)".to_owned(),
        (None, false) => "none: no adapter connected (see the MPP chip)".to_owned(),
        (Some(_), true) if !free_work => "none: all pending work is on held queues (H resumes)".to_owned(),
        (Some(_), true) if held > 0 => {
            format!("none: adapter not pulling; {held} of {all} queues held")
        }
        (Some(_), true) => "none: adapter not pulling".to_owned(),
        (Some(_), false) if held > 0 => {
            format!("none: no work pending; {held} of {all} queues held")
        }
        (Some(_), false) => "none: no work pending".to_owned(),
    }
}

/// The rows that are with the adapter now.
pub(crate) static PANE: Pane = Pane {
    specs: InFlight::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| model.mpp().map_or_else(Rows::none, rows),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| match cx.model.mpp().map_or((0, 0), count_in_flight) {
        (0, 0) => "In flight".to_owned(),
        (flying, 0) => format!("In flight {flying}"),
        (flying, applied) => format!("In flight {flying}, {applied} awaiting done"),
    }),
    empty: Empty::Of(|cx| cx.model.mpp().map_or_else(String::new, empty_text)),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        let (flying, applied) = cx.model.mpp().map_or((0, 0), count_in_flight);
        let applied = if applied > 0 { format!(" +{applied}") } else { String::new() };
        let figure = format!("{flying}{}{applied}", cx.view.glyphs.flying);
        PaneChip::new(if room == Room::Least { "busy" } else { "in flight" }, figure, Role::Text)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.mpp.live_rows_max", ui.limits.mpp.live_rows_max);
        Some(Account::whole("rows in flight now", all, bound))
    },
};
