//! What tells the records of the bus apart.

use crate::{
    console::records::record_key::KeyKind,
    ids::{ConnectionId, TopicName},
    rmp::DropKey,
};

/// A topic.
pub(crate) const TOPIC: KeyKind<TopicName> = KeyKind::new("topic");
/// A subscription of a session of the bus.
pub(crate) const SUBSCRIPTION: KeyKind<(ConnectionId, u64)> = KeyKind::new("subscription");
/// A session of the bus.
pub(crate) const PEER: KeyKind<ConnectionId> = KeyKind::new("bus session");
/// Drops that are counted together.
pub(crate) const DROP: KeyKind<DropKey> = KeyKind::new("drop");
