//! A topic whose messages no entry of the tap tells of, as far as it is known.

use super::{
    SchemaId, Snapshot,
    topic::{Class, Pattern, Tail},
};
use crate::ids::TopicName;

/// A topic whose messages no entry tells of, as its subscriptions know it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UntappedTopic {
    /// Subscriptions that its messages are for.
    pub subscribers: u32,
    /// Messages that left to those that want nothing else.
    pub delivered: u64,
}

impl Snapshot {
    /// What the subscriptions know of a topic: of the tap's own alone, whose messages would each make another
    /// (ruling RMP 17).
    #[must_use]
    pub fn untapped_topic(&self, name: &TopicName) -> Option<UntappedTopic> {
        let class = Class::of_text(name.as_str());
        if class != Class::Tap {
            return None;
        }
        let receives = |kind| class.may_receive(kind, SchemaId::TAP_ENTRY).is_ok();
        let peers = self
            .peers
            .values()
            .filter(|peer| peer.greeting.as_ref().is_some_and(|greeting| receives(greeting.kind)));
        let mut untold = UntappedTopic::default();
        for sub in peers.flat_map(|peer| peer.subs.values()) {
            let Ok(pattern) = Pattern::parse(sub.topic.as_str()) else { continue };
            if pattern.matches_text(name.as_str()) {
                untold.subscribers = untold.subscribers.saturating_add(1);
                untold.delivered = untold.delivered.saturating_add(if pattern.tail() == Tail::Exact {
                    sub.gauge.delivered
                } else {
                    0
                });
            }
        }
        Some(untold)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::{
        ids::{ConnectionId, Peer},
        rmp::{Dialect, Greeting, Kind, PeerView, SubView},
        tap::entry::rmp::Gauge,
        time::Now,
    };

    fn peer(kind: Kind, topic: &str, delivered: u64) -> PeerView {
        let sub = SubView {
            topic: topic.into(),
            since: Now::default(),
            gauge: Gauge { delivered, ..Gauge::default() },
        };
        PeerView {
            peer: Peer::new("pid 7"),
            connected_at: Now::default(),
            greeting: Some(Greeting { client: "c".into(), kind, dialect: Dialect::Frames }),
            published: 0,
            refused: 0,
            subs: BTreeMap::from([(1, sub)]),
        }
    }

    #[test]
    fn the_taps_own_topic_is_known_by_those_who_take_it() {
        let peers = [
            (1, peer(Kind::Tui, "rlp/sys/tap", 300)),
            (2, peer(Kind::Viewer, "rlp/sys/tap", 20)),
            (3, peer(Kind::Ui, "rlp/**", 9)),
            (4, peer(Kind::Agent, "rlp/**", 9)),
            (5, peer(Kind::Tui, "rlp/operator", 9)),
        ];
        let snapshot = Snapshot {
            peers: peers.map(|(id, peer)| (ConnectionId(id), peer)).into(),
            ..Snapshot::default()
        };
        assert_eq!(
            snapshot.untapped_topic(&"rlp/sys/tap".into()),
            Some(UntappedTopic { subscribers: 3, delivered: 320 })
        );
        assert_eq!(snapshot.untapped_topic(&"rlp/sys/metrics".into()), None);
    }
}
