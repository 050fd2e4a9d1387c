//! What would be made of a message to the runs that is not published yet.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use uuid::Uuid;

use super::{
    admit::{self, NotTaken, Rejected, Standing, Target, rejection},
    control::{Requester, accepted, answer, of_body},
    core::Engine,
    decision,
    idempotency::{ControlVariant, Key},
    run::Ask,
};
use crate::{
    ids::{OpeningId, TraceId},
    judged::{Certainty, Doubt},
    runs::{
        ControlTopic, ControlVerdict, JudgedControl, Plan, RejectedFor, Stand,
        openings::Opening,
        payload::{ControlRequest, ControlResponse, Decision},
    },
    time::Now,
    words::{counted, cut},
};

/// Bytes of a name in an effect.
const NAME_BYTES_MAX: u64 = 64;

/// What was looked up for a judgement; nothing of what was not asked.
#[derive(Clone, Debug, Default)]
pub struct ControlLookups {
    /// How the store says that the request was answered before, if it was.
    pub answer: Option<Option<Bytes>>,
    /// The opening, or what is wrong with it.
    pub opening: Option<Result<Arc<Opening>, String>>,
}

/// What a judgement asks to be looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlNeed {
    /// How the request of this name was answered before.
    Answer {
        /// The trace of its header.
        request: TraceId,
        /// The name of its variant.
        variant: &'static str,
    },
    /// The opening of this text.
    Opening(String),
}

/// A judgement as it is made.
struct Judging {
    judged: JudgedControl,
    need: Option<ControlNeed>,
}

impl Judging {
    fn of(verdict: ControlVerdict, certainty: Certainty) -> Self {
        let judged = JudgedControl {
            verdict,
            why: None,
            answers: Vec::new(),
            effect: None,
            holds_until: None,
            certainty,
            doubts: Vec::new(),
        };
        Self { judged, need: None }
    }

    fn rejected(why: RejectedFor, reason: String, certainty: Certainty) -> Self {
        let mut this = Self::of(ControlVerdict::Rejected(why), certainty);
        this.judged.why = Some(reason);
        this
    }

    fn answered(mut self, trace: TraceId, response: &ControlResponse) -> Self {
        self.judged.answers.push(answer(trace, response));
        self
    }

    fn doubting(mut self, doubts: &[Doubt]) -> Self {
        self.judged.doubts.extend_from_slice(doubts);
        self
    }
}

impl Engine {
    /// What [`handle`](Self::handle) would make of a message, changing nothing, and what is to be looked up
    /// for a judgement that hangs on more than is in memory: it is [`Certainty::AfterALook`] until it is
    /// asked again with that.
    #[must_use]
    pub fn judge(
        &self,
        now: Now,
        stand: &Stand,
        body: &[u8],
        lookups: &ControlLookups,
    ) -> (JudgedControl, Option<ControlNeed>) {
        let from = Requester { by: stand.by(), session: stand.session };
        if stand.ttl_ms == 0 {
            let says = decision::expired(&from.by, stand.topic.name());
            let expired = Judging::rejected(RejectedFor::Expired, says, Certainty::Certain);
            return (expired.judged, None);
        }
        let Judging { mut judged, need } = match stand.topic {
            ControlTopic::Control => self.judge_control(&from, stand.trace, body, lookups),
            ControlTopic::Decision => self.judge_decision(now, &from, body),
        };
        let expires = now.after(Duration::from_millis(stand.ttl_ms));
        judged.holds_until = Some(judged.holds_until.filter(|at| at.mono < expires.mono).unwrap_or(expires));
        if judged.certainty > Certainty::Certain {
            judged.doubts.push(Doubt::Time);
        }
        (judged, need)
    }

    fn judge_control(
        &self,
        from: &Requester,
        trace: TraceId,
        body: &[u8],
        lookups: &ControlLookups,
    ) -> Judging {
        match admit::read(&from.by, trace, body) {
            Ok(ControlRequest::RunSubmit { request_id, opening_yaml, .. }) => {
                self.unless_known((trace, ControlVariant::Submit), lookups, || {
                    self.judge_submit(trace, request_id, opening_yaml, lookups)
                })
            }
            Ok(ControlRequest::RunCancel { trace_id }) => {
                self.unless_known((trace, ControlVariant::Cancel), lookups, || {
                    self.judge_cancel(from, trace, trace_id)
                })
            }
            Ok(ControlRequest::DescribeAgents { .. }) => {
                Judging::of(ControlVerdict::Unsupported, Certainty::Certain)
            }
            Err(NotTaken { why, reason, answer }) => {
                let verdict = why.map_or(ControlVerdict::Unsupported, ControlVerdict::Rejected);
                let mut judging = Judging::of(verdict, Certainty::Certain);
                judging.judged.why = Some(reason);
                match answer {
                    Some(response) => judging.answered(trace, &response),
                    None => judging,
                }
            }
        }
    }

