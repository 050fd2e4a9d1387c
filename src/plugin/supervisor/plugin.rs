//! One plugin, across its processes.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use serde_json::Value;

use super::{Cause, Source, kept::Invalid, notify::NotifyBucket};
use crate::{
    ids::{PluginId, Ticket},
    plugin::{
        About, DisableCause,
        capability::{CapabilitySet, Granted},
        manifest::Manifest,
        rpc,
        session::Process,
    },
    time::{Mono, Now},
};

/// What a plugin runs from, with what it may use.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) manifest: Arc<Manifest>,
    pub(super) text: Arc<str>,
    pub(super) source: Source,
    pub(super) command: Option<String>,
    pub(super) about: Arc<About>,
    pub(super) granted: CapabilitySet,
    pub(super) consents: Consents,
}

/// What the operator decided of the credentials of a package. What is served from a folder is another
/// program than what is installed under its id, and has consents of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Consents {
    /// Kinds that it is always handed.
    pub(super) always: BTreeSet<Arc<str>>,
    /// Kinds that were decided of for this run of the station.
    pub(super) decided: BTreeMap<Arc<str>, Consent>,
    /// Kinds that were taken back in this run of the station.
    pub(super) revoked: BTreeSet<Arc<str>>,
}

impl Consents {
    pub(super) fn is_allowed(&self, kind: &str) -> bool {
        self.always.contains(kind) || self.decided.get(kind) == Some(&Consent::Allowed)
    }

    pub(super) fn is_denied(&self, kind: &str) -> bool {
        self.decided.get(kind) == Some(&Consent::Denied)
    }

    pub(super) fn revoke(&mut self, kind: &Arc<str>) {
        self.revoked.insert(kind.clone());
        self.always.remove(kind);
        self.decided.remove(kind);
    }

    /// Forgets that these were taken back or denied.
    pub(super) fn forget_denials(&mut self, granted: CapabilitySet) {
        for kind in granted.names() {
            self.revoked.remove(kind);
            if self.is_denied(kind) {
                self.decided.remove(kind);
            }
        }
    }
}

/// How a plugin is, its processes aside.
#[derive(Debug, Default)]
pub(super) enum State {
    /// Nothing runs.
    #[default]
    Stopped,
    /// It waits for others to be up.
    Queued,
    /// It is started again later.
    Waiting { until: Mono },
    /// A process is there.
    Running(Box<Process>),
}

/// What comes after the present process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It ended unasked: another after a while, or none.
    Judge,
    /// None.
    Stop,
    /// Another at once.
    Start,
    /// None until it is enabled.
    Disable(DisableCause, String),
}

/// Why a plugin is disabled, and its exits.
pub(super) type SetAside = (Option<(DisableCause, String)>, VecDeque<Now>);

/// What is to be installed.
#[derive(Debug)]
pub(super) struct Update {
    pub(super) package: Package,
    /// The folder that it was copied from.
    pub(super) folder: Arc<str>,
    /// Whether the plugin was disabled before: what the operator disables meanwhile stays so.
    pub(super) was_disabled: bool,
}

/// What waits until nothing of a plugin runs.
#[derive(Debug)]
pub(super) enum Pending {
    /// The files of an update, and whose command it is.
    Install { update: Box<Update>, cause: Cause },
    /// Its removal.
    Remove { purge: bool, cause: Cause },
}

/// What the operator decided of a kind of credential for this run of the station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consent {
    Allowed,
    Denied,
}

/// A question to the operator that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) kind: Arc<str>,
    pub(super) until: Mono,
}

/// A credential that is fetched, for all calls of a process that wait for it: one at a time of each kind.
#[derive(Clone, Debug)]
pub(super) struct Fetching {
    pub(super) process: u64,
    pub(super) kind: Arc<str>,
    pub(super) ticket: Ticket,
}

/// A credential that is handed over once the audit has its row.
#[derive(Clone, Debug)]
pub(super) struct Handover {
    pub(super) process: u64,
    pub(super) id: rpc::RequestId,
    pub(super) kind: Arc<str>,
    pub(super) frame: bytes::Bytes,
    pub(super) ticket: Ticket,
}

