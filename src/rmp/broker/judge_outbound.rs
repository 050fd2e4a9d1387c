//! What would become of bytes that are put into a session's connection as if the station had sent them.
//! Whether they leave is ours to say, what the client makes of them is not.

use super::{
    control_frames::{head_of, read_control},
    core::Broker,
    judge_message::{FULL, PARKED},
    judgement::{if_cut, mask, name_of, shortfall, too_late},
    session::Session,
};
use crate::{
    ids::{ConnectionId, TopicName},
    judged::{self, Doubt, Judged, Shortfall},
    rmp::{
        Code, Dialect, Error, HEADER_BYTES, PREFIX_BYTES, Refusal,
        control::FromBroker,
        decode,
        dialect::{AckResult, FromBroker as FromBrokerUnit},
        is_expired,
        split::{self, UnitSplit},
        topic::Topic,
    },
    tap::entry::{
        Head as AnyHead, Verdict as AnyVerdict,
        rmp::{CloseCause, FrameKind, Head, Verdict},
    },
    time::Now,
};

/// Why a delivery does not reach a subscription.
const NO_SUBSCRIPTION: &str = "it has no such subscription";
const OTHER_TOPIC: &str = "its subscription does not match the topic";
const EXPIRED: &str = "the message is expired";

/// What comes of a frame that is refused.
const UNREADABLE: &str = "a client that checks what it reads may end its connection";

/// The client of a connection, to which bytes go.
struct Outbound<'a> {
    broker: &'a Broker,
    now: Now,
    now_ms: u64,
    session: &'a Session,
}

impl Broker {
    pub(super) fn judge_outbound(&self, now: Now, now_ms: u64, id: ConnectionId, bytes: &[u8]) -> Judged {
        let Some(session) = self.sessions.get(id).filter(|session| !session.is_closed()) else {
            return too_late(Head { session: Some(id), ..head_of(bytes) }, bytes.len());
        };
        let outbound = Outbound { broker: self, now, now_ms, session };
        let dialect = session.spoken().unwrap_or_default();
        let mut judged = match dialect {
            Dialect::Frames => outbound.frame(bytes),
            Dialect::Json => outbound.unit(bytes),
        };
        mask(&mut judged, bytes, dialect);
        if let AnyHead::Rmp(head) = &mut judged.head {
            head.session = Some(id);
        }
        judged
    }
}

