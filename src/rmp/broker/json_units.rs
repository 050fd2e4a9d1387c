//! The JSON dialect of today's Runloop tools on the broker's side (ruling RMP 16). What a unit asks for goes
//! the way of the frames.

use bytes::Bytes;

use super::{
    core::Broker,
    io::{Output, Wire},
    session::{Pending, RefusalDetail},
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
        rmp::{CloseCause, Dialect, FrameKind, Head, Kind, Refusal, Transition, Verdict},
    },
    time::Now,
    words::cut,
};

impl Broker {
    pub(super) fn on_unit(&mut self, now: Now, id: ConnectionId, unit: &[u8]) {
        let Some(session) = self.sessions.get(id) else { return };
        let head = Head { dialect: Dialect::Json, ..Head::default() };
        let json = unit.get(PREFIX_BYTES..).unwrap_or_default();
        if session.is_closed() {
            let (verdict, redaction) = (Verdict::TooLate, hello_redaction(json));
            self.outputs.push_back(Output::Received { session: id, head, verdict, redaction, trace: None });
            return;
        }
        let (is_open, redaction) = (session.is_open(), session.withholds());
        let said = match FromClient::decode(json) {
            Ok(said) => said,
            Err(MalformedUnit { request: asked, text }) => {
                let redaction = if is_open { hello_redaction(json) } else { redaction };
                self.record_refusal(
                    id,
                    head,
                    Refusal::Fault(crate::rmp::Code::BodyDecodeError),
                    None,
                    redaction,
                );
                let refused = dialect::JsonRefusal::named("BodyDecodeError", cut(&text, self.message_max()));
                return self.answer_request(id, asked, Err(&refused));
            }
        };
        let head = head_of(&said, head);
        match said {
            FromClient::Hello { kind } if !is_open => {
                self.on_json_hello(id, head, kind, hello_redaction(json));
            }
            FromClient::Hello { .. } => {
                self.record_refusal(id, head, Refusal::Forbidden, None, hello_redaction(json));
            }
            said if !is_open => {
                self.record_refusal(id, head, Refusal::Unauthorized, None, redaction);
                let refused = dialect::JsonRefusal::named("Unauthorized", "send Hello first");
                let asked = match said {
                    FromClient::Publish { id, .. } => Some(RequestRef::Publish(id)),
                    FromClient::Subscribe { id, .. } => Some(RequestRef::Subscribe(id)),
                    FromClient::Hello { .. } | FromClient::Unsubscribe { .. } => None,
                };
                self.answer_request(id, asked, Err(&refused));
                self.end(id, CloseCause::Refused(Refusal::Unauthorized));
            }
            FromClient::Publish { id: request, topic, message } => {
                self.on_json_publish(now, id, (request, unit.len()), &topic, &message.frame());
            }
            FromClient::Subscribe { id: request, topic, sub_id } => {
                self.on_json_subscribe(now, id, head, (request, sub_id), &topic);
            }
            FromClient::Unsubscribe { sub_id } => match self.unsubscribe(id, sub_id) {
                Some(pattern) => {
                    self.accept(id, Head { topic: Some(pattern), ..head }, None);
                    self.emit_transition(Transition::Unsubscribed { session: id, sub: sub_id }, None, None);
                }
                None => self.record_refusal(id, head, Refusal::NotSubscribed, None, Redaction::None),
            },
        }
    }

    fn message_max(&self) -> u64 {
        self.settings.limits.error_message_bytes_max
    }

    /// Who speaks it is an agent whatever it says.
    fn on_json_hello(&mut self, id: ConnectionId, head: Head, kind: HelloKind, redaction: Redaction) {
        if !self.has_place(id, Kind::Agent) {
            let busy = self.no_place(id);
            self.record_refusal(id, head, busy.refusal, None, redaction);
            return self.end(id, CloseCause::NoToken);
        }
        let verdict = Verdict::Accepted;
        self.outputs.push_back(Output::Received { session: id, head, verdict, redaction, trace: None });
        let client = match kind {
            HelloKind::Ui => "runloop ui",
            HelloKind::Tui => "runloop tui",
            HelloKind::Agent => "runloop agent",
        };
        self.greet(id, Greeting { client: client.into(), kind: Kind::Agent, dialect: Dialect::Json });
        let mut unit = Vec::new();
        dialect::append_hello_ack(&mut unit);
        let head = Head { kind: Some(FrameKind::Welcome), dialect: Dialect::Json, ..Head::default() };
        self.queue_answer(id, head, unit, None);
    }

    fn on_json_subscribe(
        &mut self,
        now: Now,
        id: ConnectionId,
        head: Head,
        (request, sub): (u64, u64),
        topic: &str,
    ) {
        match self.subscribe(now, id, sub, topic) {
            Ok(pattern) => {
                self.accept(id, Head { topic: Some(pattern.clone()), ..head }, None);
                self.emit_transition(Transition::Subscribed { session: id, sub, topic: pattern }, None, None);
                self.answer_request(id, Some(RequestRef::Subscribe(request)), Ok(()));
            }
            Err(refused) => {
                self.record_refusal(id, head, refused.refusal, None, Redaction::None);
                let refused = self.json_refusal(&refused);
                self.answer_request(id, Some(RequestRef::Subscribe(request)), Err(&refused));
            }
        }
    }

    /// The frame that a message stands for goes through the checks of every frame.
    fn on_json_publish(
        &mut self,
        now: Now,
        id: ConnectionId,
        (request, unit_bytes): (u64, usize),
        topic: &str,
        frame: &[u8],
    ) {
        let (to, topic) = self.resolve_topic(topic);
        let trace = RawFrame::split(frame).map(|raw| TraceId(uuid::Uuid::from_u128(raw.header.trace_id)));
        let nil = TraceId(uuid::Uuid::nil());
        let wire_bytes = unit_bytes.saturating_sub(frame.len());
        let pending = Pending { re: request, trace: trace.unwrap_or(nil), ack: true, wire_bytes, to, topic };
        self.on_message(now, id, &pending, Wire::Lent(frame));
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

    /// Answers a request by its number; what has none is not answered.
    pub(super) fn answer_request(
        &mut self,
        id: ConnectionId,
        asked: Option<RequestRef>,
        result: Result<(), &dialect::JsonRefusal>,
    ) {
        let Some(asked) = asked else { return };
        let mut unit = Vec::new();
        let request = match asked {
            RequestRef::Publish(request) => {
                dialect::append_publish_ack(&mut unit, request, result);
                request
            }
            RequestRef::Subscribe(request) => {
                dialect::append_subscribe_ack(&mut unit, request, result);
                request
            }
        };
        let kind = if result.is_ok() { FrameKind::Ok } else { FrameKind::Error };
        let head =
            Head { kind: Some(kind), dialect: Dialect::Json, msg_id: Some(request), ..Head::default() };
        self.queue_answer(id, head, unit, None);
    }

    /// A stream of the dialect that cannot go on: there is nobody to tell by a number.
    pub(super) fn on_broken_json(&mut self, id: ConnectionId, refused: &RefusalDetail) {
        let head = Head { dialect: Dialect::Json, ..Head::default() };
        self.record_refusal(id, head, refused.refusal, None, Redaction::Withheld);
        self.end(id, CloseCause::Refused(refused.refusal));
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
