//! Carries a snapshot on by the tap's entries. Live, attached and replayed views are all made by this one
//! fold.

use std::{collections::BTreeMap, sync::Arc};

use super::snapshot::{
    DropView, Greeting, Listener, PeerView, Snapshot, SubView, TopicView, evictable, note_drop,
    note_recent_drop,
};
use crate::{
    ids::{ConnectionId, TopicName},
    limits,
    rmp::{
        Kind, SchemaId,
        topic::{Class, Pattern, Tail},
    },
    tap::entry::{
        Direction, Entry, Frame, Head, Transition as Any, Verdict as AnyVerdict, What,
        rmp::{Gauge, Transition, Verdict},
    },
    time::Now,
};

impl Snapshot {
    /// Takes in one entry of the RMP link that follows this snapshot; entries of other links change nothing.
    /// `text` is what lies beside a transition. A snapshot at any moment and the entries behind it make
    /// the broker's own, within the windows that `limits` sets.
    pub fn apply(&mut self, entry: &Entry, text: &str, limits: &limits::Rmp) {
        match &entry.what {
            What::Frame(frame) => self.on_frame(entry.at, frame, limits),
            What::Transition(Any::Rmp(transition)) => self.on_transition(transition, entry, text, limits),
            _ => {}
        }
    }

    fn on_frame(&mut self, at: Now, frame: &Frame, limits: &limits::Rmp) {
        let (Head::Rmp(head), AnyVerdict::Rmp(verdict), Direction::Inbound) =
            (&frame.head, &frame.verdict, frame.direction)
        else {
            return;
        };
        match verdict {
            Verdict::Published { subscribers, dropped } => {
                let bytes = u64::from(frame.wire_bytes);
                self.totals.published += 1;
                self.totals.published_bytes += bytes;
                self.totals.delivered += u64::from(*subscribers);
                if let Some(name) = &head.topic {
                    let topic = self.topic(name, at, limits);
                    topic.published += 1;
                    topic.bytes += bytes;
                    topic.delivered += u64::from(*subscribers);
                    topic.subscribers = subscribers.saturating_add(*dropped);
                    topic.schema_id = head.schema_id;
                    topic.last_at = at;
                }
            }
            Verdict::Refused(_) => self.totals.refused += 1,
            Verdict::Accepted | Verdict::TooLate => {}
        }
    }

    /// The topic of this name; where there is no room, others go.
    fn topic(&mut self, name: &TopicName, at: Now, limits: &limits::Rmp) -> &mut TopicView {
        if !self.topics.contains_key(name) && self.topics.len() as u64 >= limits.shown_topics_max {
            let ranked = self.topics.iter().map(|(name, topic)| (topic.rank(), name.clone())).collect();
            for name in evictable(ranked) {
                self.topics.remove(&name);
            }
        }
        self.topics.entry(name.clone()).or_insert_with(|| TopicView { last_at: at, ..TopicView::default() })
    }

    fn on_transition(&mut self, transition: &Transition, entry: &Entry, text: &str, limits: &limits::Rmp) {
        let at = entry.at;
        match transition {
            Transition::Listening { path } => self.listener = Listener::Listening(Arc::clone(path)),
            Transition::NotListening => self.listener = Listener::Down(Arc::from(text)),
            Transition::Connected { session, peer } => {
                let peer = peer.clone();
                let view = PeerView {
                    peer,
                    connected_at: at,
                    greeting: None,
                    published: 0,
                    refused: 0,
                    subs: BTreeMap::new(),
                };
                self.peers.insert(*session, view);
            }
            Transition::Greeted { session, client, kind, dialect } => {
                if let Some(peer) = self.peers.get_mut(session) {
                    peer.greeting =
                        Some(Greeting { client: Arc::clone(client), kind: *kind, dialect: *dialect });
                }
            }
            Transition::Disconnected { session, .. } => {
                let gone = self.peers.remove(session);
                if let Some((kind, subs)) = gone.and_then(|gone| Some((gone.greeting?.kind, gone.subs))) {
                    for sub in subs.values() {
                        self.adjust_subscribers(&sub.topic, kind, false);
                    }
                }
            }
            Transition::Subscribed { session, sub, topic } => {
                let Some(peer) = self.peers.get_mut(session) else { return };
                peer.subs.insert(*sub, SubView { topic: topic.clone(), since: at, gauge: Gauge::default() });
                if let Some(kind) = peer.greeting.as_ref().map(|greeting| greeting.kind) {
                    self.adjust_subscribers(topic, kind, true);
                }
            }
            Transition::Unsubscribed { session, sub } => {
                let Some(peer) = self.peers.get_mut(session) else { return };
                let kind = peer.greeting.as_ref().map(|greeting| greeting.kind);
                if let Some((gone, kind)) = peer.subs.remove(sub).zip(kind) {
                    self.adjust_subscribers(&gone.topic, kind, false);
                }
            }
            Transition::Dropped { .. } => self.on_drop(transition, entry, limits),
            Transition::QueueStats { session, sub, gauge } => {
                if let Some(sub) = self.peers.get_mut(session).and_then(|peer| peer.subs.get_mut(sub)) {
                    sub.gauge = *gauge;
                }
            }
            Transition::SessionStats { session, published, refused } => {
                if let Some(peer) = self.peers.get_mut(session) {
                    (peer.published, peer.refused) = (*published, *refused);
                }
            }
            Transition::DedupeStats { keys, evicted_young, lost_evicted_young, topics } => {
                if *evicted_young > self.totals.evicted_young {
                    self.forgot_at = Some(at);
                }
                if *lost_evicted_young > self.totals.lost_evicted_young {
                    self.forgot_lost_at = Some(at);
                }
                self.totals.update_dedupe([*keys, *evicted_young, *lost_evicted_young, *topics]);
            }
            Transition::ClockJumped { .. } => {}
        }
    }

