//! What the host starts from.

use std::collections::BTreeMap;

use tokio::sync::oneshot;

use super::files::Files;
use crate::{
    ids::PluginId,
    plugin::supervisor::{Launched, PanelValues, RestoredPlugin, Source},
    schema::JsonText,
    store::{
        self,
        op::CommitError,
        plugins::{PluginRow, RestoredPlugins, StreamPart},
    },
};

/// What earlier starts left.
pub(super) struct Restored {
    pub(super) kept: Vec<RestoredPlugin>,
    /// The panel values of plugins that are not installed.
    pub(super) values: Vec<(PluginId, PanelValues)>,
    pub(super) stream: Vec<(StreamPart, serde_json::Value)>,
    /// What was left out, a sentence each.
    pub(super) damaged: Vec<String>,
}

/// Reads what the store has.
///
/// # Errors
/// [`CommitError`] when the store cannot say.
pub(super) async fn restore(
    store: &(dyn Fn() -> Option<store::Handle> + Send),
    files: &Files,
) -> Result<Restored, CommitError> {
    let closed = || CommitError::Failed("the store is closed".to_owned());
    let (tell, told) = oneshot::channel();
    store().ok_or_else(closed)?.restored_plugins(Box::new(move |found| drop(tell.send(found))))?;
    let RestoredPlugins { plugins, mut values, stream, mut damaged } =
        told.await.unwrap_or_else(|_| Err(closed()))?;
    let mut kept = Vec::new();
    for row in plugins {
        let plugin = row.installed.plugin.clone();
        damaged.extend(row.damage.iter().map(|damage| format!("plugin {plugin}: {damage}")));
        let values = values.remove(&plugin).unwrap_or_default();
        kept.push(RestoredPlugin {
            values: read(values).into_iter().collect(),
            ..of_row(files, &plugin, row)
        });
    }
    let values = values.into_iter().map(|(plugin, values)| (plugin, read(values))).collect();
    let stream = stream
        .into_iter()
        .filter_map(|(part, value)| Some((part, serde_json::from_str(value.as_str()).ok()?)))
        .collect();
    Ok(Restored { kept, values, stream, damaged })
}

fn read(values: BTreeMap<String, JsonText>) -> PanelValues {
    values
        .into_iter()
        .filter_map(|(key, value)| Some((key, serde_json::from_str(value.as_str()).ok()?)))
        .collect()
}

fn of_row(files: &Files, plugin: &PluginId, row: PluginRow) -> RestoredPlugin {
    let PluginRow { installed, disabled, exits, grants, .. } = row;
    let run = Launched { source: Source::Package, command: installed.command.clone() };
    let always = grants.iter().filter(|grant| grant.is_always).map(|grant| grant.capability.clone());
    RestoredPlugin {
        manifest: files.manifest(plugin, &run).map(|(manifest, _)| manifest),
        plugin: plugin.clone(),
        text: installed.manifest.into(),
        folder: installed.folder.into(),
        command: installed.command,
        always: always.collect(),
        grants: grants.into_iter().map(|grant| grant.capability).collect(),
        disabled: disabled.map(|disabled| (disabled.cause, disabled.text)),
        exits,
        values: Vec::new(),
    }
}
