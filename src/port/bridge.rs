//! Rows of the MPP bridge. The rows are printed as they are by `ls … --json`.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{EventName, InvocationId, ManifestHash, PackId, Peer, QueueName, RefundId, StateKey, TraceId},
    mpp::{ReadyAfter, WrittenBy, manifest::Writer},
    schema::JsonText,
    store::invocations::{Row, Source},
    tap::entry::mpp::{RefundStatus, RowState},
    time::Wall,
};

/// `ls queues`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueRow {
    /// Its name.
    pub queue: QueueName,
    /// When its slot is freed; null for a queue that the manifest in force does not declare.
    pub ready_after: Option<ReadyAfter>,
    /// Pending rows under the manifest in force.
    pub pending: u64,
    /// Pending rows under another manifest.
    pub other_manifest: u64,
    /// What occupies its slot.
    pub in_flight: Option<InvocationId>,
    /// Whether a pull is parked.
    pub parked: bool,
    /// Whether dispatch is held.
    pub held: bool,
    /// Whether new work is refused.
    pub draining: bool,
    /// When the oldest row that waits under the manifest in force was enqueued, in Unix milliseconds, where
    /// that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_at_ms: Option<Wall>,
}

/// `ls events`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRow {
    /// Its name.
    pub event: EventName,
    /// Where its invocations go unless another queue is asked for.
    pub queue: QueueName,
    /// Its name for people.
    pub title: Option<String>,
    /// The JSON Schema of its parameters, beside their being an object.
    pub schema: Option<JsonText>,
}

/// `ls invocations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvocationRow {
    /// Its id.
    pub id: InvocationId,
    /// Its queue.
    pub queue: QueueName,
    /// Its event.
    pub event: EventName,
    /// Where it stands.
    pub state: RowState,
    /// The event's parameters, an object; null where a recording does not have them.
    pub params: JsonText,
    /// What `applied` reported.
    pub result: Option<JsonText>,
    /// Why it failed.
    pub reason: Option<String>,
    /// Where it came from; of no kind where a recording does not say it.
    pub source: Source,
    /// What it belongs to; nil where a recording does not say it.
    pub trace_id: TraceId,
    /// When it was enqueued, in Unix milliseconds; 0 where that was before a recording.
    pub enqueued_at_ms: Wall,
    /// When its state last changed, in Unix milliseconds.
    pub updated_at_ms: Wall,
    /// The manifest it was enqueued under, where that is not the one in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_manifest: Option<ManifestHash>,
    /// What becomes of the refund that was recorded for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refund: Option<RefundStatus>,
    /// The row that it was requeued from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requeued_from: Option<InvocationId>,
    /// What of the stored row cannot be read, and why; a stand-in is in its place. It is never sent, and can
    /// be cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

impl InvocationRow {
    /// When it was enqueued, where that is known.
    #[must_use]
    pub fn enqueued_at(&self) -> Option<Wall> {
        (self.enqueued_at_ms != Wall(0)).then_some(self.enqueued_at_ms)
    }

    /// What it belongs to, where that is known.
    #[must_use]
    pub fn trace(&self) -> Option<TraceId> {
        (!self.trace_id.0.is_nil()).then_some(self.trace_id)
    }

    /// A stored row as it is printed by a station whose manifest in force is `pack_id` and `hash`.
    #[must_use]
    pub fn of(row: Row, pack_id: &PackId, hash: &ManifestHash) -> Self {
        let other_manifest =
            (row.manifest_hash != *hash || row.pack_id != *pack_id).then_some(row.manifest_hash);
        Self {
            id: row.id,
            queue: row.queue,
            event: row.event,
            state: row.state,
            params: row.params,
            result: row.result,
            reason: row.reason.or_else(|| row.damage.as_ref().map(|damage| format!("damaged: {damage}"))),
            source: row.source,
            trace_id: row.trace_id,
            enqueued_at_ms: row.enqueued_at_ms,
            updated_at_ms: row.updated_at_ms,
            other_manifest,
            refund: row.refund,
            requeued_from: row.requeued_from,
            damage: row.damage,
        }
    }
}

/// `ls state`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateKeyRow {
    /// Its key.
    pub key: StateKey,
    /// The last accepted value.
    pub value: JsonText,
    /// The adapter's scope tag.
    pub scope: Option<String>,
    /// Whether it is stored and replayed.
    pub persist: bool,
    /// Who may write it, as the manifest in force declares; absent from a station that does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writer: Option<Writer>,
    /// Who wrote the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<WrittenBy>,
    /// When it was written, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ms: Option<Wall>,
}

/// `ls refunds`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefundRow {
    /// Its id.
    pub id: RefundId,
    /// For which invocation.
    pub invocation_id: InvocationId,
    /// Where that came from.
    pub source: Source,
    /// What becomes of it.
    pub status: RefundStatus,
    /// When it was recorded, in Unix milliseconds.
    pub at_ms: Wall,
    /// What of the stored record cannot be read, and why; a stand-in is in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// `ls adapters`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterRow {
    /// From where.
    pub peer: Peer,
    /// Since when, in Unix milliseconds.
    pub connected_at_ms: Wall,
    /// The pack it serves.
    pub pack_id: PackId,
    /// When it last sent a frame, in Unix milliseconds.
    pub last_in_ms: Wall,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_an_older_station_are_understood() {
        let row: StateKeyRow =
            serde_json::from_str(r#"{"key":"resets","value":3.0,"scope":null,"persist":true}"#).unwrap();
        assert_eq!((row.writer, row.written_by, row.at_ms), (None, None, None));
        let queue = r#"{"queue":"boss","ready_after":"done","pending":3,"other_manifest":1,"in_flight":null,"parked":true,"held":false,"draining":true}"#;
        assert_eq!(serde_json::from_str::<QueueRow>(queue).unwrap().head_at_ms, None);
    }
}
