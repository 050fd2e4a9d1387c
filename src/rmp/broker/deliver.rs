//! Gives a message to every subscription that it reaches. A slow one never holds its publisher: what does not
//! fit is lost to it (ruling RMP 8).

use bytes::Bytes;

use super::{
    core::Broker,
    drops::{Loss, LostMessage},
    io::{STATION, Wire},
    json_units,
    plan::{DeliveryPlan, Fate},
    session::{JsonDeliveryInfo, Session, Sub, Tag, TopicRef},
    topics::Target,
};
use crate::{
    ids::{ConnectionId, TopicName, TraceId},
    rmp::{
        Dialect, SchemaId,
        dedupe::{Dedupe, Key, Sighting},
        outbox::{Budget, Delivery, Payload, SHARED_BYTES_MIN, Slot},
        topic::{Class, Topic},
    },
    tap::entry::rmp::{DropReason, Verdict},
    time::{Mono, Now},
};

/// More than the Deliver before a message takes.
const HEAD_BYTES_MAX: u64 = 1_024;

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

impl Message<'_> {
    /// More bytes than it takes in the queues of so many subscriptions, heads included: as JSON it is at most
    /// some six times as long.
    fn bytes_max(&self, subscriptions: usize) -> u64 {
        (self.frame.bytes().len() as u64 * 6 + HEAD_BYTES_MAX) * subscriptions as u64
    }
}

/// How many subscriptions got a message, and how many did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DeliveryCounts {
    pub(super) delivered: u32,
    pub(super) dropped: u32,
}

impl DeliveryCounts {
    pub(super) const fn verdict(self) -> Verdict {
        Verdict::Published { subscribers: self.delivered, dropped: self.dropped }
    }
}

/// A message as it is written to the queues of its subscriptions.
struct Payloads<'a> {
    message: &'a Message<'a>,
    topic: &'a TopicName,
    now_ms: u64,
    /// Made where it is written first.
    shared: Option<Bytes>,
}

impl Payloads<'_> {
    /// Queues the message for a subscription that has room for it; `tail` is what it is to those of the JSON
    /// dialect.
    #[inline]
    fn queue(
        &mut self,
        tail: Option<&Bytes>,
        session: &mut Session,
        target: &mut Target,
        budget: &mut Budget,
    ) {
        let Message { expires_at_ms, trace, msg_id, from, .. } = *self.message;
        if target.dialect == Dialect::Json {
            let Some(tail) = tail else { return };
            let (slot, head, tag) = self.json_delivery(target, tail);
            let delivery = Delivery { head: &head, message: Payload::Shared(tail), expires_at_ms, tag };
            return session.outbox.queue_delivery(slot, delivery, budget);
        }
        let (slot, head) = (target.slot, target.head(self.now_ms, trace.0.as_u128(), msg_id));
        let delivery = Delivery { head, message: self.payload(), expires_at_ms, tag: Tag::Frames { from } };
        session.outbox.queue_delivery(slot, delivery, budget);
    }

    /// Queues the message once for those of a session's subscriptions that have room for it.
    fn queue_once(
        &mut self,
        tail: Option<&Bytes>,
        session: &mut Session,
        targets: &mut [Target],
        budget: &mut Budget,
    ) {
        let Message { expires_at_ms, trace, msg_id, from, .. } = *self.message;
        let (now_ms, trace) = (self.now_ms, trace.0.as_u128());
        if session.dialect() == Dialect::Json {
            let Some(tail) = tail else { return };
            let targets = targets.iter().filter(|target| target.is_queued);
            let to = targets.map(|target| self.json_delivery(target, tail));
            return session.outbox.queue_fan_out(to, Payload::Shared(tail), expires_at_ms, budget);
        }
        let targets = targets.iter_mut().filter(|target| target.is_queued);
        let to =
            targets.map(|target| (target.slot, target.head(now_ms, trace, msg_id), Tag::Frames { from }));
        session.outbox.queue_fan_out(to, self.payload(), expires_at_ms, budget);
    }

    fn json_delivery(&self, target: &Target, tail: &Bytes) -> (Slot, Vec<u8>, Tag) {
        let Message { from, trace, msg_id, .. } = *self.message;
        let (topic, sub) = (self.topic.clone(), target.number);
        let tag = Tag::Json(Box::new(JsonDeliveryInfo { topic, from, sub, trace, msg_id }));
        (target.slot, json_units::head(sub, tail), tag)
    }

    #[inline]
    fn payload(&mut self) -> Payload<'_> {
        let frame = self.message.frame;
        if frame.bytes().len() < SHARED_BYTES_MIN {
            Payload::Copied(frame.bytes())
        } else {
            Payload::Shared(self.shared.get_or_insert_with(|| frame.to_bytes()))
        }
    }
}

