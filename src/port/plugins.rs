//! Rows of plugins. The rows are printed as they are by `ls plugins --json` and `plugin … --json`.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    ids::PluginId,
    plugin::{
        Detail, DisableCause, Level, LogSource, PluginView, Snapshot, UnhealthyCause,
        snapshot::{LogView, State},
    },
    store::plugins::AuditRow,
    time::{Now, Wall},
};

/// `ls plugins`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginRow {
    /// Its identifier.
    pub plugin: PluginId,
    /// Its name.
    pub name: String,
    /// Its version: what its process says, or else its manifest.
    pub version: String,
    /// Who wrote it.
    pub author: String,
    /// How it is: `stopped`, `starting`, `up`, `stopping`, `waiting`, `disabled`.
    pub state: String,
    /// Why it is disabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<DisableCause>,
    /// Why its process was ended last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unhealthy: Option<UnhealthyCause>,
    /// More about why it is as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Since when it is up, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up_since_ms: Option<Wall>,
    /// When it is started again, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarts_at_ms: Option<Wall>,
    /// Restarts within ten minutes; a fourth disables it.
    pub restarts: u32,
    /// The last ping, in microseconds, unless it was missed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ping_us: Option<u64>,
    /// Pings missed in a row.
    pub misses: u32,
    /// The memory of its processes.
    pub memory_bytes: u64,
    /// Their share of one core, in thousandths.
    pub cpu_permille: u32,
    /// The process id of its guard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// The folder that it runs from, if it is not installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What runs in place of its entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The capabilities that it asks for.
    pub asks: Vec<String>,
    /// Those that it has.
    pub granted: Vec<String>,
    /// The kind of credential that it asks for at this moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asking: Option<String>,
    /// The actions that it declares.
    pub actions: Vec<String>,
    /// Actions in flight.
    pub in_flight: u64,
    /// Events that did not fit into its queue since the host started.
    pub events_dropped: u64,
    /// Its requests that were refused since the host started.
    pub refused: u64,
    /// Its departures from the specification since the host started.
    pub lints: u64,
}

impl PluginRow {
    /// A plugin as it is at this moment.
    #[must_use]
    pub fn new(plugin: &PluginId, view: &PluginView, now: Now) -> Self {
        let list = |names: &[Arc<str>]| names.iter().map(ToString::to_string).collect();
        Self {
            plugin: plugin.clone(),
            name: view.about.name.to_string(),
            version: view.version().to_string(),
            author: view.about.author.to_string(),
            state: view.state.name().to_owned(),
            disabled: view.disabled().map(|disabled| disabled.cause),
            unhealthy: view.last.as_ref().map(|last| last.cause),
            reason: view.reason(),
            up_since_ms: view.up().map(|up| up.since.wall),
            restarts_at_ms: view.waiting().map(|waiting| waiting.until),
            restarts: view.restarts_at(now),
            ping_us: view.last_ping_us(),
            misses: view.misses,
            memory_bytes: view.memory_bytes,
            cpu_permille: view.cpu_permille,
            pid: if let State::Up(up) = &view.state { Some(up.pid) } else { None },
            folder: view.about.folder.as_deref().map(str::to_owned),
            command: view.about.command.as_deref().map(str::to_owned),
            asks: list(&view.about.asks),
            granted: list(&view.granted),
            asking: view.asked.as_ref().map(|asked| asked.kind.to_string()),
            actions: list(&view.about.actions),
            in_flight: view.actions.len() as u64,
            events_dropped: view.counts.events_dropped,
            refused: view.counts.refusals(),
            lints: view.counts.lints,
        }
    }
}

/// The plugins by their identifiers.
#[must_use]
pub fn plugin_rows(snapshot: &Snapshot, now: Now) -> Vec<PluginRow> {
    snapshot.plugins.iter().map(|(plugin, view)| PluginRow::new(plugin, view, now)).collect()
}

/// `plugin show`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginDetail {
    /// The plugin.
    #[serde(flatten)]
    pub row: PluginRow,
    /// What it says it does.
    pub description: String,
    /// Whether it says that it makes network connections of its own.
    pub is_networked: bool,
    /// The status slots that it declares.
    pub slots: Vec<String>,
    /// What it provides.
    pub provides: Vec<String>,
    /// The events that it is sent.
    pub hooks: Vec<String>,
    /// More that the host has.
    #[serde(flatten)]
    pub detail: Detail,
}

/// `plugin logs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginLogRow {
    /// Its place among the plugin's lines since the host started, from 1 on.
    pub number: u64,
    /// When it came, in Unix milliseconds.
    pub at_ms: Wall,
    /// Which plugin.
    pub plugin: PluginId,
    /// How grave it is.
    pub level: Level,
    /// Where it came from.
    pub source: LogSource,
    /// What it says.
    pub text: String,
}

impl PluginLogRow {
    /// A line of a plugin's log.
    #[must_use]
    pub fn new(plugin: &PluginId, line: &LogView) -> Self {
        let LogView { number, at, level, source, text } = line;
        Self {
            number: *number,
            at_ms: at.wall,
            plugin: plugin.clone(),
            level: *level,
            source: *source,
            text: text.to_string(),
        }
    }
}

/// `plugin audit`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginAuditRow {
    /// Its number; greater ones are later, over all plugins and starts of the station.
    pub number: u64,
    /// When it happened, in Unix milliseconds.
    pub at_ms: Wall,
    /// Which plugin.
    pub plugin: PluginId,
    /// What happened, by a name of [`crate::tap::entry::plugin::Audited`].
    pub what: String,
    /// To what: a capability, a kind of credential, a version or a field's key.
    pub text: String,
    /// Whose command caused it, if one did and that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl From<AuditRow> for PluginAuditRow {
    fn from(row: AuditRow) -> Self {
        let AuditRow { number, plugin, at, what, text, by } = row;
        Self { number, at_ms: at, plugin, what, text, by }
    }
}
