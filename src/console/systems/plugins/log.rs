//! The log of the plugin that is shown, the newest last.

use super::{
    detail_plugin::{empty, title},
    entries,
    keys::LOG_LINE,
    list::list_command,
};
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
        input::pane_id::PaneId,
        model::{Model, ReportLine},
        overlays::detail::{at, detail, payload},
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        settings::view::View,
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{PluginId, TraceId},
    plugin::{Level, LogSource, snapshot::LogView},
    tap::UntracedRow,
};

/// A line of a plugin's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogLine {
    pub(super) plugin: PluginId,
    pub(super) line: LogView,
}

fields! {
    LogLine {
        "at", Time, Public, "time", Column::fixed("at", 8) => |it, _| Value::Time(it.line.at.wall);
        "level", State(&Level::NAMES), Public, "severity", Column::fixed("level", 7) => |it, _| Value::text(it.line.level.name());
        "source", State(&LogSource::NAMES), Public, "source", Column::fixed("source", 6).from(60)
            => |it, _| Value::text(it.line.source.name());
        "text", Text, Payload, "message", Column::growing("text", 12, 5) => |it, _| Value::text(&*it.line.text);
        "number", Serial, Public, "number within the log" => |it, _| Value::Serial(it.line.number);
        "plugin", Text, Public, "plugin" => |it, _| Value::text(it.plugin.as_str());
    }
}

const fn role_of(level: Level) -> Role {
    match level {
        Level::Debug => Role::Muted,
        Level::Info => Role::Text,
        Level::Warning => Role::Warn,
        Level::Error => Role::Bad,
    }
}

impl PaneRecord for LogLine {
    fn key(&self) -> RecordKey {
        LOG_LINE.of((self.plugin.clone(), self.line.number))
    }

    fn cell(&self, field: &str, _: &CellContext<'_>) -> Option<Cell> {
        let role = role_of(self.line.level);
        Some(match field {
            "level" => Cell::new(self.line.level.name(), role),
            "source" => Cell::new(self.line.source.name(), Role::Muted),
            "text" => Cell::of_class(self.line.text.to_string(), role, Class::Payload),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_plugin(self.plugin.clone(), Some(self.line.at.wall)))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn marked_by(&self) -> Option<TraceId> {
        let LogView { at, source, .. } = self.line;
        Some(UntracedRow::PluginLine { plugin: &self.plugin, at: at.wall, source }.mark())
    }

    fn command(&self) -> Option<String> {
        Some(list_command(&self.plugin))
    }
}

impl DetailsRecord for LogLine {
    fn key(&self) -> RecordKey {
        PaneRecord::key(self)
    }

    fn title(&self, _: &Model) -> String {
        format!("Log of {}", self.plugin)
    }

    fn lines(&self, view: &View, _: &Model) -> Vec<ReportLine> {
        let Self { plugin, line } = self;
        vec![
            detail("plugin", plugin.to_string()),
            detail("at", at(view, line.at.wall)),
            detail("level", line.level.name()),
            detail("source", line.source.name()),
            payload("", &line.text),
        ]
    }

    fn row<'a>(&'a self, _: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        PaneRecord::entry(self).ok()
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

fn rows<'a>(ui: &Ui, model: &Model) -> Rows<'a> {
    let Some((plugin, view)) = ui.detail_plugin(model) else { return Rows::none() };
    view.log.iter().map(|line| LogLine { plugin: plugin.clone(), line: line.clone() }).collect()
}

/// The log of the plugin that is shown.
pub(crate) static PANE: Pane = Pane {
    specs: LogLine::SPECS,
    columns: Columns::Declared,
    source: Source::Following,
    rows: |ui, model| rows(ui, model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| title(PaneId::PluginLog, cx)),
    empty: Empty::Of(|cx| empty("it logged nothing", cx)),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let count = cx.ui.detail_plugin(cx.model).map_or(0, |(_, view)| view.counts.log_lines);
        PaneChip::new("log", format::count(count), Role::Text)
    }),
    ledger: |ui, model, all| {
        let came = ui.detail_plugin(model).map_or(all, |(_, view)| view.counts.log_lines.max(all));
        let bound = LedgerBound::Limit("limits.plugin.shown_lines_max", ui.limits.plugin.shown_lines_max);
        Some(Account::cut("log lines of the selected plugin", came, came - all, bound))
    },
};
