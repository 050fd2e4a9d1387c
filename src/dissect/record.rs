//! An entry of the tap as a record with fields.

use std::borrow::Cow;

use super::{
    frame_verdict::frame_verdict,
    mplp::EntryFindings,
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
        entry::{Direction, Link, Transition, What, station},
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
        let kind = self.summary().kind;
        KIND_NAMES.iter().find(|(name, _)| *name == kind).map_or(kind, |(_, shown)| shown)
    }

    /// Which way a frame went.
    pub(crate) fn direction(&self) -> Option<Direction> {
        match &self.0.entry.what {
            What::Frame(frame) => Some(frame.direction),
            What::Intercepted(it) => Some(it.frame.direction),
            _ => None,
        }
    }

    /// Whether the frame was made by hand.
    pub(crate) fn is_by_hand(&self) -> bool {
        matches!(&self.0.entry.what, What::Frame(frame) if frame.origin.is_some())
    }

    fn origin(&self) -> Value<'static> {
        match &self.0.entry.what {
            What::Frame(frame) => Value::maybe(frame.origin.as_ref().map(|origin| origin.words())),
            _ => Value::None,
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

    /// Whether somebody who looks back wants to stop here: at what went wrong, at what an operator did, and
    /// at a mark.
    pub(crate) fn is_of_note(&self) -> bool {
        self.outcome().is_of_note() || self.is_mark() || self.is_command()
    }

    /// Whether an operator did something through the port.
    fn is_command(&self) -> bool {
        let what = &self.0.entry.what;
        matches!(what, What::Transition(Transition::Station(station::Transition::Operated { .. })))
    }

    /// Whether it is a mark that was set.
    pub(crate) fn is_mark(&self) -> bool {
        let what = &self.0.entry.what;
        matches!(what, What::Transition(Transition::Station(station::Transition::Marked { .. })))
    }

    /// Whether it is told every second whatever happens.
    pub(crate) fn is_routine(&self) -> bool {
        match &self.0.entry.what {
            What::Transition(transition) => of_transition(transition).is_routine(),
            What::Frame(frame) => of_head(&frame.head).is_routine(),
            _ => false,
        }
    }

    /// The code on the wire; of a frame that is refused without one, the name of its fault.
    fn code(&self) -> Option<&'a str> {
        self.summary().code.or_else(|| frame_verdict(self.0.entry)?.code)
    }

    /// The schema of a message; behind it those of objects in it with findings.
    fn schema(&self) -> Value<'a> {
        let Some(name) = self.summary().schema.map(crate::dissect::rmp::schema_name) else {
            return Value::None;
        };
        match EntryFindings::of(self.0).filter(|found| !found.schemas.is_empty()) {
            Some(found) => Value::text(format!("{name} {}", found.schemas)),
            None => Value::text(name),
        }
    }

    /// One of the lists of what is found in a message; none where nothing is.
    fn findings(&self, list: fn(&EntryFindings) -> &String) -> Value<'a> {
        let found = EntryFindings::of(self.0);
        Value::maybe(found.map(|found| list(&found).clone()).filter(|list| !list.is_empty()))
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

/// What transitions are called in summaries and in earlier versions, each with its name for people.
const KIND_NAMES: &[(&str, &str)] = &[
    ("told", "event"),
    ("moved", "state change"),
    ("gauged", "queue stats"),
    ("remembered", "dedup stats"),
    ("greeted", "hello"),
    ("counted", "stats"),
    ("handshaken", "handshake"),
    ("left_applied", "orphaned"),
    ("left_out", "state skipped"),
    ("state_written", "state written"),
    ("braked", "brake changed"),
    ("other_cancelled", "stale cancelled"),
    ("not_listening", "not listening"),
    ("commits_failing", "commits failing"),
    ("commits_well", "commits ok"),
    ("reads_failing", "reads failing"),
    ("reads_ok", "reads ok"),
    ("pack_loaded", "pack loaded"),
    ("clock_jumped", "clock jumped"),
    ("host_up", "host up"),
    ("host_down", "host down"),
    ("store_well", "store ok"),
    ("store_failing", "store failing"),
    ("rec_started", "rec started"),
    ("rec_grew", "rec size"),
    ("rec_stopped", "rec stopped"),
    ("rec_failed", "rec failed"),
    ("disk_low", "disk low"),
    ("disk_free", "disk free"),
    ("disk_well", "disk ok"),
    ("turned_away", "turned away"),
];

