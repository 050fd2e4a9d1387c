//! A broker in a bottle: what goes in and out of its sessions as bytes, and a fold of everything that it
//! tells.

use std::collections::BTreeMap;

use rl_console::{
    admission::{Origin, Tally},
    ids::{ConnectionId, Peer, Seq},
    limits,
    rmp::{
        Dialect, Registry, Snapshot, Stand,
        broker::{
            Broker, InboundForStation, Input, OperatorRequest, Output, Settings, Tokens, UnreadRequest, Wire,
            WriteProgress,
        },
        framing::{Framer, FramerEvent},
    },
    tap::entry::{
        Direction, Entry, Frame as TapFrame, Head, Link, Transition as Any, Verdict as AnyVerdict, What,
        rmp::{CloseCause, Transition, Verdict},
    },
    time::Now,
};

use crate::rmp_bus::frames::{self, Frame};

pub(crate) struct TestBroker {
    pub(crate) broker: Broker,
    pub(crate) now: Now,
    pub(crate) fold: Snapshot,
    pub(crate) verdicts: Vec<Verdict>,
    pub(crate) transitions: Vec<Transition>,
    pub(crate) closed: Vec<(ConnectionId, CloseCause)>,
    /// Those whose tokens were ignored.
    pub(crate) ignored: Vec<ConnectionId>,
    pub(crate) asked: Vec<OperatorRequest>,
    pub(crate) inbound: Vec<InboundForStation>,
    /// What agents did not read in time of what the station asked.
    pub(crate) unread: Vec<UnreadRequest>,
    /// Whether the station has room for what operators ask.
    pub(crate) takes: bool,
    limits: limits::Rmp,
    numbers: BTreeMap<ConnectionId, u64>,
    /// The sessions of the JSON dialect.
    tools: Vec<ConnectionId>,
    seq: u64,
}

pub(crate) const OPERATOR: &str = "the operator token";
pub(crate) const VIEWER: &str = "the viewer token";
pub(crate) const CUE: &str = "the cue token";

impl TestBroker {
    pub(crate) fn open() -> Self {
        Self::with(limits::Rmp::default())
    }

    pub(crate) fn with(limits: limits::Rmp) -> Self {
        Self::made(limits, false)
    }

    /// With a station that runs a control plane.
    pub(crate) fn hearing() -> Self {
        Self::made(limits::Rmp::default(), true)
    }

    pub(crate) fn made(limits: limits::Rmp, has_control: bool) -> Self {
        let tokens = Tokens {
            operator: Some(Tokens::hash(OPERATOR)),
            viewer: Some(Tokens::hash(VIEWER)),
            cue: Some(Tokens::hash(CUE)),
        };
        let settings = Settings {
            limits,
            registry: Registry::default(),
            tokens,
            server: "test 1".into(),
            has_station_inbox: has_control,
            tally: Tally::default(),
        };
        let now = Now::at_ms(0);
        let broker = Broker::new(settings, now);
        let fold = broker.snapshot();
        let (verdicts, transitions, closed, asked, inbound, unread) = Default::default();
        Self {
            broker,
            now,
            fold,
            verdicts,
            transitions,
            closed,
            ignored: Vec::new(),
            asked,
            inbound,
            unread,
            takes: true,
            limits,
            numbers: BTreeMap::new(),
            tools: Vec::new(),
            seq: 0,
        }
    }

    /// Moves on by so many milliseconds, and hands in the moments that the broker asks for.
    pub(crate) fn wait(&mut self, ms: u64) {
        let end = self.now.after(std::time::Duration::from_millis(ms));
        while let Some(at) = self.broker.timeout().filter(|at| *at <= end.mono) {
            self.now = self.now.after(at.since(self.now.mono));
            self.put(Input::Timeout, 0);
        }
        self.now = end;
    }

    pub(crate) fn put(&mut self, input: Input<'_>, wire_bytes: usize) {
        self.broker.handle(self.now, input);
        self.drain(wire_bytes);
    }