impl Outbound<'_> {
    fn frame(&self, bytes: &[u8]) -> Judged {
        let max = self.broker.settings.limits.body_bytes_max;
        let len = match split::split_unit(bytes, Dialect::Frames, max) {
            UnitSplit::Part(whole) => return self.part(head_of(bytes), bytes, 0, whole),
            UnitSplit::Broken(error) => return self.broken(&error, bytes, 0),
            UnitSplit::Whole(len) => len,
        };
        let wire = bytes.get(..len).unwrap_or(bytes);
        let checks = self.broker.checks();
        let (header, body) = match read_control(wire, &checks) {
            Ok(read) => read,
            Err(error) => return fault(head_of(wire), &error, 0, len),
        };
        let said = match FromBroker::decode(&body) {
            Ok(said) => said,
            Err(breach) => return fault(head_of(wire), &Error::BodyDecodeError(breach), 0, len),
        };
        let (kind, refusal) = match said {
            FromBroker::Welcome { .. } => (FrameKind::Welcome, None),
            FromBroker::Ok { .. } => (FrameKind::Ok, None),
            FromBroker::Error { code, .. } => (FrameKind::Error, Refusal::from_name(code)),
            FromBroker::Pong {} => (FrameKind::Pong, None),
            FromBroker::Deliver { sub, topic } => return self.delivery(bytes, len, sub, topic),
        };
        let msg_id = Some(match said {
            FromBroker::Ok { re } | FromBroker::Error { re, .. } => re,
            _ => header.msg_id,
        });
        self.answer(Head { kind: Some(kind), msg_id, refusal, ..Head::default() }, len)
    }

    /// A Deliver of `at` bytes and its message.
    fn delivery(&self, bytes: &[u8], at: usize, sub: u64, topic: &str) -> Judged {
        let max = self.broker.settings.limits.body_bytes_max;
        let rest = bytes.get(at..).unwrap_or_default();
        let name = Topic::check(topic).is_ok().then(|| TopicName::new(topic));
        let head = |wire: &[u8]| Head {
            kind: Some(FrameKind::Deliver),
            topic: name.clone(),
            sub: Some(sub),
            ..head_of(wire)
        };
        let len = match split::split_unit(rest, Dialect::Frames, max) {
            UnitSplit::Part(whole) => return self.part(head(rest), bytes, at, whole),
            UnitSplit::Broken(error) => return self.broken(&error, bytes, at),
            UnitSplit::Whole(len) => len,
        };
        let wire = rest.get(..len).unwrap_or(rest);
        match decode(wire, &self.broker.checks()) {
            Err(error) => fault(head(wire), &error, at, at + len),
            Ok(frame) => self.delivered(head(wire), topic, frame.expires_at_ms, at + len),
        }
    }

    fn unit(&self, bytes: &[u8]) -> Judged {
        let max = self.broker.settings.limits.body_bytes_max;
        let head = Head { dialect: Dialect::Json, ..Head::default() };
        let len = match split::split_unit(bytes, Dialect::Json, max) {
            UnitSplit::Part(whole) => return self.part(head, bytes, 0, whole),
            UnitSplit::Broken(error) => return self.broken(&error, bytes, 0),
            UnitSplit::Whole(len) => len,
        };
        let json = bytes.get(PREFIX_BYTES..len).unwrap_or_default();
        match FromBrokerUnit::decode(json) {
            Err(error) => {
                let mut judged = refused(head, Refusal::Fault(Code::BodyDecodeError), len);
                let expected = "a message of the JSON dialect".to_owned();
                judged.shortfall = Some(Shortfall { expected, got: error.to_string(), byte: PREFIX_BYTES });
                judged
            }
            Ok(FromBrokerUnit::HelloAck) => self.answer(Head { kind: Some(FrameKind::Welcome), ..head }, len),
            Ok(FromBrokerUnit::PublishAck(ack) | FromBrokerUnit::SubscribeAck(ack)) => {
                let is_ok = matches!(ack.result, AckResult::Ok(()));
                let kind = if is_ok { FrameKind::Ok } else { FrameKind::Error };
                self.answer(Head { kind: Some(kind), msg_id: Some(ack.id), ..head }, len)
            }
            Ok(FromBrokerUnit::Message { sub_id, message }) => {
                let wire = message.frame();
                let dialect = Dialect::Json;
                let kind = Some(FrameKind::Deliver);
                let head = Head { kind, dialect, sub: Some(sub_id), ..head_of(&wire) };
                match decode(&wire, &self.broker.checks()) {
                    Err(error) => {
                        let mut judged = fault(head, &error, 0, len);
                        // Places of the frame that a message stands for are none of the unit's.
                        if let Some(shortfall) = &mut judged.shortfall {
                            shortfall.byte = PREFIX_BYTES;
                        }
                        judged
                    }
                    Ok(frame) => self.delivered(head, "", frame.expires_at_ms, len),
                }
            }
        }
    }

    /// A delivery that its client can read. The JSON dialect names no topic.
    fn delivered(&self, head: Head, topic: &str, expires_at_ms: u64, bytes: usize) -> Judged {
        let sub = head.sub.and_then(|sub| self.session.sub(sub));
        let mut judged = of_peer(head, AnyVerdict::Sent, bytes);
        let limits = &self.broker.settings.limits;
        let full_max = std::time::Duration::from_millis(limits.full_ms_max);
        let wire_bytes = bytes as u64;
        let is_matched = |pattern: &crate::rmp::topic::Pattern| {
            topic.is_empty() || Topic::parse(topic).is_ok_and(|topic| pattern.matches(&topic))
        };
        let queued = self.broker.budget.queued(wire_bytes);
        let why = match sub {
            _ if is_expired(self.now_ms, expires_at_ms) => Some(EXPIRED),
            None => Some(NO_SUBSCRIPTION),
            Some(sub) if !is_matched(&sub.pattern) => Some(OTHER_TOPIC),
            Some(sub) if self.session.is_parked(self.now.mono, sub, full_max) => Some(PARKED),
            Some(sub) => {
                let full = self.session.outbox.full(sub.slot, wire_bytes, (wire_bytes, wire_bytes), &queued);
                full.map(|_| FULL)
            }
        };
        if let Some(why) = why {
            judged.pass_over(why, || name_of(self.session));
        } else {
            judged.receiver(|| name_of(self.session));
            let left = std::time::Duration::from_millis(expires_at_ms.saturating_sub(self.now_ms));
            judged.holds_until = Some(self.now.after(left));
            judged.doubts.push(Doubt::Time);
        }
        judged
    }

    /// An answer that its client can read. One that reads none is ended over it.
    fn answer(&self, head: Head, bytes: usize) -> Judged {
        let mut judged = of_peer(head, AnyVerdict::Sent, bytes);
        if self.session.outbox.check_answer(bytes).is_err() {
            judged.ends = Some(CloseCause::NotReading.code().to_owned());
            judged.pass_over(FULL, || name_of(self.session));
        } else {
            judged.receiver(|| name_of(self.session));
        }
        judged
    }

    fn part(&self, head: Head, bytes: &[u8], at: usize, whole: Option<usize>) -> Judged {
        let dialect = head.dialect;
        let rest = bytes.get(at..).unwrap_or_default();
        let least = if dialect == Dialect::Json { PREFIX_BYTES } else { PREFIX_BYTES + HEADER_BYTES };
        let missing = whole.unwrap_or(least).saturating_sub(rest.len());
        let max = self.broker.settings.limits.body_bytes_max;
        let if_cut = if_cut(rest, dialect, max, at > 0);
        let pending = judged::Pending { missing_bytes: Some(missing as u64), if_cut };
        let judged = of_peer(head, AnyVerdict::Sent, bytes.len());
        Judged { verdict: Err(pending), ..judged }
    }

    fn broken(&self, error: &Error, bytes: &[u8], at: usize) -> Judged {
        let rest = bytes.get(at..).unwrap_or_default();
        let dialect = self.session.spoken().unwrap_or_default();
        let head = Head { dialect, ..head_of(rest) };
        fault(head, error, at, at + rest.len().min(PREFIX_BYTES + HEADER_BYTES))
    }
}

/// A client that reads as we do refuses it.
fn refused(head: Head, refusal: Refusal, taken_bytes: usize) -> Judged {
    let judged = of_peer(head, AnyVerdict::Rmp(Verdict::Refused(refusal)), taken_bytes);
    Judged { effect: Some(UNREADABLE.to_owned()), is_harmful: true, ..judged }
}

fn of_peer(head: Head, verdict: AnyVerdict, taken_bytes: usize) -> Judged {
    Judged { taken_bytes, ..Judged::certain(AnyHead::Rmp(head), verdict).the_peers() }
}

fn fault(head: Head, error: &Error, at: usize, taken_bytes: usize) -> Judged {
    let judged = refused(head, Refusal::Fault(error.code()), taken_bytes);
    Judged { shortfall: Some(shortfall(error, at)), ..judged }
}
