//! Capabilities: what the plugin that is shown asked for, and what of it it has.

use std::sync::Arc;

use super::{
    detail_plugin::{empty, title},
    details::PluginDetails,
    entries,
    keys::CAPABILITY,
    list::list_command,
};
use crate::{
    console::{
        draw::{Cell, theme::Role},
        input::pane_id::PaneId,
        model::Model,
        records::{
            entry_query::EntryQuery,
            row::{CellContext, DetailsRecord, PaneRecord},
            row_list::Rows,
            selection::RecordKey,
        },
        ui::{
            ledger::{Account, LedgerBound},
            paged_lists::Pages,
            pane::{Columns, Drawing, Empty, Pane, PaneChip, Source, Title},
            state::Ui,
        },
    },
    field::{Column, Fields as _, Value, fields},
    ids::{PluginId, TraceId},
    plugin::capability::is_credential,
};

const YES_NO: &[&str] = &["no", "yes"];

/// A capability of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CapabilityRow {
    pub(super) plugin: PluginId,
    pub(super) name: Arc<str>,
    /// Whether the plugin asks for it.
    pub(super) is_asked: bool,
    pub(super) is_granted: bool,
}

fields! {
    CapabilityRow {
        "capability", Text, Public, "capability, by its string in the catalogue", Column::growing("capability", 14, 3)
            => |it, _| Value::text(&*it.name);
        "asked", State(YES_NO), Public, "whether the plugin asks for it", Column::fixed("asked", 5)
            => |it, _| Value::text(if it.is_asked { "yes" } else { "no" });
        "granted", State(YES_NO), Public, "whether the plugin has it", Column::fixed("granted", 7)
            => |it, _| Value::text(if it.is_granted { "yes" } else { "no" });
        "plugin", Text, Public, "plugin" => |it, _| Value::text(it.plugin.as_str());
    }
}

impl PaneRecord for CapabilityRow {
    fn key(&self) -> RecordKey {
        CAPABILITY.of((self.plugin.clone(), Arc::clone(&self.name)))
    }

    fn cell(&self, field: &str, look: &CellContext<'_>) -> Option<Cell> {
        let glyphs = look.view.glyphs;
        let role = if is_credential(&self.name) { Role::Warn } else { Role::Text };
        Some(match field {
            "capability" => Cell::new(self.name.to_string(), role).cut_within(),
            "granted" if self.is_granted => Cell::new(format!("{} yes", glyphs.ok), Role::Ok),
            "granted" => Cell::new(format!("{} no", glyphs.none), Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(PluginDetails(self.plugin.clone())))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_plugin(self.plugin.clone(), None))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(list_command(&self.plugin))
    }
}

/// The capabilities of the plugin that is shown: those it asks for, in its order, then others that it has.
pub(super) fn capabilities(model: &Model, ui: &Ui) -> Vec<CapabilityRow> {
    let Some((plugin, view)) = ui.detail_plugin(model) else { return Vec::new() };
    let row = |name: &Arc<str>, is_asked| CapabilityRow {
        plugin: plugin.clone(),
        name: Arc::clone(name),
        is_asked,
        is_granted: view.granted.contains(name),
    };
    let asked = view.about.asks.iter().map(|name| row(name, true));
    let others = view.granted.iter().filter(|name| !view.about.asks.contains(name));
    asked.chain(others.map(|name| row(name, false))).collect()
}

fn rows<'a>(ui: &Ui, model: &Model) -> Rows<'a> {
    capabilities(model, ui).into_iter().collect()
}

/// The capabilities of the plugin that is shown.
pub(crate) static PANE: Pane = Pane {
    specs: CapabilityRow::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(ui, model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| title(PaneId::Capabilities, cx)),
    empty: Empty::Of(|cx| empty("it asks for nothing", cx)),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let all = capabilities(cx.model, cx.ui);
        let granted = all.iter().filter(|row| row.is_granted).count();
        PaneChip::new("grants", format!("{granted}/{}", all.len()), Role::Text)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.plugin.shown_names_max", ui.limits.plugin.shown_names_max);
        Some(Account::whole("capabilities of the selected plugin", all, bound))
    },
};
