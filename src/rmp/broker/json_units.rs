//! The JSON dialect of today's Runloop tools on the broker's side (ruling RMP 16). What a unit asks for goes
//! the way of the frames.

use bytes::Bytes;

use super::{
    answers::{prepare_ack, prepare_hello_ack},
    control_frames::not_subscribed,
    core::Broker,
    decision::{Change, ControlDecision},
    io::{Output, Wire},
    session::{Pending, RefusalDetail, Session},
};
use crate::{
    ids::{ConnectionId, TopicName, TraceId},
    rmp::{
        Error, PREFIX_BYTES, RawFrame,
        dialect::{self, FromClient, HelloKind, MalformedUnit, RequestRef},
        snapshot::Greeting,
        topic::Topic,
    },
    tap::entry::{
        Redaction,
        rmp::{CloseCause, Dialect, FrameKind, Head, Kind, Refusal, Verdict},
    },
    time::Now,
    words::cut,
};

impl Broker {
    pub(super) fn on_unit(&mut self, now: Now, id: ConnectionId, unit: &[u8]) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        if session.is_closed() {
            let head = Head { dialect: Dialect::Json, ..Head::default() };
            let json = unit.get(PREFIX_BYTES..).unwrap_or_default();
            let (verdict, redaction) = (Verdict::TooLate, hello_redaction(json));
            self.outputs.push_back(Output::Received { session: id, head, verdict, redaction, trace: None });
            return;
        }
        if !session.is_open() {
            session.speaks = Some(Dialect::Json);
        }
        let Some(session) = self.sessions.get(id) else { return };
        match self.decide_unit(session, unit) {
            UnitStep::Control(decided) => self.apply(now, id, *decided),
            UnitStep::Message(pending, frame) => self.on_message(now, id, &pending, Wire::Lent(&frame)),
        }
    }

    /// The decision about a unit; nothing is changed.
    pub(super) fn decide_unit(&self, session: &Session, unit: &[u8]) -> UnitStep {
        let head = Head { dialect: Dialect::Json, ..Head::default() };
        let json = unit.get(PREFIX_BYTES..).unwrap_or_default();
        let (is_open, redaction) = (session.is_open(), session.withholds());
        let said = match FromClient::decode(json) {
            Ok(said) => said,
            Err(malformed) => {
                let redaction = if is_open { hello_redaction(json) } else { redaction };
                return UnitStep::of(self.decide_malformed(head, redaction, &malformed));
            }
        };
        let head = head_of(&said, head);
        UnitStep::of(match said {
            FromClient::Hello { kind } if !is_open => {
                self.decide_json_hello(session, head, kind, hello_redaction(json))
            }
            FromClient::Hello { .. } => {
                let again =
                    RefusalDetail::new(Refusal::Forbidden, &"the session is already open: send Hello once");
                ControlDecision::new(head, hello_redaction(json), None, Err(again), None)
            }
            said if !is_open => {
                let refused = RefusalDetail::new(Refusal::Unauthorized, &"send Hello first");
                let asked = match said {
                    FromClient::Publish { id, .. } => Some(RequestRef::Publish(id)),
                    FromClient::Subscribe { id, .. } => Some(RequestRef::Subscribe(id)),
                    FromClient::Hello { .. } | FromClient::Unsubscribe { .. } => None,
                };
                let answer = asked.map(|asked| prepare_ack(asked, Err(&self.json_refusal(&refused))));
                ControlDecision::new(head, redaction, None, Err(refused), answer)
                    .ending(CloseCause::Refused(Refusal::Unauthorized))
            }
            FromClient::Publish { id: request, topic, message } => {
                return self.json_message(request, unit.len(), &topic, message.frame());
            }
            FromClient::Subscribe { id: request, topic, sub_id } => {
                self.decide_json_subscribe(session, head, (request, sub_id), &topic)
            }
            FromClient::Unsubscribe { sub_id: sub } => match session.sub(sub) {
                Some(ended) => {
                    let head = Head { topic: Some(ended.pattern.name().clone()), ..head };
                    let change = Change::Unsubscribe { sub };
                    ControlDecision::new(head, Redaction::None, None, Ok(change), None)
                }
                None => ControlDecision::new(head, Redaction::None, None, Err(not_subscribed(sub)), None),
            },
        })
    }

    /// A unit that says nothing of the dialect is answered by its number where it has one.
    fn decide_malformed(
        &self,
        head: Head,
        redaction: Redaction,
        MalformedUnit { request, text }: &MalformedUnit,
    ) -> ControlDecision {
        let refusal = Refusal::Fault(crate::rmp::Code::BodyDecodeError);
        let refused = RefusalDetail::new(refusal, text);
        let answer = request.map(|asked| prepare_ack(asked, Err(&self.json_refusal(&refused))));
        ControlDecision::new(head, redaction, None, Err(refused), answer)
    }

    fn message_max(&self) -> u64 {
        self.settings.limits.error_message_bytes_max
    }

    /// Who speaks it is an agent whatever it says.
    fn decide_json_hello(
        &self,
        session: &Session,
        head: Head,
        kind: HelloKind,
        redaction: Redaction,
    ) -> ControlDecision {
        if !session.has_place(Kind::Agent) {
            return ControlDecision::new(head, redaction, None, Err(self.no_place()), None)
                .ending(CloseCause::NoToken);
        }
        let client = match kind {
            HelloKind::Ui => "runloop ui",
            HelloKind::Tui => "runloop tui",
            HelloKind::Agent => "runloop agent",
        };
        let greeting = Greeting { client: client.into(), kind: Kind::Agent, dialect: Dialect::Json };
        let answer = Some(prepare_hello_ack());
        ControlDecision::new(head, redaction, None, Ok(Change::Greet(greeting)), answer)
    }

    fn decide_json_subscribe(
        &self,
        session: &Session,
        head: Head,
        (request, sub): (u64, u64),
        topic: &str,
    ) -> ControlDecision {
        let asked = RequestRef::Subscribe(request);
        match self.decide_subscribe(session, sub, topic) {
            Ok(pattern) => {
                let head = Head { topic: Some(pattern.name().clone()), ..head };
                let answer = Some(prepare_ack(asked, Ok(())));
                let change = Change::Subscribe { sub, pattern };
                ControlDecision::new(head, Redaction::None, None, Ok(change), answer)
            }
            Err(refused) => {
                let answer = Some(prepare_ack(asked, Err(&self.json_refusal(&refused))));
                ControlDecision::new(head, Redaction::None, None, Err(refused), answer)
            }
        }
    }

    /// The frame that a message stands for goes through the checks of every frame.
    fn json_message(&self, request: u64, unit_bytes: usize, topic: &str, frame: Vec<u8>) -> UnitStep {
        let (to, topic) = self.resolve_topic(topic);
        let trace = RawFrame::split(&frame).map(|raw| TraceId(uuid::Uuid::from_u128(raw.header.trace_id)));
        let nil = TraceId(uuid::Uuid::nil());
        let wire_bytes = unit_bytes.saturating_sub(frame.len());
        let pending = Pending { re: request, trace: trace.unwrap_or(nil), ack: true, wire_bytes, to, topic };
        UnitStep::Message(pending, frame)
    }

    /// A refusal in the dialect's words.
    pub(super) fn json_refusal(&self, refused: &RefusalDetail) -> dialect::JsonRefusal {
        match &refused.error {
            Some(Error::BodyTypeMismatch { schema_id, got, .. }) => dialect::JsonRefusal::BodyTypeMismatch {
                expected: schema_id.0,
                actual: cut(got, self.message_max()).to_owned(),
            },
            Some(error) => dialect::JsonRefusal::from(error),
            None => {
                dialect::JsonRefusal::named(refused.refusal.name(), cut(&refused.message, self.message_max()))
            }
        }
    }

    /// A stream of the dialect that cannot go on: there is nobody to tell by a number.
    pub(super) fn decide_broken_unit(error: &Error) -> ControlDecision {
        let head = Head { dialect: Dialect::Json, ..Head::default() };
        let refused = Self::fault(error);
        let cause = CloseCause::Refused(refused.refusal);
        ControlDecision::new(head, Redaction::Withheld, None, Err(refused), None).ending(cause)
    }
}

