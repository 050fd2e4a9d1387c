//! Status: the slots of the plugin that is shown, with what it says there.

use std::sync::Arc;

use super::{
    detail_plugin::{empty, title},
    details::PluginDetails,
    entries,
    keys::SLOT,
    list::list_command,
};
use crate::{
    console::{
        draw::{Cell, class::Class, format, theme::Role},
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
    plugin::snapshot::SlotView,
};

/// A status slot of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlotRow {
    plugin: PluginId,
    slot: Arc<str>,
    /// What it shows; nothing yet.
    status: Option<SlotView>,
}

fields! {
    SlotRow {
        "slot", Text, Public, "slot", Column::growing("slot", 8, 1) => |it, _| Value::text(&*it.slot);
        "at", Time, Public, "time it was set", Column::fixed("at", 8).from(40)
            => |it, _| it.status.as_ref().map_or(Value::None, |status| Value::Time(status.at.wall));
        "value", Text, Payload, "value, as JSON", Column::growing("value", 12, 4)
            => |it, _| Value::maybe(it.status.as_ref().map(|status| &*status.value));
        "plugin", Text, Public, "plugin" => |it, _| Value::text(it.plugin.as_str());
    }
}

impl PaneRecord for SlotRow {
    fn key(&self) -> RecordKey {
        SLOT.of((self.plugin.clone(), Arc::clone(&self.slot)))
    }

    fn cell(&self, field: &str, _: &CellContext<'_>) -> Option<Cell> {
        Some(match (field, &self.status) {
            ("value", Some(status)) => Cell::of_class(status.value.to_string(), Role::Text, Class::Payload),
            ("value", None) => Cell::new("not set", Role::Muted),
            _ => return None,
        })
    }

    fn details(&self) -> Option<Box<dyn DetailsRecord>> {
        Some(Box::new(PluginDetails(self.plugin.clone())))
    }

    fn entry(&self) -> Result<EntryQuery, String> {
        Ok(entries::of_plugin(self.plugin.clone(), self.status.as_ref().map(|status| status.at.wall)))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }

    fn command(&self) -> Option<String> {
        Some(list_command(&self.plugin))
    }
}

/// The slots that are declared, and others that were set.
fn slots(model: &Model, ui: &Ui) -> Vec<SlotRow> {
    let Some((plugin, view)) = ui.detail_plugin(model) else { return Vec::new() };
    let row = |slot: &Arc<str>| SlotRow {
        plugin: plugin.clone(),
        slot: Arc::clone(slot),
        status: view.slots.get(slot).cloned(),
    };
    let others = view.slots.keys().filter(|slot| !view.about.slots.contains(slot));
    view.about.slots.iter().chain(others).map(row).collect()
}

fn rows<'a>(ui: &Ui, model: &Model) -> Rows<'a> {
    slots(model, ui).into_iter().collect()
}

/// The status of the plugin that is shown.
pub(crate) static PANE: Pane = Pane {
    specs: SlotRow::SPECS,
    columns: Columns::Declared,
    source: Source::Model,
    rows: |ui, model| rows(ui, model),
    pages: Pages::None,
    filter: None,
    title: Title::Of(|cx| title(PaneId::PluginStatus, cx)),
    empty: Empty::Of(|cx| empty("it declares no status", cx)),
    drawing: Drawing::Table,
    chip: Some(|cx, _| {
        let count = slots(cx.model, cx.ui).len() as u64;
        PaneChip::new("status", format::count(count), Role::Text)
    }),
    ledger: |ui, _, all| {
        let bound = LedgerBound::Limit("limits.plugin.shown_names_max", ui.limits.plugin.shown_names_max);
        Some(Account::whole("status slots of the selected plugin", all, bound))
    },
};
