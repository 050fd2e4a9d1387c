//! The bridge, its adapter and its store in one hand, a step at a time.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use rl_console::{
    ids::{ConnectionId, InvocationId, ManifestHash, QueueName, RequestId},
    limits,
    mpp::{CloseCause, Command, LiveView, NewInvocation, ReadyAfter, Settlement, TokenHash, Verdict},
    schema::JsonText,
    store::invocations::Row,
    tap::entry::mpp::RowState,
};

use super::act::*;
use crate::harness::{Request, Store, TOKEN, TestBridge, pack};

fn limits() -> limits::Mpp {
    limits::Mpp {
        connections_max: 3,
        log_entries_max: 3,
        remembered_ids_max: 3,
        live_rows_max: 3,
        head_rows_max: 3,
        dirty_rows_max: 4,
        command_rows_max: 5,
        pending_rows_max: 30,
        recent_rows_max: 3,
        ..limits::Mpp::default()
    }
}

/// Rows of another manifest, some of which fit this one.
fn store() -> Store {
    let mut seed = TestBridge::new();
    for (event, params) in EVENTS {
        seed.enqueue(event, params);
    }
    let mut store = Store::default();
    for row in seed.store.rows.values() {
        let id = InvocationId(row.id.0 * 2);
        store.insert(Row { id, manifest_hash: ManifestHash::new("sha256:older"), ..row.clone() });
        store.insert(Row {
            id: InvocationId(id.0 - 1),
            queue: "gone".into(),
            manifest_hash: ManifestHash::new("sha256:older"),
            ..row.clone()
        });
    }
    store
}

pub(super) struct Schedule {
    pub(super) world: TestBridge,
    pub(super) conns: Vec<ConnectionId>,
    pub(super) active: Option<ConnectionId>,
    /// What the adapter has on each queue and has not freed.
    pub(super) in_flight: BTreeMap<QueueName, InvocationId>,
    /// What freed each queue last.
    pub(super) cleared: BTreeMap<QueueName, InvocationId>,
    pub(super) times: BTreeMap<InvocationId, u64>,
    pub(super) again: BTreeMap<InvocationId, u64>,
    pub(super) seen: usize,
    pub(super) commands: BTreeSet<RequestId>,
}

impl Schedule {
    pub(super) fn new() -> Self {
        let mut schedule = Self {
            world: TestBridge::start(pack(), limits(), store(), Some(TokenHash::of(TOKEN))),
            conns: Vec::new(),
            active: None,
            in_flight: BTreeMap::new(),
            cleared: BTreeMap::new(),
            times: BTreeMap::new(),
            again: BTreeMap::new(),
            seen: 0,
            commands: BTreeSet::new(),
        };
        schedule.world.prompt = false;
        schedule
    }

    fn conn(&self, index: usize) -> Option<ConnectionId> {
        self.conns.get(index % self.conns.len().max(1)).copied()
    }

    fn id(&self, back: usize) -> u64 {
        self.world.dispatched.iter().rev().nth(back).map_or(7, |(_, id)| id.0)
    }

    pub(super) fn step(&mut self, act: &Act) {
        match act {
            Act::Open => {
                let conn = self.world.open();
                self.conns.push(conn);
                if self.conns.len() > 3 {
                    self.conns.remove(0);
                }
            }
            Act::Connect => {
                let conn = self.world.open();
                self.conns.push(conn);
                if self.conns.len() > 3 {
                    self.conns.remove(0);
                }
                self.hello(conn);
            }
            Act::Hello(index) => {
                if let Some(conn) = self.conn(*index) {
                    self.hello(conn);
                }
            }
            Act::Close(index) => {
                if let Some(conn) = self.conn(*index) {
                    self.world.close(conn, CloseCause::ReadFailed);
                }
            }
            Act::Line(index, line) => {
                let active = self.active.filter(|_| self.world.bridge.snapshot().adapter.is_some());
                if let Some(conn) = index.map_or(active, |index| self.conn(index)) {
                    let wire = self.wire(line);
                    self.line(conn, &wire);
                }
            }
            Act::Pass(ms) => self.world.pass(Duration::from_millis(*ms)),
            Act::Answer(count, well) => {
                for _ in 0..*count {
                    self.world.transition_log.clear();
                    self.world.busy = count % 2 == 0;
                    self.world.answer_next(*well);
                    self.check();
                }
            }
            Act::ReadAhead => self.read_ahead(),
            Act::Restart(other) => self.restart(*other),
            command => {
                let command = Self::command(command);
                let request = self.world.command(command);
                self.commands.insert(request);
            }
        }
        self.check();
    }

