//! The same of the bus: publishers in both dialects, and a subscriber who reads what they publish.

use std::collections::BTreeSet;

use rl_console::tap::entry::Link;
use rmpv::Value;

use super::{
    Gated,
    meddler::{Heard, Sight},
    order::{Received, compare},
};
use crate::rmp_bus::{Peer, frames};

/// Publishers that speak in frames. Their connections are known by the trace of what they send.
const PUBLISHERS: u64 = 3;

/// A publisher in the JSON dialect: its messages are held, and neither dropped nor edited, as each is
/// acknowledged.
const TOOL: u64 = PUBLISHERS + 1;

/// Connections that publish.
const CONNECTIONS: usize = 4;

/// Messages of each publisher before the one that says `end`.
const MESSAGES: u64 = 30;

const TOPICS: [&str; 2] = ["a", "b"];

const UNITS: Sight = Sight {
    link: Link::Rmp,
    read: |bytes| {
        let (who, says) = if bytes.get(4) == Some(&b'{') { said_in_json(bytes)? } else { said(bytes)? };
        Some((who.to_string(), says))
    },
    edited: |bytes| {
        let units = split(bytes);
        let [publish, message] = &units[..] else { return None };
        let is_publish = publish.name() == "Publish";
        let text = text_of(message).filter(|text| is_publish && text.contains("as made"))?;
        let edited = text.replace("as made", "as edited, and longer than it was");
        let message_id = message.msg_id();
        Some([&publish.wire[..], &note(message.trace_id(), message_id, &edited)].concat())
    },
    filters: &[
        "link:rmp",
        "topic:a",
        "kind:Publish",
        "kind:Ping or kind:Subscribe",
        "link:rmp verdict:ok",
        "sub:1",
        "topic:b",
    ],
};

/// The frames in some bytes; none where they were withheld.
fn split(mut bytes: &[u8]) -> Vec<frames::Frame> {
    let mut found = Vec::new();
    while let Some((prefix, _)) = bytes.split_first_chunk::<4>() {
        let Some((frame, rest)) = bytes.split_at_checked(4 + u32::from_be_bytes(*prefix) as usize) else {
            return Vec::new();
        };
        found.push(frames::Frame { wire: frame.to_vec() });
        bytes = rest;
    }
    found
}

/// Which publisher sent a unit in frames, and what it says; the station publishes as well.
pub(super) fn said(bytes: &[u8]) -> Option<(u64, String)> {
    let units = split(bytes);
    let (first, last) = (units.first()?, units.last()?);
    let who = u64::try_from(last.trace_id()).ok().filter(|who| (1..=PUBLISHERS).contains(who))?;
    let says = match text_of(last) {
        Some(_) => published(&first.text("topic"), last),
        None => format!("{} {}", first.name(), first.msg_id()),
    };
    Some((who, says))
}

/// The same of the JSON dialect, whose messages have the header and the body of a frame.
fn said_in_json(bytes: &[u8]) -> Option<(u64, String)> {
    let unit: serde_json::Value = serde_json::from_slice(&bytes[4..]).ok()?;
    let (name, asked) = unit.as_object()?.iter().next()?;
    let message = &asked["message"];
    if message.is_null() {
        return Some((TOOL, format!("{name} {}", asked["id"]))).filter(|_| !asked["id"].is_null());
    }
    let header = &message["header"];
    let body = message["body"].as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok());
    let text = text_in(&body.collect::<Option<Vec<_>>>()?)?;
    let says = format!("{} {} {text}", asked["topic"].as_str()?, header["msg_id"]);
    Some((header["trace_id"].as_u64()?, says))
}

/// What a message says on a topic, as it is published and as it is delivered.
fn published(topic: &str, message: &frames::Frame) -> String {
    format!("{topic} {} {}", message.msg_id(), text_of(message).unwrap())
}

/// The text of a message; nothing of a control frame.
fn text_of(frame: &frames::Frame) -> Option<String> {
    text_in(&frame.wire[68..])
}

fn text_in(mut body: &[u8]) -> Option<String> {
    let body = rmpv::decode::read_value(&mut body).ok()?;
    let is_note = frames::field(&body, "type").as_str() == Some("observation.note.v1");
    let payload = is_note.then(|| frames::field(&body, "payload"))?;
    frames::field(&payload, "text").as_str().map(ToOwned::to_owned)
}

/// A message that is worth delivering until the end of time.
fn note(trace_id: u128, msg_id: u64, text: &str) -> Vec<u8> {
    let header = frames::Header { schema_id: 1, created_at_ms: 1, ttl_ms: u64::MAX - 2, trace_id, msg_id };
    frames::frame(header, &frames::body("observation.note.v1", frames::map(vec![("text", text.into())])))
}

