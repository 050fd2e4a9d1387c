//! The events that ship beside the Trace: those of the families, SA's and MAP's (ruling MPLP 5).

use serde_json::{Value, json};

use super::{
    ids::Ids,
    item::{Item, Origin, Stamp},
};
use crate::{
    mplp::{MplpId, SchemaId},
    time::Wall,
};

/// Makes the events of a record. An event's id is derived of the number of the run event or log record that
/// causes it, and of its place among those.
#[derive(Clone, Debug)]
pub(super) struct Emitter {
    pub(super) ids: Ids,
    number: u64,
    place: u64,
    at: Wall,
    origin: Origin,
    out: Vec<Item>,
}

/// What a `pipeline_stage` event says.
pub(super) struct Stage<'a> {
    pub(super) event_type: &'a str,
    pub(super) id: MplpId,
    pub(super) name: &'a str,
    pub(super) status: &'static str,
    /// The place of a step; nothing of the Plan's own stage.
    pub(super) order: Option<u32>,
    pub(super) payload: Value,
}

/// What a `graph_update` event says.
pub(super) struct GraphUpdate<'a> {
    pub(super) event_type: &'a str,
    pub(super) kind: &'static str,
    /// Nodes and edges that are there in addition.
    pub(super) delta: (usize, usize),
    pub(super) module: &'static str,
    pub(super) payload: Value,
}

/// What a `runtime_execution` event says.
pub(super) struct Execution<'a> {
    pub(super) event_type: &'static str,
    pub(super) id: MplpId,
    pub(super) role: &'a str,
    pub(super) status: &'static str,
    pub(super) payload: Value,
}

impl Emitter {
    pub(super) const fn new(ids: Ids, at: Wall) -> Self {
        Self { ids, number: 0, place: 0, at, origin: Origin::Beginning, out: Vec::new() }
    }

    /// The number of the run event that causes what is made now; 0 before the first.
    pub(super) const fn number(&self) -> u64 {
        self.number
    }

    /// When that is.
    pub(super) const fn at(&self) -> Wall {
        self.at
    }

    /// Goes on to what the run event of this number causes.
    pub(super) fn advance(&mut self, number: u64, at: Wall) {
        (self.number, self.place, self.at, self.origin) = (number, 0, at, Origin::Number(number));
    }

    /// Goes on to what the end causes: where the run's last event was read, behind what that one caused.
    pub(super) fn advance_to_end(&mut self, is_last_read: bool, at: Wall) {
        if !is_last_read {
            (self.number, self.place) = (self.number.saturating_add(1), 0);
        }
        (self.at, self.origin) = (at, Origin::End);
    }

    /// What was made since the last call.
    pub(super) fn take(&mut self) -> Vec<Item> {
        std::mem::take(&mut self.out)
    }

    /// The id of the next event.
    pub(super) fn next_id(&mut self) -> MplpId {
        let id = self.ids.event(self.number, self.place);
        self.place += 1;
        id
    }

    fn push(&mut self, schema: SchemaId, object: Value) {
        self.out.push(Item::new(schema, object, self.origin));
    }

    pub(super) fn pipeline_stage(&mut self, stage: &Stage<'_>) {
        let mut event = json!({
            "event_id": self.next_id(),
            "event_type": stage.event_type,
            "event_family": "pipeline_stage",
            "timestamp": Stamp(self.at).to_string(),
            "project_id": self.ids.context,
            "pipeline_id": self.ids.plan,
            "stage_id": stage.id,
            "stage_name": stage.name,
            "stage_status": stage.status,
            "payload": stage.payload,
        });
        if let Some(order) = stage.order {
            event["stage_order"] = order.into();
        }
        self.push(SchemaId::PipelineStageEvent, event);
    }

    pub(super) fn graph_update(&mut self, update: &GraphUpdate<'_>) {
        let event_id = self.next_id();
        let event = graph_update(&self.ids, event_id, self.at, update);
        self.push(SchemaId::GraphUpdateEvent, event);
    }

    pub(super) fn execution(&mut self, execution: &Execution<'_>) {
        let kind = if execution.role.starts_with(OPENING) { "worker" } else { "agent" };
        let event = json!({
            "event_id": self.next_id(),
            "event_type": execution.event_type,
            "event_family": "runtime_execution",
            "timestamp": Stamp(self.at).to_string(),
            "project_id": self.ids.context,
            "execution_id": execution.id,
            "executor_kind": kind,
            "executor_role": execution.role,
            "status": execution.status,
            "payload": execution.payload,
        });
        self.push(SchemaId::RuntimeExecutionEvent, event);
    }

    /// Tokens that the run used.
    pub(super) fn cost_summary(&mut self, tokens: u64) {
        let event = json!({
            "event_id": self.next_id(),
            "event_type": "trace_cost_summary",
            "event_family": "cost_budget",
            "timestamp": Stamp(self.at).to_string(),
            "project_id": self.ids.context,
            "payload": { "trace_id": self.ids.trace, "total_tokens": tokens },
        });
        self.push(SchemaId::Event, event);
    }

    pub(super) fn sa(&mut self, event_type: &str, payload: &Value) {
        let event = json!({
            "event_id": self.next_id(),
            "event_type": event_type,
            "timestamp": Stamp(self.at).to_string(),
            "sa_id": self.ids.sa,
            "context_id": self.ids.context,
            "plan_id": self.ids.plan,
            "trace_id": self.ids.trace,
            "payload": payload,
        });
        self.push(SchemaId::SaEvent, event);
    }

    pub(super) fn map(&mut self, event_type: &str, initiator: &str, targets: &[&str], payload: &Value) {
        let mut event = json!({
            "event_id": self.next_id(),
            "event_type": event_type,
            "timestamp": Stamp(self.at).to_string(),
            "session_id": self.ids.collab,
            "initiator_role": initiator,
            "payload": payload,
        });
        if !targets.is_empty() {
            event["target_roles"] = json!(targets);
        }
        self.push(SchemaId::MapEvent, event);
    }
}

/// What the `use` of a nested opening begins with.
pub(super) const OPENING: &str = "opening:";

/// What the `use` of an agent begins with.
pub(super) const AGENT: &str = "agent:";

/// A `graph_update` event of the record's graph.
pub(super) fn graph_update(ids: &Ids, event_id: MplpId, at: Wall, update: &GraphUpdate<'_>) -> Value {
    json!({
        "event_id": event_id,
        "event_type": update.event_type,
        "event_family": "graph_update",
        "timestamp": Stamp(at).to_string(),
        "project_id": ids.context,
        "graph_id": ids.graph,
        "update_kind": update.kind,
        "node_delta": update.delta.0,
        "edge_delta": update.delta.1,
        "source_module": update.module,
        "payload": update.payload,
    })
}
