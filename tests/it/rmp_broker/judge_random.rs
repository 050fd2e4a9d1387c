//! What is judged is what then happens, and judging changes nothing: random, mutated and split frames on
//! every stand.

use proptest::prelude::*;
use rl_console::{
    ids::{ConnectionId, Peer},
    judged::{Answer, Judged},
    limits,
    rmp::{
        CloseCause, Dialect, FrameKind, Kind, Stand, Verdict,
        broker::{Broker, InboxCapacity, Input, Output, Wire},
        dialect::{self, Unit},
        framing::{Framer, FramerEvent},
    },
    tap::entry::{Head, Verdict as AnyVerdict},
    time::Now,
};

use super::{
    judge_bytes::{Step, bytes, bytes_towards},
    test_broker::{CUE, OPERATOR, TestBroker, VIEWER},
};

const CLIENTS: [Kind; 5] = [Kind::Agent, Kind::Ui, Kind::Tui, Kind::Viewer, Kind::Cue];

/// Sessions that there are.
const SESSIONS: usize = 7;
/// These and, behind them, a newcomer of each dialect, one whose session is open, and the other way.
const PLACES: usize = SESSIONS + 4;
/// The one whose session is open.
const OPEN: usize = SESSIONS + 2;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (
        0..PLACES,
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
        for place in 0..SESSIONS {
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

impl Peers {
    /// Where the bytes of a step stand, and in what their client speaks.
    fn stand(&self, step: &Step) -> (Stand, Dialect) {
        let newcomer = |dialect, kind| (Stand::Newcomer { dialect, kind }, dialect);
        match step.who.checked_sub(SESSIONS) {
            None => (Stand::Connection(self.ids[step.who].0), self.ids[step.who].1),
            Some(0) => newcomer(Dialect::Frames, None),
            Some(1) => newcomer(Dialect::Json, None),
            // Who speaks JSON is an agent.
            Some(_) if step.what.1.is_multiple_of(3) => newcomer(Dialect::Json, Some(Kind::Agent)),
            Some(_) => newcomer(Dialect::Frames, Some(CLIENTS[usize::from(step.what.1) % CLIENTS.len()])),
        }
    }

    /// Has whoever stands there come.
    fn arrive(&mut self, stand: &Stand) -> ConnectionId {
        let (id, fixture) = (self.next, &mut self.fixture);
        self.next += u64::from(!matches!(stand, Stand::Connection(_)));
        match stand {
            Stand::Connection(id) | Stand::Towards(id) => *id,
            Stand::Newcomer { kind: None, .. } => fixture.connect(id),
            Stand::Newcomer { dialect: Dialect::Json, .. } => {
                let tool = fixture.tool(id);
                fixture.hear_bytes(tool);
                tool
            }
            Stand::Newcomer { kind: Some(kind), .. } => {
                let token = match kind {
                    Kind::Agent => None,
                    Kind::Viewer => Some(VIEWER),
                    Kind::Cue => Some(CUE),
                    _ => Some(OPERATOR),
                };
                let asked = if *kind == Kind::Viewer { "tui" } else { kind.name() };
                fixture.greeted(id, asked, token)
            }
        }
    }
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

/// Puts bytes into a client's connection: what was judged of an answer is what becomes of it, and the client
/// reads what was put.
fn towards(peers: &mut Peers, step: &Step) -> Result<(), TestCaseError> {
    let (id, dialect) = peers.ids[usize::from(step.what.2) % SESSIONS];
    let bytes = bytes_towards(step, dialect);
    let fixture = &mut peers.fixture;
    let judged = fixture.broker.judge(fixture.now, &Stand::Towards(id), &bytes);
    let put = fixture.broker.put(fixture.now, id, &bytes);
    let is_delivery = matches!(&judged.head, Head::Rmp(head) if head.kind == Some(FrameKind::Deliver));
    if judged.verdict == Ok(AnyVerdict::Sent) && judged.taken_bytes == bytes.len() && !is_delivery {
        prop_assert_eq!(put.is_ok(), judged.ends.is_none(), "{:?} {:?} {:?}", step, put, judged);
        prop_assert_eq!(put.is_ok(), judged.to_count == 1, "{:?}", judged);
    }
    let told = fixture.broker.poll_output();
    match (put, told) {
        (Ok(()), Some(Output::Answered { session, head, frame, .. })) => {
            prop_assert_eq!((session, Head::Rmp(head), &frame), (id, judged.head, &bytes), "{:?}", step);
            let read = fixture.hear_bytes(id);
            prop_assert!(read.windows(bytes.len()).any(|part| part == bytes), "{:?}", step);
        }
        (Err(_), None) => {}
        other => return Err(TestCaseError::fail(format!("{other:?}"))),
    }
    Ok(())
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

/// Answers without the numbers that the station gives them: one of them is then the Welcome's.
fn unnumbered(answers: &[Answer]) -> Vec<Answer> {
    let mut answers = answers.to_vec();
    for answer in &mut answers {
        if answer.bytes.get(4..8) == Some(b"RMP0") {
            answer.bytes[56..64].fill(0);
        }
    }
    answers
}

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
        let answers =
            |answers: &[Answer]| if step.who == OPEN { unnumbered(answers) } else { answers.to_vec() };
        prop_assert_eq!(answers(&judged.answers), answers(&happened.answers), "{:?}", step);
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
            let place = step.who;
            if place == PLACES - 1 {
                towards(&mut peers, step)?;
                continue;
            }
            let (stand, dialect) = peers.stand(step);
            let bytes = bytes(step, dialect);
            // A stream that has not told its dialect tells it by its first bytes.
            let tells = dialect::is_json(&bytes).is_some_and(|is_json| is_json == (dialect == Dialect::Json));
            if (5..SESSIONS + 2).contains(&place) && !tells {
                continue;
            }
            let judged = peers.fixture.broker.judge(now, &stand, &bytes);
            let session = peers.arrive(&stand);
            let happened = hand_in(&mut peers.fixture.broker, now, session, dialect, &bytes);
            let is_cut = judged.verdict.is_err() || happened.ended.is_some();
            if dialect == Dialect::Frames || happened.received.is_some() {
                agree(&judged, &happened, step)?;
            }
            if place < SESSIONS && (is_cut || judged.ends.is_some()) {
                peers.fixture.put(Input::Closed { session, cause: CloseCause::PeerClosed }, 0);
                peers.ids[place] = peers.make(place);
            } else if place >= SESSIONS {
                peers.fixture.put(Input::Closed { session, cause: CloseCause::PeerClosed }, 0);
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
