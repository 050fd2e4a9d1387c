//! A message behind its `Publish`: decided on, given to whom it reaches, answered.
//!
//! The order: what is wrong with the stream or the frame (ruling RMP 3), then with the `Publish` (the topic),
//! then the right to publish, then whether it is expired; who had it already is judged for each subscription.
//! A message that is refused is consumed all the same.

use super::{
    core::Broker,
    deliver::{DeliveryCounts, Message},
    drops::LostMessage,
    io::{OperatorRequest, Output, Ticket, Wire},
    session::{Pending, RefusalDetail, Session, TopicRef},
};
use crate::{
    ids::{ConnectionId, TopicName, TraceId},
    rmp::{
        Checks, Error, Frame, HEADER_BYTES, Header, PREFIX_BYTES, RawFrame, SchemaId, decode,
        decode::split_checked,
        dedupe::Key,
        expires_at_ms, is_expired,
        topic::{Class, OPERATOR, Topic, TopicFault},
    },
    tap::entry::rmp::{Dialect, DropReason, FrameKind, Head, Kind, Refusal},
    time::Now,
};

/// A message that may be published where its `Publish` says.
pub(super) struct AdmittedMessage<'a> {
    pub(super) place: AddressedTopic,
    pub(super) class: Class,
    pub(super) topic: TopicName,
    pub(super) header: Header,
    pub(super) expires_at_ms: u64,
    /// What its body begins with, where its publisher's memory does not hold that yet.
    start: Option<&'a [u8]>,
}

/// The topic of a message. One that is new is made only once it is clear that it may be published on: who may
/// not publish displaces none.
pub(super) enum AddressedTopic {
    Known(TopicRef),
    New(Topic),
}

