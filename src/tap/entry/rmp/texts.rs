//! Which parts of the bus's heads and transitions are texts.

use super::{Head, Transition};
use crate::tap::entry::texts::{Texts, texts};

texts! {
    Head {
        Self {
            kind: _, dialect: _, topic, schema_id: _, msg_id: _, sub: _, refusal: _, session: _,
        } => [topic],
    }
    Transition {
        Self::Listening { path } => [path],
        Self::NotListening | Self::Disconnected { session: _, cause: _ }
            | Self::Unsubscribed { session: _, sub: _ }
            | Self::QueueStats { session: _, sub: _, gauge: _ }
            | Self::SessionStats { session: _, published: _, refused: _ }
            | Self::DedupeStats { keys: _, evicted_young: _, lost_evicted_young: _, topics: _ }
            | Self::ClockJumped { by_ms: _ } => [],
        Self::Connected { session: _, peer } => [peer],
        Self::Greeted { session: _, client, kind: _, dialect: _ } => [client],
        Self::Subscribed { session: _, sub: _, topic }
            | Self::Dropped {
                reason: _, topic, to: _, from: _, count: _, msg_id: _, expires_at_ms: _,
            } => [topic],
    }
}
