//! The decision about what comes in on a connection and is no message: made without changing anything, and
//! then applied.

use super::{
    answers::PreparedAnswer,
    core::Broker,
    io::Output,
    session::{Pending, Phase, RefusalDetail, Sub},
};
use crate::{
    admission::TurnedAway,
    ids::{ConnectionId, TraceId},
    rmp::{
        SchemaId,
        routes::Route,
        snapshot::Greeting,
        topic::{Class, Pattern, TAP, Topic},
    },
    tap::entry::{
        Redaction,
        rmp::{CloseCause, Gauge, Head, Transition, Verdict},
    },
    time::Now,
};

/// What follows from a frame or unit.
pub(super) enum Step {
    /// It is done with.
    Control(Box<ControlDecision>),
    /// It is a `Publish`, good or not: its message follows.
    Message(Pending),
}

/// The decision about a control frame, a unit that is no message, or bytes that break the stream.
pub(super) struct ControlDecision {
    pub(super) head: Head,
    pub(super) redaction: Redaction,
    pub(super) trace: Option<TraceId>,
    pub(super) verdict: Result<Change, RefusalDetail>,
    pub(super) answer: Option<PreparedAnswer>,
    pub(super) ends: Option<CloseCause>,
    /// A confined connection showed a token of ours.
    pub(super) is_token_ignored: bool,
}

/// What a control frame that is taken changes.
pub(super) enum Change {
    Nothing,
    Greet(Greeting),
    Subscribe { sub: u64, pattern: Pattern },
    Unsubscribe { sub: u64 },
}

impl ControlDecision {
    /// One that is answered, or not, and ends nothing.
    pub(super) fn new(
        head: Head,
        redaction: Redaction,
        trace: Option<TraceId>,
        verdict: Result<Change, RefusalDetail>,
        answer: Option<PreparedAnswer>,
    ) -> Self {
        Self { head, redaction, trace, verdict, answer, ends: None, is_token_ignored: false }
    }

    /// The same, which ends the connection.
    pub(super) fn ending(self, cause: CloseCause) -> Self {
        Self { ends: Some(cause), ..self }
    }
}

impl Broker {
    /// Does what was decided.
    pub(super) fn apply(&mut self, now: Now, id: ConnectionId, decided: ControlDecision) {
        let ControlDecision { head, redaction, trace, verdict, answer, ends, is_token_ignored } = decided;
        if is_token_ignored {
            self.outputs.push_back(Output::TokenIgnored { session: id });
        }
        match verdict {
            Err(refused) => self.record_refusal(id, head, refused.refusal, trace, redaction),
            Ok(change) => {
                let verdict = Verdict::Accepted;
                self.outputs.push_back(Output::Received { session: id, head, verdict, redaction, trace });
                self.change(now, id, change);
            }
        }
        if ends == Some(CloseCause::NoToken) {
            self.table.count(id, TurnedAway::NoToken);
        }
        if let Some(answer) = answer {
            self.queue_answer(id, answer);
        }
        if let Some(cause) = ends {
            self.end(id, cause);
        }
    }

    fn change(&mut self, now: Now, id: ConnectionId, change: Change) {
        let transition = match change {
            Change::Nothing => return,
            Change::Greet(greeting) => return self.greet(id, greeting),
            Change::Subscribe { sub, pattern } => {
                let topic = pattern.name().clone();
                self.subscribe(now, id, sub, pattern);
                Transition::Subscribed { session: id, sub, topic }
            }
            Change::Unsubscribe { sub } => {
                self.unsubscribe(id, sub);
                Transition::Unsubscribed { session: id, sub }
            }
        };
        self.emit_transition(transition, None, None);
    }

    fn subscribe(&mut self, now: Now, id: ConnectionId, number: u64, pattern: Pattern) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let kind = session.kind();
        if self.routes.insert(Route { connection: id, sub: number }, pattern.clone()).is_err() {
            debug_assert!(false, "it was decided that there is room for it");
            return;
        }
        let tap = Topic::parse(TAP);
        let reads_tap = tap.is_ok_and(|tap| pattern.matches(&tap))
            && Class::Tap.may_receive(kind, SchemaId::TAP_ENTRY).is_ok();
        self.tap_readers += u64::from(reads_tap);
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
    }

    fn unsubscribe(&mut self, id: ConnectionId, number: u64) {
        let Some(session) = self.sessions.get_mut(id) else { return };
        let Some(place) = session.sub_indexes.remove(&number) else { return };
        let Some(sub) = session.subs.try_remove(place) else { return };
        session.outbox.close(sub.slot);
        self.dedupe.close_subscriber(sub.seen);
        self.tap_readers -= u64::from(sub.reads_tap);
        self.routes.remove(Route { connection: id, sub: number });
    }

    /// A session is open.
    fn greet(&mut self, id: ConnectionId, greeting: Greeting) {
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
}
