//! What is judged is what then happens, and judging changes nothing: random, mutated and split frames on
//! every stand.

use proptest::prelude::*;
use rl_console::{
    ids::{ConnectionId, Peer},
    judged::{Answer, Judged},
    limits,
    rmp::{
        CloseCause, Dialect, Kind, Stand, Verdict,
        broker::{Broker, InboxCapacity, Input, Output, Wire},
        dialect::{self, Unit},
        framing::{Framer, FramerEvent},
    },
    tap::entry::{Head, Verdict as AnyVerdict},
    time::Now,
};

use super::test_broker::{OPERATOR, TestBroker, VIEWER, unit};
use crate::rmp_bus::frames::{self, Header};

const EPOCH_MS: u64 = 1_790_000_000_000;
const TOPICS: [&str; 9] = [
    "a",
    "a/b",
    "b",
    "rlp/ctrl",
    "rlp/operator",
    "rlp/sys/x",
    "action.decision",
    "a//b",
    "rlp/runs/x/agents/y",
];
const PATTERNS: [&str; 7] = ["a", "a/*", "**", "b", "rlp/*", "rlp/sys/tap", "a/*/b"];

/// Bytes that are judged, and where.
#[derive(Clone, Debug)]
struct Step {
    who: usize,
    /// What the bytes say, with two numbers that it is made of.
    what: (u8, u8, u8),
    /// A byte that is another one, and its place.
    mutation: Option<(u16, u8)>,
    /// How many of the bytes there are.
    cut: Option<u16>,
    /// Whether the other side reads then.
    reads: bool,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        0..8_usize,
        any::<(u8, u8, u8)>(),
        proptest::option::weighted(0.4, any::<(u16, u8)>()),
        proptest::option::weighted(0.2, any::<u16>()),
        any::<bool>(),
    );
    let step = step.prop_map(|(who, what, mutation, cut, reads)| Step { who, what, mutation, cut, reads });
    proptest::collection::vec(step, 1..60)
}

/// The sessions of a broker with tight limits, by what they are.
struct Peers {
    fixture: TestBroker,
    ids: Vec<(ConnectionId, Dialect)>,
    next: u64,
}

impl Peers {
    fn new() -> Self {
        let limits = limits::Rmp {
            queue_messages_max: 2,
            answer_bytes_max: 600,
            body_bytes_max: 2_000,
            session_subscriptions_max: 3,
            ..limits::Rmp::default()
        };
        let mut fixture = TestBroker::made(limits, true);
        fixture.broker.set_inbox_capacity(InboxCapacity { messages: 3, bytes: 9_999 });
        let mut peers = Self { fixture, ids: Vec::new(), next: 1 };
        for place in 0..7 {
            let made = peers.make(place);
            peers.ids.push(made);
        }
        peers
    }

    /// One of the session that a place is for.
    fn make(&mut self, place: usize) -> (ConnectionId, Dialect) {
        let (id, fixture) = (self.next, &mut self.fixture);
        self.next += 1;
        match place {
            0 | 1 => (fixture.agent(id), Dialect::Frames),
            2 => (fixture.operator(id), Dialect::Frames),
            3 => (fixture.greeted(id, "tui", Some(VIEWER)), Dialect::Frames),
            4 => {
                let tool = fixture.tool(id);
                fixture.hear_bytes(tool);
                (tool, Dialect::Json)
            }
            place => (fixture.connect(id), if place == 5 { Dialect::Frames } else { Dialect::Json }),
        }
    }
}

/// What a step sends, of a client that speaks so.
fn bytes(step: &Step, dialect: Dialect) -> Vec<u8> {
    let (what, one, other) = step.what;
    let topic = TOPICS[usize::from(one) % TOPICS.len()];
    let pattern = PATTERNS[usize::from(one) % PATTERNS.len()];
    let mut bytes = match dialect {
        Dialect::Frames => frame(what, one, other, topic, pattern),
        Dialect::Json => json(what, one, other, topic, pattern),
    };
    if let Some((at, byte)) = step.mutation {
        let at = usize::from(at) % bytes.len();
        bytes[at] = byte;
    }
    if let Some(cut) = step.cut {
        bytes.truncate(usize::from(cut) % (bytes.len() + 1));
    }
    bytes
}

