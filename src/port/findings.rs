//! The rows of findings: what is wrong with the MPLP messages of the bus, as far as the tap keeps them.

use serde::{Deserialize, Serialize};

use super::fields::since;
use crate::{
    field::{Column, Value, fields},
    ids::{ConnectionId, Peer, Seq},
    time::Wall,
};

/// `ls findings`: findings of one rule, in one schema, at one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingRow {
    /// The id of the rule, or the keyword of JSON Schema; `not_judged_…` where messages or objects were not
    /// judged.
    pub rule: String,
    /// The schema of the objects; `bus message` for what is around them.
    pub schema: String,
    /// Where, with `[*]` for every index, and `*` for the name of a superfluous member.
    pub path: String,
    /// What is required there.
    pub requires: String,
    /// The JSON of what the last one has there, cut; null for what is missing.
    pub received: Option<String>,
    /// How many there were.
    pub count: u64,
    /// When the last of them was, in Unix milliseconds.
    pub last_at_ms: Wall,
    /// Who published the last one: what it calls itself, or its process; `station` for the station itself.
    pub who: String,
    /// The session of the bus; null for the station itself.
    pub session: Option<ConnectionId>,
    /// The process.
    pub peer: Peer,
    /// The entry of the tap that has the last one.
    pub seq: Seq,
    /// Since when they are counted, in Unix milliseconds: the oldest entry that the tap keeps.
    pub since_ms: Wall,
}

fields! {
    FindingRow {
        "rule", Text, Public, "rule or keyword that is broken", Column::growing("rule", 12, 2)
            => |it, _| Value::text(it.rule.as_str());
        "schema", Text, Public, "schema of the object", Column::growing("schema", 8, 1)
            => |it, _| Value::text(it.schema.as_str());
        "path", Text, Public, "where, with [*] for indices", Column::growing("path", 14, 4)
            => |it, _| Value::text(it.path.as_str());
        "count", Number, Public, "count", Column::fixed("count", 6).right() => |it, _| Value::count(it.count);
        "last" | "last_at_ms", Time, Public, "last occurrence", Column::fixed("last", 8) => |it, _| Value::Time(it.last_at_ms);
        "who", Text, Public, "publisher of the last occurrence", Column::growing("who", 10, 1) => |it, _| Value::text(it.who.as_str());
        "requires", Text, Public, "what is required there", Column::growing("requires", 12, 3)
            => |it, _| Value::text(it.requires.as_str());
        "received", Text, Payload, "JSON that was received" => |it, _| Value::maybe(it.received.as_deref());
        "session", Serial, Public, "bus session"
            => |it, _| it.session.map_or(Value::None, |session| Value::Serial(session.0));
        "peer", Text, Public, "process" => |it, _| Value::text(it.peer.as_str());
        "seq", Serial, Public, "entry of the last occurrence" => |it, _| Value::Serial(it.seq.0);
        "age", Duration, Public, "time since the last occurrence" => |it, now| since(it.last_at_ms, now);
    }
}
