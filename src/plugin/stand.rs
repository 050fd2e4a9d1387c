//! Where a frame would stand that is judged before it is sent.

use serde::{Deserialize, Serialize};

use crate::ids::PluginId;

/// Where a frame would stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stand {
    /// From a plugin, on its stdout.
    From(PluginId),
    /// From the host, on a plugin's stdin.
    To(PluginId),
}

impl Stand {
    /// Whose pipe it is.
    #[must_use]
    pub const fn plugin(&self) -> &PluginId {
        match self {
            Self::From(plugin) | Self::To(plugin) => plugin,
        }
    }
}

/// Why a frame is not judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJudged {
    /// There is no such plugin.
    #[error("no plugin {0}: `rl-console ls plugins` lists them")]
    UnknownPlugin(PluginId),
    /// It has no process, or one that is being killed.
    #[error("{0} does not run: start it with `rl-console plugin restart {0}`")]
    NotRunning(PluginId),
}
