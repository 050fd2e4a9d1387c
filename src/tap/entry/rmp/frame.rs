//! The head of a frame, read at a glance, and what the broker made of it.

use super::Refusal;
use crate::{
    ids::{ConnectionId, TopicName},
    tap::entry::names::names,
};

/// In what a peer of the bus speaks.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// RMP frames (rmp-v0 §1).
    #[default]
    Frames,
    /// The JSON of today's Runloop tools (ruling RMP 16).
    Json,
}

impl Dialect {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Frames => "frames",
            Self::Json => "json",
        }
    }

    /// What its bytes are, for people.
    #[must_use]
    pub const fn protocol(self) -> &'static str {
        match self {
            Self::Frames => "binary",
            Self::Json => "json",
        }
    }
}

names! {
    /// What a frame on the socket is for (ruling RMP 1). A publication is the control frame and the message
    /// together.
    FrameKind {
        /// Client, first: who it is.
        Hello = "Hello",
        /// Client: wants what is published on a topic.
        Subscribe = "Subscribe",
        /// Client: does not want it any more.
        Unsubscribe = "Unsubscribe",
        /// Client: a message for a topic.
        Publish = "Publish",
        /// Client: is anybody there.
        Ping = "Ping",
        /// Broker: taken; the session.
        Welcome = "Welcome",
        /// Broker: done.
        Ok = "Ok",
        /// Broker: refused.
        Error = "Error",
        /// Broker: a message for a subscription.
        Deliver = "Deliver",
        /// Broker: here.
        Pong = "Pong",
    }
}

/// A frame's kind and what it speaks of; what could not be read is absent. Its trace is the entry's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Absent when the bytes are no frame that belongs there.
    pub kind: Option<FrameKind>,
    /// In what it is written.
    pub dialect: Dialect,
    /// The topic or pattern spoken of.
    pub topic: Option<TopicName>,
    /// The message's schema.
    pub schema_id: Option<u16>,
    /// The message's number, or the one that is answered.
    pub msg_id: Option<u64>,
    /// The subscription spoken of.
    pub sub: Option<u64>,
    /// Of an answer, what it refuses.
    pub refusal: Option<Refusal>,
    /// Whose connection it came or left by; absent in what was recorded before it was told.
    pub session: Option<ConnectionId>,
}

/// What the broker made of an inbound frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was taken.
    Accepted,
    /// A message was taken, and given to these.
    Published {
        /// Subscriptions whose queues took it.
        subscribers: u32,
        /// Subscriptions that did not get it: they had it already, or had no room.
        dropped: u32,
    },
    /// It was refused, and the peer told so.
    Refused(Refusal),
    /// It arrived after its connection was closed by us, and was not looked at.
    TooLate,
}
