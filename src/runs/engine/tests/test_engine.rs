//! Everything around an engine, under a virtual clock.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use bytes::Bytes;
use uuid::Uuid;

use crate::{
    ids::{ConnectionId, Ticket, TopicName, TraceId},
    runs::{
        Asker, AskerKind, NodeState, RunState, Snapshot, Transition,
        engine::{Engine, Input, Output, Publish, Reach, RunFeed, Settings},
        openings::{Edge, Literal, Map, Node, Opening, Policy, PortValue, Retry, Use},
        payload::{
            ActionRequest, AgentAnswer, AgentRequest, AgentResponse, CancelNotice, ControlRequest,
            ControlResponse, Decision, RunEvent,
        },
    },
    store::runs::{AnswerRow, ArtifactRow, NewRun, OpenRun, RestoredRuns, RunOp, RunRow},
    time::{Now, Wall},
};

/// How a run ended.
pub(super) struct End {
    pub(super) state: RunState,
    pub(super) why: Option<String>,
    pub(super) tokens: u64,
    pub(super) done: u64,
    pub(super) artifacts_missing: u64,
    pub(super) at: Wall,
}

/// What the tap was told: when, what, and the text beside it.
pub(super) type TapRecord = (Now, Transition, String);

/// What outlives an engine.
#[derive(Default)]
pub(super) struct PersistedState {
    pub(super) rows: BTreeMap<TraceId, NewRun>,
    pub(super) ended: BTreeMap<TraceId, End>,
    pub(super) events: BTreeMap<TraceId, Vec<u64>>,
    /// When the last event was told.
    pub(super) last_at: BTreeMap<TraceId, Wall>,
    pub(super) artifacts: Vec<ArtifactRow>,
    pub(super) answers: Vec<AnswerRow>,
    pub(super) spent: BTreeMap<TraceId, u64>,
    /// Nodes that are done.
    pub(super) done: BTreeMap<TraceId, u64>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a way in which what is around may behave")]
pub(super) struct TestEngine {
    pub(super) engine: Engine,
    pub(super) ms: u64,
    pub(super) openings: BTreeMap<String, Arc<Opening>>,
    pub(super) persisted: PersistedState,
    pub(super) commits: bool,
    /// What was published is not taken until [`House::take_accepted`].
    pub(super) is_bus_behind: bool,
    accepted: Vec<Ticket>,
    pub(super) uncommitted: VecDeque<(Ticket, Arc<[RunOp]>)>,
    /// Commits that fail before one succeeds again.
    pub(super) failing: u32,
    /// Whom the next requests reach, whatever their topic; before all others.
    pub(super) next_reaches: VecDeque<Reach>,
    /// Requests wait on their way to the bus until [`House::take_requests`].
    pub(super) holds_requests: bool,
    held: VecDeque<(Ticket, Reach)>,
    /// The store takes its time over runs that are looked up, until [`House::recall`].
    pub(super) holds_recalls: bool,
    pub(super) recalls: VecDeque<TraceId>,
    /// Whom requests on a topic reach; where nothing is said, one session.
    pub(super) reaches: BTreeMap<String, Reach>,
    pub(super) requests: Vec<AgentRequest>,
    /// Requests that reached nobody.
    pub(super) refused: Vec<AgentRequest>,
    pub(super) cancels: Vec<CancelNotice>,
    pub(super) asks: Vec<ActionRequest>,
    pub(super) responses: Vec<(TraceId, ControlResponse)>,
    pub(super) events: Vec<(u64, TraceId, RunEvent)>,
    pub(super) listens: BTreeSet<TopicName>,
    pub(super) feeds: Vec<RunFeed>,
    pub(super) snapshot: Snapshot,
    pub(super) tapped: Vec<TapRecord>,
    /// Where in its plan the node of a request is, by its reply topic.
    pub(super) positions: BTreeMap<Arc<str>, u32>,
    running: u32,
    settings: Settings,
    next_id: u128,
}

pub(super) const SESSION: ConnectionId = ConnectionId(7);
pub(super) fn trace(n: u64) -> TraceId {
    TraceId(Uuid::from_u128(u128::from(n)))
}

pub(super) fn by() -> Asker {
    Asker { kind: AskerKind::Tui, client: Arc::from("tester") }
}

pub(super) fn node(id: &str) -> Node {
    Node {
        id: Arc::from(id),
        action: Use::Agent(Arc::from("echo")),
        with: Map::new(),
        retry: Retry::default(),
        timeout_ms: None,
        budget_tokens: None,
        tags: Vec::new(),
        asks: false,
    }
}

/// Edges are written `a.out -> b.in` or `a.out==true -> b.in`.
pub(super) fn opening(nodes: Vec<Node>, edges: &[&str]) -> Opening {
    let place = |id: &str| nodes.iter().position(|node| &*node.id == id).unwrap();
    let edge = |text: &&str| {
        let (from, to) = text.split_once(" -> ").unwrap();
        let (from, when) = from
            .split_once("==")
            .map_or((from, None), |(from, when)| (from, Some(Literal::Bool(when == "true"))));
        let ((from, from_port), (to, to_port)) = (from.split_once('.').unwrap(), to.split_once('.').unwrap());
        Edge {
            from: place(from),
            from_port: Arc::from(from_port),
            when,
            to: place(to),
            to_port: Arc::from(to_port),
        }
    };
    let edges = edges.iter().map(edge).collect();
    let (goals, save) = (Vec::new(), Vec::new());
    Opening {
        name: Arc::from("test"),
        goals,
        params: Map::new(),
        policy: Policy::default(),
        nodes,
        edges,
        success: None,
        save,
    }
}

pub(super) fn value(value: impl Into<rmpv::Value>) -> PortValue {
    PortValue { schema_id: 4, kind: Arc::from("toolresult.generic.v1"), value: value.into() }
}

pub(super) fn gives(ports: &[(&str, rmpv::Value)]) -> AgentAnswer {
    let ports = ports.iter().map(|(port, it)| (Arc::from(*port), vec![value(it.clone())])).collect();
    AgentAnswer { response: AgentResponse::Completed { ports }, tokens: None }
}

pub(super) fn fails(retryable: bool) -> AgentAnswer {
    AgentAnswer { response: AgentResponse::Failed { retryable, reason: "no luck".to_owned() }, tokens: None }
}

fn engine(settings: Settings, now: Now, restored: RestoredRuns, mut next_id: u128) -> Engine {
    let ids = move || {
        next_id += 1;
        Uuid::from_u128(next_id)
    };
    Engine::new(now, settings, restored, Box::new(ids))
}

impl TestEngine {
    pub(super) fn new() -> Self {
        Self::with(Settings::default())
    }

