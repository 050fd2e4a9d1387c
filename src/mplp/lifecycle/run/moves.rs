//! What follows when a node of a run moves: its stage, its attempt, its question.

use serde_json::{Value, json};

use super::{
    emit::{AGENT, Execution, GraphUpdate, OPENING, Stage},
    event_fields::{Answer, EventFields, why_of},
    ids::role_id,
    questions::{Message, Question, speaker},
    record::RunRecord,
    roles::STATION,
    states::{segment_status, step_event},
    steps::Attempt,
    trace::Segment,
};
use crate::{
    mplp::MplpId,
    store::runs::EventRow,
    tap::entry::runs::{NO_DECISION, NodeState, Verdict},
};

/// Questions that a record has; further ones move their nodes alone.
const QUESTIONS_MAX: usize = 10_000;

impl RunRecord {
    /// A node came into a state by an event of the run.
    pub(super) fn on_node_state(
        &mut self,
        place: u32,
        state: NodeState,
        row: &EventRow,
        fields: &EventFields,
    ) {
        let why = why_of(&row.message, &self.steps.step(place).node, state).map(ToOwned::to_owned);
        if state != NodeState::Asking {
            self.close_question(place, state, why.as_deref());
        }
        let attempt = fields.attempt.unwrap_or_default();
        self.move_node(place, state, row.number, attempt, why.as_deref());
        if state == NodeState::Asking {
            self.ask(place, fields);
        }
    }

    /// Moves a node: its attempt ends or begins, and its stage changes. `number` names the segment that this
    /// makes, if it makes one.
    pub(super) fn move_node(
        &mut self,
        place: u32,
        state: NodeState,
        number: u64,
        attempt: u32,
        why: Option<&str>,
    ) {
        let was = self.steps.step(place).state;
        let open = self.steps.step_mut(place).open.take();
        if let Some(open) = open {
            self.end_attempt(open, place, state, why);
        } else if state.is_end() && !was.is_end() {
            let id = self.emitter.ids.segment(number);
            let segment = self.segment(place, id, attempt, segment_status(state));
            let at = self.add_segment(place, Segment { why: why.map(ToOwned::to_owned), ..segment });
            self.trace.settle_segment(at);
        }
        let step = self.steps.step_mut(place);
        (step.state, step.last_attempt) = (state, attempt);
        self.emit_stage(place, attempt, why);
        if state == NodeState::Running {
            self.begin_attempt(place, number, attempt);
        }
    }

    /// The stage of a step, and the graph beside it.
    fn emit_stage(&mut self, place: u32, attempt: u32, why: Option<&str>) {
        let step = self.steps.step(place);
        let mut payload = json!({ "state": step.state.name() });
        if attempt > 0 {
            payload["attempt"] = attempt.into();
        }
        if let Some(why) = why {
            payload["why"] = why.into();
        }
        self.emitter.pipeline_stage(&Stage {
            event_type: step_event(step.state),
            id: step.id,
            name: &step.node,
            status: step.stage_status(),
            order: Some(place),
            payload,
        });
        self.emitter.graph_update(&GraphUpdate {
            event_type: "step_updated",
            kind: "node_update",
            delta: (0, 0),
            module: "plan",
            payload: json!({ "step_id": step.id, "state": step.state.name() }),
        });
    }

    /// A segment of a step without times.
    fn segment(&self, place: u32, id: MplpId, attempt: u32, status: &'static str) -> Segment {
        let step = self.steps.step(place);
        Segment {
            id,
            parent: self.steps.parent_segment(place),
            node: step.node.clone(),
            uses: step.uses.clone(),
            attempt,
            status,
            started_at: None,
            finished_at: None,
            latency_ms: None,
            why: None,
        }
    }

    fn add_segment(&mut self, place: u32, segment: Segment) -> usize {
        self.steps.step_mut(place).last_segment = Some(segment.id);
        self.trace.add_segment(segment)
    }

    fn begin_attempt(&mut self, place: u32, number: u64, attempt: u32) {
        let id = self.emitter.ids.segment(number);
        let started_at = Some(self.emitter.at());
        let segment = Segment { started_at, ..self.segment(place, id, attempt, "running") };
        let at = self.add_segment(place, segment);
        self.turns += 1;
        let turn = self.turns;
        let step = self.steps.step_mut(place);
        step.open = Some(Attempt { segment: at, turn });
        let (uses, step_id, node) = (step.uses.clone(), step.id, step.node.clone());
        if self.has_collab() {
            let dispatched = json!({ "role_id": role_id(&uses), "turn_number": turn, "token_id": id });
            self.emitter.map("MAPTurnDispatched", STATION, &[&uses], &dispatched);
        } else {
            let description = self.steps.step(place).description();
            let started = json!({ "step_id": step_id, "agent_role": &*uses, "description": description });
            self.emitter.sa("SAStepStarted", &started);
        }
        self.emitter.execution(&Execution {
            event_type: "attempt_started",
            id,
            role: &uses,
            status: "running",
            payload: json!({ "step_id": step_id, "node": &*node, "attempt": attempt }),
        });
    }

