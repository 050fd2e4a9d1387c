//! One unit of a queue: an answer, or a message with the Deliver of each subscription that it is for.

use std::collections::VecDeque;

use bytes::Bytes;

use super::Slot;
use crate::rmp::is_expired;

#[derive(Debug)]
pub(super) struct Unit<T> {
    /// Bytes copied, the heads' included; never 0.
    pub(super) copied: usize,
    /// What follows them.
    pub(super) shared: Option<Box<Bytes>>,
    pub(super) kind: UnitKind<T>,
}

#[derive(Debug)]
pub(super) enum UnitKind<T> {
    Answer,
    Delivery {
        slot: Slot,
        head: u32,
        expires_at_ms: u64,
        tag: T,
    },
    /// One message for several subscriptions.
    FanOut(Box<FanOut<T>>),
    /// Taken out; its copied bytes are passed over when their turn comes.
    Removed,
}

/// A message for several subscriptions: it is kept once, behind the heads of all, and leaves behind each.
#[derive(Debug)]
pub(super) struct FanOut<T> {
    pub(super) expires_at_ms: u64,
    /// Those that do not have it yet; never empty.
    pub(super) recipients: VecDeque<Recipient<T>>,
    /// Bytes of the heads, and of those of them that have left.
    pub(super) heads: usize,
    pub(super) heads_sent: usize,
}

/// One subscription that a message is for.
#[derive(Debug)]
pub(super) struct Recipient<T> {
    pub(super) slot: Slot,
    /// Bytes of its head.
    pub(super) head: usize,
    pub(super) tag: T,
}

impl<T> Unit<T> {
    /// Bytes of memory, the message once.
    #[inline]
    pub(super) fn bytes(&self) -> usize {
        self.copied + self.shared_bytes()
    }

    #[inline]
    pub(super) fn shared_bytes(&self) -> usize {
        self.shared.as_ref().map_or(0, |shared| shared.len())
    }

    /// Bytes of the message that a fan-out keeps, without a head.
    pub(super) fn message_bytes(&self, heads: usize) -> usize {
        self.copied - heads + self.shared_bytes()
    }

    /// Bytes that leave before it, or its message for the next subscription, has left.
    #[inline]
    pub(super) fn wire_bytes(&self) -> usize {
        match &self.kind {
            UnitKind::FanOut(fan_out) => {
                let head = fan_out.recipients.front().map_or(0, |next| next.head);
                head + self.message_bytes(fan_out.heads)
            }
            _ => self.bytes(),
        }
    }

    /// Copied bytes that are not kept any more once so many bytes of the unit have left: those of a fan-out
    /// leave again for the next subscription.
    #[inline]
    pub(super) fn consumed(&self, begun: usize) -> usize {
        if matches!(self.kind, UnitKind::FanOut(_)) { 0 } else { begun.min(self.copied) }
    }

    #[inline]
    pub(super) fn is_delivery(&self) -> bool {
        matches!(self.kind, UnitKind::Delivery { .. } | UnitKind::FanOut(_))
    }

    #[inline]
    pub(super) fn is_removed(&self) -> bool {
        matches!(self.kind, UnitKind::Removed)
    }

    #[inline]
    pub(super) fn is_expired(&self, now_ms: u64) -> bool {
        match &self.kind {
            UnitKind::Delivery { expires_at_ms, .. } => is_expired(now_ms, *expires_at_ms),
            UnitKind::FanOut(fan_out) => is_expired(now_ms, fan_out.expires_at_ms),
            UnitKind::Answer | UnitKind::Removed => false,
        }
    }
}
