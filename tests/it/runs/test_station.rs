//! A station, clients that submit, and agents.

use std::{
    collections::{BTreeSet, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use rl_console::{
    port::{Page, Query, StationPort},
    runs::engine::AgentsCancel,
    station::{
        Config, Station,
        bus::{TokenKind, token},
    },
    time::Clock,
};
use rmpv::Value;
use tempfile::TempDir;

use crate::rmp_bus::{
    Peer,
    frames::{self, Frame, Header, field, map},
};

pub(super) const CTRL_REQ: u16 = 2001;
pub(super) const AGENT_RESPONSE: u16 = 4001;
const ACTION_DECISION: u16 = 3006;

pub(crate) struct TestStation {
    station: Option<Station>,
    pub(crate) folder: TempDir,
    agents_cancel: AgentsCancel,
}

impl TestStation {
    pub(crate) fn open() -> Self {
        Self::with(AgentsCancel::Any)
    }

    /// One that says so whose runs an agent may cancel.
    pub(crate) fn with(agents_cancel: AgentsCancel) -> Self {
        let mut fixture = Self { station: None, folder: tempfile::tempdir().unwrap(), agents_cancel };
        fixture.start();
        fixture
    }

    fn start(&mut self) {
        let config = Config { agents_cancel: self.agents_cancel, ..Config::within(self.folder.path()) };
        let station = Station::start(config, Clock::start()).unwrap();
        let ready = runtime().block_on(station.ready()).unwrap();
        assert_eq!(ready.rmp, Ok(self.path()));
        self.station = Some(station);
    }

    /// Ends the station in order and starts it again on the same folder.
    pub(crate) fn restart(&mut self) {
        self.station.take().unwrap().stop();
        self.start();
    }

    /// The station itself, for who ends it in another way.
    pub(crate) fn take(&mut self) -> Station {
        self.station.take().unwrap()
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("rmp.sock")
    }

    /// A client of this kind, which hears answers of the control plane.
    pub(crate) fn client(&self, kind: &str, which: Option<TokenKind>) -> Client {
        self.client_named("test", kind, which)
    }

    /// A client of a name.
    pub(crate) fn client_named(&self, name: &str, kind: &str, which: Option<TokenKind>) -> Client {
        let token = which.map(|which| token(self.folder.path(), which).unwrap());
        Client::of(Peer::greeted_as(&self.path(), name, kind, token.as_deref()))
    }

    pub(crate) fn agent_client(&self) -> Client {
        self.client("agent", None)
    }

    /// An agent on a thread of its own. What it is asked goes to `answer`, which gives the payloads to answer
    /// with.
    pub(crate) fn agent(
        &self,
        name: &str,
        answer: impl FnMut(&AgentCall) -> Vec<Value> + Send + 'static,
    ) -> Agent {
        Agent::start(&self.path(), name, answer)
    }

    pub(crate) fn port(&self) -> Arc<dyn StationPort> {
        self.station.as_ref().unwrap().port()
    }

    pub(super) fn snapshot(&self) -> rl_console::port::Snapshot {
        runtime().block_on(self.port().snapshot()).unwrap()
    }

    pub(crate) fn query(&self, query: Query) -> Page {
        runtime().block_on(self.port().query(query)).unwrap()
    }

    pub(crate) fn command(
        &self,
        command: rl_console::port::Command,
    ) -> Result<rl_console::port::Outcome, rl_console::port::PortError> {
        runtime().block_on(self.port().command(command))
    }
}

impl Drop for TestStation {
    fn drop(&mut self) {
        if let Some(station) = self.station.take() {
            station.stop();
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

pub(super) fn header(schema_id: u16, trace_id: u128, msg_id: u64) -> Header {
    Header { schema_id, created_at_ms: 1, ttl_ms: u64::MAX - 2, trace_id, msg_id }
}

pub(crate) fn id(number: u128) -> Value {
    Value::Binary(number.to_be_bytes().to_vec())
}

/// An id of a run, as its topics have it.
pub(crate) fn trace(number: u128) -> String {
    format!("trace:{}", uuid::Uuid::from_u128(number))
}

/// Who submits and listens.
pub(crate) struct Client {
    pub(crate) peer: Peer,
    subs: u64,
    followed: BTreeSet<u128>,
    /// Events that came before an answer was read.
    unread_events: VecDeque<Event>,
}

/// What the control plane answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) variant: String,
    pub(crate) fields: Value,
    pub(crate) trace: u128,
}

impl Answer {
    pub(crate) fn text(&self, name: &str) -> String {
        field(&self.fields, name).as_str().unwrap_or_default().to_owned()
    }
}

/// One event of a run.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) kind: String,
    pub(crate) level: Option<String>,
    pub(crate) message: String,
    pub(crate) meta: Value,
}

impl Client {
    /// A peer that has said its hello, and hears answers of the control plane from now on.
    pub(crate) fn of(mut peer: Peer) -> Self {
        peer.subscribe(1, "rlp/ctrl");
        Self { peer, subs: 1, followed: BTreeSet::new(), unread_events: VecDeque::new() }
    }

    /// Sends a request with this header trace, and waits for the broker's Ok.
    pub(crate) fn request(&mut self, trace_id: u128, variant: &str, fields: Vec<(&str, Value)>) {
        let body = frames::body("intent.ctrl.request.v1", map(vec![(variant, map(fields))]));
        let msg_id = self.peer.next_id();
        self.peer.publish("rlp/ctrl", false, &frames::frame(header(CTRL_REQ, trace_id, msg_id), &body));
    }

    pub(crate) fn submit(&mut self, run: u128, yaml: &str) -> Answer {
        self.follow(run);
        self.request(run, "RunSubmit", vec![("request_id", id(run)), ("opening_yaml", yaml.into())]);
        self.answer()
    }

    /// Submits and reads the stream of events to its end.
    pub(crate) fn run(&mut self, run: u128, yaml: &str) -> Vec<Event> {
        let answer = self.submit(run, yaml);
        assert_eq!(answer.variant, "RunAccepted", "{answer:?}");
        self.events()
    }

    /// Subscribes to a run's events, once. A client chooses its run's id, and so it can before there is a
    /// run: nothing is missed, however busy the machine.
    fn follow(&mut self, run: u128) {
        if !self.followed.insert(run) {
            return;
        }
        self.subs += 1;
        self.peer.subscribe(self.subs, &format!("rlp/runs/{}/events", trace(run)));
    }

    /// The next answer of the control plane.
    pub(crate) fn answer(&mut self) -> Answer {
        loop {
            let (_, topic, frame) = self.peer.delivered();
            if topic == "rlp/ctrl" && frame.schema_id() == 2002 {
                assert_eq!(frame.kind(), "toolresult.ctrl.response.v1");
                let payload = frame.payload();
                let (variant, fields) = payload.as_map().unwrap()[0].clone();
                let trace = u128::from_be_bytes(frame.wire[40..56].try_into().unwrap());
                return Answer { variant: variant.as_str().unwrap().to_owned(), fields, trace };
            }
            self.unread_events.extend(event(&topic, &frame));
        }
    }

    /// The next event of any run that it follows.
    pub(crate) fn event(&mut self) -> Event {
        if let Some(event) = self.unread_events.pop_front() {
            return event;
        }
        loop {
            let (_, topic, frame) = self.peer.delivered();
            if let Some(event) = event(&topic, &frame) {
                return event;
            }
        }
    }

    /// All events up to the last one, which says whether the run succeeded.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.event();
            let is_last = event.kind == "status" && field(&event.meta, "success").as_bool().is_some();
            events.push(event);
            if is_last {
                return events;
            }
        }
    }

    /// Waits for a question to a person, and tells its action id and what it says.
    pub(crate) fn asked(&mut self) -> (Value, String) {
        loop {
            let (_, topic, frame) = self.peer.delivered();
            if topic == "action.request" {
                let payload = frame.payload();
                return (
                    field(&payload, "action_id"),
                    field(&payload, "summary").as_str().unwrap().to_owned(),
                );
            }
        }
    }

    pub(crate) fn decide(&mut self, action: &Value, approved: bool) {
        let payload =
            map(vec![("v", 1.into()), ("action_id", action.clone()), ("approved", approved.into())]);
        let body = frames::body("toolresult.action.decision.v1", payload);
        let msg_id = self.peer.next_id();
        self.peer.publish("action.decision", true, &frames::frame(header(ACTION_DECISION, 1, msg_id), &body));
    }
}

fn event(topic: &str, frame: &Frame) -> Option<Event> {
    if !topic.ends_with("/events") {
        return None;
    }
    assert_eq!((frame.schema_id(), frame.kind().as_str()), (8, "observation.run.event.v1"));
    let payload = frame.payload();
    let text = |name: &str| field(&payload, name).as_str().map(str::to_owned);
    let (kind, message) = (text("kind").unwrap(), text("message").unwrap());
    Some(Event { kind, level: text("level"), message, meta: field(&payload, "meta") })
}

/// Whether a run's last event says that it succeeded.
pub(crate) fn success(events: &[Event]) -> bool {
    field(&events.last().unwrap().meta, "success").as_bool().unwrap()
}

/// What an agent was asked.
pub(crate) struct AgentCall {
    pub(crate) kind: String,
    pub(crate) payload: Value,
}

impl AgentCall {
    pub(crate) fn attempt(&self) -> u64 {
        field(&self.payload, "attempt").as_u64().unwrap()
    }

    pub(crate) fn input(&self, port: &str) -> Vec<Value> {
        let values = field(&field(&self.payload, "inputs"), port);
        values
            .as_array()
            .map(|values| values.iter().map(|value| field(value, "value")).collect())
            .unwrap_or_default()
    }

    pub(crate) fn with(&self, name: &str) -> Value {
        field(&field(&field(&self.payload, "node"), "with"), name)
    }
}

/// `Completed` with one value on each of these ports.
pub(crate) fn completed(ports: Vec<(&str, Value)>) -> Value {
    let value = |value: Value| {
        let typed = vec![("schema_id", 5.into()), ("type", "artifact.generic.v1".into()), ("value", value)];
        Value::Array(vec![map(typed)])
    };
    let ports = map(ports.into_iter().map(|(port, it)| (port, value(it))).collect());
    map(vec![("Completed", map(vec![("ports", ports)]))])
}

/// `Failed`.
pub(crate) fn failed(retryable: bool, reason: &str) -> Value {
    map(vec![("Failed", map(vec![("retryable", retryable.into()), ("reason", reason.into())]))])
}

/// An agent; it ends with this.
pub(crate) struct Agent {
    is_done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Agent {
    fn start(
        path: &Path,
        name: &str,
        mut answer: impl FnMut(&AgentCall) -> Vec<Value> + Send + 'static,
    ) -> Self {
        let mut peer = Peer::greeted(path, "agent", None);
        peer.subscribe(1, &format!("agent/{name}"));
        peer.stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let is_done = Arc::new(AtomicBool::new(false));
        let done = Arc::clone(&is_done);
        let thread = std::thread::spawn(move || {
            while !done.load(Ordering::Relaxed) {
                let mut peeked = [0; 1];
                match rustix::net::recv(&peer.stream, &mut peeked[..], rustix::net::RecvFlags::PEEK) {
                    Ok((_, 1)) => {}
                    Err(rustix::io::Errno::AGAIN) => continue,
                    Ok(_) | Err(_) => return,
                }
                let Some((_, _, frame)) = delivered(&mut peer) else { return };
                let asked = AgentCall { kind: frame.kind(), payload: frame.payload() };
                for payload in answer(&asked) {
                    let body = frames::body("toolresult.executor.agent.response.v1", payload);
                    let topic = field(&asked.payload, "reply_topic").as_str().unwrap().to_owned();
                    let msg_id = peer.next_id();
                    peer.publish(&topic, false, &frames::frame(header(AGENT_RESPONSE, 9, msg_id), &body));
                }
            }
        });
        Self { is_done, thread: Some(thread) }
    }
}

fn delivered(peer: &mut Peer) -> Option<(u64, String, Frame)> {
    let deliver = peer.try_hear()?;
    let message = peer.try_hear()?;
    Some((deliver.number("sub"), deliver.text("topic"), message))
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.is_done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
