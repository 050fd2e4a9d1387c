//! The same of the bus: publishers and subscribers in both dialects.

use std::collections::BTreeSet;

use rl_console::tap::entry::Link;
use rmpv::Value;
use serde_json::{Value as Json, json};

use super::{
    Gated,
    meddler::{Heard, Sight},
    order::{Received, compare},
};
use crate::rmp_bus::{Peer, frames};

/// Publishers that speak in frames. Their connections are known by the trace of what they send.
const PUBLISHERS: u64 = 3;

/// A publisher in the JSON dialect: its messages may be edited, and not dropped, as each is acknowledged.
const TOOL: u64 = PUBLISHERS + 1;

/// Connections that publish.
const CONNECTIONS: usize = 4;

/// Messages of each publisher before the last one on each topic.
const MESSAGES: u64 = 30;

/// What a subscriber in frames gets, and what the tool gets.
const TOPICS: [&str; 2] = ["a", "b"];

const UNITS: Sight = Sight {
    link: Link::Rmp,
    read: |bytes| {
        let (who, says) = if is_json(bytes) { said_in_json(bytes)? } else { said(bytes)? };
        Some((who.to_string(), says))
    },
    edited: |_, bytes| {
        let with_edit = |message: &frames::Frame| {
            let text = text_of(message).filter(|text| text.contains("as made"))?;
            let edited = text.replace("as made", "as edited, and longer than it was");
            Some(note(message.trace_id(), message.msg_id(), &edited))
        };
        if is_json(bytes) {
            let mut asked = json_of(bytes)?;
            let (_, fields) = asked.as_object_mut()?.iter_mut().next()?;
            let edited = with_edit(&message_of(&fields["message"])?)?;
            fields["message"] = message_in_json(&edited);
            return Some(unit(&asked.to_string()));
        }
        let units = split(bytes);
        let [head, message] = &units[..] else { return None };
        let is_message = matches!(&*head.name(), "Publish" | "Deliver");
        Some([&head.wire[..], &with_edit(message).filter(|_| is_message)?].concat())
    },
    may_drop: |bytes| !is_json(bytes) || json_of(bytes).is_some_and(|unit| unit.get("Message").is_some()),
    filters: &[
        "link:rmp",
        "topic:a",
        "kind:Publish",
        "kind:Ping or kind:Subscribe",
        "link:rmp verdict:ok",
        "sub:1",
        "topic:b",
        "kind:Message",
    ],
};

fn is_json(bytes: &[u8]) -> bool {
    bytes.get(4) == Some(&b'{')
}

fn json_of(bytes: &[u8]) -> Option<Json> {
    serde_json::from_slice(&bytes[4..]).ok()
}

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

/// Who published what a unit in frames says, and what that is; the station publishes as well.
pub(super) fn said(bytes: &[u8]) -> Option<(u64, String)> {
    let units = split(bytes);
    let (first, last) = (units.first()?, units.last()?);
    let who = u64::try_from(last.trace_id()).ok().filter(|who| (1..=TOOL).contains(who))?;
    let says = match text_of(last) {
        Some(_) => published(&first.text("topic"), last),
        None => format!("{} {}", first.name(), first.msg_id()),
    };
    Some((who, says))
}

/// The same of the JSON dialect, and of what is delivered in it.
fn said_in_json(bytes: &[u8]) -> Option<(u64, String)> {
    let unit = json_of(bytes)?;
    let (name, asked) = unit.as_object()?.iter().next()?;
    if asked["message"].is_null() {
        return Some((TOOL, format!("{name} {}", asked["id"]))).filter(|_| !asked["id"].is_null());
    }
    // What is delivered names the subscription alone.
    let topic = asked["topic"].as_str().unwrap_or(TOPICS[1]);
    let message = message_of(&asked["message"])?;
    text_of(&message)?;
    Some((u64::try_from(message.trace_id()).ok()?, published(topic, &message)))
}

/// The frame of a message of the JSON dialect, which has its header and its body.
fn message_of(message: &Json) -> Option<frames::Frame> {
    let number = |name: &str| message["header"][name].as_u64();
    let body = message["body"].as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok());
    let header = frames::Header {
        schema_id: u16::try_from(number("schema_id")?).ok()?,
        created_at_ms: number("created_at_ms")?,
        ttl_ms: number("ttl_ms")?,
        trace_id: number("trace_id")?.into(),
        msg_id: number("msg_id")?,
    };
    Some(frames::Frame { wire: frames::frame(header, &body.collect::<Option<Vec<_>>>()?) })
}

