//! The audit of the plugin that is shown: what was granted, asked, decided, handed over and set; the newest
//! last.

use super::{
    detail_plugin::{empty, title},
    entries,
    keys::AUDIT_ROW,
    list::list_command,
};
use crate::{
    console::{
        draw::{Cell, format, theme::Role},
        input::pane_id::PaneId,
        model::{Model, ReportLine},
        overlays::detail::{at, detail},
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
    plugin::{AuditKind, snapshot::AuditView},
};

/// A row of a plugin's audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AuditRow {
    pub(super) plugin: PluginId,
    pub(super) row: AuditView,
}

fields! {
    AuditRow {
        "at", Time, Public, "time", Column::fixed("at", 8) => |it, _| Value::Time(it.row.at.wall);
        "what", State(&AuditKind::NAMES), Public, "what happened", Column::fixed("what", 9) => |it, _| Value::text(it.row.what.name());
        "text", Text, Public, "capability, credential or setting", Column::growing("text", 12, 4) => |it, _| Value::text(&*it.row.text);
        "number", Serial, Public, "number within the audit" => |it, _| Value::Serial(it.row.number);
        "plugin", Text, Public, "plugin" => |it, _| Value::text(it.plugin.as_str());
    }
}

impl PaneRecord for AuditRow {
    fn key(&self) -> RecordKey {
        AUDIT_ROW.of((self.plugin.clone(), self.row.number))
    }

    fn cell(&self, field: &str, _: &CellContext<'_>) -> Option<Cell> {
        let role = match self.row.what {
            AuditKind::Asked | AuditKind::Handed | AuditKind::Revoked => Role::Warn,
            _ => Role::Text,
        };
        (field == "what").then(|| Cell::new(self.row.what.name().replace('_', " "), role))
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(self.clone()))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_plugin(self.plugin.clone(), Some(self.row.at.wall)))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(list_command(&self.plugin))
    }
}

impl DetailsRecord for AuditRow {
    fn key(&self) -> RecordKey {
        PaneRecord::key(self)
    }

    fn title(&self, _: &Model) -> String {
        format!("Audit of {}", self.plugin)
    }

    fn lines(&self, view: &View, _: &Model) -> Vec<ReportLine> {
        let Self { plugin, row } = self;
        vec![
            detail("plugin", plugin.to_string()),
            detail("at", at(view, row.at.wall)),
            detail("what", row.what.name().replace('_', " ")),
            detail("of", row.text.to_string()),
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
    view.audit.iter().map(|row| AuditRow { plugin: plugin.clone(), row: row.clone() }).collect()
}

/// The audit of the plugin that is shown.
pub(crate) static PANE: Pane = Pane {
    specs: AuditRow::SPECS,
    columns: Columns::Declared,
    source: Source::Following,
    rows: |ui, model| rows(ui, model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| title(PaneId::PluginAudit, cx)),
    empty: Empty::Of(|cx| empty("nothing was granted or handed over", cx)),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let count = cx.ui.detail_plugin(cx.model).map_or(0, |(_, view)| view.counts.audit_rows);
        PaneChip::new("audit", format::count(count), Role::Text)
    }),
    ledger: |ui, model, all| {
        let came = ui.detail_plugin(model).map_or(all, |(_, view)| view.counts.audit_rows.max(all));
        let bound = LedgerBound::Limit("limits.plugin.shown_lines_max", ui.limits.plugin.shown_lines_max);
        Some(Account::cut("audit rows of the selected plugin", came, came - all, bound))
    },
};
