//! What outlives a plugin: the values of its panel, and what was granted to one that cannot run.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{
    Record, Source, Supervisor,
    plugin::{Consents, Package, Plugin},
};
use crate::{
    ids::PluginId,
    plugin::{About, DisableCause, Transition, capability::CapabilitySet, manifest::Manifest},
};

/// Values of a panel, by the keys of its fields.
pub type PanelValues = BTreeMap<String, Value>;

/// Plugins that are not there and whose values are known; of further ones they are in the store alone.
const VALUES_ASIDE_MAX: usize = 1_024;

/// What is installed and cannot run here, until its manifest is valid again.
#[derive(Clone, Debug)]
pub(super) struct Invalid {
    pub(super) text: Arc<str>,
    pub(super) command: Option<String>,
    pub(super) granted: CapabilitySet,
    pub(super) consents: Consents,
}

impl Supervisor {
    /// Takes the panel values of plugins that are not there: they have them when they are.
    pub fn keep_values(&mut self, values: Vec<(PluginId, PanelValues)>) {
        for (plugin, values) in values {
            match self.plugins.get_mut(&plugin) {
                Some(plugin) => plugin.values = values,
                None => self.set_values_aside(plugin, values),
            }
        }
    }

    fn set_values_aside(&mut self, plugin: PluginId, values: PanelValues) {
        if values.is_empty() {
            return;
        }
        if self.values_aside.len() >= VALUES_ASIDE_MAX {
            self.values_aside.pop_first();
        }
        self.values_aside.insert(plugin, values);
    }

    /// A plugin, which is made where it is not there.
    pub(super) fn plugin_or_new(&mut self, id: &PluginId) -> &mut Plugin {
        let order = self.take_order();
        let aside = &mut self.values_aside;
        self.plugins.entry(id.clone()).or_insert_with(|| {
            let mut plugin = Plugin::new(id.clone(), order);
            plugin.values = aside.remove(id).unwrap_or_default();
            plugin
        })
    }

    /// Forgets a plugin; its values are there for when it is again.
    pub(super) fn forget(&mut self, id: &PluginId) {
        if let Some(plugin) = self.plugins.remove(id) {
            self.set_values_aside(plugin.id, plugin.values);
        }
    }

    /// Forgets a plugin with its values.
    pub(super) fn purge(&mut self, id: &PluginId) {
        self.plugins.remove(id);
        self.values_aside.remove(id);
    }

    /// Says that a plugin is there that cannot run, and what it was granted.
    pub(super) fn announce_invalid(&mut self, id: &PluginId, granted: CapabilitySet) {
        let about = About { name: Arc::from(id.as_str()), ..About::default() };
        self.emit(Transition::Installed { plugin: id.clone(), about: Arc::new(about) });
        let capabilities = granted.iter().map(|it| Arc::from(it.name())).collect();
        self.emit(Transition::Granted { plugin: id.clone(), capabilities });
    }

    /// Takes a manifest that was read again, or why it cannot be used, before the plugin is enabled or
    /// restarted by hand. What it asks for anew is not granted, unless its folder is served with all that it
    /// asks for.
    pub fn reread(&mut self, id: &PluginId, found: Result<(Arc<Manifest>, Arc<str>), String>) {
        let Some(plugin) = self.plugins.get_mut(id).filter(|plugin| plugin.pending.is_none()) else { return };
        let found = found.and_then(|(manifest, text)| match &manifest.id {
            other if other != id => Err(format!("plugin.toml is now that of {other}")),
            _ => Ok((manifest, text)),
        });
        let (manifest, text) = match found {
            Ok(found) => found,
            Err(why) => {
                if let Some((DisableCause::Manifest, known)) = &mut plugin.disabled {
                    *known = why;
                }
                return;
            }
        };
        if plugin.current().is_some_and(|package| package.text == text) {
            return;
        }
        let limits = self.settings.limits;
        let package = match (plugin.current(), &plugin.invalid) {
            (Some(Package { source, command, granted, manifest: before, consents, .. }), _) => {
                let is_whole = matches!(source, Source::Folder(_)) && *granted == before.asks;
                let granted = if is_whole { manifest.asks } else { granted.intersection(manifest.asks) };
                let consents = consents.clone();
                let new = Package::new(manifest, text, source.clone(), command.clone(), granted, &limits);
                Package { consents, ..new }
            }
            (None, Some(Invalid { command, granted, consents, .. })) => {
                let (granted, consents) = (granted.intersection(manifest.asks), consents.clone());
                let new = Package::new(manifest, text, Source::Package, command.clone(), granted, &limits);
                Package { consents, ..new }
            }
            (None, None) => return,
        };
        if plugin.served.is_some() {
            plugin.served = Some(package);
        } else {
            let (text, command) = (package.text.clone(), package.command.clone());
            let (version, folder) = (package.manifest.version.to_string(), plugin.folder.clone());
            plugin.package = Some(package);
            plugin.invalid = None;
            self.persist(Record::Installed { plugin: id.clone(), text, version, folder, command });
            self.keep_grants(id);
        }
        self.announce_current(id);
    }
}