    pub(super) fn with(settings: Settings) -> Self {
        Self {
            engine: engine(settings, Now::at_ms(0), RestoredRuns::default(), 1 << 80),
            ms: 0,
            openings: BTreeMap::new(),
            persisted: PersistedState::default(),
            commits: true,
            is_bus_behind: false,
            accepted: Vec::new(),
            uncommitted: VecDeque::new(),
            failing: 0,
            next_reaches: VecDeque::new(),
            holds_requests: false,
            held: VecDeque::new(),
            holds_recalls: false,
            recalls: VecDeque::new(),
            reaches: BTreeMap::new(),
            requests: Vec::new(),
            refused: Vec::new(),
            cancels: Vec::new(),
            asks: Vec::new(),
            responses: Vec::new(),
            events: Vec::new(),
            listens: BTreeSet::new(),
            feeds: Vec::new(),
            snapshot: Snapshot::default(),
            tapped: Vec::new(),
            positions: BTreeMap::new(),
            running: 0,
            settings,
            next_id: 1 << 90,
        }
    }

    /// The station stops without a word and starts again.
    pub(super) fn restart(&mut self) {
        let open = self.persisted.rows.keys().filter(|run| !self.persisted.ended.contains_key(run));
        let open = open.filter_map(|run| {
            let last_event = self.persisted.events.get(run).and_then(|events| events.last().copied());
            let row = self.row(*run)?;
            let last_at = self.persisted.last_at.get(run).copied().unwrap_or(row.submitted_at);
            Some(OpenRun { row, last_event: last_event.unwrap_or(0), last_at })
        });
        let answers = self.persisted.answers.clone();
        let restored = RestoredRuns { open: open.collect(), answers, ..RestoredRuns::default() };
        self.next_id += 1 << 64;
        self.engine = engine(self.settings, Now::at_ms(self.ms), restored, self.next_id);
        (self.uncommitted, self.listens) = (VecDeque::new(), BTreeSet::new());
        (self.requests, self.asks, self.snapshot) = (Vec::new(), Vec::new(), Snapshot::default());
        self.tapped.clear();
        self.drain();
    }

