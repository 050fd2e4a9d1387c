//! One alert.

use std::{sync::Arc, time::Duration};

use crate::{
    ids::{Peer, QueueName},
    tap::entry::Link,
    time::Now,
};

/// What is the matter, and with whom. Two alerts of one cause never stand at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A host does not answer.
    HostDown(Link),
    /// The bridge's port is not bound or accepts nothing.
    PortDown,
    /// The bus's socket is not bound or accepts nothing.
    SocketDown,
    /// Messages of the bus do not reach their subscribers, and it goes on.
    Dropping,
    /// The store refuses commits.
    StoreFailing,
    /// The data folder's disk is nearly full.
    DiskLow,
    /// A recording could not be begun, or ended by an error.
    RecordingFailed,
    /// This adapter left, and none has come since.
    AdapterGone(Peer),
    /// This adapter is connected and sends nothing.
    AdapterSilent(Peer),
    /// The head of this queue is not dispatched. A queue that the operator holds is not meant: that it waits
    /// is his own doing.
    HeadWaiting(QueueName),
    /// Rows were left in applied by a connection that ended, and wait to be settled.
    Orphaned,
    /// Runs wait for a person's decision.
    AwaitingApproval,
    /// Runs failed in the last minute.
    RunsFailed,
}

impl Cause {
    /// Its name for scripts.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::HostDown(_) => "host_down",
            Self::PortDown => "port_down",
            Self::SocketDown => "socket_down",
            Self::Dropping => "dropping",
            Self::StoreFailing => "store_failing",
            Self::DiskLow => "disk_low",
            Self::RecordingFailed => "recording_failed",
            Self::AdapterGone(_) => "adapter_gone",
            Self::AdapterSilent(_) => "adapter_silent",
            Self::HeadWaiting(_) => "head_waiting",
            Self::Orphaned => "left_applied",
            Self::AwaitingApproval => "confirmation_waiting",
            Self::RunsFailed => "runs_failed",
        }
    }

    /// Whom it concerns: a queue, a peer, a part of the station.
    pub(crate) fn subject(&self) -> &str {
        match self {
            Self::HostDown(link) => link.name(),
            Self::PortDown | Self::Orphaned => "mpp",
            Self::SocketDown | Self::Dropping => "rmp",
            Self::StoreFailing | Self::DiskLow => "store",
            Self::RecordingFailed => "recording",
            Self::AwaitingApproval | Self::RunsFailed => "runs",
            Self::AdapterGone(peer) | Self::AdapterSilent(peer) => peer.as_str(),
            Self::HeadWaiting(queue) => queue.as_str(),
        }
    }

    /// The system whose chip it lights.
    pub(crate) const fn link(&self) -> Link {
        match self {
            Self::HostDown(link) => *link,
            Self::SocketDown | Self::Dropping => Link::Rmp,
            Self::AwaitingApproval | Self::RunsFailed => Link::Runs,
            Self::StoreFailing | Self::DiskLow | Self::RecordingFailed => Link::Station,
            Self::PortDown
            | Self::AdapterGone(_)
            | Self::AdapterSilent(_)
            | Self::HeadWaiting(_)
            | Self::Orphaned => Link::Mpp,
        }
    }
}

/// Where an alert stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AlertStatus {
    /// It waits to be seen.
    Active,
    /// It was put away, and its cause holds on.
    Acknowledged,
    /// Its cause is gone.
    Resolved {
        /// Since when.
        at: Now,
    },
}

/// One alert.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alert {
    /// Its number in this process, from 1.
    pub(crate) number: u64,
    pub(crate) cause: Cause,
    /// Since when its cause holds: before the rule was met.
    pub(crate) since: Now,
    /// What is the matter, in a sentence. It is kept up to date while the cause holds.
    pub(crate) text: Arc<str>,
    pub(crate) status: AlertStatus,
    /// What the last of several things is told by that it tells of: it grows with each further one.
    pub(crate) last: Option<u64>,
}

impl Alert {
    /// One made by hand.
    #[cfg(test)]
    pub(crate) fn for_test(cause: Cause, since: Now, text: &str, status: AlertStatus) -> Self {
        Self { number: 1, cause, since, text: text.into(), status, last: None }
    }

    /// Whether its cause holds.
    pub(crate) const fn holds(&self) -> bool {
        !matches!(self.status, AlertStatus::Resolved { .. })
    }

    /// How long its cause has held, or did.
    pub(crate) fn duration(&self, now: Now) -> Duration {
        let until = match self.status {
            AlertStatus::Resolved { at } => at,
            AlertStatus::Active | AlertStatus::Acknowledged => now,
        };
        // What an earlier start of the station left has the wall clock's time alone.
        if self.since.mono.0 == 0 {
            until.wall.since(self.since.wall)
        } else {
            until.mono.since(self.since.mono)
        }
    }
}
