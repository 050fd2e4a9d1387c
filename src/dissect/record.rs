//! An entry of the tap as a record with fields.

use std::borrow::Cow;

use super::{
    outcome::EntryOutcome,
    summary::EntrySummary,
    table::{of_head, of_transition},
};
use crate::{
    dissect::summary,
    field::{Column, Value, fields},
    macp::Mode,
    tap::{
        EntryRef,
        entry::{Direction, Link, What},
    },
    time::{Mono, Now},
};

/// An entry with what lies beside it. Making one costs nothing: each field is read when it is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryRecord<'a>(pub(crate) EntryRef<'a>);

impl<'a> EntryRecord<'a> {
    fn summary(&self) -> EntrySummary<'a> {
        EntrySummary::of(self.0.entry)
    }

    /// How it stands.
    pub(crate) fn outcome(&self) -> EntryOutcome {
        self.summary().outcome
    }

    /// The type of the frame, or the name of the transition.
    pub(crate) fn kind(&self) -> &'static str {
        self.summary().kind
    }

    /// Which way a frame went.
    pub(crate) fn direction(&self) -> Option<Direction> {
        match &self.0.entry.what {
            What::Frame(frame) => Some(frame.direction),
            _ => None,
        }
    }

    /// What happened, in one line. What peers and viewers wrote is not in it.
    pub(crate) fn line(&self) -> Cow<'static, str> {
        summary::line(self.0.entry)
    }

    /// Bytes on the wire of a frame; of a transition, those of its text, where it has one.
    fn bytes(&self) -> Value<'static> {
        match &self.0.entry.what {
            What::Frame(frame) => Value::Bytes(u64::from(frame.wire_bytes)),
            _ if self.0.bytes.is_empty() => Value::None,
            _ => Value::Bytes(self.0.bytes.len() as u64),
        }
    }

    /// Whether it is told every second whatever happens.
    fn is_routine(&self) -> bool {
        match &self.0.entry.what {
            What::Transition(transition) => of_transition(transition).is_routine(),
            What::Frame(frame) => of_head(&frame.head).is_routine(),
            _ => false,
        }
    }

    fn text(&self) -> Value<'a> {
        if self.0.bytes.is_empty() {
            return Value::None;
        }
        let text = self.0.text();
        match text {
            Cow::Borrowed(text) => Value::text(text.strip_suffix('\n').unwrap_or(text)),
            Cow::Owned(text) => Value::text(text),
        }
    }
}

fn age(at: Now, now: Now) -> Value<'static> {
    let age = if at.mono == Mono(0) { now.wall.since(at.wall) } else { now.mono.since(at.mono) };
    Value::Duration(u64::try_from(age.as_millis()).unwrap_or(u64::MAX))
}

fields! {
    EntryRecord<'_> {
        "seq", Serial, Public, "its place in the tap" => |it, _| Value::Serial(it.0.entry.seq.0);
        "at", Time, Public, "when it happened", Column::fixed("at", 12) => |it, _| Value::Time(it.0.entry.at.wall);
        "dir", State(&["in", "out"]), Public, "which way a frame went; none for a change of state", Column::fixed("", 1)
            => |it, _| Value::maybe(it.direction().map(direction_name));
        "link", State(&Link::NAMES), Public, "whose boundary or state it tells of", Column::fixed("link", 7).from(100)
            => |it, _| Value::text(it.0.entry.link.name());
        "kind", Text, Public, "the type of the frame or the name of the transition", Column::fixed("  kind", 16) => |it, _| Value::text(it.kind());
        "verdict", State(EntryOutcome::NAMES), Public, "what was made of a frame; how much a change of state matters", Column::fixed("", 5).from(112)
            => |it, _| Value::maybe(it.outcome().name());
        "what", Text, Public, "what happened, in one line without what peers wrote", Column::growing("what", 17, 3) => |it, _| Value::text(it.line());
        "text", Text, Payload, "the frame as it was on the wire, or the words of a transition", Column::growing("said", 10, 4)
            => |it, _| it.text();
        "id", Serial, Public, "the invocation that it tells of" => |it, _| it.summary().id.map_or(Value::None, |id| Value::Serial(id.0));
        "queue", Text, Public, "the queue that it tells of" => |it, _| Value::maybe(it.summary().queue.map(crate::ids::QueueName::as_str));
        "event", Text, Public, "the event of the invocation" => |it, _| Value::maybe(it.summary().event.map(crate::ids::EventName::as_str));
        "topic", Topic, Public, "the topic or pattern of the bus that it tells of"
            => |it, _| Value::maybe(it.summary().topic.map(crate::ids::TopicName::as_str));
        "schema", Text, Public, "the schema of a message of the bus"
            => |it, _| Value::maybe(it.summary().schema.map(crate::dissect::rmp::schema_name));
        "msg_id", Serial, Public, "the number of a message of the bus" => |it, _| it.summary().msg_id.map_or(Value::None, Value::Serial);
        "sub", Serial, Public, "the subscription of the bus that it tells of" => |it, _| it.summary().sub.map_or(Value::None, Value::Serial);
        "session", Text, Public, "the session of the bus or of agents who decide together that it tells of"
            => |it, _| it.summary().session();
        "mode", State(Mode::SHORT_NAMES), Public, "how a session that begins is coordinated"
            => |it, _| Value::maybe(it.summary().mode);
        "sender", Text, Public, "who sends a message of a session" => |it, _| Value::maybe(it.summary().sender);
        "type", Text, Public, "the type of a message of a session" => |it, _| Value::maybe(it.summary().message_type);
        "message", Text, Public, "the id of a message of a session" => |it, _| Value::maybe(it.summary().message_id);
        "code", Text, Public, "why a message of a session is rejected, or the status that its call ends with"
            => |it, _| Value::maybe(it.summary().code);
        "client", Text, Public, "what a session of the bus calls itself" => |it, _| Value::maybe(it.summary().client);
        "peer", Text, Public, "who is at the other end" => |it, _| Value::maybe(it.summary().peer.map(crate::ids::Peer::as_str));
        "clause", Text, Public, "the clause of the specification that was broken" => |it, _| Value::maybe(it.summary().clause);
        "bytes", Bytes, Public, "the length of a frame on the wire, or of a transition's words", Column::fixed("bytes", 7).right().from(120)
            => |it, _| it.bytes();
        "trace", Id, Public, "the piece of work that it belongs to", Column::fixed("trace", 5).from(112)
            => |it, _| Value::maybe(it.0.entry.trace.map(|trace| trace.0.simple().to_string()));
        "cause", Serial, Public, "the entry that caused it", Column::fixed("cause", 8).right().from(140)
            => |it, _| it.0.entry.cause.map_or(Value::None, |cause| Value::Serial(cause.0));
        "routine", State(&["yes", "no"]), Public, "whether it is told every second whatever happens: figures, and the station's own metrics"
            => |it, _| Value::text(if it.is_routine() { "yes" } else { "no" });
        "age", Duration, Public, "how long ago it happened" => |it, now| age(it.0.entry.at, now);
    }
}

const fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Inbound => "in",
        Direction::Outbound => "out",
    }
}
