//! The bridge's state as a reader of the tap starts from it, with bounded windows, and the fold that carries
//! it on.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
    sync::Arc,
};

use crate::{
    ids::{EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, SessionId, TraceId},
    tap::entry::mpp::{Brake, CloseCause, Level, RowState},
    time::Now,
};

/// What holds on the bridge at one moment; by default, of one that has not started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Whether the port answers.
    pub listener: Listener,
    /// Whether an adapter could authenticate.
    pub paired: bool,
    /// The manifest in force.
    pub pack: PackFacts,
    /// The active adapter.
    pub adapter: Option<AdapterView>,
    /// Why the last adapter left.
    pub last_close: Option<(Peer, CloseCause, Now)>,
    /// Every queue of the manifest, and those that rows of other manifests name.
    pub queues: BTreeMap<QueueName, QueueView>,
    /// Rows that are dispatched or applied and have not ended, by id; those left in applied by an earlier
    /// connection too, up to `limits.mpp.recent_rows_max` of them.
    pub live: BTreeMap<InvocationId, LiveView>,
    /// Rows that ended, oldest first, at most `limits.mpp.recent_rows_max`.
    pub recent: VecDeque<EndedView>,
    /// The adapter's log, oldest first, at most `limits.mpp.log_entries_max`.
    pub logs: VecDeque<LogView>,
    /// Why commits fail, while they do.
    pub commits_failing: Option<Arc<str>>,
    /// Which queue's rows could not be read twice in a row and why, while one's cannot.
    pub reads_failing: Option<Arc<str>>,
}

/// The state of the listener.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Listener {
    /// Not bound yet.
    #[default]
    Starting,
    /// It answers.
    Listening(SocketAddr),
    /// It does not.
    Down(Arc<str>),
}

/// The facts shown of a manifest; by default, of none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackFacts {
    /// Its reverse-DNS identifier.
    pub id: PackId,
    /// Its name for people.
    pub name: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// Its hash.
    pub hash: ManifestHash,
    /// Whether it is the embedded sample.
    pub is_sample: bool,
}

impl Default for PackFacts {
    fn default() -> Self {
        Self {
            id: PackId::new(""),
            name: Arc::default(),
            version: Arc::default(),
            hash: ManifestHash::new(""),
            is_sample: false,
        }
    }
}

/// The active adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterView {
    /// From where.
    pub peer: Peer,
    /// Since when.
    pub connected_at: Now,
    /// When it last sent a frame.
    pub last_in: Now,
    /// The `session_id` it was told.
    pub session_id: SessionId,
    /// Whether a stale warning stands.
    pub stale: bool,
}

/// When a queue's slot is freed (mpp-v2 §6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadyAfter {
    /// On `applied`.
    #[default]
    Applied,
    /// On `done` or `failed`.
    Done,
}

/// One queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueView {
    /// When its slot is freed; absent for a queue that the manifest in force does not declare.
    pub ready_after: Option<ReadyAfter>,
    /// Pending rows under the manifest in force.
    pub pending: u64,
    /// Pending rows under another manifest.
    pub other_manifest: u64,
    /// What occupies its slot.
    pub in_flight: Option<InvocationId>,
    /// Whether a pull is parked.
    pub parked: bool,
    /// Hold and drain.
    pub brake: Brake,
    /// Rows done since the station started.
    pub done: u64,
    /// Rows failed or refunded since the station started, cancelled ones included.
    pub failed: u64,
}

/// A row that is with the adapter, or was left in applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveView {
    /// Its queue.
    pub queue: QueueName,
    /// Its event.
    pub event: EventName,
    /// `dispatched` or `applied`.
    pub state: RowState,
    /// Since when it is in that state.
    pub since: Now,
    /// What it belongs to.
    pub trace: Option<TraceId>,
    /// Whether receipt was confirmed.
    pub acked: bool,
    /// Whether its connection is gone (ruling MPP 9).
    pub orphaned: bool,
}

/// A row that ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedView {
    /// Its id.
    pub id: InvocationId,
    /// Its queue.
    pub queue: QueueName,
    /// Its event.
    pub event: EventName,
    /// `done`, `failed` or `refunded`.
    pub state: RowState,
    /// When.
    pub at: Now,
    /// Why, where it failed.
    pub reason: Option<Arc<str>>,
    /// What it belongs to.
    pub trace: Option<TraceId>,
}

/// A line of the adapter's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogView {
    /// When it came.
    pub at: Now,
    /// As the adapter said.
    pub level: Level,
    /// The line.
    pub text: Arc<str>,
}
