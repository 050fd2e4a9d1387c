//! What is known of one plugin and of the stream beyond what every reader of the tap has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Channel;

/// One plugin, as `plugin show` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// The text of its `plugin.toml`.
    pub manifest: String,
    /// The folder that it was installed from, or is served from.
    pub source: String,
    /// What it is able to do, a line each, as it was said at its installation.
    pub consent: Vec<String>,
    /// Its panel as it registered it, while it is up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<Value>,
    /// The values of its panel, an object.
    pub values: Value,
    /// The values of its status slots.
    pub status: BTreeMap<String, Value>,
}

/// The stream that the operator declares, as `stream show` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamDetail {
    /// What plays.
    pub channel: Option<Channel>,
    /// The followed channels that are live; nothing where that was never declared.
    pub live: Option<Vec<Channel>>,
    /// The relay sessions, each with its upstream.
    pub sessions: BTreeMap<String, Option<String>>,
}
