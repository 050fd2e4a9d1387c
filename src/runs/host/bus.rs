//! What the runs need of a bus. The station translates it, so that neither knows the other.

use std::any::Any;

use bytes::Bytes;
use tokio::sync::oneshot;

use crate::{
    ids::{TopicName, TraceId},
    tap::entry::runs::Asker,
};

/// How many subscriptions a message was given to is told here; dropped where the bus went away with it.
pub type Reached = oneshot::Sender<u32>;

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
    /// Where it is asked for, told how many it reached.
    pub reached: Option<Reached>,
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
    /// Sends a message; never waits.
    ///
    /// # Errors
    /// [`NotSent`].
    fn publish(&self, message: Message) -> Result<(), NotSent>;
}

/// A message that came for the runs.
#[derive(Debug)]
pub struct Heard {
    /// On which topic.
    pub topic: TopicName,
    /// Whose it is.
    pub by: Asker,
    /// The trace of its header.
    pub trace: TraceId,
    /// Its body.
    pub body: Bytes,
    /// Holds its room on the way until it is dropped.
    pub room: Box<dyn Any + Send + Sync>,
}
