//! What an operator asks of the plugin host through the port.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Code;
use crate::ids::PluginId;

/// A command.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Install or update a plugin from a folder on this machine.
    Install {
        /// The folder, absolute.
        folder: String,
        /// The capabilities to grant, all that it asks for where nothing is named; those granted before stay.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<Vec<String>>,
        /// What runs in place of the entry, as a command line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
    },
    /// Serve a plugin from its folder until the station ends or [`Command::Unserve`].
    Serve {
        /// The folder, absolute.
        folder: String,
        /// The capabilities to grant; all that it asks for where nothing is named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        grant: Option<Vec<String>>,
        /// What runs in place of the entry, as a command line.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
    },
    /// Serve a folder no longer.
    Unserve {
        /// Which plugin.
        plugin: PluginId,
    },
    /// Remove a plugin.
    Remove {
        /// Which.
        plugin: PluginId,
        /// Whether its data, values and log go too.
        purge: bool,
    },
    /// Start a disabled plugin; the count of its restarts is cleared.
    Enable {
        /// Which.
        plugin: PluginId,
    },
    /// End a plugin, and start it no more until it is enabled.
    Disable {
        /// Which.
        plugin: PluginId,
    },
    /// End a plugin and start it again; the count of its restarts is cleared.
    Restart {
        /// Which.
        plugin: PluginId,
    },
    /// Grant capabilities; a running plugin is restarted.
    Grant {
        /// To which.
        plugin: PluginId,
        /// What, by the strings of the catalogue.
        capabilities: Vec<String>,
    },
    /// Take capabilities back. Of a credential at once; of others a running plugin is restarted.
    Revoke {
        /// Of which.
        plugin: PluginId,
        /// What, by the strings of the catalogue.
        capabilities: Vec<String>,
    },
    /// Allow the credential that a plugin asks for.
    Allow {
        /// Which.
        plugin: PluginId,
        /// Until it is revoked, rather than for this run of the station.
        always: bool,
    },
    /// Deny the credential that a plugin asks for, for this run of the station.
    Deny {
        /// Which.
        plugin: PluginId,
    },
    /// Set a value of a panel.
    Set {
        /// Whose.
        plugin: PluginId,
        /// The field.
        key: String,
        /// The value; none for the default.
        value: Option<Value>,
    },
    /// Invoke an action.
    Invoke {
        /// Which.
        action: String,
        /// Its arguments, an object.
        args: Value,
        /// At which plugin; else at the one that is up, declared it and was installed first.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plugin: Option<PluginId>,
        /// How long to wait for the answer.
        timeout_ms: u64,
    },
    /// Deliver one event to a plugin.
    Event {
        /// To which.
        plugin: PluginId,
        /// Which event.
        name: String,
        /// Its params, an object.
        params: Value,
    },
    /// Declare what plays.
    Stream(StreamCommand),
}

impl Command {
    /// It without the command line in it, which may hold a secret; nothing where it has none.
    #[must_use]
    pub fn without_command_line(&self) -> Option<Self> {
        let mut masked = match self {
            Self::Install { command: Some(_), .. } | Self::Serve { command: Some(_), .. } => self.clone(),
            _ => return None,
        };
        if let Self::Install { command, .. } | Self::Serve { command, .. } = &mut masked {
            *command = Some("***".to_owned());
        }
        Some(masked)
    }
}

/// What the operator declares of the stream (ruling Plugins 9).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamCommand {
    /// This channel plays.
    Set {
        /// Which.
        channel: Channel,
    },
    /// Nothing plays.
    Stop,
    /// These followed channels are live.
    Live {
        /// Which.
        channels: Vec<Channel>,
    },
    /// A relay session is there.
    AddSession {
        /// Its id.
        id: String,
    },
    /// A relay session is no longer there.
    RemoveSession {
        /// Its id.
        id: String,
    },
    /// Chat messages were written in the channel that plays.
    Chat {
        /// Which.
        messages: Vec<ChatMessage>,
    },
}

