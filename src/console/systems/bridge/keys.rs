//! What tells the bridge's records apart.

use crate::{
    console::records::{paged_list::Record, record_key::KeyKind, selection::RecordKey},
    ids::{EventName, InvocationId, QueueName, RefundId, StateKey},
    port::{InvocationRow, QueueRow, RefundRow, StateKeyRow},
};

/// A queue.
pub(crate) const QUEUE: KeyKind<QueueName> = KeyKind::new("queue");
/// An invocation, wherever it is listed.
pub(crate) const INVOCATION: KeyKind<InvocationId> = KeyKind::new("invocation");
/// An event of the manifest.
pub(crate) const EVENT: KeyKind<EventName> = KeyKind::new("event");
/// A refund record.
pub(crate) const REFUND: KeyKind<RefundId> = KeyKind::new("refund");
/// A value of the pack state.
pub(crate) const STATE_KEY: KeyKind<StateKey> = KeyKind::new("state key");
/// A line of the adapter's log.
pub(crate) const LOG_LINE: KeyKind<u64> = KeyKind::new("adapter log line");

impl Record for InvocationRow {
    fn key(&self) -> RecordKey {
        INVOCATION.of(self.id)
    }

    fn number(&self) -> u64 {
        self.id.0
    }
}

impl Record for RefundRow {
    fn key(&self) -> RecordKey {
        REFUND.of(self.id)
    }

    fn number(&self) -> u64 {
        self.id.0
    }
}

impl Record for StateKeyRow {
    fn key(&self) -> RecordKey {
        STATE_KEY.of(self.key.clone())
    }
}

impl Record for QueueRow {
    fn key(&self) -> RecordKey {
        QUEUE.of(self.queue.clone())
    }
}
