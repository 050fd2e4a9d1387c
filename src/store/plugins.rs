//! Plugins as the store keeps them: what is installed and granted, the values of their panels, their audit,
//! and the stream that the operator declares.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::op::Class;
use crate::{ids::PluginId, schema::JsonText, tap::entry::plugin::DisableCause, time::Wall};

/// What is kept of plugins and of the stream.
#[derive(Clone, Debug, PartialEq)]
pub enum PluginOp {
    /// A plugin is installed, or another version of it: its place, its grants and values, its being disabled
    /// and its exits stay.
    Put(NewPlugin),
    /// A plugin is disabled, or enabled where there is no reason. Nothing happens where it is not installed.
    SetDisabled {
        /// Which.
        plugin: PluginId,
        /// Why it is disabled.
        disabled: Option<Disabled>,
    },
    /// The exits of a plugin that count (ruling Plugins 4), all of them. Nothing happens where it is not
    /// installed.
    PutExits {
        /// Whose.
        plugin: PluginId,
        /// When they were, the oldest first.
        exits: Vec<Wall>,
    },
    /// What a plugin may use, all of it.
    PutGrants {
        /// Which plugin.
        plugin: PluginId,
        /// What.
        grants: Vec<Grant>,
    },
    /// A plugin and what it was granted go. Its values and its audit stay, unless it is purged.
    Remove {
        /// Which.
        plugin: PluginId,
        /// Whether its values and its audit go too.
        purge: bool,
    },
    /// A value of a plugin's panel; it need not be installed.
    PutValue {
        /// Whose.
        plugin: PluginId,
        /// The field's key.
        key: String,
        /// The value; none where the default holds again.
        value: Option<JsonText>,
    },
    /// A row of a plugin's audit; it need not be installed. The plugin's oldest rows beyond `rows_max` go.
    Audit {
        /// Whose.
        plugin: PluginId,
        /// When.
        at: Wall,
        /// What happened, in a word.
        what: String,
        /// To what it happened.
        text: String,
        /// Whose command caused it.
        by: Option<String>,
        /// How many rows the plugin may have (`limits.plugin.audit_rows_max`).
        rows_max: u64,
    },
    /// A part of the stream that the operator declares.
    PutStream {
        /// Which part.
        part: StreamPart,
        /// What it is; none where it is not declared.
        value: Option<JsonText>,
    },
}

impl PluginOp {
    /// What it must survive: consents and what is installed the loss of power, the rest the process.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Put(_) | Self::PutGrants { .. } | Self::Remove { .. } | Self::Audit { .. } => Class::Power,
            Self::SetDisabled { .. }
            | Self::PutExits { .. }
            | Self::PutValue { .. }
            | Self::PutStream { .. } => Class::Process,
        }
    }

    /// Bytes of its texts.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Put(new) => new.manifest.len() + new.folder.len(),
            Self::SetDisabled { disabled, .. } => disabled.as_ref().map_or(0, |disabled| disabled.text.len()),
            Self::PutExits { exits, .. } => exits.len() * 16,
            Self::PutGrants { grants, .. } => grants.iter().map(|grant| grant.capability.len()).sum(),
            Self::Remove { .. } => 0,
            Self::PutValue { key, value, .. } => {
                key.len() + value.as_ref().map_or(0, |value| value.as_str().len())
            }
            Self::Audit { what, text, .. } => what.len() + text.len(),
            Self::PutStream { value, .. } => value.as_ref().map_or(0, |value| value.as_str().len()),
        }
    }
}

/// A plugin that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPlugin {
    /// Its id.
    pub plugin: PluginId,
    /// The text of its manifest.
    pub manifest: String,
    /// Its version.
    pub version: String,
    /// The folder that it was copied from.
    pub folder: String,
    /// The operator's command line in place of its entry.
    pub command: Option<String>,
    /// When this version was installed.
    pub at: Wall,
}

/// Why a plugin is disabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disabled {
    /// The cause.
    pub cause: DisableCause,
    /// More about it.
    pub text: String,
}

/// A capability that a plugin may use.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// The string of the catalogue.
    pub capability: String,
    /// Of a credential: whether it is handed over without a question (ruling Plugins 10).
    pub is_always: bool,
}

/// A part of the stream that the operator declares (ruling Plugins 9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StreamPart {
    /// The channel that plays.
    Channel,
    /// The followed channels that are live.
    Live,
    /// The relay sessions.
    Sessions,
}

impl StreamPart {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Channel, Self::Live, Self::Sessions];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Live => "live",
            Self::Sessions => "sessions",
        }
    }

    /// The part of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// An installed plugin as its table has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginRow {
    /// What is installed.
    pub installed: NewPlugin,
    /// Why it is disabled, if it is.
    pub disabled: Option<Disabled>,
    /// The exits that count, the oldest first.
    pub exits: Vec<Wall>,
    /// What it may use, by the strings of the catalogue.
    pub grants: Vec<Grant>,
    /// What of the row cannot be read. It stands for nothing that was granted.
    pub damage: Option<String>,
}

/// What a start takes up of plugins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RestoredPlugins {
    /// The installed ones, in the order in which they were installed first.
    pub plugins: Vec<PluginRow>,
    /// The values of the panels of these, by the fields' keys, and of plugins that were removed or served.
    pub values: BTreeMap<PluginId, BTreeMap<String, JsonText>>,
    /// The stream that the operator declared.
    pub stream: BTreeMap<StreamPart, JsonText>,
    /// What was left out because it cannot be read, in a sentence each.
    pub damaged: Vec<String>,
}

/// Which rows of the audit to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Only those of this plugin.
    pub plugin: Option<PluginId>,
    /// Only those beyond this number, in the direction of the order.
    pub beyond: Option<u64>,
    /// Oldest first; else newest first.
    pub oldest_first: bool,
    /// At most so many; cut to 10,000.
    pub limit: u64,
}

/// A row of the audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRow {
    /// Its number; greater ones are later, over all plugins.
    pub number: u64,
    /// Whose it is.
    pub plugin: PluginId,
    /// When it happened.
    pub at: Wall,
    /// What happened, in a word.
    pub what: String,
    /// To what it happened.
    pub text: String,
    /// Whose command caused it; none of rows of before that was kept.
    pub by: Option<String>,
}
