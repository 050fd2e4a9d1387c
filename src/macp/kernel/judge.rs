//! What the kernel would make of a call that is not made yet.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    Answer, Input, Kernel, Lookup,
    apply::trace_of,
    decide::{Decided, Decision},
    effect,
    reading::Reading,
    session::Session,
};
use crate::{
    ids::TraceId,
    judged::{Certainty, Doubt, Judged},
    macp::{Fault, Stand, Status, Verdict, envelope::SESSION_START},
    time::Now,
};

/// What would be made of a call, if it came now.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The verdict. Where the store is to be asked, the one that it is unless the session accepted the
    /// message before, or is another than the one in the store.
    pub verdict: Verdict,
    /// The answer, its times those of now; nothing where the store is to be asked. What must be durable
    /// before is not said.
    pub answer: Option<Answer>,
    /// The session that the store is to be asked for.
    pub load: Option<Arc<str>>,
    /// What would change.
    pub effect: Option<String>,
    /// The trace whose watchers would be told of the change.
    pub watched: Option<TraceId>,
    /// Until when it holds, if nothing else happens.
    pub holds_until: Option<Now>,
    /// How sure it is.
    pub certainty: Certainty,
    /// What it cannot know.
    pub doubts: Vec<Doubt>,
}

impl Kernel {
    /// What the runtime would make of the request of a call, changing nothing. `peer_sessions` are those
    /// that the caller has open, `lookup` what the store has of the request's session: where that was not
    /// asked and has to be, the judgement is [`Certainty::AfterALook`].
    #[must_use]
    pub fn judge(
        &self,
        now: Now,
        stand: &Stand,
        bytes: &Bytes,
        peer_sessions: u64,
        lookup: Lookup<'_>,
    ) -> Judged {
        let reading = Reading::new(stand, bytes, &self.limits);
        let judgement = reading.input(peer_sessions, lookup).map(|input| self.judge_input(now, &input));
        reading.judged(judgement)
    }

    /// What [`handle`](Self::handle) would make of a call, changing nothing.
    #[must_use]
    pub fn judge_input(&self, now: Now, input: &Input<'_>) -> Judgement {
        let at_ms = self.ms(now);
        let Decided { decision, state, trace, after } = self.decide(at_ms, input);
        let id = match input {
            Input::Message { envelope, .. } => envelope.session_id.as_str(),
            Input::Cancel { session, .. } | Input::Look { session, .. } => session,
            _ => "",
        };
        let session = self.session(id);
        let effect = self.effect(at_ms, input, &decision, session);
        let watched = match &decision {
            Decision::Start(start) => trace_of(&start.payload.context),
            _ => trace,
        };
        let holds_until = self.holds_until_ms(at_ms, input, &decision, session);
        let mut judgement = Judgement {
            verdict: decision.verdict(),
            answer: decision.answer(at_ms, state, after),
            load: None,
            watched: watched.filter(|_| effect.is_some()),
            effect,
            holds_until: holds_until.map(|due_ms| self.moment(now, at_ms, due_ms)),
            certainty: Certainty::AsOfNow,
            doubts: Vec::new(),
        };
        match &decision {
            Decision::Malformed(_) | Decision::Signal => judgement.certainty = Certainty::Certain,
            Decision::Load(session) => {
                judgement.certainty = Certainty::AfterALook;
                judgement.load = Some(Arc::clone(session));
                judgement.verdict = self.unread_verdict(input, session);
            }
            _ => {}
        }
        judgement.doubts = doubts(input, &decision, &judgement, after > self.durable);
        judgement
    }

    /// The verdict on what is asked of a session that is in the store alone, unless that accepted the
    /// message.
    fn unread_verdict(&self, input: &Input<'_>, session: &str) -> Verdict {
        match input {
            Input::Message { envelope, .. } if envelope.message_type == SESSION_START => {
                Verdict::Refused(Fault::DuplicateSession)
            }
            Input::Message { .. } => {
                let is_unnoticed = self.reported_state(session) == Some(crate::macp::SessionState::Open);
                Verdict::Refused(if is_unnoticed { Fault::TtlExpired } else { Fault::SessionNotOpen })
            }
            _ => Verdict::Accepted,
        }
    }