    /// Takes everything that the broker tells, and folds it.
    pub(crate) fn drain(&mut self, wire_bytes: usize) {
        while let Some(output) = self.broker.poll_output() {
            let (trace, what, text) = match output {
                Output::Received { head, verdict, redaction, trace, .. } => {
                    self.verdicts.push(verdict.clone());
                    let wire_bytes = u32::try_from(wire_bytes).unwrap();
                    let (direction, peer, head, verdict) =
                        (Direction::Inbound, Peer::new("p"), Head::Rmp(head), AnyVerdict::Rmp(verdict));
                    (
                        trace,
                        What::Frame(TapFrame {
                            direction,
                            peer,
                            head,
                            verdict,
                            wire_bytes,
                            redaction,
                            origin: None,
                        }),
                        None,
                    )
                }
                Output::Transition { transition, text, trace } => {
                    self.transitions.push(transition.clone());
                    (trace, What::Transition(Any::Rmp(transition)), text)
                }
                Output::Close { session, cause } => {
                    self.closed.push((session, cause));
                    continue;
                }
                Output::TokenIgnored { session } => {
                    self.ignored.push(session);
                    continue;
                }
                Output::OperatorRequest { request: asked, ticket } => {
                    self.broker.answer_operator_request(self.now, ticket, self.takes);
                    self.asked.push(asked);
                    continue;
                }
                Output::ForStation(heard) => {
                    self.inbound.push(heard);
                    continue;
                }
                Output::Unread(unread) => {
                    self.unread.push(unread);
                    continue;
                }
                Output::Answered { .. } => continue,
            };
            self.seq += 1;
            let entry = Entry { seq: Seq(self.seq), at: self.now, link: Link::Rmp, trace, cause: None, what };
            self.fold.apply(&entry, text.as_deref().unwrap_or_default(), &self.limits);
        }
    }

    /// A connection that has said nothing.
    pub(crate) fn connect(&mut self, id: u64) -> ConnectionId {
        self.connect_from(id, Origin::Unknown)
    }

    /// Such a connection, of an origin.
    pub(crate) fn connect_from(&mut self, id: u64, origin: Origin) -> ConnectionId {
        let session = ConnectionId(id);
        self.put(Input::Opened { session, peer: Peer::new("uid 1 pid 1"), origin }, 0);
        session
    }

    /// A session of this kind.
    pub(crate) fn greeted(&mut self, id: u64, kind: &str, token: Option<&str>) -> ConnectionId {
        let session = self.connect(id);
        let mut fields = vec![("v", 1.into()), ("client", format!("c{id}").into()), ("kind", kind.into())];
        fields.extend(token.map(|token| ("token", token.into())));
        self.say(session, "Hello", fields);
        assert_eq!(self.hear(session)[0].name(), "Welcome");
        session
    }

    pub(crate) fn agent(&mut self, id: u64) -> ConnectionId {
        self.greeted(id, "agent", None)
    }

    pub(crate) fn operator(&mut self, id: u64) -> ConnectionId {
        self.greeted(id, "tui", Some(OPERATOR))
    }

    /// Says a control message, and tells its number.
    pub(crate) fn say(&mut self, session: ConnectionId, name: &str, fields: Vec<(&str, rmpv::Value)>) -> u64 {
        let id = self.number(session);
        self.send(session, &frames::control(id, name, fields));
        id
    }

    fn number(&mut self, session: ConnectionId) -> u64 {
        let number = self.numbers.entry(session).or_default();
        *number += 1;
        *number
    }

    /// One frame.
    pub(crate) fn send(&mut self, session: ConnectionId, frame: &[u8]) {
        self.put(Input::Frame { session, frame: Wire::Lent(frame) }, frame.len());
    }

