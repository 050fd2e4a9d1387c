//! What the rows of clients are made of.

use super::ClientRow;
use crate::{
    field::{Column, Value, fields},
    tap::entry::Link,
};

fields! {
    ClientRow {
        "link", State(&Link::NAMES), Public, "protocol of the connection", Column::fixed("link", 5) => |it, _| Value::text(it.link.name());
        "peer", Text, Public, "process or address, as the system reports it", Column::growing("peer", 15, 2) => |it, _| Value::text(it.peer.as_str());
        "client", Text, Public, "client name", Column::growing("client", 10, 2) => |it, _| Value::maybe(it.client.as_deref());
        "since" | "connected_at_ms", Time, Public, "start time", Column::fixed("since", 8) => |it, _| it.connected_at_ms.map_or(Value::None, Value::Time);
        "silent" | "silent_ms", Number, Public, "milliseconds since it last sent anything", Column::fixed("silent", 6).right() => |it, _| it.silent_ms.map_or(Value::None, Value::count);
        "sessions", Number, Public, "its open sessions", Column::fixed("sessions", 8).right() => |it, _| Value::count(it.sessions);
        "subs" | "subscriptions", Number, Public, "number of subscriptions", Column::fixed("subs", 4).right() => |it, _| Value::count(it.subscriptions);
    }
}
