//! What comes in on a connection, one frame at a time (ruling RMP 1).
//!
//! A frame that is at fault is told by `Error`, whose `re` is the number in its header, 0 where none was
//! read. What answers a `Publish` names the `Publish`: an `Error` comes whether an answer was asked for or
//! not, an `Ok` only if it was.

use std::borrow::Cow;

use super::{
    core::Broker,
    decision::{Change, ControlDecision, Step},
    io::{Output, Wire},
    session::{Pending, RefusalDetail, Rights, Session, TopicRef},
    topics::Topics,
};
use crate::{
    ids::{ConnectionId, TopicName, TraceId},
    rmp::{
        Body, Checks, Error, Frame, HEADER_BYTES, Header, Kind, PREFIX_BYTES, RawFrame, RawHeader, SchemaId,
        control::{self, FromBroker, FromClient},
        decode, expires_at_ms,
        routes::Route,
        snapshot::Greeting,
        topic::{Class, Pattern, Topic},
    },
    tap::entry::{
        Redaction,
        rmp::{CloseCause, Code, Dialect, FrameKind, Head, Refusal, Verdict},
    },
    time::Now,
    words::cut,
};

/// A control frame, as far as it was read.
pub(super) struct ControlFrame<'a> {
    pub(super) header: Header,
    pub(super) message: FromClient<'a>,
}

