//! What is known of one process.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use super::{Outbox, Pings, ReadBudget};
use crate::{
    ids::{RequestId as PortRequest, TraceId},
    limits,
    plugin::{
        capability::{Granted, Hook},
        panel::Schema,
        rpc::RequestId,
    },
    time::{Mono, Now},
};

/// From the spawn to the answer to `initialize` (ruling Plugins 1).
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);

/// How far a process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::plugin) enum Phase {
    /// It was sent `initialize`, or will be.
    Starting {
        /// When its answer is too late.
        until: Mono,
    },
    /// It was sent `initialized`.
    Up,
    /// It was sent `shutdown`.
    ShuttingDown {
        /// When `exit` is sent whatever it says.
        until: Mono,
    },
    /// It was sent `exit`.
    Exiting {
        /// When it is killed.
        until: Mono,
    },
    /// It is being killed, with all that it started.
    Killed,
}

/// A request of ours that waits for its answer.
#[derive(Clone, Debug)]
pub(in crate::plugin) enum OpenRequest {
    /// `initialize`.
    Initialize,
    /// `shutdown`.
    Shutdown,
    /// `invoke_action`.
    Action {
        /// Which.
        action: Arc<str>,
        /// Who is told of its end.
        request: PortRequest,
        /// What it belongs to.
        trace: Option<TraceId>,
        /// When it was sent.
        sent_at: Mono,
        /// When its answer is too late.
        until: Mono,
    },
}

/// A request of the plugin's that waits for its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::plugin) struct Call {
    /// Its id.
    pub(in crate::plugin) id: RequestId,
    /// The kind of credential that it asks for.
    pub(in crate::plugin) kind: Arc<str>,
    /// Whether its credential is there and waits for its row in the audit.
    pub(in crate::plugin) is_fetched: bool,
}

/// One process of a plugin.
#[derive(Clone, Debug)]
pub(in crate::plugin) struct Process {
    /// Counted from 1.
    pub(in crate::plugin) number: u64,
    /// Its guard, once it is there.
    pub(in crate::plugin) pid: Option<u32>,
    pub(in crate::plugin) spawned_at: Now,
    pub(in crate::plugin) phase: Phase,
    /// What it was told that it may use.
    pub(in crate::plugin) granted: Granted,
    /// The events that it is sent; none before `initialized`.
    pub(in crate::plugin) hooks: BTreeSet<Hook>,
    pub(in crate::plugin) pings: Option<Pings>,
    pub(in crate::plugin) open: BTreeMap<u64, OpenRequest>,
    pub(in crate::plugin) calls: Vec<Call>,
    pub(in crate::plugin) outbox: Outbox,
    pub(in crate::plugin) budget: ReadBudget,
    pub(in crate::plugin) panel: Option<Arc<Schema>>,
    /// Status values by slot, as JSON.
    pub(in crate::plugin) status: BTreeMap<Arc<str>, Arc<str>>,
    /// When its exit is waited for no longer after it closed stdout.
    pub(in crate::plugin) stdout_closed: Option<Mono>,
    pub(in crate::plugin) throttle: Throttle,
    pub(in crate::plugin) dropped: Dropped,
    next_id: u64,
}

/// Whether a process is read from more slowly than it writes.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::plugin) struct Throttle {
    pub(in crate::plugin) is_on: bool,
    /// Whether it waits still.
    pub(in crate::plugin) is_held: bool,
    /// When it last had to wait.
    pub(in crate::plugin) waited_at: Mono,
}

/// Events that did not fit.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::plugin) struct Dropped {
    pub(in crate::plugin) unreported: u64,
    /// When they are reported next.
    pub(in crate::plugin) report_at: Option<Mono>,
}

impl Process {
    pub(in crate::plugin) fn new(now: Now, number: u64, granted: Granted, limits: &limits::Plugin) -> Self {
        Self {
            number,
            pid: None,
            spawned_at: now,
            phase: Phase::Starting { until: now.mono + HANDSHAKE_MAX },
            granted,
            hooks: BTreeSet::new(),
            pings: None,
            open: BTreeMap::new(),
            calls: Vec::new(),
            outbox: Outbox::new(now.mono),
            budget: ReadBudget::new(now.mono, limits),
            panel: None,
            status: BTreeMap::new(),
            stdout_closed: None,
            throttle: Throttle::default(),
            dropped: Dropped::default(),
            next_id: 1,
        }
    }

    /// The id of our next request.
    pub(in crate::plugin) const fn take_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        id
    }

    /// Whether it is asked to end, or made to.
    pub(in crate::plugin) const fn is_ending(&self) -> bool {
        matches!(self.phase, Phase::ShuttingDown { .. } | Phase::Exiting { .. } | Phase::Killed)
    }

    /// Actions that wait for their answers.
    pub(in crate::plugin) fn actions(&self) -> usize {
        self.open.values().filter(|open| matches!(open, OpenRequest::Action { .. })).count()
    }

    /// Until when the answer to a request of ours is in time, where it has a time.
    pub(in crate::plugin) fn open_until(&self, number: u64) -> Option<Mono> {
        match (self.open.get(&number)?, self.phase) {
            (OpenRequest::Initialize, Phase::Starting { until })
            | (OpenRequest::Shutdown, Phase::ShuttingDown { until }) => Some(until),
            (OpenRequest::Action { until, .. }, _) => Some(*until),
            (OpenRequest::Initialize | OpenRequest::Shutdown, _) => None,
        }
    }

    /// The next moment at which something is due.
    pub(in crate::plugin) fn timeout(&self) -> Option<Mono> {
        if self.phase == Phase::Killed {
            return None;
        }
        let phase = match self.phase {
            Phase::Starting { until } | Phase::ShuttingDown { until } | Phase::Exiting { until } => {
                Some(until)
            }
            Phase::Up | Phase::Killed => None,
        };
        let ping = (self.phase == Phase::Up).then(|| self.pings.as_ref().map(Pings::next_at)).flatten();
        let unread = self.outbox.deadline();
        let actions = self.open.values().filter_map(|open| match open {
            OpenRequest::Action { until, .. } => Some(*until),
            OpenRequest::Initialize | OpenRequest::Shutdown => None,
        });
        let is_read = self.throttle.is_on && !self.throttle.is_held;
        let throttle = is_read.then(|| self.throttle.waited_at + THROTTLE_OVER);
        [phase, ping, unread, self.stdout_closed, throttle, self.dropped.report_at]
            .into_iter()
            .flatten()
            .chain(actions)
            .min()
    }
}

/// A process that has not had to wait for so long is not throttled.
pub(in crate::plugin) const THROTTLE_OVER: Duration = Duration::from_secs(1);
