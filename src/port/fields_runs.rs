//! What the rows of runs are made of.

use super::{ArtifactRow, ConfirmationRow, RunEventRow, RunRow, fields::since};
use crate::{
    field::{Column, Value, fields},
    schema::JsonText,
    tap::entry::{
        runs::{AskerKind, EventKind},
        station::Level,
    },
};

fields! {
    RunRow {
        "number", Serial, Public, "its place among all runs", Column::fixed("nr", 6).right() => |it, _| Value::Serial(it.number);
        "name", Text, Public, "the opening's name", Column::growing("opening", 10, 2) => |it, _| Value::text(it.name.as_str());
        "state", State(&[RunRow::ASKS, "running", "cancelling", "succeeded", "failed", "cancelled"]), Public, "its state", Column::fixed("state", 10)
            => |it, _| Value::text(it.status());
        "nodes", Number, Public, "nodes of its plan" => |it, _| Value::count(it.nodes);
        "done", Number, Public, "nodes that completed or were skipped, of all its nodes", Column::fixed("nodes", 9).right() => |it, _| Value::count(it.done);
        "events", Number, Public, "events that it told", Column::fixed("events", 6).right() => |it, _| Value::count(it.events);
        "artifacts", Number, Public, "artifacts that it kept", Column::fixed("kept", 4).right() => |it, _| Value::count(it.artifacts);
        "tokens", Number, Public, "tokens that its agents used", Column::fixed("tokens", 7).right() => |it, _| Value::count(it.tokens);
        "by", Text, Public, "who asked for it", Column::growing("by", 10, 1) => |it, _| Value::text(it.client.as_str());
        "kind", State(&AskerKind::NAMES), Public, "what who asked for it may do" => |it, _| Value::text(it.by.name());
        "at", Time, Public, "when it was submitted", Column::fixed("at", 8) => |it, _| Value::Time(it.submitted_at_ms);
        "ended", Time, Public, "when it ended", Column::fixed("ended", 8) => |it, _| it.ended_at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "how long ago it was submitted" => |it, now| since(it.submitted_at_ms, now);
        "took", Duration, Public, "how long it took, or takes so far" => |it, now| {
            let end = it.ended_at_ms.unwrap_or(now.wall);
            Value::Duration(u64::try_from(end.since(it.submitted_at_ms).as_millis()).unwrap_or(u64::MAX))
        };
        "trace", Id, Public, "its name on the bus", Column::fixed("trace", 5) => |it, _| Value::text(it.run.0.hyphenated().to_string());
        "why", Text, Payload, "why it did not succeed", Column::growing("why", 8, 5) => |it, _| Value::maybe(it.why.as_deref());
    }
}

fields! {
    ConfirmationRow {
        "action", Id, Public, "the question's own name", Column::fixed("action", 6) => |it, _| Value::text(it.action.0.hyphenated().to_string());
        "trace", Id, Public, "of which run", Column::fixed("trace", 5) => |it, _| Value::text(it.run.0.hyphenated().to_string());
        "node", Text, Public, "of which node", Column::growing("node", 8, 1) => |it, _| Value::text(it.node.as_str());
        "summary", Text, Payload, "what is asked", Column::growing("summary", 16, 4) => |it, _| Value::text(it.summary.as_str());
        "takes", Text, Payload, "what the node would be given" => |it, _| Value::maybe(it.takes.as_ref().map(JsonText::as_str));
        "at", Time, Public, "when it was asked", Column::fixed("at", 8) => |it, _| Value::Time(it.asked_at_ms);
        "age", Duration, Public, "how long ago it was asked" => |it, now| since(it.asked_at_ms, now);
        "expires", Time, Public, "when it is rejected without an answer", Column::fixed("expires", 8) => |it, _| Value::Time(it.expires_at_ms);
    }
}

fields! {
    RunEventRow {
        "number", Serial, Public, "its place in the run's history", Column::fixed("nr", 6).right() => |it, _| Value::Serial(it.number);
        "at", Time, Public, "when it was told", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "kind", State(&EventKind::NAMES), Public, "what it is", Column::fixed("kind", 8)
            => |it, _| Value::text(it.kind.name());
        "level", State(&Level::NAMES), Public, "how grave it is", Column::fixed("level", 5)
            => |it, _| Value::maybe(it.level.map(Level::name));
        "message", Text, Payload, "what it says", Column::growing("message", 20, 6) => |it, _| Value::text(it.message.as_str());
        "meta", Text, Payload, "its meta" => |it, _| Value::text(it.meta.as_str());
    }
}

fields! {
    ArtifactRow {
        "number", Serial, Public, "its place among the run's", Column::fixed("nr", 4).right() => |it, _| Value::Serial(it.number);
        "node", Text, Public, "which node gave it", Column::growing("node", 8, 1) => |it, _| Value::text(it.node.as_str());
        "port", Text, Public, "on which port", Column::growing("port", 6, 1) => |it, _| Value::text(it.port.as_str());
        "type", Text, Public, "its type", Column::growing("type", 12, 2) => |it, _| Value::text(it.kind.as_str());
        "schema", Number, Public, "its schema" => |it, _| Value::count(u64::from(it.schema_id));
        "bytes", Bytes, Public, "its length as MsgPack", Column::fixed("bytes", 9).right() => |it, _| Value::Bytes(it.bytes);
        "at", Time, Public, "when it was kept", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "value", Text, Payload, "its value", Column::growing("value", 16, 6) => |it, _| Value::text(it.value.as_str());
    }
}
