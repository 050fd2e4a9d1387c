//! Random runs of the real engine as records, which are clean and agree with the engine, whatever befalls.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use bytes::Bytes;
use rl_console::{
    ids::{ConnectionId, TopicName, TraceId},
    limits,
    mplp::{
        judge_bundle,
        lifecycle::{
            Bundle, Item, RecordSettings,
            run::{PlanShape, PlanStep, RunBegin, RunEnd, RunRecord},
        },
    },
    runs::{
        Asker, AskerKind, NodeState, Plan, Transition,
        engine::{Engine, Input, Output, Publish, Reach, RunEnded, RunFeed, Settings},
        openings::{Edge, Literal, Map, Node, Opening, Policy, PortRef, PortValue, Retry, Use},
        payload::{ActionRequest, AgentAnswer, AgentRequest, AgentResponse, ControlRequest, Decision},
    },
    store::runs::{EventRow, NewRun, OpenRun, RestoredRuns, RunOp, RunRow},
    time::Now,
};
use uuid::Uuid;

use attempts::Move;
use checks::{
    check_graph, check_live, check_losses, check_missing, check_nodes, check_samples, check_steps, list,
};
use id_checks::check_ids;
use sessions::Session;

mod attempts;
mod befalls;
mod checks;
mod id_checks;
mod sessions;

const SESSION: ConnectionId = ConnectionId(7);

fn by() -> Asker {
    Asker { kind: AskerKind::Tui, client: Arc::from("tester") }
}

/// A random opening of up to three agents; some of its nodes ask, retry, time out, or are openings.
fn random(rng: &mut fastrand::Rng, depth: u32) -> Opening {
    let count = rng.usize(1..if depth == 0 { 10 } else { 4 });
    let agents = rng.usize(1..4);
    let mut nodes = Vec::new();
    for n in 0..count {
        let agent = ["echo", "writer", "critic"][rng.usize(..agents)];
        let mut action = Use::Agent(Arc::from(agent));
        if depth < 2 && rng.u8(..6) == 0 {
            action = Use::Opening { name: "inner".into(), opening: random(rng, depth + 1).into() };
        }
        nodes.push(Node {
            id: Arc::from(format!("n{n}")),
            action,
            with: Map::new(),
            retry: Retry { max_attempts: rng.u32(1..4), backoff_ms: rng.u64(0..50) },
            timeout_ms: (rng.u8(..4) == 0).then(|| rng.u64(20..200)),
            budget_tokens: (rng.u8(..8) == 0).then(|| rng.u64(10..60)),
            tags: Vec::new(),
            asks: rng.u8(..5) == 0,
        });
    }
    let mut edges: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
    for to in 1..count {
        for _ in 0..rng.usize(0..3) {
            let from = rng.usize(..to);
            let when = [None, Some(Literal::Bool(true)), Some(Literal::Bool(false))][rng.usize(..3)].clone();
            let (from_port, to_port) = (Arc::from("ok"), Arc::from("in"));
            edges.insert((from, to), Edge { from, from_port, when, to, to_port });
        }
    }
    let save = match nodes[0].action {
        Use::Agent(_) => vec![PortRef { node: 0, port: "ok".into() }],
        Use::Opening { .. } => Vec::new(),
    };
    Opening {
        name: Arc::from("random"),
        goals: Vec::new(),
        params: Map::new(),
        policy: Policy { timeout_ms: (rng.u8(..4) == 0).then(|| rng.u64(100..900)), ..Policy::default() },
        nodes,
        edges: edges.into_values().collect(),
        success: None,
        save,
    }
}

/// What is kept and recorded of a run.
struct Run {
    row: NewRun,
    events: Vec<EventRow>,
    artifacts: u64,
    end: Option<RunEnd>,
    /// How its nodes were said to be, and how at last, and how often they were running.
    moves: Vec<Move>,
    states: BTreeMap<u32, NodeState>,
    attempts: usize,
    /// The sessions of its trace, as long as it was open.
    sessions: Vec<Session>,
    /// Its record as the run tells it, and what that gave: events, and its objects at the end.
    live: Option<RunRecord>,
    items: Vec<Item>,
    /// How many of its events its end said are not kept: one that a restart ends tells none.
    missing_told: Option<u64>,
}

