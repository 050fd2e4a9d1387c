//! What the bus tells that is no frame: the fields of its transitions.

use crate::{
    dissect::{
        rmp::drop_word,
        transitions::{TransitionDetails, extended, number, plain, shown, text_node, with_text},
        tree::Node,
    },
    field::Class,
    ids::ConnectionId,
    rmp::{DropReason, Transition as T},
    time::Wall,
    words::format,
};

fn lost(dropped: [u64; DropReason::ALL.len()]) -> impl Iterator<Item = Node> {
    DropReason::ALL.into_iter().map(move |reason| number(drop_word(reason), dropped[reason.index()]))
}

/// Who did not get a message.
fn receiver_nodes(to: Option<(ConnectionId, u64)>) -> Vec<Node> {
    match to {
        Some((of, sub)) => vec![number("to session", of.0), number("to sub", sub)],
        None => vec![text_node("to", "no subscriber: dropped on arrival")],
    }
}

/// When a message is worth nothing any more.
fn expiry(at_ms: u64) -> Node {
    number("expires_at_ms", at_ms).with_note(format::time_of_day_ms(Wall(at_ms), &jiff::tz::TimeZone::UTC))
}

/// The name of a transition of the bus, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    let of: Vec<Node> = transition.session().into_iter().map(|of| number("session", of.0)).collect();
    match transition {
        T::Listening { path } => plain("listening", vec![shown("path", path)]),
        T::NotListening => with_text("not listening", of, "why", Class::Public),
        T::Connected { peer, .. } => extended("connected", of, [shown("process", peer)]),
        T::Greeted { client, kind, dialect, .. } => {
            let may = text_node("kind", kind.name()).with_note(super::rights(*kind));
            extended("hello", of, [shown("client", client), may, text_node("protocol", dialect.protocol())])
        }
        T::Disconnected { cause, .. } => extended("disconnected", of, [text_node("why", cause.code())]),
        T::Subscribed { sub, topic, .. } => {
            extended("subscribed", of, [number("sub", *sub), shown("topic", topic)])
        }
        T::Unsubscribed { sub, .. } => extended("unsubscribed", of, [number("sub", *sub)]),
        T::Dropped { reason, topic, to, from, count, msg_id, expires_at_ms } => {
            let mut fields =
                vec![text_node("reason", reason.name()), shown("topic", topic), number("messages", *count)];
            fields.extend(receiver_nodes(*to));
            fields.push(
                from.map_or_else(|| text_node("from", "the station"), |of| number("from session", of.0)),
            );
            extended("dropped", fields, [number("msg_id", *msg_id), expiry(*expires_at_ms)])
        }
        T::QueueStats { sub, gauge, .. } => {
            let queued = [
                number("sub", *sub),
                number("queued", gauge.queued_messages),
                text_node("of bytes", format::bytes(gauge.queued_bytes)),
                number("delivered", gauge.delivered),
            ];
            extended("queue stats", of, queued.into_iter().chain(lost(gauge.dropped)))
        }
        T::SessionStats { published, refused, .. } => {
            extended("stats", of, [number("published", *published), number("refused", *refused)])
        }
        T::DedupeStats { keys, evicted_young, lost_evicted_young, topics } => {
            let young = number("evicted early", *evicted_young)
                .with_note("before the longest TTL expired (limits.rmp.ttl_ms_max)");
            let lost =
                number("of lost messages", *lost_evicted_young).with_note("a retry counts as a duplicate");
            let topics = number("topics", *topics).with_note("used since start");
            plain("dedup stats", vec![number("keys", *keys), young, lost, topics])
        }
        T::ClockJumped { by_ms } => plain(
            "clock jumped",
            vec![text_node("by", format!("{by_ms} ms")).with_note("TTLs follow the clock as of the start")],
        ),
    }
}
