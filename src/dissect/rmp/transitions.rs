//! What the bus tells that is no frame: the fields of its transitions.

use crate::{
    dissect::{
        rmp::drop_word,
        transitions::{TransitionDetails, number, plain, text_node, with_text},
        tree::Node,
    },
    field::Class,
    ids::ConnectionId,
    rmp::{DropReason, Transition as T},
    time::Wall,
    words::format,
};

fn session(session: ConnectionId) -> Node {
    number("session", session.0)
}

fn lost(dropped: [u64; DropReason::ALL.len()]) -> impl Iterator<Item = Node> {
    DropReason::ALL.into_iter().map(move |reason| number(drop_word(reason), dropped[reason.index()]))
}

/// The name of a transition of the bus, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    match transition {
        T::Listening { path } => plain("listening", vec![text_node("path", path.to_string())]),
        T::NotListening => with_text("not listening", Vec::new(), "why", Class::Public),
        T::Connected { session: of, peer } => {
            plain("connected", vec![session(*of), text_node("process", peer.to_string())])
        }
        T::Greeted { session: of, client, kind, dialect } => {
            let may = text_node("kind", kind.name()).with_note(super::rights(*kind));
            plain(
                "greeted",
                vec![
                    session(*of),
                    text_node("client", client.to_string()),
                    may,
                    text_node("speaks", dialect.name()),
                ],
            )
        }
        T::Disconnected { session: of, cause } => {
            plain("disconnected", vec![session(*of), text_node("why", cause.code())])
        }
        T::Subscribed { session: of, sub, topic } => plain(
            "subscribed",
            vec![session(*of), number("sub", *sub), text_node("topic", topic.to_string())],
        ),
        T::Unsubscribed { session: of, sub } => {
            plain("unsubscribed", vec![session(*of), number("sub", *sub)])
        }
        T::Dropped { reason, topic, to, from, count, msg_id, expires_at_ms } => {
            let mut fields = vec![
                text_node("reason", reason.name()),
                text_node("topic", topic.to_string()),
                number("messages", *count),
            ];
            match to {
                Some((of, sub)) => fields.extend([number("to session", of.0), number("to sub", *sub)]),
                None => fields.push(text_node("to", "nobody: it was judged as it came")),
            }
            fields.push(
                from.map_or_else(|| text_node("from", "the station"), |of| number("from session", of.0)),
            );
            fields.push(number("msg_id", *msg_id));
            fields.push(
                number("expires_at_ms", *expires_at_ms)
                    .with_note(format::time_of_day_ms(Wall(*expires_at_ms), &jiff::tz::TimeZone::UTC)),
            );
            plain("dropped", fields)
        }
        T::QueueStats { session: of, sub, gauge } => {
            let mut fields =
                vec![session(*of), number("sub", *sub), number("waiting", gauge.queued_messages)];
            fields.extend([
                text_node("of bytes", format::bytes(gauge.queued_bytes)),
                number("left", gauge.delivered),
            ]);
            fields.extend(lost(gauge.dropped));
            plain("gauged", fields)
        }
        T::SessionStats { session: of, published, refused } => {
            plain("counted", vec![session(*of), number("published", *published), number("refused", *refused)])
        }
        T::DedupeStats { keys, evicted_young, lost_evicted_young, topics } => {
            let young = number("forgotten early", *evicted_young)
                .with_note("before the longest TTL was over (limits.rmp.ttl_ms_max)");
            let lost =
                number("of lost messages", *lost_evicted_young).with_note("a retry is taken for a duplicate");
            plain(
                "remembered",
                vec![
                    number("keys", *keys),
                    young,
                    lost,
                    number("topics", *topics).with_note("used since the start"),
                ],
            )
        }
        T::ClockJumped { by_ms } => plain(
            "clock jumped",
            vec![text_node("by", format!("{by_ms} ms")).with_note("TTLs follow the clock of the start")],
        ),
    }
}