impl Run {
    /// Events that the store has not: they are numbered, and the last is always kept.
    fn events_missing(&self) -> u64 {
        self.events.last().map_or(0, |event| event.number) - self.events.len() as u64
    }

    fn is_whole(&self) -> bool {
        self.events_missing() == 0
    }
}

fn settings() -> RecordSettings {
    RecordSettings { environment: "test".into(), created_by: "rl-console/0.0.0".into() }
}

fn begin(row: &NewRun) -> RunBegin {
    let plan: Plan = serde_json::from_value(row.plan.value()).unwrap();
    let step = |it: &rl_console::runs::PlanNode| PlanStep {
        id: it.id.clone(),
        uses: it.uses.clone(),
        parent: it.parent,
    };
    RunBegin {
        run: row.run,
        opening: row.opening,
        name: row.name.clone(),
        by: row.by,
        client: row.client.clone(),
        goals: Vec::new(),
        policy: Map::new(),
        plan: PlanShape {
            nodes: plan.nodes.iter().map(step).collect(),
            edges: plan.edges.iter().map(|it| (it.from, it.to)).collect(),
        },
        traceparent: None,
        at: row.at,
    }
}

/// An engine and all around it, under a virtual clock.
struct Fixture {
    engine: Engine,
    ms: u64,
    openings: BTreeMap<String, Arc<Opening>>,
    runs: BTreeMap<TraceId, Run>,
    requests: Vec<AgentRequest>,
    asks: Vec<ActionRequest>,
    settings: Settings,
    next_id: u128,
}

fn engine(settings: Settings, now: Now, restored: RestoredRuns, mut next_id: u128) -> Engine {
    let ids = move || {
        next_id += 1;
        uuid::Builder::from_random_bytes(next_id.to_be_bytes()).into_uuid()
    };
    Engine::new(now, settings, restored, Box::new(ids))
}

impl Fixture {
    fn new(settings: Settings) -> Self {
        Self {
            engine: engine(settings, Now::at_ms(0), RestoredRuns::default(), 1 << 100),
            ms: 0,
            openings: BTreeMap::new(),
            runs: BTreeMap::new(),
            requests: Vec::new(),
            asks: Vec::new(),
            settings,
            next_id: 1 << 100,
        }
    }

    fn handle(&mut self, input: Input) {
        self.engine.handle(Now::at_ms(self.ms), input);
        self.drain();
    }

    fn pass(&mut self, ms: u64) {
        let end = self.ms + ms;
        let due = |it: &Self| it.engine.timeout().map(|at| at.0.div_ceil(1_000_000));
        while let Some(due) = due(self).filter(|due| *due <= end) {
            self.ms = self.ms.max(due);
            self.handle(Input::Timeout);
        }
        self.ms = end;
    }

    fn drain(&mut self) {
        while let Some(output) = self.engine.poll_output() {
            let now = Now::at_ms(self.ms);
            match output {
                Output::Load { ticket, yaml } => {
                    let opening = self.openings.get(&*yaml).cloned().ok_or_else(|| "none".to_owned());
                    self.engine.handle(now, Input::Loaded { ticket, opening });
                }
                Output::Publish(publish) => self.on_publish(publish),
                Output::Record(feed) => self.on_record(feed),
                Output::Recall { run } => {
                    let row = self.runs.get(&run).map(|run| Box::new(row(run)));
                    self.engine.handle(now, Input::Recalled { run, row });
                }
                Output::RecallAnswer { request, variant } => {
                    self.engine.handle(now, Input::AnswerRecalled { request, variant, body: None });
                }
                Output::Persist { ticket, ops } => {
                    ops.iter().cloned().for_each(|op| self.keep(op));
                    self.engine.handle(now, Input::Committed { ticket });
                }
                Output::Transition {
                    transition: Transition::StateChange { run, node, state, attempt },
                    ..
                } => {
                    let run = self.runs.get_mut(&run).unwrap();
                    run.moves.push(Move { node: node.index, state, attempt });
                    run.states.insert(node.index, state);
                    run.attempts += usize::from(state == NodeState::Running);
                }
                Output::Listen { .. } | Output::Unlisten { .. } | Output::Transition { .. } => {}
            }
        }
    }

