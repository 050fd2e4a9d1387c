//! What the broker refuses, what it may break, and what is not sent.

use crate::rmp::{self, EncodeError, Refusal, SchemaId, topic::TopicFault};

/// What the broker did not do, in its words (ruling RMP 1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct RefusalReply {
    /// A name of the taxonomy or of the session layer, as it came.
    pub code: Box<str>,
    /// The reason, for people.
    pub message: Box<str>,
}

impl RefusalReply {
    /// Which refusal it is, if it is one that is known.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        Refusal::from_name(&self.code)
    }
}

/// What the broker broke of the protocol. Nothing that follows is read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// A frame that is not valid.
    #[error("{name} ({clause}): {0}", name = .0.name(), clause = .0.clause())]
    Frame(rmp::Error),
    /// A message where a control frame belongs.
    #[error("received a frame of schema_id {0} without a Deliver")]
    NotControl(SchemaId),
    /// The first frame is neither Welcome nor Error.
    #[error("received {0} before Welcome")]
    NotWelcomed(&'static str),
    /// A second Welcome.
    #[error("received Welcome twice")]
    WelcomedAgain,
    /// A kind that ruling RMP 6 does not know.
    #[error("Welcome has the unknown kind {0:?}")]
    UnknownKind(Box<str>),
}

/// Why something was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// A topic or a pattern that is none.
    #[error("{topic:?} is not a topic: {fault}")]
    Topic {
        /// The text.
        topic: Box<str>,
        /// The fault of the topic.
        fault: TopicFault,
    },
    /// More than the broker takes.
    #[error("a body of {bytes} bytes exceeds the station's limit of {bytes_max}")]
    TooLarge {
        /// Bytes of the body.
        bytes: u64,
        /// The limit that Welcome named.
        bytes_max: u64,
    },
    /// Bytes that would leave the stream out of step.
    #[error("the {bytes} bytes are not one frame: frame_len differs")]
    NotOneFrame {
        /// How many there are.
        bytes: usize,
    },
    /// A message that cannot be made.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}
