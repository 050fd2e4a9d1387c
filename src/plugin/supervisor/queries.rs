//! What is asked of the supervisor beside the tap.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{Source, Supervisor};
use crate::{
    ids::PluginId,
    plugin::{capability::consent_lines, panel::Schema},
};

/// What a process of a plugin runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// From where.
    pub source: Source,
    /// What runs in place of its entry, as a command line.
    pub command: Option<String>,
}

/// A plugin as the operator asks for it.
#[derive(Clone, Debug)]
pub struct About {
    /// The text of its `plugin.toml`.
    pub manifest: Arc<str>,
    /// What it is able to do, a line each.
    pub consent: Vec<String>,
    /// Its panel, while it is up.
    pub panel: Option<Arc<Schema>>,
    /// The values of its panel.
    pub values: serde_json::Map<String, Value>,
    /// The values of its status slots.
    pub status: BTreeMap<String, Value>,
}

impl Supervisor {
    /// What a process of a plugin runs; nothing of one that is not there.
    #[must_use]
    pub fn launch(&self, plugin: &PluginId) -> Option<Launched> {
        let package = self.plugin(plugin)?.current()?;
        Some(Launched { source: package.source.clone(), command: package.command.clone() })
    }

    /// A plugin as the operator asks for it.
    #[must_use]
    pub fn about(&self, plugin: &PluginId) -> Option<About> {
        let it = self.plugin(plugin)?;
        let package = it.current();
        let lines = package.map(|package| {
            let set = it.granted().set();
            consent_lines(set, package.manifest.is_networked)
        });
        let status = it.process().map(|process| &process.status);
        Some(About {
            manifest: package.map_or_else(|| Arc::from(""), |package| package.text.clone()),
            consent: lines.into_iter().flatten().map(|line| line.text.to_owned()).collect(),
            panel: it.process().and_then(|process| process.panel.clone()),
            values: self.panel_values(plugin),
            status: status
                .into_iter()
                .flatten()
                .map(|(slot, value)| (slot.to_string(), serde_json::from_str(value).unwrap_or_default()))
                .collect(),
        })
    }
}
