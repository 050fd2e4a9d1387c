//! Rows of the bus: topics, peers, subscriptions. The rows are printed as they are by `ls …
//! --json`.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ConnectionId, Peer, TopicName},
    rmp::{Dialect, Kind, Snapshot},
    time::Wall,
};

/// Messages that did not reach a subscription, by reason (rmp-v0 §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// They were expired.
    pub ttl_expired: u64,
    /// The subscriber had them already.
    pub duplicate: u64,
    /// The subscriber's queue had no room.
    pub backpressure_timeout: u64,
}

impl From<[u64; 3]> for Dropped {
    fn from([ttl_expired, duplicate, backpressure_timeout]: [u64; 3]) -> Self {
        Self { ttl_expired, duplicate, backpressure_timeout }
    }
}

impl Dropped {
    /// All of them.
    #[must_use]
    pub const fn total(&self) -> u64 {
        self.ttl_expired.saturating_add(self.duplicate).saturating_add(self.backpressure_timeout)
    }
}

/// `ls topics`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicRow {
    /// Its name.
    pub topic: TopicName,
    /// Messages taken on it since the broker started.
    pub published: u64,
    /// Their bytes, as they were on the wire.
    pub bytes: u64,
    /// Messages given to subscriptions, what waits in their queues too. Of `rlp/sys/tap`, whose messages
    /// nobody counts, those that left to the subscriptions that take it alone.
    pub delivered: u64,
    /// Messages that were not.
    pub dropped: Dropped,
    /// Subscriptions that the last message was for.
    pub subscribers: u32,
    /// The schema of the last message.
    pub schema_id: Option<u16>,
    /// When the last message was taken, in Unix milliseconds.
    pub last_at_ms: Wall,
    /// Topics beside those that are listed, of which nothing is shown any more
    /// (`limits.rmp.shown_topics_max`).
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out: u64,
}

/// `ls peers`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerRow {
    /// Its session.
    pub session: ConnectionId,
    /// The name that it gave itself; null before its `Hello`.
    pub client: Option<String>,
    /// What it may do.
    pub kind: Option<Kind>,
    /// In what it speaks.
    pub dialect: Option<Dialect>,
    /// Who, as the operating system names the process.
    pub peer: Peer,
    /// Since when, in Unix milliseconds.
    pub connected_at_ms: Wall,
    /// Its subscriptions.
    pub subscriptions: u64,
    /// Messages taken from it.
    pub published: u64,
    /// Messages that left to it.
    pub delivered: u64,
    /// Messages that wait for it.
    pub queued_messages: u64,
    /// Their bytes.
    pub queued_bytes: u64,
    /// Messages that did not reach it.
    pub dropped: Dropped,
    /// Frames of its that were refused.
    pub refused: u64,
}

/// `ls subscriptions`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubscriptionRow {
    /// Whose.
    pub session: ConnectionId,
    /// What the session calls itself.
    pub client: Option<String>,
    /// Its number in the session.
    pub sub: u64,
    /// The topic or pattern.
    pub topic: TopicName,
    /// Since when, in Unix milliseconds.
    pub since_ms: Wall,
    /// Messages that left to it.
    pub delivered: u64,
    /// Messages that wait in its queue.
    pub queued_messages: u64,
    /// Their bytes.
    pub queued_bytes: u64,
    /// Messages that did not reach it.
    pub dropped: Dropped,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_none(count: &u64) -> bool {
    *count == 0
}

/// The topics of the bus, by name.
#[must_use]
pub fn topic_rows(snapshot: &Snapshot) -> Vec<TopicRow> {
    let row = |(name, topic): (&TopicName, &crate::rmp::TopicView)| {
        let untold = snapshot.untapped_topic(name);
        TopicRow {
            topic: name.clone(),
            published: topic.published,
            bytes: topic.bytes,
            delivered: untold.map_or(topic.delivered, |untold| untold.delivered),
            dropped: topic.dropped.into(),
            subscribers: untold.map_or(topic.subscribers, |untold| untold.subscribers),
            schema_id: topic.schema_id,
            last_at_ms: topic.last_at.wall,
            left_out: snapshot.totals.topics.saturating_sub(snapshot.topics.len() as u64),
        }
    };
    snapshot.topics.iter().map(row).collect()
}

/// The peers of the bus, by session.
#[must_use]
pub fn peer_rows(snapshot: &Snapshot) -> Vec<PeerRow> {
    let row = |(session, peer): (&ConnectionId, &crate::rmp::PeerView)| {
        let mut row = PeerRow {
            session: *session,
            client: peer.greeting.as_ref().map(|greeting| greeting.client.to_string()),
            kind: peer.greeting.as_ref().map(|greeting| greeting.kind),
            dialect: peer.greeting.as_ref().map(|greeting| greeting.dialect),
            peer: peer.peer.clone(),
            connected_at_ms: peer.connected_at.wall,
            subscriptions: peer.subs.len() as u64,
            published: peer.published,
            delivered: 0,
            queued_messages: 0,
            queued_bytes: 0,
            dropped: Dropped::default(),
            refused: peer.refused,
        };
        for gauge in peer.subs.values().map(|sub| &sub.gauge) {
            let dropped = Dropped::from(gauge.dropped);
            row.delivered += gauge.delivered;
            row.queued_messages += gauge.queued_messages;
            row.queued_bytes += gauge.queued_bytes;
            row.dropped.ttl_expired += dropped.ttl_expired;
            row.dropped.duplicate += dropped.duplicate;
            row.dropped.backpressure_timeout += dropped.backpressure_timeout;
        }
        row
    };
    snapshot.peers.iter().map(row).collect()
}

/// The subscriptions of the bus, by session and number.
#[must_use]
pub fn subscription_rows(snapshot: &Snapshot) -> Vec<SubscriptionRow> {
    let of_peer = |(session, peer): (&ConnectionId, &crate::rmp::PeerView)| {
        let client = peer.greeting.as_ref().map(|greeting| greeting.client.to_string());
        let row = |(sub, view): (&u64, &crate::rmp::SubView)| SubscriptionRow {
            session: *session,
            client: client.clone(),
            sub: *sub,
            topic: view.topic.clone(),
            since_ms: view.since.wall,
            delivered: view.gauge.delivered,
            queued_messages: view.gauge.queued_messages,
            queued_bytes: view.gauge.queued_bytes,
            dropped: view.gauge.dropped.into(),
        };
        peer.subs.iter().map(row).collect::<Vec<_>>()
    };
    snapshot.peers.iter().flat_map(of_peer).collect()
}
