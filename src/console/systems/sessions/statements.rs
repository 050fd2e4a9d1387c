//! Who said what of the session that is shown, the last first: evaluations, objections and the votes that
//! count; or what made rounds.

use super::entries;
use std::sync::Arc;

use super::list::{empty_text, session_title, title_suffix};
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::{
            Model,
            sessions::{StatementKind, StatementRow},
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::sessions::{keys::STATEMENT, show_command},
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    macp::Mode,
};

impl StatementRow {
    /// The recommendation with how surely, the severity, the vote, or the round.
    pub(crate) fn text(&self) -> String {
        self.confidence
            .map_or_else(|| self.says.to_string(), |confidence| format!("{} {confidence}", self.says))
    }
}

/// Its columns for rounds.
const ROUNDS: &[(&str, Column)] = &[
    ("at", Column::fixed("at", 8)),
    ("by", Column::growing("by", 8, 1)),
    ("statement", Column::growing("round", 9, 1)),
    ("reason", Column::growing("value", 16, 5)),
];

/// Its columns for a decision.
const OPINIONS: &[(&str, Column)] = &[
    ("at", Column::fixed("at", 8)),
    ("by", Column::growing("by", 8, 1)),
    ("kind", Column::fixed("kind", 12).from(56)),
    ("proposal", Column::growing("proposal", 8, 1)),
    ("statement", Column::growing("statement", 12, 1)),
    ("reason", Column::growing("reason", 12, 5)),
];

/// The columns for the mode of the session that is shown.
pub(crate) const fn columns(mode: Option<Mode>) -> &'static [(&'static str, Column)] {
    match mode {
        Some(Mode::MultiRound) => ROUNDS,
        Some(Mode::Decision) | None => OPINIONS,
    }
}

fields! {
    StatementRow {
        "at", Time, Public, "time" => |it, _| it.at.map_or(Value::None, Value::Time);
        "by", Text, Public, "sender" => |it, _| Value::text(&*it.by);
        "kind" | "does", State(StatementKind::NAMES) reads (StatementKind::OLD_NAMES), Public, "kind" => |it, _| Value::text(it.kind.name());
        "proposal" | "of", Text, Public, "proposal" => |it, _| Value::maybe(it.of.as_deref());
        "statement" | "says" | "round", Text, Public, "recommendation, severity, vote or round"
            => |it, _| Value::text(it.text());
        "reason" | "why" | "value", Text, Payload, "reason; of a contribution, its value" => |it, _| Value::text(&*it.why);
        "confidence", Number, Public, "confidence" => |it, _| it.confidence.map_or(Value::None, Value::Number);
    }
}

/// The colour of what is said: for it, against it, or neither.
fn role_of(voice: &StatementRow) -> Role {
    match (voice.kind, &*voice.says) {
        (StatementKind::Votes, "approve") | (StatementKind::Evaluates, "APPROVE") => Role::Ok,
        (StatementKind::Votes, "reject")
        | (StatementKind::Evaluates, "BLOCK" | "REJECT")
        | (StatementKind::Objects, "high" | "critical") => Role::Bad,
        (StatementKind::Objects, _) | (StatementKind::Evaluates, "REVIEW") => Role::Warn,
        (StatementKind::Contributes, _) => Role::Macp,
        (StatementKind::Votes | StatementKind::Evaluates, _) => Role::Text,
    }
}

impl PaneRecord for StatementRow {
    fn key(&self) -> RecordKey {
        STATEMENT.of((self.session.clone(), self.kind, self.index, Arc::clone(&self.by)))
    }

    fn cell(&self, field: &str, _look: &CellContext<'_>) -> Option<Cell> {
        Some(match field {
            "kind" => Cell::new(self.kind.name(), Role::Muted),
            "proposal" => Cell::new(self.of.as_deref().unwrap_or_default().to_owned(), Role::Macp),
            "statement" => Cell::new(self.text(), role_of(self)),
            "reason" => Cell::of_class(self.why.to_string(), Role::Text, Class::Payload),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_session(self.session.clone(), self.at))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(show_command(&self.session))
    }
}

/// Who said what of the session that is shown.
fn rows<'a>(model: &Model, ui: &Ui) -> Rows<'a> {
    ui.detail_statements(model).into_owned().into_iter().collect()
}

/// The statements of a session, the last first.
pub(crate) static PANE: Pane = Pane {
    specs: StatementRow::SPECS,
    columns: Columns::Of(|ui| columns(ui.systems.sessions.mode)),
    source: Source::Model,
    rows: |ui, model| rows(model, ui),
    pages: Pages::None,
    filter: None,
    title: Title::With(
        |cx| {
            let is_multi_round = cx.ui.systems.sessions.mode == Some(Mode::MultiRound);
            let name = if is_multi_round { "Rounds" } else { PaneId::Statements.name() };
            session_title(PaneId::Statements, name, cx)
        },
        |cx| title_suffix(PaneId::Statements, cx.model, cx.ui, cx.view.glyphs),
    ),
    empty: Empty::Of(|cx| empty_text(PaneId::Statements, cx)),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let count = cx.ui.detail_statements(cx.model).len();
        PaneChip::new("messages", format::count(count as u64), Role::Text)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.macp.shown_opinions_max", ui.limits.macp.shown_opinions_max);
        let what = "latest evaluations and objections, and the counted votes, of the selected session";
        Some(Account::whole(what, all, bound))
    },
};