/// A note as a message of the JSON dialect.
fn message_in_json(note: &[u8]) -> Json {
    let frame = frames::Frame { wire: note.to_vec() };
    let body = &note[68..];
    let trace_id = u64::try_from(frame.trace_id()).unwrap();
    let header = json!({
        "header_version": 0, "header_len": 64, "flags": 0, "schema_id": 1, "body_len": body.len(),
        "created_at_ms": 1, "ttl_ms": u64::MAX - 2, "trace_id": trace_id, "msg_id": frame.msg_id(),
    });
    json!({ "header": header, "body": body })
}

/// What a message says on a topic, as it is published and as it is delivered.
fn published(topic: &str, message: &frames::Frame) -> String {
    format!("{topic} {} {}", message.msg_id(), text_of(message).unwrap())
}

/// The text of a message; nothing of a control frame.
fn text_of(frame: &frames::Frame) -> Option<String> {
    let body = rmpv::decode::read_value(&mut &frame.wire[68..]).ok()?;
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
    let message = message_in_json(&note(TOOL.into(), msg_id, text));
    unit(&json!({ "Publish": { "id": msg_id, "topic": topic, "message": message } }).to_string())
}

/// Those who are connected.
struct Connected {
    publishers: Vec<Peer>,
    tool: Peer,
    /// What the tool got, with who published it.
    delivered: Vec<(u64, String)>,
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
        subscriber.subscribe(1, TOPICS[0]);
        tool.send(&unit(&json!({ "Subscribe": { "id": 1, "topic": TOPICS[1], "sub_id": 2 } }).to_string()));
        assert_eq!(&tool.hear().wire[4..], br#"{"SubscribeAck":{"id":1,"result":{"Ok":null}}}"#);
        let publishers = (0..PUBLISHERS).map(|_| agent()).collect();
        Self { publishers, tool, delivered: Vec::new(), subscriber }
    }

    /// Everybody publishes and waits for an answer, round by round, so that rules are armed meanwhile; the
    /// answers, and what the subscribers read.
    fn work(mut self) -> Received {
        let mut answers = Vec::new();
        for n in 1..=MESSAGES + 2 {
            let text = |who: u64| match n {
                1..=MESSAGES => {
                    let more = "x".repeat(usize::try_from(n * who * 37 % 900).unwrap());
                    format!("{n} of {who} as made {more}")
                }
                _ if n == MESSAGES + 1 => format!("last but one of {who}"),
                _ => format!("last of all, the end of {who}"),
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
            answers.push(self.answer_to_tool());
        }
        Received { answers, delivered: self.read_all(), ..Received::default() }
    }

    /// The next answer to the tool, behind what is delivered to it.
    fn answer_to_tool(&mut self) -> String {
        loop {
            let unit = self.tool.hear().wire;
            if json_of(&unit).is_none_or(|unit| unit.get("Message").is_none()) {
                return String::from_utf8(unit[4..].to_vec()).unwrap();
            }
            self.delivered.push(said_in_json(&unit).unwrap());
        }
    }

    /// What the subscribers read until each publisher has said its last, by publisher.
    fn read_all(&mut self) -> Heard {
        let (mut delivered, mut ended) = (Heard::new(), BTreeSet::new());
        while ended.len() < CONNECTIONS {
            let (_, topic, message) = self.subscriber.delivered();
            let says = published(&topic, &message);
            if says.contains("last") {
                ended.insert(message.trace_id());
            }
            delivered.entry(message.trace_id().to_string()).or_default().push(says);
        }
        let is_last = |(_, says): &&(u64, String)| says.contains("last");
        while self.delivered.iter().filter(is_last).count() < CONNECTIONS {
            let unit = self.tool.hear().wire;
            self.delivered.push(said_in_json(&unit).unwrap());
        }
        for (who, says) in self.delivered.drain(..) {
            delivered.entry(who.to_string()).or_default().push(says);
        }
        delivered
    }
}

#[test]
fn the_broker_gets_the_units_of_each_session_in_their_order_and_delivers_them_whatever_is_held() {
    compare(&UNITS, CONNECTIONS, Connected::to, Connected::work);
}
