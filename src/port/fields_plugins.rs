//! What the rows of plugins are made of.

use super::{PluginAuditRow, PluginLogRow, PluginRow};
use crate::{
    field::{Column, Value, fields},
    plugin::{DisableCause, Level, LogSource, UnhealthyCause, snapshot::State},
    tap::entry::plugin::Audited,
};

/// Names in one text.
fn joined(names: &[String]) -> Value<'static> {
    if names.is_empty() { Value::None } else { Value::text(names.join(" ")) }
}

fields! {
    PluginRow {
        "plugin" | "id", Text, Public, "id", Column::growing("plugin", 12, 2) => |it, _| Value::text(it.plugin.as_str());
        "name", Text, Public, "name", Column::growing("name", 8, 1) => |it, _| Value::text(it.name.as_str());
        "version", Text, Public, "version", Column::fixed("version", 8) => |it, _| Value::text(it.version.as_str());
        "state", State(&State::NAMES), Public, "state", Column::fixed("state", 8) => |it, _| Value::text(it.state.as_str());
        "restarts", Number, Public, "restarts within ten minutes, of 3", Column::fixed("restarts", 8).right()
            => |it, _| Value::count(it.restarts);
        "next" | "restarts_at_ms", Time, Public, "time of the next restart", Column::fixed("next", 8)
            => |it, _| it.restarts_at_ms.map_or(Value::None, Value::Time);
        "ping" | "ping_us", Number, Public, "latency of the last ping in microseconds", Column::fixed("ping", 7).right()
            => |it, _| it.ping_us.map_or(Value::None, Value::count);
        "misses", Number, Public, "pings missed in a row" => |it, _| Value::count(it.misses);
        "memory" | "memory_bytes", Bytes, Public, "memory of its processes", Column::fixed("memory", 8).right()
            => |it, _| Value::Bytes(it.memory_bytes);
        "cpu" | "cpu_permille", Number, Public, "share of one core, in thousandths", Column::fixed("cpu", 5).right()
            => |it, _| Value::count(it.cpu_permille);
        "disabled", State(&DisableCause::NAMES), Public, "why it is disabled"
            => |it, _| Value::maybe(it.disabled.map(DisableCause::name));
        "unhealthy", State(&UnhealthyCause::NAMES), Public, "why its last process was ended"
            => |it, _| Value::maybe(it.unhealthy.map(UnhealthyCause::name));
        "reason", Text, Payload, "reason of its state", Column::growing("reason", 12, 5) => |it, _| Value::maybe(it.reason.as_deref());
        "asking", Text, Public, "credential it is asking for" => |it, _| Value::maybe(it.asking.as_deref());
        "asks", Text, Public, "requested capabilities" => |it, _| joined(&it.asks);
        "granted" | "grants", Text, Public, "granted capabilities" => |it, _| joined(&it.granted);
        "actions", Text, Public, "declared actions" => |it, _| joined(&it.actions);
        "in_flight", Number, Public, "actions in flight" => |it, _| Value::count(it.in_flight);
        "author", Text, Public, "author" => |it, _| Value::text(it.author.as_str());
        "since" | "up_since_ms", Time, Public, "time it came up" => |it, _| it.up_since_ms.map_or(Value::None, Value::Time);
        "pid", Serial, Public, "process id of its guard" => |it, _| it.pid.map_or(Value::None, |pid| Value::Serial(u64::from(pid)));
        "folder", Text, Public, "folder it is served from" => |it, _| Value::maybe(it.folder.as_deref());
        "command", Text, Public, "command in place of its entry" => |it, _| Value::maybe(it.command.as_deref());
        "dropped" | "events_dropped", Number, Public, "events dropped since the host started" => |it, _| Value::count(it.events_dropped);
        "refused", Number, Public, "requests refused since the host started" => |it, _| Value::count(it.refused);
        "lints", Number, Public, "departures from the specification since the host started" => |it, _| Value::count(it.lints);
    }
}

fields! {
    PluginLogRow {
        "number", Serial, Public, "number within the log", Column::fixed("#", 6).right() => |it, _| Value::Serial(it.number);
        "at" | "at_ms", Time, Public, "time logged", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "plugin", Text, Public, "plugin" => |it, _| Value::text(it.plugin.as_str());
        "level", State(&Level::NAMES), Public, "severity", Column::fixed("level", 7) => |it, _| Value::text(it.level.name());
        "source", State(&LogSource::NAMES), Public, "source", Column::fixed("source", 6) => |it, _| Value::text(it.source.name());
        "text", Text, Payload, "message", Column::growing("text", 12, 5) => |it, _| Value::text(it.text.as_str());
    }
}

fields! {
    PluginAuditRow {
        "number", Serial, Public, "number within the audit", Column::fixed("#", 6).right() => |it, _| Value::Serial(it.number);
        "at" | "at_ms", Time, Public, "time recorded", Column::fixed("at", 8) => |it, _| Value::Time(it.at_ms);
        "plugin", Text, Public, "plugin" => |it, _| Value::text(it.plugin.as_str());
        "what", State(&Audited::NAMES), Public, "what happened", Column::fixed("what", 14) => |it, _| Value::text(it.what.as_str());
        "by", Text, Public, "who caused it", Column::growing("by", 8, 2) => |it, _| Value::text(it.by.as_deref().unwrap_or_default());
        "text", Text, Public, "capability, credential, version or field", Column::growing("text", 12, 5) => |it, _| Value::text(it.text.as_str());
    }
}
