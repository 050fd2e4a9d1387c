//! What the rows of clients are made of.

use super::ClientRow;
use crate::{
    field::{Column, Value, fields},
    tap::entry::Link,
};

fields! {
    ClientRow {
        "link", State(&Link::NAMES), Public, "by which port", Column::fixed("link", 5) => |it, _| Value::text(it.link.name());
        "peer", Text, Public, "who, as the operating system says", Column::growing("peer", 15, 2) => |it, _| Value::text(it.peer.as_str());
        "client", Text, Public, "the name that it gave itself", Column::growing("client", 10, 2) => |it, _| Value::maybe(it.client.as_deref());
        "since", Time, Public, "since when", Column::fixed("since", 8) => |it, _| it.connected_at_ms.map_or(Value::None, Value::Time);
        "silent", Number, Public, "milliseconds in which it has said nothing", Column::fixed("silent", 6).right() => |it, _| it.silent_ms.map_or(Value::None, Value::count);
        "sessions", Number, Public, "open sessions that it opened", Column::fixed("sessions", 8).right() => |it, _| Value::count(it.sessions);
        "subs", Number, Public, "its subscriptions", Column::fixed("subs", 4).right() => |it, _| Value::count(it.subscriptions);
    }
}