fields! {
    EntryRecord<'_> {
        "seq", Serial, Public, "sequence number in the tap" => |it, _| Value::Serial(it.0.entry.seq.0);
        "at", Time, Public, "time", Column::fixed("at", 12) => |it, _| Value::Time(it.0.entry.at.wall);
        "dir", State(&["in", "out"]), Public, "direction of a frame; none for a state change", Column::fixed("", 1)
            => |it, _| Value::maybe(it.direction().map(direction_name));
        "link", State(&Link::NAMES), Public, "protocol or system", Column::fixed("link", 7).from(100)
            => |it, _| Value::text(it.0.entry.link.name());
        "kind", Text reads (KIND_NAMES), Public, "frame type or transition name", Column::fixed("  kind", 16) => |it, _| Value::text(it.kind());
        "verdict", State(EntryOutcome::NAMES), Public, "outcome of a frame, or severity of a state change", Column::fixed("", 5).from(112)
            => |it, _| Value::maybe(it.outcome().name());
        "what", Text, Public, "one-line summary without peer text", Column::growing("what", 17, 3) => |it, _| Value::text(it.line());
        "text", Text, Payload, "frame as on the wire, or text of a transition", Column::growing("payload", 10, 4)
            => |it, _| it.text();
        "id", Serial, Public, "invocation" => |it, _| it.summary().id.map_or(Value::None, |id| Value::Serial(id.0));
        "queue", Text, Public, "queue" => |it, _| Value::maybe(it.summary().queue.map(crate::ids::QueueName::as_str));
        "event", Text, Public, "event of the invocation" => |it, _| Value::maybe(it.summary().event.map(crate::ids::EventName::as_str));
        "topic", Topic, Public, "bus topic or pattern"
            => |it, _| Value::maybe(it.summary().topic.map(crate::ids::TopicName::as_str));
        "schema", Text, Public, "schema of a bus message, then those of MPLP objects in it that have findings"
            => |it, _| it.schema();
        "rule", Text, Public, "rules that the MPLP objects of a bus message break"
            => |it, _| it.findings(|found| &found.rules);
        "path", Text, Public, "paths of findings in the MPLP objects of a bus message"
            => |it, _| it.findings(|found| &found.paths);
        "msg_id", Serial, Public, "msg_id of a bus message" => |it, _| it.summary().msg_id.map_or(Value::None, Value::Serial);
        "sub", Serial, Public, "bus subscription" => |it, _| it.summary().sub.map_or(Value::None, Value::Serial);
        "session", Text, Public, "bus session or MACP session"
            => |it, _| it.summary().session();
        "mode", State(Mode::SHORT_NAMES), Public, "mode of a MACP session that starts"
            => |it, _| Value::maybe(it.summary().mode);
        "sender", Text, Public, "sender of a MACP message" => |it, _| Value::maybe(it.summary().sender);
        "type", Text, Public, "type of a MACP message" => |it, _| Value::maybe(it.summary().message_type);
        "message", Text, Public, "id of a MACP message" => |it, _| Value::maybe(it.summary().message_id);
        "plugin", Text, Public, "plugin" => |it, _| Value::maybe(it.summary().plugin);
        "method", Text, Public, "method of a message of a plugin" => |it, _| Value::maybe(it.summary().method);
        "code", Text, Public, "error of a refused frame: its name, MACP's code or gRPC status, or a plugin's error"
            => |it, _| Value::maybe(it.code());
        "client", Text, Public, "client name of a bus session" => |it, _| Value::maybe(it.summary().client);
        "peer", Text, Public, "remote peer" => |it, _| Value::maybe(it.summary().peer.map(crate::ids::Peer::as_str));
        "origin", Text, Public, "who injected a frame, and how" => |it, _| it.origin();
        "clause", Text, Public, "violated clause of the specification" => |it, _| Value::maybe(it.summary().clause);
        "bytes", Bytes, Public, "frame size on the wire, or size of a transition's text", Column::fixed("bytes", 7).right().from(120)
            => |it, _| it.bytes();
        "trace", Id, Public, "trace", Column::fixed("trace", 5).from(112)
            => |it, _| Value::maybe(it.0.entry.trace.map(|trace| trace.0.simple().to_string()));
        "cause", Serial, Public, "entry that caused it", Column::fixed("cause", 8).right().from(140)
            => |it, _| it.0.entry.cause.map_or(Value::None, |cause| Value::Serial(cause.0));
        "routine", State(&["yes", "no"]) reads (&[("hidden", "no")]), Public, "whether it is periodic, such as queue stats and metrics; routine:hidden leaves them out"
            => |it, _| Value::text(if it.is_routine() { "yes" } else { "no" });
        "age", Duration, Public, "time since it happened" => |it, now| age(it.0.entry.at, now);
    }
}

const fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Inbound => "in",
        Direction::Outbound => "out",
    }
}
