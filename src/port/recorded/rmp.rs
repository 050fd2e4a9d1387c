//! The RMP broker.

use crate::{
    ids::{ConnectionId, TopicName},
    rmp::{DropSpan, DropView, Greeting, Listener, PeerView, Snapshot, SubView, TopicView, Totals},
    tap::recorded::{DecodeError, Recorded, RecordedRow, recorded, wire},
    time::ClockShift,
};

recorded! {
    default struct Snapshot = RmpView "rmp" {
        listener, peers, topics, drops, totals, recent_drops, forgot_at, forgot_lost_at,
    }
    struct DropSpan = RmpDropSpan "drop_span" { at, dropped }
    enum Listener = rmp_listener::State, "rmp.listener" in RmpListener.state {
        Starting = Starting,
        Listening(path) = Listening(path),
        Down(why) = Down(why),
    }
    row PeerView by session: ConnectionId = RmpPeerView "peer" {
        peer, connected_at, greeting, published, refused, subs,
    }
    struct Greeting = RmpGreeting "greeting" { client, kind, dialect }
    row SubView by sub: u64 = RmpSubView "sub" { topic, since, gauge }
    row TopicView by topic: TopicName = RmpTopicView "topic" {
        published, bytes, delivered, dropped, subscribers, schema_id, last_at,
    }
    struct DropView {
        first_at, at, reason, topic, to, to_client, from, from_client, notices, count, trace, msg_id,
        expires_at_ms,
    } = RmpDropView "drop" {
        at,
        first_at,
        notices,
        dropped: Some(wire::RmpDropped { reason, topic, to, from, count, msg_id, expires_at_ms }),
        to_client,
        from_client,
        trace,
    } else Missing
    default struct Totals = RmpTotals "totals" {
        published, published_bytes, delivered, refused, dropped, keys, evicted_young, lost_evicted_young,
        topics,
    }
}
