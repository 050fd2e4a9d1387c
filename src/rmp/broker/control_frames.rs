//! What comes in on a connection, one frame at a time (ruling RMP 1).
//!
//! A frame that is at fault is told by `Error`, whose `re` is the number in its header, 0 where none was
//! read. What answers a `Publish` names the `Publish`: an `Error` comes whether an answer was asked for or
//! not, an `Ok` only if it was.

use std::borrow::Cow;

use super::{
    core::Broker,
    io::{Output, Wire},
    session::{Pending, Phase, RefusalDetail, Rights, Session, Sub, TopicRef},
};
use crate::{
    ids::{ConnectionId, TopicName, TraceId},
    rmp::{
        Checks, Error, Frame, HEADER_BYTES, Header, Kind, PREFIX_BYTES, RawFrame, RawHeader, SchemaId,
        control::{self, FromBroker, FromClient},
        decode,
        dialect::RequestRef,
        expires_at_ms,
        routes::Route,
        snapshot::Greeting,
        topic::{Class, Pattern, TAP, Topic},
    },
    tap::entry::{
        Redaction,
        rmp::{CloseCause, Code, Dialect, FrameKind, Gauge, Head, Refusal, Transition, Verdict},
    },
    time::Now,
    words::cut,
};

/// A control frame, as far as it was read.
pub(super) struct ControlFrame<'a> {
    pub(super) header: Header,
    pub(super) message: FromClient<'a>,
}

/// A control frame as it is answered.
struct ReceivedControl {
    head: Head,
    /// Its message id, which the answer names.
    re: u64,
    trace: Option<TraceId>,
    redaction: Redaction,
}

/// What a `Hello` says.
struct HelloFields<'a> {
    v: u64,
    client: &'a str,
    kind: &'a str,
    token: Option<&'a str>,
}

