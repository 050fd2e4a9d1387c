//! The core: inputs to runs, and what they all share back out.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use uuid::Uuid;

use super::{
    control::{FIRST_EVENT_AFTER, Submission, end},
    io::{Input, Output},
    remembered::{Answered, ControlVariant, Remembered},
    run::Run,
    shared::{After, Settings, Shared},
    timers::Due,
};
use crate::{
    ids::{ActionId, Ticket, TopicName, TraceId},
    runs::{
        Figures,
        command::{Command, Outcome, Refusal},
        openings::{Opening, Policy},
        payload::Decision,
    },
    store::runs::{RunRow, RunsLeft},
    tap::entry::{
        runs::{Asker, EventKind, RunState, Transition, Verdict},
        station::Level,
    },
    time::{Mono, Now},
};

/// Why runs that had not ended before a restart have failed.
const RESTARTED: &str = "the station was restarted";

/// The engine.
pub struct Engine {
    pub(super) shared: Shared,
    /// Runs that have not ended.
    pub(super) runs: BTreeMap<TraceId, Run>,
    /// Submissions whose openings are being loaded.
    pub(super) loading: BTreeMap<Ticket, Submission>,
    /// The answers of runs that are being recorded.
    pub(super) accepting: BTreeMap<TraceId, Bytes>,
    pub(super) remembered: Remembered,
}

impl Engine {
    /// An engine that starts from what is kept: requests are remembered, and runs that had not ended have failed. `ids` gives fresh ids.
    #[must_use]
    pub fn new(now: Now, settings: Settings, left: RunsLeft, ids: Box<dyn FnMut() -> Uuid + Send>) -> Self {
        let mut this = Self {
            shared: Shared::new(settings, ids),
            runs: BTreeMap::new(),
            loading: BTreeMap::new(),
            accepting: BTreeMap::new(),
            remembered: Remembered::default(),
        };
        for answer in left.answers {
            if let Some(variant) = ControlVariant::from_name(&answer.variant) {
                this.remember((answer.request, variant), Answered::With(answer.body));
            }
        }
        for row in left.open {
            this.end_unfinished(now, row);
        }
        this.shared.flush();
        this
    }

    fn end_unfinished(&mut self, now: Now, row: RunRow) {
        let (name, nodes): (Arc<str>, _) = (Arc::from(row.name), u32::try_from(row.nodes).unwrap_or(u32::MAX));
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
        (run.events, run.kept_events, run.tokens) = (row.events, row.events, row.tokens);
        self.shared.tell(Transition::Submitted { run: row.run, name, by, nodes }, "{}");
        end(&mut self.shared, now, &mut run, RunState::Failed, RESTARTED, &format!("the run failed: {RESTARTED}"));
    }

    /// Takes what happened.
    pub fn handle(&mut self, now: Now, input: Input) {
        match input {
            Input::Control { by, trace, body } => self.on_control(now, by, trace, &body),
            Input::Loaded { ticket, opening } => self.on_loaded(now, ticket, opening),
            Input::Answer { topic, body } => self.on_answer(now, &topic, &body),
            Input::Progress { topic, body } => self.on_progress(now, &topic, &body),
            Input::Decided { by, body } => {
                if let Ok(Decision { action_id, approved, note }) = Decision::decode(&body) {
                    self.decide(now, action_id, approved, note.as_deref().unwrap_or_default(), by);
                }
            }
            Input::Reached { ticket, subscribers } => {
                self.shared.on_accepted(ticket, now.mono + FIRST_EVENT_AFTER);
                if let Some((run, place)) = self.shared.reaches.remove(&ticket)
                    && subscribers == 0
                {
                    self.with(now, run, |run, to| run.on_unheard(to, now, place));
                }
            }
            Input::Committed { ticket } => self.on_committed(now, ticket, None),
            Input::CommitFailed { ticket, error } => self.on_committed(now, ticket, Some(&error)),
            Input::Timeout => {}
        }
        self.on_time(now);
        self.pump(now);
        self.shared.flush();
    }

