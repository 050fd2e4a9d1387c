//! What goes into the broker and what comes out of it. The broker does no I/O: [`host`](crate::rmp::host)
//! carries these values to the socket, the tap, the station and the clock.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    admission::{Origin, TurnedAway},
    ids::{ConnectionId, Peer, TopicName, TraceId},
    rmp::{Error, Header, SchemaId},
    tap::entry::{
        Redaction,
        rmp::{CloseCause, Dialect, Head, Kind, Transition, Verdict},
    },
    time::Mono,
};

/// The session by which the station itself publishes; no connection has it.
pub const STATION: ConnectionId = ConnectionId(0);

/// One thing that happened to the broker.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// The socket answers.
    Listening {
        /// Its path.
        path: &'a str,
    },
    /// The socket could not be bound, or stopped accepting.
    NotListening {
        /// Why, and what to do.
        why: &'a str,
    },
    /// A connection was accepted.
    Opened {
        /// Its number, never reused.
        session: ConnectionId,
        /// Who, as the operating system names the process.
        peer: Peer,
        /// Whose part of the table it takes.
        origin: Origin,
    },
    /// A connection of another user was accepted; it is closed at once (ruling RMP 6).
    ForeignUser {
        /// Its number.
        session: ConnectionId,
        /// Who.
        peer: Peer,
    },
    /// One whole frame came in, its prefix included.
    Frame {
        /// On which connection.
        session: ConnectionId,
        /// Its bytes.
        frame: Wire<'a>,
    },
    /// One whole unit of the JSON dialect came in, its length included (ruling RMP 16).
    Unit {
        /// On which connection.
        session: ConnectionId,
        /// Its bytes.
        unit: &'a [u8],
    },
    /// Nothing that follows in the stream can be trusted (ruling RMP 2).
    Broken {
        /// On which connection.
        session: ConnectionId,
        /// In which dialect.
        dialect: Dialect,
        /// Why.
        error: Error,
    },
    /// What a connection is sending takes too long or too much room.
    TurnedAway {
        /// On which connection.
        session: ConnectionId,
        /// In which dialect.
        dialect: Dialect,
        /// Why.
        why: TurnedAway,
    },
    /// A connection is gone, for a reason that lies outside the core.
    Closed {
        /// Which.
        session: ConnectionId,
        /// Why.
        cause: CloseCause,
    },
    /// The moment that was asked for by [`Broker::timeout`](super::Broker::timeout) has come.
    Timeout,
}

/// The bytes of a frame that came in.
#[derive(Clone, Copy, Debug)]
pub enum Wire<'a> {
    /// They lie in a buffer that is used again.
    Lent(&'a [u8]),
    /// They can be kept as they are.
    Owned(&'a Bytes),
}

impl<'a> Wire<'a> {
    /// The bytes.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        match self {
            Self::Lent(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }

    /// The bytes to be kept: shared where they can be, else a copy.
    #[must_use]
    pub fn to_bytes(self) -> Bytes {
        match self {
            Self::Lent(bytes) => Bytes::copy_from_slice(bytes),
            Self::Owned(bytes) => bytes.clone(),
        }
    }
}

/// One thing that the broker wants done, in order.
#[derive(Clone, Debug)]
pub enum Output {
    /// What was made of what was handed in last; first of all that it caused. The host taps it with the
    /// unit's bytes: those of a `Publish` and of the message behind it together.
    Received {
        /// On which connection; [`STATION`] for a message of the station's own.
        session: ConnectionId,
        /// What it is.
        head: Head,
        /// What was made of it.
        verdict: Verdict,
        /// What of its bytes is to be withheld.
        redaction: Redaction,
        /// What it belongs to.
        trace: Option<TraceId>,
    },
    /// An answer went into a connection's queue.
    Answered {
        /// Of which connection.
        session: ConnectionId,
        /// What it is.
        head: Head,
        /// Its bytes.
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
    /// An operator asks the station something (DESIGN: the operator over the bus). Whether it was taken is
    /// told by [`Broker::took`](super::Broker::answer_operator_request).
    OperatorRequest {
        /// What it asks.
        request: OperatorRequest,
        /// By what its `Publish` is answered.
        ticket: Ticket,
    },
    /// The station takes a message itself.
    ForStation(InboundForStation),
    /// What the station asked expired before its agent read it.
    Unread(UnreadRequest),
    /// A confined connection showed a token of ours, which gave it nothing
    /// ([`Broker::confine`](super::Broker::confine)).
    TokenIgnored {
        /// Which.
        session: ConnectionId,
    },
    /// A connection to be closed once what is queued for it has left, as far as its cause lets it.
    Close {
        /// Which.
        session: ConnectionId,
        /// Why.
        cause: CloseCause,
    },
}

/// A message that the station takes itself: a control request, a decision, or what an agent answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InboundForStation {
    /// On which topic.
    pub topic: TopicName,
    /// Who published it.
    pub session: ConnectionId,
    /// What it may do.
    pub kind: Kind,
    /// The name that it gave itself.
    pub client: Arc<str>,
    /// The message's header.
    pub header: Header,
    /// From when on it is to be dropped, wherever it waits (rmp-v0 §4).
    pub expires_at: Mono,
    /// The MsgPack envelope.
    pub body: Bytes,
}

/// A message of the station's own that expired in the queue of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadRequest {
    /// Whose queue.
    pub session: ConnectionId,
    /// The message's number.
    pub msg_id: u64,
}

/// By what an operator's `Publish` is answered once it is known whether the station took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// Who asked.
    pub session: ConnectionId,
    /// The request's trace.
    pub trace: TraceId,
    /// The request's number.
    pub msg_id: u64,
    /// The number of its `Publish`.
    pub re: u64,
    /// Whether that is answered when all is well.
    pub ack: bool,
}

/// What an operator asked on `rlp/operator`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorRequest {
    /// Who.
    pub session: ConnectionId,
    /// The name that it gave itself.
    pub client: Arc<str>,
    /// What it may do.
    pub kind: Kind,
    /// The request's trace, by which it is answered.
    pub trace: TraceId,
    /// The body's bytes, the envelope included.
    pub payload: Bytes,
}

/// A message of the station's own.
#[derive(Clone, Debug)]
pub struct StationMessage {
    /// On which topic.
    pub topic: TopicName,
    /// What its body is.
    pub schema_id: SchemaId,
    /// What it belongs to.
    pub trace: TraceId,
    /// How long it is worth delivering, in milliseconds; not 0.
    pub ttl_ms: u64,
    /// The MsgPack envelope.
    pub body: Bytes,
}

/// When the broker wants [`Input::Timeout`], if ever.
pub type Deadline = Option<Mono>;