/// One plugin.
#[derive(Debug)]
pub(super) struct Plugin {
    pub(super) id: PluginId,
    /// Its place among all, in the order in which they were installed.
    pub(super) order: u64,
    /// What is installed.
    pub(super) package: Option<Package>,
    /// What is installed, while its manifest is not valid here.
    pub(super) invalid: Option<Invalid>,
    /// The folder that it was copied from; empty for what is not installed.
    pub(super) folder: Arc<str>,
    /// What is served from a folder, in its place.
    pub(super) served: Option<Package>,
    pub(super) question: Option<Question>,
    pub(super) fetching: Vec<Fetching>,
    pub(super) handovers: Vec<Handover>,
    pub(super) disabled: Option<(DisableCause, String)>,
    pub(super) exits: VecDeque<Now>,
    /// Both of what is installed, while a folder is served in its place.
    pub(super) set_aside: Option<SetAside>,
    pub(super) values: BTreeMap<String, Value>,
    pub(super) notify: NotifyBucket,
    pub(super) state: State,
    pub(super) next: Next,
    pub(super) pending: Option<Pending>,
    /// Whether the host is at work on it.
    pub(super) is_pending_begun: bool,
    pub(super) processes: u64,
}

impl Plugin {
    pub(super) fn new(id: PluginId, order: u64) -> Self {
        Self {
            id,
            order,
            package: None,
            invalid: None,
            folder: Arc::default(),
            served: None,
            question: None,
            fetching: Vec::new(),
            handovers: Vec::new(),
            disabled: None,
            exits: VecDeque::new(),
            set_aside: None,
            values: BTreeMap::new(),
            notify: NotifyBucket::default(),
            state: State::Stopped,
            next: Next::Judge,
            pending: None,
            is_pending_begun: false,
            processes: 0,
        }
    }

    /// What it runs from: a folder that is served, else what is installed.
    pub(super) fn current(&self) -> Option<&Package> {
        self.served.as_ref().or(self.package.as_ref())
    }

    pub(super) fn current_mut(&mut self) -> Option<&mut Package> {
        self.served.as_mut().or(self.package.as_mut())
    }

    /// Whether what becomes of its processes is kept: not of a folder that is served.
    pub(super) fn is_kept(&self) -> bool {
        self.is_installed() && self.served.is_none()
    }

    /// Whether it is installed, though it may not be able to run.
    pub(super) fn is_installed(&self) -> bool {
        self.package.is_some() || self.invalid.is_some()
    }

    /// Whether there is anything of it.
    pub(super) fn is_there(&self) -> bool {
        self.is_installed() || self.served.is_some()
    }

    /// What a process of it may use.
    pub(super) fn granted(&self) -> Granted {
        self.current().map_or_else(Granted::default, |package| package.manifest.granted(package.granted))
    }

    pub(super) fn process(&self) -> Option<&Process> {
        match &self.state {
            State::Running(process) => Some(process),
            State::Stopped | State::Queued | State::Waiting { .. } => None,
        }
    }

    pub(super) fn process_mut(&mut self) -> Option<&mut Process> {
        match &mut self.state {
            State::Running(process) => Some(process),
            State::Stopped | State::Queued | State::Waiting { .. } => None,
        }
    }

    /// What the operator decided of the credentials of what it runs from.
    pub(super) fn consents_mut(&mut self) -> Option<&mut Consents> {
        self.current_mut().map(|package| &mut package.consents)
    }

    /// Whether it may be started.
    pub(super) fn may_start(&self) -> bool {
        self.disabled.is_none() && self.current().is_some() && self.pending.is_none()
    }

    /// The next moment at which something of it is due.
    pub(super) fn timeout(&self) -> Option<Mono> {
        let state = match &self.state {
            State::Stopped | State::Queued => None,
            State::Waiting { until } => Some(*until),
            State::Running(process) => process.timeout(),
        };
        let question = self.question.as_ref().map(|question| question.until);
        [state, question].into_iter().flatten().min()
    }
}
