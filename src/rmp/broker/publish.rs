//! A message behind its `Publish`: judged, given to whom it reaches, answered.
//!
//! The order: what is wrong with the stream or the frame (ruling RMP 3), then with the `Publish` (the topic),
//! then the right to publish, then whether it is expired; who had it already is judged for each subscription.
//! A message that is refused is consumed all the same.

use super::{
    core::Broker,
    deliver::{DeliveryCounts, Message},
    drops::LostMessage,
    io::{OperatorRequest, Output, Ticket, Wire},
    session::{Pending, RefusalDetail, TopicRef},
};
use crate::{
    ids::{ConnectionId, TopicName, TraceId},
    rmp::{
        Checks, Error, Frame, HEADER_BYTES, Header, PREFIX_BYTES, RawFrame, decode,
        decode::split_checked,
        dedupe::Key,
        expires_at_ms, is_expired,
        topic::{Class, OPERATOR, Topic, TopicFault},
    },
    tap::entry::rmp::{DropReason, FrameKind, Head, Kind, Refusal, Verdict},
    time::Now,
};

/// A message that may be given to whom it reaches.
pub(super) struct AdmittedMessage {
    pub(super) at: TopicRef,
    pub(super) class: Class,
    pub(super) topic: TopicName,
    pub(super) header: Header,
    pub(super) expires_at_ms: u64,
}

/// Why a message is refused.
pub(super) enum RejectedMessage {
    Refused(RefusalDetail),
    /// It came too late, to a topic that its publisher may publish on.
    Expired(Box<AdmittedMessage>, RefusalDetail),
}

impl Broker {
    /// The message of the `Publish` that came last.
    pub(super) fn on_message(&mut self, now: Now, id: ConnectionId, pending: &Pending, frame: Wire<'_>) {
        let wire = frame.bytes();
        let raw = RawFrame::split(wire).map(|raw| Header::from(&raw.header));
        let trace = raw.map(|header| header.trace_id).or(Some(pending.trace));
        let (kind, dialect, redaction) = match self.sessions.get(id) {
            Some(session) => (session.kind(), session.dialect(), session.withholds()),
            None => return,
        };
        let (schema_id, msg_id) = (raw.map(|header| header.schema_id.0), raw.map(|header| header.msg_id));
        let head = |topic| Head {
            kind: Some(FrameKind::Publish),
            dialect,
            topic,
            schema_id,
            msg_id,
            ..Head::default()
        };
        debug_assert!(self.losses.is_empty(), "what was lost before belongs to another topic");
        let judged = match self.judge_message(now, id, kind, pending, wire) {
            Ok(judged) => judged,
            Err(RejectedMessage::Refused(refused)) => {
                let head = head(self.name_of(id, pending));
                return self.refuse(now, id, head, pending.re, &refused, trace, redaction);
            }
            Err(RejectedMessage::Expired(judged, refused)) => {
                self.refuse(
                    now,
                    id,
                    head(Some(judged.topic.clone())),
                    pending.re,
                    &refused,
                    trace,
                    redaction,
                );
                return self.record_expired(now, id, &judged, frame);
            }
        };
        if judged.class == Class::Operator {
            return self.forward_to_station(now, id, kind, &judged, pending, wire);
        }
        if let Some(refused) = self.inbox_full_refusal(&judged, wire) {
            return self.refuse(now, id, head(Some(judged.topic)), pending.re, &refused, trace, redaction);
        }
        let ear_topic = self.is_for_station(judged.class).then(|| judged.topic.clone());
        let message = Message {
            frame,
            trace: judged.header.trace_id,
            msg_id: judged.header.msg_id,
            schema_id: judged.header.schema_id,
            expires_at_ms: judged.expires_at_ms,
            from: id,
            is_counted: true,
        };
        let mut reached = self.deliver(now, judged.at, &message);
        reached.delivered += u32::from(ear_topic.is_some());
        let verdict = Verdict::Published { subscribers: reached.delivered, dropped: reached.dropped };
        self.outputs.push_back(Output::Received {
            session: id,
            head: head(Some(judged.topic)),
            verdict,
            redaction,
            trace,
        });
        self.count(now, judged.at, id, &message, reached, (pending.wire_bytes + wire.len()) as u64);
        if pending.ack {
            self.answer_ok(now, id, pending.re, trace);
        }
        if let Some(topic) = ear_topic {
            self.deliver_to_station(now, id, topic, judged.header, wire);
        }
        self.emit_notices(now, judged.at, Some(frame));
    }

