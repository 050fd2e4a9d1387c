//! Bytes of both dialects that are judged at random.

use rl_console::rmp::Dialect;

use super::test_broker::{OPERATOR, VIEWER, unit};
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
pub(super) struct Step {
    pub(super) who: usize,
    /// What the bytes say, with two numbers that it is made of.
    pub(super) what: (u8, u8, u8),
    /// A byte that is another one, and its place.
    pub(super) mutation: Option<(u16, u8)>,
    /// How many of the bytes there are.
    pub(super) cut: Option<u16>,
    /// Whether the other side reads then.
    pub(super) reads: bool,
}

/// What a step sends, of a client that speaks so.
pub(super) fn bytes(step: &Step, dialect: Dialect) -> Vec<u8> {
    let (what, one, other) = step.what;
    let topic = TOPICS[usize::from(one) % TOPICS.len()];
    let pattern = PATTERNS[usize::from(one) % PATTERNS.len()];
    changed(
        step,
        match dialect {
            Dialect::Frames => frame(what, one, other, topic, pattern),
            Dialect::Json => json(what, one, other, topic, pattern),
        },
    )
}

/// What a step sends to a client that speaks so.
pub(super) fn bytes_towards(step: &Step, dialect: Dialect) -> Vec<u8> {
    let (what, one, other) = step.what;
    let (re, topic) = (u64::from(one), TOPICS[usize::from(one) % TOPICS.len()]);
    let control = |name, fields| frames::control(u64::from(other), name, fields);
    let bytes = match (dialect, what % 5) {
        (Dialect::Json, 0) => unit(r#""HelloAck""#),
        (Dialect::Json, 1) => unit(&format!(r#"{{"PublishAck":{{"id":{one},"result":{{"Ok":null}}}}}}"#)),
        (Dialect::Json, _) => {
            unit(&format!(r#"{{"SubscribeAck":{{"id":{one},"result":{{"Err":"Closed"}}}}}}"#))
        }
        (Dialect::Frames, 0) => control("Pong", vec![]),
        (Dialect::Frames, 1) => control("Ok", vec![("re", re.into())]),
        (Dialect::Frames, 2) => {
            let message = "x".repeat(usize::from(other));
            control("Error", vec![("re", re.into()), ("code", "Expired".into()), ("message", message.into())])
        }
        (Dialect::Frames, _) => {
            let deliver = control("Deliver", vec![("sub", (other % 4).into()), ("topic", topic.into())]);
            [deliver, message(one, other)].concat()
        }
    };
    changed(step, bytes)
}

/// Bytes with what a step changes of them.
fn changed(step: &Step, mut bytes: Vec<u8>) -> Vec<u8> {
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