    /// When time alone makes another judgement of it, in Unix milliseconds.
    fn holds_until_ms(
        &self,
        at_ms: u64,
        input: &Input<'_>,
        decision: &Decision,
        session: Option<&Session>,
    ) -> Option<u64> {
        let is_start =
            matches!(input, Input::Message { envelope, .. } if envelope.message_type == SESSION_START);
        let expires_ms = match decision {
            Decision::Malformed(_) | Decision::Signal | Decision::Duplicate(_) => return None,
            Decision::Decline(Status::ResourceExhausted, _)
                if is_start && self.open >= self.limits.open_max =>
            {
                self.expiry.first()?.0
            }
            _ if is_start => return None,
            _ => session.filter(|session| session.end.is_none() && !session.is_over(at_ms))?.expires_ms,
        };
        // At the expiry itself it is not over.
        Some(expires_ms.saturating_add(1))
    }

    /// A moment that lies ahead, by both clocks.
    fn moment(&self, now: Now, at_ms: u64, due_ms: u64) -> Now {
        let ahead = now.after(Duration::from_millis(due_ms.saturating_sub(at_ms)));
        Now { mono: self.mono_at(due_ms), wall: ahead.wall }
    }

    /// What a decision would change, in a line.
    fn effect(
        &self,
        at_ms: u64,
        input: &Input<'_>,
        decision: &Decision,
        session: Option<&Session>,
    ) -> Option<String> {
        match (decision, input) {
            (Decision::Start(start), Input::Message { envelope, .. }) => {
                Some(effect::opens(&envelope.session_id, start))
            }
            (Decision::Accept(_, response), Input::Message { envelope, .. }) => {
                Some(effect::accepted(session?, envelope, response, self.limits.shown_text_bytes_max))
            }
            (Decision::Cancel(number), Input::Cancel { session: id, .. }) => {
                if self.expires(*number, at_ms) {
                    return Some(effect::expires(id));
                }
                session.filter(|it| it.end.is_none() && !it.is_over(at_ms)).map(|_| effect::cancelled(id))
            }
            (Decision::Expire(number, _), Input::Message { envelope, .. }) => {
                self.expires(*number, at_ms).then(|| effect::expires(&envelope.session_id))
            }
            (Decision::Look(_, Some(number)), Input::Look { session: id, .. }) => {
                self.expires(*number, at_ms).then(|| effect::expires(id))
            }
            _ => None,
        }
    }

    /// Whether asking for a session is what tells that its time is over.
    fn expires(&self, number: u64, at_ms: u64) -> bool {
        match self.sessions.get(&number) {
            Some(session) => session.is_over(at_ms) && (session.end.is_none() || session.is_unnoticed),
            None => self.evicted_index.is_unnoticed(number),
        }
    }
}

/// What a judgement cannot know; `waits` where its answer waits for an earlier record.
fn doubts(input: &Input<'_>, decision: &Decision, judgement: &Judgement, waits: bool) -> Vec<Doubt> {
    if judgement.certainty == Certainty::Certain {
        return Vec::new();
    }
    let is_settled = matches!(decision, Decision::Duplicate(_));
    let has_id = matches!(input, Input::Message { .. }) && !is_settled;
    let knows_session = !matches!(
        decision,
        Decision::Refuse(rejection) if rejection.fault == Fault::UnknownSession
    );
    let keeps = judgement.effect.is_some() || waits;
    [
        (Doubt::AnotherPeer, !is_settled),
        (Doubt::SameIdFirst, has_id && knows_session),
        (Doubt::Time, judgement.holds_until.is_some()),
        (Doubt::Commit, keeps),
    ]
    .into_iter()
    .filter_map(|(doubt, is_so)| is_so.then_some(doubt))
    .collect()
}