    /// Whether a message may go where its `Publish` says. A topic that is new is made only then: who may not
    /// publish displaces none.
    fn judge_message(
        &mut self,
        now: Now,
        id: ConnectionId,
        kind: Kind,
        pending: &Pending,
        wire: &[u8],
    ) -> Result<AdmittedMessage, RejectedMessage> {
        let refuse = |refused| RejectedMessage::Refused(refused);
        // What ends the stream was found before the frame was cut out of it.
        let to = pending.to.clone().map_err(|refused| refuse(*refused))?;
        let (header, expires_at_ms) =
            self.header_of(id, wire).map_err(|error| refuse(Self::fault(&error)))?;
        let (class, at, topic) = if let Some((at, state)) = to.and_then(|at| Some((at, self.topics.get(at)?)))
        {
            (state.class, Some(at), state.topic.name().clone())
        } else {
            let unknown = || refuse(RefusalDetail::new(Refusal::InvalidTopic, &"the Publish names none"));
            let name = self.name_of(id, pending).ok_or_else(unknown)?;
            (Class::of_text(name.as_str()), None, name)
        };
        let forbidden = |denied| refuse(RefusalDetail::new(Refusal::Forbidden, &denied));
        class.may_publish(kind, header.schema_id).map_err(forbidden)?;
        let invalid = |fault| refuse(RefusalDetail::new(Refusal::InvalidTopic, &fault));
        let at = match at {
            Some(at) => at,
            None => self.topic_at(topic.as_str()).map_err(invalid)?,
        };
        let judged = AdmittedMessage { at, class, topic, header, expires_at_ms };
        let now_ms = self.wall.now_ms(now);
        if is_expired(now_ms, expires_at_ms) {
            let refused = Self::fault(&Error::Expired { expires_at_ms, now_ms });
            return Err(RejectedMessage::Expired(Box::new(judged), refused));
        }
        Ok(judged)
    }

    /// What the header of a message says, and when it expires. Of a body that begins as one before did only
    /// the payload is gone through.
    fn header_of(&mut self, id: ConnectionId, wire: &[u8]) -> Result<(Header, u64), Error> {
        let limits = &self.settings.limits;
        let raw = split_checked(wire, limits.body_bytes_max)?;
        let header = Header::from(&raw.header);
        let checks = Checks::new(&self.settings.registry, limits);
        let mut session = self.sessions.get_mut(id);
        if session.as_ref().is_some_and(|session| {
            session.publish_cache.is_known_type(header.schema_id, raw.body, checks.body_depth_max)
        }) {
            return Ok((header, expires_at_ms(header.created_at_ms, header.ttl_ms)?));
        }
        let Frame { expires_at_ms, body, .. } = decode(wire, &checks)?;
        if let Some(session) = &mut session {
            session.publish_cache.note_type(header.schema_id, &body);
        }
        Ok((header, expires_at_ms))
    }

    /// The topic that a `Publish` named, whatever became of it since.
    fn name_of(&self, id: ConnectionId, pending: &Pending) -> Option<TopicName> {
        let remembered =
            || self.sessions.get(id)?.publish_cache.name_of(pending.to.clone().ok().flatten()?).cloned();
        pending.topic.clone().or_else(remembered)
    }

    /// The topic of this name, made where it is new.
    pub(super) fn topic_at(&mut self, name: &str) -> Result<TopicRef, TopicFault> {
        if let Some(at) = self.topics.find(name) {
            self.topics.touch(at);
            return Ok(at);
        }
        Ok(self.topics.insert(Topic::parse(name)?))
    }

    /// Forgets topics that are dispensable where there are too many. What is told of them then changes
    /// nothing for a message before it.
    pub(super) fn shrink(&mut self, now: Now) {
        if !self.topics.is_crowded() {
            return;
        }
        for at in self.topics.evictable(&self.dedupe) {
            self.emit_suppressed_of(now, at, true);
            self.topics.forget(at, now, &mut self.dedupe);
        }
    }

    /// It is counted, noticed, and seen by nobody.
    fn record_expired(&mut self, now: Now, from: ConnectionId, judged: &AdmittedMessage, frame: Wire<'_>) {
        let AdmittedMessage { at, header, expires_at_ms, .. } = judged;
        let (trace, msg_id) = (header.trace_id, header.msg_id);
        let lost = LostMessage { to: None, from: Some(from), trace, msg_id, expires_at_ms: *expires_at_ms };
        self.record_loss(DropReason::TtlExpired, lost);
        self.emit_notices(now, *at, Some(frame));
    }

    /// An operator's request goes to the station alone, once (rmp-v0 §5), and is not tapped.
    fn forward_to_station(
        &mut self,
        now: Now,
        id: ConnectionId,
        kind: Kind,
        judged: &AdmittedMessage,
        pending: &Pending,
        wire: &[u8],
    ) {
        let AdmittedMessage { at, header, expires_at_ms, .. } = *judged;
        let (trace, msg_id) = (header.trace_id, header.msg_id);
        self.topics.touch(at);
        let Self { topics, dedupe, .. } = self;
        let scope = topics.state(at).map(|state| *state.scope.get_or_insert_with(|| dedupe.open_topic()));
        if scope.is_some_and(|scope| !dedupe.record_seen(scope, Key::new(trace, msg_id), now.mono).is_new()) {
            self.record_loss(
                DropReason::Duplicate,
                LostMessage { to: None, from: Some(id), trace, msg_id, expires_at_ms },
            );
            if pending.ack {
                self.answer_untapped(now, id, pending.re, trace);
            }
            return self.emit_notices(now, at, None);
        }
        let body = wire.get(PREFIX_BYTES + HEADER_BYTES..).unwrap_or_default();
        let payload = bytes::Bytes::copy_from_slice(body);
        let asked = OperatorRequest { session: id, kind, trace, payload };
        let ticket = Ticket { session: id, trace, msg_id, re: pending.re, ack: pending.ack };
        self.outputs.push_back(Output::OperatorRequest { request: asked, ticket });
        if let Some(session) = self.sessions.get_mut(id) {
            session.published += 1;
        }
        self.touch(id);
    }

