//! How the state of the plugins changes.

use std::sync::Arc;

use super::{Code, Decision, DisableCause, ExitStatus, Level, Lint, LogSource, UnhealthyCause};
use crate::{ids::PluginId, time::Wall};

/// A change of the state of the plugins. Lists of texts are cut at `limits.plugin.shown_names_max`, texts at
/// `limits.plugin.shown_text_bytes_max`.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// A plugin was installed or updated, or is served from its folder.
    Installed {
        /// Which.
        plugin: PluginId,
        /// What it is.
        about: Arc<About>,
    },
    /// A plugin was removed.
    Removed {
        /// Which.
        plugin: PluginId,
    },
    /// What a plugin may use changed: all of it.
    Granted {
        /// Which.
        plugin: PluginId,
        /// The capabilities, by the strings of the catalogue.
        capabilities: Arc<[Arc<str>]>,
    },
    /// A capability was taken back.
    Revoked {
        /// Whose.
        plugin: PluginId,
        /// Which.
        capability: Arc<str>,
    },
    /// A disabled plugin is enabled.
    Enabled {
        /// Which.
        plugin: PluginId,
    },
    /// A process is started.
    Starting {
        /// Whose.
        plugin: PluginId,
        /// The process, counted from 1 for each plugin and start of the station.
        process: u64,
        /// Exits within ten minutes that count, none where it is started by hand; nothing in what version
        /// 0.6.0 recorded.
        restarts: Option<u32>,
    },
    /// The handshake is complete.
    Up {
        /// Whose.
        plugin: PluginId,
        /// The process id of its guard.
        pid: u32,
        /// The version that it says.
        version: Arc<str>,
        /// The events that it is sent.
        hooks: Arc<[Arc<str>]>,
        /// From the spawn to here.
        start_us: u64,
    },
    /// A ping was answered.
    Pinged {
        /// By whom.
        plugin: PluginId,
        /// From the ping to its answer.
        us: u64,
    },
    /// A ping was not answered in time.
    Missed {
        /// By whom.
        plugin: PluginId,
        /// How many in a row.
        misses: u32,
    },
    /// A process is ended for a cause of its own. The text says more.
    Unhealthy {
        /// Whose.
        plugin: PluginId,
        /// Why.
        cause: UnhealthyCause,
    },
    /// The next process is started later.
    Waiting {
        /// Whose.
        plugin: PluginId,
        /// When.
        until: Wall,
        /// Which restart within ten minutes it will be, from 1.
        nth: u32,
    },
    /// No process is started until the operator says so. The text says more.
    Disabled {
        /// Which.
        plugin: PluginId,
        /// Why.
        cause: DisableCause,
    },
    /// A process is asked to end.
    Stopping {
        /// Whose.
        plugin: PluginId,
    },
    /// A process and all that it started are gone.
    Stopped {
        /// Whose.
        plugin: PluginId,
        /// How it ended.
        status: ExitStatus,
    },
    /// The plugin departed from the specification. The text is what was seen.
    Linted {
        /// Which.
        plugin: PluginId,
        /// How.
        lint: Lint,
    },
    /// It has a word for the operator: the text.
    Notified {
        /// Who.
        plugin: PluginId,
        /// How grave it is.
        level: Level,
    },
    /// It logged a line: the text.
    Logged {
        /// Who.
        plugin: PluginId,
        /// How grave it is.
        level: Level,
        /// Where the line came from.
        source: LogSource,
    },
    /// A status slot changed. The text is its value, as JSON; none when it was cleared.
    Status {
        /// Whose.
        plugin: PluginId,
        /// Which.
        slot: Arc<str>,
    },
    /// A panel was registered, or is gone with its process. The text is its title.
    Panel {
        /// Whose.
        plugin: PluginId,
        /// How many fields it has; 0 when it is gone.
        fields: u64,
    },
    /// A value of a panel was set by the operator. The text is the value, as JSON.
    ValueSet {
        /// Whose.
        plugin: PluginId,
        /// The field's key.
        key: Arc<str>,
    },
    /// It asks for a credential, and the operator decides.
    Asked {
        /// Who.
        plugin: PluginId,
        /// The kind.
        kind: Arc<str>,
        /// When silence is a refusal.
        until: Wall,
    },
    /// The question for a credential ended.
    Decided {
        /// Whose.
        plugin: PluginId,
        /// The kind.
        kind: Arc<str>,
        /// How.
        decision: Decision,
    },
    /// A credential was handed over.
    Handed {
        /// To whom.
        plugin: PluginId,
        /// The kind.
        kind: Arc<str>,
    },
    /// An action was sent to a plugin. The text is its arguments, as JSON.
    ActionBegun {
        /// To whom.
        plugin: PluginId,
        /// Which action.
        action: Arc<str>,
        /// Which call.
        call: u64,
    },
    /// An action ended. The text is its result, as JSON, or the error's message.
    ActionEnded {
        /// Whose.
        plugin: PluginId,
        /// Which action.
        action: Arc<str>,
        /// Which call.
        call: u64,
        /// How.
        end: ActionEnd,
        /// From begin to end.
        us: u64,
    },
    /// Events did not fit into the plugin's queue.
    EventsDropped {
        /// Whose.
        plugin: PluginId,
        /// How many since the last such entry.
        events: u64,
    },
    /// The plugin is read from more slowly than it writes, or no longer.
    Throttled {
        /// Which.
        plugin: PluginId,
        /// Whether it is.
        on: bool,
    },
    /// Lines of its log were cut, or were too many in a second and dropped.
    LinesCut {
        /// Whose.
        plugin: PluginId,
        /// Lines whose end was cut since the last such entry.
        cut: u64,
        /// Lines that were dropped since the last such entry.
        dropped: u64,
    },
    /// What its processes use.
    Sampled {
        /// Whose.
        plugin: PluginId,
        /// The memory of all of them.
        memory_bytes: u64,
        /// The share of one core since the last sample, in thousandths.
        cpu_permille: u32,
    },
    /// The stream that the operator declares changed.
    Stream {
        /// What of it.
        change: StreamChange,
    },
}

