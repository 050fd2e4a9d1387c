//! The rows of invocations and what can be asked to happen to them.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{EventName, InvocationId, ManifestHash, PackId, QueueName, RefundId, TraceId},
    schema::JsonText,
    tap::entry::mpp::{RefundStatus, RowState},
    time::Wall,
};

/// Where an invocation came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// `channel_points`, `bits`, or any other word of the caller's; `manual` when nothing was said.
    pub kind: String,
    /// The upstream's id of the redemption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redemption: Option<String>,
    /// The viewer's login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

impl Source {
    /// What upstream does with a refund of this source (mpp-v2, failed).
    #[must_use]
    pub fn refund_status(&self) -> RefundStatus {
        match self.kind.as_str() {
            "channel_points" => RefundStatus::Requested,
            "bits" => RefundStatus::Skipped,
            _ => RefundStatus::Manual,
        }
    }
}

/// One invocation as the store has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its id.
    pub id: InvocationId,
    /// Its queue.
    pub queue: QueueName,
    /// Its event.
    pub event: EventName,
    /// Where it stands.
    pub state: RowState,
    /// The event's parameters, as the text that came.
    pub params: JsonText,
    /// What `applied` reported.
    pub result: Option<JsonText>,
    /// Why it failed.
    pub reason: Option<String>,
    /// Where it came from.
    pub source: Source,
    /// What makes a repeated enqueue the same one, unique within `source.kind`.
    pub key: Option<String>,
    /// What it belongs to.
    pub trace_id: TraceId,
    /// The pack it was enqueued under (ruling MPP 5).
    pub pack_id: PackId,
    /// The manifest it was enqueued under (ruling MPP 5).
    pub manifest_hash: ManifestHash,
    /// When it was enqueued.
    pub enqueued_at_ms: Wall,
    /// When its state last changed.
    pub updated_at_ms: Wall,
    /// The refund that was recorded for it, also once its record is deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<RefundStatus>,
    /// The row that it was requeued from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requeued_from: Option<InvocationId>,
    /// What of it cannot be read, and why; a stand-in is in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

impl Row {
    /// Bytes of its texts, as the bounds in bytes count them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let Source { kind, redemption, user } = &self.source;
        let texts = [self.queue.as_str(), self.event.as_str(), self.params.as_str(), kind];
        let optional = [
            redemption.as_deref(),
            user.as_deref(),
            self.key.as_deref(),
            self.reason.as_deref(),
            self.result.as_ref().map(JsonText::as_str),
        ];
        texts.into_iter().chain(optional.into_iter().flatten()).map(|text| text.len() as u64).sum()
    }
}

/// A pending row as a core holds it to dispatch it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its id.
    pub id: InvocationId,
    /// Its event.
    pub event: EventName,
    /// The event's parameters, as the text that came.
    pub params: JsonText,
    /// What it belongs to.
    pub trace_id: TraceId,
    /// Where it came from.
    pub source: Source,
    /// When it was enqueued.
    pub enqueued_at: Wall,
    /// What of it cannot be read, and why; a stand-in is in its place, and it may not be sent.
    pub damage: Option<String>,
    /// Bytes of its texts ([`Row::bytes`]).
    pub bytes: u64,
}

/// A row's move to another state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Which row.
    pub id: InvocationId,
    /// The state it has from now on.
    pub state: RowState,
    /// What `applied` reported; absent keeps what is there.
    pub result: Option<JsonText>,
    /// Why it failed; absent keeps what is there.
    pub reason: Option<String>,
    /// When.
    pub at: Wall,
}

/// A refund to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewRefund {
    /// For which invocation.
    pub invocation_id: InvocationId,
    /// Where that came from.
    pub source: Source,
    /// What becomes of it.
    pub status: RefundStatus,
    /// When.
    pub at: Wall,
}

/// A refund as the store has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refund {
    /// Its id.
    pub id: RefundId,
    /// For which invocation.
    pub invocation_id: InvocationId,
    /// Where that came from.
    pub source: Source,
    /// What becomes of it.
    pub status: RefundStatus,
    /// When it was recorded.
    pub at_ms: Wall,
    /// What of it cannot be read, and why; a stand-in is in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// What became of one row or lookup of an enqueue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enqueued {
    /// It is recorded.
    Inserted,
    /// Its key was there already; this is the row that has it.
    Repeated(Box<Row>),
    /// A key that was looked up belongs to no row.
    NotThere,
}

/// What became of one row of a cancel or settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is changed. `refund` is the record made for it, where one was asked for.
    Changed {
        /// The row as it was before.
        before: Box<Row>,
        /// The refund record.
        refund: Option<(RefundId, RefundStatus)>,
    },
    /// It stands elsewhere, and was left alone.
    NotThere {
        /// Where it stands.
        state: RowState,
    },
    /// There is no such row.
    NoSuchRow,
}

/// How many rows of each kind a queue has at start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Pending under the manifest in force.
    pub pending: u64,
    /// Pending under another.
    pub other_manifest: u64,
}
