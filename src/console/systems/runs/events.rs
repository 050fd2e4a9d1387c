//! What a run told, the newest last: what this console heard itself, and before that what the store has.

use super::{
    entries,
    pages::{empty_run_text, run_chip, run_title, take_pages},
};
use crate::{
    console::{
        draw::{Cell, class::Class, theme::Role},
        input::pane_id::PaneId,
        model::{Model, runs::RunLine},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        systems::runs::keys::RUN_EVENT,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    runs::EventKind,
    tap::entry::station::Level,
};

fields! {
    RunLine {
        "at", Time, Public, "time", Column::fixed("at", 8) => |it, _| Value::Time(it.at);
        "level", State(&["trace", "debug", "info", "warn", "error"]), Public, "severity", Column::fixed("level", 5)
            => |it, _| Value::maybe(it.level.map(Level::name));
        "kind", State(&["log", "status", "plan", "trace", "artifact", "progress"]), Public, "kind", Column::fixed("kind", 8).from(50)
            => |it, _| Value::text(it.kind.name());
        "node", Text, Public, "node", Column::growing("node", 8, 1).from(60) => |it, _| Value::maybe(it.node.as_deref());
        "message", Text, Payload, "message", Column::growing("message", 20, 8) => |it, _| Value::text(&*it.message);
        "number", Serial, Public, "number within the run" => |it, _| Value::Serial(it.number);
        "trace", Id, Public, "trace of the run" => |it, _| Value::text(it.run.0.hyphenated().to_string());
    }
}

/// The colour of a level.
pub(crate) const fn level_role(level: Option<Level>) -> Role {
    match level {
        Some(Level::Error) => Role::Bad,
        Some(Level::Warn) => Role::Warn,
        Some(Level::Info) => Role::Text,
        Some(Level::Trace | Level::Debug) | None => Role::Muted,
    }
}

impl PaneRecord for RunLine {
    fn key(&self) -> RecordKey {
        RUN_EVENT.of((self.run, self.number))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let role = level_role(self.level);
        Some(match field {
            "level" => Cell::new(self.level.map_or(look.view.glyphs.none, Level::name), role),
            "kind" => Cell::new(self.kind.name(), Role::Muted),
            "node" => Cell::new(self.node.as_deref().unwrap_or_default().to_owned(), Role::Muted),
            // A plan as a text is long, and has a pane of its own.
            "message" if self.kind == EventKind::Plan && self.message.starts_with('{') => {
                Cell::new("the plan", Role::Muted)
            }
            "message" => {
                let role = if role == Role::Muted { Role::Text } else { role };
                Cell::of_class(self.message.to_string(), role, Class::Payload)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_event(self.run, self.number))
    }

    fn trace(&self) -> Option<TraceId> {
        Some(self.run)
    }

    fn command(&self) -> Option<String> {
        Some(format!("run events {} --json", self.run))
    }
}

/// The events of the run that is shown.
fn rows<'a>(model: &'a Model, ui: &'a Ui) -> Rows<'a> {
    let Some(run) = ui.detail_run(model) else { return Rows::none() };
    let mut heard = model.recent_run_events(run).peekable();
    let first = heard.peek().map_or(u64::MAX, |line| line.number);
    ui.systems.runs.pages.older(run, first).chain(heard).collect()
}

/// The events of a run, the newest last.
pub(crate) static PANE: Pane = Pane {
    specs: RunLine::SPECS,
    columns: Columns::Declared,
    source: Source::Following,
    rows: |ui, model| rows(model, ui),
    pages: Pages::Parts(take_pages),
    filter: None,
    title: Title::Of(|cx| run_title(PaneId::RunEvents, cx)),
    empty: Empty::Of(|cx| empty_run_text(PaneId::RunEvents, cx, |_| "no events yet")),
    drawing: Drawing::Table,
    chip: Some(|cx, _| run_chip("events", cx, |view| view.events)),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.console.run_lines_max", ui.limits.console.run_lines_max);
        let what = "events received, and earlier ones loaded so far; more load as you scroll up";
        Some(Account::whole(what, all, bound))
    },
};
