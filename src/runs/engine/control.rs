//! The control plane: submissions and cancels, each answered once and for all (rmp-v0 §9; ruling RMP 10).

use std::{sync::Arc, time::Duration};

use bytes::Bytes;

use super::{
    admit::{self, NotTaken, Rejected, Standing, rejection, unknown_run},
    core::Engine,
    events::cut,
    idempotency::{ControlVariant, Key, RecordedAnswer},
    io::{Output, Publish},
    run::Run,
    save_queue::AfterCommit,
    shared::{Shared, TTL_MS},
    timers::Due,
};
use crate::{
    ids::{ConnectionId, OpeningId, Ticket, TopicName, TraceId},
    runs::{
        RejectedFor,
        openings::Opening,
        payload::{ControlRequest, ControlResponse, schema},
    },
    schema::JsonText,
    store::runs::{AnswerRow, NewRun, RunOp},
    tap::entry::{
        runs::{Asker, EventKind, RunState, Transition},
        station::Level,
    },
    time::Now,
    w3c::GivenTraceParent,
    words::counted,
};

/// The least time between `RunAccepted` and the first event (ruling RMP 11).
pub(super) const FIRST_EVENT_AFTER: Duration = Duration::from_millis(20);

/// Bytes of why a request was rejected; the rest is cut.
pub(super) const REASON_BYTES_MAX: u64 = 65_536;

/// Bytes of one part of a plan beside a transition; well within what the tap keeps of a text.
const PLAN_PART_BYTES_MAX: usize = 32_768;

/// Whose a request is.
#[derive(Clone, Debug)]
pub(super) struct Requester {
    pub(super) by: Asker,
    /// The session on the bus in which it was published; none of an operator's command.
    pub(super) session: Option<ConnectionId>,
}

/// What a run is asked for with.
#[derive(Debug)]
pub(super) struct RunRequest<'a> {
    /// The opening.
    pub(super) yaml: &'a str,
    pub(super) traceparent: Option<GivenTraceParent>,
}

/// A submission whose opening is being loaded.
#[derive(Debug)]
pub(super) struct Submission {
    pub(super) run: TraceId,
    pub(super) by: Requester,
    yaml: Arc<str>,
    traceparent: Option<GivenTraceParent>,
    /// Who cancelled it meanwhile, and the traces of the requests that are to be answered.
    pub(super) cancelled: Option<(Asker, Vec<TraceId>)>,
}

impl Engine {
    pub(super) fn on_control(&mut self, now: Now, from: Requester, trace: TraceId, body: &[u8]) {
        match admit::read(&from.by, trace, body) {
            Ok(ControlRequest::RunSubmit { request_id, opening_yaml, traceparent }) => {
                let asks = RunRequest { yaml: &opening_yaml, traceparent };
                self.on_submit(now, from, trace, request_id, asks);
            }
            Ok(ControlRequest::RunCancel { trace_id }) => self.on_cancel(now, from, trace, trace_id),
            // It is not taken where it is read.
            Ok(ControlRequest::DescribeAgents { .. }) => {}
            Err(NotTaken { why, reason, answer: response }) => {
                if let Some(why) = why {
                    self.refuse(from.by, trace, why, &reason);
                }
                if let Some(response) = response {
                    self.shared.publish(answer(trace, &response));
                }
            }
        }
    }

    pub(super) fn on_submit(
        &mut self,
        now: Now,
        from: Requester,
        trace: TraceId,
        request_id: TraceId,
        asks: RunRequest<'_>,
    ) {
        let key = (trace, ControlVariant::Submit);
        let asked = || ControlRequest::RunSubmit {
            request_id,
            opening_yaml: asks.yaml.to_owned(),
            traceparent: asks.traceparent.clone(),
        };
        if self.is_new(now, key, &from, asked) {
            self.take_submission(now, from, trace, request_id, asks);
        }
    }

    /// Whether a request is to be taken now; else what is to be done first is done.
    fn is_new(
        &mut self,
        now: Now,
        key: Key,
        from: &Requester,
        request: impl FnOnce() -> ControlRequest,
    ) -> bool {
        match self.standing(key) {
            Standing::New => return true,
            Standing::Waits => {}
            Standing::Answered(body) => self.redeliver(key, body),
            Standing::Live(body) => {
                self.cache_answer(key, RecordedAnswer::Sent(body.clone()));
                self.shared.publish(of_body(key.0, body));
            }
            Standing::Forgotten => self.start_lookup(now, key, from, request()),
        }
        false
    }

