//! How the state of the runtime changes.

use std::{net::SocketAddr, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{Effect, Ending, Mode, SessionRef, TurnAwayCause};
use crate::{ids::Peer, time::Wall};

/// A change of the state of the runtime.
#[derive(Clone, Debug, PartialEq)]
pub enum Transition {
    /// The port answers.
    Listening {
        /// Where.
        addr: SocketAddr,
    },
    /// The port does not; the text says why.
    NotListening,
    /// A client said in `Initialize` what it is.
    Introduced {
        /// From where.
        peer: Peer,
        /// What it calls itself.
        client: Arc<str>,
    },
    /// The port closed a connection, or ended a call, for a bound.
    TurnedAway {
        /// Whose.
        peer: Peer,
        /// Which bound.
        cause: TurnAwayCause,
    },
    /// A session began. The text is its intent and those listed, as JSON, for people to read.
    Opened {
        /// Which.
        session: SessionRef,
        /// How it is coordinated.
        mode: Mode,
        /// Who began it.
        by: Arc<str>,
        /// How many may take part; 0 for anybody.
        participants: u64,
        /// When its TTL is over.
        expires_at: Wall,
        /// What it is for; cut at `limits.macp.shown_text_bytes_max`.
        intent: Arc<str>,
        /// Who may take part: the first `limits.macp.shown_senders_max` of them, as long as they fit.
        listed: Arc<[Arc<str>]>,
    },
    /// A session accepted a message. The text is what the effect says it is.
    Accepted {
        /// Which.
        session: SessionRef,
        /// Whose message.
        by: Arc<str>,
        /// What it did.
        effect: Effect,
    },
    /// A session ended. The text is its resolution, or why it ended.
    Ended {
        /// Which.
        session: SessionRef,
        /// How.
        ending: Ending,
    },
    /// Another open stream has said something in a session, or one of those has ended.
    Streaming {
        /// In which.
        session: SessionRef,
        /// How many there are now.
        streams: u32,
    },
    /// A session that ended is in the store alone from now on.
    Evicted {
        /// Which.
        session: SessionRef,
    },
}

/// What the text of a session that began says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenedText {
    /// What it is for.
    #[serde(default)]
    pub intent: String,
    /// Who may take part.
    #[serde(default)]
    pub participants: Vec<String>,
}

impl Transition {
    /// The session that it speaks of.
    #[must_use]
    pub const fn session(&self) -> Option<&SessionRef> {
        match self {
            Self::Opened { session, .. }
            | Self::Accepted { session, .. }
            | Self::Ended { session, .. }
            | Self::Streaming { session, .. }
            | Self::Evicted { session } => Some(session),
            Self::Listening { .. }
            | Self::NotListening
            | Self::Introduced { .. }
            | Self::TurnedAway { .. } => None,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Listening { .. } => "listening",
            Self::NotListening => "not listening",
            Self::Introduced { .. } => "introduced",
            Self::TurnedAway { .. } => "turned away",
            Self::Opened { .. } => "opened",
            Self::Accepted { .. } => "accepted",
            Self::Ended { .. } => "ended",
            Self::Streaming { .. } => "streaming",
            Self::Evicted { .. } => "evicted",
        }
    }
}
