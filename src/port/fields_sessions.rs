//! What the rows of sessions are made of.

use super::{SessionLogRow, SessionRow, fields::since};
use crate::{
    field::{Column, Value, fields},
    macp::{Ending, Mode, Phase},
};

fields! {
    SessionRow {
        "number", Serial, Public, "serial number", Column::fixed("#", 6).right() => |it, _| Value::Serial(it.number);
        "session", Text, Public, "id", Column::growing("session", 12, 2) => |it, _| Value::text(it.session.as_str());
        "mode", State(Mode::SHORT_NAMES), Public, "coordination mode", Column::fixed("mode", 11)
            => |it, _| Value::text(it.mode.short());
        "state", State(&["open", "resolved", "expired", "cancelled", "damaged"]), Public, "state", Column::fixed("state", 9)
            => |it, _| Value::text(it.status());
        "ending", State(&Ending::NAMES), Public, "how it ended"
            => |it, _| Value::maybe(it.ending.map(Ending::name));
        "phase", State(&Phase::NAMES), Public, "phase of a decision", Column::fixed("phase", 10)
            => |it, _| Value::maybe(it.phase.map(Phase::name));
        "round", Number, Public, "current round", Column::fixed("round", 5).right()
            => |it, _| it.round.map_or(Value::None, Value::count);
        "messages", Number, Public, "accepted messages", Column::fixed("msgs", 6).right() => |it, _| Value::count(it.messages);
        "participants", Number, Public, "participants allowed; 0 if open to anyone", Column::fixed("part", 4).right()
            => |it, _| Value::count(it.participants);
        "by", Text, Public, "initiator", Column::growing("by", 8, 1) => |it, _| Value::text(it.by.as_str());
        "at" | "started_at_ms" | "started", Time, Public, "start time", Column::fixed("at", 8) => |it, _| Value::Time(it.started_at_ms);
        "expires" | "expires_at_ms", Time, Public, "time its TTL expires", Column::fixed("expires", 8) => |it, _| Value::Time(it.expires_at_ms);
        "ended" | "ended_at_ms", Time, Public, "when it ended", Column::fixed("ended", 8) => |it, _| it.ended_at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "time since it started" => |it, now| since(it.started_at_ms, now);
        "trace" | "trace_id", Id, Public, "trace" => |it, _| it.trace_id.map_or(Value::None, |it| Value::text(it.0.hyphenated().to_string()));
        "intent", Text, Payload, "intent", Column::growing("intent", 12, 5) => |it, _| Value::text(it.intent.as_str());
        "outcome" | "why", Text, Payload, "why it ended" => |it, _| Value::maybe(it.why.as_deref());
    }
}

fields! {
    SessionLogRow {
        "number", Serial, Public, "number within the log", Column::fixed("#", 6).right() => |it, _| Value::Serial(it.number);
        "at" | "at_ms", Time, Public, "time written", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "kind", State(&["incoming", "ttl_expired", "session_cancel", "resolution"]), Public, "kind", Column::fixed("kind", 14)
            => |it, _| Value::text(it.kind.name());
        "type" | "message_type", Text, Public, "message type", Column::growing("type", 10, 2) => |it, _| Value::maybe(it.message_type.as_deref());
        "sender", Text, Public, "sender", Column::growing("sender", 8, 2) => |it, _| Value::maybe(it.sender.as_deref());
        "id" | "message_id", Text, Public, "message id", Column::growing("id", 8, 1) => |it, _| Value::maybe(it.message_id.as_deref());
        "payload", Text, Payload, "payload", Column::growing("payload", 16, 6) => |it, _| Value::text(it.payload.as_str());
    }
}
