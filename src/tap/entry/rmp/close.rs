//! Why a connection of the bus ended.

use super::Refusal;
use crate::admission::TurnedAway;

/// Why a connection of the bus ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseCause {
    /// The peer closed it.
    PeerClosed,
    /// Reading failed.
    ReadFailed,
    /// Writing failed.
    WriteFailed,
    /// No `Hello` came within 10 s (ruling RMP 1).
    HelloTimeout,
    /// What came ends the stream (ruling RMP 2), or its `Hello` was refused.
    Refused(Refusal),
    /// The peer did not read its answers, and they reached `limits.rmp.answer_bytes_max`; or it read nothing
    /// for `limits.rmp.full_ms_max` while more was queued than `limits.rmp.queued_bytes_max`.
    NotReading,
    /// An operator kicked it.
    Kicked,
    /// `limits.rmp.connections_max` was reached by connections that have said who they are.
    TooManyConnections,
    /// It had not said who it is, was the oldest of those, and another needed its place.
    MadeRoom,
    /// `limits.rmp.connections_max` was reached, and it showed no operator's token in time.
    NoToken,
    /// Its process has `limits.rmp.peer_connections_max` connections.
    TooManyOfPeer,
    /// A frame took longer than `limits.rmp.frame_ms_max`.
    FrameTimeout,
    /// `limits.rmp.receiving_bytes_max` was reached, and its unfinished frame was the largest.
    ReceivingFull,
    /// The station is going down.
    Shutdown,
}

impl CloseCause {
    /// As scripts compare it: the protocol's own name where there is one.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::PeerClosed => "peer_closed",
            Self::ReadFailed => "read_failed",
            Self::WriteFailed => "write_failed",
            Self::HelloTimeout => "hello_timeout",
            Self::Refused(refusal) => refusal.name(),
            Self::NotReading => "not_reading",
            Self::Kicked => "kicked",
            Self::TooManyConnections | Self::MadeRoom | Self::NoToken => "too_many_connections",
            Self::TooManyOfPeer => "too_many_of_peer",
            Self::FrameTimeout => "frame_timeout",
            Self::ReceivingFull => "receiving_full",
            Self::Shutdown => "shutdown",
        }
    }

    /// Why it was turned away, if it was.
    #[must_use]
    pub const fn turned_away(self) -> Option<TurnedAway> {
        match self {
            Self::HelloTimeout => Some(TurnedAway::FirstFrame),
            Self::TooManyConnections => Some(TurnedAway::TableFull),
            Self::MadeRoom => Some(TurnedAway::MadeRoom),
            Self::NoToken => Some(TurnedAway::NoToken),
            Self::TooManyOfPeer => Some(TurnedAway::PeerShare),
            Self::FrameTimeout => Some(TurnedAway::FrameTime),
            Self::ReceivingFull => Some(TurnedAway::ReceivingBytes),
            Self::PeerClosed
            | Self::ReadFailed
            | Self::WriteFailed
            | Self::Refused(_)
            | Self::NotReading
            | Self::Kicked
            | Self::Shutdown => None,
        }
    }
}
