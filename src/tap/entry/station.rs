//! What the station itself reports.

use std::sync::Arc;

use super::{
    Link,
    alerts::{Alert, AlertChange},
    names::names,
    rmp::Kind,
    texts::{Texts, texts},
};
use crate::{
    admission::TurnedAway,
    ids::{ConnectionId, PluginId, Seq},
};

/// The operator that did something through the port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatedBy {
    /// What it is.
    pub kind: Kind,
    /// The name that it gave itself.
    pub client: Arc<str>,
    /// Its session of the bus; none of a console in the station's own process.
    pub session: Option<ConnectionId>,
}

impl OperatedBy {
    /// The console in the station's own process.
    #[must_use]
    pub fn own_console() -> Self {
        Self { kind: Kind::Tui, client: Arc::from("console"), session: None }
    }

    /// Who it is in a word: the operator, by any console or command of ours, else the name that it gave
    /// itself.
    #[must_use]
    pub fn label(&self) -> &str {
        let is_ours = self.session.is_none() || self.client.starts_with("rl-console");
        if self.kind.is_operator() && is_ours { "operator" } else { &self.client }
    }
}

impl std::fmt::Display for OperatedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.client)?;
        self.session.map_or(Ok(()), |session| write!(f, " (session {session})"))
    }
}

/// A change of the station's own state. The text beside the entry is the reason or notice for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transition {
    /// The station is up.
    Started,
    /// A host answers. After it was down it begins anew from the store: what was known of its link is void,
    /// and a reader takes a new snapshot, as after a loss.
    HostUp {
        /// Which.
        link: Link,
    },
    /// A host does not answer; the text says why and how to mend it.
    HostDown {
        /// Which.
        link: Link,
    },
    /// The store takes commits again.
    StoreOk,
    /// The store refuses commits; the text says why.
    StoreFailing,
    /// A recording was begun; the text is its path.
    RecordingStarted,
    /// So much is recorded.
    RecordingGrew {
        /// Bytes on disk.
        bytes: u64,
    },
    /// A recording ended; the text is its path, with the reason when it was not asked for.
    RecordingStopped {
        /// Bytes on disk.
        bytes: u64,
    },
    /// A recording could not be begun, or ended by an error; the text is its path and why.
    RecordingFailed {
        /// Whether it is the one that the station keeps by itself. A version before 0.12 does not say so.
        is_always: bool,
    },
    /// The recording that the station keeps by itself writes another file; the text is its path, and empty
    /// when it writes none.
    AlwaysRecording,
    /// The disk of the data folder is nearly full (`limits.store.disk_free_bytes_min`).
    DiskLow {
        /// Bytes that are free on it.
        free_bytes: u64,
    },
    /// It is nearly full still, and has another figure free.
    DiskFree {
        /// Bytes that are free on it.
        free_bytes: u64,
    },
    /// It has room again.
    DiskOk {
        /// Bytes that are free on it.
        free_bytes: u64,
    },
    /// An operator did something through the port; the text says what.
    Operated {
        /// Who; none in what a version before 0.4 recorded.
        by: Option<OperatedBy>,
        /// The port's command as JSON, cut as a frame, which it says then; none of frames that are sent,
        /// which are entries of their own, and in what a version before 0.12 recorded.
        command: Option<Arc<str>>,
    },
    /// What an operator did has its answer; its cause is the entry of that.
    OperationEnded {
        /// The port's outcome or error as JSON, cut as a frame, which it says then.
        outcome: Arc<str>,
    },
    /// A moment was marked, to be found again; the text says what for.
    Marked {
        /// Who; none where a trigger did.
        by: Option<OperatedBy>,
        /// The entry that is meant, where it is not this moment.
        entry: Option<Seq>,
    },
    /// A trigger found what it looks for; the text is what that says.
    Triggered {
        /// Which.
        name: Arc<str>,
        /// What it found.
        entry: Seq,
        /// What it found since it fired before, and did not fire for.
        coalesced: u64,
        /// Whether that is an alert.
        is_alert: bool,
    },
    /// Something a person should read; the text says what happened and what to do.
    Notice {
        /// How much it matters.
        level: Level,
    },
    /// The metrics' port has turned connections or requests away in the last second; the text says who they
    /// were mostly, where that is known.
    TurnedAway {
        /// Why.
        why: TurnedAway,
        /// How many.
        count: u64,
    },
    /// A process of a plugin showed a token of this station on the bus, which gave it nothing (ruling
    /// Plugins 16); the text says which process.
    TokenShown {
        /// Whose; nothing where its guard has ended.
        plugin: Option<PluginId>,
    },
    /// Something became of an alert.
    Alert {
        /// What.
        change: AlertChange,
        /// The alert as it is now.
        alert: Arc<Alert>,
    },
    /// The station that this console is attached to was started again: what was known of it is void. The text
    /// says so.
    Restarted,
    /// The station is going down.
    Stopping {
        /// The operator that asked for it; none where a signal did.
        by: Option<OperatedBy>,
    },
}

names! {
    /// How much a notice or a log line matters.
    Level {
        /// Of interest to the author alone.
        Trace = "trace",
        /// For finding faults.
        Debug = "debug",
        /// Worth knowing.
        Info = "info",
        /// Something needs a look.
        Warn = "warn",
        /// Something failed.
        Error = "error",
    }
}

// The text of an alert is its own; any other lies beside the entry.
texts! {
    Transition {
        Self::Started | Self::HostUp { link: _ } | Self::HostDown { link: _ } | Self::StoreOk
            | Self::StoreFailing | Self::RecordingStarted | Self::RecordingGrew { bytes: _ }
            | Self::RecordingStopped { bytes: _ } | Self::RecordingFailed { is_always: _ }
            | Self::AlwaysRecording
            | Self::DiskLow { free_bytes: _ } | Self::DiskFree { free_bytes: _ }
            | Self::DiskOk { free_bytes: _ }
            | Self::Notice { level: _ } | Self::TurnedAway { why: _, count: _ }
            | Self::Restarted => [],
        Self::Stopping { by } | Self::Marked { by, entry: _ } => [by],
        Self::Operated { by, command } => [by command],
        Self::OperationEnded { outcome } => [outcome],
        Self::Triggered { name, entry: _, coalesced: _, is_alert: _ } => [name],
        Self::TokenShown { plugin } => [plugin],
        Self::Alert { change: _, alert } => [alert],
    }
    OperatedBy {
        Self { kind: _, client, session: _ } => [client],
    }
}