    /// Takes a submission that was not answered before.
    pub(super) fn take_submission(
        &mut self,
        now: Now,
        from: Requester,
        trace: TraceId,
        request_id: TraceId,
        asks: RunRequest<'_>,
    ) {
        let key = (trace, ControlVariant::Submit);
        if let Err(rejected) = self.check_submit(trace, request_id) {
            return self.reject(now, key, request_id, from.by, rejected);
        }
        self.cache_answer(key, RecordedAnswer::Pending);
        let RunRequest { yaml, traceparent } = asks;
        let (ticket, yaml) = (self.shared.ticket(), Arc::from(yaml));
        self.shared.outputs.push_back(Output::Load { ticket, yaml: Arc::clone(&yaml) });
        let submission = Submission { run: trace, by: from, yaml, traceparent, cancelled: None };
        self.loading.insert(ticket, submission);
    }

    pub(super) fn on_loaded(&mut self, now: Now, ticket: Ticket, opening: Result<Arc<Opening>, String>) {
        let Some(Submission { run, by, yaml, traceparent, cancelled }) = self.loading.remove(&ticket) else {
            return;
        };
        let opening = match opening {
            Ok(opening) => opening,
            Err(reason) => {
                let waiting =
                    cancelled.map(|(by, traces)| traces.into_iter().map(move |trace| (by.clone(), trace)));
                for (by, trace) in waiting.into_iter().flatten() {
                    self.reject(now, (trace, ControlVariant::Cancel), trace, by, unknown_run(run));
                }
                return self.reject(
                    now,
                    (run, ControlVariant::Submit),
                    run,
                    by.by,
                    (RejectedFor::Opening, reason),
                );
            }
        };
        let id = OpeningId(self.shared.id());
        let mut run = Run::new(run, id, &opening, by.by, yaml);
        (run.submitted_in, run.submitted_at) = (by.session, now.wall);
        run.cancelled = cancelled;
        run.traceparent = traceparent;
        let (plan, nodes) = (run.plan(), u32::try_from(run.nodes.len()).unwrap_or(u32::MAX));
        let name = Arc::clone(&opening.name);
        let begin = RunOp::Begin(Box::new(NewRun {
            run: run.run,
            opening: id,
            name: name.to_string(),
            by: run.by.kind,
            client: run.by.client.to_string(),
            nodes: u64::from(nodes),
            yaml: run.yaml.to_string(),
            plan: JsonText::from_value(&serde_json::to_value(&plan).unwrap_or_default()),
            traceparent: run.traceparent.as_ref().and_then(GivenTraceParent::valid).map(Box::from),
            at: now.wall,
        }));
        if !self.shared.settings.tells_records {
            run.yaml = Arc::default();
        }
        let (trace, body) = (run.run, accepted(run.run, id, &name));
        let variant = ControlVariant::Submit.name().to_owned();
        let answer = RunOp::Answer(AnswerRow { request: trace, variant, body: body.clone(), at: now.wall });
        self.accepting.insert(run.run, body);
        self.shared.persist_begin(run.run, vec![begin, answer]);
        self.runs.insert(run.run, run);
    }

