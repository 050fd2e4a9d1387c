//! The events of a session's record.

use serde_json::{Value, json};

use super::{
    super::{
        emit::{Emitter, Execution, GraphUpdate, Stage},
        item::Item,
        roles::STATION,
    },
    participants::Participant,
    record::{Accepted, Polled, START, SessionRecord},
    states::{StepStatus, collab_mode, collab_status, session_stage, state_name, steps_of, trace_status},
};
use crate::{
    mplp::{MplpId, Profile},
    tap::entry::macp::{Effect, Ending, Phase},
};

/// Where a session is: its phase, and how it ended.
type Position = (Phase, Option<Ending>);

impl SessionRecord {
    /// All events, as they happened.
    pub(super) fn events(&self) -> Vec<Item> {
        self.events_since(Polled::default())
    }

    /// The events behind those that were polled.
    pub(super) fn events_since(&self, polled: Polled) -> Vec<Item> {
        let mut emitter = Emitter::new(self.ids.clone(), self.begin.at);
        if !polled.begin {
            self.emit_begin(&mut emitter);
        }
        let behind = self.messages.get(polled.messages..).unwrap_or_default();
        for (accepted, turn) in behind.iter().zip(polled.messages as u64 + 1..) {
            self.emit_message(&mut emitter, accepted, turn);
        }
        if !polled.end {
            self.emit_end(&mut emitter);
        }
        emitter.take()
    }

    fn is_map(&self) -> bool {
        self.profile() == Profile::Map
    }

    /// What the start causes. The first is its own event of the Trace.
    fn emit_begin(&self, emitter: &mut Emitter) {
        emitter.advance(START, self.begin.at);
        emitter.next_id();
        let (plan_id, steps) = (self.ids.plan, self.steps.len());
        if !self.is_map() {
            emitter.sa("SAInitialized", &json!({ "session": self.begin.session }));
            emitter.sa("SAContextLoaded", &json!({ "context_id": self.ids.context }));
        }
        emitter.graph_update(&GraphUpdate {
            event_type: "plan_created",
            kind: "bulk",
            delta: (steps, steps.saturating_sub(1)),
            module: "plan",
            payload: json!({
                "plan_id": plan_id,
                "steps": steps,
                "dependencies": steps.saturating_sub(1),
            }),
        });
        if self.is_map() {
            let first: Vec<&Participant> = self.participants.iter().take(self.participants.first).collect();
            let targets: Vec<&str> = first.iter().map(|participant| participant.role.as_str()).collect();
            let started = json!({
                "mode": collab_mode(self.begin.mode),
                "participants": first.len(),
            });
            emitter.map("MAPSessionStarted", &self.owner(), &targets, &started);
            assign(emitter, &first);
        } else {
            emitter.sa("SAPlanEvaluated", &json!({ "plan_id": plan_id, "steps": steps }));
        }
        self.emit_session_stage(emitter, None);
        self.emit_step(emitter, 0, StepStatus::of(self.begin.mode, 0, Phase::Proposal, None));
    }

    /// What a message causes.
    fn emit_message(&self, emitter: &mut Emitter, accepted: &Accepted, turn: u64) {
        let Accepted { message, participant, segment, .. } = accepted;
        emitter.advance(message.number, message.at);
        emitter.next_id();
        let participant = self.participants.at(*participant);
        if self.is_map() {
            if accepted.is_first {
                assign(emitter, &[participant]);
            }
            let dispatched =
                json!({ "role_id": participant.role_id, "turn_number": turn, "token_id": segment });
            emitter.map("MAPTurnDispatched", STATION, &[&participant.role], &dispatched);
            emit_conflict(emitter, accepted, participant);
        } else {
            let started = json!({
                "step_id": self.steps[accepted.step],
                "agent_role": participant.role,
                "description": self.description(accepted.step),
            });
            emitter.sa("SAStepStarted", &started);
        }
        emitter.execution(&Execution {
            event_type: "turn_completed",
            id: *segment,
            role: &participant.role,
            status: "completed",
            payload: json!({
                "turn_number": turn,
                "message_type": message.message_type,
                "effect": message.effect.name(),
            }),
        });
        self.emit_moves(emitter, (accepted.phase_before, None), (accepted.phase_after(), None));
        let result = json!({ "status": "completed", "effect": message.effect.name() });
        if self.is_map() {
            let completed = json!({ "role_id": participant.role_id, "turn_number": turn, "result": result });
            emitter.map("MAPTurnCompleted", &participant.role, &[STATION], &completed);
        } else {
            let step_id = self.steps[accepted.step];
            let ended = json!({ "step_id": step_id, "status": "completed", "result": result });
            emitter.sa("SAStepCompleted", &ended);
        }
    }

