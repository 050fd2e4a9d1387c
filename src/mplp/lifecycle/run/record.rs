//! The fold of a run.

use std::collections::HashSet;

use serde_json::json;

use super::{
    super::item::{Item, RecordSettings},
    begin::{RunBegin, RunEnd},
    bundle::Bundle,
    emit::{Emitter, GraphUpdate, Stage},
    event_fields::EventFields,
    ids::{Ids, role_id},
    questions::{Message, Question, speaker},
    roles::{Roles, STATION},
    sessions::Sessions,
    states::{collab_status, run_stage_status, trace_status},
    steps::Steps,
    trace::TraceParts,
};
use crate::{
    mplp::Profile,
    store::runs::EventRow,
    tap::entry::runs::{EventKind, NodeState, RunState},
    time::Wall,
};

/// A run as a record, from its beginning to its end.
///
/// A run that is open has turns that are not answered: its bundle is clean by the profile map once it ended.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// What it begins with, but the plan.
    pub(super) begin: RunBegin,
    pub(super) settings: RecordSettings,
    pub(super) emitter: Emitter,
    pub(super) steps: Steps,
    pub(super) trace: TraceParts,
    pub(super) questions: Vec<Question>,
    /// Questions for which there is no room.
    pub(super) questions_left_out: u64,
    pub(super) messages: Vec<Message>,
    pub(super) roles: Roles,
    /// Agents of whose attempts one was answered.
    pub(super) answered: HashSet<String>,
    pub(super) sessions: Sessions,
    /// Turns that were dispatched.
    pub(super) turns: u64,
    pub(super) state: RunState,
    pub(super) end: Option<RunEnd>,
    pub(super) updated_at: Wall,
    /// Whether the run's last event was read.
    is_last_read: bool,
    /// The events that were made, where they are kept.
    history: Option<Vec<Item>>,
}

impl RunRecord {
    /// Begins the record: it, its objects as they are then, and its first events.
    #[must_use]
    pub fn begin(mut begin: RunBegin, settings: &RecordSettings) -> (Self, Vec<Item>) {
        let (ids, plan) = (Ids::new(begin.run), std::mem::take(&mut begin.plan));
        let steps = Steps::new(plan, &ids);
        let mut record = Self {
            emitter: Emitter::new(ids, begin.at),
            settings: settings.clone(),
            steps,
            trace: TraceParts::default(),
            questions: Vec::new(),
            questions_left_out: 0,
            messages: Vec::new(),
            roles: Roles::default(),
            answered: HashSet::new(),
            sessions: Sessions::default(),
            turns: 0,
            state: RunState::Running,
            end: None,
            updated_at: begin.at,
            is_last_read: false,
            history: Some(Vec::new()),
            begin,
        };
        record.add_first_roles();
        let request =
            Message { role: speaker(&record.owner()), content: record.objective(), at: record.begin.at };
        record.messages.push(request);
        record.emit_beginning();
        let mut items = record.objects();
        items.extend(record.take());
        (record, items)
    }

    /// Takes an event of the run: what follows from it. Numbers rise; an event whose number does not, or that
    /// comes behind the end, is left out.
    pub fn event(&mut self, row: &EventRow) -> Vec<Item> {
        self.fold_event(row, true);
        self.take()
    }

    /// Takes an event as [`Self::event`] does that the store does not keep: what follows from it is the same,
    /// and the Trace has it not, as it has it not in an export. So what a record holds is bounded, however
    /// long a run tells events.
    pub fn event_not_kept(&mut self, row: &EventRow) -> Vec<Item> {
        self.fold_event(row, false);
        self.take()
    }

    /// Takes an event as [`Self::event`] does, and keeps what follows from it for the bundle alone: for an
    /// export.
    pub fn read(&mut self, row: &EventRow) {
        self.fold_event(row, true);
        self.keep();
    }

    fn fold_event(&mut self, row: &EventRow, is_kept: bool) {
        if row.number <= self.emitter.number() || self.end.is_some() || self.is_last_read {
            return;
        }
        self.emitter.advance(row.number, row.at);
        if row.kind == EventKind::Progress {
            return;
        }
        self.updated_at = row.at;
        if is_kept {
            self.trace.add(row);
        }
        // The first that it causes is its own event of the Trace.
        self.emitter.next_id();
        let fields = EventFields::read(row);
        let place = fields.node.as_deref().and_then(|node| self.steps.place_of(node));
        if let (Some(place), Some(answer)) = (place, &fields.answer) {
            self.on_answer(place, answer.clone());
        }
        match (row.kind, place) {
            (EventKind::Status, Some(place)) => {
                if let Some(state) = fields.node_state() {
                    self.on_node_state(place, state, row, &fields);
                }
            }
            (EventKind::Status, None) if fields.node.is_none() => self.on_run_state(&fields),
            (EventKind::Trace, Some(place)) => self.on_hop(place, &fields),
            (EventKind::Artifact, place) => self.on_artifact(place, &fields),
            _ => {}
        }
    }

