//! What all runs share: the way out, tickets, timers, and who waits for what.

use std::collections::{BTreeMap, HashMap, VecDeque};

use bytes::Bytes;
use uuid::Uuid;

use super::{
    agent_backlog::AgentBacklogs,
    feed::RunFeed,
    io::{Output, Publish},
    save_queue::{AfterCommit, SaveQueue},
    timers::{Due, Timers},
};
use crate::{
    ids::{ActionId, Ticket, TopicName, TraceId},
    limits,
    runs::{Metrics, payload::schema},
    store::runs::RunOp,
    tap::entry::runs::Transition,
    time::Mono,
};

/// TTL of what is sent on `rlp/ctrl` and to agents, and of events, in milliseconds (rmp-v0 §9).
pub const TTL_MS: u64 = 30_000;

/// Why nothing that may be left out is written to a disk that is nearly full.
pub(super) const DISK_LOW: &str = "the disk of the station's data folder is nearly full (limits.store.disk_free_bytes_min): free space on it";

/// Whose runs an agent may cancel. Operators cancel any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentsCancel {
    /// Any: clients submit and cancel on different connections.
    #[default]
    Any,
    /// Those that were submitted in the same session.
    Own,
}

/// How the engine is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The bounds.
    pub limits: limits::Runs,
    /// Milliseconds that a run may take whose opening does not say (ruling RMP 14: `[runs] timeout_ms`).
    pub timeout_ms: u64,
    /// Whose runs an agent may cancel (`[runs] agents_cancel`).
    pub agents_cancel: AgentsCancel,
    /// Bytes of a message's body on the bus (`limits.rmp.body_bytes_max`); what an agent is asked must fit.
    pub body_bytes_max: u64,
    /// Whether runs are told as records (`[mplp] emit`).
    pub tells_records: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: limits::Runs::default(),
            timeout_ms: 300_000,
            agents_cancel: AgentsCancel::Any,
            body_bytes_max: limits::Rmp::default().body_bytes_max,
            tells_records: false,
        }
    }
}

/// A request on its way to the bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offered {
    pub(super) run: TraceId,
    pub(super) position: u32,
    pub(super) bytes: u64,
}

/// What all runs share.
pub(super) struct Shared {
    pub(super) settings: Settings,
    /// Whether the data folder's disk is nearly full.
    pub(super) is_disk_low: bool,
    ids: Box<dyn FnMut() -> Uuid + Send>,
    next_ticket: Ticket,
    pub(super) outputs: VecDeque<Output>,
    pub(super) save_queue: SaveQueue,
    pub(super) timers: Timers,
    /// Who awaits an answer on a reply topic.
    pub(super) replies: HashMap<TopicName, (TraceId, u32)>,
    /// Who awaits how many a request reached.
    pub(super) reaches: BTreeMap<Ticket, Offered>,
    /// Bytes of requests that the bus has not judged yet.
    pub(super) offered_bytes: u64,
    /// Requests that found no room.
    pub(super) backlogs: AgentBacklogs,
    /// Bytes that the ports of all runs hold.
    pub(super) port_bytes: u64,
    /// Who awaits a decision.
    pub(super) asks: BTreeMap<ActionId, (TraceId, u32)>,
    /// Runs whose acceptance is on its way to the bus.
    accepted: BTreeMap<Ticket, TraceId>,
    /// Events, and what else follows a run's acceptance, that wait until their readers had time to subscribe.
    held_events: BTreeMap<TraceId, Vec<Output>>,
    pub(super) metrics: Metrics,
    /// Attempts that agents work on.
    pub(super) in_flight: u64,
    /// Whether none is begun, by an operator's brake.
    pub(super) is_held: bool,
    /// Runs with nodes that wait for a place among those.
    pub(super) queue: VecDeque<TraceId>,
}

impl Shared {
    pub(super) fn new(settings: Settings, ids: Box<dyn FnMut() -> Uuid + Send>) -> Self {
        Self {
            settings,
            is_disk_low: false,
            ids,
            next_ticket: Ticket(0),
            outputs: VecDeque::new(),
            save_queue: SaveQueue::default(),
            timers: Timers::default(),
            replies: HashMap::new(),
            reaches: BTreeMap::new(),
            offered_bytes: 0,
            backlogs: AgentBacklogs::default(),
            port_bytes: 0,
            asks: BTreeMap::new(),
            accepted: BTreeMap::new(),
            held_events: BTreeMap::new(),
            metrics: Metrics::default(),
            in_flight: 0,
            is_held: false,
            queue: VecDeque::new(),
        }
    }

