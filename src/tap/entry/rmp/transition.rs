//! How the state of the bus changes.

use std::sync::Arc;

use super::{CloseCause, Dialect, DropReason, Kind};
use crate::ids::{ConnectionId, Peer, TopicName};

/// The counts of one subscription since it was made, and what waits for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Messages that wait in its queue.
    pub queued_messages: u64,
    /// Their bytes.
    pub queued_bytes: u64,
    /// Messages that left to it.
    pub delivered: u64,
    /// Messages that it did not get, by [`DropReason::index`].
    pub dropped: [u64; DropReason::ALL.len()],
}

/// A change of the state of the bus.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// The socket answers.
    Listening {
        /// Its path.
        path: Arc<str>,
    },
    /// The socket does not; the text says why.
    NotListening,
    /// A connection was accepted.
    Connected {
        /// Its session.
        session: ConnectionId,
        /// Who, as the operating system names the process: `uid 1000 pid 4711`.
        peer: Peer,
    },
    /// It said `Hello` and was taken.
    Greeted {
        /// Its session.
        session: ConnectionId,
        /// The name that it gave itself.
        client: Arc<str>,
        /// What it may do.
        kind: Kind,
        /// In what it speaks.
        dialect: Dialect,
    },
    /// It ended.
    Disconnected {
        /// Its session.
        session: ConnectionId,
        /// Why.
        cause: CloseCause,
    },
    /// A subscription was made.
    Subscribed {
        /// Whose.
        session: ConnectionId,
        /// Its number in the session.
        sub: u64,
        /// The topic or pattern.
        topic: TopicName,
    },
    /// A subscription was ended by its session.
    Unsubscribed {
        /// Whose.
        session: ConnectionId,
        /// Its number in the session.
        sub: u64,
    },
    /// Messages did not reach a subscription. At most 100 a second and topic; the next tells of those between
    /// (ruling RMP 9). The trace is that of the last of them.
    Dropped {
        /// Why.
        reason: DropReason,
        /// On which topic.
        topic: TopicName,
        /// Whose subscription it was; none for a message that was expired when it came.
        to: Option<(ConnectionId, u64)>,
        /// Who published it.
        from: Option<ConnectionId>,
        /// How many, all for this reason on this topic.
        count: u64,
        /// The number of the last.
        msg_id: u64,
        /// When the last of them expired or would have, in Unix milliseconds.
        expires_at_ms: u64,
    },
    /// What a subscription's figures are, once a second while they change.
    QueueStats {
        /// Whose.
        session: ConnectionId,
        /// Its number in the session.
        sub: u64,
        /// The figures.
        gauge: Gauge,
    },
    /// What a publisher has sent, once a second while it does.
    SessionStats {
        /// Whose.
        session: ConnectionId,
        /// Messages taken from it since it connected.
        published: u64,
        /// Frames of its that were refused since.
        refused: u64,
    },
    /// How much is remembered against duplicates, and how many topics there were, once a second while it
    /// changes.
    DedupeStats {
        /// Keys over all topics.
        keys: u64,
        /// Keys that were let go before the longest TTL was over, since the start.
        evicted_young: u64,
        /// Keys that subscribers lost to back-pressure and that were let go before that, since the start: a
        /// retry is taken for a duplicate.
        lost_evicted_young: u64,
        /// Topics that were used since the start; one that was let go and came again is counted again.
        topics: u64,
    },
    /// The wall clock was set; TTLs follow the clock of the start (ruling RMP 18).
    ClockJumped {
        /// By how much, in milliseconds.
        by_ms: i64,
    },
}

impl Transition {
    /// The session that it speaks of.
    #[must_use]
    pub const fn session(&self) -> Option<ConnectionId> {
        match self {
            Self::Connected { session, .. }
            | Self::Greeted { session, .. }
            | Self::Disconnected { session, .. }
            | Self::Subscribed { session, .. }
            | Self::Unsubscribed { session, .. }
            | Self::QueueStats { session, .. }
            | Self::SessionStats { session, .. }
            | Self::Dropped { to: Some((session, _)), .. } => Some(*session),
            Self::Listening { .. }
            | Self::NotListening
            | Self::Dropped { to: None, .. }
            | Self::DedupeStats { .. }
            | Self::ClockJumped { .. } => None,
        }
    }
}