fn message(one: u8, other: u8) -> Vec<u8> {
    let (schema_id, kind) = match other % 4 {
        0 => (0x80, "intent.operator.request.v1"),
        1 => (3_006, "toolresult.action.decision.v1"),
        _ => (1, "observation.note.v1"),
    };
    let ttl_ms = [60_000, 60_000, 60_000, 0, 1, u64::MAX][usize::from(one / 16) % 6];
    let created_at_ms = EPOCH_MS - u64::from(other % 2) * 9;
    let header = Header { schema_id, created_at_ms, ttl_ms, trace_id: 7, msg_id: u64::from(one % 5) };
    frames::frame(
        header,
        &frames::body(kind, frames::map(vec![("n", "x".repeat(usize::from(other) * 3).into())])),
    )
}

fn frame(what: u8, one: u8, other: u8, topic: &str, pattern: &str) -> Vec<u8> {
    let re = u64::from(other);
    match what % 10 {
        0 => frames::control(re, "Ping", vec![]),
        1 => {
            let token = [OPERATOR, VIEWER, "no"][usize::from(one) % 3];
            let mut fields =
                vec![("v", (1 + one / 200).into()), ("client", "x".into()), ("kind", "ui".into())];
            if other.is_multiple_of(2) {
                fields.push(("token", token.into()));
            }
            frames::control(re, "Hello", fields)
        }
        2 | 3 => {
            frames::control(re, "Subscribe", vec![("sub", (other % 4).into()), ("topic", pattern.into())])
        }
        4 => frames::control(re, "Unsubscribe", vec![("sub", (other % 4).into())]),
        5 => message(one, other),
        _ => {
            let fields = vec![("topic", topic.into()), ("ack", other.is_multiple_of(2).into())];
            [frames::control(re, "Publish", fields), message(one, other)].concat()
        }
    }
}

fn json(what: u8, one: u8, other: u8, topic: &str, pattern: &str) -> Vec<u8> {
    let json = match what % 8 {
        0 => r#"{"Hello":{"kind":"Agent"}}"#.to_owned(),
        1 => r#"{"Hello":{"kind":"Agent","token":"x"}}"#.to_owned(),
        2 | 3 => format!(r#"{{"Subscribe":{{"id":{one},"topic":"{pattern}","sub_id":{}}}}}"#, other % 4),
        4 => format!(r#"{{"Unsubscribe":{{"sub_id":{}}}}}"#, other % 4),
        _ => {
            let frame = message(one, other % 80);
            let number = |at: usize, len: usize| {
                frame[at..at + len].iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte))
            };
            format!(
                r#"{{"Publish":{{"id":{one},"topic":"{topic}","message":{{"header":{{"header_version":0,"header_len":64,"flags":{},"schema_id":{},"body_len":{},"created_at_ms":{},"ttl_ms":{},"trace_id":7,"msg_id":{}}},"body":{:?}}}}}}}"#,
                u8::from(other == 9),
                number(16, 2),
                number(20, 4),
                number(24, 8),
                number(32, 8),
                number(56, 8),
                &frame[68..]
            )
        }
    };
    unit(&json)
}

/// What happened when bytes came, as the host hands them in, up to the end of the first unit.
#[derive(Debug, Default)]
struct Happened {
    received: Option<(rl_console::rmp::Head, Verdict)>,
    answers: Vec<Answer>,
    ended: Option<CloseCause>,
    /// The station took it as an operator's request, and the answer is told nobody.
    is_private: bool,
}

impl Happened {
    fn drain(&mut self, broker: &mut Broker, now: Now, session: ConnectionId) {
        while let Some(output) = broker.poll_output() {
            match output {
                Output::Received { session: of, head, verdict, .. } if of == session => {
                    self.received = Some((head, verdict));
                }
                Output::Answered { session: of, head, frame, .. } if of == session => {
                    self.answers.push(Answer { head: Head::Rmp(head), bytes: frame });
                }
                Output::Close { session: of, cause } if of == session => self.ended = Some(cause),
                Output::OperatorRequest { ticket, .. } => {
                    self.is_private = true;
                    broker.answer_operator_request(now, ticket, true);
                }
                _ => {}
            }
        }
    }
}

