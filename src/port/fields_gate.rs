//! What the rows of the gate are made of.

use super::{GateRuleRow, InterceptedRow, OnTimeout, Then, Way, fields::since};
use crate::{
    field::{Column, Value, fields},
    tap::entry::Link,
};

const WAYS: &[&str] = &["in", "out"];
const ON_TIMEOUT: &[&str] = &["pass", "drop"];

impl Then {
    /// The names, in order.
    pub(crate) const NAMES: [&'static str; 6] =
        ["intercept", "delay", "drop", "duplicate", "cut", "fail-store"];

    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Intercept => "intercept",
            Self::Delay { .. } => "delay",
            Self::Drop => "drop",
            Self::Duplicate => "duplicate",
            Self::Cut => "cut",
            Self::FailStore { .. } => "fail-store",
        }
    }
}

impl Then {
    /// It with how long, for people.
    pub(crate) fn words(self) -> String {
        let name = self.name();
        match self {
            Self::Delay { ms, jitter_ms: 0 } | Self::FailStore { ms } => format!("{name} {ms}ms"),
            Self::Delay { ms, jitter_ms } => format!("{name} {ms}ms±{jitter_ms}"),
            Self::Intercept | Self::Drop | Self::Duplicate | Self::Cut => name.to_owned(),
        }
    }
}

impl OnTimeout {
    /// Its name.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Drop => "drop",
        }
    }
}

fn way(way: Option<Way>) -> Value<'static> {
    Value::maybe(way.map(Way::name))
}

fields! {
    GateRuleRow {
        "rule", Serial, Public, "number", Column::fixed("rule", 4).right() => |it, _| Value::Serial(it.rule);
        "filter", Text, Payload, "frames that it takes", Column::growing("filter", 16, 4) => |it, _| Value::text(it.filter.as_str());
        "way", State(WAYS), Public, "direction; none for both", Column::fixed("way", 4) => |it, _| way(it.way);
        "then", State(&Then::NAMES), Public, "what it does with them", Column::fixed("then", 9) => |it, _| Value::text(it.then.name());
        "timeout" | "on_timeout", State(ON_TIMEOUT), Public, "what becomes of a frame held too long", Column::fixed("timeout", 7) => |it, _| Value::text(it.on_timeout.name());
        "by", Text, Public, "who armed it", Column::growing("by", 8, 1) => |it, _| Value::text(it.by.as_str());
        "since" | "since_ms", Time, Public, "when it was armed", Column::fixed("since", 8) => |it, _| Value::Time(it.since_ms);
        "until" | "until_ms", Time, Public, "when it is disarmed", Column::fixed("until", 8) => |it, _| Value::Time(it.until_ms);
        "taken", Number, Public, "frames it took", Column::fixed("taken", 5).right() => |it, _| Value::count(it.taken);
        "max" | "frames_max", Number, Public, "frames after which it is disarmed" => |it, _| it.frames_max.map_or(Value::None, Value::count);
        "full" | "passed_full", Number, Public, "frames that passed because too many were held", Column::fixed("full", 4).right() => |it, _| Value::count(it.passed_full);
        "rewrites", State(&["yes", "no"]), Public, "whether an edit is kept" => |it, _| Value::text(if it.rewrites { "yes" } else { "no" });
        "age", Duration, Public, "time since it was armed" => |it, now| since(it.since_ms, now);
    }
}

fields! {
    InterceptedRow {
        "frame", Serial, Public, "number", Column::fixed("frame", 5).right() => |it, _| Value::Serial(it.frame);
        "rule", Serial, Public, "rule that holds it", Column::fixed("rule", 4).right() => |it, _| Value::Serial(it.rule);
        "link", State(&Link::NAMES), Public, "protocol", Column::fixed("link", 6) => |it, _| Value::text(it.link.name());
        "way", State(WAYS), Public, "direction", Column::fixed("way", 4) => |it, _| way(Some(it.way));
        "peer", Text, Public, "remote peer", Column::growing("peer", 10, 1) => |it, _| Value::text(it.peer.as_str());
        "kind", Text, Public, "frame type", Column::fixed("kind", 12) => |it, _| Value::text(it.kind.as_str());
        "what" | "line", Text, Public, "one-line summary", Column::growing("what", 14, 3) => |it, _| Value::text(it.line.as_str());
        "bytes", Bytes, Public, "size", Column::fixed("bytes", 7).right() => |it, _| Value::Bytes(it.bytes);
        "verdict", Text, Public, "what the core would make of it", Column::fixed("verdict", 9) => |it, _| Value::text(it.verdict.as_str());
        "clause", Text, Public, "violated clause", Column::fixed("clause", 12) => |it, _| Value::maybe(it.clause.as_deref());
        "since" | "since_ms", Time, Public, "when it was stopped" => |it, _| Value::Time(it.since_ms);
        "until" | "until_ms", Time, Public, "when its time is up", Column::fixed("until", 8) => |it, _| Value::Time(it.until_ms);
        "timeout" | "on_timeout", State(ON_TIMEOUT), Public, "what becomes of it then" => |it, _| Value::text(it.on_timeout.name());
        "expires" | "expires_at_ms", Time, Public, "when the message in it expires, or its session" => |it, _| it.expires_at_ms.map_or(Value::None, Value::Time);
        "ttl" | "ttl_in_ms", Duration, Public, "time until then", Column::fixed("ttl", 5).right() => |it, _| it.ttl_in_ms.map_or(Value::None, Value::Duration);
        "age", Duration, Public, "time since it was stopped" => |it, now| since(it.since_ms, now);
    }
}