    fn wire(&self, line: &Line) -> String {
        match line {
            Line::Pull(queue) => format!(r#"{{"mpp":2,"type":"pull","queue":"{}"}}"#, QUEUES[*queue]),
            Line::Next(queue) => self.next(QUEUES[*queue]),
            Line::Ack(back) => format!(r#"{{"mpp":2,"type":"ack","id":{}}}"#, self.id(*back)),
            Line::Applied(back) => format!(
                r#"{{"mpp":2,"type":"applied","id":{},"result":{{"x":"<raw-token>"}}}}"#,
                self.id(*back)
            ),
            Line::Done(back) => format!(r#"{{"mpp":2,"type":"done","id":{}}}"#, self.id(*back)),
            Line::Failed(back, refund) => {
                format!(
                    r#"{{"mpp":2,"type":"failed","id":{},"reason":"no <raw-token>","refund":{refund}}}"#,
                    self.id(*back)
                )
            }
            Line::Alive => r#"{"mpp":2,"type":"heartbeat"}"#.to_owned(),
            Line::Log => r#"{"mpp":2,"type":"log","level":"info","message":"is it <raw-token>?"}"#.to_owned(),
            Line::State(index) => format!(r#"{{"mpp":2,"type":"state_write","key":{}}}"#, STATES[*index]),
            Line::Raw(index) => RAW[*index].to_owned(),
        }
    }

    fn next(&self, queue: &str) -> String {
        let snapshot = self.world.bridge.snapshot();
        let view = &snapshot.queues[queue];
        match view.in_flight.map(|id| (id, snapshot.live[&id].state)) {
            Some((id, RowState::Dispatched)) => {
                format!(r#"{{"mpp":2,"type":"applied","id":{id},"result":{{"x":"<raw-token>"}}}}"#)
            }
            Some((id, _)) => format!(r#"{{"mpp":2,"type":"done","id":{id}}}"#),
            None if view.parked => r#"{"mpp":2,"type":"heartbeat"}"#.to_owned(),
            None => format!(r#"{{"mpp":2,"type":"pull","queue":"{queue}"}}"#),
        }
    }

    fn command(act: &Act) -> Command {
        match act {
            Act::Enqueue(rows) => {
                Command::Enqueue { rows: rows.iter().map(|(event, key)| new_row(*event, *key)).collect() }
            }
            Act::Cancel(ids, refund) => Command::Cancel {
                ids: ids.iter().map(|id| InvocationId(*id)).collect(),
                reason: "x".to_owned(),
                refund: *refund,
            },
            Act::Settle(id, done) => Command::Settle {
                id: InvocationId(*id),
                to: if *done { Settlement::Done } else { Settlement::Failed },
            },
            Act::Brake(brake, queue) => {
                let queue = queue.map(|queue| QueueName::new(QUEUES[queue]));
                match brake {
                    0 => Command::Hold { queue },
                    1 => Command::Drain { queue },
                    2 => Command::Release { queue },
                    _ => Command::Resume { queue },
                }
            }
            Act::Migrate => Command::Migrate,
            _ => Command::Kick,
        }
    }

    fn hello(&mut self, conn: ConnectionId) {
        if self.line(conn, &self.world.hello()) == Verdict::Accepted {
            self.active = Some(conn);
        }
    }

    pub(super) fn line(&mut self, conn: ConnectionId, wire: &str) -> Verdict {
        let live = self.world.bridge.snapshot().live;
        let verdict = self.world.line(conn, wire);
        if verdict == Verdict::Accepted {
            self.note(wire, &live);
        }
        verdict
    }

    fn note(&mut self, wire: &str, live: &BTreeMap<InvocationId, LiveView>) {
        // What the accepted frame says frees its queue, by the specification's word.
        let Ok(frame) = serde_json::from_str::<serde_json::Value>(wire) else { return };
        let Some(id) = frame["id"].as_u64().map(InvocationId) else { return };
        let queue = live[&id].queue.clone();
        let ready_after = self.world.pack.queues[queue.as_str()].ready_after;
        let frees = match frame["type"].as_str() {
            Some("applied") => ready_after == ReadyAfter::Applied,
            Some("done" | "failed") => true,
            _ => false,
        };
        if frees && self.in_flight.get(&queue) == Some(&id) {
            self.in_flight.remove(&queue);
            self.cleared.insert(queue, id);
        }
    }

    /// Lets the last read overtake everything asked before it; one that has to be settled waits its turn.
    fn read_ahead(&mut self) {
        let waiting = &self.world.store.waiting;
        let place = waiting.iter().position(|request| {
            matches!(request, Request::Fetch { settled: false, .. } | Request::FetchOthers { .. })
        });
        if let Some(request) = place.and_then(|place| self.world.store.waiting.remove(place)) {
            self.world.answer_request(request, true);
        }
    }

    fn restart(&mut self, other: bool) {
        self.check();
        let store = std::mem::take(&mut self.world.store);
        for (id, row) in &store.rows {
            // What was sent and is not known to have been applied is sent again.
            if matches!(row.state, RowState::Dispatched | RowState::Pending) && self.times.contains_key(id) {
                self.again.insert(*id, self.times[id]);
            }
        }
        let mut pack = pack();
        let hash = &self.world.pack.hash;
        let is_first = *hash == pack.hash;
        pack.hash = if is_first == other { ManifestHash::new("sha256:other") } else { pack.hash };
        self.world = TestBridge::start(pack, limits(), store, Some(TokenHash::of(TOKEN)));
        self.world.prompt = false;
        self.conns.clear();
        self.active = None;
        self.commands.clear();
        self.in_flight.clear();
        self.cleared.clear();
        self.seen = 0;
    }
}

fn new_row(event: usize, key: Option<u8>) -> NewInvocation {
    let (name, params) = EVENTS[event % EVENTS.len()];
    NewInvocation {
        params: Some(JsonText::parse(params).unwrap()),
        key: key.map(|key| format!("k{key}")),
        // One more than there are events: a queue that the manifest lacks.
        queue: (event == EVENTS.len()).then(|| "nope".into()),
        ..NewInvocation::new(name)
    }
}
