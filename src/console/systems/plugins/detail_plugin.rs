//! The plugin that the panes beside the list tell of: the one that was selected there last, or the first
//! there is.

use super::keys::plugin_of;
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        ui::{layout::Layout, pane::PaneContext, state::Ui},
    },
    ids::PluginId,
    plugin::PluginView,
};

/// The lists of plugins.
pub(super) const MASTERS: &[PaneId] = &[PaneId::Plugins];

/// The panes that tell of one plugin.
pub(super) const DETAILS: [PaneId; 4] =
    [PaneId::Capabilities, PaneId::PluginStatus, PaneId::PluginLog, PaneId::PluginAudit];

impl Ui {
    /// The plugin that the panes beside the list tell of.
    pub(crate) fn detail_plugin<'a>(&self, model: &'a Model) -> Option<(&'a PluginId, &'a PluginView)> {
        let plugins = &model.plugins()?.plugins;
        let chosen = self.systems.plugins.plugin.as_ref().and_then(|plugin| plugins.get_key_value(plugin));
        chosen.or_else(|| plugins.get_key_value(plugin_of(&self.selected(PaneId::Plugins, model)?)?))
    }
}

/// Turns to the plugin that is selected.
pub(crate) fn follow(ui: &mut Ui, model: &Model, layout: &Layout) {
    let led = ui.master_selection(MASTERS, ui.systems.plugins.plugin.is_some(), model, layout);
    let plugin = led.as_ref().and_then(plugin_of);
    if plugin.is_some() && plugin != ui.systems.plugins.plugin.as_ref() {
        ui.systems.plugins.plugin = plugin.cloned();
        ui.reset_panes(DETAILS);
    }
}

/// The title of a pane of the plugin that is shown.
pub(super) fn title(pane: PaneId, cx: &PaneContext<'_>) -> String {
    let name = pane.name();
    cx.ui.detail_plugin(cx.model).map_or_else(|| name.to_owned(), |(plugin, _)| format!("{name} {plugin}"))
}

/// Why a pane of the plugin that is shown is empty.
pub(super) fn empty(nothing: &str, cx: &PaneContext<'_>) -> String {
    if cx.ui.detail_plugin(cx.model).is_some() { nothing } else { "no plugin is selected" }.to_owned()
}
