//! The adapter's log: its own lines with their levels, newest first.

use super::entries;
use crate::{
    console::{
        draw::{Cell, class::Class, theme::Role},
        input::pane_id::PaneId,
        model::{Model, ReportLine},
        overlays::detail::notice_details,
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        settings::view::View,
        systems::bridge::keys::LOG_LINE,
        ui::{
            ledger::{Account, LedgerBound},
            log_lines::{LEVELS, level_cell, warning_chip, with_cut},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, Room, Source, Title},
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::TraceId,
    mpp::LogView,
    tap::{UntracedRow, entry::station::Level},
};

/// A line, with its number.
pub(crate) struct LogLine<'a> {
    pub(crate) number: u64,
    pub(crate) line: &'a LogView,
}

fields! {
    LogLine<'_> {
        "at", Time, Public, "time received", Column::fixed("at", 8) => |it, _| Value::Time(it.line.at.wall);
        "level", State(LEVELS), Public, "severity, as the adapter set it", Column::fixed("level", 7)
            => |it, _| Value::text(it.line.level.name());
        "text", Text, Payload, "message", Column::growing("", 10, 1) => |it, _| Value::text(&*it.line.text);
        "age", Duration, Public, "time since it was received" => |it, now| Value::Duration(crate::console::records::ms(it.line.at, now));
    }
}

impl PaneRecord for LogLine<'_> {
    fn key(&self) -> RecordKey {
        LOG_LINE.of(self.number)
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let (level, role) = level_cell(self.line.level, look.view.glyphs);
        Some(match field {
            "level" => Cell::new(level, role),
            "text" => {
                let words = if self.line.level >= Level::Warn { role } else { Role::Text };
                Cell::of_class(self.line.text.to_string(), words, Class::Payload)
            }
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(LogLineDetails { number: self.number, line: self.line.clone() }))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_line(self.line.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn marked_by(&self) -> Option<TraceId> {
        let LogView { at, level, .. } = *self.line;
        Some(UntracedRow::AdapterLine { at: at.wall, level }.mark())
    }

    fn command(&self) -> Option<String> {
        None
    }
}

/// The lines, newest first.
fn rows(model: &Model) -> Rows<'_> {
    let Some(mpp) = model.mpp() else { return Rows::none() };
    let numbered = mpp
        .logs
        .iter()
        .enumerate()
        .map(|(place, line)| (model.bridge.first_line.wrapping_add(place as u64), line));
    numbered.rev().map(|(number, line)| LogLine { number, line }).collect()
}

/// What the adapter says.
pub(crate) static PANE: Pane = Pane {
    specs: LogLine::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |_, model| rows(model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| with_cut(PaneId::AdapterLog, cx.model.bridge.lines_cut)),
    empty: Empty::Text("no log lines yet"),
    drawing: Drawing::Table,
    chip: Some(|cx, room| {
        let is_serious = |line: &&LogView| line.level >= Level::Warn;
        let serious = cx.model.mpp().map_or(0, |mpp| mpp.logs.iter().filter(is_serious).count() as u64);
        warning_chip(if room == Room::Least { "log" } else { "adapter log" }, serious, cx)
    }),
    ledger: |ui, model, _| {
        let counts = model.bridge.window_counts.lines;
        let bound = LedgerBound::Limit("limits.mpp.log_entries_max", ui.limits.mpp.log_entries_max);
        let what = "adapter log lines known to this console";
        Some(Account::cut(what, counts.received, counts.evicted, bound))
    },
};

/// A line of the adapter's log, with its number.
#[derive(Debug)]
pub(crate) struct LogLineDetails {
    pub(crate) number: u64,
    pub(crate) line: LogView,
}

impl DetailsRecord for LogLineDetails {
    fn key(&self) -> RecordKey {
        LOG_LINE.of(self.number)
    }

    fn title(&self, _model: &Model) -> String {
        "Adapter log line".to_owned()
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        notice_details(view, self.line.at, self.line.level, &self.line.text, Class::Payload)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(LogLine { number: self.number, line: &self.line }))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_line(self.line.clone()))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}
