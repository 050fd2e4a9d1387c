//! What would become of a message: who receives it, who is left out, and what its `Publish` is answered.

use std::time::Duration;

use super::{
    core::Broker,
    io::Wire,
    judge::Inbound,
    judgement::{answered, certain, name_of, refused, shortfall},
    plan::Fate,
    publish::{AddressedTopic, AdmittedMessage, Decision, MessageHead, client_message},
    session::{Pending, RefusalDetail},
};
use crate::{
    judged::{Doubt, Judged},
    rmp::{
        Dialect,
        dedupe::Key,
        topic::{DROPS, OPERATOR, Topic},
    },
    tap::entry::rmp::{Head, Verdict},
    time::Now,
};

/// The receiver that is no session.
const STATION_NAME: &str = "station";

/// Why a session does not get a message that is for it.
pub(super) const DUPLICATE: &str = "duplicate";
pub(super) const FULL: &str = "its queue is full";
pub(super) const TOO_LONG: &str = "too long for the JSON dialect";
pub(super) const PARKED: &str = "parked: its queue was full for too long";
const NO_RIGHT: &str = "it may not receive this";

/// What others do meanwhile to a message on its way to a subscription.
const DOUBTS: [Doubt; 3] = [Doubt::AnotherPeer, Doubt::SameIdFirst, Doubt::Time];

impl Fate {
    /// Why a session does not get a message that is for it.
    const fn why(self) -> Option<&'static str> {
        match self {
            Self::NotReceived => Some(NO_RIGHT),
            Self::Duplicate => Some(DUPLICATE),
            Self::TooLong => Some(TOO_LONG),
            Self::Full => Some(FULL),
            Self::Parked => Some(PARKED),
            Self::Queued => None,
        }
    }
}

impl Inbound<'_> {
    /// The message of a `Publish`, which begins `at` bytes behind the first that is judged.
    pub(super) fn message(&self, pending: &Pending, dialect: Dialect, wire: &[u8], at: usize) -> Judged {
        let MessageHead { head, trace } = MessageHead::of(dialect, pending, wire);
        let decided = self.broker.decide(self.now_ms, self.session, pending, wire);
        let named = |topic| Head { topic: Some(topic), ..head.clone() };
        let (mut judged, fault) = match decided {
            Decision::Refuse(fault) => {
                let topic = Broker::name_of(self.session, pending);
                let judged = refused(Head { topic, ..head }, &fault, 0);
                (Judged { shortfall: shortfall_of(&fault, at), ..judged }, Some(fault))
            }
            Decision::Expire(message, fault) => {
                let effect = Some(format!("dropped as expired, with a notice on {DROPS}"));
                let judged = refused(named(message.topic), &fault, 0);
                (Judged { shortfall: shortfall_of(&fault, at), effect, ..judged }, Some(fault))
            }
            Decision::Forward(message) => (self.forwarded(named(message.topic.clone()), &message), None),
            Decision::Deliver(message) => {
                (self.delivered(named(message.topic.clone()), &message, wire), None)
            }
        };
        let answer = match &fault {
            Some(fault) => Some(self.broker.prepare_error(self.now_ms, dialect, pending.re, fault, trace)),
            None if pending.ack => Some(self.broker.prepare_ok(self.now_ms, dialect, pending.re, trace)),
            None => None,
        };
        answered(&mut judged, self.session, answer, None);
        judged
    }

    /// An operator's request: the station takes it once (rmp-v0 §5).
    fn forwarded(&self, head: Head, message: &AdmittedMessage<'_>) -> Judged {
        let key = Key::new(message.header.trace_id, message.header.msg_id);
        let scope = self.broker.topics.get_by_name(OPERATOR).and_then(|state| state.scope);
        let seen = scope.map(|scope| self.broker.dedupe.lookup(scope, key, self.now.mono));
        let mut judged = certain(head, Verdict::Accepted, 0).as_of_now(&DOUBTS);
        judged.holds_until = Some(self.expiry(message.expires_at_ms));
        if seen.is_some_and(|seen| !seen.is_new()) {
            judged.pass_over(DUPLICATE, || STATION_NAME.to_owned());
            judged.effect = Some("the station had this request before".to_owned());
        } else {
            judged.receiver(|| STATION_NAME.to_owned());
            judged.effect = Some(format!("the station answers on {OPERATOR}"));
        }
        judged
    }

    /// A message that is given to whom it reaches.
    fn delivered(&self, head: Head, message: &AdmittedMessage<'_>, wire: &[u8]) -> Judged {
        let AdmittedMessage { place, class, topic: name, header, expires_at_ms, .. } = message;
        let mut judged = certain(head, Verdict::Accepted, 0).as_of_now(&DOUBTS);
        judged.holds_until = Some(self.expiry(*expires_at_ms));
        let topic: Option<&Topic> = match place {
            AddressedTopic::New(topic) => Some(topic),
            AddressedTopic::Known(at) => self.broker.topics.get(*at).map(|state| &state.topic),
        };
        let sent = client_message(Wire::Lent(wire), self.session.id, *header, *expires_at_ms);
        let mut counts = super::deliver::DeliveryCounts::default();
        if let Some(topic) = topic {
            counts =
                self.broker.plan(self.now, topic, *class, &sent, |target, session, fate| match fate.why() {
                    None => judged.receiver(|| name_of(session)),
                    Some(NO_RIGHT) if class.may_receive(target.kind, header.schema_id).is_ok() => {}
                    Some(why) => judged.pass_over(why, || name_of(session)),
                });
        }
        if self.broker.is_for_station(*class) {
            counts.delivered += 1;
            judged.receiver(|| STATION_NAME.to_owned());
        }
        judged.verdict = Ok(crate::tap::entry::Verdict::Rmp(counts.verdict()));
        judged.effect = Some(match (counts.delivered, counts.dropped) {
            (0, 0) => format!("no subscriber on {name}"),
            (0, dropped) => format!("no subscriber gets it, {dropped} dropped"),
            (1, 0) => "delivered to 1 subscriber".to_owned(),
            (1, dropped) => format!("delivered to 1 subscriber, {dropped} dropped"),
            (delivered, 0) => format!("delivered to {delivered} subscribers"),
            (delivered, dropped) => format!("delivered to {delivered} subscribers, {dropped} dropped"),
        });
        judged
    }

    /// When a message expires.
    fn expiry(&self, expires_at_ms: u64) -> Now {
        self.now.after(Duration::from_millis(expires_at_ms.saturating_sub(self.now_ms)))
    }
}

fn shortfall_of(fault: &RefusalDetail, at: usize) -> Option<crate::judged::Shortfall> {
    fault.error.as_ref().map(|error| shortfall(error, at))
}