/// What a control frame is told of with.
struct ControlHead {
    head: Head,
    redaction: Redaction,
    trace: Option<TraceId>,
    /// Its message id, which the answer names.
    re: u64,
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
        if let Some(pending) = recalled(&self.topics, session, frame.bytes()) {
            session.pending = Some(pending);
            return;
        }
        if !session.is_open() {
            session.speaks = Some(Dialect::Frames);
        }
        self.on_control(now, id, frame.bytes());
    }

    /// A control frame that is not remembered.
    fn on_control(&mut self, now: Now, id: ConnectionId, wire: &[u8]) {
        let Some(session) = self.sessions.get(id) else { return };
        match self.decide_control(self.wall.now_ms(now), session, wire) {
            Step::Control(decided) => self.apply(now, id, *decided),
            Step::Message(pending) => self.await_message(id, wire, pending),
        }
    }

    /// The decision about a control frame; nothing is changed.
    pub(super) fn decide_control(&self, now_ms: u64, session: &Session, wire: &[u8]) -> Step {
        let is_new = !session.is_open();
        let ControlFrame { header, message } = match read(wire, &self.checks()) {
            Ok(said) => said,
            Err(error) => return self.decide_unreadable(now_ms, wire, is_new, Self::fault(&error)),
        };
        let (re, trace, kind) = (header.msg_id, Some(header.trace_id), kind_of(&message));
        let head = Head { kind: Some(kind), msg_id: Some(re), ..Head::default() };
        let redaction = if kind == FrameKind::Hello { token_redaction(wire) } else { Redaction::None };
        let mut told = ControlHead { head, redaction, trace, re };
        let decided = match message {
            FromClient::Hello { v, client, kind, token } if is_new => {
                let token = token.map(|token| token.0);
                self.decide_hello(now_ms, session, told, &HelloFields { v, client, kind, token })
            }
            FromClient::Hello { .. } => {
                let again =
                    RefusalDetail::new(Refusal::Forbidden, &"the session is already open: send Hello once");
                self.decline(now_ms, told, again)
            }
            _ if is_new => {
                let refused = RefusalDetail::new(Refusal::Unauthorized, &"send Hello first");
                told.redaction = Redaction::Withheld;
                self.decline(now_ms, told, refused).ending(CloseCause::Refused(Refusal::Unauthorized))
            }
            FromClient::Publish { topic, ack } => {
                let (to, topic) = self.resolve_topic(topic);
                let (trace, wire_bytes) = (header.trace_id, wire.len());
                return Step::Message(Pending { re, trace, ack, wire_bytes, to, topic });
            }
            FromClient::Subscribe { sub, topic } => {
                told.head.sub = Some(sub);
                told.head.topic = Topic::check(topic).is_ok().then(|| TopicName::new(topic));
                match self.decide_subscribe(session, sub, topic) {
                    Ok(pattern) => {
                        told.head.topic = Some(pattern.name().clone());
                        self.accept(now_ms, told, Change::Subscribe { sub, pattern })
                    }
                    Err(refused) => self.decline(now_ms, told, refused),
                }
            }
            FromClient::Unsubscribe { sub } => {
                told.head.sub = Some(sub);
                match session.sub(sub) {
                    Some(ended) => {
                        told.head.topic = Some(ended.pattern.name().clone());
                        self.accept(now_ms, told, Change::Unsubscribe { sub })
                    }
                    None => self.decline(now_ms, told, not_subscribed(sub)),
                }
            }
            FromClient::Ping {} => {
                let ControlHead { head, redaction, trace, re } = told;
                let pong = Head { kind: Some(FrameKind::Pong), msg_id: Some(re), ..Head::default() };
                let answer = self.prepare(now_ms, pong, &FromBroker::Pong {}, trace);
                ControlDecision::new(head, redaction, trace, Ok(Change::Nothing), Some(answer))
            }
        };
        Step::Control(Box::new(decided))
    }

    /// The decision about a control frame that is at fault. A `Publish` that is consumes its message all the
    /// same (ruling RMP 1), and is told once that has come.
    fn decide_unreadable(&self, now_ms: u64, wire: &[u8], is_new: bool, refused: RefusalDetail) -> Step {
        // A Hello that cannot be read may hold a token anywhere (DESIGN 4).
        let redaction = if is_new { Redaction::Withheld } else { token_redaction(wire) };
        let header = RawFrame::split(wire).map(|raw| raw.header);
        let re = header.map_or(0, |header| header.msg_id);
        let trace = header.map(|header| Header::from(&header).trace_id);
        if !is_new && redaction == Redaction::None && control::announces_message(wire) {
            return Step::Message(Pending {
                re,
                trace: trace.unwrap_or(TraceId(uuid::Uuid::nil())),
                ack: false,
                wire_bytes: wire.len(),
                to: Err(Box::new(refused)),
                topic: None,
            });
        }
        let told = ControlHead { head: head_of(wire), redaction, trace, re };
        Step::Control(Box::new(self.decline(now_ms, told, refused)))
    }

    /// The decision about a stream of frames that cannot go on. What comes in the place of a message answers
    /// its `Publish`.
    pub(super) fn decide_broken(
        &self,
        now_ms: u64,
        session: &Session,
        pending: Option<&Pending>,
        error: &Error,
    ) -> ControlDecision {
        let refused = Self::fault(error);
        let cause = CloseCause::Refused(refused.refusal);
        let head = Head {
            kind: pending.map(|_| FrameKind::Publish),
            topic: pending.and_then(|pending| pending.topic.clone()),
            ..Head::default()
        };
        let (re, trace) = pending.map_or((0, None), |pending| (pending.re, Some(pending.trace)));
        let told = ControlHead { head, redaction: session.withholds(), trace, re };
        self.decline(now_ms, told, refused).ending(cause)
    }

    fn decline(&self, now_ms: u64, told: ControlHead, refused: RefusalDetail) -> ControlDecision {
        let ControlHead { head, redaction, trace, re } = told;
        let answer = self.prepare_error(now_ms, Dialect::Frames, re, &refused, trace);
        ControlDecision::new(head, redaction, trace, Err(refused), Some(answer))
    }

    fn accept(&self, now_ms: u64, told: ControlHead, change: Change) -> ControlDecision {
        let ControlHead { head, redaction, trace, re } = told;
        let answer = self.prepare_ok(now_ms, Dialect::Frames, re, trace);
        ControlDecision::new(head, redaction, trace, Ok(change), Some(answer))
    }

    fn decide_hello(
        &self,
        now_ms: u64,
        session: &Session,
        told: ControlHead,
        HelloFields { v, client, kind: asked, token }: &HelloFields<'_>,
    ) -> ControlDecision {
        let (kind, is_token_ignored) = self.kind_of(session, asked, *token);
        let decided = match kind {
            _ if *v != control::VERSION => {
                let why = format!("v is {v}; this broker supports {}", control::VERSION);
                let refusal = Refusal::Fault(Code::UnsupportedVersion);
                let refused = RefusalDetail::new(refusal, &why);
                self.decline(now_ms, told, refused).ending(CloseCause::Refused(refusal))
            }
            None => {
                let refused = RefusalDetail::new(Refusal::Unauthorized, &"unknown token");
                self.decline(now_ms, told, refused).ending(CloseCause::Refused(Refusal::Unauthorized))
            }
            Some(kind) if !session.has_place(kind) => {
                self.decline(now_ms, told, self.no_place()).ending(CloseCause::NoToken)
            }
            Some(kind) => {
                let ControlHead { head, redaction, trace, re } = told;
                let client = without(client, *token);
                let name = cut(&client, self.settings.limits.client_name_bytes_max);
                let greeting = Greeting { client: name.into(), kind, dialect: Dialect::Frames };
                let welcome = FromBroker::Welcome {
                    session: session.id.0,
                    kind: kind.name(),
                    body_bytes_max: self.settings.limits.body_bytes_max,
                    server: &self.settings.server,
                };
                let of_answer = Head { kind: Some(FrameKind::Welcome), msg_id: Some(re), ..Head::default() };
                let answer = self.prepare(now_ms, of_answer, &welcome, trace);
                ControlDecision::new(head, redaction, trace, Ok(Change::Greet(greeting)), Some(answer))
            }
        };
        ControlDecision { is_token_ignored, ..decided }
    }

    /// What a session is that asks for a kind; a confined one is an agent. With it, whether it showed a token
    /// of ours that is ignored.
    fn kind_of(&self, session: &Session, asked: &str, token: Option<&str>) -> (Option<Kind>, bool) {
        let kind = self.settings.tokens.kind(asked, token);
        if session.rights == Rights::OfToken {
            return (kind, false);
        }
        (kind.map(|_| Kind::Agent), token.is_some() && kind.is_some())
    }

    /// Where a message will go is told by the `Publish` before it; what is wrong with that is told once the
    /// message has come.
    fn await_message(&mut self, id: ConnectionId, wire: &[u8], pending: Pending) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        if let (Ok(Some(topic)), Some(name), Some((_, body))) =
            (&pending.to, &pending.topic, split_well_formed(wire))
        {
            session.publish_cache.note(body, (*topic, name.clone()), pending.ack);
        }
        session.pending = Some(pending);
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

    /// Whether a session may subscribe so; nothing is changed.
    pub(super) fn decide_subscribe(
        &self,
        session: &Session,
        sub: u64,
        topic: &str,
    ) -> Result<Pattern, RefusalDetail> {
        let pattern =
            Pattern::parse(topic).map_err(|fault| RefusalDetail::new(Refusal::InvalidTopic, &fault))?;
        Class::may_subscribe(session.kind(), &pattern)
            .map_err(|denied| RefusalDetail::new(Refusal::Forbidden, &denied))?;
        self.routes
            .check(Route { connection: session.id, sub }, &pattern)
            .map_err(|fault| RefusalDetail::new(Refusal::Busy, &fault))?;
        Ok(pattern)
    }
}

