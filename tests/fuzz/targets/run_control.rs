//! Any messages to the runs, between what agents, the clock and the store do: each is handled as it was
//! judged before, and judging changes nothing.

#![no_main]

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use rl_console::{
    ids::{ActionId, ConnectionId, OpeningId, Ticket, TopicName, TraceId},
    judged::{Certainty, Doubt},
    limits,
    runs::{
        Asker, AskerKind, ControlTopic, ControlVerdict, JudgedControl, RejectedFor, Stand,
        engine::{
            AgentsCancel, ControlLookups, ControlNeed, Engine, Input, Output, Publish, Reach, Settings,
        },
        openings::{Map, NoLibrary, Opening},
        payload::{
            AgentAnswer, AgentRequest, AgentResponse, ControlRequest, ControlResponse, Decision, Ports,
        },
    },
    store::runs::{RestoredRuns, RunOp},
    time::Now,
};
use uuid::Uuid;

const OPENINGS: [&str; 4] = [
    "version: 0\nname: one\nnodes:\n  - {id: a, use: 'agent:x'}\nedges: []\n",
    "version: 0\nname: asks\npolicy: {timeout_ms: 2000}\nnodes:\n  - {id: a, use: 'agent:x', \
     require_human_confirm: true}\nedges: []\n",
    "version: 0\nname: none\nnodes: []\nedges: []\n",
    "version: 0\nname: wrong\nnodes: 7\n",
];

/// What the store makes of what it is to write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Store {
    Writes,
    Refuses,
    /// It has not answered yet.
    Waits,
}

/// An engine with what is around it.
struct Runs {
    engine: Engine,
    settings: Settings,
    now: Now,
    store: Store,
    unwritten: VecDeque<(Ticket, Arc<[RunOp]>)>,
    /// Answers that are stored, by request and variant.
    answers: BTreeMap<(TraceId, String), Bytes>,
    /// What was published on `rlp/ctrl`.
    published: Vec<Publish>,
    /// Where agents' answers are awaited.
    reply_topics: VecDeque<TopicName>,
}

fn trace(n: u8) -> TraceId {
    TraceId(Uuid::from_u128(u128::from(n)))
}

impl Runs {
    fn new(how: u8) -> Self {
        let limits = limits::Runs {
            open_max: 3,
            answers_max: if how & 1 == 0 { 4 } else { 1_000 },
            ..limits::Runs::default()
        };
        let agents_cancel = if how & 2 == 0 { AgentsCancel::Any } else { AgentsCancel::Own };
        let settings = Settings { limits, agents_cancel, ..Settings::default() };
        let now = Now::at_ms(0);
        let mut next_id = 1 << 80;
        let ids = move || {
            next_id += 1;
            Uuid::from_u128(next_id)
        };
        Self {
            engine: Engine::new(now, settings, RestoredRuns::default(), Box::new(ids)),
            settings,
            now,
            store: Store::Writes,
            unwritten: VecDeque::new(),
            answers: BTreeMap::new(),
            published: Vec::new(),
            reply_topics: VecDeque::new(),
        }
    }

    fn handle(&mut self, input: Input) {
        self.engine.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.engine.poll_output() {
            let then = match output {
                Output::Load { ticket, yaml } => Some(Input::Loaded { ticket, opening: self.load(&yaml) }),
                Output::Publish(publish) => self.publish(publish),
                Output::Persist { ticket, ops } => {
                    self.unwritten.push_back((ticket, ops));
                    if self.store != Store::Waits {
                        self.write();
                    }
                    None
                }
                Output::Recall { run } => Some(Input::Recalled { run, row: None }),
                Output::RecallAnswer { request, variant } => {
                    let body = self.answers.get(&(request, variant.to_owned())).cloned();
                    Some(Input::AnswerRecalled { request, variant, body })
                }
                Output::Listen { .. }
                | Output::Unlisten { .. }
                | Output::Record(_)
                | Output::Transition { .. } => None,
            };
            if let Some(then) = then {
                self.engine.handle(self.now, then);
            }
        }
    }

    fn load(&self, yaml: &str) -> Result<Arc<Opening>, String> {
        Opening::load(yaml, None, &Map::new(), &NoLibrary, &self.settings.limits)
            .map(Arc::new)
            .map_err(|faults| faults.to_string())
    }

