//! What outlives a station, as the store keeps it.

use std::{collections::BTreeMap, sync::Arc};

use rl_console::{
    ids::PluginId,
    limits,
    plugin::{
        DisableCause,
        manifest::Manifest,
        supervisor::{Record, RestoredPlugin},
    },
    store::plugins::StreamPart,
    time::Wall,
};
use serde_json::Value;

#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub(super) text: Arc<str>,
    command: Option<String>,
    grants: Vec<String>,
    always: Vec<String>,
    pub(super) disabled: Option<(DisableCause, String)>,
    pub(super) exits: Vec<Wall>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    /// In the order in which they were installed.
    pub(super) rows: Vec<(PluginId, Row)>,
    values: BTreeMap<PluginId, BTreeMap<String, Value>>,
    stream: BTreeMap<StreamPart, Value>,
}

/// A manifest that is known to be well.
pub(super) fn manifest(text: &str) -> Arc<Manifest> {
    let checked = Manifest::parse(text, &semver::Version::new(7, 8, 6), &limits::Plugin::default());
    assert_eq!(checked.faults, [], "{text}");
    Arc::new(checked.manifest.unwrap())
}

impl Store {
    fn row(&mut self, plugin: &PluginId) -> Option<&mut Row> {
        self.rows.iter_mut().find(|(id, _)| id == plugin).map(|(_, row)| row)
    }

    pub(super) fn keep(&mut self, record: Record) {
        match record {
            Record::Installed { plugin, text, command, .. } => {
                if self.row(&plugin).is_none() {
                    self.rows.push((plugin.clone(), Row::default()));
                }
                let row = self.row(&plugin).unwrap();
                (row.text, row.command) = (text, command);
            }
            Record::Removed { plugin, purge } => {
                self.rows.retain(|(id, _)| *id != plugin);
                if purge {
                    self.values.remove(&plugin);
                }
            }
            Record::Grants { plugin, capabilities, always } => {
                let row = self.row(&plugin).expect("grants of what is installed");
                (row.grants, row.always) = (capabilities, always);
            }
            Record::Disabled { plugin, cause } => {
                self.row(&plugin).expect("of what is installed").disabled = cause;
            }
            Record::Exits { plugin, exits } => {
                assert!(exits.len() <= 4, "they are bounded");
                self.row(&plugin).expect("of what is installed").exits = exits;
            }
            Record::Value { plugin, key, value: Some(value) } => {
                self.values.entry(plugin).or_default().insert(key, value);
            }
            Record::Value { plugin, key, value: None } => {
                self.values.entry(plugin).or_default().remove(&key);
            }
            Record::Audit { .. } => {}
            Record::Stream { part, value } => _ = self.stream.insert(part, value),
        }
    }

    pub(super) fn kept(&self, plugin: &PluginId, row: &Row) -> RestoredPlugin {
        RestoredPlugin {
            manifest: Ok(manifest(&row.text)),
            plugin: plugin.clone(),
            text: row.text.clone(),
            folder: "/src/installed".into(),
            command: row.command.clone(),
            grants: row.grants.clone(),
            always: row.always.clone(),
            disabled: row.disabled.clone(),
            exits: row.exits.clone(),
            values: self.values.get(plugin).cloned().unwrap_or_default().into_iter().collect(),
        }
    }

    pub(super) fn stream(&self) -> Vec<(StreamPart, Value)> {
        let set = self.stream.iter().filter(|(_, value)| !value.is_null());
        set.map(|(part, value)| (*part, value.clone())).collect()
    }
}