/// What follows from a unit.
pub(super) enum UnitStep {
    /// It is done with.
    Control(Box<ControlDecision>),
    /// It is a message: where it goes, and the frame that it stands for.
    Message(Pending, Vec<u8>),
}

impl UnitStep {
    fn of(decided: ControlDecision) -> Self {
        Self::Control(Box::new(decided))
    }
}

/// The dialect has no token; a tool that shows one all the same shows it to nobody else.
fn hello_redaction(json: &[u8]) -> Redaction {
    if dialect::may_hold_token(json) { Redaction::Withheld } else { Redaction::None }
}

fn head_of(said: &FromClient<'_>, head: Head) -> Head {
    let named = |topic: &str| Topic::check(topic).is_ok().then(|| TopicName::new(topic));
    match said {
        FromClient::Hello { .. } => Head { kind: Some(FrameKind::Hello), ..head },
        FromClient::Publish { id, topic, .. } => {
            Head { kind: Some(FrameKind::Publish), topic: named(topic), msg_id: Some(*id), ..head }
        }
        FromClient::Subscribe { id, topic, sub_id } => Head {
            kind: Some(FrameKind::Subscribe),
            topic: named(topic),
            msg_id: Some(*id),
            sub: Some(*sub_id),
            ..head
        },
        FromClient::Unsubscribe { sub_id } => {
            Head { kind: Some(FrameKind::Unsubscribe), sub: Some(*sub_id), ..head }
        }
    }
}

/// What a message is to every subscriber; nothing where it fits no unit.
pub(super) fn tail(frame: &[u8], body_bytes_max: u64) -> Option<Bytes> {
    let raw = RawFrame::split(frame)?;
    dialect::message_tail(&raw, body_bytes_max).ok().map(Bytes::from)
}

/// What comes before it for one of them.
pub(super) fn head(sub: u64, tail: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    dialect::append_message_head(&mut out, sub, tail.len());
    out
}
