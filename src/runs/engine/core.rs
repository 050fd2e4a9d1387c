//! The core: inputs to runs, and what they all share back out.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use bytes::Bytes;
use uuid::Uuid;

use super::{
    control::{FIRST_EVENT_AFTER, Requester, RunRequest, Submission, end},
    idempotency::{ControlVariant, IdempotencyCache, Key, RecordedAnswer},
    io::{Input, Output},
    redelivery::Unacked,
    run::{Ask, Flight, Run},
    save_queue::AfterCommit,
    shared::{DISK_LOW, Offered, Settings, Shared},
    timers::Due,
};
use crate::{
    ids::{ActionId, Ticket, TopicName, TraceId},
    runs::{
        AskView, Metrics, PlanPart,
        command::{Command, Outcome, Refusal},
        openings::{Opening, Policy},
    },
    store::runs::{OpenRun, RestoredRuns},
    tap::entry::{
        runs::{Asker, EventKind, RunState, Transition, Verdict},
        station::Level,
    },
    time::{Mono, Now},
    w3c::GivenTraceParent,
};

/// Why runs that had not ended before a restart have failed.
const CUT: &str = "interrupted by a stop of the station";

/// The engine.
pub struct Engine {
    pub(super) shared: Shared,
    /// Runs that have not ended.
    pub(super) runs: BTreeMap<TraceId, Run>,
    /// Submissions whose openings are being loaded.
    pub(super) loading: BTreeMap<Ticket, Submission>,
    /// The answers of runs that are being recorded.
    pub(super) accepting: BTreeMap<TraceId, Bytes>,
    pub(super) idempotency: IdempotencyCache,
    /// Requests of which it is looked up whether they were answered before.
    pub(super) unacked: BTreeMap<Key, Unacked>,
    /// Runs that ended, and whose ends are looked up.
    pub(super) recalling: BTreeSet<TraceId>,
    /// Runs that could not be recorded, and why, while it is looked up whether they are already.
    pub(super) doubted: BTreeMap<TraceId, String>,
}

impl Engine {
    /// An engine that starts from what is kept: requests are remembered, and runs that had not ended have
    /// failed. `ids` gives fresh ids.
    #[must_use]
    pub fn new(
        now: Now,
        settings: Settings,
        left: RestoredRuns,
        ids: Box<dyn FnMut() -> Uuid + Send>,
    ) -> Self {
        let mut this = Self {
            shared: Shared::new(settings, ids),
            runs: BTreeMap::new(),
            loading: BTreeMap::new(),
            accepting: BTreeMap::new(),
            idempotency: IdempotencyCache::default(),
            unacked: BTreeMap::new(),
            recalling: BTreeSet::new(),
            doubted: BTreeMap::new(),
        };
        this.idempotency.has_forgotten = left.has_more_answers;
        for answer in left.answers {
            if let Some(variant) = ControlVariant::from_name(&answer.variant) {
                this.cache_answer((answer.request, variant), RecordedAnswer::Sent(answer.body));
            }
        }
        for open in left.open {
            this.end_unfinished(now, open);
        }
        this.shared.flush();
        this
    }

    fn end_unfinished(&mut self, now: Now, OpenRun { row, last_event, last_at }: OpenRun) {
        let (name, nodes): (Arc<str>, _) =
            (Arc::from(row.name), u32::try_from(row.nodes).unwrap_or(u32::MAX));
        let by = Asker { kind: row.by, client: Arc::from(row.client) };
        let opening = Arc::new(Opening {
            name: Arc::clone(&name),
            goals: Vec::new(),
            params: serde_json::Map::new(),
            policy: Policy::default(),
            nodes: Vec::new(),
            edges: Vec::new(),
            success: None,
            save: Vec::new(),
        });
        let mut run = Run::new(row.run, row.opening, &opening, by.clone(), Arc::from(""));
        (run.events, run.kept_events, run.tokens) = (last_event, row.events, row.tokens);
        run.done = u32::try_from(row.done).unwrap_or(u32::MAX);
        // The time that the station was down is none of the run's.
        run.cut_at = Some(last_at);
        let text = PlanPart {
            submitted_at_ms: Some(row.submitted_at),
            cut_at_ms: Some(last_at),
            ..PlanPart::default()
        };
        let text = serde_json::to_string(&text).unwrap_or_default();
        self.shared.emit_transition(Transition::Submitted { run: row.run, name, by, nodes }, &text);
        if run.tokens > 0 {
            self.shared.emit_transition(Transition::Spent { run: row.run, tokens: run.tokens }, "");
        }
        end(&mut self.shared, now, &mut run, RunState::Failed, CUT);
    }

