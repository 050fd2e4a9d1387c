//! What is decided about a control request, changing nothing: shared by those that carry it out and by
//! judgements.

use bytes::Bytes;

use super::{
    control::{REASON_BYTES_MAX, Requester, accepted},
    core::Engine,
    events::cut,
    idempotency::{ControlVariant, Key, RecordedAnswer},
    redelivery::LOOKUPS_MAX,
    run::Run,
    shared::{AgentsCancel, DISK_LOW},
};
use crate::{
    ids::{ConnectionId, TraceId},
    runs::{
        Asker, AskerKind, RejectedFor,
        payload::{ControlRequest, ControlResponse, is_request, refusal},
    },
};

/// Why a request is rejected, and in words.
pub(super) type Rejected = (RejectedFor, String);

/// A request that is not taken, whatever else there is.
#[derive(Debug)]
pub(super) struct NotTaken {
    /// For what it is told of as rejected, where it is.
    pub(super) why: Option<RejectedFor>,
    pub(super) reason: String,
    /// Its answer; nothing to what is no request.
    pub(super) answer: Option<ControlResponse>,
}

/// How far a request is that may have come before.
#[derive(Debug)]
pub(super) enum Standing {
    /// It is new.
    New,
    /// It came before, and its answer is on its way.
    Waits,
    /// It was answered so.
    Answered(Bytes),
    /// It submitted a run that is worked on, and is not remembered any more: its answer.
    Live(Bytes),
    /// It is not remembered, but may have been answered: the store is to be asked.
    Forgotten,
}

/// A run that is to be cancelled.
#[derive(Debug)]
pub(super) enum Target<'a> {
    /// Its opening is being loaded.
    Loading,
    /// It is there.
    Run(&'a Run),
}

/// Reads a request.
pub(super) fn read(by: &Asker, trace: TraceId, body: &[u8]) -> Result<ControlRequest, NotTaken> {
    match ControlRequest::decode(body) {
        Ok(ControlRequest::DescribeAgents { request_id, .. }) => {
            let is_cue = by.kind == AskerKind::Cue;
            let reason =
                if is_cue { "a cue can only submit runs" } else { "DescribeAgents is not supported" };
            let reason = reason.to_owned();
            let answer = ControlResponse::AgentsDescribeFailed { request_id, reason: reason.clone() };
            Err(NotTaken { why: is_cue.then_some(RejectedFor::Forbidden), reason, answer: Some(answer) })
        }
        Ok(request) => Ok(request),
        Err(fault) => {
            let reason = cut(&format!("invalid request: {fault}"), REASON_BYTES_MAX);
            // What is no request is not answered as one.
            let answer = is_request(body).then(|| {
                let rejected = || ControlResponse::RunRejected { request_id: trace, reason: reason.clone() };
                refusal(trace, body, &reason).unwrap_or_else(rejected)
            });
            Err(NotTaken { why: Some(RejectedFor::Unreadable), reason, answer })
        }
    }
}

/// The rejection of a request.
pub(super) fn rejection(request_id: TraceId, reason: &str) -> ControlResponse {
    ControlResponse::RunRejected { request_id, reason: cut(reason, REASON_BYTES_MAX) }
}

impl Engine {
    /// How far a request is.
    pub(super) fn standing(&self, key: Key) -> Standing {
        match self.idempotency.of(key) {
            Some(RecordedAnswer::Pending) => return Standing::Waits,
            Some(RecordedAnswer::Sent(body)) => return Standing::Answered(body.clone()),
            None => {}
        }
        let run = key.0;
        if key.1 == ControlVariant::Submit {
            if let Some(of) = self.runs.get(&run).filter(|of| of.is_live) {
                return Standing::Live(accepted(run, of.opening, &of.name()));
            }
            if self.runs.contains_key(&run) || self.is_loading(run) {
                return Standing::Waits;
            }
        }
        if self.unacked.contains_key(&key) {
            return Standing::Waits;
        }
        let may_ask = self.idempotency.has_forgotten && self.unacked.len() < LOOKUPS_MAX;
        if may_ask { Standing::Forgotten } else { Standing::New }
    }

    /// Whether a submission that was not answered before is taken.
    ///
    /// # Errors
    /// Why it is rejected.
    pub(super) fn check_submit(&self, trace: TraceId, request_id: TraceId) -> Result<(), Rejected> {
        if request_id != trace {
            let reason = format!(
                "request_id is {request_id}, but the header's trace_id is {trace}: they must be equal"
            );
            return Err((RejectedFor::RequestId, reason));
        }
        let (open, open_max) = (self.open() as u64, self.shared.settings.limits.open_max);
        if open >= open_max {
            let reason =
                format!("{open} runs are open, the maximum: wait for one to end (limits.runs.open_max)");
            return Err((RejectedFor::TooMany, reason));
        }
        if self.shared.is_disk_low {
            return Err((RejectedFor::NotRecorded, DISK_LOW.to_owned()));
        }
        Ok(())
    }

    /// The run that a cancel that was not answered before is to end.
    ///
    /// # Errors
    /// Why it is rejected.
    pub(super) fn check_cancel(&self, from: &Requester, run: TraceId) -> Result<Target<'_>, Rejected> {
        let kind = from.by.kind;
        if kind == AskerKind::Cue {
            return Err((RejectedFor::Forbidden, "a cue cannot cancel runs".to_owned()));
        }
        let is_bound = self.shared.settings.agents_cancel == AgentsCancel::Own && kind == AskerKind::Agent;
        if is_bound && self.is_anothers(run, from.session) {
            let reason = format!(
                "run {run} was submitted in another session; an agent can only cancel its own runs ([runs] \
                 agents_cancel = \"own\")"
            );
            return Err((RejectedFor::Forbidden, reason));
        }
        if self.is_loading(run) {
            return Ok(Target::Loading);
        }
        self.runs.get(&run).map(Target::Run).ok_or_else(|| unknown_run(run))
    }

    /// Whether the opening of a run is being loaded.
    fn is_loading(&self, run: TraceId) -> bool {
        self.loading.values().any(|it| it.run == run)
    }

    /// Whether a run that is worked on was submitted in another session than this.
    fn is_anothers(&self, run: TraceId, session: Option<ConnectionId>) -> bool {
        self.loading.values().any(|it| it.run == run && it.by.session != session)
            || self.runs.get(&run).is_some_and(|run| run.submitted_in != session)
    }
}

pub(super) fn unknown_run(run: TraceId) -> Rejected {
    let reason =
        format!("run {run} is not running: it has ended or does not exist; `rl-console ls runs` lists runs");
    (RejectedFor::UnknownRun, reason)
}