    /// The stored row of a run.
    fn row(&self, run: TraceId) -> Option<RunRow> {
        let (row, end) = (self.persisted.rows.get(&run)?, self.persisted.ended.get(&run));
        Some(RunRow {
            number: 1,
            run,
            opening: row.opening,
            name: row.name.clone(),
            by: row.by,
            client: row.client.clone(),
            state: end.map_or(RunState::Running, |end| end.state),
            why: end.and_then(|end| end.why.clone()),
            nodes: row.nodes,
            done: self.persisted.done.get(&run).copied().unwrap_or(0),
            tokens: self.persisted.spent.get(&run).copied().unwrap_or(0),
            // As the store does: a count, and no number.
            events: self.persisted.events.get(&run).map_or(0, |events| events.len() as u64),
            artifacts: 0,
            submitted_at: row.at,
            ended_at: end.map(|end| end.at),
            rated: None,
        })
    }

    pub(super) fn handle(&mut self, input: Input) {
        self.engine.handle(Now::at_ms(self.ms), input);
        self.drain();
    }

    /// Moves the clock on, stopping wherever something is due.
    pub(super) fn pass(&mut self, ms: u64) {
        let end = self.ms + ms;
        while let Some(due) =
            self.engine.timeout().map(|at| at.0.div_ceil(1_000_000)).filter(|due| *due <= end)
        {
            self.ms = self.ms.max(due);
            self.handle(Input::Timeout);
        }
        self.ms = end;
    }

    pub(super) fn drain(&mut self) {
        while let Some(output) = self.engine.poll_output() {
            let now = Now::at_ms(self.ms);
            match output {
                Output::Load { ticket, yaml } => {
                    let opening = self
                        .openings
                        .get(&*yaml)
                        .cloned()
                        .ok_or_else(|| "line 1, column 1: no opening".to_owned());
                    self.engine.handle(now, Input::Loaded { ticket, opening });
                }
                Output::Publish(publish) => self.on_publish(publish),
                Output::Record(feed) => self.feeds.push(feed),
                Output::Listen { topic } => {
                    self.positions.insert(Arc::from(topic.as_str()), self.running);
                    assert!(self.listens.insert(topic));
                }
                Output::Unlisten { topic } => assert!(self.listens.remove(&topic)),
                Output::Recall { run } if self.holds_recalls => self.recalls.push_back(run),
                Output::Recall { run } => {
                    let row = self.row(run).map(Box::new);
                    self.engine.handle(now, Input::Recalled { run, row });
                }
                Output::RecallAnswer { request, variant } => {
                    let kept = self
                        .persisted
                        .answers
                        .iter()
                        .find(|kept| kept.request == request && kept.variant == variant);
                    let body = kept.map(|kept| kept.body.clone());
                    self.engine.handle(now, Input::AnswerRecalled { request, variant, body });
                }
                Output::Persist { ticket, ops } => {
                    self.uncommitted.push_back((ticket, ops));
                    if self.commits {
                        self.commit();
                    }
                }
                Output::Transition { transition, text } => {
                    if let Transition::StateChange { node, state: NodeState::Running, .. } = &transition {
                        self.running = node.index;
                    }
                    self.snapshot.follow(&transition, now, &text, &self.settings.limits);
                    self.tapped.push((now, transition, text));
                }
            }
        }
    }

