//! What the bridge tells that is no frame: the fields of its transitions.

use super::describe_close;
use crate::{
    dissect::{
        transitions::{TransitionDetails, number, plain, text_node, with_text},
        tree::{Kind, Node},
    },
    field::Class,
    ids::{InvocationId, QueueName},
    tap::entry::mpp::{Brake, FailedBy, RefundStatus, Transition as T},
    words::counted,
};

fn bool_node(name: &'static str, is_so: bool) -> Node {
    Node { kind: Kind::Boolean, ..Node::fact(name, if is_so { "yes" } else { "no" }) }
}

fn row_nodes(id: InvocationId, queue: &QueueName) -> Vec<Node> {
    vec![number("id", id.0), text_node("queue", queue.to_string())]
}

fn with(mut fields: Vec<Node>, more: impl IntoIterator<Item = Node>) -> Vec<Node> {
    fields.extend(more);
    fields
}

/// The name of a transition of the bridge, its fields, and what its text is.
#[expect(clippy::too_many_lines, reason = "one arm a transition, and nothing else")]
pub(super) fn details(transition: &T) -> TransitionDetails {
    match transition {
        T::Enqueued { id, queue, event } => {
            plain("enqueued", with(row_nodes(*id, queue), [text_node("event", event.to_string())]))
        }
        T::Dispatched { id, queue, event } => {
            plain("dispatched", with(row_nodes(*id, queue), [text_node("event", event.to_string())]))
        }
        T::Acked { id, queue } => plain("acked", row_nodes(*id, queue)),
        T::Applied { id, queue, cleared } => {
            plain("applied", with(row_nodes(*id, queue), [bool_node("frees the queue", *cleared)]))
        }
        T::Done { id, queue, event, cleared, settled } => {
            let more = [
                text_node("event", event.to_string()),
                bool_node("frees the queue", *cleared),
                bool_node("settled by hand", *settled),
            ];
            plain("done", with(row_nodes(*id, queue), more))
        }
        T::Failed { id, queue, event, from, cleared, by } => {
            let by = match by {
                FailedBy::Adapter => "the adapter",
                FailedBy::UnknownQueue => "its queue, which the manifest lacks",
                FailedBy::Schema => "its params, which do not fit",
                FailedBy::Cancelled => "an operator, who cancelled it",
                FailedBy::Settled => "an operator, who settled it",
            };
            let more = [
                text_node("event", event.to_string()),
                text_node("from", from.name()),
                text_node("by", by),
                bool_node("frees the queue", *cleared),
            ];
            with_text("failed", with(row_nodes(*id, queue), more), "reason", Class::Payload)
        }
        T::Refunded { id, queue, event } => with_text(
            "refunded",
            with(row_nodes(*id, queue), [text_node("event", event.to_string())]),
            "reason",
            Class::Payload,
        ),
        T::Requeued { id, queue } => plain("requeued", row_nodes(*id, queue)),
        T::Orphaned { id, queue } => plain("left applied", row_nodes(*id, queue)),
        T::OtherCancelled { id, queue } => plain("cancelled", row_nodes(*id, queue)),
        T::RefundRecorded { refund, id, status } => {
            let status = match status {
                RefundStatus::Requested => "requested",
                RefundStatus::Skipped => "skipped",
                RefundStatus::Manual => "by hand",
            };
            plain(
                "refund",
                vec![
                    text_node("refund", refund.to_string()),
                    text_node("id", id.to_string()),
                    text_node("status", status),
                ],
            )
        }
        T::StateWritten { key, persist } => {
            plain("state written", vec![text_node("key", key.to_string()), bool_node("persists", *persist)])
                .with_json("value", Class::Payload)
        }
        T::Logged { level } => {
            with_text("logged", vec![text_node("level", level.name())], "line", Class::Payload)
        }
        T::Listening { addr } => plain("listening", vec![text_node("address", addr.to_string())]),
        T::NotListening => with_text("not listening", Vec::new(), "why", Class::Public),
        T::Paired => plain("paired", Vec::new()),
        T::Connected { peer } => plain("connected", vec![text_node("peer", peer.to_string())]),
        T::Handshaken { peer, session_id, persisted } => {
            let values = text_node("replayed", counted(*persisted, "state value"));
            plain(
                "handshaken",
                vec![
                    text_node("peer", peer.to_string()),
                    text_node("session", session_id.to_string()),
                    values,
                ],
            )
        }
        T::Disconnected { peer, active, cause } => {
            let why = text_node("why", describe_close(*cause, None));
            plain(
                "disconnected",
                vec![text_node("peer", peer.to_string()), bool_node("the active adapter", *active), why],
            )
        }
        T::Stale { silent_s } => plain("stale", vec![text_node("silent for", format!("{silent_s} s"))]),
        T::Parked { queue } => plain("parked", vec![text_node("queue", queue.to_string())]),
        T::Migrated { queue, rows, failed } => {
            let counts = [text_node("rows", rows.to_string()), text_node("failed", failed.to_string())];
            plain("migrated", with(vec![text_node("queue", queue.to_string())], counts))
        }
        T::Braked { queue, brake: Brake { held, draining } } => plain(
            "braked",
            vec![
                text_node("queue", queue.to_string()),
                bool_node("held", *held),
                bool_node("drains", *draining),
            ],
        ),
        T::Drained { queue } => plain("drained", vec![text_node("queue", queue.to_string())]),
        T::PersistedLeftOut { key } => {
            with_text("left out", vec![text_node("key", key.to_string())], "why", Class::Payload)
        }
        T::CommitsFailing => with_text("commits fail", Vec::new(), "why", Class::Public),
        T::CommitsOk => plain("commits well", Vec::new()),
        T::PackLoaded { pack_id, manifest_hash } => plain(
            "pack loaded",
            vec![text_node("pack", pack_id.to_string()), text_node("manifest", manifest_hash.to_string())],
        ),
    }
}
