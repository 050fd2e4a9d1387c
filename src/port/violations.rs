//! The rows of violations: what peers broke, as far as the tap keeps it.

use serde::{Deserialize, Serialize};

use super::fields::since;
use crate::{
    field::{Column, Value, fields},
    ids::{ConnectionId, Peer},
    time::Wall,
};

/// `ls violations`: breaches of one clause that are alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViolationRow {
    /// The clause of the specification.
    pub clause: String,
    /// How many there were.
    pub count: u64,
    /// When the last of them was, in Unix milliseconds.
    pub last_at_ms: Wall,
    /// What was wrong.
    pub violation: String,
    /// Who broke it the last time: what it calls itself, or the peer.
    pub who: String,
    /// The session of the bus; null elsewhere.
    pub session: Option<ConnectionId>,
    /// The process or address.
    pub peer: Peer,
    /// The type of the frame that broke it; null where no frame did, or it has no type.
    pub frame: Option<String>,
    /// What the peer was told; null where that is not known.
    pub told: Option<String>,
    /// Since when they are counted, in Unix milliseconds: the oldest entry that the tap keeps.
    pub since_ms: Wall,
}

fields! {
    ViolationRow {
        "clause", Text, Public, "violated clause of the specification", Column::growing("clause", 14, 1)
            => |it, _| Value::text(it.clause.as_str());
        "count" | "times", Number, Public, "count", Column::fixed("count", 5).right() => |it, _| Value::count(it.count);
        "last" | "last_at_ms", Time, Public, "last occurrence", Column::fixed("last", 8) => |it, _| Value::Time(it.last_at_ms);
        "violation" | "what", Text, Public, "violation", Column::growing("violation", 12, 5)
            => |it, _| Value::text(it.violation.as_str());
        "who", Text, Public, "peer of the last occurrence", Column::growing("who", 12, 1) => |it, _| Value::text(it.who.as_str());
        "session", Serial, Public, "bus session"
            => |it, _| it.session.map_or(Value::None, |session| Value::Serial(session.0));
        "peer", Text, Public, "process or address" => |it, _| Value::text(it.peer.as_str());
        "frame", Text, Public, "type of the offending frame" => |it, _| Value::maybe(it.frame.as_deref());
        "reply" | "told", Text, Payload, "reply sent to the peer" => |it, _| Value::maybe(it.told.as_deref());
        "age", Duration, Public, "time since the last occurrence" => |it, now| since(it.last_at_ms, now);
    }
}
