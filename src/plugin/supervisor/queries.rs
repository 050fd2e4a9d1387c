//! What is asked of the supervisor beside the tap.

use super::{Source, Supervisor};
use crate::{
    ids::PluginId,
    plugin::{Detail, capability::consent_lines},
};

/// What a process of a plugin runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// From where.
    pub source: Source,
    /// What runs in place of its entry, as a command line.
    pub command: Option<String>,
}

impl Supervisor {
    /// What a process of a plugin runs, or would if its manifest were valid; nothing of one that is not
    /// there.
    #[must_use]
    pub fn launch(&self, plugin: &PluginId) -> Option<Launched> {
        let plugin = self.plugin(plugin)?;
        if let Some(package) = plugin.current() {
            return Some(Launched { source: package.source.clone(), command: package.command.clone() });
        }
        let invalid = plugin.invalid.as_ref()?;
        Some(Launched { source: Source::Package, command: invalid.command.clone() })
    }

    /// A plugin as the operator asks for it.
    #[must_use]
    pub fn detail(&self, plugin: &PluginId) -> Option<Detail> {
        let it = self.plugin(plugin)?;
        let package = it.current();
        let text = package.map(|package| &package.text).or(it.invalid.as_ref().map(|invalid| &invalid.text));
        let lines = package
            .map(|package| consent_lines(it.granted().set(), package.manifest.is_networked))
            .unwrap_or_default();
        let (panel, status) =
            it.process().map(|process| (process.panel.clone(), process.status.clone())).unwrap_or_default();
        let source = match package.map(|package| &package.source) {
            Some(Source::Folder(folder)) => folder,
            Some(Source::Package) | None => &it.folder,
        };
        Some(Detail {
            manifest: text.map(ToString::to_string).unwrap_or_default(),
            source: source.to_string(),
            consent: lines.into_iter().map(|line| line.text.to_owned()).collect(),
            panel: panel.and_then(|panel| serde_json::to_value(&*panel).ok()),
            values: self.panel_values(plugin).into(),
            status: status
                .into_iter()
                .map(|(slot, value)| (slot.to_string(), serde_json::from_str(&value).unwrap_or_default()))
                .collect(),
        })
    }
}