    fn publish(&mut self, publish: Publish) -> Option<Input> {
        let ticket = publish.ticket;
        if let Ok(request) = AgentRequest::decode(&publish.body) {
            self.reply_topics.push_back(TopicName::new(&request.reply_topic));
        }
        if publish.topic.as_str() == "rlp/ctrl" {
            self.published.push(publish);
        }
        let reach = Reach::Taken { peers: vec![ConnectionId(7)], msg_id: 1 };
        ticket.map(|ticket| Input::Reached { ticket, reach })
    }

    /// The store answers all that waits for it.
    fn write(&mut self) {
        while let Some((ticket, ops)) = self.unwritten.pop_front() {
            if self.store == Store::Refuses {
                let error = "the disk is full".to_owned();
                self.engine.handle(self.now, Input::CommitFailed { ticket, error });
                continue;
            }
            for op in ops.iter() {
                if let RunOp::Answer(row) = op {
                    let key = (row.request, row.variant.clone());
                    self.answers.entry(key).or_insert_with(|| row.body.clone());
                }
            }
            self.engine.handle(self.now, Input::Committed { ticket });
        }
    }

    /// Time passes, with every deadline at its moment.
    fn pass(&mut self, ms: u64) {
        let end = self.now.after(Duration::from_millis(ms));
        while let Some(due) = self.engine.timeout().filter(|due| *due <= end.mono) {
            self.now = self.now.after(due.since(self.now.mono));
            self.handle(Input::Timeout);
        }
        self.now = end;
    }

    /// What else happens.
    fn happens(&mut self, what: u8, how: u8) {
        match what % 6 {
            0 => self.pass(u64::from(how) * 20),
            1 => {
                self.store = [Store::Writes, Store::Refuses, Store::Waits][usize::from(how) % 3];
                if self.store != Store::Waits {
                    self.write();
                    self.drain();
                }
            }
            2 => self.engine.set_disk_low(how.is_multiple_of(2)),
            // The station is held up: nothing is done at its moment.
            3 => self.now = self.now.after(Duration::from_millis(u64::from(how) * 20)),
            _ => {
                let Some(topic) = self.reply_topics.pop_front() else { return };
                let response = if how.is_multiple_of(2) {
                    AgentResponse::Completed { ports: Ports::default() }
                } else {
                    AgentResponse::Failed { retryable: how % 3 == 0, reason: "no luck".to_owned() }
                };
                let body = Bytes::from(AgentAnswer { response, tokens: None }.encode());
                self.handle(Input::Answer { topic, body });
            }
        }
    }

    /// The state, as far as it can be looked at.
    fn state(&self) -> impl PartialEq + std::fmt::Debug + use<> {
        (self.engine.timeout(), self.engine.open(), self.engine.asks(9), self.engine.metrics())
    }

    /// Judges a message, and looks up what that hangs on.
    fn judge(&self, stand: &Stand, body: &[u8]) -> JudgedControl {
        let mut lookups = ControlLookups::default();
        for _ in 0..3 {
            match self.engine.judge(self.now, stand, body, &lookups) {
                (judged, None) => return judged,
                (judged, Some(need)) => {
                    assert_eq!(judged.certainty, Certainty::AfterALook);
                    match need {
                        ControlNeed::Opening(yaml) => lookups.opening = Some(self.load(&yaml)),
                        ControlNeed::Answer { request, variant } => {
                            let kept = self.answers.get(&(request, variant.to_owned())).cloned();
                            lookups.answer = Some(kept);
                        }
                    }
                }
            }
        }
        panic!("it asks for ever")
    }

    /// A message comes.
    fn comes(&mut self, stand: &Stand, body: Vec<u8>, cut: u8) {
        let before = self.state();
        let _ = self.judge(stand, &body[..usize::from(cut) % (body.len() + 1)]);
        let judged = self.judge(stand, &body);
        assert_eq!(self.state(), before, "judging changes nothing");
        assert!(self.engine.poll_output().is_none());
        self.published.clear();
        let mut rejected = self.engine.metrics().rejected;
        let by = Asker { kind: stand.kind, client: stand.client.as_str().into() };
        let (session, trace) = (stand.session.expect("it is in one"), stand.trace);
        let body = Bytes::from(body);
        self.handle(match stand.topic {
            topic if stand.ttl_ms == 0 => Input::Expired { by, trace, topic: TopicName::new(topic.name()) },
            ControlTopic::Control => Input::Control { by, session, trace, body },
            ControlTopic::Decision => Input::Decided { by, trace, body },
        });
        self.agrees(stand, &judged, &mut rejected);
    }

