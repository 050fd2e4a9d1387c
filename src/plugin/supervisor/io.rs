//! What goes into the supervisor and what comes out.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    ids::{PluginId, RequestId, Ticket, TraceId},
    plugin::{
        Audited, Credential, DisableCause, ExitStatus, Head, Level, LogSource, Outcome, Refusal, Transition,
        Verdict,
        framing::{Broken, Frame},
        manifest::Manifest,
        session::Lane,
    },
    store::plugins::StreamPart,
    time::Wall,
};

/// What happened.
#[derive(Clone, Debug)]
pub enum Input {
    /// To a process of a plugin. What is said of one that is no longer the plugin's is passed over.
    Process {
        /// Whose.
        plugin: PluginId,
        /// Which.
        process: u64,
        /// What.
        what: ProcessInput,
    },
    /// A credential was fetched, or could not be.
    Fetched {
        /// By which [`Output::Fetch`].
        ticket: Ticket,
        /// The credential, or why there is none.
        result: Fetched,
    },
    /// An [`Output::Persist`] is durable.
    Committed {
        /// Its ticket.
        ticket: Ticket,
    },
    /// An [`Output::Persist`] did not happen; it is put out again after a while.
    CommitFailed {
        /// Its ticket.
        ticket: Ticket,
        /// Why.
        error: String,
    },
    /// An [`Output::Place`] or [`Output::Delete`] is done, or not.
    FilesDone {
        /// Whose.
        plugin: PluginId,
        /// Why not.
        result: Result<(), String>,
    },
    /// The moment of [`Supervisor::timeout`](super::Supervisor::timeout) has come.
    Timeout,
}

/// What happened to a process.
#[derive(Clone, Debug)]
pub enum ProcessInput {
    /// It runs below this guard.
    Spawned {
        /// The guard's process id.
        pid: u32,
    },
    /// It could not be started.
    SpawnFailed(SpawnFault),
    /// It sent a frame.
    Frame(Frame),
    /// It sent what is no frame.
    Broken(Broken),
    /// So many bytes were read from it.
    Read {
        /// How many.
        bytes: u64,
    },
    /// It is not read from now, for [`Permit::At`](crate::plugin::session::Permit::At) or
    /// [`Permit::Full`](crate::plugin::session::Permit::Full), although it may have written.
    Held,
    /// It is read from again, whether it writes or not.
    Resumed,
    /// It took bytes: of these frames the last ones.
    Taken {
        /// In which room they waited.
        lane: Lane,
        /// Frames that it took whole.
        messages: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// It closed its stdout.
    StdoutClosed,
    /// It is gone, with all that it started, and what it wrote was handed in.
    Exited(ExitStatus),
    /// What its processes use.
    Sampled {
        /// The memory of all of them.
        memory_bytes: u64,
        /// The share of one core since the last sample, in thousandths.
        cpu_permille: u32,
    },
}

/// Why a process could not be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpawnFault {
    /// Whether it is the entry's fault: it is missing, or cannot be executed.
    pub is_entry: bool,
    /// In a sentence.
    pub why: String,
}

/// A credential, or why there is none.
pub type Fetched = Result<Credential, String>;

/// What caused a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The command; its answer carries the same number.
    pub request: RequestId,
    /// What it belongs to.
    pub trace: Option<TraceId>,
    /// Who gave it, as the audit names them.
    pub by: Option<Arc<str>>,
}

/// Where a plugin runs from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is installed: its files are a copy.
    Package,
    /// It is served from a folder as it lies there.
    Folder(Arc<str>),
}

/// A plugin to be installed or served; its manifest was found valid here.
#[derive(Clone, Debug)]
pub struct Installation {
    /// Its manifest.
    pub manifest: Arc<Manifest>,
    /// The manifest's text.
    pub text: Arc<str>,
    /// The folder that the operator named.
    pub folder: Arc<str>,
    /// From where it runs.
    pub source: Source,
    /// What runs in place of its entry, as a command line.
    pub command: Option<String>,
    /// The capabilities to grant, by their strings; all that it asks for where nothing is named.
    pub grant: Option<Vec<String>>,
}

/// A plugin as it was kept before this start of the station.
#[derive(Clone, Debug)]
pub struct RestoredPlugin {
    /// What is installed; or why that cannot run here.
    pub manifest: Result<Arc<Manifest>, String>,
    /// Which.
    pub plugin: PluginId,
    /// The manifest's text.
    pub text: Arc<str>,
    /// The folder that it was copied from.
    pub folder: Arc<str>,
    /// What runs in place of its entry, as a command line.
    pub command: Option<String>,
    /// What it was granted.
    pub grants: Vec<String>,
    /// Credentials that it is always handed.
    pub always: Vec<String>,
    /// Why it is disabled.
    pub disabled: Option<(DisableCause, String)>,
    /// When its processes ended unasked.
    pub exits: Vec<Wall>,
    /// The values of its panel.
    pub values: Vec<(String, serde_json::Value)>,
}