    /// Makes what waits for that durable.
    pub(super) fn commit(&mut self) {
        while let Some((ticket, ops)) = self.uncommitted.pop_front() {
            if self.failing > 0 {
                self.failing -= 1;
                let error = "the disk is full".to_owned();
                self.engine.handle(Now::at_ms(self.ms), Input::CommitFailed { ticket, error });
                continue;
            }
            let is_known =
                |op: &RunOp| matches!(op, RunOp::Begin(row) if self.persisted.rows.contains_key(&row.run));
            if ops.iter().any(is_known) {
                let error = "UNIQUE constraint failed: runs.run".to_owned();
                self.engine.handle(Now::at_ms(self.ms), Input::CommitFailed { ticket, error });
                continue;
            }
            for op in ops.iter().cloned() {
                match op {
                    RunOp::Begin(row) => assert!(self.persisted.rows.insert(row.run, *row).is_none()),
                    RunOp::End { run, state, why, tokens, done, artifacts_missing, at } => {
                        let end = End { state, why, tokens, done, artifacts_missing, at };
                        assert!(self.persisted.ended.insert(run, end).is_none(), "a run ends once");
                    }
                    RunOp::Done { run, nodes } => {
                        self.persisted.done.insert(run, nodes);
                    }
                    RunOp::Event { run, event } => {
                        let events = self.persisted.events.entry(run).or_default();
                        // A commit behind one that failed may be durable before it is.
                        let place = events.binary_search(&event.number).expect_err("an event is kept once");
                        events.insert(place, event.number);
                        self.persisted.last_at.insert(run, event.at);
                    }
                    RunOp::Spent { run, tokens } => {
                        self.persisted.spent.insert(run, tokens);
                    }
                    RunOp::Artifact { artifact, .. } => self.persisted.artifacts.push(artifact),
                    RunOp::Answer(answer) => self.persisted.answers.push(answer),
                }
            }
            self.engine.handle(Now::at_ms(self.ms), Input::Committed { ticket });
        }
    }

    fn on_publish(&mut self, Publish { topic, schema_id, trace, ttl_ms, body, ticket }: Publish) {
        let topic = topic.as_str();
        let is_question = topic == "action.request";
        assert!(is_question || ttl_ms == 30_000, "{topic}: TTL is 30 s");
        if topic == "rlp/ctrl" {
            assert_eq!(schema_id, 2002);
            self.responses.push((trace, ControlResponse::decode(&body).unwrap()));
            if let Some(ticket) = ticket {
                self.accepted.push(ticket);
            }
            if !self.is_bus_behind {
                self.take_accepted();
            }
        } else if let Some(ticket) = ticket {
            let next = self.next_reaches.pop_front();
            let reach = next.or_else(|| self.reaches.get(topic).cloned()).unwrap_or_else(|| self.took(1));
            let request = AgentRequest::decode(&body).unwrap();
            assert!(
                self.listens.contains(&*request.reply_topic),
                "the reply topic is listened to before the request leaves"
            );
            assert_eq!(schema_id, 4000);
            if matches!(reach, Reach::Taken { .. }) {
                self.requests.push(request);
            } else {
                self.refused.push(request);
            }
            if self.holds_requests {
                return self.held.push_back((ticket, reach));
            }
            self.engine.handle(Now::at_ms(self.ms), Input::Reached { ticket, reach });
        } else if topic.starts_with("agent/") {
            assert_eq!(schema_id, 2);
            self.cancels.push(CancelNotice::decode(&body).unwrap());
        } else if is_question {
            let ask = ActionRequest::decode(&body).unwrap();
            assert_eq!(
                (schema_id, ttl_ms),
                (3005, ask.expires_at.0 - Now::at_ms(self.ms).wall.0),
                "it is worth an answer until it expires"
            );
            self.asks.push(ask);
        } else {
            assert_eq!((topic, schema_id), (&*format!("rlp/runs/{trace}/events"), 8));
            self.events.push((self.ms, trace, RunEvent::decode(&body).unwrap()));
        }
    }