/// Why a subscription cannot end.
pub(super) fn not_subscribed(sub: u64) -> RefusalDetail {
    RefusalDetail::new(Refusal::NotSubscribed, &format!("no subscription {sub}"))
}

/// What a `Publish` says that is remembered byte for byte.
#[inline]
fn recalled(topics: &Topics, session: &mut Session, wire: &[u8]) -> Option<Pending> {
    if !session.is_open() {
        return None;
    }
    let (header, body) = split_well_formed(wire)?;
    let (topic, ack) = session.publish_cache.recall(body)?;
    topics.get(topic)?;
    let (re, trace, wire_bytes) = (header.msg_id, header.trace_id, wire.len());
    Some(Pending { re, trace, ack, wire_bytes, to: Ok(Some(topic)), topic: None })
}

/// Reads what a client says, every check of ruling RMP 3 included but expiry and duplicates.
pub(super) fn read<'a>(wire: &'a [u8], checks: &Checks<'_>) -> Result<ControlFrame<'a>, Error> {
    let (header, body) = read_control(wire, checks)?;
    let message = FromClient::decode(&body).map_err(Error::BodyDecodeError)?;
    Ok(ControlFrame { header, message })
}

/// Reads a control frame up to what its payload says.
pub(super) fn read_control<'a>(wire: &'a [u8], checks: &Checks<'_>) -> Result<(Header, Body<'a>), Error> {
    let Frame { header, body, .. } = decode(wire, checks)?;
    if header.schema_id != SchemaId::CONTROL {
        return Err(Error::BodyTypeMismatch {
            schema_id: SchemaId::CONTROL,
            expected: "intent.control.v1 (a control frame)".to_owned(),
            got: cut(body.kind(), 128).to_owned(),
            at: body.kind_at(),
        });
    }
    Ok((header, body))
}

/// The header and the body of a control frame that is well-formed up to its body; a body that is remembered
/// was read before.
pub(super) fn split_well_formed(wire: &[u8]) -> Option<(Header, &[u8])> {
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