/// What a plugin is, from its manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its name.
    pub name: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// Who wrote it.
    pub author: Arc<str>,
    /// What it says it does.
    pub description: Arc<str>,
    /// The folder it runs from, if it is not installed.
    pub folder: Option<Arc<str>>,
    /// The command that runs in place of its entry.
    pub command: Option<Arc<str>>,
    /// The capabilities that it asks for, by the strings of the catalogue.
    pub asks: Arc<[Arc<str>]>,
    /// Whether it says that it makes network connections of its own.
    pub is_networked: bool,
    /// The actions that it declares.
    pub actions: Arc<[Arc<str>]>,
    /// The status slots that it declares.
    pub slots: Arc<[Arc<str>]>,
    /// What it provides.
    pub provides: Arc<[Arc<str>]>,
}

/// How an action ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionEnd {
    /// The plugin answered with a result.
    Done,
    /// The plugin answered with an error.
    Failed {
        /// Its code.
        code: i64,
    },
    /// There was no answer in time.
    TimedOut,
    /// The process ended before it answered.
    Gone,
    /// The call was not sent.
    Refused(Code),
}

/// What of the declared stream changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamChange {
    /// What plays. The text is the channel, as JSON.
    Channel {
        /// Its login; nothing when nothing plays.
        login: Option<Arc<str>>,
    },
    /// Which followed channels are live.
    Live {
        /// How many.
        channels: u64,
    },
    /// The relay sessions, and `solo` while a channel plays.
    Session {
        /// Which.
        id: Arc<str>,
        /// Whether it is there.
        is_there: bool,
    },
    /// A plugin set the upstream of a relay session. The text is the playlist's URL.
    Upstream {
        /// Whose.
        plugin: PluginId,
        /// Of which session.
        id: Arc<str>,
    },
    /// A chat message was handed to the plugins.
    Chat {
        /// To how many.
        receivers: u64,
    },
    /// Chat messages were handed to the plugins together.
    ChatBatch {
        /// How many.
        messages: u64,
        /// The most plugins that one of them was handed to.
        receivers: u64,
    },
    /// The station's watch tick.
    Tick,
}

impl Transition {
    /// The plugin that it speaks of.
    #[must_use]
    pub const fn plugin(&self) -> Option<&PluginId> {
        match self {
            Self::Installed { plugin, .. }
            | Self::Removed { plugin }
            | Self::Granted { plugin, .. }
            | Self::Revoked { plugin, .. }
            | Self::Enabled { plugin }
            | Self::Starting { plugin, .. }
            | Self::Up { plugin, .. }
            | Self::Pinged { plugin, .. }
            | Self::Missed { plugin, .. }
            | Self::Unhealthy { plugin, .. }
            | Self::Waiting { plugin, .. }
            | Self::Disabled { plugin, .. }
            | Self::Stopping { plugin }
            | Self::Stopped { plugin, .. }
            | Self::Linted { plugin, .. }
            | Self::Notified { plugin, .. }
            | Self::Logged { plugin, .. }
            | Self::Status { plugin, .. }
            | Self::Panel { plugin, .. }
            | Self::ValueSet { plugin, .. }
            | Self::Asked { plugin, .. }
            | Self::Decided { plugin, .. }
            | Self::Handed { plugin, .. }
            | Self::ActionBegun { plugin, .. }
            | Self::ActionEnded { plugin, .. }
            | Self::EventsDropped { plugin, .. }
            | Self::LinesCut { plugin, .. }
            | Self::Throttled { plugin, .. }
            | Self::Sampled { plugin, .. }
            | Self::Stream { change: StreamChange::Upstream { plugin, .. } } => Some(plugin),
            Self::Stream { .. } => None,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Installed { .. } => "installed",
            Self::Removed { .. } => "removed",
            Self::Granted { .. } => "granted",
            Self::Revoked { .. } => "revoked",
            Self::Enabled { .. } => "enabled",
            Self::Starting { .. } => "starting",
            Self::Up { .. } => "up",
            Self::Pinged { .. } => "ping",
            Self::Missed { .. } => "missed ping",
            Self::Unhealthy { .. } => "unhealthy",
            Self::Waiting { .. } => "waiting",
            Self::Disabled { .. } => "disabled",
            Self::Stopping { .. } => "stopping",
            Self::Stopped { .. } => "stopped",
            Self::Linted { .. } => "lint",
            Self::Notified { .. } => "notice",
            Self::Logged { .. } => "log",
            Self::Status { .. } => "status",
            Self::Panel { .. } => "panel",
            Self::ValueSet { .. } => "panel value",
            Self::Asked { .. } => "credential asked",
            Self::Decided { .. } => "credential decided",
            Self::Handed { .. } => "credential handed over",
            Self::ActionBegun { .. } => "action started",
            Self::ActionEnded { .. } => "action ended",
            Self::EventsDropped { .. } => "events dropped",
            Self::LinesCut { .. } => "log lines cut",
            Self::Throttled { .. } => "throttled",
            Self::Sampled { .. } => "resources",
            Self::Stream { .. } => "stream",
        }
    }
}
