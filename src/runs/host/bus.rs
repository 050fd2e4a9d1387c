//! What the runs need of a bus. The station translates it, so that neither knows the other.

use std::{any::Any, pin::Pin};

use bytes::Bytes;

use crate::{
    ids::{ConnectionId, TopicName, TraceId},
    runs::engine::Reach,
    tap::entry::runs::Asker,
    time::Mono,
};

/// Whom a message reached, once the bus has taken it; [`Reach::Down`] where the bus went away with it.
pub type ReachFuture = Pin<Box<dyn Future<Output = Reach> + Send>>;

/// A message of the station's own.
#[derive(Debug)]
pub struct Message {
    /// On which topic.
    pub topic: TopicName,
    /// Of which schema.
    pub schema_id: u16,
    /// The trace of its header.
    pub trace: TraceId,
    /// How long it is worth something, in milliseconds.
    pub ttl_ms: u64,
    /// Its body.
    pub body: Bytes,
    /// Whether it is asked whom it reached.
    pub asks_reach: bool,
}

/// Why a message was not sent.
#[derive(Debug)]
pub enum NotSent {
    /// The bus has no room for it now: it is to be sent again.
    Full(Message),
    /// The bus is down: nobody gets it.
    Down,
}

/// A bus.
pub trait Bus: Send + Sync {
    /// Sends a message; never waits. Where that is asked, whom it reached is told by what is returned.
    ///
    /// # Errors
    /// [`NotSent`].
    fn publish(&self, message: Message) -> Result<Option<ReachFuture>, NotSent>;
}

/// What comes from the bus, in its order.
#[derive(Debug)]
pub enum BusInput {
    /// A message for the runs.
    Message(Incoming),
    /// A session is over; nothing more comes of it.
    SessionOver(ConnectionId),
    /// A message expired before an agent that took it had read it.
    Unread {
        /// Whose session.
        peer: ConnectionId,
        /// The number by which the delivery report named the message.
        msg_id: u64,
    },
    /// The bus is gone, and all its sessions with it.
    Down,
}

/// A message that came for the runs.
#[derive(Debug)]
pub struct Incoming {
    /// On which topic.
    pub topic: TopicName,
    /// Whose it is.
    pub by: Asker,
    /// The session on the bus in which it was published.
    pub session: ConnectionId,
    /// The trace of its header.
    pub trace: TraceId,
    /// From when on it is worth nothing (rmp-v0 §4).
    pub expires_at: Mono,
    /// Its body.
    pub body: Bytes,
    /// Holds its room on the way until it is dropped.
    pub room: Box<dyn Any + Send + Sync>,
}
