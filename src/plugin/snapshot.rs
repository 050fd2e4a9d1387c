//! The state of the plugins as a reader of the tap starts from it, with bounded windows.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use super::{About, Code, Decision, DisableCause, Level, LogSource, UnhealthyCause, capability::Method};
use crate::{
    ids::{PluginId, TraceId},
    time::{Now, Wall},
    words::counted,
};

/// Pings that are shown of one plugin; the oldest go first.
pub const PINGS_SHOWN_MAX: usize = 20;

/// Restarts within ten minutes before a plugin is disabled (streamnook-plugin-v1, Health and restarts).
pub const RESTARTS_MAX: u32 = 3;

/// For how long a restart counts (ruling Plugins 4).
pub(super) const RESTART_COUNTS: Duration = Duration::from_secs(600);

/// What holds of the plugin host at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The plugins, at most `limits.plugin.plugins_max`.
    pub plugins: BTreeMap<PluginId, PluginView>,
    /// The stream that the operator declares.
    pub stream: StreamView,
    /// Counts since the host started.
    pub totals: Totals,
}

/// One plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginView {
    /// What it is.
    pub about: Arc<About>,
    /// When it was installed or updated last, as far as this start of the station knows.
    pub installed_at: Now,
    /// The capabilities that it has, by the strings of the catalogue.
    pub granted: Arc<[Arc<str>]>,
    /// How its process is.
    pub state: State,
    /// Processes of it that were started.
    pub process: u64,
    /// The last pings, the oldest first: the microseconds until the answer, nothing for one that was missed.
    /// At most [`PINGS_SHOWN_MAX`].
    pub pings: VecDeque<Option<u64>>,
    /// Pings missed in a row.
    pub misses: u32,
    /// Restarts that were counted when the last was; see [`restarts_at`](Self::restarts_at).
    pub restarts: u32,
    /// Why its process was ended last.
    pub last: Option<ReasonView>,
    /// The memory of its processes.
    pub memory_bytes: u64,
    /// Their share of one core, in thousandths.
    pub cpu_permille: u32,
    /// Its panel.
    pub panel: Option<PanelView>,
    /// Its status slots; at most `limits.plugin.shown_names_max`.
    pub slots: BTreeMap<Arc<str>, SlotView>,
    /// The last lines of its log, the oldest first; at most `limits.plugin.shown_lines_max`.
    pub log: VecDeque<LogView>,
    /// The credential that it asks for, while the operator has not decided.
    pub asked: Option<AskedView>,
    /// What was granted, decided, handed over and set, the oldest first; at most
    /// `limits.plugin.shown_lines_max`.
    pub audit: VecDeque<AuditView>,
    /// Actions in flight, by their calls; at most `limits.plugin.actions_max`.
    pub actions: BTreeMap<u64, ActionView>,
    /// Since when it is read more slowly than it writes.
    pub throttled_since: Option<Now>,
    /// Counts since the host started.
    pub counts: Counts,
}

/// How the process of a plugin is.
///
/// ```text
/// Stopped ─▶ Starting ─▶ Up ─▶ Stopping ─▶ Stopped
///                │        │
///                └────────┴─▶ Waiting ─▶ Starting
///                         └─▶ Disabled ─(enabled)─▶ Stopped
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// No process runs.
    #[default]
    Stopped,
    /// A process runs, and the handshake is not complete.
    Starting,
    /// The handshake is complete.
    Up(UpView),
    /// It was asked to end.
    Stopping,
    /// The next process is started later.
    Waiting(WaitingView),
    /// No process is started until the operator says so.
    Disabled(DisabledView),
}

/// A plugin that is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpView {
    /// The version that it says.
    pub version: Arc<str>,
    /// The events that it is sent.
    pub hooks: Arc<[Arc<str>]>,
    /// Since when.
    pub since: Now,
    /// The process id of its guard.
    pub pid: u32,
}

/// A plugin that is restarted later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingView {
    /// When.
    pub until: Wall,
    /// Which restart within ten minutes it will be, from 1.
    pub nth: u32,
}

/// A plugin that is disabled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledView {
    /// Why.
    pub cause: DisableCause,
    /// More about it.
    pub text: Arc<str>,
}

/// Why a process was ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReasonView {
    /// Why.
    pub cause: UnhealthyCause,
    /// More about it.
    pub text: Arc<str>,
    /// When.
    pub at: Now,
}

/// A panel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanelView {
    /// Its title.
    pub title: Arc<str>,
    /// How many fields it has.
    pub fields: u64,
}

/// A status slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotView {
    /// Its value, as JSON; cut at `limits.plugin.shown_text_bytes_max`.
    pub value: Arc<str>,
    /// When it was set.
    pub at: Now,
}