impl Broker {
    pub(super) fn checks(&self) -> Checks<'_> {
        Checks::new(&self.settings.registry, &self.settings.limits)
    }

    pub(super) fn on_frame(&mut self, now: Now, id: ConnectionId, frame: Wire<'_>) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        if session.is_closed() {
            let head = head_of(frame.bytes());
            let received = Output::Received {
                session: id,
                head,
                verdict: Verdict::TooLate,
                // A Hello may come too late as well.
                redaction: token_redaction(frame.bytes()),
                trace: None,
            };
            self.outputs.push_back(received);
            return;
        }
        if let Some(pending) = session.pending.take() {
            return self.on_message(now, id, &pending, frame);
        }
        if session.is_open()
            && let Some((header, body)) = split_well_formed(frame.bytes())
            && let Some((topic, ack)) = session.publish_cache.recall(body)
            && self.topics.get(topic).is_some()
        {
            let wire_bytes = frame.bytes().len();
            session.pending = Some(Pending {
                re: header.msg_id,
                trace: header.trace_id,
                ack,
                wire_bytes,
                to: Ok(Some(topic)),
                topic: None,
            });
            return;
        }
        self.on_control(now, id, frame.bytes());
    }

    /// A control frame that is not remembered.
    fn on_control(&mut self, now: Now, id: ConnectionId, wire: &[u8]) {
        let is_new = self.sessions.get(id).is_some_and(|session| !session.is_open());
        let read = read(wire, &self.checks());
        let ControlFrame { header, message } = match read {
            Ok(said) => said,
            Err(error) => return self.on_unreadable(now, id, wire, is_new, Self::fault(&error)),
        };
        let trace = Some(header.trace_id);
        let re = header.msg_id;
        let kind = kind_of(&message);
        let mut head = Head { kind: Some(kind), msg_id: Some(re), ..Head::default() };
        let redaction = if kind == FrameKind::Hello { token_redaction(wire) } else { Redaction::None };
        let refused = match message {
            FromClient::Hello { v, client, kind, token } if is_new => {
                let token = token.map(|token| token.0);
                let received = ReceivedControl { head, re, trace, redaction };
                return self.on_hello(now, id, received, HelloFields { v, client, kind, token });
            }
            FromClient::Hello { .. } => {
                RefusalDetail::new(Refusal::Forbidden, &"the session is already open: send Hello once")
            }
            _ if is_new => {
                let refused = RefusalDetail::new(Refusal::Unauthorized, &"send Hello first");
                self.refuse(now, id, head, re, &refused, trace, Redaction::Withheld);
                return self.end(id, CloseCause::Refused(refused.refusal));
            }
            FromClient::Publish { topic, ack } => return self.on_publish(id, wire, header, topic, ack),
            FromClient::Subscribe { sub, topic } => {
                head.sub = Some(sub);
                head.topic = Topic::check(topic).is_ok().then(|| TopicName::new(topic));
                match self.subscribe(now, id, sub, topic) {
                    Ok(pattern) => {
                        head.topic = Some(pattern.clone());
                        self.accept(id, head, trace);
                        self.emit_transition(
                            Transition::Subscribed { session: id, sub, topic: pattern },
                            None,
                            None,
                        );
                        return self.answer_ok(now, id, re, trace);
                    }
                    Err(refused) => refused,
                }
            }
            FromClient::Unsubscribe { sub } => {
                head.sub = Some(sub);
                match self.unsubscribe(id, sub) {
                    Some(pattern) => {
                        head.topic = Some(pattern);
                        self.accept(id, head, trace);
                        self.emit_transition(Transition::Unsubscribed { session: id, sub }, None, None);
                        return self.answer_ok(now, id, re, trace);
                    }
                    None => RefusalDetail::new(Refusal::NotSubscribed, &format!("no subscription {sub}")),
                }
            }
            FromClient::Ping {} => {
                self.accept(id, head, trace);
                let head = Head { kind: Some(FrameKind::Pong), msg_id: Some(re), ..Head::default() };
                return self.answer(now, id, head, &FromBroker::Pong {}, trace);
            }
        };
        self.refuse(now, id, head, re, &refused, trace, redaction);
    }

    /// A control frame that is at fault.
    fn on_unreadable(
        &mut self,
        now: Now,
        id: ConnectionId,
        wire: &[u8],
        is_new: bool,
        refused: RefusalDetail,
    ) {
        // A Hello that cannot be read may hold a token anywhere (DESIGN 4).
        let redaction = if is_new { Redaction::Withheld } else { token_redaction(wire) };
        let header = RawFrame::split(wire).map(|raw| raw.header);
        let re = header.map_or(0, |header| header.msg_id);
        let trace = header.map(|header| Header::from(&header).trace_id);
        if !is_new && redaction == Redaction::None && control::announces_message(wire) {
            return self.await_refused(id, (re, trace), wire, refused);
        }
        self.refuse(now, id, head_of(wire), re, &refused, trace, redaction);
    }

    pub(super) fn accept(&mut self, id: ConnectionId, head: Head, trace: Option<TraceId>) {
        let received = Output::Received {
            session: id,
            head,
            verdict: Verdict::Accepted,
            redaction: Redaction::None,
            trace,
        };
        self.outputs.push_back(received);
    }

    pub(super) fn answer_ok(&mut self, now: Now, id: ConnectionId, re: u64, trace: Option<TraceId>) {
        if self.sessions.get(id).is_some_and(|session| session.dialect() == Dialect::Json) {
            return self.answer_request(id, Some(RequestRef::Publish(re)), Ok(()));
        }
        let head = Head { kind: Some(FrameKind::Ok), msg_id: Some(re), ..Head::default() };
        self.answer(now, id, head, &FromBroker::Ok { re }, trace);
    }

    fn on_hello(
        &mut self,
        now: Now,
        id: ConnectionId,
        ReceivedControl { head, re, trace, redaction }: ReceivedControl,
        HelloFields { v, client, kind: asked, token }: HelloFields<'_>,
    ) {
        let kind = self.kind_of(id, asked, token);
        let refused = match kind {
            _ if v != control::VERSION => {
                let why = format!("v is {v}; this broker supports {}", control::VERSION);
                RefusalDetail::new(Refusal::Fault(Code::UnsupportedVersion), &why)
            }
            None => RefusalDetail::new(Refusal::Unauthorized, &"unknown token"),
            Some(kind) if !self.has_place(id, kind) => {
                let busy = self.no_place(id);
                self.refuse(now, id, head, re, &busy, trace, redaction);
                return self.end(id, CloseCause::NoToken);
            }
            Some(kind) => {
                let client = without(client, token);
                let name = cut(&client, self.settings.limits.client_name_bytes_max);
                let greeting = Greeting { client: name.into(), kind, dialect: Dialect::Frames };
                let received =
                    Output::Received { session: id, head, verdict: Verdict::Accepted, redaction, trace };
                self.outputs.push_back(received);
                self.greet(id, greeting);
                let server = std::sync::Arc::clone(&self.settings.server);
                let body_bytes_max = self.settings.limits.body_bytes_max;
                let answer =
                    FromBroker::Welcome { session: id.0, kind: kind.name(), body_bytes_max, server: &server };
                let head = Head { kind: Some(FrameKind::Welcome), msg_id: Some(re), ..Head::default() };
                return self.answer(now, id, head, &answer, trace);
            }
        };
        self.refuse(now, id, head, re, &refused, trace, redaction);
        self.end(id, CloseCause::Refused(refused.refusal));
    }

    /// What a session is that asks for a kind; a confined one is an agent, and that its token was ignored is
    /// put out.
    fn kind_of(&mut self, id: ConnectionId, asked: &str, token: Option<&str>) -> Option<Kind> {
        let kind = self.settings.tokens.kind(asked, token);
        if self.sessions.get(id).is_none_or(|session| session.rights == Rights::OfToken) {
            return kind;
        }
        if token.is_some() && kind.is_some() {
            self.outputs.push_back(Output::TokenIgnored { session: id });
        }
        kind.map(|_| Kind::Agent)
    }

    /// A session is open.
    pub(super) fn greet(&mut self, id: ConnectionId, greeting: Greeting) {
        let Greeting { client, kind, dialect } = greeting.clone();
        self.table.establish(id);
        if let Some(session) = self.sessions.get_mut(id) {
            session.phase = Phase::Open(greeting);
            if kind.is_operator() {
                session.outbox.lose_last(&mut self.budget);
            }
        }
        self.emit_transition(Transition::Greeted { session: id, client, kind, dialect }, None, None);
    }

    /// Where a message will go is told by the `Publish` before it; what is wrong with that is told once the
    /// message has come.
    fn on_publish(&mut self, id: ConnectionId, wire: &[u8], header: Header, topic: &str, ack: bool) {
        let (to, name) = self.resolve_topic(topic);
        let Some(session) = self.sessions.get_mut(id) else { return };
        if let (Ok(Some(topic)), Some(name), Some((_, body))) = (&to, &name, split_well_formed(wire)) {
            session.publish_cache.note(body, (*topic, name.clone()), ack);
        }
        session.pending = Some(Pending {
            re: header.msg_id,
            trace: header.trace_id,
            ack,
            wire_bytes: wire.len(),
            to,
            topic: name,
        });
    }

    /// A `Publish` that is at fault consumes its message all the same (ruling RMP 1), and is told once that
    /// has come.
    fn await_refused(
        &mut self,
        id: ConnectionId,
        (re, trace): (u64, Option<TraceId>),
        wire: &[u8],
        refused: RefusalDetail,
    ) {
        let trace = trace.unwrap_or(TraceId(uuid::Uuid::nil()));
        if let Some(session) = self.sessions.get_mut(id) {
            session.pending = Some(Pending {
                re,
                trace,
                ack: false,
                wire_bytes: wire.len(),
                to: Err(Box::new(refused)),
                topic: None,
            });
        }
    }

    /// Where messages to a topic go, as far as that is known, and its name.
    pub(super) fn resolve_topic(
        &self,
        topic: &str,
    ) -> (Result<Option<TopicRef>, Box<RefusalDetail>>, Option<TopicName>) {
        match Topic::check(topic) {
            Ok(()) => {
                let found = self.topics.find(topic);
                let name = found.and_then(|at| self.topics.get(at)).map(|state| state.topic.name().clone());
                (Ok(found), Some(name.unwrap_or_else(|| TopicName::new(topic))))
            }
            Err(fault) => (Err(Box::new(RefusalDetail::new(Refusal::InvalidTopic, &fault))), None),
        }
    }

    pub(super) fn subscribe(
        &mut self,
        now: Now,
        id: ConnectionId,
        number: u64,
        topic: &str,
    ) -> Result<TopicName, RefusalDetail> {
        let pattern =
            Pattern::parse(topic).map_err(|fault| RefusalDetail::new(Refusal::InvalidTopic, &fault))?;
        let Some(session) = self.sessions.get_mut(id) else {
            return Err(RefusalDetail::new(Refusal::Unauthorized, &"send Hello first"));
        };
        let kind = session.kind();
        Class::may_subscribe(kind, &pattern)
            .map_err(|denied| RefusalDetail::new(Refusal::Forbidden, &denied))?;
        let route = Route { connection: id, sub: number };
        self.routes
            .insert(route, pattern.clone())
            .map_err(|fault| RefusalDetail::new(Refusal::Busy, &fault))?;
        let tap = Topic::parse(TAP);
        let reads_tap = tap.is_ok_and(|tap| pattern.matches(&tap))
            && Class::Tap.may_receive(kind, SchemaId::TAP_ENTRY).is_ok();
        self.tap_readers += u64::from(reads_tap);
        let name = pattern.name().clone();
        let (slot, seen) = (session.outbox.open(), self.dedupe.open_subscriber());
        let sub = Sub {
            number,
            pattern,
            since: now,
            slot,
            seen,
            reads_tap,
            duplicates: 0,
            full: None,
            reported: Gauge::default(),
        };
        let place = session.subs.insert(sub);
        session.sub_indexes.insert(number, place);
        Ok(name)
    }

    pub(super) fn unsubscribe(&mut self, id: ConnectionId, number: u64) -> Option<TopicName> {
        let session = self.sessions.get_mut(id)?;
        let place = session.sub_indexes.remove(&number)?;
        let sub = session.subs.try_remove(place)?;
        session.outbox.close(sub.slot);
        self.dedupe.close_subscriber(sub.seen);
        self.tap_readers -= u64::from(sub.reads_tap);
        self.routes.remove(Route { connection: id, sub: number });
        Some(sub.pattern.name().clone())
    }
}

