//! What did not reach a subscription: counted at once, told at most so often a second and topic (rmp-v0 §5;
//! ruling RMP 9).

use std::time::Duration;

use bytes::Bytes;
use serde::Serialize;

use super::{
    core::Broker,
    deliver::Message,
    io::{STATION, Wire},
    session::{Session, TopicRef},
};
use crate::{
    ids::{ConnectionId, TraceId},
    rmp::{
        Dialect, Header, SchemaId,
        dedupe::Key,
        dialect, encode,
        snapshot::{DropView, note_drop, note_recent_drop},
        topic::{Class, DROPS, DROPS_BODIES},
    },
    tap::entry::rmp::{DropReason, Transition},
    time::{Mono, Now},
};

/// The TTL of a notice (Facts: 5 s), and of a dropped message on its way to who looks.
pub(super) const NOTICE_TTL_MS: u64 = 5_000;
const SECOND: Duration = Duration::from_secs(1);
/// Subscriptions of a topic whose losses are held back apart; those of further ones are told together, as
/// nobody's.
const SUPPRESSED_MAX: usize = 32;

/// One loss, until it is told.
#[derive(Debug)]
pub(super) struct Loss {
    /// The topic, where it is not the one that is delivered on.
    pub(super) topic: Option<crate::ids::TopicName>,
    pub(super) reason: DropReason,
    pub(super) lost: LostMessage,
    /// The message, where it does not lie with who tells of it.
    pub(super) body: Option<Bytes>,
    /// What `body` is written in: a frame, or what a unit says of one.
    pub(super) dialect: Dialect,
    /// It is told with others within a second, though there is room for a notice now.
    pub(super) is_held: bool,
}

impl Loss {
    /// One by back-pressure, on the topic that is delivered on.
    pub(super) fn of(lost: LostMessage) -> Self {
        let (reason, dialect) = (DropReason::BackpressureTimeout, Dialect::Frames);
        Self { topic: None, reason, lost, body: None, dialect, is_held: false }
    }
}

/// The account of a message that was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LostMessage {
    pub(super) to: Option<(ConnectionId, u64)>,
    pub(super) from: Option<ConnectionId>,
    pub(super) trace: TraceId,
    pub(super) msg_id: u64,
    pub(super) expires_at_ms: u64,
}

/// What was told of one topic lately, and what was not. After as many as a second may have, nothing is told
/// for a second.
#[derive(Debug, Default)]
pub(super) struct Notices {
    /// When the last was told.
    since: Mono,
    /// How many were told with less than a second between them.
    sent_in_burst: u64,
    suppressed: Vec<SuppressedLoss>,
    /// It is on the list of topics to be told of.
    is_listed: bool,
}

/// Losses of one reason and subscription that were not told yet.
#[derive(Clone, Copy, Debug)]
struct SuppressedLoss {
    reason: DropReason,
    count: u64,
    /// The last of them.
    lost: LostMessage,
}

impl Notices {
    /// How many to tell of with this one; nothing where it is to wait.
    fn admit(&mut self, now: Mono, reason: DropReason, lost: LostMessage, per_s_max: u64) -> Option<u64> {
        if !self.has_room(now, per_s_max) {
            self.suppress(reason, lost);
            return None;
        }
        let held = self.suppressed.iter().position(|held| (held.reason, held.lost.to) == (reason, lost.to));
        self.record_sent(now);
        Some(held.map_or(0, |at| self.suppressed.remove(at).count) + 1)
    }

    fn has_room(&self, now: Mono, per_s_max: u64) -> bool {
        self.sent_in_burst < per_s_max || now.since(self.since) >= SECOND
    }

    fn record_sent(&mut self, now: Mono) {
        if now.since(self.since) >= SECOND {
            self.sent_in_burst = 0;
        }
        (self.since, self.sent_in_burst) = (now, self.sent_in_burst + 1);
    }

    fn suppress(&mut self, reason: DropReason, lost: LostMessage) {
        if let Some(held) = self.suppressed_of(reason, lost.to) {
            (held.count, held.lost) = (held.count + 1, lost);
            return;
        }
        if self.suppressed.len() < SUPPRESSED_MAX {
            return self.suppressed.push(SuppressedLoss { reason, count: 1, lost });
        }
        let lost = LostMessage { to: None, ..lost };
        match self.suppressed_of(reason, None) {
            Some(held) => (held.count, held.lost) = (held.count + 1, lost),
            None => self.suppressed.push(SuppressedLoss { reason, count: 1, lost }),
        }
    }

