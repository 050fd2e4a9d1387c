//! What the entries of the tap that tell of a record are found by.

use crate::{
    console::model::bus::DropKey,
    ids::{ConnectionId, InvocationId, Seq, StateKey, TopicName, TraceId},
    macp::SessionRef,
    mpp::LogView,
    time::Wall,
};

/// What the entries of a place are found by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EntryQuery {
    Invocation(InvocationId),
    /// The entry that told of it.
    Entry(Seq),
    /// An entry itself: its cause, and what it caused.
    Itself(Seq),
    /// A line of the adapter's log: the entry of the same moment.
    Line(LogView),
    StateKey(StateKey),
    /// What was published on it.
    Topic(TopicName),
    /// The changes of state of a session of the bus.
    BusSession(ConnectionId),
    /// The notices of drops.
    Drop(DropKey),
    /// The changes of state of a run.
    Run(TraceId),
    /// Those of one of its nodes.
    Node(TraceId, u32),
    /// What it told with this number.
    RunEvent(TraceId, u64),
    /// The changes of state of a session of the runtime.
    MacpSession(SessionRef),
    /// Those of this moment.
    MacpSessionAt(SessionRef, Wall),
}

impl EntryQuery {
    /// What was said of a session, at a moment where that is known.
    pub(crate) fn of_session(session: &SessionRef, at: Option<Wall>) -> Self {
        let session = session.clone();
        match at {
            Some(at) => Self::MacpSessionAt(session, at),
            None => Self::MacpSession(session),
        }
    }
}
