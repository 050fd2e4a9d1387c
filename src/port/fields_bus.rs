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
        "topic", Topic, Public, "its name", Column::growing("topic", 14, 3) => |it, _| Value::text(it.topic.as_str());
        "schema", Serial, Public, "the schema_id of the last message", Column::fixed("schema", 6).right()
            => |it, _| it.schema_id.map_or(Value::None, |id| Value::Serial(id.into()));
        "published", Number, Public, "messages taken on it since the broker started", Column::fixed("published", 9).right()
            => |it, _| Value::count(it.published);
        "bytes", Bytes, Public, "their bytes, as they were on the wire", Column::fixed("bytes", 9).right() => |it, _| Value::Bytes(it.bytes);
        "subs", Number, Public, "subscriptions that the last message was for", Column::fixed("subs", 4).right()
            => |it, _| Value::count(it.subscribers);
        "delivered", Number, Public, "messages given to subscriptions since the broker started, what waits in their queues too",
            Column::fixed("delivered", 9).right()
            => |it, _| Value::count(it.delivered);
        "drops", Number, Public, "messages that did not reach a subscription", Column::fixed("drops", 5).right()
            => |it, _| Value::count(it.dropped.total());
        "expired", Number, Public, "messages that were expired" => |it, _| Value::count(it.dropped.ttl_expired);
        "duplicate", Number, Public, "messages that a subscription had already" => |it, _| Value::count(it.dropped.duplicate);
        "no_room", Number, Public, "messages that a subscription had no room for" => |it, _| Value::count(it.dropped.backpressure_timeout);
        "last", Time, Public, "when the last message came", Column::fixed("last", 8) => |it, _| Value::Time(it.last_at_ms);
        "age", Duration, Public, "how long ago the last message came" => |it, now| since(it.last_at_ms, now);
    }
}

fields! {
    PeerRow {
        "session", Serial, Public, "its session", Column::fixed("sess", 5).right() => |it, _| Value::Serial(it.session.0);
        "client", Text, Public, "the name that it gave itself", Column::growing("client", 10, 2) => |it, _| Value::maybe(it.client.as_deref());
        "kind", State(&Kind::NAMES), Public, "what it may do goes by that", Column::fixed("kind", 7)
            => |it, _| Value::maybe(it.kind.map(Kind::name));
        "dialect", State(&["frames", "json"]), Public, "in what it speaks", Column::fixed("speaks", 6)
            => |it, _| Value::maybe(it.dialect.map(Dialect::name));
        "peer", Text, Public, "who, as the operating system says", Column::growing("process", 12, 2) => |it, _| Value::text(it.peer.as_str());
        "since", Time, Public, "since when", Column::fixed("since", 8) => |it, _| Value::Time(it.connected_at_ms);
        "subs", Number, Public, "its subscriptions", Column::fixed("subs", 4).right() => |it, _| Value::count(it.subscriptions);
        "published", Number, Public, "messages taken from it", Column::fixed("published", 9).right() => |it, _| Value::count(it.published);
        "delivered", Number, Public, "messages that left to it", Column::fixed("delivered", 9).right() => |it, _| Value::count(it.delivered);
        "queued", Number, Public, "messages that wait for it", Column::fixed("queued", 6).right() => |it, _| Value::count(it.queued_messages);
        "dropped", Number, Public, "messages that did not reach it", Column::fixed("dropped", 7).right()
            => |it, _| Value::count(it.dropped.total());
        "refused", Number, Public, "frames of its that were refused", Column::fixed("refused", 7).right() => |it, _| Value::count(it.refused);
        "age", Duration, Public, "for how long" => |it, now| since(it.connected_at_ms, now);
    }
}

fields! {
    SubscriptionRow {
        "session", Serial, Public, "whose it is", Column::fixed("sess", 5).right() => |it, _| Value::Serial(it.session.0);
        "client", Text, Public, "what the session calls itself", Column::growing("client", 10, 2) => |it, _| Value::maybe(it.client.as_deref());
        "sub", Serial, Public, "its number in the session", Column::fixed("sub", 5).right() => |it, _| Value::Serial(it.sub);
        "pattern", Topic, Public, "the topic or pattern that it wants", Column::growing("pattern", 14, 3) => |it, _| Value::text(it.topic.as_str());
        "delivered", Number, Public, "messages that left to it", Column::fixed("delivered", 9).right() => |it, _| Value::count(it.delivered);
        "queued", Number, Public, "messages that wait in its queue", Column::fixed("queued", 6).right()
            => |it, _| Value::count(it.queued_messages);
        "queued_bytes", Bytes, Public, "their bytes", Column::fixed("bytes", 9).right() => |it, _| Value::Bytes(it.queued_bytes);
        "dropped", Number, Public, "messages that did not reach it", Column::fixed("dropped", 7).right()
            => |it, _| Value::count(it.dropped.total());
        "expired", Number, Public, "messages that expired for it" => |it, _| Value::count(it.dropped.ttl_expired);
        "duplicate", Number, Public, "messages that it had already" => |it, _| Value::count(it.dropped.duplicate);
        "no_room", Number, Public, "messages that it had no room for" => |it, _| Value::count(it.dropped.backpressure_timeout);
        "since", Time, Public, "since when", Column::fixed("since", 8) => |it, _| Value::Time(it.since_ms);
        "age", Duration, Public, "for how long" => |it, now| since(it.since_ms, now);
    }
}
