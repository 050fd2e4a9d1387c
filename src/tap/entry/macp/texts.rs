//! Which parts of the runtime's heads and transitions are texts.

use super::{Effect, Head, SessionRef, Transition};
use crate::tap::entry::texts::{Texts, texts};

texts! {
    Head {
        Self { rpc: _, session, message_type, message_id, sender, answer: _ } => [
            session message_type message_id sender
        ],
    }
    Transition {
        Self::Listening { addr: _ } | Self::NotListening => [],
        Self::Introduced { peer, client } => [peer client],
        Self::TurnedAway { peer, cause: _ } => [peer],
        Self::Opened { session, mode: _, by, participants: _, expires_at: _, intent, listed } => [
            session by intent listed
        ],
        Self::Accepted { session, by, effect } => [session by effect],
        Self::Ended { session, ending: _ } | Self::Streaming { session, streams: _ }
            | Self::Evicted { session } => [session],
    }
    Effect {
        Self::Nothing | Self::Committed | Self::LegacyResolved | Self::Contributed { round: _ } => [],
        Self::Proposed { proposal } => [proposal],
        Self::Evaluated { proposal, recommendation, confidence: _ } => [proposal recommendation],
        Self::Objected { proposal, severity } => [proposal severity],
        Self::Voted { proposal, vote } => [proposal vote],
    }
    SessionRef {
        Self { number: _, id } => [id],
    }
}
