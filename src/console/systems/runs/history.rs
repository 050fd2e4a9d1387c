//! Every run that the store has, newest first, in pages.

use super::{entries, list::run_sign};
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        records::{
            entry_query::EntryQuery,
            paged_list::{PageQuery, PageRows, station_list},
            row::{CellContext, DetailsRecord, PaneRecord},
            selection::RecordKey,
        },
        systems::runs::keys::STORED_RUN,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::{ListSource, Pages},
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
        },
    },
    field::{Column, Fields as _},
    ids::TraceId,
    port::{Page, Query, RunRow},
};

/// Its columns.
pub(crate) const COLUMNS: &[(&str, Column)] = &[
    ("at", Column::fixed("at", 8)),
    ("name", Column::growing("name", 10, 2)),
    ("state", Column::fixed("state", 11)),
    ("took", Column::fixed("time", 6).right()),
    ("trace", Column::fixed("trace", 5)),
    ("done", Column::fixed("done", 7).right().from(70)),
    ("tokens", Column::fixed("tokens", 6).right().from(78)),
    ("by", Column::growing("by", 8, 1).from(64)),
    ("why", Column::growing("why", 8, 4).from(58)),
];

impl PaneRecord for RunRow {
    fn key(&self) -> RecordKey {
        STORED_RUN.of((self.number, self.run))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (sign, role) = run_sign(self.state, look.view.glyphs);
        Some(match field {
            "state" => Cell::new(format!("{sign} {}", self.state.name()), role),
            "took" => {
                let took = self.ended_at_ms.unwrap_or(look.view.now.wall).since(self.submitted_at_ms);
                Cell::new(format::age(took), Role::Text)
            }
            "trace" => Cell::new(self.run.short(), Role::Muted),
            "done" => {
                Cell::new(format!("{}/{}", format::count(self.done), format::count(self.nodes)), Role::Text)
            }
            "by" => Cell::new(self.client.clone(), Role::Muted),
            "why" => Cell::of_class(self.why.clone().unwrap_or_default(), role, Class::Payload),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_run(self.run))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run)
    }

    fn command(&self) -> Option<String> {
        Some(format!("run show {} --json", self.run))
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        Some(serde_json::to_string(self))
    }
}

/// Every run that the store has, in pages.
pub(crate) static PANE: Pane = Pane {
    specs: RunRow::SPECS,
    columns: Columns::Named(COLUMNS),
    source: Source::Pages { field: "number", oldest_first: false },
    rows: |ui, _| ui.paged_lists.rows::<RunRow>(PaneId::RunHistory).iter().collect(),
    pages: Pages::List(&LIST),
    filter: None,
    title: Title::Name,
    empty: Empty::Text("no runs yet"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        PaneChip::new("history", cx.ui.paged_lists.stored_text(PaneId::RunHistory, room), Role::Text)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.store.ended_runs_max", ui.limits.store.ended_runs_max);
        Some(Account::whole("stored runs loaded so far; more load as you scroll", all, bound))
    },
};

static LIST: ListSource = ListSource {
    list: || {
        station_list::<RunRow>(false, |page| match page {
            Page::Runs { rows, more, beyond } => Some(PageRows { rows, more, beyond }),
            _ => None,
        })
    },
    query: |PageQuery { beyond, oldest_first, limit, .. }, filter| Query::Runs {
        state: None,
        name: None,
        since_ms: None,
        beyond,
        oldest_first,
        filter,
        limit,
    },
    changes: |model| model.runs.run_changes,
    is_wanted: |_| true,
};