/// A channel, as the events have it (streamnook-plugin-v1, Hooks). An empty `channel_id` is the login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// Its id.
    #[serde(default)]
    pub channel_id: String,
    /// Its login.
    pub login: String,
    /// Its name; the login where it is empty.
    #[serde(default)]
    pub display_name: String,
    /// The id of what is played there.
    #[serde(default)]
    pub game_id: Option<String>,
    /// Its name.
    #[serde(default)]
    pub game_name: Option<String>,
    /// Since when it is live, in RFC 3339 UTC.
    #[serde(default)]
    pub started_at: Option<String>,
    /// How many watch.
    #[serde(default)]
    pub viewer_count: Option<u64>,
}

/// A badge of a chat message's sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Badge {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// A chat message, as `on_chat_message` has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Its id.
    #[serde(default)]
    pub id: String,
    /// The sender's id.
    #[serde(default)]
    pub user_id: String,
    /// The sender's login.
    #[serde(default)]
    pub login: String,
    /// The sender's name.
    #[serde(default)]
    pub display_name: String,
    /// The sender's colour.
    #[serde(default)]
    pub color: Option<String>,
    /// The sender's badges.
    #[serde(default)]
    pub badges: Vec<Badge>,
    /// What it says.
    pub text: String,
    /// Whether it tells of an action of the sender (`/me`).
    #[serde(default)]
    pub is_action: bool,
    /// What kind of message it is.
    #[serde(default)]
    pub msg_type: Option<String>,
    /// What the chat itself says.
    #[serde(default)]
    pub system_message: Option<String>,
    /// Bits that came with it.
    #[serde(default)]
    pub bits: Option<u64>,
    /// When it was written, in RFC 3339 UTC; now where it is empty.
    #[serde(default)]
    pub ts: String,
}

/// What a command did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is done.
    Done,
    /// A plugin was installed, updated, or is served.
    Installed {
        /// Which.
        plugin: PluginId,
        /// Its version.
        version: String,
        /// The version that it replaced.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaced: Option<String>,
    },
    /// An action was done.
    Invoked {
        /// By whom.
        plugin: PluginId,
        /// Its result.
        result: Value,
    },
    /// An event or message was handed to so many plugins.
    Delivered {
        /// How many.
        receivers: u64,
    },
}

/// Why a command did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// No plugin has this id.
    #[error("no plugin {0}")]
    UnknownPlugin(PluginId),
    /// The folder is no plugin that can run here.
    #[error("{folder} is no plugin that runs here: {}", some_faults(faults))]
    NotAPlugin {
        /// Which folder.
        folder: String,
        /// Why, a fault a line.
        faults: Vec<String>,
    },
    /// There are too many plugins.
    #[error("{most} plugins are installed, the most that limits.plugin.plugins_max permits")]
    TooMany {
        /// How many there may be.
        most: u64,
    },
    /// A string is none of the catalogue, or the plugin does not ask for it.
    #[error("{plugin} does not ask for {capability}")]
    UnknownCapability {
        /// Which plugin.
        plugin: PluginId,
        /// What was named.
        capability: String,
    },
    /// It asks for no credential.
    #[error("{0} is not asking for a credential")]
    NothingAsked(PluginId),
    /// Its panel has no such field.
    #[error("{plugin} has no setting {key}")]
    UnknownKey {
        /// Which plugin.
        plugin: PluginId,
        /// What was named.
        key: String,
    },
    /// The value is not one of the field.
    #[error("{key}: {fault}")]
    Value {
        /// The field.
        key: String,
        /// What it needs.
        fault: String,
    },
    /// No plugin that is up declares the action.
    #[error("no running plugin declares {0}")]
    UnknownAction(String),
    /// The plugin is not up.
    #[error("{0} is not running")]
    NotUp(PluginId),
    /// Its manifest is not valid.
    #[error("{plugin} cannot run here: {why}")]
    CannotRun {
        /// Which plugin.
        plugin: PluginId,
        /// What is wrong with it.
        why: String,
    },
    /// It has no settings.
    #[error("{0} has registered no panel")]
    NoPanel(PluginId),
    /// The action did not succeed.
    #[error("{plugin} answered {action} with {code}: {message}")]
    Failed {
        /// Which plugin.
        plugin: PluginId,
        /// Which action.
        action: String,
        /// The error's code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// The action was not answered in time.
    #[error("{plugin} did not answer {action} within {timeout_ms} ms")]
    TimedOut {
        /// Which plugin.
        plugin: PluginId,
        /// Which action.
        action: String,
        /// How long it had.
        timeout_ms: u64,
    },
    /// The host refuses it.
    #[error("{}: {message}", code.name())]
    Refused {
        /// Why.
        code: Code,
        /// In a sentence.
        message: String,
    },
    /// It is not of use as it is given.
    #[error("{0}")]
    Invalid(String),
    /// It cannot be recorded now.
    #[error("not recorded: {0}")]
    NotNow(String),
}

