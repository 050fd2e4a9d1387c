//! What goes into the engine and what comes out.

use std::sync::Arc;

use bytes::Bytes;

use super::feed::RunFeed;
use crate::{
    ids::{ConnectionId, Ticket, TopicName, TraceId},
    runs::openings::Opening,
    store::runs::{RunOp, RunRow},
    tap::entry::runs::{Asker, Transition},
};

/// Whom a message reached of those that may answer it. Who only watches does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// They have it.
    Taken {
        /// Their sessions.
        peers: Vec<ConnectionId>,
        /// The message's number, by which [`Input::Unread`] names it.
        msg_id: u64,
    },
    /// There is nobody.
    Nobody {
        /// Agents that are there, by their names; a few.
        agents: Vec<Arc<str>>,
        /// How many more there are.
        more: u64,
    },
    /// They have no room for it now.
    Full,
    /// It is too long for them.
    TooLong,
    /// The bus is down.
    Down,
}

/// What happens to the engine.
#[derive(Clone, Debug)]
pub enum Input {
    /// A message came on `rlp/ctrl`.
    Control {
        /// Whose it is.
        by: Asker,
        /// The session on the bus in which it was published.
        session: ConnectionId,
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
        /// The trace of its header.
        trace: TraceId,
        /// Its body.
        body: Bytes,
    },
    /// What came on `rlp/ctrl` or `action.decision` expired before it was handed in.
    Expired {
        /// Whose it was.
        by: Asker,
        /// The trace of its header.
        trace: TraceId,
        /// On which it came.
        topic: TopicName,
    },
    /// The bus took an [`Output::Publish`] with a ticket, or never will.
    Reached {
        /// Its ticket.
        ticket: Ticket,
        /// Whom it reached.
        reach: Reach,
    },
    /// A session on the bus is over; what it published before was handed in before.
    SessionOver {
        /// Which.
        peer: ConnectionId,
    },
    /// A message expired in the queue of a session that took it.
    Unread {
        /// Whose.
        peer: ConnectionId,
        /// The message's number.
        msg_id: u64,
    },
    /// The station stops, or starts its runs anew: agents are told that nobody awaits their answers any more.
    Stopping,
    /// The bus is gone, and all its sessions with it.
    BusDown,
    /// The stored row of a run that was asked for by [`Output::Recall`].
    Recalled {
        /// Which.
        run: TraceId,
        /// The run; nothing where it is not kept, or cannot be read now.
        row: Option<Box<RunRow>>,
    },
    /// How a request was answered before that was asked for by [`Output::RecallAnswer`].
    AnswerRecalled {
        /// The trace of its header.
        request: TraceId,
        /// The name of its variant.
        variant: &'static str,
        /// The answer; nothing where none is kept, or it cannot be read now.
        body: Option<Bytes>,
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
        ops: Arc<[RunOp]>,
    },
    /// Read what is kept of a run; answered by [`Input::Recalled`].
    Recall {
        /// Which.
        run: TraceId,
    },
    /// Read how a request was answered that is not remembered; answered by [`Input::AnswerRecalled`]. Nothing
    /// more is to be taken from the bus until then.
    RecallAnswer {
        /// The trace of its header.
        request: TraceId,
        /// The name of its variant.
        variant: &'static str,
    },
    /// Tell the records of runs, where [`Settings::tells_records`](super::Settings::tells_records) says so.
    Record(RunFeed),
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
    /// Where there is one, [`Input::Reached`] tells whom it reached.
    pub ticket: Option<Ticket>,
}
