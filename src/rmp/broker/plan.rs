//! What becomes of a message at each subscription that it reaches; nothing is changed.

use std::time::Duration;

use bytes::Bytes;

use super::{
    deliver::{DeliveryCounts, Message},
    json_units,
    session::Session,
    topics::Target,
};
use crate::{
    ids::ConnectionId,
    limits,
    rmp::{
        Dialect,
        dedupe::{Dedupe, Sighting},
        dialect::message_head_bytes,
        outbox::QueuedBytes,
        topic::Class,
    },
    tap::entry::rmp::DropReason,
    time::Mono,
};

/// What becomes of a message at one subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is not for this one: its kind may not receive it, or its session is not open.
    NotReceived,
    /// The subscriber had it already.
    Duplicate,
    /// It fits no unit of the JSON dialect: it is lost to this subscriber (ruling RMP 16).
    TooLong,
    /// The queue has no room for it (ruling RMP 8).
    Full,
    /// The subscription was full for so long that nothing is queued for it until it reads.
    Parked,
    /// It is queued.
    Queued,
}

impl Fate {
    /// Why the subscriber does not get what it would have.
    pub(super) const fn loss(self) -> Option<DropReason> {
        match self {
            Self::NotReceived | Self::Queued => None,
            Self::Duplicate => Some(DropReason::Duplicate),
            Self::TooLong | Self::Full | Self::Parked => Some(DropReason::BackpressureTimeout),
        }
    }
}

/// What a message is planned by, and what the subscriptions planned so far leave of it for the next. What is
/// done at a subscription changes nothing that the next is planned by.
pub(super) struct DeliveryPlan<'a> {
    now: Mono,
    message: &'a Message<'a>,
    class: Class,
    /// What was seen of the message before; none where nobody can have seen it.
    seen: Option<Sighting>,
    /// Bytes queued on all connections, those of the message included.
    queued: QueuedBytes,
    limits: &'a limits::Rmp,
    /// What the message is to every subscriber of the JSON dialect, once one is there; nothing where it fits
    /// no unit.
    #[expect(clippy::option_option, reason = "not made yet, or made and fits no unit")]
    tail: Option<Option<Bytes>>,
    counts: DeliveryCounts,
    /// The session that the message is queued for by the subscription before, which keeps it once; and the
    /// bytes that it is to hold more.
    holder: Option<(ConnectionId, u64)>,
}

impl<'a> DeliveryPlan<'a> {
    pub(super) fn new(
        now: Mono,
        message: &'a Message<'a>,
        class: Class,
        seen: Option<Sighting>,
        queued: QueuedBytes,
        limits: &'a limits::Rmp,
    ) -> Self {
        let counts = DeliveryCounts::default();
        Self { now, message, class, seen, queued, limits, tail: None, counts, holder: None }
    }

    /// How many got the message of those planned so far, and how many did not.
    pub(super) fn counts(&self) -> DeliveryCounts {
        self.counts
    }

    /// What the message is to every subscriber of the JSON dialect that it fits.
    pub(super) fn tail(&self) -> Option<&Bytes> {
        self.tail.as_ref()?.as_ref()
    }

    /// What becomes of the message at the next of its subscriptions, whose session this is. Those of one
    /// session follow one another.
    #[inline]
    pub(super) fn next(&mut self, dedupe: &Dedupe, session: &Session, target: &Target) -> Fate {
        if !session.is_open() {
            return Fate::NotReceived;
        }
        let Some(sub) = session.subs.get(target.sub) else { return Fate::NotReceived };
        if self.class.may_receive(target.kind, self.message.schema_id).is_err() {
            return Fate::NotReceived;
        }
        if self.seen.as_ref().is_some_and(|seen| dedupe.has_seen(seen, &sub.seen)) {
            self.counts.dropped += 1;
            return Fate::Duplicate;
        }
        if session.is_parked(self.now, sub, Duration::from_millis(self.limits.full_ms_max)) {
            self.counts.dropped += 1;
            return Fate::Parked;
        }
        let Some((head, message)) = self.unit_bytes(target) else {
            self.counts.dropped += 1;
            return Fate::TooLong;
        };
        let before = self.holder.filter(|(id, _)| *id == target.id).map(|(_, bytes)| bytes);
        let more = if before.is_some() { head } else { head + message };
        let of_session = before.unwrap_or(0) + more;
        if session.outbox.full(target.slot, head + message, (more, of_session), &self.queued).is_some() {
            self.counts.dropped += 1;
            return Fate::Full;
        }
        self.holder = Some((target.id, of_session));
        self.queued.add(more);
        self.counts.delivered += 1;
        Fate::Queued
    }

    /// Bytes that the message takes in a subscription's queue, its head and itself; none where it fits no
    /// unit of its dialect.
    fn unit_bytes(&mut self, target: &Target) -> Option<(u64, u64)> {
        let wire = self.message.frame.bytes();
        if target.dialect == Dialect::Frames {
            return Some((target.head.len() as u64, wire.len() as u64));
        }
        let body_bytes_max = self.limits.body_bytes_max;
        let tail = self.tail.get_or_insert_with(|| json_units::tail(wire, body_bytes_max)).as_ref()?;
        let head = message_head_bytes(target.number, tail.len(), body_bytes_max).ok()?;
        Some((head as u64, tail.len() as u64))
    }
}
