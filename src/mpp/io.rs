//! What goes into the bridge and what comes out of it. The bridge does no I/O: [`host`](super::host) carries
//! these values to sockets, the store, the tap and the clock.

use std::{net::SocketAddr, sync::Arc};

use super::command::{Outcome, Refusal};
use crate::{
    admission::Origin,
    ids::{ConnectionId, InvocationId, Peer, QueueName, RequestId, Ticket, TraceId},
    store::{
        InvocationsById,
        invocations::Pending,
        op::{Class, CommitError, Done, Fetched, Op},
    },
    tap::entry::{
        Redaction,
        mpp::{CloseCause, Head, Transition, Verdict},
    },
    time::Mono,
};

/// One thing that happened to the bridge.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// The listener answers here.
    Listening {
        /// Where.
        addr: SocketAddr,
    },
    /// The listener could not be bound, or stopped accepting.
    NotListening {
        /// Why, and what to do.
        why: &'a str,
    },
    /// A connection was accepted.
    Opened {
        /// Its number, never reused.
        conn: ConnectionId,
        /// From where.
        peer: Peer,
        /// Whose part of the table it takes.
        origin: Origin,
    },
    /// One line came in: the exact bytes with their LF, at most 65,536.
    Line {
        /// On which connection.
        conn: ConnectionId,
        /// The bytes.
        wire: &'a [u8],
    },
    /// 65,536 bytes came in without an LF (ruling MPP 4).
    TooLarge {
        /// On which connection.
        conn: ConnectionId,
        /// Those bytes.
        wire: &'a [u8],
    },
    /// A line did not become whole in time: what has come of it.
    TooSlow {
        /// On which connection.
        conn: ConnectionId,
        /// Those bytes, without an LF.
        wire: &'a [u8],
    },
    /// The unfinished line of a connection is the longest where all hold too much.
    ReceivingFull {
        /// Which connection.
        conn: ConnectionId,
    },
    /// A connection is gone, for a reason that lies outside the core.
    Closed {
        /// Which connection.
        conn: ConnectionId,
        /// Why.
        cause: CloseCause,
    },
    /// The moment that was asked for by [`Output::Timeout`] has come.
    Timeout,
    /// Rows that were asked for by [`Output::Fetch`].
    Fetched(Fetched),
    /// The rows could not be read.
    FetchFailed {
        /// Of which queue.
        queue: QueueName,
        /// Why.
        error: CommitError,
    },
    /// Rows that were asked for by [`Output::FetchInvocations`].
    FetchedInvocations {
        /// The command that asked.
        request: RequestId,
        /// One item an id, or why they could not be read.
        rows: Result<InvocationsById, CommitError>,
    },
    /// All rows of other manifests that a migration asked for.
    FetchedOthers {
        /// The command that asked.
        request: RequestId,
        /// The rows with their queues, or why they could not be read.
        rows: Result<Vec<(QueueName, Pending)>, CommitError>,
        /// Whether there are more behind the last.
        more: bool,
    },
    /// An operation is as durable as was asked.
    Committed {
        /// Which.
        ticket: Ticket,
        /// What it did.
        done: Done,
    },
    /// An operation did not happen.
    CommitFailed {
        /// Which.
        ticket: Ticket,
        /// Why.
        error: CommitError,
    },
}

/// One thing that the bridge wants done, in order.
#[derive(Clone, Debug)]
pub enum Output {
    /// What was made of the line just handed in; first of all that it caused. The host taps it with the
    /// line's bytes.
    Received {
        /// On which connection.
        conn: ConnectionId,
        /// What it is.
        head: Head,
        /// What was made of it.
        verdict: Verdict,
        /// What of its bytes is to be withheld.
        redaction: Redaction,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// A frame to be sent.
    Transmit {
        /// To which connection.
        conn: ConnectionId,
        /// What it is.
        head: Head,
        /// Its bytes with their LF.
        frame: Vec<u8>,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// A state changed.
    Transition {
        /// How.
        transition: Transition,
        /// The text that belongs to it.
        text: Option<Arc<str>>,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// Something to be stored. `Behind` is not answered.
    Persist {
        /// Its number; numbers rise.
        ticket: Ticket,
        /// What it must survive before it is answered.
        class: Class,
        /// What to store.
        op: Op,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// Rows to read ahead: pending ones of the manifest in force with greater ids than `after`, oldest first.
    Fetch {
        /// Of which queue.
        queue: QueueName,
        /// Greater than this.
        after: InvocationId,
        /// At most so many.
        limit: u64,
        /// Whether everything persisted before must be visible to it (a read from the start), or only what
        /// lies behind `after`.
        settled: bool,
    },
    /// Rows to read by their ids, with everything persisted before visible.
    FetchInvocations {
        /// The command that asks.
        request: RequestId,
        /// At most `limits.mpp.command_rows_max`.
        ids: Vec<InvocationId>,
    },
    /// Pending rows of other manifests of the same pack to read, greater than `after`, oldest first.
    FetchOthers {
        /// The command that asks.
        request: RequestId,
        /// Greater than this.
        after: InvocationId,
        /// At most so many.
        limit: u64,
    },
    /// When to hand in [`Input::Timeout`] next; replaces what was asked before.
    Timeout(Option<Mono>),
    /// A connection to be closed, once what was transmitted has left.
    Close {
        /// Which.
        conn: ConnectionId,
        /// Why.
        cause: CloseCause,
    },
    /// The answer to a command.
    Answer {
        /// Which command.
        request: RequestId,
        /// The answer.
        outcome: Result<Outcome, Refusal>,
    },
}
