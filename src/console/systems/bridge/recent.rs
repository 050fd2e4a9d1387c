//! Recent: what ended, newest first.

use super::queues::state_sign;
use crate::{
    console::{
        copy::line,
        draw::{Cell, theme::Role},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, OPEN_FIRST, PaneRecord},
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
    ids::TraceId,
    mpp::EndedView,
    port::InvocationRow,
    tap::entry::mpp::RowState,
};

fields! {
    EndedView {
        "at", Time, Public, "when it ended", Column::fixed("at", 8) => |it, _| Value::Time(it.at.wall);
        "id", Serial, Public, "number", Column::fixed("id", 7).right() => |it, _| Value::Serial(it.id.0);
        "state", State(&["done", "failed", "refunded"]), Public, "outcome", Column::fixed("state", 10)
            => |it, _| Value::text(it.state.name());
        "queue", Text, Public, "queue", Column::growing("queue", 8, 1) => |it, _| Value::text(it.queue.as_str());
        "event", Text, Public, "event", Column::growing("event", 10, 1) => |it, _| Value::text(it.event.as_str());
        "reason", Text, Payload, "failure reason", Column::growing("reason", 8, 8).from(60) => |it, _| Value::maybe(it.reason.as_deref());
        "trace", Id, Public, "trace", Column::fixed("trace", 5).from(72)
            => |it, _| Value::maybe(it.trace.map(|trace| trace.0.hyphenated().to_string()));
        "age", Duration, Public, "time since it ended" => |it, now| Value::Duration(crate::console::records::ms(it.at, now));
    }
}

impl PaneRecord for EndedView {
    fn key(&self) -> RecordKey {
        INVOCATION.of(self.id)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        Some(match field {
            "state" => {
                let (sign, role) = state_sign(self.state, look.view.glyphs);
                Cell::new(format!("{sign} {}", self.state.name()), role)
            }
            "queue" => Cell::new(self.queue.to_string(), Role::Muted),
            "trace" => Cell::new(self.trace.map_or_else(String::new, TraceId::short), Role::Muted),
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
        self.trace
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("invocations", &format!("id={}", self.id)))
    }

    fn invocation(&self) -> Result<&InvocationRow, &'static str> {
        Err(OPEN_FIRST)
    }
}

/// The rows that ended, as far as this console knows.
pub(crate) static PANE: Pane = Pane {
    specs: EndedView::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| model.ended().collect(),
    pages: Pages::None,
    filter: None,
    title: Title::Name,
    empty: Empty::Text("no ended invocations since start"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        let ended = |wanted: &[RowState]| cx.model.ended().filter(|row| wanted.contains(&row.state)).count();
        let (done, bad) = (ended(&[RowState::Done]), ended(&[RowState::Failed, RowState::Refunded]));
        let glyphs = cx.view.glyphs;
        let figure = format!("{done}{} {bad}{}", glyphs.ok, glyphs.bad);
        let figure = match done + bad {
            1.. if room >= Room::Narrow => format!("{figure} of last {}", done + bad),
            _ => figure,
        };
        PaneChip::warning("recent", figure, bad > 0)
    }),
    ledger: |ui, model, _| {
        let counts = model.bridge.window_counts.ended;
        let came = counts.received + model.bridge.history.len() as u64;
        let bound = LedgerBound::Limit("limits.mpp.recent_rows_max", ui.limits.mpp.recent_rows_max);
        Some(Account::cut("ended rows known to this console", came, counts.evicted, bound))
    },
};