/// Faults that are told in one line.
const FAULTS_TOLD: usize = 2;

/// The first faults, and how many more there are.
fn some_faults(faults: &[String]) -> String {
    let told = faults.iter().take(FAULTS_TOLD).map(String::as_str).collect::<Vec<_>>().join("; ");
    match faults.len().saturating_sub(FAULTS_TOLD) {
        0 => told,
        more => format!("{told}; and {more} more"),
    }
}

impl Refusal {
    /// The machine-readable code of the CLI's errors.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::UnknownPlugin(_) => "unknown_plugin",
            Self::NotAPlugin { .. } => "not_a_plugin",
            Self::TooMany { .. } => "too_many_plugins",
            Self::UnknownCapability { .. } => "unknown_capability",
            Self::NothingAsked(_) => "nothing_asked",
            Self::UnknownKey { .. } => "unknown_key",
            Self::Value { .. } => "invalid_value",
            Self::UnknownAction(_) => "unknown_action",
            Self::NotUp(_) => "plugin_not_up",
            Self::CannotRun { .. } => "plugin_cannot_run",
            Self::NoPanel(_) => "no_panel",
            Self::Failed { .. } => "action_failed",
            Self::TimedOut { .. } => "action_timed_out",
            Self::Refused { code, .. } => code.name(),
            Self::Invalid(_) => "invalid",
            Self::NotNow(_) => "plugin_not_recorded",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownPlugin(_) => "`rl-console ls plugins` lists them".to_owned(),
            Self::NotUp(plugin) => format!(
                "`rl-console ls plugins` says why; `rl-console plugin enable {plugin}` starts one that is disabled"
            ),
            Self::CannotRun { plugin, .. } => {
                format!(
                    "install it again from a folder that `rl-console plugin check DIR` passes, or remove it: `rl-console plugin remove {plugin}`"
                )
            }
            Self::NoPanel(plugin) => {
                format!("`rl-console plugin show {plugin}` says whether it was granted `panel`")
            }
            Self::NotAPlugin { folder, .. } => {
                format!("`rl-console plugin check {folder}` says what to change")
            }
            Self::TooMany { .. } => "remove one, or raise limits.plugin.plugins_max".to_owned(),
            Self::UnknownCapability { plugin, .. } | Self::UnknownKey { plugin, .. } => {
                format!("`rl-console plugin show {plugin}` lists what it has")
            }
            Self::NothingAsked(plugin) => {
                format!(
                    "it asks by its first call, if plugins.twitch_android is configured; \
                     `rl-console plugin grant {plugin} twitch.android` lets one ask again that was denied"
                )
            }
            Self::Value { .. } | Self::Invalid(_) | Self::Refused { code: Code::InvalidParams, .. } => {
                "correct it and try again".to_owned()
            }
            Self::UnknownAction(_) => "`rl-console plugin show` lists actions".to_owned(),
            Self::Failed { plugin, .. } | Self::TimedOut { plugin, .. } => {
                format!("`rl-console plugin logs {plugin}` may say more")
            }
            Self::Refused { .. } => "try again later".to_owned(),
            Self::NotNow(_) => "try again; `rl-console doctor` checks the database".to_owned(),
        }
    }
}
