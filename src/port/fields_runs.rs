//! What the rows of runs are made of.

use super::{ArtifactRow, ConfirmationRow, RunEventRow, RunRow, fields::since};
use crate::{
    field::{Column, Value, fields},
    schema::JsonText,
    tap::entry::{
        mplp::RatingVerdict,
        runs::{AskerKind, EventKind},
        station::Level,
    },
};

fields! {
    RunRow {
        "number", Serial, Public, "serial number", Column::fixed("#", 6).right() => |it, _| Value::Serial(it.number);
        "name", Text, Public, "opening name", Column::growing("name", 10, 2) => |it, _| Value::text(it.name.as_str());
        "state", State(&[RunRow::AWAITING, "running", "cancelling", "succeeded", "failed", "cancelled"]) reads (&[(RunRow::ASKS, RunRow::AWAITING)]), Public, "state", Column::fixed("state", 10)
            => |it, _| Value::text(it.status());
        "opening", Text, Public, "id of the opening" => |it, _| Value::text(it.opening.to_string());
        "asks", Number, Public, "pending approvals" => |it, _| Value::count(it.asks);
        "nodes", Number, Public, "nodes of its plan" => |it, _| Value::count(it.nodes);
        "done", Number, Public, "nodes completed or skipped", Column::fixed("done", 9).right() => |it, _| Value::count(it.done);
        "events", Number, Public, "events", Column::fixed("events", 6).right() => |it, _| Value::count(it.events);
        "artifacts", Number, Public, "artifacts", Column::fixed("artifacts", 9).right() => |it, _| Value::count(it.artifacts);
        "tokens", Number, Public, "tokens used by its agents", Column::fixed("tokens", 7).right() => |it, _| Value::count(it.tokens);
        "by" | "client", Text, Public, "who submitted it", Column::growing("by", 10, 1) => |it, _| Value::text(it.client.as_str());
        "kind", State(&AskerKind::NAMES), Public, "kind of the submitter" => |it, _| Value::text(it.by.name());
        "at" | "submitted_at_ms" | "submitted", Time, Public, "when it was submitted", Column::fixed("at", 8) => |it, _| Value::Time(it.submitted_at_ms);
        "ended" | "ended_at_ms", Time, Public, "when it ended", Column::fixed("ended", 8) => |it, _| it.ended_at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "time since it was submitted" => |it, now| since(it.submitted_at_ms, now);
        "took" | "time", Duration, Public, "duration so far" => |it, now| {
            let end = it.ended_at_ms.unwrap_or(now.wall);
            Value::Duration(u64::try_from(end.since(it.submitted_at_ms).as_millis()).unwrap_or(u64::MAX))
        };
        "trace" | "run", Id, Public, "trace", Column::fixed("trace", 5) => |it, _| Value::text(it.run.0.hyphenated().to_string());
        "rating" | "rated", State(&["approved", "rejected"]), Public, "rating" => |it, _| Value::maybe(it.rated.map(RatingVerdict::name));
        "why", Text, Payload, "why it did not succeed", Column::growing("why", 8, 5) => |it, _| Value::maybe(it.why.as_deref());
    }
}

fields! {
    ConfirmationRow {
        "action", Id, Public, "id of the approval", Column::fixed("action", 6) => |it, _| Value::text(it.action.0.hyphenated().to_string());
        "trace" | "run", Id, Public, "run", Column::fixed("trace", 5) => |it, _| Value::text(it.run.0.hyphenated().to_string());
        "node", Text, Public, "node", Column::growing("node", 8, 1) => |it, _| Value::text(it.node.as_str());
        "summary" | "question", Text, Payload, "summary", Column::growing("summary", 16, 4) => |it, _| Value::text(it.summary.as_str());
        "inputs" | "takes", Text, Payload, "inputs of the node" => |it, _| Value::maybe(it.takes.as_ref().map(JsonText::as_str));
        "at" | "asked_at_ms" | "asked", Time, Public, "time requested", Column::fixed("at", 8) => |it, _| Value::Time(it.asked_at_ms);
        "age", Duration, Public, "time since it was requested" => |it, now| since(it.asked_at_ms, now);
        "expires" | "expires_at_ms", Time, Public, "time of the auto-reject", Column::fixed("expires", 8) => |it, _| Value::Time(it.expires_at_ms);
    }
}

fields! {
    RunEventRow {
        "number", Serial, Public, "number within the run", Column::fixed("#", 6).right() => |it, _| Value::Serial(it.number);
        "at" | "at_ms", Time, Public, "time", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "kind", State(&EventKind::NAMES), Public, "kind", Column::fixed("kind", 8)
            => |it, _| Value::text(it.kind.name());
        "level", State(&Level::NAMES), Public, "severity", Column::fixed("level", 5)
            => |it, _| Value::maybe(it.level.map(Level::name));
        "message", Text, Payload, "message", Column::growing("message", 20, 6) => |it, _| Value::text(it.message.as_str());
        "meta", Text, Payload, "metadata" => |it, _| Value::text(it.meta.as_str());
    }
}

fields! {
    ArtifactRow {
        "number", Serial, Public, "number within the run", Column::fixed("#", 4).right() => |it, _| Value::Serial(it.number);
        "node", Text, Public, "node that produced it", Column::growing("node", 8, 1) => |it, _| Value::text(it.node.as_str());
        "port", Text, Public, "output port", Column::growing("port", 6, 1) => |it, _| Value::text(it.port.as_str());
        "type", Text, Public, "type", Column::growing("type", 12, 2) => |it, _| Value::text(it.kind.as_str());
        "schema" | "schema_id", Number, Public, "schema" => |it, _| Value::count(u64::from(it.schema_id));
        "bytes", Bytes, Public, "size as MsgPack", Column::fixed("bytes", 9).right() => |it, _| Value::Bytes(it.bytes);
        "at" | "at_ms", Time, Public, "time stored", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "value", Text, Payload, "value", Column::growing("value", 16, 6) => |it, _| Value::text(it.value.as_str());
    }
}