    fn suppressed_of(
        &mut self,
        reason: DropReason,
        to: Option<(ConnectionId, u64)>,
    ) -> Option<&mut SuppressedLoss> {
        self.suppressed.iter_mut().find(|held| (held.reason, held.lost.to) == (reason, to))
    }

    /// Whether something of it is to be told yet.
    pub(super) fn is_listed(&self) -> bool {
        self.is_listed
    }
}

/// The payload of `CT_BUS_DROP_NOTICE` (Facts; ruling RMP 9).
#[derive(Serialize)]
struct Notice<'a> {
    v: u8,
    reason: &'a str,
    topic: &'a str,
    #[serde(with = "serde_bytes_16")]
    trace_id: [u8; 16],
    msg_id: u64,
    expires_at_ms: u64,
    observed_at_ms: u64,
    /// Losses that this one tells of besides.
    #[serde(skip_serializing_if = "is_zero")]
    suppressed: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

mod serde_bytes_16 {
    use serde::Serializer;

    pub(super) fn serialize<S: Serializer>(bytes: &[u8; 16], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }
}

impl Broker {
    pub(super) fn record_loss(&mut self, reason: DropReason, lost: LostMessage) {
        self.losses.push(Loss { reason, ..Loss::of(lost) });
    }

    /// Tells of what was lost on a topic just now, or holds it back for the next notice.
    pub(super) fn emit_notices(&mut self, now: Now, at: TopicRef, frame: Option<Wire<'_>>) {
        if self.losses.is_empty() {
            return;
        }
        let mut losses = std::mem::take(&mut self.losses);
        for loss in losses.drain(..) {
            let at = match &loss.topic {
                Some(topic) => self.topic_at(topic.as_str()).unwrap_or(at),
                None => at,
            };
            self.note_unread(now, at, &loss);
            if loss.is_held {
                self.suppress(now, at, loss.reason, loss.lost);
                continue;
            }
            let body = loss.body.as_ref().map(Wire::Owned).or(frame);
            self.emit_or_suppress(now, at, loss.reason, loss.lost, (loss.dialect, body));
        }
        self.losses = losses;
    }

    /// What was taken out of a queue was not seen: a retry that is in time reaches its subscriber (rmp-v0 §4,
    /// §5).
    fn note_unread(&mut self, now: Now, at: TopicRef, loss: &Loss) {
        // Only what was queued names its topic.
        let Loss { topic: Some(_), lost: LostMessage { to: Some((id, sub)), trace, msg_id, .. }, .. } = *loss
        else {
            return;
        };
        self.report_unread(at, loss.lost);
        let scope = self.topics.get(at).and_then(|state| state.scope);
        let sub = self
            .sessions
            .get_mut(id)
            .and_then(|session| session.subs.get_mut(*session.sub_indexes.get(&sub)?));
        if let (Some(sub), Some(scope)) = (sub, scope) {
            let seen = self.dedupe.lookup(scope, Key::new(trace, msg_id), now.mono);
            self.dedupe.record_lost(&seen, &mut sub.seen);
        }
    }

