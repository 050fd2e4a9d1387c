//! The bridge under random schedules: connects, frames good and bad, commands, commits that come late or
//! never, reads that are stale, time, restarts. What must hold at every step is checked at every step; at the
//! end everything that was accepted has come to its end.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use proptest::prelude::*;
use rl_console::{
    ids::{ConnectionId, InvocationId, ManifestHash, QueueName, RequestId},
    limits,
    mpp::{
        CloseCause, Command, LiveView, NewInvocation, Outcome, ReadyAfter, Settlement, TokenHash, Verdict,
    },
    schema::JsonText,
    store::{invocations::Row, op::Op},
    tap::entry::mpp::{RowState, Transition},
};

use crate::harness::{Request, Store, TOKEN, TestBridge, pack};

mod regressions;

/// One step of a schedule.
#[derive(Clone, Debug)]
enum Act {
    Open,
    /// An adapter connects, or a second one tries.
    Connect,
    Hello(usize),
    Close(usize),
    /// A line on the active connection, or on some connection.
    Line(Option<usize>, Line),
    Enqueue(Vec<(usize, Option<u8>)>),
    Cancel(Vec<u64>, bool),
    Settle(u64, bool),
    Brake(u8, Option<usize>),
    Kick,
    Migrate,
    Pass(u64),
    /// The store answers so many requests, well or not.
    Answer(usize, bool),
    /// A read overtakes what was asked before it, as far as it may.
    ReadAhead,
    /// The station starts again, maybe with another manifest.
    Restart(bool),
}

#[derive(Clone, Debug)]
enum Line {
    Pull(usize),
    /// What comes next on a queue when all goes well.
    Next(usize),
    Ack(usize),
    Applied(usize),
    Done(usize),
    Failed(usize, bool),
    Alive,
    Log,
    State(usize),
    Raw(usize),
}

const EVENTS: [(&str, &str); 4] =
    [("free", "{}"), ("spawn", "{}"), ("give_item", r#"{"item_id":1}"#), ("give_item", r#"{"item_id":"x"}"#)];
const QUEUES: [&str; 2] = ["default", "boss"];
const STATES: [&str; 4] = [
    r#""resets","value":3"#,
    r#""notes","value":{"a":"<raw-token>"},"scope":"<raw-token>""#,
    r#""mood","value":"\u003craw-token>""#,
    r#""goal","value":1"#,
];
const RAW: [&str; 9] = [
    r#"{"mpp":2,"type":"state_write","key":"\u003craw-token>","value":1}"#,
    "",
    "{",
    r#"{"mpp":2,"type":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"pull","queue":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"protocol_error","code":"<raw-token>","message":"<raw-token>"}"#,
    r#"{"mpp":1,"type":"hello","bridge_token":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"hello","pack_id":"x","manifest_hash":"y","bridge_token":"<raw-token>"}"#,
    r#"{"mpp":2,"type":"ack","id":18446744073709551615}"#,
];

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        2 => (0..2_usize).prop_map(Line::Pull),
        60 => (0..2_usize).prop_map(Line::Next),
        2 => (0..4_usize).prop_map(Line::Ack),
        2 => (0..4_usize).prop_map(Line::Applied),
        4 => (0..4_usize).prop_map(Line::Done),
        4 => (0..4_usize, any::<bool>()).prop_map(|(id, refund)| Line::Failed(id, refund)),
        1 => Just(Line::Alive),
        1 => Just(Line::Log),
        1 => (0..STATES.len()).prop_map(Line::State),
        1 => (0..RAW.len()).prop_map(Line::Raw),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        8 => Just(Act::Connect),
        1 => Just(Act::Open),
        1 => (0..3_usize).prop_map(Act::Hello),
        1 => (0..3_usize).prop_map(Act::Close),
        60 => (prop::option::weighted(0.03, 0..3_usize), line())
            .prop_map(|(conn, line)| Act::Line(conn, line)),
        16 => prop::collection::vec((0..EVENTS.len() + 1, prop::option::weighted(0.2, 0..3_u8)), 1..6)
            .prop_map(Act::Enqueue),
        3 => (prop::collection::vec(1..40_u64, 1..5), any::<bool>())
            .prop_map(|(ids, refund)| Act::Cancel(ids, refund)),
        1 => (1..40_u64, any::<bool>()).prop_map(|(id, done)| Act::Settle(id, done)),
        2 => (0..5_u8, prop::option::of(0..2_usize)).prop_map(|(brake, queue)| Act::Brake(brake, queue)),
        1 => Just(Act::Kick),
        5 => Just(Act::Migrate),
        5 => prop_oneof![8 => 0..400_u64, 1 => 0..40_000_u64].prop_map(Act::Pass),
        60 => (1..6_usize, prop::bool::weighted(0.95)).prop_map(|(count, well)| Act::Answer(count, well)),
        3 => Just(Act::ReadAhead),
        2 => any::<bool>().prop_map(Act::Restart),
    ]
}

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

struct Schedule {
    world: TestBridge,
    conns: Vec<ConnectionId>,
    active: Option<ConnectionId>,
    /// What the adapter has on each queue and has not freed.
    in_flight: BTreeMap<QueueName, InvocationId>,
    /// What freed each queue last.
    cleared: BTreeMap<QueueName, InvocationId>,
    times: BTreeMap<InvocationId, u64>,
    again: BTreeMap<InvocationId, u64>,
    seen: usize,
    commands: BTreeSet<RequestId>,
}