    /// An agent of the JSON dialect.
    pub(crate) fn tool(&mut self, id: u64) -> ConnectionId {
        let session = self.connect(id);
        self.tools.push(session);
        self.unit(session, r#"{"Hello":{"kind":"Agent"}}"#);
        session
    }

    pub(crate) fn is_tool(&self, session: ConnectionId) -> bool {
        self.tools.contains(&session)
    }

    /// A Publish of the JSON dialect, told of as it was judged.
    pub(crate) fn publish_unit(&mut self, session: ConnectionId, topic: &str, message: &[u8]) {
        let number = |at: usize, len: usize| {
            message[at..at + len].iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte))
        };
        let header = serde_json::json!({
            "header_version": number(8, 2), "header_len": number(10, 2), "flags": 0,
            "schema_id": number(16, 2), "body_len": number(20, 4),
            "created_at_ms": number(24, 8), "ttl_ms": number(32, 8),
            "trace_id": number(40, 16), "msg_id": number(56, 8),
        });
        let message_json = serde_json::json!({ "header": header, "body": &message[68..] });
        let publish = serde_json::json!({ "Publish": { "id": 1, "topic": topic, "message": message_json } });
        let unit = unit(&publish.to_string());
        // What is longer is refused before the broker sees it.
        let judged =
            (unit.len() as u64 <= self.limits.body_bytes_max + 72).then(|| self.judged(session, &unit));
        let before = self.verdicts.len();
        self.put(Input::Unit { session, unit: &unit }, unit.len());
        let judged = judged.as_ref().or(self.verdicts.get(before));
        assert_eq!(self.verdicts.get(before), judged, "judge and handle agree");
    }

    /// One unit of the JSON dialect.
    pub(crate) fn unit(&mut self, session: ConnectionId, json: &str) {
        let unit = unit(json);
        self.put(Input::Unit { session, unit: &unit }, unit.len());
    }

    /// The verdict on bytes that are not sent.
    pub(crate) fn judged(&self, session: ConnectionId, bytes: &[u8]) -> Verdict {
        match self.broker.judge(self.now, &Stand::Connection(session), bytes).verdict {
            Ok(AnyVerdict::Rmp(verdict)) => verdict,
            other => panic!("no verdict of the bus: {other:?}"),
        }
    }

    /// A Publish and its message, told of as one and as it was judged; the number of the Publish.
    pub(crate) fn publish(&mut self, session: ConnectionId, topic: &str, ack: bool, message: &[u8]) -> u64 {
        let id = self.number(session);
        let publish = frames::control(id, "Publish", vec![("topic", topic.into()), ("ack", ack.into())]);
        let judged = self.judged(session, &[&publish[..], message].concat());
        let before = self.verdicts.len();
        self.broker.handle(self.now, Input::Frame { session, frame: Wire::Lent(&publish) });
        // What is longer breaks the stream before the broker sees a frame.
        let mut framer = Framer::new(self.limits.body_bytes_max);
        framer.buffer().extend_from_slice(message);
        let input = match framer.next() {
            Some(FramerEvent::Broken { error, .. }) => {
                Input::Broken { session, dialect: Dialect::Frames, error }
            }
            Some(FramerEvent::Frame(_)) | None => Input::Frame { session, frame: Wire::Lent(message) },
        };
        self.broker.handle(self.now, input);
        self.drain(publish.len() + message.len());
        // What operators ask is not tapped.
        assert_eq!(
            self.verdicts.get(before).unwrap_or(&Verdict::Accepted),
            &judged,
            "judge and handle agree"
        );
        id
    }

    pub(crate) fn subscribe(&mut self, session: ConnectionId, sub: u64, topic: &str) {
        let id = self.say(session, "Subscribe", vec![("sub", sub.into()), ("topic", topic.into())]);
        let heard = self.hear(session);
        assert_eq!((heard[0].name(), heard[0].number("re")), ("Ok".to_owned(), id), "{heard:?}");
    }

    /// All that leaves on a connection now.
    pub(crate) fn hear_bytes(&mut self, session: ConnectionId) -> Vec<u8> {
        let mut out = Vec::new();
        loop {
            let left = self.broker.transmit(self.now, session, |front| {
                out.extend_from_slice(&front.slices().concat());
                Ok::<_, ()>(front.slices().iter().map(|slice| slice.len()).sum())
            });
            self.drain(0);
            if left == Ok(WriteProgress::Drained) {
                return out;
            }
        }
    }

    /// All frames that leave on a connection now.
    pub(crate) fn hear(&mut self, session: ConnectionId) -> Vec<Frame> {
        let bytes = self.hear_bytes(session);
        let mut rest = &bytes[..];
        let mut frames = Vec::new();
        while let Some(prefix) = rest.first_chunk::<4>() {
            let (wire, behind) = rest.split_at(4 + u32::from_be_bytes(*prefix) as usize);
            frames.push(Frame { wire: wire.to_vec() });
            rest = behind;
        }
        frames
    }

    /// The bytes of the messages that are delivered on a connection now, by subscription.
    pub(crate) fn delivered(&mut self, session: ConnectionId) -> Vec<(u64, Vec<u8>)> {
        let frames = self.hear(session);
        let mut found = Vec::new();
        let mut frames = frames.into_iter();
        while let Some(frame) = frames.next() {
            if frame.schema_id() == 9 && frame.name() == "Deliver" {
                found.push((frame.number("sub"), frames.next().unwrap().wire));
            }
        }
        found
    }
}

/// A unit of the JSON dialect: its length, then the value.
pub(crate) fn unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}