    fn emit_or_suppress(
        &mut self,
        now: Now,
        at: TopicRef,
        reason: DropReason,
        lost: LostMessage,
        (dialect, body): (Dialect, Option<Wire<'_>>),
    ) {
        let per_s_max = self.settings.limits.notices_per_s_max;
        let Some(state) = self.topics.state(at) else { return };
        if state.class.is_silent() {
            return self.suppress(now, at, reason, lost);
        }
        let Some(count) = state.notices.admit(now.mono, reason, lost, per_s_max) else {
            return self.schedule_suppressed(now, at);
        };
        self.emit_notice(now, at, reason, lost, count);
        let rebuilt = match (dialect, &body) {
            (Dialect::Json, Some(tail)) => dialect::frame_of_tail(tail.bytes()).map(Bytes::from),
            _ => None,
        };
        let is_private = self.topics.get(at).is_some_and(|state| state.class == Class::Operator);
        let frame = if dialect == Dialect::Json { rebuilt.as_ref().map(Wire::Owned) } else { body };
        if let Some(frame) = frame
            && !is_private
            && frame.bytes().len() as u64 <= self.settings.limits.drop_body_bytes_max
            && !frame.bytes().is_empty()
        {
            self.publish_body(now, lost, frame);
        }
    }

    /// Holds back what was lost of a notice or of a message in its place, from so many losses on: it is
    /// counted within a second.
    pub(super) fn suppress_losses(&mut self, now: Now, at: TopicRef, from: usize) {
        while self.losses.len() > from {
            if let Some(Loss { reason, lost, .. }) = self.losses.pop() {
                self.suppress(now, at, reason, lost);
            }
        }
    }

    fn suppress(&mut self, now: Now, at: TopicRef, reason: DropReason, lost: LostMessage) {
        if let Some(state) = self.topics.state(at) {
            state.notices.suppress(reason, lost);
            self.schedule_suppressed(now, at);
        }
    }

    fn schedule_suppressed(&mut self, now: Now, at: TopicRef) {
        if let Some(state) = self.topics.state(at).filter(|state| !state.notices.is_listed) {
            state.notices.is_listed = true;
            self.suppressed_topics.push(at);
        }
        self.arm(now);
    }

    /// Tells of what was held back, as far as it may be told now.
    pub(super) fn emit_suppressed(&mut self, now: Now) {
        for at in std::mem::take(&mut self.suppressed_topics) {
            self.emit_suppressed_of(now, at, false);
        }
    }

    /// Tells of what was held back of a topic; all of it where the topic is let go.
    pub(super) fn emit_suppressed_of(&mut self, now: Now, at: TopicRef, is_last: bool) {
        let per_s_max = self.settings.limits.notices_per_s_max;
        let Some(state) = self.topics.state(at) else { return };
        for held in std::mem::take(&mut state.notices.suppressed) {
            let Some(state) = self.topics.state(at) else { return };
            if is_last || state.class.is_silent() || state.notices.has_room(now.mono, per_s_max) {
                state.notices.record_sent(now.mono);
                self.emit_notice(now, at, held.reason, held.lost, held.count);
            } else {
                state.notices.suppressed.push(held);
            }
        }
        let Some(state) = self.topics.state(at) else { return };
        state.notices.is_listed = false;
        if !state.notices.suppressed.is_empty() {
            self.schedule_suppressed(now, at);
        }
    }

    fn emit_notice(&mut self, now: Now, at: TopicRef, reason: DropReason, lost: LostMessage, count: u64) {
        let Some(state) = self.topics.state(at) else { return };
        let (topic, is_silent) = (state.topic.name().clone(), state.class.is_silent());
        if let Some(shown) = self.visible_topic(now, at) {
            shown.view.dropped[reason.index()] += count;
        }
        self.totals.dropped[reason.index()] += count;
        let LostMessage { to, from, trace, msg_id, expires_at_ms } = lost;
        let open = |session| self.sessions.get(session).filter(|session| !session.is_closed());
        let client = |session: Option<ConnectionId>| session.and_then(open).and_then(Session::client);
        let view = DropView {
            first_at: now,
            at: now,
            reason,
            topic: topic.clone(),
            to,
            to_client: client(to.map(|(session, _)| session)),
            from,
            from_client: client(from),
            notices: 1,
            count,
            trace: Some(trace),
            msg_id,
            expires_at_ms,
        };
        note_recent_drop(&mut self.recent_drops, now, reason, count);
        note_drop(&mut self.drops, view, self.settings.limits.shown_drops_max);
        let notice = Notice {
            v: 1,
            reason: reason.name(),
            topic: topic.as_str(),
            trace_id: trace.0.into_bytes(),
            msg_id,
            expires_at_ms,
            observed_at_ms: self.wall.now_ms(now),
            suppressed: count - 1,
        };
        if !is_silent && let Ok(body) = encode::body("error.bus.drop.notice.v1", &notice, None::<&()>) {
            self.publish_untapped(now, DROPS, SchemaId::BUS_DROP_NOTICE, trace, NOTICE_TTL_MS, &body);
        }
        self.emit_transition(
            Transition::Dropped { reason, topic, to, from, count, msg_id, expires_at_ms },
            None,
            Some(trace),
        );
    }

    /// The message itself, as it came, for operators' eyes.
    fn publish_body(&mut self, now: Now, lost: LostMessage, frame: Wire<'_>) {
        let Ok(at) = self.topic_at(DROPS_BODIES) else { return };
        let schema_id = crate::rmp::RawFrame::split(frame.bytes())
            .map_or(SchemaId(0), |raw| Header::from(&raw.header).schema_id);
        let message = Message {
            frame,
            trace: lost.trace,
            msg_id: lost.msg_id,
            schema_id,
            expires_at_ms: self.wall.now_ms(now).saturating_add(NOTICE_TTL_MS),
            from: STATION,
            is_counted: false,
        };
        let before = self.losses.len();
        self.deliver(now, at, &message);
        self.suppress_losses(now, at, before);
    }
}