    /// A run is recorded: it is accepted, and its nodes begin.
    pub(super) fn begin(&mut self, now: Now, run: TraceId) {
        let Some(body) = self.accepting.remove(&run) else { return };
        self.cache_answer((run, ControlVariant::Submit), RecordedAnswer::Sent(body.clone()));
        let Some(run) = self.runs.get_mut(&run) else { return };
        let to = &mut self.shared;
        to.accept(run.run, of_body(run.run, body));
        let (plan, name, nodes) =
            (run.plan(), run.name(), u32::try_from(run.nodes.len()).unwrap_or(u32::MAX));
        let edges = plan.edges.len();
        let mut parts = plan.parts(PLAN_PART_BYTES_MAX).into_iter();
        let first = parts.next().unwrap_or_default();
        to.emit_transition(
            Transition::Submitted { run: run.run, name: Arc::clone(&name), by: run.by.clone(), nodes },
            &first,
        );
        for part in parts {
            to.emit_transition(Transition::Planned { run: run.run }, &part);
        }
        run.is_live = true;
        let says = format!("{name}: {}, {}", counted(plan.nodes.len(), "node"), counted(edges, "edge"));
        run.begin_record(to, plan);
        to.metrics.submitted += 1;
        run.event(to, now, None, (EventKind::Plan, Some(Level::Info)), &says);
        run.event_with(to, now, None, (EventKind::Status, Some(Level::Info)), "the run is running", |meta| {
            meta.state = Some(RunState::Running.name().to_owned());
        });
        if let Some(why) = run.traceparent.take().as_ref().and_then(GivenTraceParent::left_out) {
            let says = format!("the run has no trace context: {why}");
            run.event(to, now, None, (EventKind::Log, Some(Level::Warn)), &says);
        }
        if let Some((by, _)) = run.cancelled.clone() {
            run.cancel(to, now, &by);
            return;
        }
        let timeout_ms = run.opening_of(0).policy.timeout_ms.unwrap_or(to.settings.timeout_ms);
        run.ends_by = now.mono + Duration::from_millis(timeout_ms);
        run.timer = Some(to.timers.set(run.ends_by, Due::Run(run.run)));
        run.open_scope(to, now, 0);
    }

    /// A run could not be recorded: it is rejected. The answer does not wait for a store that cannot write.
    pub(super) fn not_recorded(&mut self, now: Now, run: TraceId, error: &str) {
        self.accepting.remove(&run);
        let Some(by) = self.drop_run(now, run) else { return };
        let reason =
            cut(&format!("cannot store the run: {error}; see `rl-console doctor`"), REASON_BYTES_MAX);
        self.refuse(by, run, RejectedFor::NotRecorded, &reason);
        let (key, publish) = (
            (run, ControlVariant::Submit),
            answer(run, &ControlResponse::RunRejected { request_id: run, reason }),
        );
        self.record_answer(now, key, &publish);
        self.shared.publish(publish);
    }

    /// Takes away a run that is not to begin, and rejects the requests to cancel it. Whose it was.
    pub(super) fn drop_run(&mut self, now: Now, run: TraceId) -> Option<Asker> {
        let run = self.runs.remove(&run)?;
        for (by, trace) in run
            .cancelled
            .into_iter()
            .flat_map(|(by, traces)| traces.into_iter().map(move |trace| (by.clone(), trace)))
        {
            self.reject(now, (trace, ControlVariant::Cancel), trace, by, unknown_run(run.run));
        }
        Some(run.by)
    }

    fn on_cancel(&mut self, now: Now, from: Requester, trace: TraceId, run: TraceId) {
        let key = (trace, ControlVariant::Cancel);
        if self.is_new(now, key, &from, || ControlRequest::RunCancel { trace_id: run }) {
            self.take_cancel(now, from, trace, run);
        }
    }

    /// Takes a cancel that was not answered before.
    pub(super) fn take_cancel(&mut self, now: Now, from: Requester, trace: TraceId, run: TraceId) {
        let key = (trace, ControlVariant::Cancel);
        if let Err(rejected) = self.check_cancel(&from, run) {
            return self.reject(now, key, trace, from.by, rejected);
        }
        self.cancel(now, &from.by, run, Some(trace));
        self.cache_answer(key, RecordedAnswer::Pending);
        self.after_run(now, run);
    }

    /// Cancels a run, and answers the request of this trace once that is done. Tells how many nodes had not
    /// ended, if there is the run.
    pub(super) fn cancel(
        &mut self,
        now: Now,
        by: &Asker,
        run: TraceId,
        trace: Option<TraceId>,
    ) -> Option<u64> {
        if let Some(submission) = self.loading.values_mut().find(|it| it.run == run) {
            submission.cancelled.get_or_insert_with(|| (by.clone(), Vec::new())).1.extend(trace);
            return Some(0);
        }
        let run = self.runs.get_mut(&run)?;
        run.cancelled.get_or_insert_with(|| (by.clone(), Vec::new())).1.extend(trace);
        if run.is_live { Some(run.cancel(&mut self.shared, now, by)) } else { Some(run.nodes.len() as u64) }
    }

