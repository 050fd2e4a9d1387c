//! The bus, with 100,000 subscriptions of 1,000 sessions, one of which takes what is published.

use rl_console::{
    admission::{Origin, Tally},
    ids::{ConnectionId, Peer, TraceId},
    judged::Judged,
    limits,
    rmp::{
        Header, Registry, SchemaId, Stand,
        broker::{Broker, Input, Output, Settings, Tokens, Wire, WriteProgress},
        control::{self, FromClient},
        encode,
        outbox::Front,
    },
    tap::entry::{Verdict as AnyVerdict, rmp::Verdict},
    time::Now,
};
use rmpv::Value;

use super::{Core, FRAME_BYTES};
use crate::Result;

const SUBSCRIPTIONS: u64 = 100_000;
/// Subscriptions of one session.
const EACH: u64 = 100;
/// The session that publishes.
const PUBLISHER: ConnectionId = ConnectionId(0);
/// Where the number of a message is in its frame.
const MSG_ID: usize = 56;

pub(super) struct Rmp {
    broker: Broker,
    now: Now,
    /// The `Publish`es and their messages, on topics all over.
    units: Vec<Unit>,
}

struct Unit {
    wire: Vec<u8>,
    /// Where its message begins.
    at: usize,
}

/// The pattern of a subscription, and a topic that it alone matches.
fn subscription(at: u64) -> (String, String) {
    let parent = format!("area/{at}/events");
    match at % 10 {
        0..7 => (parent.clone(), parent),
        7 | 8 => (format!("{parent}/*"), format!("{parent}/made")),
        _ => (format!("{parent}/**"), format!("{parent}/made/here")),
    }
}

fn trace() -> TraceId {
    TraceId(uuid::Uuid::from_u128(7))
}

impl Rmp {
    pub(super) fn new() -> Result<Self> {
        let now = Now::at_ms(0);
        let settings = Settings {
            limits: limits::Rmp { connections_max: 2_048, ..limits::Rmp::default() },
            registry: Registry::default(),
            tokens: Tokens::default(),
            server: "bench".into(),
            has_station_inbox: false,
            tally: Tally::default(),
        };
        let mut it = Self { broker: Broker::new(settings, now), now, units: Vec::new() };
        for id in 0..=SUBSCRIPTIONS / EACH {
            let session = ConnectionId(id);
            let opened = Input::Opened { session, peer: Peer::new("bench"), origin: Origin::Unknown };
            it.broker.handle(now, opened);
            let hello =
                FromClient::Hello { v: control::VERSION, client: "bench", kind: "agent", token: None };
            it.say(session, 1, &hello);
            for sub in (1..=EACH).filter(|_| session != PUBLISHER) {
                let (pattern, _) = subscription((id - 1) * EACH + sub - 1);
                it.say(session, 1 + sub, &FromClient::Subscribe { sub, topic: &pattern });
            }
            it.drain(session);
        }
        let snapshot = it.broker.snapshot();
        let subscribed: usize = snapshot.peers.values().map(|peer| peer.subs.len()).sum();
        if subscribed as u64 != SUBSCRIPTIONS {
            return Err(format!("{subscribed} subscriptions are there").into());
        }
        let topics = (0..1_000).map(|at| subscription(at * 101 % SUBSCRIPTIONS).1);
        it.units = topics.map(|topic| Unit::new(now, &topic)).collect::<Result<_>>()?;
        Ok(it)
    }

    fn say(&mut self, session: ConnectionId, number: u64, message: &FromClient<'_>) {
        let mut wire = Vec::new();
        control::append(&mut wire, &control::header(self.now.wall.0, trace(), number), message);
        self.broker.handle(self.now, Input::Frame { session, frame: Wire::Lent(&wire) });
    }

    /// Has all leave that waits on a connection, and takes what the broker tells.
    fn drain(&mut self, session: ConnectionId) {
        let all =
            |front: Front<'_>| Ok::<_, ()>(front.slices().iter().map(|slice| slice.len()).sum::<usize>());
        while self.broker.transmit(self.now, session, all) == Ok(WriteProgress::Pending) {}
        while self.broker.poll_output().is_some() {}
    }

    fn unit(&self, number: u64) -> &Unit {
        let count = self.units.len() as u64;
        &self.units[usize::try_from(number % count).unwrap_or_default()]
    }
}

impl Unit {
    fn new(now: Now, topic: &str) -> Result<Self> {
        let header = Header {
            schema_id: SchemaId::OBSERVATION,
            created_at_ms: now.wall.0,
            ttl_ms: 30_000,
            trace_id: trace(),
            msg_id: 1,
        };
        let message = |text: &str| -> Result<Vec<u8>> {
            let body = encode::body("observation.bench.v1", &Value::from(text), None::<&Value>)?;
            Ok(encode::frame(&header, &body)?)
        };
        let room = FRAME_BYTES - message("")?.len();
        let message = message(&"x".repeat(room))?;
        let mut wire = Vec::new();
        let publish = FromClient::Publish { topic, ack: true };
        control::append(&mut wire, &control::header(now.wall.0, trace(), 1), &publish);
        let at = wire.len();
        wire.extend_from_slice(&message);
        Ok(Self { wire, at })
    }
}

impl Core for Rmp {
    fn name(&self) -> String {
        format!("RMP, a message among {SUBSCRIPTIONS} subscriptions")
    }

    fn frame_bytes(&self) -> usize {
        self.units.first().map_or(0, |unit| unit.wire.len() - unit.at)
    }

    fn judge(&self, number: u64) -> Judged {
        self.broker.judge(self.now, &Stand::Connection(PUBLISHER), &self.unit(number).wire)
    }

    fn would_take(judged: &Judged) -> bool {
        matches!(judged.verdict, Ok(AnyVerdict::Rmp(Verdict::Published { subscribers: 1, .. })))
    }

    fn handle(&mut self, number: u64) -> bool {
        let count = self.units.len() as u64;
        let (at, message) = {
            let unit = &mut self.units[usize::try_from(number % count).unwrap_or_default()];
            (unit.at, &mut unit.wire)
        };
        for frame in [&message[..at], &message[at..]] {
            self.broker.handle(self.now, Input::Frame { session: PUBLISHER, frame: Wire::Lent(frame) });
        }
        // The next of this topic has another number.
        message[at + MSG_ID..at + MSG_ID + 8].copy_from_slice(&(number + count).to_be_bytes());
        let mut was_taken = false;
        while let Some(output) = self.broker.poll_output() {
            was_taken |= matches!(output, Output::Received { verdict: Verdict::Published { .. }, .. });
        }
        while let Some(session) = self.broker.poll_waiting() {
            self.drain(session);
        }
        was_taken
    }
}
