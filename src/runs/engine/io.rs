//! What goes into the engine and what comes out.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    ids::{Ticket, TopicName, TraceId},
    runs::openings::Opening,
    store::runs::RunOp,
    tap::entry::runs::{Asker, Transition},
};

/// What happens to the engine.
#[derive(Clone, Debug)]
pub enum Input {
    /// A message came on `rlp/ctrl`.
    Control {
        /// Whose it is.
        by: Asker,
        /// The trace of its header.
        trace: TraceId,
        /// Its body.
        body: Bytes,
    },
    /// An opening was read and judged, or the text says what is wrong with it.
    Loaded {
        /// Of which [`Output::Load`].
        ticket: Ticket,
        /// The opening.
        opening: Result<Arc<Opening>, String>,
    },
    /// A message came on a reply topic.
    Answer {
        /// On which.
        topic: TopicName,
        /// Its body.
        body: Bytes,
    },
    /// A message came on `<reply topic>/progress`.
    Progress {
        /// On which, `/progress` included.
        topic: TopicName,
        /// Its body.
        body: Bytes,
    },
    /// A message came on `action.decision`, from somebody who may decide.
    Decided {
        /// Whose it is.
        by: Asker,
        /// Its body.
        body: Bytes,
    },
    /// How many subscriptions an [`Output::Publish`] with a ticket was given to.
    Reached {
        /// Its ticket.
        ticket: Ticket,
        /// How many.
        subscribers: u32,
    },
    /// An [`Output::Persist`] is durable.
    Committed {
        /// Its ticket.
        ticket: Ticket,
    },
    /// An [`Output::Persist`] did not happen.
    CommitFailed {
        /// Its ticket.
        ticket: Ticket,
        /// Why.
        error: String,
    },
    /// The moment of [`Engine::timeout`](super::Engine::timeout) has come.
    Timeout,
}

/// What the engine asks of its host, in this order.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Read an opening, with those that it nests; answered by [`Input::Loaded`].
    Load {
        /// Names this output.
        ticket: Ticket,
        /// The opening as it was sent.
        yaml: Arc<str>,
    },
    /// Publish a message.
    Publish(Publish),
    /// Take what comes on this topic, and on those below it, from before the next output on.
    Listen {
        /// Which.
        topic: TopicName,
    },
    /// Take it no more.
    Unlisten {
        /// Which.
        topic: TopicName,
    },
    /// Write to the store, all or nothing; answered by [`Input::Committed`] or [`Input::CommitFailed`].
    Persist {
        /// Names this output.
        ticket: Ticket,
        /// What to write.
        ops: Vec<RunOp>,
    },
    /// Tell the tap.
    Transition {
        /// What changed.
        transition: Transition,
        /// The text beside it.
        text: String,
    },
}

/// A message of the station's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publish {
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
    /// Where there is one, [`Input::Reached`] tells how many subscriptions it was given to.
    pub ticket: Option<Ticket>,
}