    /// A subscription of this kind of session came or went: the topics that it reaches have one more or one
    /// less.
    fn adjust_subscribers(&mut self, pattern: &TopicName, kind: Kind, is_there: bool) {
        let Ok(pattern) = Pattern::parse(pattern.as_str()) else { return };
        let note = |name: &TopicName, topic: &mut TopicView| {
            let Some(schema_id) = topic.schema_id.filter(|_| topic.published > 0) else { return };
            if Class::of_text(name.as_str()).may_receive(kind, SchemaId(schema_id)).is_ok() {
                topic.subscribers = if is_there {
                    topic.subscribers.saturating_add(1)
                } else {
                    topic.subscribers.saturating_sub(1)
                };
            }
        };
        if pattern.tail() == Tail::Exact {
            if let Some(topic) = self.topics.get_mut(pattern.name()) {
                note(pattern.name(), topic);
            }
            return;
        }
        for (name, topic) in self.topics.iter_mut().filter(|(name, _)| pattern.matches_text(name.as_str())) {
            note(name, topic);
        }
    }

    fn on_drop(&mut self, transition: &Transition, entry: &Entry, limits: &limits::Rmp) {
        let Transition::Dropped { reason, topic, to, from, count, msg_id, expires_at_ms } = transition else {
            return;
        };
        self.totals.dropped[reason.index()] += count;
        self.topic(topic, entry.at, limits).dropped[reason.index()] += count;
        note_recent_drop(&mut self.recent_drops, entry.at, *reason, *count);
        let drop = DropView {
            first_at: entry.at,
            at: entry.at,
            reason: *reason,
            topic: topic.clone(),
            to: *to,
            to_client: to.and_then(|(session, _)| self.client(session)),
            from: *from,
            from_client: from.and_then(|session| self.client(session)),
            notices: 1,
            count: *count,
            trace: entry.trace,
            msg_id: *msg_id,
            expires_at_ms: *expires_at_ms,
        };
        note_drop(&mut self.drops, drop, limits.shown_drops_max);
    }

    /// What a session calls itself.
    fn client(&self, session: ConnectionId) -> Option<Arc<str>> {
        self.peers.get(&session)?.greeting.as_ref().map(|greeting| Arc::clone(&greeting.client))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ids::Seq,
        tap::entry::{Link, rmp::DropReason},
    };

    #[test]
    fn notices_of_one_kind_are_counted_in_one_place_however_many_there_are() {
        let limits = limits::Rmp { shown_drops_max: 2, ..limits::Rmp::default() };
        let mut snapshot = Snapshot::default();
        let mut tell = |n: u64, topic: &str, count| {
            let transition = Transition::Dropped {
                reason: DropReason::BackpressureTimeout,
                topic: topic.into(),
                to: Some((ConnectionId(3), 1)),
                from: Some(ConnectionId(2)),
                count,
                msg_id: n,
                expires_at_ms: 0,
            };
            let what = What::Transition(Any::Rmp(transition));
            let entry =
                Entry { seq: Seq(n), at: Now::at_ms(n), link: Link::Rmp, trace: None, cause: None, what };
            snapshot.apply(&entry, "", &limits);
            snapshot
                .drops
                .iter()
                .map(|drop| (drop.topic.to_string(), drop.count, drop.msg_id))
                .collect::<Vec<_>>()
        };
        for n in 1..=1_000 {
            tell(n, "a", 2);
        }
        assert_eq!(tell(1_001, "b", 1), [("a".to_owned(), 2_000, 1_000), ("b".to_owned(), 1, 1_001)]);
        assert_eq!(tell(1_002, "a", 5), [("b".to_owned(), 1, 1_001), ("a".to_owned(), 2_005, 1_002)]);
        assert_eq!(tell(1_003, "c", 1)[0], ("a".to_owned(), 2_005, 1_002));
    }
}
