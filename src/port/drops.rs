//! The rows of drops: what did not reach its subscribers, grouped as the console's pane groups it.

use serde::{Deserialize, Serialize};

use super::fields::since;
use crate::{
    field::{Column, Value, fields},
    ids::{ConnectionId, TopicName, TraceId},
    rmp::{DropReason, Snapshot, drop_groups},
    time::Wall,
};

const REASONS: &[&str] =
    &[DropReason::TtlExpired.name(), DropReason::Duplicate.name(), DropReason::BackpressureTimeout.name()];
const ROLES: &[&str] = &["subscriber", "publisher", "station"];

/// `ls drops`: messages of one reason, topic and culprit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DropRow {
    /// When the last of them was dropped, in Unix milliseconds.
    pub at_ms: Wall,
    /// Why, as notices and metrics name it.
    pub reason: String,
    /// On which topic.
    pub topic: TopicName,
    /// Who caused it: who had no room, or who sent it late or again.
    pub culprit: String,
    /// Whether that is a subscriber, a publisher or the station.
    pub role: String,
    /// The culprit's session; null of the station.
    pub session: Option<ConnectionId>,
    /// How many messages.
    pub count: u64,
    /// Notices that told of them.
    pub notices: u64,
    /// The number of the last message.
    pub msg_id: u64,
    /// The trace of the last message.
    pub trace_id: Option<TraceId>,
    /// When the first of them was dropped, in Unix milliseconds.
    pub first_at_ms: Wall,
}

/// The drops whose notices are kept, the latest first: at most `limits.rmp.shown_drops_max`.
#[must_use]
pub fn drop_rows(snapshot: &Snapshot) -> Vec<DropRow> {
    let row = |group: crate::rmp::DropGroup| DropRow {
        at_ms: group.last.at.wall,
        reason: group.key.reason.name().to_owned(),
        culprit: group.culprit_label(),
        role: group.key.culprit.role().to_owned(),
        session: group.key.culprit.session(),
        count: group.count,
        notices: group.notices,
        msg_id: group.last.msg_id,
        trace_id: group.last.trace,
        first_at_ms: group.first_at.wall,
        topic: group.key.topic,
    };
    drop_groups(snapshot).into_iter().map(row).collect()
}

fields! {
    DropRow {
        "at" | "at_ms", Time, Public, "last occurrence", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "reason", State(REASONS), Public, "reason", Column::fixed("reason", 11)
            => |it, _| Value::text(it.reason.as_str());
        "topic", Topic, Public, "topic", Column::growing("topic", 12, 3) => |it, _| Value::text(it.topic.as_str());
        "culprit" | "whose", Text, Public, "who caused it: the subscriber whose queue was full, or the publisher that was late or repeated itself", Column::growing("culprit", 8, 1)
            => |it, _| Value::text(it.culprit.as_str());
        "count" | "times", Number, Public, "messages dropped", Column::fixed("count", 6).right() => |it, _| Value::count(it.count);
        "role", State(ROLES), Public, "role of the culprit" => |it, _| Value::text(it.role.as_str());
        "session", Serial, Public, "session of the culprit" => |it, _| it.session.map_or(Value::None, |session| Value::Serial(session.0));
        "notices", Number, Public, "drop notices" => |it, _| Value::count(it.notices);
        "msg_id", Serial, Public, "msg_id of the last message" => |it, _| Value::Serial(it.msg_id);
        "trace" | "trace_id", Id, Public, "trace of the last message"
            => |it, _| Value::maybe(it.trace_id.map(|trace| trace.0.hyphenated().to_string()));
        "first" | "first_at_ms", Time, Public, "first occurrence kept" => |it, _| Value::Time(it.first_at_ms);
        "age", Duration, Public, "time since the last occurrence" => |it, now| since(it.at_ms, now);
    }
}
