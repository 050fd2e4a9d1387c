//! What the rows of alerts are made of.

use super::{AlertRow, fields::since};
use crate::{
    field::{Column, Value, fields},
    tap::entry::{Link, alerts::AlertState},
};

fields! {
    AlertRow {
        "id", Serial, Public, "its number", Column::fixed("id", 6).right() => |it, _| Value::Serial(it.id);
        "state", State(&AlertState::NAMES), Public, "whether it is acknowledged or resolved",
            Column::fixed("state", 12) => |it, _| Value::text(it.state.name());
        "alert", Text, Public, "the kind of its cause", Column::fixed("alert", 16) => |it, _| Value::text(it.alert.as_str());
        "system", State(&Link::NAMES), Public, "whose it is", Column::fixed("system", 7) => |it, _| Value::text(it.system.name());
        "subject", Text, Public, "whom it concerns", Column::growing("subject", 8, 1) => |it, _| Value::text(it.subject.as_str());
        "since", Time, Public, "since when its cause holds", Column::fixed("since", 8) => |it, _| Value::Time(it.since_ms);
        "raised", Time, Public, "when it was raised" => |it, _| Value::Time(it.raised_at_ms);
        "acknowledged", Time, Public, "when it was acknowledged" => |it, _| it.acknowledged_at_ms.map_or(Value::None, Value::Time);
        "resolved", Time, Public, "when its cause was gone" => |it, _| it.resolved_at_ms.map_or(Value::None, Value::Time);
        "age", Duration, Public, "how long ago it was raised" => |it, now| since(it.raised_at_ms, now);
        "text", Text, Public, "what is the matter", Column::growing("text", 20, 4) => |it, _| Value::text(it.text.as_str());
    }
}