impl Broker {
    /// Gives a message to whom it reaches, as it is planned. What was lost waits in `losses` to be told.
    pub(super) fn deliver(&mut self, now: Now, at: TopicRef, message: &Message<'_>) -> DeliveryCounts {
        let now_ms = self.wall.now_ms(now);
        let Self { topics, routes, sessions, dedupe, budget, waiting, dirty, losses, responders, .. } = self;
        let Some(state) = topics.resolve_targets(at, routes, sessions) else {
            return DeliveryCounts::default();
        };
        if state.targets.is_empty() {
            return DeliveryCounts::default();
        }
        let seen = message.is_counted.then(|| {
            let scope = *state.scope.get_or_insert_with(|| dedupe.open_topic());
            dedupe.record_seen(scope, Key::new(message.trace, message.msg_id), now.mono)
        });
        let queued = budget.queued(message.bytes_max(state.targets.len()));
        let mut plan = DeliveryPlan::new(now.mono, message, state.class, seen, queued, &self.settings.limits);
        let mut payloads = Payloads { message, topic: state.topic.name(), now_ms, shared: None };
        let tells_serving = message.from == STATION && state.class == Class::Open;
        for targets in state.targets.chunk_by_mut(|one, next| one.id == next.id) {
            let Some((at, id)) = targets.first().map(|target| (target.session, target.id)) else { continue };
            let Some(session) = sessions.at(at, id) else { continue };
            let (mut queued, mut queued_at) = (0, 0);
            for (at, target) in targets.iter_mut().enumerate() {
                let fate = plan.next(dedupe, session, target);
                target.is_queued = fate == Fate::Queued;
                if fate == Fate::NotReceived {
                    continue;
                }
                if target.is_queued {
                    (queued, queued_at) = (queued + 1, at);
                }
                if !session.is_dirty {
                    session.is_dirty = true;
                    dirty.push(id);
                }
                if let (Some(seen), Some(sub)) = (&seen, session.subs.get_mut(target.sub)) {
                    record_fate(dedupe, sub, seen, fate);
                }
                if tells_serving && target.serves && fate != Fate::Duplicate {
                    responders.note(id, target.is_queued, fate == Fate::TooLong);
                }
                record_loss(now.mono, session, target, message, fate, losses);
            }
            if queued > 1 {
                payloads.queue_once(plan.tail(), session, targets, budget);
            } else if let Some(target) = targets.get_mut(queued_at).filter(|_| queued == 1) {
                payloads.queue(plan.tail(), session, target, budget);
            }
            if queued > 0 {
                waiting.add(session);
            }
        }
        let counts = plan.counts();
        self.planned += u64::from(counts.delivered) + u64::from(counts.dropped);
        counts
    }

    /// What [`deliver`](Self::deliver) would do with a message for a topic, whether the topic is in the table
    /// or not: each subscription, its session and what becomes of the message there goes to `each`. Nothing
    /// is changed.
    pub(super) fn plan(
        &self,
        now: Now,
        topic: &Topic,
        class: Class,
        message: &Message<'_>,
        mut each: impl FnMut(&Target, &Session, Fate),
    ) -> DeliveryCounts {
        let state = self.topics.get_by_name(topic.as_str());
        let key = Key::new(message.trace, message.msg_id);
        let scope = state.and_then(|state| state.scope).filter(|_| message.is_counted);
        let seen = scope.map(|scope| self.dedupe.lookup(scope, key, now.mono));
        let found;
        let targets = if let Some(targets) = state.and_then(|state| state.resolved_targets(&self.routes)) {
            targets
        } else {
            found = Target::all(topic, &self.routes, &self.sessions);
            &found
        };
        let queued = self.budget.queued(message.bytes_max(targets.len()));
        let mut plan = DeliveryPlan::new(now.mono, message, class, seen, queued, &self.settings.limits);
        for target in targets {
            if let Some(session) = self.sessions.get(target.id) {
                each(target, session, plan.next(&self.dedupe, session, target));
            }
        }
        plan.counts()
    }
}

/// What a subscription has seen of a message, and what it lost.
#[inline]
fn record_fate(dedupe: &mut Dedupe, sub: &mut Sub, seen: &Sighting, fate: Fate) {
    match fate {
        Fate::NotReceived => {}
        Fate::Queued => dedupe.record_delivered(&mut sub.seen),
        Fate::TooLong | Fate::Full | Fate::Parked => dedupe.record_lost(seen, &mut sub.seen),
        Fate::Duplicate => {
            sub.duplicates += 1;
            dedupe.record_delivered(&mut sub.seen);
        }
    }
}

/// What a subscription does not get, to be told.
fn record_loss(
    now: Mono,
    session: &mut Session,
    target: &Target,
    message: &Message<'_>,
    fate: Fate,
    losses: &mut Vec<Loss>,
) {
    let Some(reason) = fate.loss() else { return };
    if fate == Fate::Full {
        session.note_full(now, target.sub);
    }
    if fate != Fate::Duplicate {
        session.outbox.refuse(target.slot);
    }
    losses.push(loss(target, message, reason, fate == Fate::Parked));
}

fn loss(target: &Target, message: &Message<'_>, reason: DropReason, is_held: bool) -> Loss {
    let Message { from, trace, msg_id, expires_at_ms, .. } = *message;
    let (to, from) = (Some((target.id, target.number)), Some(from));
    let lost = LostMessage { to, from, trace, msg_id, expires_at_ms };
    Loss { reason, is_held, ..Loss::of(lost) }
}