    fn on_record(&mut self, feed: RunFeed) {
        match feed {
            RunFeed::Started => panic!("the host tells it"),
            RunFeed::Begun(begun) => {
                let run = self.runs.get_mut(&begun.run).unwrap();
                let stored = begin(&run.row);
                let told = (begun.opening, begun.at, &*begun.name, begun.by.kind, &*begun.by.client);
                assert_eq!(told, (stored.opening, stored.at, &*stored.name, stored.by, &*stored.client));
                assert_eq!(serde_json::to_value(&begun.plan).unwrap(), run.row.plan.value());
                let (mut live, first) = RunRecord::begin(stored, &settings());
                live.forget_events();
                run.items = first.into_iter().filter(is_event).collect();
                run.live = Some(live);
            }
            RunFeed::Event { run, event, is_kept } => {
                let run = self.runs.get_mut(&run).unwrap();
                let live = run.live.as_mut().unwrap();
                run.items.extend(if is_kept { live.event(&event) } else { live.event_not_kept(&event) });
            }
            RunFeed::Ended(ended) => {
                let run = self.runs.get_mut(&ended.run).unwrap();
                let RunEnded { run: _, state, why, tokens, events_missing, artifacts_missing, at } = ended;
                let end = RunEnd { state, why, tokens, events_missing, artifacts_missing, at };
                let live = run.live.as_mut().unwrap();
                run.items.extend(sessions::tell(live, &mut run.sessions, true));
                run.items.extend(live.end(&end));
                run.missing_told = Some(end.events_missing);
            }
        }
    }

    fn on_publish(&mut self, Publish { topic, trace: _, body, ticket, .. }: Publish) {
        if topic.as_str() == "action.request" {
            self.asks.push(ActionRequest::decode(&body).unwrap());
        } else if let Some(ticket) = ticket {
            if topic.as_str().starts_with("agent/") {
                self.requests.push(AgentRequest::decode(&body).unwrap());
            }
            let reach = Reach::Taken { peers: vec![ConnectionId(1)], msg_id: self.requests.len() as u64 };
            self.engine.handle(Now::at_ms(self.ms), Input::Reached { ticket, reach });
        }
    }

    fn keep(&mut self, op: RunOp) {
        match op {
            RunOp::Begin(row) => {
                let run = Run {
                    events: Vec::new(),
                    artifacts: 0,
                    end: None,
                    moves: Vec::new(),
                    states: BTreeMap::new(),
                    attempts: 0,
                    sessions: Vec::new(),
                    live: None,
                    items: Vec::new(),
                    missing_told: None,
                    row: *row,
                };
                assert!(self.runs.insert(run.row.run, run).is_none());
            }
            RunOp::Event { run, event } => {
                let run = self.runs.get_mut(&run).unwrap();
                run.events.push(event);
            }
            RunOp::End { run, state, why, tokens, at, .. } => {
                let run = self.runs.get_mut(&run).unwrap();
                let events_missing = run.events_missing();
                run.end = Some(RunEnd { state, why, tokens, events_missing, artifacts_missing: 0, at });
            }
            RunOp::Artifact { run, .. } => self.runs.get_mut(&run).unwrap().artifacts += 1,
            _ => {}
        }
    }

    fn control(&mut self, trace: TraceId, request: &ControlRequest) {
        let body = Bytes::from(request.encode());
        self.handle(Input::Control { by: by(), session: SESSION, trace, body });
    }