    /// The data folder's disk is nearly full, or is not any more: while it is, no run is accepted, and events
    /// and artifacts of others are told and not kept.
    pub fn set_disk_low(&mut self, is_low: bool) {
        if is_low && !self.shared.is_disk_low {
            self.shared.save_queue.set_error(DISK_LOW);
        }
        self.shared.is_disk_low = is_low;
    }

    /// Takes what happened.
    pub fn handle(&mut self, now: Now, input: Input) {
        if matches!(input, Input::Decided { .. }) {
            // A decision after the moment at which silence became a no is too late.
            self.on_time(now);
        }
        match input {
            Input::Control { by, session, trace, body } => {
                self.on_control(now, Requester { by, session: Some(session) }, trace, &body);
            }
            Input::Loaded { ticket, opening } => self.on_loaded(now, ticket, opening),
            Input::Answer { topic, body } => self.on_answer(now, &topic, &body),
            Input::Progress { topic, body } => self.on_progress(now, &topic, &body),
            Input::Decided { by, trace, body } => self.on_decision(now, by, trace, &body),
            Input::Expired { by, trace, topic } => self.on_expired(by, trace, &topic),
            Input::Reached { ticket, reach } => {
                self.shared.on_accepted(ticket, now.mono + FIRST_EVENT_AFTER);
                if let Some(Offered { run, position: place, bytes }) = self.shared.reaches.remove(&ticket) {
                    self.shared.offered_bytes = self.shared.offered_bytes.saturating_sub(bytes);
                    self.with(now, run, |run, to| run.on_reached(to, now, place, ticket, reach));
                }
            }
            Input::Unread { peer, msg_id } => {
                let is_it = |flight: &Flight| flight.msg_id == Some(msg_id);
                self.for_each_flight(now, is_it, |run, to, place| {
                    run.on_unread(to, now, place, (peer, msg_id));
                });
            }
            Input::Stopping => return self.recall_requests(now),
            Input::SessionOver { peer } => {
                let has_it = |flight: &Flight| flight.peers.contains(&peer);
                self.for_each_flight(now, has_it, |run, to, place| run.on_session_over(to, now, place, peer));
            }
            Input::BusDown => {
                self.for_each_flight(
                    now,
                    |flight| !flight.peers.is_empty(),
                    |run, to, place| run.on_bus_down(to, now, place),
                );
            }
            Input::Recalled { run, row } => self.on_recalled(now, run, row.as_deref()),
            Input::AnswerRecalled { request, variant, body } => {
                if let Some(variant) = ControlVariant::from_name(variant) {
                    self.on_looked_up(now, (request, variant), body);
                }
            }
            Input::Committed { ticket } => self.on_committed(now, ticket),
            Input::CommitFailed { ticket, error } => self.on_commit_failed(now, ticket, &error),
            Input::Timeout => {}
        }
        self.on_time(now);
        self.advance(now);
        self.shared.flush();
    }

    /// Does what an operator asks.
    ///
    /// # Errors
    /// [`Refusal`] when there is nothing that it could be done to.
    pub fn command(&mut self, now: Now, by: Asker, command: Command) -> Result<Outcome, Refusal> {
        let outcome = match command {
            Command::Submit { request, opening_yaml, traceparent } => {
                let traceparent = traceparent.as_deref().map(GivenTraceParent::read);
                let asks = RunRequest { yaml: &opening_yaml, traceparent };
                self.on_submit(now, Requester { by, session: None }, request, request, asks);
                Ok(Outcome::Taken)
            }
            Command::Cancel { run } => {
                let nodes = self.cancel(now, &by, run, None).ok_or(Refusal::UnknownRun(run));
                self.after_run(now, run);
                nodes.map(|nodes| Outcome::Cancelled { nodes })
            }
            Command::Hold | Command::Release => Ok(self.brake(command == Command::Hold, by)),
            Command::Decide { action, approved, note } => {
                let is_known = self.decide(now, action, approved, note.as_deref().unwrap_or_default(), by);
                if is_known { Ok(Outcome::Decided) } else { Err(Refusal::UnknownAction(action)) }
            }
        };
        self.advance(now);
        self.shared.flush();
        outcome
    }