    /// Does what an operator asks.
    ///
    /// # Errors
    /// [`Refusal`] when there is nothing that it could be done to.
    pub fn command(&mut self, now: Now, by: Asker, command: Command) -> Result<Outcome, Refusal> {
        let outcome = match command {
            Command::Submit { request, opening_yaml } => {
                self.on_submit(now, by, request, request, &opening_yaml);
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
        self.pump(now);
        self.shared.flush();
        outcome
    }

    /// Holds all attempts that are not begun, or lets them begin.
    fn brake(&mut self, held: bool, by: Asker) -> Outcome {
        if self.shared.is_held != held {
            self.shared.is_held = held;
            self.shared.tell(Transition::Braked { held, by }, "");
        }
        Outcome::Braked { held }
    }

    /// What is to be done next.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.shared.outputs.pop_front()
    }

    /// When [`Input::Timeout`] is to come.
    #[must_use]
    pub fn timeout(&self) -> Option<Mono> {
        self.shared.timers.next()
    }

    /// Runs that have not ended, those that are being loaded or recorded included.
    #[must_use]
    pub fn open(&self) -> usize {
        self.runs.len() + self.loading.len()
    }

    /// What is counted, and how runs stand now.
    #[must_use]
    pub fn figures(&self) -> Figures {
        let of = &self.shared;
        Figures { running: self.open() as u64, in_flight: of.in_flight, asking: of.asks.len() as u64, ..of.figures }
    }

    /// Changes a run that is there, and does what follows.
    fn with(&mut self, now: Now, run: TraceId, change: impl FnOnce(&mut Run, &mut Shared)) {
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
        let run = topic.as_str().strip_prefix("rlp/runs/").and_then(|rest| rest.split('/').next()?.parse().ok());
        let Some(run) = run.and_then(|run| self.runs.get_mut(&run)).filter(|run| run.is_live) else { return };
        run.late += 1;
        self.shared.figures.late_answers += 1;
        if run.late == 1 {
            let says = format!("an answer came late or twice, and is ignored; further ones are counted: {topic}");
            run.event(&mut self.shared, now, None, (EventKind::Log, Some(Level::Warn)), &says);
        }
    }

    fn on_progress(&mut self, now: Now, topic: &TopicName, body: &[u8]) {
        let reply = topic.as_str().strip_suffix("/progress");
        if let Some((run, place)) = reply.and_then(|reply| self.shared.replies.get(reply)).copied() {
            self.with(now, run, |run, to| run.on_progress(to, now, place, body));
        }
    }

    fn decide(&mut self, now: Now, action: ActionId, approved: bool, note: &str, by: Asker) -> bool {
        let Some((run, place)) = self.shared.asks.get(&action).copied() else { return false };
        let verdict = if approved { Verdict::Approved } else { Verdict::Rejected };
        self.with(now, run, |run, to| run.on_decided(to, now, place, verdict, Some(by), note));
        true
    }

    fn on_committed(&mut self, now: Now, ticket: Ticket, error: Option<&str>) {
        for after in self.shared.commits.remove(&ticket).unwrap_or_default() {
            match (after, error) {
                (After::Begin(run), None) => {
                    self.begin(now, run);
                    self.after_run(now, run);
                }
                (After::Begin(run), Some(error)) => self.not_recorded(now, run, error),
                (After::Send(publish), _) => self.shared.publish(publish),
            }
        }
    }

    fn on_time(&mut self, now: Now) {
        while let Some(due) = self.shared.timers.pop(now.mono) {
            match due {
                Due::Attempt(run, place) => self.with(now, run, |run, to| run.on_timeout(to, now, place)),
                Due::Backoff(run, place) => self.with(now, run, |run, to| run.on_backoff(to, now, place)),
                Due::Ask(action) => {
                    if let Some((run, place)) = self.shared.asks.get(&action).copied() {
                        self.with(now, run, |run, to| run.on_decided(to, now, place, Verdict::Expired, None, ""));
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

    /// Gives places that are free to nodes that wait for one, run by run in turn.
    fn pump(&mut self, now: Now) {
        if self.shared.is_held {
            return;
        }
        let mut full = 0;
        while full < self.shared.queue.len() && self.shared.in_flight < self.shared.settings.limits.in_flight_max {
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
        }
    }
}