/// Hands in the first unit of these bytes, and cuts the stream where it has not come.
fn hand_in(broker: &mut Broker, now: Now, session: ConnectionId, dialect: Dialect, bytes: &[u8]) -> Happened {
    let mut happened = Happened::default();
    let cut = |broker: &mut Broker, error| {
        let input = match error {
            Some(error) => Input::Broken { session, dialect, error },
            None => Input::Closed { session, cause: CloseCause::PeerClosed },
        };
        broker.handle(now, input);
    };
    if dialect == Dialect::Json {
        let mut framer = dialect::Framer::new(2_000);
        framer.buffer().extend_from_slice(bytes);
        match framer.next() {
            Some(Unit::Whole(unit)) => broker.handle(now, Input::Unit { session, unit: &unit }),
            // The host's own names for these are in its tests.
            Some(Unit::TooLarge { .. }) | None => return happened,
        }
        happened.drain(broker, now, session);
        return happened;
    }
    let mut framer = Framer::new(2_000);
    framer.buffer().extend_from_slice(bytes);
    loop {
        match framer.next() {
            Some(FramerEvent::Frame(frame)) => {
                broker.handle(now, Input::Frame { session, frame: Wire::Owned(&frame) });
                if broker.awaits_message(session) {
                    continue;
                }
            }
            Some(FramerEvent::Broken { error, .. }) => cut(broker, Some(error)),
            None => {
                let error = match framer.finish() {
                    Some(FramerEvent::Broken { error, .. }) => Some(error),
                    _ => None,
                };
                let error = error.or_else(|| broker.awaits_message(session).then_some(TRUNCATED));
                cut(broker, error);
            }
        }
        happened.drain(broker, now, session);
        return happened;
    }
}

/// Nothing has come of the message that a `Publish` announced (rmp-v0 §7).
const TRUNCATED: rl_console::rmp::Error = rl_console::rmp::Error::TruncatedHeader { header_bytes: 0 };

