//! The log of the session that is shown, the newest last: what this console heard itself, and before that
//! what the store has.

use super::{
    entries,
    list::{empty_text, session_title},
    pages::take_pages,
};
use crate::{
    console::{
        copy::line,
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::{
            Model,
            sessions::{SessionLine, records},
        },
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::sessions::keys::SESSION_RECORD,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    port::LogKind,
};

fields! {
    SessionLine {
        "number", Serial, Public, "number within the log", Column::fixed("#", 4).right().from(50) => |it, _| Value::Serial(it.number);
        "at", Time, Public, "time written", Column::fixed("at", 8) => |it, _| Value::Time(it.at);
        "type", Text, Public, "message type, or session event", Column::growing("type", 11, 1)
            => |it, _| Value::text(it.kind_text());
        "sender", Text, Public, "sender", Column::growing("sender", 8, 1) => |it, _| Value::maybe(it.sender.as_deref());
        "payload" | "says", Text, Payload, "message", Column::growing("", 16, 6) => |it, _| Value::text(&*it.text);
        "kind", State(&["incoming", "ttl_expired", "session_cancel", "resolution"]), Public, "kind" => |it, _| Value::text(it.kind.name());
        "id", Text, Public, "message id" => |it, _| Value::maybe(it.message_id.as_deref());
        "session", Text, Public, "session" => |it, _| Value::text(&*it.session.id);
    }
}

/// The colour of a record.
const fn role_of(kind: LogKind) -> Role {
    match kind {
        LogKind::Incoming => Role::Text,
        LogKind::Resolution => Role::Ok,
        LogKind::TtlExpired | LogKind::SessionCancel => Role::Warn,
    }
}

impl PaneRecord for SessionLine {
    fn key(&self) -> RecordKey {
        SESSION_RECORD.of((self.session.clone(), self.number))
    }

    fn cell(&self, field: &str, _look: &CellContext<'_>) -> Option<Cell> {
        let role = role_of(self.kind);
        Some(match field {
            "type" => Cell::new(
                self.kind_text().to_owned(),
                if self.kind == LogKind::Incoming { Role::Macp } else { role },
            ),
            "sender" => Cell::new(self.sender.as_deref().unwrap_or_default().to_owned(), Role::Text),
            "payload" => Cell::of_class(self.text.to_string(), role, Class::Payload),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_session(self.session.clone(), Some(self.at)))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(format!("session show {} --log --json", line::quoted(&self.session.id)))
    }
}

/// The log of the session that is shown.
fn rows<'a>(model: &'a Model, ui: &'a Ui) -> Rows<'a> {
    let Some(session) = ui.detail_session(model) else { return Rows::none() };
    let mut heard = model.recent_session_records(session.number).peekable();
    let first = heard.peek().map_or(u64::MAX, |line| line.number);
    ui.systems.sessions.pages.older(&session, first).chain(heard).collect()
}

/// A session's log, the newest last.
pub(crate) static PANE: Pane = Pane {
    specs: SessionLine::SPECS,
    columns: Columns::Declared,
    source: Source::Following,
    rows: |ui, model| rows(model, ui),
    pages: Pages::Parts(take_pages),
    filter: None,
    title: Title::Of(|cx| session_title(PaneId::SessionLog, PaneId::SessionLog.name(), cx)),
    empty: Empty::Of(|cx| empty_text(PaneId::SessionLog, cx)),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let session = cx.ui.detail_session(cx.model);
        let view = session.and_then(|session| cx.model.macp()?.sessions.get(&session.number));
        let count = view.map_or(0, |view| records(view.messages, view.end.is_some()));
        PaneChip::new("log", format::count(count), Role::Text)
    }),
    ledger: |ui, _, all| {
        let max = ui.limits.console.session_lines_max;
        let bound = LedgerBound::Limit("limits.console.session_lines_max", max);
        let what = "records received, and earlier ones loaded so far; more load as you scroll up";
        Some(Account::whole(what, all, bound))
    },
};
