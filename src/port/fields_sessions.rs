//! What the rows of sessions are made of.

use super::{SessionLogRow, SessionRow, fields::since};
use crate::{
    field::{Column, Value, fields},
    macp::{Ending, Mode, Phase},
};

fields! {
    SessionRow {
        "number", Serial, Public, "its place among all sessions", Column::fixed("nr", 6).right() => |it, _| Value::Serial(it.number);
        "session", Text, Public, "its id", Column::growing("session", 12, 2) => |it, _| Value::text(it.session.as_str());
        "mode", State(Mode::SHORT_NAMES), Public, "how it is coordinated", Column::fixed("mode", 11)
            => |it, _| Value::text(it.mode.short());
        "state", State(&["open", "resolved", "expired", "cancelled", "damaged"]), Public, "its state", Column::fixed("state", 9)
            => |it, _| Value::text(it.status());
        "ending", State(&Ending::NAMES), Public, "how it ended"
            => |it, _| Value::maybe(it.ending.map(Ending::name));
        "phase", State(&Phase::NAMES), Public, "how far a decision is", Column::fixed("phase", 10)
            => |it, _| Value::maybe(it.phase.map(Phase::name));
        "round", Number, Public, "which round it is", Column::fixed("round", 5).right()
            => |it, _| it.round.map_or(Value::None, Value::count);
        "messages", Number, Public, "messages that it accepted", Column::fixed("msgs", 6).right() => |it, _| Value::count(it.messages);
        "participants", Number, Public, "how many may take part; 0 for anybody", Column::fixed("part", 4).right()
            => |it, _| Value::count(it.participants);
        "by", Text, Public, "who began it", Column::growing("by", 8, 1) => |it, _| Value::text(it.by.as_str());
        "at", Time, Public, "when it began", Column::fixed("at", 8) => |it, _| Value::Time(it.started_at_ms);
        "expires", Time, Public, "when its TTL is over", Column::fixed("expires", 8) => |it, _| Value::Time(it.expires_at_ms);
        "ended", Time, Public, "when it ended", Column::fixed("ended", 8) => |it, _| it.ended_at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "how long ago it began" => |it, now| since(it.started_at_ms, now);
        "trace", Id, Public, "what it belongs to" => |it, _| it.trace_id.map_or(Value::None, |it| Value::text(it.0.hyphenated().to_string()));
        "intent", Text, Payload, "what it is for", Column::growing("intent", 12, 5) => |it, _| Value::text(it.intent.as_str());
        "why", Text, Payload, "why it ended" => |it, _| Value::maybe(it.why.as_deref());
    }
}

fields! {
    SessionLogRow {
        "number", Serial, Public, "its place in the session's log", Column::fixed("nr", 6).right() => |it, _| Value::Serial(it.number);
        "at", Time, Public, "when it was written", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "kind", State(&["incoming", "ttl_expired", "session_cancel", "resolution"]), Public, "what it is", Column::fixed("kind", 14)
            => |it, _| Value::text(it.kind.name());
        "type", Text, Public, "the message's type", Column::growing("type", 10, 2) => |it, _| Value::maybe(it.message_type.as_deref());
        "sender", Text, Public, "who sent it", Column::growing("sender", 8, 2) => |it, _| Value::maybe(it.sender.as_deref());
        "id", Text, Public, "the message's id", Column::growing("id", 8, 1) => |it, _| Value::maybe(it.message_id.as_deref());
        "payload", Text, Payload, "what it carries", Column::growing("payload", 16, 6) => |it, _| Value::text(it.payload.as_str());
    }
}
