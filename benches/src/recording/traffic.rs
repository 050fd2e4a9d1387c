//! What is recorded: messages of the bus, log frames, and invocations with their states.

use rl_console::{
    ids::{ConnectionId, EventName, InvocationId, Peer, QueueName, TopicName, TraceId},
    tap::entry::{Direction, Frame, Head, Link, Redaction, Transition, Verdict, What, mpp, rmp},
};

/// Bytes of each frame and log line.
const WIRE_BYTES: usize = 300;
/// Topics that publishers go round.
const TOPICS: usize = 16;
/// Entries that follow each other the same way again and again.
const TURN: u64 = 10;
const WORDS: &[&str] = &[
    "again", "alert", "boss", "bring", "chat", "clip", "close", "crown", "dance", "door", "drop", "eight",
    "every", "fast", "fire", "first", "five", "game", "gift", "give", "gold", "good", "great", "green",
    "heart", "help", "hello", "house", "item", "jump", "key", "kill", "last", "level", "life", "light",
    "lol", "love", "luck", "magic", "map", "money", "moon", "more", "nice", "night", "now", "open", "please",
    "poll", "quest", "queue", "raid", "red", "run", "save", "seven", "shop", "slow", "song", "sword", "time",
    "vote", "wait", "what", "when", "who", "win", "wow", "yes",
];

/// What entries there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mix {
    /// Frames and log lines of 300 bytes alone.
    Frames,
    /// Two in five are states of invocations, without a text.
    Night,
}

/// Makes entries, the same ones in each run.
pub(crate) struct Traffic {
    mix: Mix,
    random: fastrand::Rng,
    topics: Vec<TopicName>,
    publisher: Peer,
    adapter: Peer,
    made: u64,
    bytes: Vec<u8>,
}

/// An entry without its place and time.
pub(crate) struct Made<'a> {
    pub(crate) link: Link,
    pub(crate) trace: Option<TraceId>,
    pub(crate) what: What,
    pub(crate) bytes: &'a [u8],
}

impl Traffic {
    pub(crate) fn new(mix: Mix) -> Self {
        Self {
            mix,
            random: fastrand::Rng::with_seed(7),
            topics: (0..TOPICS).map(|n| TopicName::new(&format!("stream/chat/messages/{n}"))).collect(),
            publisher: Peer::new("uid 1000 pid 4711"),
            adapter: Peer::new("127.0.0.1:50312"),
            made: 0,
            bytes: Vec::new(),
        }
    }

    /// The next one.
    pub(crate) fn next(&mut self) -> Made<'_> {
        self.made += 1;
        let of_turn = self.made % TURN;
        match (self.mix, of_turn) {
            (Mix::Night, 6..TURN) => self.invocation(of_turn),
            (_, 4) => self.log_line(),
            (_, 5) => self.log_frame(),
            _ => self.publish(),
        }
    }

    /// Words of a chat in JSON.
    fn speak(&mut self) {
        let Self { random, bytes, made, .. } = self;
        bytes.clear();
        let user = random.u32(0..2_000);
        let from = format!(r#""id":{made},"user":"viewer{user}""#);
        let head = format!(r#"{{"type":"observation.chat.v1","payload":{{{from},"text":""#);
        bytes.extend_from_slice(head.as_bytes());
        while bytes.len() < WIRE_BYTES - 3 {
            let word = WORDS.get(random.usize(0..WORDS.len())).copied().unwrap_or_default();
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(b' ');
        }
        bytes.truncate(WIRE_BYTES - 3);
        bytes.extend_from_slice(br#""}}"#);
    }

    fn frame(&self, peer: &Peer, head: Head, verdict: Verdict) -> What {
        What::Frame(Frame {
            direction: Direction::Inbound,
            peer: peer.clone(),
            head,
            verdict,
            wire_bytes: u32::try_from(self.bytes.len()).unwrap_or(u32::MAX),
            redaction: Redaction::None,
            origin: None,
        })
    }

    fn publish(&mut self) -> Made<'_> {
        self.speak();
        let topic = self.topics.get(self.random.usize(0..TOPICS)).cloned();
        let head = rmp::Head {
            kind: Some(rmp::FrameKind::Publish),
            topic,
            schema_id: Some(1),
            msg_id: Some(self.made),
            session: Some(ConnectionId(7)),
            ..rmp::Head::default()
        };
        let verdict = Verdict::Rmp(rmp::Verdict::Published { subscribers: 2, dropped: 0 });
        let what = self.frame(&self.publisher, Head::Rmp(head), verdict);
        let trace = TraceId(uuid::Uuid::from_u128(self.random.u128(..)));
        Made { link: Link::Rmp, trace: Some(trace), what, bytes: &self.bytes }
    }

    fn log_frame(&mut self) -> Made<'_> {
        self.speak();
        let head = mpp::Head { kind: Some(mpp::FrameType::Log), id: None, queue: None, event: None };
        let what = self.frame(&self.adapter, Head::Mpp(head), Verdict::Mpp(mpp::Verdict::Accepted));
        Made { link: Link::Mpp, trace: None, what, bytes: &self.bytes }
    }

    fn log_line(&mut self) -> Made<'_> {
        self.speak();
        let logged = mpp::Transition::Logged { level: mpp::Level::Info };
        let what = What::Transition(Transition::Mpp(logged));
        Made { link: Link::Mpp, trace: None, what, bytes: &self.bytes }
    }

    fn invocation(&self, of_turn: u64) -> Made<'_> {
        let number = self.made / TURN + 1;
        let (id, queue, event) =
            (InvocationId(number), QueueName::new("default"), EventName::new("give_item"));
        let transition = match of_turn {
            6 => mpp::Transition::Enqueued { id, queue, event, requeued_from: None },
            7 => mpp::Transition::Dispatched { id, queue, event },
            8 => mpp::Transition::Applied { id, queue, cleared: true },
            _ => mpp::Transition::Done { id, queue, event, cleared: true, settled: false },
        };
        let trace = Some(TraceId(uuid::Uuid::from_u128((u128::from(number) << 64) | 0x7000_8000)));
        Made { link: Link::Mpp, trace, what: What::Transition(Transition::Mpp(transition)), bytes: &[] }
    }
}