    /// Somebody begins a session of an open run, says something in one, or ends it.
    fn talk(&mut self, rng: &mut fastrand::Rng) {
        let at = Now::at_ms(self.ms).wall;
        let count: usize = self.runs.values().map(|run| run.sessions.len()).sum();
        let open: Vec<&mut Run> = self.runs.values_mut().filter(|run| run.end.is_none()).collect();
        let Some(run) = rng.choice(open) else { return };
        let has_room = run.sessions.len() < 4;
        let talking: Vec<_> = run.sessions.iter_mut().filter(|it| !it.has_ended()).collect();
        match (rng.u8(..8), rng.choice(talking)) {
            (0, Some(session)) => session.finish(rng, at),
            (1..=5, Some(session)) => session.say(rng, at),
            _ if has_room => {
                run.sessions.push(Session::begin(rng, count, run.row.run, at));
            }
            _ => {}
        }
        // What is new is read a little later.
        if let Some(live) = run.live.as_mut().filter(|_| rng.bool()) {
            run.items.extend(sessions::tell(live, &mut run.sessions, false));
        }
    }

    /// The station stops without a word and starts again.
    fn restart(&mut self) {
        let open = self.runs.values().filter(|run| run.end.is_none()).map(|run| OpenRun {
            row: row(run),
            last_event: run.events.last().map_or(0, |event| event.number),
            last_at: run.events.last().map_or(run.row.at, |event| event.at),
        });
        let restored = RestoredRuns { open: open.collect(), ..RestoredRuns::default() };
        self.next_id += 1 << 64;
        self.engine = engine(self.settings, Now::at_ms(self.ms), restored, self.next_id);
        (self.requests, self.asks) = (Vec::new(), Vec::new());
        self.drain();
    }
}

fn row(run: &Run) -> RunRow {
    let NewRun { run: trace, opening, name, by, client, nodes, at, .. } = run.row.clone();
    RunRow {
        number: 1,
        run: trace,
        opening,
        name,
        by,
        client,
        state: run.end.as_ref().map_or(rl_console::runs::RunState::Running, |end| end.state),
        why: None,
        nodes,
        done: 0,
        tokens: 0,
        events: run.events.len() as u64,
        artifacts: run.artifacts,
        submitted_at: at,
        ended_at: run.end.as_ref().map(|end| end.at),
        rated: None,
    }
}

fn is_event(item: &Item) -> bool {
    item.object.get("event_type").is_some()
}

/// Holds a record against what the engine said of the run.
fn check(seed: u64, run: &Run, tally: &mut BTreeMap<String, u32>) -> Bundle {
    let (mut record, _) = RunRecord::begin(begin(&run.row), &settings());
    sessions::read(&mut record, &run.sessions);
    run.events.iter().for_each(|event| record.read(event));
    let bundle = record.into_bundle(run.end.as_ref());
    let value = bundle.value();
    let findings = judge_bundle(&value, None, 9);
    assert!(findings.is_clean(), "seed {seed}: {findings:#?}");
    check_steps(seed, run, &value);
    check_ids(seed, &value);
    check_samples(seed, &bundle);
    check_losses(seed, run);
    check_missing(seed, run, &value);
    if run.is_whole() {
        check_nodes(seed, run, &bundle);
        check_graph(seed, run, &value);
        if run.missing_told.is_some() {
            check_live(seed, run, &bundle);
            *tally.entry("live".to_owned()).or_default() += 1;
        }
    }
    let mut count = |what: &str| *tally.entry(what.to_owned()).or_default() += 1;
    count(value["profile"].as_str().unwrap());
    count(value["trace"]["status"].as_str().unwrap());
    for confirm in list(&value, "confirms") {
        count(&format!("confirm {}", confirm["status"].as_str().unwrap()));
    }
    for session in &run.sessions {
        let sort = if session.has_collab() { "of several" } else { "of one" };
        count(&format!("session {sort}, {}", if session.has_ended() { "ended" } else { "open" }));
    }
    count(if run.is_whole() { "whole" } else { "truncated" });
    befalls::tally(run, &mut count);
    bundle
}

