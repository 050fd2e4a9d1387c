//! What the rows of the bus are made of, named as the console's panes name them.

use super::{PeerRow, SubscriptionRow, TopicRow};
use crate::{
    field::{Column, Value, fields},
    rmp::{Dialect, Kind},
    time::{Now, Wall},
};

fn since(at: Wall, now: Now) -> Value<'static> {
    Value::Duration(u64::try_from(now.wall.since(at).as_millis()).unwrap_or(u64::MAX))
}

fields! {
    TopicRow {
        "topic", Topic, Public, "name", Column::growing("topic", 14, 3) => |it, _| Value::text(it.topic.as_str());
        "schema" | "schema_id", Serial, Public, "the schema_id of the last message", Column::fixed("schema", 6).right()
            => |it, _| it.schema_id.map_or(Value::None, |id| Value::Serial(id.into()));
        "published", Number, Public, "messages published since start", Column::fixed("published", 9).right()
            => |it, _| Value::count(it.published);
        "bytes", Bytes, Public, "bytes published since start", Column::fixed("bytes", 9).right() => |it, _| Value::Bytes(it.bytes);
        "subs" | "subscribers", Number, Public, "subscriptions that matched the last message", Column::fixed("subs", 4).right()
            => |it, _| Value::count(it.subscribers);
        "delivered", Number, Public, "messages delivered or queued since start",
            Column::fixed("delivered", 9).right()
            => |it, _| Value::count(it.delivered);
        "drops" | "dropped", Number, Public, "messages dropped since start", Column::fixed("drops", 5).right()
            => |it, _| Value::count(it.dropped.total());
        "expired", Number, Public, "messages dropped as expired" => |it, _| Value::count(it.dropped.ttl_expired);
        "duplicate", Number, Public, "messages dropped as duplicates" => |it, _| Value::count(it.dropped.duplicate);
        "no_room" | "overflow", Number, Public, "messages dropped because a queue was full" => |it, _| Value::count(it.dropped.backpressure_timeout);
        "last" | "last_at_ms", Time, Public, "time of the last message", Column::fixed("last", 8) => |it, _| Value::Time(it.last_at_ms);
        "age", Duration, Public, "time since the last message" => |it, now| since(it.last_at_ms, now);
    }
}

fields! {
    PeerRow {
        "session", Serial, Public, "session", Column::fixed("sess", 5).right() => |it, _| Value::Serial(it.session.0);
        "client", Text, Public, "client name", Column::growing("client", 10, 2) => |it, _| Value::maybe(it.client.as_deref());
        "kind", State(&Kind::NAMES), Public, "kind, which sets its permissions", Column::fixed("kind", 7)
            => |it, _| Value::maybe(it.kind.map(Kind::name));
        "protocol" | "dialect" | "speaks", State(&["binary", "json"]) reads (&[("frames", "binary")]), Public, "protocol: binary frames or JSON", Column::fixed("protocol", 8)
            => |it, _| Value::maybe(it.dialect.map(Dialect::protocol));
        "peer", Text, Public, "process or address, as the system reports it", Column::growing("process", 12, 2) => |it, _| Value::text(it.peer.as_str());
        "since" | "connected_at_ms", Time, Public, "start time", Column::fixed("since", 8) => |it, _| Value::Time(it.connected_at_ms);
        "subs" | "subscriptions", Number, Public, "number of subscriptions", Column::fixed("subs", 4).right() => |it, _| Value::count(it.subscriptions);
        "published", Number, Public, "messages published by it", Column::fixed("published", 9).right() => |it, _| Value::count(it.published);
        "delivered", Number, Public, "messages delivered to it", Column::fixed("delivered", 9).right() => |it, _| Value::count(it.delivered);
        "queued" | "queued_messages", Number, Public, "messages queued for it", Column::fixed("queued", 6).right() => |it, _| Value::count(it.queued_messages);
        "queued_bytes", Bytes, Public, "bytes queued for it" => |it, _| Value::Bytes(it.queued_bytes);
        "dropped", Number, Public, "messages for it that were dropped", Column::fixed("dropped", 7).right()
            => |it, _| Value::count(it.dropped.total());
        "refused", Number, Public, "frames refused", Column::fixed("refused", 7).right() => |it, _| Value::count(it.refused);
        "age", Duration, Public, "age" => |it, now| since(it.connected_at_ms, now);
    }
}

fields! {
    SubscriptionRow {
        "session", Serial, Public, "session", Column::fixed("sess", 5).right() => |it, _| Value::Serial(it.session.0);
        "client", Text, Public, "client name", Column::growing("client", 10, 2) => |it, _| Value::maybe(it.client.as_deref());
        "sub", Serial, Public, "number within the session", Column::fixed("sub", 5).right() => |it, _| Value::Serial(it.sub);
        "pattern" | "topic", Topic, Public, "subscribed topic or pattern", Column::growing("pattern", 14, 3) => |it, _| Value::text(it.topic.as_str());
        "delivered", Number, Public, "messages delivered to it", Column::fixed("delivered", 9).right() => |it, _| Value::count(it.delivered);
        "queued" | "queued_messages", Number, Public, "messages in its queue", Column::fixed("queued", 6).right()
            => |it, _| Value::count(it.queued_messages);
        "queued_bytes", Bytes, Public, "bytes in its queue", Column::fixed("bytes", 9).right() => |it, _| Value::Bytes(it.queued_bytes);
        "dropped", Number, Public, "messages for it that were dropped", Column::fixed("dropped", 7).right()
            => |it, _| Value::count(it.dropped.total());
        "expired", Number, Public, "messages for it dropped as expired" => |it, _| Value::count(it.dropped.ttl_expired);
        "duplicate", Number, Public, "messages for it dropped as duplicates" => |it, _| Value::count(it.dropped.duplicate);
        "no_room" | "overflow", Number, Public, "messages for it dropped because its queue was full" => |it, _| Value::count(it.dropped.backpressure_timeout);
        "since" | "since_ms", Time, Public, "start time", Column::fixed("since", 8) => |it, _| Value::Time(it.since_ms);
        "age", Duration, Public, "age" => |it, now| since(it.since_ms, now);
    }
}