    /// A request that came before has the answer of then.
    fn unless_known(&self, key: Key, lookups: &ControlLookups, judge: impl FnOnce() -> Judging) -> Judging {
        let again = |body: Option<Bytes>| {
            let mut again = Judging::of(ControlVerdict::Duplicate, Certainty::AsOfNow);
            again.judged.answers.extend(body.map(|body| of_body(key.0, body)));
            again
        };
        match (self.standing(key), &lookups.answer) {
            (Standing::Waits, _) => again(None).doubting(&[Doubt::Commit]),
            (Standing::Answered(body) | Standing::Live(body), _) => again(Some(body)),
            (Standing::Forgotten, Some(Some(body))) => again(Some(body.clone())),
            (Standing::Forgotten, Some(None)) | (Standing::New, _) => judge(),
            (Standing::Forgotten, None) => {
                let mut judging = judge();
                judging.judged.certainty = Certainty::AfterALook;
                judging.need = Some(ControlNeed::Answer { request: key.0, variant: key.1.name() });
                judging
            }
        }
    }

    fn judge_submit(
        &self,
        trace: TraceId,
        request_id: TraceId,
        yaml: String,
        lookups: &ControlLookups,
    ) -> Judging {
        const DOUBTS: [Doubt; 3] = [Doubt::AnotherPeer, Doubt::SameIdFirst, Doubt::Commit];
        if let Err(rejected) = self.check_submit(trace, request_id) {
            let is_sure = rejected.0 == RejectedFor::RequestId;
            return reject(trace, request_id, rejected, is_sure);
        }
        match &lookups.opening {
            None => {
                let mut judging = Judging::of(ControlVerdict::Accepted, Certainty::AfterALook);
                judging.need = Some(ControlNeed::Opening(yaml));
                judging.doubting(&DOUBTS)
            }
            Some(Err(reason)) => reject(trace, trace, (RejectedFor::Opening, reason.clone()), false),
            Some(Ok(opening)) => {
                let mut judging = Judging::of(ControlVerdict::Accepted, Certainty::AsOfNow);
                let body = accepted(trace, OpeningId(Uuid::nil()), &opening.name);
                judging.judged.answers.push(of_body(trace, body));
                let nodes = counted(Plan::from(&**opening).nodes.len(), "node");
                judging.judged.effect = Some(format!("run {} begins: {nodes}", name(&opening.name)));
                judging.doubting(&DOUBTS)
            }
        }
    }

    fn judge_cancel(&self, from: &Requester, trace: TraceId, run: TraceId) -> Judging {
        let target = match self.check_cancel(from, run) {
            Ok(target) => target,
            Err(rejected) => {
                let is_sure = from.by.kind == crate::runs::AskerKind::Cue;
                return reject(trace, trace, rejected, is_sure);
            }
        };
        let cancelled = ControlResponse::RunCancelled { request_id: trace, trace_id: run };
        let mut judging =
            Judging::of(ControlVerdict::Accepted, Certainty::AsOfNow).answered(trace, &cancelled);
        judging.judged.effect = Some(match target {
            Target::Loading => format!("{run} is cancelled once it is stored"),
            Target::Run(run) if run.is_live => {
                let left = run.nodes.iter().filter(|node| !node.state.is_end()).count();
                format!("run {} cancelled: {} had not ended", name(&run.name()), counted(left, "node"))
            }
            Target::Run(run) => format!("run {} is cancelled once it is stored", name(&run.name())),
        });
        judging.doubting(&[Doubt::AnotherPeer, Doubt::SameIdFirst, Doubt::Commit])
    }

    fn judge_decision(&self, now: Now, from: &Requester, body: &[u8]) -> Judging {
        let decided = match Decision::decode(body) {
            Ok(decided) => decided,
            Err(fault) => {
                let says = decision::invalid(&from.by, &fault);
                return Judging::rejected(RejectedFor::Decision, says, Certainty::Certain);
            }
        };
        let asked = self.shared.asks.get(&decided.action_id).and_then(|(run, position)| {
            let run = self.runs.get(run)?;
            let node = run.nodes.get(*position as usize)?;
            Some((run, node, node.ask.as_ref()?))
        });
        // A decision after the moment at which silence became a no is too late.
        let asked = asked.filter(|(_, _, ask)| ask.timer.is_none_or(|(at, _)| at > now.mono));
        let Some((run, node, Ask { timer, expires_at, .. })) = asked else {
            let says = decision::not_awaited(decided.action_id);
            return Judging::rejected(RejectedFor::Decision, says, Certainty::AsOfNow)
                .doubting(&[Doubt::AnotherPeer]);
        };
        let becomes = if decided.approved { "approved" } else { "rejected" };
        let mut judging = Judging::of(ControlVerdict::Accepted, Certainty::AsOfNow);
        judging.judged.effect =
            Some(format!("node {} of run {} {becomes}", name(&node.id), name(&run.name())));
        judging.judged.holds_until = timer.map(|(mono, _)| Now { mono, wall: *expires_at });
        judging.doubting(&[Doubt::AnotherPeer])
    }
}

/// A request that is rejected; `is_sure` where that hangs on it alone.
fn reject(trace: TraceId, request_id: TraceId, (why, reason): Rejected, is_sure: bool) -> Judging {
    let certainty = if is_sure { Certainty::Certain } else { Certainty::AsOfNow };
    let response = rejection(request_id, &reason);
    let judging = Judging::rejected(why, reason, certainty).answered(trace, &response);
    if is_sure { judging } else { judging.doubting(&[Doubt::AnotherPeer, Doubt::SameIdFirst]) }
}

fn name(text: &str) -> &str {
    cut(text, NAME_BYTES_MAX)
}