/// The decision about a message.
pub(super) enum Decision<'a> {
    Refuse(RefusalDetail),
    /// It came too late, to a topic that its publisher may publish on.
    Expire(Box<AdmittedMessage<'a>>, RefusalDetail),
    /// It is an operator's request.
    Forward(AdmittedMessage<'a>),
    /// It is given to whom it reaches.
    Deliver(AdmittedMessage<'a>),
}

/// What a message is told of with: its topic aside, which is known once it is decided.
pub(super) struct MessageHead {
    pub(super) head: Head,
    pub(super) trace: Option<TraceId>,
}

impl MessageHead {
    pub(super) fn of(dialect: Dialect, pending: &Pending, wire: &[u8]) -> Self {
        let raw = RawFrame::split(wire).map(|raw| Header::from(&raw.header));
        let (schema_id, msg_id) = (raw.map(|header| header.schema_id.0), raw.map(|header| header.msg_id));
        let kind = Some(FrameKind::Publish);
        Self {
            head: Head { kind, dialect, schema_id, msg_id, ..Head::default() },
            trace: raw.map(|header| header.trace_id).or(Some(pending.trace)),
        }
    }
}

impl Broker {
    /// The message of the `Publish` that came last.
    pub(super) fn on_message(&mut self, now: Now, id: ConnectionId, pending: &Pending, frame: Wire<'_>) {
        let wire = frame.bytes();
        let Some(session) = self.sessions.get(id) else { return };
        let (kind, dialect, redaction) = (session.kind(), session.dialect(), session.withholds());
        let MessageHead { head, trace } = MessageHead::of(dialect, pending, wire);
        debug_assert!(self.losses.is_empty(), "what was lost before belongs to another topic");
        let admitted = match self.decide(self.wall.now_ms(now), session, pending, wire) {
            Decision::Refuse(refused) => {
                let head = Head { topic: Self::name_of(session, pending), ..head };
                return self.refuse(now, id, head, pending.re, &refused, trace, redaction);
            }
            Decision::Expire(admitted, refused) => {
                let head = Head { topic: Some(admitted.topic.clone()), ..head };
                self.refuse(now, id, head, pending.re, &refused, trace, redaction);
                return self.record_expired(now, id, *admitted, frame);
            }
            Decision::Forward(admitted) => {
                return self.forward_to_station(now, id, kind, admitted, pending, wire);
            }
            Decision::Deliver(admitted) => admitted,
        };
        let AdmittedMessage { place, class, topic, header, expires_at_ms, start } = admitted;
        self.note_type(id, header.schema_id, start);
        let at = self.topic_of(place);
        let station_topic = self.is_for_station(class).then(|| topic.clone());
        let message = client_message(frame, id, header, expires_at_ms);
        let mut reached = self.deliver(now, at, &message);
        reached.delivered += u32::from(station_topic.is_some());
        self.outputs.push_back(Output::Received {
            session: id,
            head: Head { topic: Some(topic), ..head },
            verdict: reached.verdict(),
            redaction,
            trace,
        });
        self.count(now, at, id, &message, reached, (pending.wire_bytes + wire.len()) as u64);
        if pending.ack {
            self.answer_ok(now, id, pending.re, trace);
        }
        if let Some(topic) = station_topic {
            self.deliver_to_station(now, id, topic, header, wire);
        }
        self.emit_notices(now, at, Some(frame));
    }

    /// The decision about a message; nothing is changed.
    #[inline]
    pub(super) fn decide<'a>(
        &self,
        now_ms: u64,
        session: &Session,
        pending: &Pending,
        wire: &'a [u8],
    ) -> Decision<'a> {
        let admitted = match self.admit(session, pending, wire) {
            Ok(admitted) => admitted,
            Err(refused) => return Decision::Refuse(refused),
        };
        let expires_at_ms = admitted.expires_at_ms;
        if is_expired(now_ms, expires_at_ms) {
            let refused = Self::fault(&Error::Expired { expires_at_ms, now_ms });
            return Decision::Expire(Box::new(admitted), refused);
        }
        if admitted.class == Class::Operator {
            return Decision::Forward(admitted);
        }
        match self.inbox_full_refusal(&admitted, wire) {
            Some(refused) => Decision::Refuse(refused),
            None => Decision::Deliver(admitted),
        }
    }

    /// Whether a message may go where its `Publish` says.
    #[inline]
    fn admit<'a>(
        &self,
        session: &Session,
        pending: &Pending,
        wire: &'a [u8],
    ) -> Result<AdmittedMessage<'a>, RefusalDetail> {
        // What ends the stream was found before the frame was cut out of it.
        let to = pending.to.clone().map_err(|refused| *refused)?;
        let (header, expires_at_ms, start) =
            self.header_of(session, wire).map_err(|error| Self::fault(&error))?;
        let known = to.and_then(|at| Some((at, self.topics.get(at)?)));
        let (class, topic) = if let Some((_, state)) = known {
            (state.class, state.topic.name().clone())
        } else {
            let unknown = || RefusalDetail::new(Refusal::InvalidTopic, &"the Publish has none");
            let name = Self::name_of(session, pending).ok_or_else(unknown)?;
            (Class::of_text(name.as_str()), name)
        };
        class
            .may_publish(session.kind(), header.schema_id)
            .map_err(|denied| RefusalDetail::new(Refusal::Forbidden, &denied))?;
        let place = match known.map(|(at, _)| at).or_else(|| self.topics.find(topic.as_str())) {
            Some(at) => AddressedTopic::Known(at),
            None => Topic::parse(topic.as_str())
                .map(AddressedTopic::New)
                .map_err(|fault| RefusalDetail::new(Refusal::InvalidTopic, &fault))?,
        };
        Ok(AdmittedMessage { place, class, topic, header, expires_at_ms, start })
    }

    /// What the header of a message says, when it expires, and what its body begins with. Of a body that
    /// begins as one before did only the payload is gone through.
    #[inline]
    fn header_of<'a>(
        &self,
        session: &Session,
        wire: &'a [u8],
    ) -> Result<(Header, u64, Option<&'a [u8]>), Error> {
        let limits = &self.settings.limits;
        let raw = split_checked(wire, limits.body_bytes_max)?;
        let header = Header::from(&raw.header);
        let checks = Checks::new(&self.settings.registry, limits);
        if session.publish_cache.is_known_type(header.schema_id, raw.body, checks.body_depth_max) {
            return Ok((header, expires_at_ms(header.created_at_ms, header.ttl_ms)?, None));
        }
        let Frame { expires_at_ms, body, .. } = decode(wire, &checks)?;
        Ok((header, expires_at_ms, body.start()))
    }

    fn note_type(&mut self, id: ConnectionId, schema_id: SchemaId, start: Option<&[u8]>) {
        if let (Some(start), Some(session)) = (start, self.sessions.get_mut(id)) {
            session.publish_cache.note_type(schema_id, start);
        }
    }

    fn topic_of(&mut self, place: AddressedTopic) -> TopicRef {
        match place {
            AddressedTopic::Known(at) => at,
            AddressedTopic::New(topic) => self.topics.insert(topic),
        }
    }

    /// The topic that a `Publish` named, whatever became of it since.
    pub(super) fn name_of(session: &Session, pending: &Pending) -> Option<TopicName> {
        let remembered = || session.publish_cache.name_of(*pending.to.as_ref().ok()?.as_ref()?).cloned();
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

    /// Forgets topics that are dispensable where there are too many; false where none is. What is told of
    /// them then changes nothing for a message before it.
    pub(super) fn shrink(&mut self, now: Now) -> bool {
        if !self.topics.is_crowded() {
            return false;
        }
        let evictable = self.topics.evictable(&self.dedupe);
        for at in &evictable {
            self.emit_suppressed_of(now, *at, true);
            self.topics.forget(*at, now, &mut self.dedupe);
        }
        !evictable.is_empty()
    }

    /// It is counted, noticed, and seen by nobody.
    fn record_expired(
        &mut self,
        now: Now,
        from: ConnectionId,
        expired: AdmittedMessage<'_>,
        frame: Wire<'_>,
    ) {
        let AdmittedMessage { place, header, expires_at_ms, start, .. } = expired;
        self.note_type(from, header.schema_id, start);
        let at = self.topic_of(place);
        self.topics.touch(at);
        let (trace, msg_id) = (header.trace_id, header.msg_id);
        let lost = LostMessage { to: None, from: Some(from), trace, msg_id, expires_at_ms };
        self.record_loss(DropReason::TtlExpired, lost);
        self.emit_notices(now, at, Some(frame));
    }

    /// An operator's request goes to the station alone, once (rmp-v0 §5), and is not tapped.
    fn forward_to_station(
        &mut self,
        now: Now,
        id: ConnectionId,
        kind: Kind,
        admitted: AdmittedMessage<'_>,
        pending: &Pending,
        wire: &[u8],
    ) {
        let AdmittedMessage { place, header, expires_at_ms, start, .. } = admitted;
        self.note_type(id, header.schema_id, start);
        let at = self.topic_of(place);
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
        let client = self.sessions.get(id).and_then(Session::client).unwrap_or_else(|| "".into());
        let asked = OperatorRequest { session: id, client, kind, trace, payload };
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
            let why = format!("too many requests on {OPERATOR}: try again in a moment");
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
}

pub(super) fn client_message(
    frame: Wire<'_>,
    from: ConnectionId,
    header: Header,
    expires_at_ms: u64,
) -> Message<'_> {
    let Header { schema_id, trace_id: trace, msg_id, .. } = header;
    Message { frame, trace, msg_id, schema_id, expires_at_ms, from, is_counted: true }
}