/// A line of a plugin's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogView {
    /// Its place among all lines of the plugin since the host started, from 1 on.
    pub number: u64,
    /// When it came.
    pub at: Now,
    /// How grave it is.
    pub level: Level,
    /// Where it came from.
    pub source: LogSource,
    /// What it says.
    pub text: Arc<str>,
}

/// A credential that a plugin asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedView {
    /// Who asks.
    pub plugin: PluginId,
    /// The kind.
    pub kind: Arc<str>,
    /// Since when.
    pub at: Now,
    /// When silence is a refusal.
    pub until: Wall,
}

/// A row of a plugin's audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditView {
    /// Its place among all rows of the plugin since the host started, from 1 on.
    pub number: u64,
    /// When it happened.
    pub at: Now,
    /// What happened.
    pub what: AuditKind,
    /// To what: a capability, a kind of credential with its decision, a field.
    pub text: Arc<str>,
}

/// An action in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionView {
    /// Which.
    pub action: Arc<str>,
    /// Since when.
    pub at: Now,
    /// What it belongs to.
    pub trace: Option<TraceId>,
}

/// What a row of an audit tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AuditKind {
    /// It was installed or updated.
    Installed,
    /// Its grant was set.
    Granted,
    /// A capability was taken back.
    Revoked,
    /// It asked for a credential.
    Asked,
    /// The question was answered, or ended otherwise.
    Decided,
    /// A credential was handed over.
    Handed,
    /// A value of its panel was set.
    ValueSet,
    /// It was enabled.
    Enabled,
    /// It was disabled.
    Disabled,
}

/// Counts of one plugin since the host started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages from it.
    pub frames_in: u64,
    /// Messages to it.
    pub frames_out: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// Requests and notifications of it that were accepted.
    pub requests: u64,
    /// Refusals, by [`Code::index`].
    pub refused: [u64; Code::ALL.len()],
    /// Departures from the specification.
    pub lints: u64,
    /// Events that did not fit into its queue.
    pub events_dropped: u64,
    /// Processes that were ended for a cause of their own.
    pub restarts: u64,
    /// Pings that were missed.
    pub pings_missed: u64,
    /// Lines of its log.
    pub log_lines: u64,
    /// Rows of its audit.
    pub audit_rows: u64,
    /// Notices for the operator.
    pub notices: u64,
    /// Actions that were sent to it.
    pub actions: u64,
    /// Events for it that were queued.
    pub events_sent: u64,
    /// Requests and notifications of it that were accepted, by the place of their method in [`Method::ALL`].
    pub called: [u64; Method::ALL.len()],
    /// Pings that were answered.
    pub pings_answered: u64,
    /// From each ping to its answer, in all.
    pub ping_us: u64,
    /// For how long it was read more slowly than it wrote, until it was last read in full.
    pub throttled_us: u64,
    /// Lines of its log whose end was cut.
    pub lines_cut: u64,
    /// Lines of its log that were too many in a second.
    pub lines_dropped: u64,
}

/// The stream that the operator declares (ruling Plugins 9).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamView {
    /// The login of the channel that plays.
    pub channel: Option<Arc<str>>,
    /// How many followed channels are live.
    pub live: u64,
    /// The relay sessions; at most `limits.plugin.stream_sessions_max`, and `solo`.
    pub sessions: BTreeMap<Arc<str>, SessionView>,
}

/// A relay session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionView {
    /// The plugin that set its upstream last.
    pub by: Option<PluginId>,
    /// The upstream.
    pub upstream: Option<Arc<str>>,
}

/// Counts since the host started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Chat messages that were handed to the plugins.
    pub chat_messages: u64,
    /// Watch ticks.
    pub ticks: u64,
}

impl State {
    /// The names of all states.
    pub const NAMES: [&'static str; 6] = ["stopped", "starting", "up", "stopping", "waiting", "disabled"];

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Starting => "starting",
            Self::Up(_) => "up",
            Self::Stopping => "stopping",
            Self::Waiting(_) => "waiting",
            Self::Disabled(_) => "disabled",
        }
    }
}