    fn agrees(&self, stand: &Stand, judged: &JudgedControl, rejected: &mut [u64]) {
        let given = self.published.iter().filter(|it| it.trace == stand.trace);
        let given: Vec<ControlResponse> = given.map(|it| unnamed(&it.body)).collect();
        let foreseen: Vec<_> = judged.answers.iter().map(|it| unnamed(&it.body)).collect();
        let mut count = |why: RejectedFor| {
            rejected[RejectedFor::ALL.iter().position(|it| *it == why).expect("it is one of them")] += 1;
        };
        if let ControlVerdict::Rejected(why) = judged.verdict {
            count(why);
        }
        let begins = matches!(foreseen[..], [ControlResponse::RunAccepted { .. }]);
        let is_new = judged.verdict == ControlVerdict::Accepted && stand.topic == ControlTopic::Control;
        match self.store {
            Store::Refuses if begins && is_new => {
                count(RejectedFor::NotRecorded);
                assert!(judged.doubts.contains(&Doubt::Commit), "{judged:?}");
                let [ControlResponse::RunRejected { request_id, reason }] = &given[..] else {
                    panic!("{given:?} after {judged:?}")
                };
                assert_eq!(*request_id, stand.trace);
                assert!(reason.starts_with("cannot store the run: the disk is full"), "{reason}");
            }
            // An answer that waits for the store comes later.
            Store::Waits => assert!(given.is_empty() || given == foreseen, "{given:?} after {judged:?}"),
            Store::Writes | Store::Refuses => assert_eq!(given, foreseen, "{judged:?}"),
        }
        assert_eq!(self.engine.metrics().rejected, *rejected, "{judged:?}");
    }

    /// A message of some kind, with bytes put over it: pairs of a position and a byte.
    fn message(&self, what: u8, n: u8, how: u8, bytes: &[u8]) -> (Stand, Vec<u8>) {
        let name = trace(n % 16);
        let mut stand = Stand {
            topic: ControlTopic::Control,
            kind: [AskerKind::Tui, AskerKind::Agent, AskerKind::Cue][usize::from(how) % 3],
            client: "fuzz".to_owned(),
            session: Some(ConnectionId(7 + u64::from(how >> 2 & 1))),
            trace: name,
            ttl_ms: if how >> 3 == 31 { 0 } else { 30_000 },
        };
        let submit = |request_id, yaml: &str| {
            let opening_yaml = yaml.to_owned();
            ControlRequest::RunSubmit { request_id, opening_yaml, traceparent: None }.encode()
        };
        let mut body = match what % 8 {
            0 | 1 => submit(name, OPENINGS[usize::from(n) % OPENINGS.len()]),
            2 => return (stand, submit(name, &String::from_utf8_lossy(bytes))),
            3 => ControlRequest::RunCancel { trace_id: trace(how % 16) }.encode(),
            4 => submit(trace(how % 16), OPENINGS[0]),
            5 => ControlRequest::DescribeAgents { request_id: name, agents: Vec::new() }.encode(),
            6 => {
                stand.topic = ControlTopic::Decision;
                let asks = self.engine.asks(9);
                let asked = asks.get(usize::from(n) % asks.len().max(1)).map(|ask| ask.action);
                let action_id = asked.unwrap_or(ActionId(Uuid::nil()));
                Decision { action_id, approved: how.is_multiple_of(2), note: None }.encode()
            }
            _ => {
                let is_decision = n.is_multiple_of(2);
                stand.topic = if is_decision { ControlTopic::Decision } else { ControlTopic::Control };
                return (stand, bytes.to_vec());
            }
        };
        for pair in bytes.chunks_exact(2) {
            let at = usize::from(pair[0]) % body.len();
            body[at] = pair[1];
        }
        (stand, body)
    }
}

/// An answer without the ids that were made for it.
fn unnamed(body: &[u8]) -> ControlResponse {
    let mut response = ControlResponse::decode(body).expect("it is an answer");
    if let ControlResponse::RunAccepted { opening_id, .. } = &mut response {
        *opening_id = OpeningId(Uuid::nil());
    }
    response
}

fuzz_target!(|input: (u8, Vec<(u8, u8, u8, Vec<u8>)>)| {
    let (how, steps) = input;
    let mut runs = Runs::new(how);
    for (what, n, how, bytes) in steps.iter().take(64) {
        if what & 0x10 != 0 {
            runs.happens(*n, *how);
            continue;
        }
        let (stand, body) = runs.message(*what, *n, *how, bytes);
        runs.comes(&stand, body, *n);
    }
});
