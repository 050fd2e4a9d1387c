//! The changes of the bridge's state.

use std::net::SocketAddr;

use super::{Brake, CloseCause, FailedBy, Level, RefundStatus, RowState};
use crate::ids::{
    EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, RefundId, SessionId, StateKey,
};

/// A change of the bridge's state. A text that belongs to it lies beside the entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// The port answers.
    Listening {
        /// Where.
        addr: SocketAddr,
    },
    /// The port could not be bound or accepting fails; the text says why.
    NotListening,
    /// The station has a pairing now.
    Paired,
    /// A connection was accepted.
    Connected {
        /// From where.
        peer: Peer,
    },
    /// The handshake succeeded; this is the active adapter.
    Handshaken {
        /// From where.
        peer: Peer,
        /// What it was told.
        session_id: SessionId,
        /// Rows of `persisted[]` it was sent.
        persisted: u32,
    },
    /// A connection ended.
    Disconnected {
        /// From where.
        peer: Peer,
        /// Whether it was the active adapter.
        active: bool,
        /// Why.
        cause: CloseCause,
    },
    /// The active adapter has sent nothing for so long (mpp-v2, heartbeat).
    Stale {
        /// Seconds of silence.
        silent_s: u64,
    },
    /// A pull was parked.
    Parked {
        /// On which queue.
        queue: QueueName,
    },
    /// A row was recorded as pending, durably.
    Enqueued {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
        /// The row that it was requeued from by an operator, where it was.
        requeued_from: Option<InvocationId>,
    },
    /// pending → dispatched; the pull is consumed.
    Dispatched {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
    },
    /// The adapter confirmed receipt.
    Acked {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// dispatched → applied.
    Applied {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Whether that freed the queue.
        cleared: bool,
    },
    /// applied → done.
    Done {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
        /// Whether that freed the queue.
        cleared: bool,
        /// By an operator rather than by the adapter.
        settled: bool,
    },
    /// → failed. The text is the reason, verbatim.
    Failed {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
        /// The state it left: `pending`, `dispatched` or `applied`.
        from: RowState,
        /// Whether that freed the queue.
        cleared: bool,
        /// By whom.
        by: FailedBy,
    },
    /// dispatched → refunded. The text is the reason, verbatim.
    Refunded {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
        /// Its event.
        event: EventName,
    },
    /// dispatched → pending, because the connection went away.
    Requeued {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// Its connection went away after `applied` on a `done` queue; it stays applied and does not occupy its
    /// queue (ruling MPP 9).
    Orphaned {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// A refund was recorded, durably.
    RefundRecorded {
        /// The record.
        refund: RefundId,
        /// For which invocation.
        id: InvocationId,
        /// What becomes of it.
        status: RefundStatus,
    },
    /// A pending row of another manifest was cancelled.
    OtherCancelled {
        /// Its id.
        id: InvocationId,
        /// Its queue.
        queue: QueueName,
    },
    /// Rows of another manifest took this one's hash (ruling MPP 5).
    Migrated {
        /// Their queue.
        queue: QueueName,
        /// How many are pending here now.
        rows: u64,
        /// How many of them failed instead, because their queue is unknown or their params do not fit.
        failed: u64,
    },
    /// A queue's brake changed.
    Braked {
        /// Which queue.
        queue: QueueName,
        /// What holds now.
        brake: Brake,
    },
    /// A draining queue has become empty.
    Drained {
        /// Which queue.
        queue: QueueName,
    },
    /// The adapter logged a line; the text is the line (mpp-v2, log).
    Logged {
        /// As it said.
        level: Level,
    },
    /// A pack-state value was written; the text is the value's JSON.
    StateWritten {
        /// Its key.
        key: StateKey,
        /// Whether it is replayed at the next handshake.
        persist: bool,
    },
    /// A persisted value was left out of `persisted[]`; the text says why (ruling MPP 13).
    PersistedLeftOut {
        /// Its key.
        key: StateKey,
    },
    /// Commits fail; pulls stay parked and enqueue is refused. The text says why.
    CommitsFailing,
    /// Commits succeed again.
    CommitsOk,
    /// Rows of a queue could not be read twice in a row; it waits, and others go on. The text says which and
    /// why.
    ReadsFailing,
    /// All queues' rows are read again.
    ReadsOk,
    /// The manifest in force.
    PackLoaded {
        /// Its identifier.
        pack_id: PackId,
        /// Its hash.
        manifest_hash: ManifestHash,
    },
}

impl Transition {
    /// The invocation whose state changed, where it is one's.
    #[must_use]
    pub fn invocation(&self) -> Option<InvocationId> {
        match self {
            Self::Enqueued { id, .. }
            | Self::Dispatched { id, .. }
            | Self::Acked { id, .. }
            | Self::Applied { id, .. }
            | Self::Done { id, .. }
            | Self::Failed { id, .. }
            | Self::Refunded { id, .. }
            | Self::Requeued { id, .. }
            | Self::Orphaned { id, .. }
            | Self::RefundRecorded { id, .. }
            | Self::OtherCancelled { id, .. } => Some(*id),
            Self::Listening { .. }
            | Self::NotListening
            | Self::Paired
            | Self::Connected { .. }
            | Self::Handshaken { .. }
            | Self::Disconnected { .. }
            | Self::Stale { .. }
            | Self::Parked { .. }
            | Self::Migrated { .. }
            | Self::Braked { .. }
            | Self::Drained { .. }
            | Self::Logged { .. }
            | Self::StateWritten { .. }
            | Self::PersistedLeftOut { .. }
            | Self::CommitsFailing
            | Self::CommitsOk
            | Self::ReadsFailing
            | Self::ReadsOk
            | Self::PackLoaded { .. } => None,
        }
    }
}