    pub(super) fn id(&mut self) -> Uuid {
        (self.ids)()
    }

    pub(super) fn ticket(&mut self) -> Ticket {
        next(&mut self.next_ticket)
    }

    pub(super) fn persist(&mut self, op: RunOp) {
        self.save_queue.persist(op);
    }

    /// Does this once all that is to be written by now is durable.
    pub(super) fn after(&mut self, after: AfterCommit) {
        self.save_queue.after(after);
    }

    /// Sends what is to be written on its way.
    pub(super) fn flush(&mut self) {
        let Self { save_queue: saving, next_ticket, outputs, .. } = self;
        saving.flush(|| next(next_ticket), outputs);
    }

    /// Writes the beginning of a run.
    pub(super) fn persist_begin(&mut self, run: TraceId, ops: Vec<RunOp>) {
        let ticket = self.ticket();
        self.save_queue.begin(ticket, run, ops, &mut self.outputs);
    }

    /// Offers the store again what it refused.
    pub(super) fn retry_saving(&mut self) {
        let Self { save_queue: saving, next_ticket, outputs, .. } = self;
        saving.reoffer(|| next(next_ticket), outputs);
    }

    /// Whether an event or an artifact may be written, or has to be left out while the store cannot write or
    /// the disk is nearly full.
    pub(super) fn has_room_to_save(&self) -> bool {
        !self.is_disk_low && self.save_queue.has_room(self.settings.limits.unsaved_bytes_max)
    }

    /// Whether one more request may be on its way to the bus, whatever its length.
    pub(super) fn has_room_to_offer(&self) -> bool {
        self.offered_bytes < self.settings.limits.offered_bytes_max
    }

    pub(super) fn emit_transition(&mut self, transition: Transition, text: &str) {
        self.outputs.push_back(Output::Transition { transition, text: text.to_owned() });
    }

    pub(super) fn publish(&mut self, publish: Publish) {
        self.outputs.push_back(Output::Publish(publish));
    }

    /// Says that a run is accepted, and lets its events wait from now on.
    pub(super) fn accept(&mut self, run: TraceId, publish: Publish) {
        let ticket = self.ticket();
        self.accepted.insert(ticket, run);
        self.held_events.insert(run, Vec::new());
        self.publish(Publish { ticket: Some(ticket), ..publish });
    }

    /// The bus has taken what had this ticket: the events of a run that is accepted by it leave a while after
    /// this moment, however long it was on its way (ruling RMP 11).
    pub(super) fn on_accepted(&mut self, ticket: Ticket, events_from: Mono) {
        if let Some(run) = self.accepted.remove(&ticket) {
            self.timers.set(events_from, Due::Events(run));
        }
    }

    /// Whether events of a run wait for its acceptance.
    pub(super) fn holds(&self, run: TraceId) -> bool {
        self.held_events.contains_key(&run)
    }

    /// Sends the events that waited.
    pub(super) fn free_events(&mut self, run: TraceId) {
        let held = self.held_events.remove(&run).unwrap_or_default();
        self.outputs.extend(held);
    }

    /// Sends an event of a run, or lets it wait behind those that wait.
    pub(super) fn publish_event(&mut self, run: TraceId, body: Bytes) {
        let topic = TopicName::new(&format!("rlp/runs/{run}/events"));
        let publish =
            Publish { topic, schema_id: schema::RUN_EVENT, trace: run, ttl_ms: TTL_MS, body, ticket: None };
        self.behind_acceptance(run, Output::Publish(publish));
    }

    /// Tells the record of a run, in the order of its events.
    pub(super) fn record(&mut self, run: TraceId, feed: RunFeed) {
        self.behind_acceptance(run, Output::Record(feed));
    }

    fn behind_acceptance(&mut self, run: TraceId, output: Output) {
        match self.held_events.get_mut(&run) {
            Some(held) => held.push(output),
            None => self.outputs.push_back(output),
        }
    }
}

fn next(ticket: &mut Ticket) -> Ticket {
    *ticket = ticket.next();
    *ticket
}