/// What is to be kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// A plugin that was installed or updated.
    Installed {
        /// Which.
        plugin: PluginId,
        /// Its manifest's text.
        text: Arc<str>,
        /// Its version.
        version: String,
        /// The folder that it was copied from.
        folder: Arc<str>,
        /// What runs in place of its entry.
        command: Option<String>,
    },
    /// A plugin was removed.
    Removed {
        /// Which.
        plugin: PluginId,
        /// Whether its values and audit go too.
        purge: bool,
    },
    /// What a plugin may use, all of it.
    Grants {
        /// Which.
        plugin: PluginId,
        /// What.
        capabilities: Vec<String>,
        /// Credentials that it is always handed.
        always: Vec<String>,
    },
    /// Whether a plugin is disabled.
    Disabled {
        /// Which.
        plugin: PluginId,
        /// Why; nothing for one that is enabled.
        cause: Option<(DisableCause, String)>,
    },
    /// When its processes ended unasked: the last ones.
    Exits {
        /// Whose.
        plugin: PluginId,
        /// When.
        exits: Vec<Wall>,
    },
    /// A value of a panel; none to forget it.
    Value {
        /// Whose.
        plugin: PluginId,
        /// The field.
        key: String,
        /// The value.
        value: Option<serde_json::Value>,
    },
    /// A row of an audit.
    Audit {
        /// Whose.
        plugin: PluginId,
        /// When.
        at: Wall,
        /// What.
        what: Audited,
        /// About what: a capability, a kind of credential, a version, a field's key.
        text: String,
        /// Whose command caused it.
        by: Option<Arc<str>>,
    },
    /// A part of the declared stream.
    Stream {
        /// Which.
        part: StreamPart,
        /// Its value.
        value: serde_json::Value,
    },
}

/// What the supervisor asks of its host, in this order.
#[derive(Clone, Debug)]
pub enum Output {
    /// What was made of the frame that was handed in; before all that it causes.
    Received {
        /// What it speaks of.
        head: Head,
        /// What was made of it.
        verdict: Verdict,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// A frame to write. Its lane is given back by [`ProcessInput::Taken`].
    Transmit {
        /// To which plugin.
        plugin: PluginId,
        /// To which process.
        process: u64,
        /// The whole frame.
        frame: Bytes,
        /// In which room it waits.
        lane: Lane,
        /// What it speaks of.
        head: Head,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// Something changed.
    Transition {
        /// What.
        transition: Transition,
        /// The text beside it.
        text: String,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// Start a process; answered by [`ProcessInput::Spawned`] or [`ProcessInput::SpawnFailed`].
    Spawn {
        /// Of which plugin.
        plugin: PluginId,
        /// Its number.
        process: u64,
    },
    /// End a process with all that it started; answered by [`ProcessInput::Exited`].
    Kill {
        /// Of which plugin.
        plugin: PluginId,
        /// Which.
        process: u64,
    },
    /// Put the staged files of a plugin into their place; nothing of it runs.
    Place {
        /// Which.
        plugin: PluginId,
    },
    /// Delete the files of a plugin; nothing of it runs.
    Delete {
        /// Which.
        plugin: PluginId,
        /// Whether its data and log go too.
        purge: bool,
    },
    /// Fetch a credential; answered by [`Input::Fetched`].
    Fetch {
        /// By this ticket.
        ticket: Ticket,
        /// The kind.
        kind: Arc<str>,
    },
    /// Mask a token from here on, wherever it is met.
    Mask {
        /// The token.
        credential: Credential,
    },
    /// Keep a record; answered by [`Input::Committed`] or [`Input::CommitFailed`].
    Persist {
        /// By this ticket.
        ticket: Ticket,
        /// What.
        record: Record,
    },
    /// Write a line to the log of a plugin.
    Log {
        /// Whose.
        plugin: PluginId,
        /// How grave it is.
        level: Level,
        /// Where it came from.
        source: LogSource,
        /// The line.
        text: String,
    },
    /// The answer to a command that took its time.
    Reply {
        /// To which.
        request: RequestId,
        /// What it did.
        result: Result<Outcome, Refusal>,
    },
}