/// That what was judged is what happened.
fn agree(judged: &Judged, happened: &Happened, step: &Step) -> Result<(), TestCaseError> {
    let verdict = match &judged.verdict {
        Ok(AnyVerdict::Rmp(verdict)) => verdict,
        Ok(other) => return Err(TestCaseError::fail(format!("{other:?}"))),
        Err(pending) => {
            let told = happened.received.as_ref().map(|(_, verdict)| verdict);
            let name = match told {
                Some(Verdict::Refused(refusal)) => refusal.name(),
                _ => "peer_closed",
            };
            prop_assert_eq!(pending.if_cut, name, "{:?}", step);
            return Ok(());
        }
    };
    let accepted = Verdict::Accepted;
    let (head, told) = match &happened.received {
        Some((head, told)) => (Some(head), told),
        None => (None, &accepted),
    };
    prop_assert_eq!(told, verdict, "{:?} {:?}", step, judged);
    if let (Some(head), Head::Rmp(of)) = (head, &judged.head) {
        let of = rl_console::rmp::Head { session: None, ..of.clone() };
        prop_assert_eq!(head, &of, "{:?}", step);
    }
    if !happened.is_private && judged.answers.iter().all(|answer| !answer.bytes.is_empty()) && head.is_some()
    {
        prop_assert_eq!(&judged.answers, &happened.answers, "{:?}", step);
    }
    let ended = happened.ended.map(CloseCause::code);
    prop_assert_eq!(judged.ends.as_deref(), ended, "{:?}", step);
    if let Verdict::Published { subscribers, dropped } = told {
        let without_right =
            judged.passed_over.iter().filter(|it| it.why == "it may not receive this").count();
        let left_out = judged.passed_over_count - without_right as u64;
        prop_assert_eq!((judged.to_count, left_out), (u64::from(*subscribers), u64::from(*dropped)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn what_is_judged_is_what_then_happens(steps in steps()) {
        let mut peers = Peers::new();
        for step in &steps {
            let now = peers.fixture.now;
            // The last place is a newcomer's, who then comes.
            let place = step.who.min(7);
            let dialect = if place == 7 { Dialect::Frames } else { peers.ids[place].1 };
            let bytes = bytes(step, dialect);
            let (stand, session) = if place == 7 {
                let stand = Stand::Newcomer { dialect, kind: None };
                (stand, ConnectionId(peers.next))
            } else {
                (Stand::Connection(peers.ids[place].0), peers.ids[place].0)
            };
            // A stream that has not told its dialect tells it by its first bytes.
            let tells = dialect::is_json(&bytes).is_some_and(|is_json| is_json == (dialect == Dialect::Json));
            if place >= 5 && !tells {
                continue;
            }
            let judged = peers.fixture.broker.judge(now, &stand, &bytes);
            if place == 7 {
                peers.fixture.connect(peers.next);
                peers.next += 1;
            }
            let happened = hand_in(&mut peers.fixture.broker, now, session, dialect, &bytes);
            let is_cut = judged.verdict.is_err() || happened.ended.is_some();
            if dialect == Dialect::Frames || happened.received.is_some() {
                agree(&judged, &happened, step)?;
            }
            if place < 7 && (is_cut || judged.ends.is_some()) {
                peers.fixture.put(Input::Closed { session, cause: CloseCause::PeerClosed }, 0);
                peers.ids[place] = peers.make(place);
            } else if step.reads {
                peers.fixture.hear_bytes(session);
            }
        }
    }
}

/// A number that follows from the one before (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn ten_thousand_judgements_change_nothing() {
    let (mut judging, mut other) = (Peers::new(), Peers::new());
    let mut state = 0x5eed;
    let byte = |state: &mut u64| next(state).to_be_bytes()[3];
    for round in 0..100 {
        let step = Step {
            who: usize::from(byte(&mut state)) % 5,
            what: (byte(&mut state), byte(&mut state), byte(&mut state)),
            mutation: None,
            cut: None,
            reads: false,
        };
        let before = judging.fixture.broker.snapshot();
        let timeout = judging.fixture.broker.timeout();
        for _ in 0..100 {
            let asked = Step {
                who: usize::from(byte(&mut state)) % 7,
                what: (byte(&mut state), byte(&mut state), byte(&mut state)),
                mutation: Some((u16::from(byte(&mut state)), byte(&mut state))).filter(|(at, _)| at % 2 == 0),
                ..step
            };
            let (id, dialect) = judging.ids[asked.who];
            let kind = Some(Kind::ALL[asked.who % 5]);
            let stands = [Stand::Connection(id), Stand::Towards(id), Stand::Newcomer { dialect, kind }];
            let stand = &stands[usize::from(asked.what.0) % 3];
            let _ = judging.fixture.broker.judge(judging.fixture.now, stand, &bytes(&asked, dialect));
        }
        assert_eq!(judging.fixture.broker.snapshot(), before, "round {round}");
        assert_eq!(judging.fixture.broker.timeout(), timeout);
        assert!(judging.fixture.broker.poll_output().is_none(), "nothing is to be done");
        // What comes then has the same effect as where nothing was judged.
        let mut told = Vec::new();
        for peers in [&mut judging, &mut other] {
            let (id, dialect) = peers.ids[step.who];
            let now = peers.fixture.now;
            let happened = hand_in(&mut peers.fixture.broker, now, id, dialect, &bytes(&step, dialect));
            let left = peers.fixture.hear_bytes(id);
            told.push((format!("{happened:?}"), left));
            if happened.ended.is_some() {
                peers.fixture.broker.handle(
                    now,
                    Input::Opened {
                        session: ConnectionId(1_000 + round),
                        peer: Peer::new("p"),
                        origin: rl_console::admission::Origin::Unknown,
                    },
                );
                peers.fixture.drain(0);
                peers.ids[step.who] = (ConnectionId(1_000 + round), dialect);
            }
        }
        assert_eq!(told[0], told[1], "round {round}: {step:?}");
    }
}
