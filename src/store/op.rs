//! What a core asks the store for. A core speaks this language and never touches the store itself; its host
//! carries it there.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{
    invocations::{Changed, Enqueued, Move, NewRefund, Pending, Row},
    macp::{MacpDone, MacpOp},
    mplp::{Rated, Rating},
    plugins::PluginOp,
    runs::RunOp,
    state::StateRow,
};
use crate::{
    ids::{InvocationId, ManifestHash, PackId, QueueName, RefundId, StateKey, TraceId},
    schema::JsonText,
    tap::{
        InjectedTrace,
        entry::{
            alerts::Alert,
            mpp::{Brake, RefundStatus, RowState},
        },
    },
    time::Wall,
};

/// What a commit must survive (ruling MPP 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Nothing: written when convenient, its ticket is not waited for.
    WriteBehind,
    /// The death of the process.
    Process,
    /// The loss of power: fsynced before it is acknowledged.
    Power,
}

/// One request to the store; it happens whole or not at all, and in the order in which requests were made.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Records rows; a row whose `(source.kind, key)` is there already is left out and answered with the one
    /// that has it.
    Enqueue {
        /// The rows, with their ids. A row that fails at once comes as `failed` with its reason.
        rows: Vec<Row>,
        /// `(source.kind, key)` of rows that are not to be recorded: each is answered with the row that has
        /// it, these `rows` among them, or with [`Enqueued::NotThere`].
        lookups: Vec<(String, String)>,
    },
    /// Moves one row.
    Move(Move),
    /// Moves one row and records a refund for it.
    Refund {
        /// The move to `refunded`.
        moved: Move,
        /// The record.
        refund: NewRefund,
    },
    /// Moves rows that are in `from` to `failed` or `done`; those that are not are left alone and said so.
    Change {
        /// Which rows.
        ids: Vec<InvocationId>,
        /// The state that they must be in.
        from: RowState,
        /// The state that they take.
        to: RowState,
        /// Why.
        reason: Option<String>,
        /// Whether each gets a refund record.
        refund: bool,
        /// When.
        at: Wall,
    },
    /// Gives pending rows of another manifest of the same pack this one's hash, or fails them (ruling MPP 5).
    Migrate {
        /// What the core decided for each row.
        rows: Vec<Migration>,
        /// The hash they take.
        manifest_hash: ManifestHash,
        /// When.
        at: Wall,
    },
    /// Sets a pack-state value that persists.
    WriteState {
        /// Which pack's.
        pack_id: PackId,
        /// Which key.
        key: StateKey,
        /// The value as the text that came.
        value: JsonText,
        /// The adapter's scope tag.
        scope: Option<String>,
        /// When.
        at: Wall,
    },
    /// Keeps things of runs, all or none.
    Runs(Arc<[RunOp]>),
    /// Keeps something of sessions.
    Macp(MacpOp),
    /// Keeps alerts as they are now.
    Alerts(Vec<Arc<Alert>>),
    /// Keeps which traces have injected frames, and which of those have rows; those known longest of too many
    /// go.
    InjectedTraces(Vec<InjectedTrace>),
    /// Keeps a trigger that was added, or no longer.
    Trigger {
        /// Its name.
        name: String,
        /// It as JSON; nothing where it was removed.
        spec: Option<String>,
    },
    /// Rates a run, in place of what was said of it before.
    Rate {
        /// Which run.
        run: TraceId,
        /// What is said of it.
        rating: Rating,
    },
    /// Keeps things of plugins and of the stream, all or none.
    Plugins(Vec<PluginOp>),
    /// Sets a queue's brake.
    SetBrake {
        /// Which queue.
        queue: QueueName,
        /// What holds from now on.
        brake: Brake,
    },
}

/// What a core decided for one row of another manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Migration {
    /// Which row.
    pub id: InvocationId,
    /// The reason it fails, or nothing when it takes the new hash.
    pub fails: Option<String>,
}

/// What a committed [`Op`] did, in the same shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// One item a row, in order, then one a lookup.
    Enqueued(Vec<Enqueued>),
    /// Nothing to tell.
    Plain,
    /// What became of sessions.
    Macp(MacpDone),
    /// Whether the run could be rated.
    Rated(Rated),
    /// The refund's id.
    Refunded(RefundId, RefundStatus),
    /// One item an id, in order.
    Changed(Vec<Changed>),
    /// How many rows took the hash or failed; rows that were no longer pending are not counted.
    Migrated {
        /// Took the hash.
        moved: u64,
        /// Failed.
        failed: u64,
    },
}

/// Rows that a core asked to read ahead, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Of which queue.
    pub queue: QueueName,
    /// All with greater ids than this.
    pub after: InvocationId,
    /// The rows.
    pub rows: Vec<Pending>,
    /// Whether there are more behind them.
    pub more: bool,
}

/// Why a commit did not happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum CommitError {
    /// Too much is waiting already.
    #[error("the store is busy: {waiting} requests waiting")]
    Busy {
        /// How many.
        waiting: u64,
    },
    /// The disk or the database refused.
    #[error("the store cannot write: {0}")]
    Failed(String),
}

/// What a core starts from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restored {
    /// The next free invocation id.
    pub next_id: InvocationId,
    /// Counts of pending rows by queue, queues of other manifests and undeclared ones included.
    pub counts: std::collections::BTreeMap<QueueName, super::invocations::QueueCounts>,
    /// Brakes by queue.
    pub brakes: std::collections::BTreeMap<QueueName, Brake>,
    /// Persisted pack state of the pack in force.
    pub state: Vec<StateRow>,
    /// Rows left in `applied`, oldest first, at most `limits.mpp.recent_rows_max`.
    pub left_applied: Vec<Row>,
    /// Rows found as dispatched, now pending again.
    pub requeued: u64,
    /// Bytes of the texts of pending rows.
    pub pending_bytes: u64,
    /// Why the store could not be opened, where nothing of this was read.
    pub failing: Option<String>,
}