    fn end_attempt(&mut self, open: Attempt, place: u32, state: NodeState, why: Option<&str>) {
        let (now, segment) = (self.emitter.at(), self.trace.segment_mut(open.segment));
        segment.status = segment_status(state);
        segment.finished_at = Some(now);
        segment.why = why.map(ToOwned::to_owned);
        let (event_type, status) = match segment.status {
            "completed" => ("attempt_completed", "completed"),
            "failed" => ("attempt_failed", "failed"),
            _ => ("attempt_cancelled", "cancelled"),
        };
        let step = self.steps.step(place);
        let mut payload = json!({ "step_id": step.id, "node": &*step.node, "attempt": segment.attempt });
        if let Some(ms) = segment.latency_ms {
            payload["latency_ms"] = ms.into();
        }
        if let Some(why) = why {
            payload["why"] = why.into();
        }
        let (id, step_id, uses) = (segment.id, step.id, step.uses.clone());
        self.trace.settle_segment(open.segment);
        self.emitter.execution(&Execution { event_type, id, role: &uses, status, payload });
        let result = with_why(json!({ "status": status }), why);
        if self.has_collab() {
            let completed = json!({ "role_id": role_id(&uses), "turn_number": open.turn, "result": result });
            self.emitter.map("MAPTurnCompleted", &uses, &[STATION], &completed);
        } else {
            let (event_type, status) = match status {
                "completed" => ("SAStepCompleted", "completed"),
                _ => ("SAStepFailed", "failed"),
            };
            let ended = json!({ "step_id": step_id, "status": status, "result": result });
            self.emitter.sa(event_type, &ended);
        }
    }

    /// An agent answered an attempt.
    pub(super) fn on_hop(&mut self, place: u32, fields: &EventFields) {
        let step = self.steps.step(place);
        if fields.has_answer {
            self.answered.insert(step.uses.to_string());
        }
        if let Some(open) = step.open {
            self.trace.segment_mut(open.segment).latency_ms = fields.latency_ms;
        }
    }

    /// A node gave something that is kept.
    pub(super) fn on_artifact(&mut self, place: Option<u32>, fields: &EventFields) {
        let Some((port, kind, bytes)) = &fields.artifact else { return };
        let step = place.map(|place| self.steps.step(place).id);
        self.emitter.graph_update(&GraphUpdate {
            event_type: "artifact_saved",
            kind: "node_add",
            delta: (1, 1),
            module: "trace",
            payload: json!({ "step_id": step, "port": port, "type": kind, "bytes": bytes }),
        });
    }

    /// A person is asked whether a node may go on.
    fn ask(&mut self, place: u32, fields: &EventFields) {
        if self.questions.len() >= QUESTIONS_MAX {
            self.questions_left_out += 1;
            return;
        }
        let (number, at) = (self.emitter.number(), self.emitter.at());
        let id = fields.action.as_deref().and_then(MplpId::parse);
        let id = id.unwrap_or_else(|| self.emitter.ids.segment(number));
        let step = self.steps.step(place);
        let does = match (step.uses.strip_prefix(AGENT), step.uses.strip_prefix(OPENING)) {
            (Some(agent), _) => format!("agent {agent}"),
            (_, Some(opening)) => format!("opening {opening}"),
            _ => step.uses.to_string(),
        };
        let reason = format!("{}: run {does} for node {}?", self.title(), step.node);
        let question = Question {
            id,
            number,
            reason: reason.clone(),
            requested_by: step.uses.to_string(),
            requested_at: at,
            expires_at: fields.expires_at,
            step: step.id,
            node: step.node.to_string(),
            decision: None,
        };
        let payload = json!({ "confirm_id": id, "step_id": step.id });
        self.steps.step_mut(place).question = Some(self.questions.len());
        self.questions.push(question);
        self.messages.push(Message { role: speaker(STATION), content: reason, at });
        self.emitter.graph_update(&GraphUpdate {
            event_type: "confirm_created",
            kind: "node_add",
            delta: (1, 1),
            module: "confirm",
            payload,
        });
    }

    /// The question of a node ended.
    pub(super) fn on_answer(&mut self, place: u32, answer: Answer) {
        let Some(at) = self.steps.step_mut(place).question.take() else { return };
        let question = &mut self.questions[at];
        let decision = question.decide(answer, self.emitter.at());
        self.messages.push(decision.message());
        if decision.by != STATION {
            self.roles.add(
                self.emitter.at(),
                &decision.by,
                || "The client that decided on a node".to_owned(),
                "decide",
            );
        }
        let payload =
            json!({ "decision_id": decision.id, "status": decision.status, "confirm_id": question.id });
        self.emitter.graph_update(&GraphUpdate {
            event_type: "decision_added",
            kind: "node_update",
            delta: (0, 0),
            module: "confirm",
            payload,
        });
    }

    /// A node left its question, and no event said how that ended: its state does.
    fn close_question(&mut self, place: u32, state: NodeState, why: Option<&str>) {
        let verdict = match state {
            NodeState::Failed if why == Some(NO_DECISION) => Verdict::Expired,
            NodeState::Failed => Verdict::Rejected,
            NodeState::Ready | NodeState::Running => Verdict::Approved,
            _ => Verdict::Withdrawn,
        };
        self.on_answer(place, Answer { verdict, by: None, note: None });
    }

    /// The question of a node ends with the run.
    pub(super) fn withdraw(&mut self, place: u32) {
        self.on_answer(place, Answer { verdict: Verdict::Withdrawn, by: None, note: None });
    }
}

fn with_why(mut value: Value, why: Option<&str>) -> Value {
    if let Some(why) = why {
        value["why"] = why.into();
    }
    value
}