    /// Ends the record: its last events, then its objects. What is open ends with it (ruling MPLP 13). A
    /// second end is left out.
    pub fn end(&mut self, end: &RunEnd) -> Vec<Item> {
        if self.end.is_some() {
            return Vec::new();
        }
        self.fold_end(end);
        let mut items = self.take();
        items.extend(self.objects());
        items
    }

    fn fold_end(&mut self, end: &RunEnd) {
        if self.end.is_some() {
            return;
        }
        self.emitter.advance_to_end(self.is_last_read, end.at);
        self.updated_at = end.at;
        self.end_what_is_open();
        self.state = end.state;
        self.end = Some(end.clone());
        self.emit_run_state(end.why.as_deref());
        let colon = end.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let content = format!("the run {}{colon}", end.state.name());
        self.messages.push(Message { role: speaker(STATION), content, at: end.at });
        self.emit_end(end);
    }

    /// Adds what a session of the run's trace makes: its Collab, Dialog, Roles and events; what else it makes
    /// is its own. An object of an id that is there replaces it; an event comes once. What is returned is the
    /// node that each new Collab adds to the run's graph. To be called before the end; the sessions of a run
    /// in one order, live and for an export, as ids depend on it.
    pub fn add_session(&mut self, items: Vec<Item>) -> Vec<Item> {
        self.sessions.add(&self.emitter.ids, items)
    }

    /// Stops keeping events for the bundle, for one who only passes on what is returned. The bundle then has
    /// the objects alone.
    pub fn forget_events(&mut self) {
        self.history = None;
    }

    /// The profile that it claims: by the agents of its plan and the sessions of its trace (ruling MPLP 15).
    #[must_use]
    pub fn profile(&self) -> Profile {
        if self.has_collab() || self.sessions.has_collab() { Profile::Map } else { Profile::Sa }
    }

    /// All of it as it is now.
    #[must_use]
    pub fn bundle(&self) -> Bundle {
        let mut items = self.objects();
        items.extend(self.sessions.merged(self.history.clone().unwrap_or_default()));
        Bundle::new(self.profile(), items)
    }

    /// All of it, for an export: what [`Self::end`] and [`Self::bundle`] give, without the copies that they
    /// make. Without an end it is as it is now; a second end is left out.
    #[must_use]
    pub fn into_bundle(mut self, end: Option<&RunEnd>) -> Bundle {
        if let Some(end) = end {
            self.fold_end(end);
            self.keep();
        }
        let mut items = self.objects();
        items.extend(self.sessions.merged(self.history.take().unwrap_or_default()));
        Bundle::new(self.profile(), items)
    }

    /// Whether the plan names two agents or more.
    pub(super) fn has_collab(&self) -> bool {
        self.steps.agents.len() > 1
    }

    /// Who asked for the run, as a Role.
    pub(super) fn owner(&self) -> String {
        format!("{}:{}", self.begin.by.name(), self.begin.client)
    }

    /// What the run is called.
    pub(super) fn title(&self) -> &str {
        if self.begin.name.is_empty() { "run" } else { &self.begin.name }
    }

    /// What the run is for: its goals, else its name.
    pub(super) fn objective(&self) -> String {
        let goals = self.begin.goals.join("; ");
        if goals.trim().is_empty() { format!("Run {}", self.title()) } else { goals }
    }

    fn take(&mut self) -> Vec<Item> {
        let items = self.emitter.take();
        if let Some(history) = &mut self.history {
            history.extend(items.iter().cloned());
        }
        items
    }

    /// Keeps what was made, where that is wanted.
    fn keep(&mut self) {
        let items = self.emitter.take();
        if let Some(history) = &mut self.history {
            history.extend(items);
        }
    }

