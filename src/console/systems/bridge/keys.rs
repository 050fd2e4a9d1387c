//! What tells the bridge's records apart.

use crate::{
    console::records::record_key::KeyKind,
    ids::{EventName, InvocationId, QueueName, RefundId, StateKey},
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