    /// Holds all attempts that are not begun, or lets them begin.
    fn brake(&mut self, held: bool, by: Asker) -> Outcome {
        if self.shared.is_held != held {
            self.shared.is_held = held;
            self.shared.emit_transition(Transition::Braked { held, by }, "");
        }
        Outcome::Braked { held }
    }

    /// The next output to carry out.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.shared.outputs.pop_front()
    }

    /// When [`Input::Timeout`] is to come.
    #[must_use]
    pub fn timeout(&self) -> Option<Mono> {
        self.shared.timers.next()
    }

    /// Whether the next message may be taken: no request is looked up that may have been answered before.
    #[must_use]
    pub fn accepts_input(&self) -> bool {
        self.unacked.is_empty()
    }

    /// Runs that have not ended, those that are being loaded or recorded included.
    #[must_use]
    pub fn open(&self) -> usize {
        self.runs.len() + self.loading.len()
    }

    /// What waits for a person, the oldest first, at most so many.
    #[must_use]
    pub fn asks(&self, limit: usize) -> Vec<AskView> {
        let ask = |(action, (run, place)): (&ActionId, &(TraceId, u32))| {
            let of = self.runs.get(run)?;
            Some((*action, of, *place, of.nodes.get(*place as usize)?.ask.as_ref()?))
        };
        let mut asks: Vec<_> = self.shared.asks.iter().filter_map(ask).collect();
        // Timers are numbered as they are set.
        asks.sort_unstable_by_key(|(.., ask)| ask.timer.map(|(_, number)| number));
        let view = |(action, of, place, ask): (ActionId, &Run, u32, &Ask)| {
            let Ask { summary, asked_at, expires_at, .. } = ask;
            let (run, node, summary) = (of.run, of.node_ref(place), Arc::clone(summary));
            let takes = Arc::from(of.input_preview(place, self.shared.settings.limits.shown_ask_bytes_max));
            AskView { action, run, node, summary, takes, asked_at: *asked_at, expires_at: *expires_at }
        };
        asks.into_iter().take(limit).map(view).collect()
    }

    /// The counters, and the states of runs now.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let of = &self.shared;
        Metrics {
            running: self.open() as u64,
            in_flight: of.in_flight,
            asking: of.asks.len() as u64,
            held: of.is_held,
            ..of.metrics
        }
    }

    /// Changes a run that is there, and does what follows.
    pub(super) fn with(&mut self, now: Now, run: TraceId, change: impl FnOnce(&mut Run, &mut Shared)) {
        if let Some(of) = self.runs.get_mut(&run) {
            change(of, &mut self.shared);
        }
        self.after_run(now, run);
    }

    pub(super) fn after_run(&mut self, now: Now, run: TraceId) {
        let Some(of) = self.runs.get_mut(&run) else { return };
        of.settle(&mut self.shared, now);
        if of.ended.is_some() {
            self.finish(now, run);
        }
    }

    fn on_answer(&mut self, now: Now, topic: &TopicName, body: &[u8]) {
        if let Some((run, place)) = self.shared.replies.get(topic).copied() {
            return self.with(now, run, |run, to| run.on_answer(to, now, place, body));
        }
        // `rlp/runs/<run>/agents/<agent>/<id>` tells whose it would have been.
        let run =
            topic.as_str().strip_prefix("rlp/runs/").and_then(|rest| rest.split('/').next()?.parse().ok());
        let Some(run) = run.and_then(|run| self.runs.get_mut(&run)).filter(|run| run.is_live) else { return };
        run.late += 1;
        self.shared.metrics.late_answers += 1;
        if run.late == 1 {
            let says = format!("ignored a late or repeated answer: {topic}; further ones are only counted");
            run.event(&mut self.shared, now, None, (EventKind::Log, Some(Level::Warn)), &says);
        }
    }

    fn on_progress(&mut self, now: Now, topic: &TopicName, body: &[u8]) {
        let reply = topic.as_str().strip_suffix("/progress");
        if let Some((run, place)) = reply.and_then(|reply| self.shared.replies.get(reply)).copied() {
            self.with(now, run, |run, to| run.on_progress(to, now, place, body));
        }
    }

    /// Tells all agents that nobody awaits their answers any more. Their runs are ended by the next start.
    fn recall_requests(&mut self, now: Now) {
        let mut flights: Vec<_> = self.shared.replies.values().copied().collect();
        flights.sort_unstable();
        for (run, place) in flights {
            if let Some(run) = self.runs.get_mut(&run) {
                run.end_flight(&mut self.shared, now, place, true);
            }
        }
        self.shared.flush();
    }

    /// Does something to every attempt that is offered or worked on and that is meant, in the order of runs.
    fn for_each_flight(
        &mut self,
        now: Now,
        is_meant: impl Fn(&Flight) -> bool,
        mut change: impl FnMut(&mut Run, &mut Shared, u32),
    ) {
        let flight =
            |(run, place): &(TraceId, u32)| self.runs.get(run)?.nodes.get(*place as usize)?.flight.as_ref();
        let mut flights: Vec<_> =
            self.shared.replies.values().copied().filter(|at| flight(at).is_some_and(&is_meant)).collect();
        flights.sort_unstable();
        for (run, place) in flights {
            self.with(now, run, |run, to| change(run, to, place));
        }
    }

    fn on_committed(&mut self, now: Now, ticket: Ticket) {
        for after in self.shared.save_queue.on_committed(ticket) {
            match after {
                AfterCommit::Begin(run) => {
                    self.begin(now, run);
                    self.after_run(now, run);
                }
                AfterCommit::Send(publish) => self.shared.publish(publish),
            }
        }
        // The store writes: what it refused goes next.
        self.shared.retry_saving();
    }

    fn on_commit_failed(&mut self, now: Now, ticket: Ticket, error: &str) {
        let (waiting, pause) = self.shared.save_queue.on_failed(ticket, error);
        if let Some(pause) = pause {
            self.shared.timers.set(now.mono + pause, Due::Save);
        }
        for after in waiting {
            match after {
                AfterCommit::Begin(run) => self.recheck_recorded(now, run, error),
                // What it tells is so all the same.
                AfterCommit::Send(publish) => self.shared.publish(publish),
            }
        }
    }

    fn on_time(&mut self, now: Now) {
        while let Some(due) = self.shared.timers.pop(now.mono) {
            match due {
                Due::Attempt(run, place) => self.with(now, run, |run, to| run.on_timeout(to, now, place)),
                Due::Backoff(run, place) => self.with(now, run, |run, to| run.on_backoff(to, now, place)),
                Due::Offer(run, place) => self.with(now, run, |run, to| run.on_offer(to, now, place)),
                Due::LateAnswer(run, place) => {
                    self.with(now, run, |run, to| run.on_late_timeout(to, now, place));
                }
                Due::Progress(run, place) => self.with(now, run, |run, to| run.emit_progress(to, now, place)),
                Due::Save => self.shared.retry_saving(),
                Due::Lookup(key) => self.on_looked_up(now, key, None),
                Due::Ask(action) => {
                    if let Some((run, place)) = self.shared.asks.get(&action).copied() {
                        self.with(now, run, |run, to| {
                            run.on_decided(to, now, place, Verdict::Expired, None, "");
                        });
                    }
                }
                Due::Run(run) => self.with(now, run, |run, to| {
                    let ms = run.opening_of(0).policy.timeout_ms.unwrap_or(to.settings.timeout_ms);
                    run.timer = None;
                    run.fail(to, now, &format!("timed out after {ms} ms"));
                }),
                Due::Events(run) => self.shared.free_events(run),
            }
        }
    }

    /// Lets all go on that can: requests that have their turn, then nodes that wait for a place.
    fn advance(&mut self, now: Now) {
        loop {
            while let Some((run, place)) = self.shared.backlogs.turn() {
                self.with(now, run, |run, to| run.on_offer(to, now, place));
            }
            self.pump(now);
            if self.shared.backlogs.is_idle() {
                return;
            }
        }
    }

    /// Gives places that are free to nodes that wait for one, run by run in turn.
    fn pump(&mut self, now: Now) {
        if self.shared.is_held {
            return;
        }
        let mut full = 0;
        while full < self.shared.queue.len()
            && self.shared.in_flight < self.shared.settings.limits.in_flight_max
        {
            let Some(name) = self.shared.queue.pop_front() else { break };
            let Some(run) = self.runs.get_mut(&name) else { continue };
            if !run.has_room(&self.shared) {
                self.shared.queue.push_back(name);
                full += 1;
                continue;
            }
            run.begin_next(&mut self.shared, now);
            full = 0;
            if run.ready.is_empty() {
                run.is_queued = false;
            } else {
                self.shared.queue.push_back(name);
            }
            // An attempt may have failed at once.
            if !run.ended_nodes.is_empty() {
                self.after_run(now, name);
            }
        }
    }
}
