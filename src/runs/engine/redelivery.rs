//! A submission again, of a run that has ended: it gets its answer, and behind it the run's last
//! event, so that whoever lost the first learns how the run ended (rmp-v0 §9, §10). A request that is not
//! remembered any more is looked up before it is judged: it may have been answered (ruling RMP 10).

use std::time::Duration;

use bytes::Bytes;

use super::{
    control::{Requester, RunRequest, accepted, end_message, of_body},
    core::Engine,
    idempotency::{ControlVariant, Key, RecordedAnswer},
    io::Output,
    save_queue::UnsavedEnd,
    timers::{self, Due},
};
use crate::{
    ids::TraceId,
    runs::payload::{ControlRequest, ControlResponse, EventMeta, RunEvent},
    store::runs::RunRow,
    tap::entry::runs::{EventKind, RunState},
    time::Now,
};

/// Runs whose ends are looked up at one time; who asks for one more gets the answer alone.
const RECALLS_MAX: usize = 256;

/// Requests that are looked up at one time; one more is judged at once. The host takes none meanwhile, so
/// that they are the operator's.
pub(super) const LOOKUPS_MAX: usize = 8;

/// How long the store may take to say so; who asks waits no longer than twice that (rmp-v0 §9).
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(1);

/// A request that may have been answered before.
#[derive(Debug)]
pub(super) struct Unacked {
    by: Requester,
    request: ControlRequest,
    timer: Option<timers::Key>,
}

impl Engine {
    /// Has it looked up how a request was answered that is not remembered, because others pushed its answer
    /// out.
    pub(super) fn start_lookup(&mut self, now: Now, key: Key, by: &Requester, request: ControlRequest) {
        let timer = Some(self.shared.timers.set(now.mono + LOOKUP_TIMEOUT, Due::Lookup(key)));
        self.unacked.insert(key, Unacked { by: by.clone(), request, timer });
        self.shared.outputs.push_back(Output::RecallAnswer { request: key.0, variant: key.1.name() });
    }

    /// How a request was answered before, if it was; else it is judged now.
    pub(super) fn on_looked_up(&mut self, now: Now, key: Key, body: Option<Bytes>) {
        let Some(Unacked { by, request, mut timer }) = self.unacked.remove(&key) else { return };
        self.shared.timers.clear(&mut timer);
        if let Some(body) = body {
            self.cache_answer(key, RecordedAnswer::Sent(body.clone()));
            return self.redeliver(key, body);
        }
        match request {
            ControlRequest::RunSubmit { request_id, opening_yaml, traceparent } => {
                let asks = RunRequest { yaml: &opening_yaml, traceparent };
                self.take_submission(now, by, key.0, request_id, asks);
            }
            ControlRequest::RunCancel { trace_id } => self.take_cancel(now, by, key.0, trace_id),
            ControlRequest::DescribeAgents { .. } => {}
        }
    }

    /// Answers a request as it was answered before.
    pub(super) fn redeliver(&mut self, key: Key, body: Bytes) {
        let (run, variant) = key;
        let is_ended = variant == ControlVariant::Submit
            && !self.runs.contains_key(&run)
            && matches!(ControlResponse::decode(&body), Ok(ControlResponse::RunAccepted { .. }));
        let publish = of_body(run, body);
        if !is_ended
            || self.shared.holds(run)
            || self.recalling.len() >= RECALLS_MAX
            || !self.recalling.insert(run)
        {
            return self.shared.publish(publish);
        }
        self.shared.accept(run, publish);
        self.shared.outputs.push_back(Output::Recall { run });
    }

    /// A run could not be recorded: it may be recorded already, and not remembered any more.
    pub(super) fn recheck_recorded(&mut self, now: Now, run: TraceId, error: &str) {
        if self.doubted.len() >= RECALLS_MAX {
            return self.not_recorded(now, run, error);
        }
        self.accepting.remove(&run);
        self.doubted.insert(run, error.to_owned());
        self.shared.outputs.push_back(Output::Recall { run });
    }

    /// A run that was submitted again is recorded since long: it is accepted as it was then.
    fn recorded_before(&mut self, now: Now, run: TraceId, row: &RunRow) {
        self.drop_run(now, run);
        let body = accepted(run, row.opening, &row.name);
        self.cache_answer((run, ControlVariant::Submit), RecordedAnswer::Sent(body.clone()));
        self.shared.accept(run, of_body(run, body));
        self.republish_end(run, Some(row));
    }

    /// Answers with the stored row of a run whose end is asked for.
    pub(super) fn on_recalled(&mut self, now: Now, run: TraceId, row: Option<&RunRow>) {
        if let Some(error) = self.doubted.remove(&run) {
            return match row {
                Some(row) => self.recorded_before(now, run, row),
                None => self.not_recorded(now, run, &error),
            };
        }
        if self.recalling.remove(&run) {
            self.republish_end(run, row);
        }
    }

    /// Tells the last event of a run again.
    fn republish_end(&mut self, run: TraceId, row: Option<&RunRow>) {
        let kept = row
            .and_then(|row| Some(UnsavedEnd { state: row.state, why: row.why.clone(), at: row.ended_at? }));
        let Some(UnsavedEnd { state, why, at }) = kept.or_else(|| self.shared.save_queue.ended(run)) else {
            return;
        };
        let (level, message) = end_message(state, why.as_deref().unwrap_or_default());
        let (state, success) = (Some(state.name().to_owned()), Some(state == RunState::Succeeded));
        let meta = EventMeta { ts_ms: at.0, run_id: Some(run), state, success, ..EventMeta::default() };
        let event = RunEvent { kind: EventKind::Status, level: Some(level), message, meta };
        self.shared.publish_event(run, event.encode().into());
    }
}