    /// The bus takes the requests that are on their way.
    pub(super) fn take_requests(&mut self) {
        for (ticket, reach) in std::mem::take(&mut self.held) {
            self.handle(Input::Reached { ticket, reach });
        }
    }

    /// The store tells of the runs that are looked up.
    pub(super) fn recall(&mut self) {
        for run in std::mem::take(&mut self.recalls) {
            let row = self.row(run).map(Box::new);
            self.handle(Input::Recalled { run, row });
        }
    }

    /// This session takes the next request; its number is how many were taken before.
    fn took(&self, session: u64) -> Reach {
        Reach::Taken { peers: vec![ConnectionId(session)], msg_id: self.requests.len() as u64 }
    }

    /// The bus takes what says that runs are accepted.
    pub(super) fn take_accepted(&mut self) {
        for ticket in std::mem::take(&mut self.accepted) {
            let reach = Reach::Taken { peers: Vec::new(), msg_id: 0 };
            self.engine.handle(Now::at_ms(self.ms), Input::Reached { ticket, reach });
        }
    }

    pub(super) fn control(&mut self, trace: TraceId, request: &ControlRequest) {
        let body = Bytes::from(request.encode());
        self.handle(Input::Control { by: by(), session: SESSION, trace, body });
    }

    /// Submits an opening and lets its run begin.
    pub(super) fn submit(&mut self, n: u64, opening: Opening) {
        let yaml = format!("opening {n}");
        self.openings.insert(yaml.clone(), Arc::new(opening));
        self.control(
            trace(n),
            &ControlRequest::RunSubmit { request_id: trace(n), opening_yaml: yaml, traceparent: None },
        );
    }

    /// Cancels a run by a request of its own.
    pub(super) fn cancel(&mut self, request: u64, n: u64) {
        self.control(trace(request), &ControlRequest::RunCancel { trace_id: trace(n) });
    }

    /// Takes the latest request for a node.
    pub(super) fn request(&self, node: &str) -> AgentRequest {
        self.requests
            .iter()
            .rev()
            .find(|request| &*request.node.id == node)
            .unwrap_or_else(|| panic!("no request for {node}"))
            .clone()
    }

    pub(super) fn answer(&mut self, request: &AgentRequest, answer: &AgentAnswer) {
        let topic = TopicName::new(&request.reply_topic);
        self.handle(Input::Answer { topic, body: Bytes::from(answer.encode()) });
    }

    /// Answers the latest request for a node.
    pub(super) fn does(&mut self, node: &str, answer: &AgentAnswer) {
        let request = self.request(node);
        self.answer(&request, answer);
    }

    pub(super) fn decide(&mut self, ask: &ActionRequest, approved: bool) {
        let decision = Decision { action_id: ask.action_id, approved, note: None };
        self.handle(Input::Decided { by: by(), trace: ask.trace_id, body: Bytes::from(decision.encode()) });
    }

    /// How a node of the only run stands, and what is said of it.
    pub(super) fn status(&self, node: &str) -> (NodeState, String) {
        let run = self.snapshot.runs.back().unwrap();
        let place = run.plan.nodes.iter().position(|it| &*it.id == node).unwrap();
        (run.nodes[place].state, run.nodes[place].why.as_deref().unwrap_or_default().to_owned())
    }

    pub(super) fn states(&self) -> Vec<NodeState> {
        self.snapshot.runs.back().unwrap().nodes.iter().map(|node| node.state).collect()
    }

    /// How a run ended, and why.
    pub(super) fn end(&self, n: u64) -> Option<(&'static str, String)> {
        let end = self.persisted.ended.get(&trace(n))?;
        Some((end.state.name(), end.why.as_deref().unwrap_or_default().to_owned()))
    }
}
