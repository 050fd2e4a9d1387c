//! Every session that the store has, newest first, in pages.

use super::entries;
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::Model,
        records::{
            entry_query::EntryQuery,
            paged_list::{PageQuery, PageRows, station_list},
            row::{CellContext, DetailsRecord, PaneRecord},
            selection::RecordKey,
        },
        systems::sessions::{keys::STORED_SESSION, session_of, session_sign, show_command},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::{ListSource, Pages},
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _},
    ids::TraceId,
    macp::{Ending, Phase, SessionRef, SessionState},
    port::{Page, Query, SessionRow},
    tap::UntracedRow,
};

/// Its columns.
pub(crate) const COLUMNS: &[(&str, Column)] = &[
    ("at", Column::fixed("at", 8)),
    ("session", Column::growing("session", 10, 2)),
    ("state", Column::fixed("state", 12)),
    ("mode", Column::fixed("mode", 11).from(96)),
    ("messages", Column::fixed("msgs", 5).right().from(52)),
    ("by", Column::growing("by", 8, 1).from(84)),
    ("intent", Column::growing("intent", 8, 3).from(52)),
    ("outcome", Column::growing("outcome", 8, 3).from(72)),
];

impl crate::console::records::paged_list::Record for SessionRow {
    fn key(&self) -> RecordKey {
        STORED_SESSION.of(session_of(self))
    }

    fn number(&self) -> u64 {
        self.number
    }
}

impl PaneRecord for SessionRow {
    fn key(&self) -> RecordKey {
        STORED_SESSION.of(session_of(self))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (sign, role) = session_sign(self.ending, look.view.glyphs);
        Some(match field {
            "session" => Cell::new(self.session.clone(), Role::Text).cut_within(),
            "state" => {
                let round = || {
                    self.round
                        .map_or_else(|| "open".to_owned(), |round| format!("round {}", format::count(round)))
                };
                let open = || self.phase.map_or_else(round, |phase| Phase::name(phase).to_owned());
                Cell::new(
                    format!(
                        "{sign} {}",
                        self.ending.map_or_else(open, |ending| Ending::name(ending).to_owned())
                    ),
                    role,
                )
            }
            "by" => Cell::new(self.by.clone(), Role::Muted),
            "intent" => Cell::of_class(self.intent.clone(), Role::Muted, Class::Payload),
            "outcome" => Cell::of_class(self.why.clone().unwrap_or_default(), Role::Muted, Class::Payload),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_session(session_of(self), None))
    }

    fn trace(&self) -> Option<TraceId> {
        self.trace_id
    }

    fn marked_by(&self) -> Option<TraceId> {
        self.trace_id.or_else(|| Some(UntracedRow::Session(self.number).mark()))
    }

    fn command(&self) -> Option<String> {
        Some(show_command(&session_of(self)))
    }

    fn stored_json(&self) -> Option<serde_json::Result<String>> {
        Some(serde_json::to_string(self))
    }
}

/// Every session that the store has, in pages.
pub(crate) static PANE: Pane = Pane {
    specs: SessionRow::SPECS,
    columns: Columns::Named(COLUMNS),
    source: Source::Pages { field: "number", oldest_first: false },
    rows: |ui, _| ui.paged_lists.rows::<SessionRow>(PaneId::SessionHistory).iter().collect(),
    pages: Pages::List(&LIST),
    filter: None,
    title: Title::Name,
    empty: Empty::Text("no sessions yet"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        PaneChip::new("history", cx.ui.paged_lists.stored_text(PaneId::SessionHistory, room), Role::Text)
    }),
    ledger: |ui, _, all| {
        let max = ui.limits.store.ended_sessions_max;
        let bound = LedgerBound::Limit("limits.store.ended_sessions_max", max);
        let what = "stored sessions loaded so far; more load as you scroll";
        Some(Account::whole(what, all, bound))
    },
};

static LIST: ListSource = ListSource {
    list: || {
        station_list::<SessionRow>(false, |page| match page {
            Page::Sessions { rows, more, beyond } => Some(PageRows { rows, more, beyond }),
            _ => None,
        })
    },
    query: |PageQuery { beyond, oldest_first, limit, .. }, filter| Query::Sessions {
        state: None,
        mode: None,
        since_ms: None,
        beyond,
        oldest_first,
        filter,
        limit,
    },
    changes: |model| {
        let totals = model.macp().map(|macp| macp.totals).unwrap_or_default();
        totals.started + totals.resolved + totals.expired + totals.cancelled
    },
    is_wanted: |_| true,
};

/// How a session ended, in a word, if it is known to have.
pub(super) fn ended(ui: &Ui, model: &Model, session: &SessionRef) -> Option<&'static str> {
    if let Some(view) = model.macp().and_then(|macp| macp.sessions.get(&session.number)) {
        return view.end.as_ref().map(|end| end.ending.name());
    }
    let row = stored_row(ui, session.number);
    row.filter(|row| row.state != SessionState::Open)
        .map(|row| row.ending.map_or(row.state.name(), Ending::name))
}

/// A session of the list of the store, as far as it is loaded.
pub(crate) fn stored_row(ui: &Ui, number: u64) -> Option<&SessionRow> {
    ui.paged_lists.rows::<SessionRow>(PaneId::SessionHistory).iter().find(|row| row.number == number)
}
