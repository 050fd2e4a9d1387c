//! What the rows of alerts are made of.

use super::{AlertRow, fields::since};
use crate::{
    field::{Column, Value, fields},
    tap::entry::{Link, alerts::AlertState},
};

fields! {
    AlertRow {
        "id", Serial, Public, "number", Column::fixed("id", 6).right() => |it, _| Value::Serial(it.id);
        "state", State(&AlertState::NAMES), Public, "active, acknowledged or resolved",
            Column::fixed("state", 12) => |it, _| Value::text(it.state.name());
        "alert", Text, Public, "kind of alert", Column::fixed("alert", 16) => |it, _| Value::text(it.alert.as_str());
        "system", State(&Link::NAMES), Public, "system it belongs to", Column::fixed("system", 7) => |it, _| Value::text(it.system.name());
        "subject", Text, Public, "what it concerns", Column::growing("subject", 8, 1) => |it, _| Value::text(it.subject.as_str());
        "since" | "since_ms", Time, Public, "start of the cause", Column::fixed("since", 8) => |it, _| Value::Time(it.since_ms);
        "raised" | "raised_at_ms", Time, Public, "when it was raised" => |it, _| Value::Time(it.raised_at_ms);
        "acknowledged" | "acknowledged_at_ms", Time, Public, "when it was acknowledged" => |it, _| it.acknowledged_at_ms.map_or(Value::None, Value::Time);
        "resolved" | "resolved_at_ms" | "until", Time, Public, "when it was resolved" => |it, _| it.resolved_at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "time since it was raised" => |it, now| since(it.raised_at_ms, now);
        "text", Text, Public, "message", Column::growing("text", 20, 4) => |it, _| Value::text(it.text.as_str());
    }
}
