//! Tells the events of a run as the engine does.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{
    ids::{OpeningId, TraceId},
    mplp::lifecycle::{
        Item, RecordSettings,
        run::{Bundle, PlanShape, PlanStep, RunBegin, RunEnd, RunRecord},
    },
    schema::JsonText,
    store::runs::EventRow,
    tap::entry::{
        runs::{AskerKind, EventKind, RunState},
        station::Level,
    },
    time::Wall,
};

/// When the runs begin: 2026-09-21T14:13:20Z.
pub(in super::super::super) const BEGIN: u64 = 1_790_000_000_000;

pub(in super::super::super) fn settings() -> RecordSettings {
    RecordSettings { environment: "test".into(), created_by: "rl-console/0.0.0".into() }
}

/// A plan of nodes `(id, use, place of the parent)`.
pub(in super::super::super) fn plan(nodes: &[(&str, &str, Option<u32>)], edges: &[(u32, u32)]) -> PlanShape {
    let step = |(id, uses, parent): &(&str, &str, Option<u32>)| PlanStep {
        id: (*id).into(),
        uses: (*uses).into(),
        parent: *parent,
    };
    PlanShape { nodes: nodes.iter().map(step).collect(), edges: edges.to_vec() }
}

pub(in super::super::super) fn begin(plan: PlanShape) -> RunBegin {
    RunBegin {
        run: TraceId(Uuid::from_u128(0x0192_f0c1_2b3a_7c4d_8e5f_6071_8293_a4b5)),
        opening: OpeningId(Uuid::from_u128(7)),
        name: "vote".to_owned(),
        by: AskerKind::Tui,
        client: "operator".to_owned(),
        goals: vec!["ask the chat".to_owned(), "show it".to_owned()],
        policy: Map::from_iter([("timeout_ms".to_owned(), json!(5_000))]),
        plan,
        traceparent: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned()),
        at: Wall(BEGIN),
    }
}

/// A run that is told, and what its record made of it.
pub(in super::super::super) struct Play {
    pub(in super::super::super) record: RunRecord,
    /// What the beginning made: objects, then events.
    pub(in super::super::super) first: Vec<Item>,
    /// All events, as they were returned.
    pub(in super::super::super) events: Vec<Item>,
    /// What the end made as objects.
    pub(in super::super::super) last: Vec<Item>,
    pub(in super::super::super) rows: Vec<EventRow>,
    pub(in super::super::super) ended: Option<RunEnd>,
    ms: u64,
    number: u64,
}

impl Play {
    /// A run that begins: its plan, and that it is running.
    pub(in super::super::super) fn new(plan: PlanShape) -> Self {
        Self::of(begin(plan))
    }

    pub(in super::super::super) fn of(begin: RunBegin) -> Self {
        let (record, first) = RunRecord::begin(begin, &settings());
        let events = first.iter().filter(|item| is_event(item)).cloned().collect();
        let mut play = Self {
            record,
            first,
            events,
            last: Vec::new(),
            rows: Vec::new(),
            ended: None,
            ms: BEGIN,
            number: 0,
        };
        play.tell(EventKind::Plan, "vote: nodes, edges", &json!({}));
        play.tell(EventKind::Status, "the run is running", &json!({ "state": "running" }));
        play
    }

    /// The time of the next event: each is 10 ms after the last.
    pub(in super::super::super) fn tell(&mut self, kind: EventKind, message: &str, meta: &Value) -> u64 {
        self.number += 1;
        self.ms += 10;
        let row = EventRow {
            number: self.number,
            kind,
            level: Some(Level::Info),
            message: message.to_owned(),
            meta: JsonText::from_value(meta),
            at: Wall(self.ms),
        };
        self.events.extend(self.record.event(&row));
        self.rows.push(row);
        self.number
    }

    /// A status of a node, as `set_node_state` tells it; `node#attempt` where one was begun.
    pub(in super::super::super) fn node(&mut self, node: &str, state: &str, why: &str) -> u64 {
        self.node_with(node, state, why, json!({}))
    }

    pub(in super::super::super) fn node_with(
        &mut self,
        node: &str,
        state: &str,
        why: &str,
        more: Value,
    ) -> u64 {
        let (id, meta) = meta(node, more);
        let colon = if why.is_empty() { "" } else { ": " };
        let mut meta = meta;
        meta["state"] = state.into();
        self.tell(EventKind::Status, &format!("{id} is {state}{colon}{why}"), &meta)
    }

    /// A node whose id is given is run once and answered.
    pub(in super::super::super) fn works(&mut self, node: &str) {
        let attempt = format!("{node}#1");
        self.node(&attempt, "running", "");
        self.hop(&attempt, 25);
        self.node(&attempt, "completed", "");
    }

    /// An agent answered.
    pub(in super::super::super) fn hop(&mut self, node: &str, latency_ms: u64) -> u64 {
        let hop = json!({
            "latency_ms": latency_ms,
            "agent": "agent/echo",
            "request_frame_len": 300,
            "answer_frame_len": 200,
        });
        let (_, meta) = meta(node, hop);
        self.tell(EventKind::Trace, "agent/echo answered", &meta)
    }

    /// The run's last event, and its end.
    pub(in super::super::super) fn ends(&mut self, state: RunState, why: &str) {
        self.ends_with(state, why, 0, (0, 0));
    }

    pub(in super::super::super) fn ends_with(
        &mut self,
        state: RunState,
        why: &str,
        tokens: u64,
        missing: (u64, u64),
    ) {
        let meta = json!({ "state": state.name(), "success": state == RunState::Succeeded });
        self.tell(EventKind::Status, &format!("the run {}", state.name()), &meta);
        let end = RunEnd {
            state,
            why: (!why.is_empty()).then(|| why.to_owned()),
            tokens,
            events_missing: missing.0,
            artifacts_missing: missing.1,
            at: Wall(self.ms),
        };
        let items = self.record.end(&end);
        let split = items.iter().position(|item| !is_event(item)).unwrap();
        self.events.extend_from_slice(&items[..split]);
        self.last = items[split..].to_vec();
        self.ended = Some(end);
    }

    pub(in super::super::super) fn bundle(&self) -> Bundle {
        self.record.bundle()
    }

    /// The types of the events, of a family or of those without.
    pub(in super::super::super) fn types(&self, is_meant: impl Fn(&Value) -> bool) -> Vec<String> {
        let meant = self.events.iter().filter(|item| is_meant(&item.object));
        meant.map(|item| item.object["event_type"].as_str().unwrap().to_owned()).collect()
    }
}

fn meta(node: &str, more: Value) -> (String, Value) {
    let mut meta = more;
    let id = node.split('#').next().unwrap();
    meta["node_id"] = id.into();
    if node.contains('#') {
        meta["span_id"] = node.into();
    }
    (id.to_owned(), meta)
}

pub(in super::super::super) fn is_event(item: &Item) -> bool {
    item.object.get("event_type").is_some()
}