impl AuditKind {
    /// The names of all kinds.
    pub const NAMES: [&'static str; 9] =
        ["installed", "granted", "revoked", "asked", "decided", "handed", "value_set", "enabled", "disabled"];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

impl Counts {
    /// Refusals of all codes.
    #[must_use]
    pub fn refusals(&self) -> u64 {
        self.refused.iter().sum()
    }
}

impl Snapshot {
    /// How many plugins are up.
    #[must_use]
    pub fn up(&self) -> u64 {
        self.plugins.values().filter(|view| view.up().is_some()).count() as u64
    }

    /// How many plugins are to be up: all that are not disabled.
    #[must_use]
    pub fn enabled(&self) -> u64 {
        self.plugins.values().filter(|view| view.disabled().is_none()).count() as u64
    }
}

impl PluginView {
    /// A plugin of which nothing but this is known.
    #[must_use]
    pub fn new(about: Arc<About>, at: Now) -> Self {
        Self {
            about,
            installed_at: at,
            granted: Arc::from([]),
            state: State::Stopped,
            process: 0,
            pings: VecDeque::new(),
            misses: 0,
            restarts: 0,
            last: None,
            memory_bytes: 0,
            cpu_permille: 0,
            panel: None,
            slots: BTreeMap::new(),
            log: VecDeque::new(),
            asked: None,
            audit: VecDeque::new(),
            actions: BTreeMap::new(),
            throttled_since: None,
            counts: Counts::default(),
        }
    }

    /// What holds while it is up.
    #[must_use]
    pub const fn up(&self) -> Option<&UpView> {
        if let State::Up(up) = &self.state { Some(up) } else { None }
    }

    /// Why it is disabled.
    #[must_use]
    pub const fn disabled(&self) -> Option<&DisabledView> {
        if let State::Disabled(disabled) = &self.state { Some(disabled) } else { None }
    }

    /// When its next process is started.
    #[must_use]
    pub const fn waiting(&self) -> Option<WaitingView> {
        if let State::Waiting(waiting) = self.state { Some(waiting) } else { None }
    }

    /// Restarts within ten minutes before this moment.
    #[must_use]
    pub fn restarts_at(&self, now: Now) -> u32 {
        let is_old = |last: &ReasonView| now.wall.since(last.at.wall) >= RESTART_COUNTS;
        if self.last.as_ref().is_none_or(is_old) { 0 } else { self.restarts }
    }

    /// For how many microseconds it was read more slowly than it wrote, until this moment.
    #[must_use]
    pub fn throttled_us_at(&self, now: Now) -> u64 {
        let current = self.throttled_since.map_or(Duration::ZERO, |since| now.mono.since(since.mono));
        self.counts.throttled_us.saturating_add(micros(current))
    }

    /// Its version: what its process says, or else its manifest.
    #[must_use]
    pub fn version(&self) -> &Arc<str> {
        self.up().map_or(&self.about.version, |up| &up.version)
    }

    /// The last ping, in microseconds; nothing where it was missed or there was none.
    #[must_use]
    pub fn last_ping_us(&self) -> Option<u64> {
        self.pings.back().copied().flatten()
    }

    /// Why it is as it is, in a line: why it is disabled, why its process was ended last, or what is the
    /// matter with one that is up.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let say = |name: &str, text: &str| {
            let name = name.replace('_', " ");
            if text.is_empty() { name } else { format!("{name}: {text}") }
        };
        let of_last = || self.last.as_ref().map(|last| say(last.cause.name(), &last.text));
        match &self.state {
            State::Disabled(DisabledView { cause: cause @ DisableCause::RestartLimit, .. })
                if self.last.is_some() =>
            {
                let last = of_last().unwrap_or_default();
                Some(format!("{} ({last})", cause.name().replace('_', " ")))
            }
            State::Disabled(disabled) if disabled.cause == DisableCause::ByOperator => {
                Some(disabled.text.to_string())
            }
            State::Disabled(disabled) => Some(say(disabled.cause.name(), &disabled.text)),
            State::Up(_) if self.throttled_since.is_some() => {
                Some("throttled: it sends more than it may".to_owned())
            }
            State::Up(_) if self.misses > 0 => {
                Some(format!("{} missed in a row", counted(self.misses, "ping")))
            }
            State::Up(_) => None,
            _ => of_last(),
        }
    }

    /// What a copy of it holds, in bytes, about: its texts are shared.
    #[must_use]
    pub fn memory_of_view(&self) -> usize {
        size_of::<Self>()
            + self.log.len() * size_of::<LogView>()
            + self.audit.len() * size_of::<AuditView>()
            + self.slots.len() * (size_of::<(Arc<str>, SlotView)>() + 16)
            + self.actions.len() * (size_of::<(u64, ActionView)>() + 16)
    }
}

/// The microseconds of a span.
pub(super) fn micros(span: Duration) -> u64 {
    u64::try_from(span.as_micros()).unwrap_or(u64::MAX)
}

/// What a decision says in an audit.
#[must_use]
pub(crate) const fn decision_text(decision: Decision) -> &'static str {
    match decision {
        Decision::Allowed => "allowed",
        Decision::AllowedAlways => "allowed always",
        Decision::Denied => "denied",
        Decision::TimedOut => "timed out",
        Decision::Revoked => "revoked",
        Decision::Gone => "plugin gone",
    }
}