/// Reads a control frame, every check of ruling RMP 3 included but expiry and duplicates.
pub(super) fn read<'a>(wire: &'a [u8], checks: &Checks<'_>) -> Result<ControlFrame<'a>, Error> {
    let Frame { header, body, .. } = decode(wire, checks)?;
    if header.schema_id != SchemaId::CONTROL {
        return Err(Error::BodyTypeMismatch {
            schema_id: SchemaId::CONTROL,
            expected: "intent.control.v1 (a control frame)".to_owned(),
            got: cut(body.kind(), 128).to_owned(),
            at: body.kind_at(),
        });
    }
    let message = FromClient::decode(&body).map_err(Error::BodyDecodeError)?;
    Ok(ControlFrame { header, message })
}

/// The header and the body of a control frame that is well-formed up to its body; a body that is remembered
/// was read before.
fn split_well_formed(wire: &[u8]) -> Option<(Header, &[u8])> {
    let RawFrame { header: raw, body, .. } = RawFrame::split(wire)?;
    let is_plain = (raw.flags, raw.reserved2, raw.reserved4) == (0, 0, 0)
        && SchemaId(raw.schema_id) == SchemaId::CONTROL;
    let is_whole =
        raw.body_len as usize == body.len() && wire.len() == PREFIX_BYTES + HEADER_BYTES + body.len();
    let is_timed = expires_at_ms(raw.created_at_ms, raw.ttl_ms).is_ok();
    (is_plain && is_whole && is_timed).then(|| (Header::from(&raw), body))
}

