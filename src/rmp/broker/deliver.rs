//! Gives a message to every subscription that it reaches. A slow one never holds its publisher: what does not
//! fit is lost to it (ruling RMP 8).

use bytes::Bytes;

use super::{
    core::Broker,
    drops::{Loss, LostMessage},
    io::{STATION, Wire},
    json_units,
    session::{JsonDeliveryInfo, Phase, Tag, TopicRef},
};
use crate::{
    ids::{ConnectionId, TraceId},
    rmp::{
        Dialect, Header, SchemaId,
        dedupe::Key,
        outbox::{Delivery, Payload, SHARED_BYTES_MIN},
        routes::Route,
        topic::{Class, Topic},
    },
    tap::entry::rmp::{DropReason, Verdict},
    time::Now,
};

/// A message that is given out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub(super) frame: Wire<'a>,
    pub(super) trace: TraceId,
    pub(super) msg_id: u64,
    pub(super) schema_id: SchemaId,
    /// From when on it is not worth delivering.
    pub(super) expires_at_ms: u64,
    pub(super) from: ConnectionId,
    /// Whether who had it already does not get it again; the station's own are never the same.
    pub(super) is_counted: bool,
}

/// How many subscriptions got a message, and how many did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeliveryCounts {
    pub(super) delivered: u32,
    pub(super) dropped: u32,
}

impl Broker {
    /// Gives a message to whom it reaches. What was lost waits in `losses` to be told.
    pub(super) fn deliver(&mut self, now: Now, at: TopicRef, message: &Message<'_>) -> DeliveryCounts {
        let now_ms = self.wall.now_ms(now);
        let body_bytes_max = self.settings.limits.body_bytes_max;
        let Self {
            topics,
            routes,
            sessions,
            dedupe,
            budget,
            waiting,
            dirty,
            losses,
            responders: serving,
            ..
        } = self;
        let mut result = DeliveryCounts::default();
        let Some(state) = topics.resolve_targets(at, routes, sessions) else { return result };
        if state.targets.is_empty() {
            return result;
        }
        let seen = message.is_counted.then(|| {
            let scope = *state.scope.get_or_insert_with(|| dedupe.open_topic());
            dedupe.record_seen(scope, Key::new(message.trace, message.msg_id), now.mono)
        });
        let bytes = message.frame.bytes();
        let mut shared: Option<Bytes> = None;
        let mut json: Option<Option<Bytes>> = None;
        let (trace, class, expires_at_ms) = (message.trace.0.as_u128(), state.class, message.expires_at_ms);
        let name = state.topic.name();
        let tells_serving = message.from == STATION && class == Class::Open;
        for target in &mut state.targets {
            if class.may_receive(target.kind, message.schema_id).is_err() {
                continue;
            }
            let Some(session) = sessions.at(target.session, target.id) else { continue };
            if !matches!(session.phase, Phase::Open(_)) {
                continue;
            }
            let Some(sub) = session.subs.get_mut(target.sub) else { continue };
            if !session.is_dirty {
                session.is_dirty = true;
                dirty.push(target.id);
            }
            let to = Some((target.id, target.number));
            let mut record_loss = |reason| {
                let from = Some(message.from);
                let lost =
                    LostMessage { to, from, trace: message.trace, msg_id: message.msg_id, expires_at_ms };
                losses.push(Loss { topic: None, reason, lost, body: None, dialect: Dialect::Frames });
                result.dropped += 1;
            };
            if seen.as_ref().is_some_and(|seen| dedupe.has_seen(seen, &sub.seen)) {
                sub.duplicates += 1;
                dedupe.record_delivered(&mut sub.seen);
                record_loss(DropReason::Duplicate);
                continue;
            }
            let from = message.from;
            let mut is_too_long = false;
            let pushed = if target.dialect == Dialect::Json {
                let tail = json.get_or_insert_with(|| json_units::tail(bytes, body_bytes_max));
                let unit = tail
                    .as_ref()
                    .and_then(|tail| Some((json_units::head(target.number, tail, body_bytes_max)?, tail)));
                if let Some((head, tail)) = unit {
                    let (trace, msg_id) = (message.trace, message.msg_id);
                    let tag = Tag::Json(Box::new(JsonDeliveryInfo {
                        topic: name.clone(),
                        from,
                        sub: target.number,
                        trace,
                        msg_id,
                    }));
                    let (head, message) = (&head[..], Payload::Shared(tail));
                    session
                        .outbox
                        .push_delivery(target.slot, Delivery { head, message, expires_at_ms, tag }, budget)
                        .is_ok()
                } else {
                    // It fits no unit: it is lost to this subscriber (ruling RMP 16).
                    is_too_long = true;
                    session.outbox.refuse(target.slot);
                    false
                }
            } else {
                let (slot, head) = (target.slot, target.head(now_ms, trace, message.msg_id));
                let payload = if bytes.len() < SHARED_BYTES_MIN {
                    Payload::Copied(bytes)
                } else {
                    Payload::Shared(shared.get_or_insert_with(|| message.frame.to_bytes()))
                };
                let delivery = Delivery { head, message: payload, expires_at_ms, tag: Tag::Frames { from } };
                session.outbox.push_delivery(slot, delivery, budget).is_ok()
            };
            if tells_serving && target.serves {
                serving.note(target.id, pushed, is_too_long);
            }
            if !pushed {
                if let Some(seen) = &seen {
                    dedupe.record_lost(seen, &mut sub.seen);
                }
                record_loss(DropReason::BackpressureTimeout);
                continue;
            }
            if seen.is_some() {
                dedupe.record_delivered(&mut sub.seen);
            }
            result.delivered += 1;
            if !session.is_waiting {
                session.is_waiting = true;
                waiting.push(target.id);
            }
        }
        result
    }

    /// The verdict on a message that may be published, by what its subscriptions have seen and have room for;
    /// nothing is changed.
    pub(super) fn predict_delivery(
        &self,
        now: Now,
        topic: &str,
        class: Class,
        header: &Header,
        wire_bytes: usize,
    ) -> Verdict {
        let mut found = Vec::new();
        if let Ok(topic) = Topic::parse(topic) {
            self.routes.matches(&topic, &mut found);
        }
        let key = Key::new(header.trace_id, header.msg_id);
        let scope = self.topics.get_by_name(topic).and_then(|state| state.scope);
        let seen = scope.map(|scope| self.dedupe.lookup(scope, key, now.mono));
        let (mut subscribers, mut dropped) = (0, 0);
        for Route { connection, sub } in found {
            let Some(session) = self.sessions.get(connection).filter(|session| session.is_open()) else {
                continue;
            };
            if class.may_receive(session.kind(), header.schema_id).is_err() {
                continue;
            }
            let Some(sub) = session.sub_indexes.get(&sub).and_then(|place| session.subs.get(*place)) else {
                continue;
            };
            let has_seen = seen.as_ref().is_some_and(|seen| self.dedupe.has_seen(seen, &sub.seen));
            let head_bytes = 100 + topic.len();
            let has_room =
                session.outbox.full(sub.slot, (head_bytes + wire_bytes) as u64, &self.budget).is_none();
            if has_seen || !has_room { dropped += 1 } else { subscribers += 1 }
        }
        Verdict::Published { subscribers, dropped }
    }
}