impl Schedule {
    fn new() -> Self {
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

    fn step(&mut self, act: &Act) {
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

    fn line(&mut self, conn: ConnectionId, wire: &str) -> Verdict {
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

    fn check(&mut self) {
        for (transition, _, _) in &self.world.transition_log {
            match transition {
                Transition::Requeued { id, queue } => {
                    self.again.insert(*id, self.times[id]);
                    self.in_flight.remove(queue);
                }
                Transition::Orphaned { id, queue } if self.in_flight.get(queue) == Some(id) => {
                    self.in_flight.remove(queue);
                }
                _ => {}
            }
        }
        self.world.transition_log.clear();
        let dirty = self.world.bridge.dirty();
        let state = |row: &Row| dirty.get(&row.id).map_or(row.state, |dirty| dirty.state);
        let cancelling: BTreeSet<InvocationId> = self
            .world
            .store
            .waiting
            .iter()
            .filter_map(|request| match request {
                Request::Persist { op: Op::Change { ids, from: RowState::Pending, .. }, .. } => {
                    Some(ids.clone())
                }
                _ => None,
            })
            .flatten()
            .collect();
        let ours = |row: &&Row| row.manifest_hash == self.world.pack.hash;
        for (queue, id) in &self.world.dispatched[self.seen..] {
            let (queue, id) = (queue.clone(), *id);
            assert_eq!(self.in_flight.insert(queue.clone(), id), None, "one in flight on {queue}");
            if let Some(cleared) = self.cleared.get(&queue) {
                let committed = self.world.row(*cleared).state;
                assert!(
                    !matches!(committed, RowState::Pending | RowState::Dispatched),
                    "{id} left before {cleared} was durable: {committed:?}"
                );
            }
            let mut older =
                self.world.store.rows.values().filter(ours).filter(|row| row.queue == queue && row.id < id);
            let older = older.find(|row| state(row) == RowState::Pending && !cancelling.contains(&row.id));
            assert_eq!(older.map(|row| row.id), None, "{id} is not the oldest of {queue}");
            let times = self.times.entry(id).or_default();
            *times += 1;
            assert!(
                *times == 1 || self.again.get(&id) == Some(&(*times - 1)),
                "{id} was sent again without a requeue"
            );
        }
        self.seen = self.world.dispatched.len();
        let snapshot = self.world.bridge.snapshot();
        for (name, queue) in &snapshot.queues {
            let rows = || {
                self.world
                    .store
                    .rows
                    .values()
                    .filter(|row| row.queue == *name && state(row) == RowState::Pending)
            };
            assert_eq!(queue.pending, rows().filter(ours).count() as u64, "pending of {name}");
            assert_eq!(
                queue.other_manifest,
                rows().filter(|row| !ours(row)).count() as u64,
                "other manifest of {name}"
            );
            assert_eq!(queue.in_flight, self.in_flight.get(name).copied(), "in flight of {name}");
        }
        assert!(snapshot.recent.len() <= 3 && snapshot.logs.len() <= 3);
    }

    /// The store is well, an adapter does its work: everything ends.
    fn finish(&mut self) {
        for _ in 0..20 {
            while self.world.answer_next(true) {
                self.check();
            }
            self.world.pass(Duration::from_secs(5));
            self.check();
        }
        self.world.prompt = true;
        self.world.ask(Command::Resume { queue: None }).unwrap();
        self.check();
        assert!(
            self.commands.iter().all(|request| self.world.answers.contains_key(request)),
            "every command is answered"
        );
        let _ = self.world.ask(Command::Kick);
        self.check();
        let conn = self.world.connect();
        self.check();
        for queue in QUEUES {
            let pull = format!(r#"{{"mpp":2,"type":"pull","queue":"{queue}"}}"#);
            loop {
                self.line(conn, &pull);
                self.check();
                let Some(id) = self.in_flight.get(queue).copied() else { break };
                for kind in ["applied", "done"] {
                    self.line(conn, &format!(r#"{{"mpp":2,"type":"{kind}","id":{id}}}"#));
                    self.check();
                }
            }
        }
        assert!(self.world.bridge.dirty().is_empty());
        for row in self.world.store.rows.values() {
            let legal = row.state.is_terminal()
                || row.state == RowState::Applied
                || row.manifest_hash != self.world.pack.hash;
            assert!(legal, "{} is {:?}", row.id, row.state);
        }
        let left: Vec<InvocationId> = self
            .world
            .store
            .rows
            .values()
            .filter(|row| row.state == RowState::Applied)
            .map(|row| row.id)
            .collect();
        for id in left {
            assert_eq!(
                self.world.ask(Command::Settle { id, to: Settlement::Done }),
                Ok(Outcome::Settled { id, state: RowState::Done })
            );
        }
        assert!(self.world.bridge.snapshot().live.is_empty());
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

/// `PROPTEST_CASES`, or few enough for every run.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(96)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        failure_persistence: None,
        max_shrink_iters: 4_000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_is_lost_doubled_or_out_of_order(acts in prop::collection::vec(act(), 1..250)) {
        run(&acts);
    }
}

/// A schedule from a fresh bridge to the end of all that it took.
fn run(acts: &[Act]) {
    let mut schedule = Schedule::new();
    for act in acts {
        schedule.step(act);
    }
    schedule.finish();
}
