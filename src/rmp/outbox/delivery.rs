//! What goes in and comes out of a queue.

use bytes::Bytes;

use super::{SHARED_BYTES_MIN, Slot};

/// The peer reads so little that its answers pile up: its connection is to be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{bytes} bytes of answers are waiting; the limit is {bytes_max}")]
pub struct NotReading {
    /// Bytes that are waiting.
    pub bytes: u64,
    /// The limit in force.
    pub bytes_max: u64,
}

/// A message for one subscription. `T` is what its owner needs to tell of its loss.
#[derive(Clone, Debug)]
pub struct Delivery<'a, T> {
    /// The bytes written before the message.
    pub head: &'a [u8],
    /// The message as it came.
    pub message: Payload<'a>,
    /// The moment from which it is not worth delivering, in milliseconds since the Unix epoch.
    pub expires_at_ms: u64,
    /// Handed out again should it be taken out.
    pub tag: T,
}

/// The bytes of a message.
#[derive(Clone, Copy, Debug)]
pub enum Payload<'a> {
    /// They are copied, whatever their number.
    Copied(&'a [u8]),
    /// They are shared from [`SHARED_BYTES_MIN`] on.
    Shared(&'a Bytes),
}

impl<'a> Payload<'a> {
    /// What is copied of it, and what is shared.
    #[inline]
    pub(super) fn split(self) -> (&'a [u8], Option<Box<Bytes>>) {
        match self {
            Self::Shared(shared) if shared.len() >= SHARED_BYTES_MIN => (&[], Some(Box::new(shared.clone()))),
            Self::Shared(bytes) => (bytes, None),
            Self::Copied(bytes) => (bytes, None),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Copied(bytes) => bytes,
            Self::Shared(bytes) => bytes,
        }
    }
}

/// A delivery that was taken out: it expired (rmp-v0 §4), or others need its room (ruling RMP 8).
#[derive(Clone, Debug)]
pub struct TakenOut<'a, T> {
    /// The subscription.
    pub slot: Slot,
    /// What was written before the message.
    pub head: &'a [u8],
    /// The message as it came.
    pub message: &'a [u8],
    /// From when on it is expired.
    pub expires_at_ms: u64,
    /// What came with it.
    pub tag: T,
}

/// What left entirely by one write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Deliveries.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Answers.
    pub answers: u64,
}