    /// Whether the station had room for what an operator asked: the `Publish` is answered by that. What it
    /// had no room for may come again.
    pub fn answer_operator_request(&mut self, now: Now, ticket: Ticket, is_taken: bool) {
        let Ticket { session, trace, msg_id, re, ack } = ticket;
        if !is_taken {
            if let Some(scope) = self.topics.get_by_name(OPERATOR).and_then(|state| state.scope) {
                self.dedupe.forget(scope, Key::new(trace, msg_id));
            }
            let why =
                format!("the station has as many requests on {OPERATOR} as it takes: ask again in a moment");
            self.answer_error(now, session, re, &RefusalDetail::new(Refusal::Busy, &why), Some(trace));
        } else if ack {
            self.answer_untapped(now, session, re, trace);
        }
    }

    /// Counts a message that was taken, as the fold of its entry does.
    pub(super) fn count(
        &mut self,
        now: Now,
        at: TopicRef,
        id: ConnectionId,
        message: &Message<'_>,
        reached: DeliveryCounts,
        bytes: u64,
    ) {
        let DeliveryCounts { delivered: given, dropped } = reached;
        self.totals.published += 1;
        self.totals.published_bytes += bytes;
        self.totals.delivered += u64::from(given);
        let hears = message.is_counted && self.settings.has_station_inbox;
        if let Some(shown) = self.visible_topic(now, at) {
            shown.station_receivers = u32::from(hears && shown.class.is_for_station());
            let view = &mut shown.view;
            view.published += 1;
            view.bytes += bytes;
            view.delivered += u64::from(given);
            view.subscribers = given.saturating_add(dropped);
            view.schema_id = Some(message.schema_id.0);
            view.last_at = now;
        }
        if let Some(session) = self.sessions.get_mut(id) {
            session.published += 1;
            if !session.is_dirty {
                session.is_dirty = true;
                self.dirty.push(id);
            }
        }
    }

    /// An `Ok` of an operator's own traffic.
    fn answer_untapped(&mut self, now: Now, id: ConnectionId, re: u64, trace: TraceId) {
        let outputs = self.outputs.len();
        self.answer_ok(now, id, re, Some(trace));
        if let Some(at) =
            self.outputs.iter().skip(outputs).position(|output| matches!(output, Output::Answered { .. }))
        {
            self.outputs.remove(outputs + at);
        }
    }

    /// What would be made of a message for a topic if this session sent it now, as `handle` does it; nothing
    /// is changed.
    #[must_use]
    pub fn judge(&self, now: Now, session: ConnectionId, topic: &str, wire: &[u8]) -> Verdict {
        let Some(held) = self.sessions.get(session).filter(|held| !held.is_closed()) else {
            return Verdict::TooLate;
        };
        if !held.is_open() {
            return Verdict::Refused(Refusal::Unauthorized);
        }
        if Topic::check(topic).is_err() {
            return Verdict::Refused(Refusal::InvalidTopic);
        }
        match self.judge_at(now, held.kind(), topic, wire) {
            Ok((_, Class::Operator)) => Verdict::Accepted,
            Ok((_, class)) if self.exceeds_inbox(class, wire.len()) => Verdict::Refused(Refusal::Busy),
            Ok((header, class)) => {
                let mut given = self.predict_delivery(now, topic, class, &header, wire.len());
                if let Verdict::Published { subscribers, .. } = &mut given {
                    *subscribers += u32::from(self.is_for_station(class));
                }
                given
            }
            Err(refusal) => Verdict::Refused(refusal),
        }
    }

    fn judge_at(&self, now: Now, kind: Kind, topic: &str, wire: &[u8]) -> Result<(Header, Class), Refusal> {
        let Frame { header, expires_at_ms, .. } =
            decode(wire, &self.checks()).map_err(|error| Refusal::Fault(error.code()))?;
        let class = Class::of_text(topic);
        class.may_publish(kind, header.schema_id).map_err(|_| Refusal::Forbidden)?;
        if is_expired(self.wall.now_ms(now), expires_at_ms) {
            return Err(Refusal::Fault(crate::rmp::Code::Expired));
        }
        Ok((header, class))
    }
}