fn answer(rng: &mut fastrand::Rng) -> AgentAnswer {
    let value = |ok: bool| PortValue { schema_id: 4, kind: "toolresult.generic.v1".into(), value: ok.into() };
    let failed = |retryable| AgentResponse::Failed { retryable, reason: "no luck: not \"today\"".to_owned() };
    let response = match rng.u8(..6) {
        0 => failed(true),
        1 => failed(false),
        _ => AgentResponse::Completed { ports: [("ok".into(), vec![value(rng.bool())])].into() },
    };
    AgentAnswer { response, tokens: rng.bool().then(|| rng.u64(0..30)) }
}

fn simulate(seed: u64, tally: &mut BTreeMap<String, u32>) -> Vec<Bundle> {
    let mut rng = fastrand::Rng::with_seed(seed);
    // Apart, so that the runs are the same whoever talks about them.
    let mut talk = fastrand::Rng::with_seed(!seed);
    let mut kept = fastrand::Rng::with_seed(seed.wrapping_add(1 << 32));
    let events_kept_max = if kept.u8(..4) == 0 { kept.u64(2..60) } else { 10_000 };
    let limits = limits::Runs {
        events_kept_max,
        in_flight_run_max: rng.u64(1..5),
        in_flight_max: rng.u64(1..8),
        confirm_ms: 300,
        ..limits::Runs::default()
    };
    let mut fixture =
        Fixture::new(Settings { limits, timeout_ms: 5_000, tells_records: true, ..Settings::default() });
    let trace = |n: u64| TraceId(Uuid::from_u128(u128::from(n)));
    let (mut next, mut taken, mut asked, mut pending) = (1, 0, 0, Vec::new());
    for step in 0..250_u64 {
        if next <= 3 && rng.u8(..8) == 0 {
            let yaml = format!("opening {next}");
            fixture.openings.insert(yaml.clone(), Arc::new(random(&mut rng, 0)));
            let request =
                ControlRequest::RunSubmit { request_id: trace(next), opening_yaml: yaml, traceparent: None };
            fixture.control(trace(next), &request);
            next += 1;
        }
        while let Some(request) = fixture.requests.get(taken).cloned() {
            taken += 1;
            // Some answers are lost.
            if rng.u8(..12) > 0 {
                pending.push((fixture.ms + rng.u64(0..150), request));
            }
        }
        while let Some(ask) = fixture.asks.get(asked).cloned() {
            asked += 1;
            if rng.u8(..3) > 0 {
                let note = rng.bool().then(|| "so be it".to_owned());
                let decision = Decision { action_id: ask.action_id, approved: rng.bool(), note };
                let body = Bytes::from(decision.encode());
                fixture.handle(Input::Decided { by: by(), trace: ask.trace_id, body });
            }
        }
        if let Some(at) = (0..pending.len()).find(|at| pending[*at].0 <= fixture.ms) {
            let (_, request): (u64, AgentRequest) = pending.swap_remove(at);
            let (topic, body) = (TopicName::new(&request.reply_topic), answer(&mut rng).encode());
            fixture.handle(Input::Answer { topic, body: Bytes::from(body) });
        } else {
            fixture.pass(rng.u64(1..40));
        }
        if talk.u8(..4) == 0 {
            fixture.talk(&mut talk);
        }
        if rng.u8(..120) == 0 && next > 1 {
            let run = trace(rng.u64(1..next));
            fixture.control(trace(1_000 + step), &ControlRequest::RunCancel { trace_id: run });
        }
        if rng.u16(..900) == 0 {
            fixture.restart();
            *tally.entry("restart".to_owned()).or_default() += 1;
            (taken, asked) = (0, 0);
            pending.clear();
        }
    }
    fixture.pass(30_000);
    let checked = fixture.runs.values().map(|run| {
        assert!(run.end.is_some(), "seed {seed}: every run ends");
        check(seed, run, tally)
    });
    checked.collect()
}

/// The records of the runs of some seeds, as bundles.
pub(super) fn records(seeds: Range<u64>) -> Vec<Bundle> {
    seeds.flat_map(|seed| simulate(seed, &mut BTreeMap::new())).collect()
}
