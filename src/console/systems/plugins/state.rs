//! What the plugins keep on the screen.

use crate::ids::PluginId;

/// What the plugins keep on the screen.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// The plugin that the panes beside the list tell of.
    pub(crate) plugin: Option<PluginId>,
    /// The arguments that actions of plugins were given, the latest last.
    pub(crate) args: Vec<(PluginId, String, String)>,
}
