//! What tells the records of plugins apart.

use std::sync::Arc;

use crate::{
    console::records::record_key::{KeyKind, RecordKey},
    ids::PluginId,
};

/// A plugin.
pub(crate) const PLUGIN: KeyKind<PluginId> = KeyKind::new("plugin");
/// A capability of a plugin.
pub(crate) const CAPABILITY: KeyKind<(PluginId, Arc<str>)> = KeyKind::new("capability");
/// A status slot of a plugin.
pub(crate) const SLOT: KeyKind<(PluginId, Arc<str>)> = KeyKind::new("status slot");
/// A line of a plugin's log, by its number.
pub(crate) const LOG_LINE: KeyKind<(PluginId, u64)> = KeyKind::new("plugin log line");
/// A row of a plugin's audit, by its number.
pub(crate) const AUDIT_ROW: KeyKind<(PluginId, u64)> = KeyKind::new("audit row");
/// A question for a credential, by who asks.
pub(crate) const CREDENTIAL: KeyKind<PluginId> = KeyKind::new("credential");

/// The plugin that a record is, or is of.
pub(crate) fn plugin_of(key: &RecordKey) -> Option<&PluginId> {
    let whole = PLUGIN.id(key).or_else(|| CREDENTIAL.id(key));
    let named = || CAPABILITY.id(key).or_else(|| SLOT.id(key)).map(|(plugin, _)| plugin);
    let numbered = || LOG_LINE.id(key).or_else(|| AUDIT_ROW.id(key)).map(|(plugin, _)| plugin);
    whole.or_else(named).or_else(numbered)
}