    /// What the end causes.
    fn emit_end(&self, emitter: &mut Emitter) {
        let Some(end) = &self.end else { return };
        emitter.advance(self.end_number, end.at);
        emitter.next_id();
        if end.number.is_none() {
            emitter.advance_to_end(true, end.at);
        }
        let ending = Some(end.ending);
        let last = self.messages.last().map_or(Phase::Proposal, Accepted::phase_after);
        self.emit_moves(emitter, (last, None), (self.phase, ending));
        self.emit_session_stage(emitter, end.why.as_deref());
        if self.is_map() {
            let targets: Vec<&str> =
                self.participants.iter().map(|participant| participant.role.as_str()).collect();
            let completed = json!({
                "status": collab_status(ending),
                "turns": self.messages.len(),
                "ending": end.ending.name(),
            });
            emitter.map("MAPSessionCompleted", &self.owner(), &targets, &completed);
        } else {
            let trace = json!({ "trace_id": self.ids.trace, "segments": self.messages.len() });
            emitter.sa("SATraceEmitted", &trace);
            emitter.sa("SACompleted", &json!({ "status": trace_status(ending) }));
        }
    }

    /// The steps that moved between two phases, in their order; one that is completed at once was started.
    fn emit_moves(&self, emitter: &mut Emitter, from: Position, to: Position) {
        if from == to {
            return;
        }
        for place in 0..self.steps.len() {
            let [before, after] =
                [from, to].map(|(phase, ending)| StepStatus::of(self.begin.mode, place, phase, ending));
            if before == after {
                continue;
            }
            if (before, after) == (StepStatus::Pending, StepStatus::Completed) {
                self.emit_step(emitter, place, StepStatus::InProgress);
            }
            self.emit_step(emitter, place, after);
        }
    }

    /// The stage of a step, and the graph with it.
    fn emit_step(&self, emitter: &mut Emitter, place: usize, status: StepStatus) {
        let id = self.steps[place];
        emitter.pipeline_stage(&Stage {
            event_type: status.event(),
            id,
            name: steps_of(self.begin.mode)[place].name,
            status: status.stage(),
            order: u32::try_from(place).ok(),
            payload: json!({ "status": status.step() }),
        });
        update(emitter, "step_updated", json!({ "step_id": id, "status": status.step() }));
    }

    /// The stage of the Plan itself, and the graph with it. Of the beginning there is no update: the Plan was
    /// just made.
    fn emit_session_stage(&self, emitter: &mut Emitter, why: Option<&str>) {
        let is_begin = emitter.number() == START;
        let ending = if is_begin { None } else { self.ending() };
        let (event_type, status) = session_stage(ending);
        let mut payload = json!({ "state": state_name(ending) });
        if let Some(why) = why {
            payload["why"] = why.into();
        }
        let (id, name) = (self.ids.plan, self.title());
        emitter.pipeline_stage(&Stage { event_type, id, name: &name, status, order: None, payload });
        if !is_begin {
            update(emitter, "plan_updated", json!({ "plan_id": id, "state": state_name(ending) }));
        }
    }
}

/// An objection, or a commitment behind one (ruling MPLP 15).
fn emit_conflict(emitter: &mut Emitter, accepted: &Accepted, participant: &Participant) {
    let message = &accepted.message;
    if let Effect::Objected { proposal, severity } = &message.effect {
        let detected = json!({
            "role_id": participant.role_id,
            "proposal_id": &**proposal,
            "severity": &**severity,
            "reason": message.text,
        });
        emitter.map("MAPConflictDetected", &participant.role, &[], &detected);
    } else if message.effect == Effect::Committed && accepted.conflicts_before > 0 {
        let resolved = json!({
            "role_id": participant.role_id,
            "conflicts": accepted.conflicts_before,
            "action": message.text,
        });
        emitter.map("MAPConflictResolved", &participant.role, &[], &resolved);
    }
}

/// The Roles of those who take part from now on.
fn assign(emitter: &mut Emitter, participants: &[&Participant]) {
    let targets: Vec<&str> = participants.iter().map(|participant| participant.role.as_str()).collect();
    let assignment = |participant: &&Participant| {
        let role_id: MplpId = participant.role_id;
        json!({ "participant_id": participant.role, "role_id": role_id })
    };
    let assignments: Vec<Value> = participants.iter().map(assignment).collect();
    emitter.map("MAPRolesAssigned", STATION, &targets, &json!({ "assignments": assignments }));
}

/// A node of the graph changed.
fn update(emitter: &mut Emitter, event_type: &'static str, payload: Value) {
    emitter.graph_update(&GraphUpdate {
        event_type,
        kind: "node_update",
        delta: (0, 0),
        module: "plan",
        payload,
    });
}