/// A control frame of a publisher.
fn control(who: u64, msg_id: u64, name: &str, fields: Vec<(&str, Value)>) -> Vec<u8> {
    let header = frames::Header { schema_id: 9, created_at_ms: 1, ttl_ms: 1, trace_id: who.into(), msg_id };
    let payload = frames::map(vec![(name, frames::map(fields))]);
    frames::frame(header, &frames::body("intent.control.v1", payload))
}

/// A `Publish` that asks for no answer, and its message.
pub(super) fn publish(who: u64, msg_id: u64, topic: &str, text: &str) -> Vec<u8> {
    let fields = vec![("topic", topic.into()), ("ack", false.into())];
    [control(who, msg_id, "Publish", fields), note(who.into(), msg_id, text)].concat()
}

/// A unit of the JSON dialect.
fn unit(json: &str) -> Vec<u8> {
    [&u32::try_from(json.len()).unwrap().to_be_bytes()[..], json.as_bytes()].concat()
}

/// Such a unit that publishes a message.
fn publish_in_json(msg_id: u64, topic: &str, text: &str) -> Vec<u8> {
    let frame = note(TOOL.into(), msg_id, text);
    let body: Vec<String> = frame[68..].iter().map(u8::to_string).collect();
    let header = format!(
        r#"{{"header_version":0,"header_len":64,"flags":0,"schema_id":1,"body_len":{},"created_at_ms":1,"ttl_ms":{},"trace_id":{TOOL},"msg_id":{msg_id}}}"#,
        body.len(),
        u64::MAX - 2
    );
    let message = format!(r#"{{"header":{header},"body":[{}]}}"#, body.join(","));
    unit(&format!(r#"{{"Publish":{{"id":{msg_id},"topic":"{topic}","message":{message}}}}}"#))
}

/// Those who are connected.
struct Connected {
    publishers: Vec<Peer>,
    tool: Peer,
    subscriber: Peer,
}

impl Connected {
    fn to(gated: &Gated) -> Self {
        let path = gated.ready.rmp.clone().unwrap();
        let agent = || Peer::greeted(&path, "agent", None);
        let mut tool = Peer::connect(&path);
        tool.send(&unit(r#"{"Hello":{"kind":"Agent"}}"#));
        assert_eq!(&tool.hear().wire[4..], br#""HelloAck""#);
        let mut subscriber = agent();
        for (sub, topic) in (1_u64..).zip(TOPICS) {
            subscriber.subscribe(sub, topic);
        }
        Self { publishers: (0..PUBLISHERS).map(|_| agent()).collect(), tool, subscriber }
    }

    /// Everybody publishes and waits for an answer, round by round, so that rules are armed meanwhile; the
    /// answers, and what the subscriber reads.
    fn work(mut self) -> Received {
        let mut answers = Vec::new();
        for n in 1..=MESSAGES + 1 {
            let text = |who: u64| match n {
                1..=MESSAGES => {
                    let more = "x".repeat(usize::try_from(n * who * 37 % 900).unwrap());
                    format!("{n} of {who} as made {more}")
                }
                _ => format!("end of {who}"),
            };
            let topic = |who: u64| TOPICS[usize::from((n + who).is_multiple_of(2))];
            let subscribes = |who: u64| n % 5 == who;
            for (who, publisher) in (1..).zip(&mut self.publishers) {
                publisher.send(&control(who, 500 + n, "Ping", Vec::new()));
                if subscribes(who) {
                    let fields = vec![("sub", n.into()), ("topic", "quiet".into())];
                    publisher.send(&control(who, 600 + n, "Subscribe", fields));
                }
                publisher.send(&publish(who, who * 1_000 + n, topic(who), &text(who)));
            }
            self.tool.send(&publish_in_json(TOOL * 1_000 + n, topic(TOOL), &text(TOOL)));
            for (who, publisher) in (1..).zip(&mut self.publishers) {
                assert_eq!(publisher.hear().name(), "Pong");
                if subscribes(who) {
                    let answer = publisher.hear();
                    assert_eq!(answer.number("re"), 600 + n);
                    answers.push(format!("{who} {answer:?}"));
                }
            }
            answers.push(String::from_utf8(self.tool.hear().wire[4..].to_vec()).unwrap());
        }
        Received { answers, delivered: self.read_all(), ..Received::default() }
    }

    /// What the subscriber reads until each publisher has said its end, by publisher.
    fn read_all(&mut self) -> Heard {
        let (mut delivered, mut ended) = (Heard::new(), BTreeSet::new());
        while ended.len() < CONNECTIONS {
            let (_, topic, message) = self.subscriber.delivered();
            let says = published(&topic, &message);
            if says.contains("end of") {
                ended.insert(message.trace_id());
            }
            delivered.entry(message.trace_id().to_string()).or_default().push(says);
        }
        delivered
    }
}

#[test]
fn the_broker_gets_the_units_of_each_session_in_their_order_and_delivers_them_whatever_is_held() {
    compare(&UNITS, CONNECTIONS, Connected::to, Connected::work);
}