    fn add_first_roles(&mut self) {
        let at = self.begin.at;
        self.roles.add(at, STATION, || "The station that runs openings".to_owned(), "orchestrate");
        let owner = self.owner();
        self.roles.add(at, &owner, || "The client that submitted the run".to_owned(), "submit");
        for (_, step) in self.steps.iter() {
            self.roles.add_worker(at, &step.uses);
        }
    }

    /// The first events: the profile's, and the graph.
    fn emit_beginning(&mut self) {
        let (steps, edges) = self.steps.graph();
        let has_collab = self.has_collab();
        if !has_collab {
            let run = self.begin.run.to_string();
            self.emitter.sa("SAInitialized", &json!({ "run": run }));
            let context_id = self.emitter.ids.context;
            self.emitter.sa("SAContextLoaded", &json!({ "context_id": context_id }));
        }
        let plan_id = self.emitter.ids.plan;
        self.emitter.graph_update(&GraphUpdate {
            event_type: "plan_created",
            kind: "bulk",
            delta: (steps, edges),
            module: "plan",
            payload: json!({ "plan_id": plan_id, "steps": steps, "dependencies": edges }),
        });
        if has_collab {
            self.emit_session_start();
        } else {
            self.emitter.sa("SAPlanEvaluated", &json!({ "plan_id": plan_id, "steps": steps }));
        }
    }

    fn emit_session_start(&mut self) {
        let owner = self.owner();
        let agents: Vec<&str> = self.steps.agents.iter().map(|agent| &**agent).collect();
        let started = json!({ "mode": "orchestrated", "participants": agents.len() });
        self.emitter.map("MAPSessionStarted", &owner, &agents, &started);
        let assignments: Vec<_> = agents
            .iter()
            .map(|agent| json!({ "participant_id": agent, "role_id": role_id(agent) }))
            .collect();
        self.emitter.map("MAPRolesAssigned", STATION, &agents, &json!({ "assignments": assignments }));
    }

    /// The run came into a state. The one that it does not leave is told with the end.
    fn on_run_state(&mut self, fields: &EventFields) {
        let state = fields.run_state();
        if fields.success.is_some() || state.is_some_and(RunState::is_end) {
            self.is_last_read = true;
        } else if let Some(state) = state {
            self.state = state;
            self.emit_run_state(None);
        }
    }

    /// The stage of the Plan itself, and the graph beside it.
    fn emit_run_state(&mut self, why: Option<&str>) {
        let plan_id = self.emitter.ids.plan;
        let mut payload = json!({ "state": self.state.name() });
        if let Some(why) = why {
            payload["why"] = why.into();
        }
        let name = if self.begin.name.is_empty() { "run" } else { &self.begin.name };
        self.emitter.pipeline_stage(&Stage {
            event_type: "plan_status_changed",
            id: plan_id,
            name,
            status: run_stage_status(self.state),
            order: None,
            payload,
        });
        self.emitter.graph_update(&GraphUpdate {
            event_type: "plan_updated",
            kind: "node_update",
            delta: (0, 0),
            module: "plan",
            payload: json!({ "plan_id": plan_id, "state": self.state.name() }),
        });
    }

    /// Ends what the run left open, the nodes of nested openings before those that nest them. Each such node
    /// is given a number behind the run's own, as no event of its own ended it.
    fn end_what_is_open(&mut self) {
        let open: Vec<u32> = self
            .steps
            .iter()
            .rev()
            .filter(|(_, step)| !step.state.is_end())
            .map(|(place, _)| place)
            .collect();
        let last = self.emitter.number();
        for (place, number) in open.into_iter().zip(last.saturating_add(1)..) {
            let attempt = self.steps.step(place).last_attempt;
            self.withdraw(place);
            self.move_node(place, NodeState::Cancelled, number, attempt, Some("the run ended"));
        }
    }

    fn emit_end(&mut self, end: &RunEnd) {
        if end.tokens > 0 {
            self.emitter.cost_summary(end.tokens);
        }
        if self.has_collab() {
            let owner = self.owner();
            let agents: Vec<&str> = self.steps.agents.iter().map(|agent| &**agent).collect();
            let completed = json!({ "status": collab_status(end.state), "turns": self.turns });
            self.emitter.map("MAPSessionCompleted", &owner, &agents, &completed);
        } else {
            let segments = self.trace.segment_count();
            let trace_id = self.emitter.ids.trace;
            self.emitter.sa("SATraceEmitted", &json!({ "trace_id": trace_id, "segments": segments }));
            self.emitter.sa("SACompleted", &json!({ "status": trace_status(end.state) }));
        }
    }
}
