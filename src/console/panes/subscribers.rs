//! Subscribers: what each subscription gets, what waits for it, and what it lost.

use super::{
    Cell,
    row::{Listed, Look, Row},
    topics::{bad_cell, rate_cell},
};
use crate::{
    console::{
        format,
        model::{DELIVERED, Flow, Model},
        selection::RecordKey,
        theme::Role,
        ui::Ui,
    },
    field::{Column, Value, fields},
    ids::ConnectionId,
    limits,
    rmp::{DropReason, PeerView, SubView},
};

/// Subscriptions that are listed at most.
const LISTED_MAX: usize = 16_384;

/// A subscription.
pub(crate) struct Subscriber<'a> {
    session: ConnectionId,
    number: u64,
    peer: &'a PeerView,
    sub: &'a SubView,
    flow: Option<&'a Flow>,
    limits: &'a limits::Rmp,
}

impl Subscriber<'_> {
    fn lost(&self, reason: DropReason) -> u64 {
        self.sub.gauge.dropped[reason.index()]
    }

    /// How full its queue is, in hundredths: by messages or by bytes, whichever is more.
    fn full(&self) -> u64 {
        let part = |value: u64, limit: u64| value.saturating_mul(100).checked_div(limit).unwrap_or(0);
        let gauge = &self.sub.gauge;
        part(gauge.queued_messages, self.limits.queue_messages_max).max(part(gauge.queued_bytes, self.limits.queue_bytes_max))
    }

    fn full_role(&self) -> Role {
        match self.full() {
            0 if self.sub.gauge.queued_messages == 0 => Role::Muted,
            0..50 => Role::Text,
            50..90 => Role::Warn,
            _ => Role::Bad,
        }
    }
}

fields! {
    Subscriber<'_> {
        "client", Text, Public, "what its session calls itself", Column::growing("client", 7, 2)
            => |it, _| Value::maybe(it.peer.greeting.as_ref().map(|greeting| &*greeting.client));
        "session", Serial, Public, "its session", Column::fixed("sess", 5).right() => |it, _| Value::Serial(it.session.0);
        "pattern", Topic, Public, "the topic or pattern that it wants", Column::growing("pattern", 10, 3)
            => |it, _| Value::text(it.sub.topic.as_str());
        "queued", Number, Public, "messages that wait in its queue, of limits.rmp.queue_messages_max", Column::fixed("queued", 9).right()
            => |it, _| Value::count(it.sub.gauge.queued_messages);
        "queued_bytes", Bytes, Public, "their bytes, of limits.rmp.queue_bytes_max", Column::fixed("bytes", 8).right().from(70)
            => |it, _| Value::Bytes(it.sub.gauge.queued_bytes);
        "delivered_s", Number, Public, "messages that left to it a second, over the last minute", Column::fixed("out/s", 6).right()
            => |it, now| Value::Number(it.flow.map_or(0.0, |flow| flow.per_second(DELIVERED, now)));
        "no_room", Number, Public, "messages lost because its queue was full", Column::fixed("full", 5).right()
            => |it, _| Value::count(it.lost(DropReason::BackpressureTimeout));
        "expired", Number, Public, "messages that expired before they could leave to it", Column::fixed("late", 5).right()
            => |it, _| Value::count(it.lost(DropReason::TtlExpired));
        "duplicate", Number, Public, "messages that it had already, and did not get again", Column::fixed("dup", 5).right().from(60)
            => |it, _| Value::count(it.lost(DropReason::Duplicate));
        "sub", Serial, Public, "its number in the session" => |it, _| Value::Serial(it.number);
        "full", Number, Public, "how full its queue is, in hundredths of its limit" => |it, _| Value::count(it.full());
        "delivered", Number, Public, "messages that left to it since it was made" => |it, _| Value::count(it.sub.gauge.delivered);
        "peer", Text, Public, "who its session is, as the operating system says" => |it, _| Value::text(it.peer.peer.as_str());
        "since", Time, Public, "since when" => |it, _| Value::Time(it.sub.since.wall);
        "age", Duration, Public, "for how long" => |it, now| Value::Duration(super::ms(it.sub.since, now));
    }
}

/// A size in as few columns as there can be: `512`, `812K`, `3M`.
fn short(bytes: u64) -> String {
    match bytes {
        0..1_024 => bytes.to_string(),
        1_024..1_048_576 => format!("{}K", bytes >> 10),
        1_048_576..1_073_741_824 => format!("{}M", bytes >> 20),
        _ => format!("{}G", bytes >> 30),
    }
}

impl Listed for Subscriber<'_> {
    fn key(&self) -> RecordKey {
        RecordKey::Subscription(self.session, self.number)
    }

    fn cell(&self, field: &str, look: &Look<'_>) -> Option<Cell> {
        let gauge = &self.sub.gauge;
        Some(match field {
            "session" => Cell::new(self.session.to_string(), Role::Muted),
            "queued" => {
                let words = format!("{}/{}", format::count(gauge.queued_messages), format::count(self.limits.queue_messages_max));
                Cell::new(words, self.full_role())
            }
            "queued_bytes" => {
                let words = format!("{}/{}", short(gauge.queued_bytes), short(self.limits.queue_bytes_max));
                Cell::new(words, self.full_role())
            }
            "delivered_s" => rate_cell(self.flow.map_or(0.0, |flow| flow.per_second(DELIVERED, look.view.now))),
            "no_room" => bad_cell(self.lost(DropReason::BackpressureTimeout)),
            "expired" => bad_cell(self.lost(DropReason::TtlExpired)),
            "duplicate" => Cell::new(format::count(self.lost(DropReason::Duplicate)), Role::Muted),
            _ => return None,
        })
    }
}

/// The subscriptions, by session and number.
pub(super) fn rows<'a>(model: &'a Model, ui: &'a Ui) -> Vec<Row<'a>> {
    let Some(rmp) = model.rmp() else { return Vec::new() };
    let of_peer = |(session, peer): (&ConnectionId, &'a PeerView)| {
        let session = *session;
        let row = move |(number, sub): (&u64, &'a SubView)| {
            let flow = model.bus.subs.get(&(session, *number));
            Row::Subscriber(Subscriber { session, number: *number, peer, sub, flow, limits: &ui.limits.rmp })
        };
        peer.subs.iter().map(row)
    };
    rmp.peers.iter().flat_map(of_peer).take(LISTED_MAX).collect()
}