/// The head of bytes that are not understood.
pub(super) fn head_of(wire: &[u8]) -> Head {
    let header: Option<RawHeader> = RawFrame::split(wire).map(|raw| raw.header);
    let (schema_id, msg_id) = (header.map(|header| header.schema_id), header.map(|header| header.msg_id));
    Head { schema_id, msg_id, ..Head::default() }
}

/// The token of a frame, to be masked where there is one.
pub(super) fn token_redaction(wire: &[u8]) -> Redaction {
    match control::token_ranges(wire) {
        None => Redaction::Withheld,
        Some(ranges) if ranges.is_empty() => Redaction::None,
        Some(ranges) => Redaction::Masked(ranges.into()),
    }
}

/// What a client calls itself, its token overwritten by `*`: the name is shown to everybody.
fn without<'a>(client: &'a str, token: Option<&str>) -> Cow<'a, str> {
    match token.filter(|token| !token.is_empty() && client.contains(token)) {
        Some(token) => Cow::Owned(client.replace(token, &"*".repeat(token.len()))),
        None => Cow::Borrowed(client),
    }
}

fn kind_of(message: &FromClient<'_>) -> FrameKind {
    match message {
        FromClient::Hello { .. } => FrameKind::Hello,
        FromClient::Subscribe { .. } => FrameKind::Subscribe,
        FromClient::Unsubscribe { .. } => FrameKind::Unsubscribe,
        FromClient::Publish { .. } => FrameKind::Publish,
        FromClient::Ping {} => FrameKind::Ping,
    }
}

impl Session {
    /// The bytes of a message that a session sends before it said who it is may hold a token.
    pub(super) fn withholds(&self) -> Redaction {
        if self.is_open() { Redaction::None } else { Redaction::Withheld }
    }
}