    /// Ends a run for good: the last event, the store, the answers to those that cancelled it.
    pub(super) fn finish(&mut self, now: Now, run: TraceId) {
        let Some(mut run) = self.runs.remove(&run) else { return };
        let Some((state, why)) = run.ended.take() else { return };
        let to = &mut self.shared;
        run.close_scope(to, now, 0, "");
        to.port_bytes = to.port_bytes.saturating_sub(run.port_bytes);
        to.timers.clear(&mut run.timer);
        end(to, now, &mut run, state, &why);
        for trace in run.cancelled.into_iter().flat_map(|(_, traces)| traces) {
            let response = ControlResponse::RunCancelled { request_id: trace, trace_id: run.run };
            self.respond(now, (trace, ControlVariant::Cancel), &response);
        }
    }

    fn reject(&mut self, now: Now, key: Key, request_id: TraceId, by: Asker, (why, reason): Rejected) {
        self.refuse(by, key.0, why, &cut(&reason, REASON_BYTES_MAX));
        self.respond(now, key, &rejection(request_id, &reason));
    }

    /// Answers a request for good, once that is written.
    fn respond(&mut self, now: Now, key: Key, response: &ControlResponse) {
        let publish = answer(key.0, response);
        if self.record_answer(now, key, &publish) {
            self.shared.after(AfterCommit::Send(publish));
        } else {
            self.shared.publish(publish);
        }
    }

    /// Remembers how a request was answered, and has that written: whether it is. A rejection while the store
    /// cannot write and there is no room, or the disk is nearly full, is judged anew by the next start.
    fn record_answer(&mut self, now: Now, key: Key, publish: &Publish) -> bool {
        self.cache_answer(key, RecordedAnswer::Sent(publish.body.clone()));
        let is_rejection =
            matches!(ControlResponse::decode(&publish.body), Ok(ControlResponse::RunRejected { .. }));
        if is_rejection && !self.shared.has_room_to_save() {
            return false;
        }
        let kept = AnswerRow {
            request: key.0,
            variant: key.1.name().to_owned(),
            body: publish.body.clone(),
            at: now.wall,
        };
        self.shared.persist(RunOp::Answer(kept));
        true
    }

    pub(super) fn cache_answer(&mut self, key: Key, answered: RecordedAnswer) {
        let limits = &self.shared.settings.limits;
        self.idempotency.set(key, answered, limits.answers_max, limits.answers_bytes_max);
    }
}

/// Tells the end of a run.
pub(super) fn end(to: &mut Shared, now: Now, run: &mut Run, state: RunState, why: &str) {
    run.emit_left_out(to, now);
    let (level, says) = end_message(state, why);
    run.event_with(to, now, None, (EventKind::Status, Some(level)), &says, |meta| {
        meta.state = Some(state.name().to_owned());
        meta.success = Some(state == RunState::Succeeded);
    });
    to.metrics.end(state);
    let kept = (!why.is_empty()).then(|| why.to_owned());
    to.persist(RunOp::End {
        run: run.run,
        state,
        why: kept,
        tokens: run.tokens,
        done: u64::from(run.done),
        artifacts_missing: run.lost.1,
        at: run.cut_at.unwrap_or(now.wall),
    });
    run.end_record(to, now, state, why);
    to.emit_transition(Transition::Done { run: run.run, nodes: run.done }, "");
    to.emit_transition(Transition::Ended { run: run.run, state }, why);
}

/// How a run's last event puts its end.
pub(super) fn end_message(state: RunState, why: &str) -> (Level, String) {
    let level = match state {
        RunState::Succeeded => Level::Info,
        RunState::Cancelled => Level::Warn,
        _ => Level::Error,
    };
    let colon = if why.is_empty() { "" } else { ": " };
    (level, format!("the run {}{colon}{why}", state.name()))
}

/// That a run is accepted.
pub(super) fn accepted(run: TraceId, opening_id: OpeningId, name: &str) -> Bytes {
    let opening_name = name.to_owned();
    Bytes::from(
        ControlResponse::RunAccepted { request_id: run, trace_id: run, opening_id, opening_name }.encode(),
    )
}

pub(super) fn answer(trace: TraceId, response: &ControlResponse) -> Publish {
    of_body(trace, Bytes::from(response.encode()))
}

pub(super) fn of_body(trace: TraceId, body: Bytes) -> Publish {
    Publish {
        topic: TopicName::new("rlp/ctrl"),
        schema_id: schema::CTRL_RESP,
        trace,
        ttl_ms: TTL_MS,
        body,
        ticket: None,
    }
}
