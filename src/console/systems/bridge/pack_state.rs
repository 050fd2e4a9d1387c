//! Pack state: every value, who wrote it and when.

use super::{entries, refunds::stored_title};
use crate::{
    console::{
        copy::line,
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::{Model, ReportLine},
        records::{
            entry_query::EntryQuery,
            paged_list::{PageRows, station_list},
            row::{CellContext, DetailsRecord, PaneRecord},
            selection::RecordKey,
        },
        settings::view::View,
        systems::bridge::{
            details::{state_details, writer_word, written_by_text},
            keys::STATE_KEY,
        },
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::{ListSource, Pages},
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    port::{Page, Query, StateKeyRow},
    tap::UntracedRow,
};

/// A value.
pub(crate) struct StateValue<'a>(pub(crate) &'a StateKeyRow);

fields! {
    StateValue<'_> {
        "key", Text, Public, "key", Column::growing("key", 10, 1) => |it, _| Value::text(it.0.key.as_str());
        "value", Text, Payload, "the last accepted value", Column::growing("value", 10, 3) => |it, _| Value::text(it.0.value.as_str());
        "at", Time, Public, "time written", Column::fixed("at", 8) => |it, _| it.0.at_ms.map_or(Value::None, Value::Time);
        "writer", State(&["adapter", "platform"]), Public, "who may write it", Column::fixed("writer", 8)
            => |it, _| Value::maybe(it.0.writer.map(writer_word));
        "persisted" | "kept", State(&["no", "yes"]), Public, "whether it is stored and restored at the next hello", Column::fixed("persisted", 9).from(52)
            => |it, _| Value::text(yes_no(it.0.persist));
        "by", Text, Public, "who wrote it", Column::growing("written by", 14, 2).from(70)
            => |it, _| Value::maybe(it.0.written_by.as_ref().map(written_by_text));
        "scope", Text, Payload, "the adapter's scope tag", Column::growing("scope", 8, 1).from(100)
            => |it, _| Value::maybe(it.0.scope.as_deref());
        "age", Duration, Public, "time since it was written"
            => |it, now| it.0.at_ms.map_or(Value::None, |at| {
                Value::Duration(crate::console::records::wall_ms(at, now))
            });
        "bytes", Bytes, Public, "the size of the value" => |it, _| Value::Bytes(it.0.value.as_str().len() as u64);
    }
}

const fn yes_no(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

impl PaneRecord for StateValue<'_> {
    fn key(&self) -> RecordKey {
        STATE_KEY.of(self.0.key.clone())
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let view = look.view;
        let nothing = || view.glyphs.none.to_owned();
        Some(match field {
            "at" => Cell::new(
                self.0.at_ms.map_or_else(nothing, |at| format::time_of_day(at, &view.zone)),
                Role::Muted,
            ),
            "writer" => Cell::new(self.0.writer.map_or(view.glyphs.none, writer_word), Role::Muted),
            "persisted" => Cell::new(yes_no(self.0.persist), Role::Muted),
            "by" => Cell::new(self.0.written_by.as_ref().map_or_else(nothing, written_by_text), Role::Muted),
            "scope" => Cell::of_class(self.0.scope.clone().unwrap_or_default(), Role::Muted, Class::Payload),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.0.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_state_key(self.0.key.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn marked_by(&self) -> Option<TraceId> {
        let (key, persist) = (&self.0.key, self.0.persist);
        self.0.at_ms.map(|at| UntracedRow::State { key, at, persist }.mark())
    }

    fn command(&self) -> Option<String> {
        Some(line::list_command("state", &format!("key={}", line::operand(self.0.key.as_str()))))
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        Some(serde_json::to_string(self.0))
    }
}

/// The pack-state values, as they are now.
pub(crate) static PANE: Pane = Pane {
    specs: StateValue::SPECS,
    columns: Columns::Declared,
    source: Source::Whole,
    rows: |ui, _| ui.paged_lists.rows(PaneId::State).iter().map(StateValue).collect(),
    pages: Pages::List(&LIST),
    filter: None,
    title: Title::Of(|cx| match cx.model.frozen {
        Some(_) => stored_title(PaneId::State),
        None => PaneId::State.name().to_owned(),
    }),
    empty: Empty::Text("no values yet"),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let count = cx.ui.paged_lists.rows::<StateKeyRow>(PaneId::State).len();
        PaneChip::new("state", format::count(count as u64), Role::Text)
    }),
    ledger: |_, _, all| {
        let bound = LedgerBound::Text("one for each key that the pack declares");
        Some(Account::whole("current values", all, bound))
    },
};

static LIST: ListSource = ListSource {
    list: || {
        station_list::<StateKeyRow>(false, |page| match page {
            Page::State(rows) => Some(PageRows { rows, more: false, beyond: None }),
            _ => None,
        })
    },
    query: |_, _| Query::State,
    changes: |model| model.bridge.changes.state,
    is_wanted: |_| true,
};

impl DetailsRecord for StateKeyRow {
    fn key(&self) -> RecordKey {
        STATE_KEY.of(self.key.clone())
    }

    fn title(&self, _model: &Model) -> String {
        format!("State {}", self.key)
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        state_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(StateValue(self)))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_state_key(self.key.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}
