//! What the bridge tells that is no frame: the fields of its transitions.

use super::{describe_close, summary::summary};
use crate::{
    dissect::{
        summary::EntrySummary,
        transitions::{TransitionDetails, extended, number, plain, shown, text_node, with_text},
        tree::{Kind, Node},
    },
    field::Class,
    tap::entry::mpp::{Brake, FailedBy, RefundStatus, Transition as T},
    words::counted,
};

fn bool_node(name: &'static str, is_so: bool) -> Node {
    Node { kind: Kind::Boolean, ..Node::fact(name, if is_so { "yes" } else { "no" }) }
}

/// What the transition is about: the adapter, the row, the queue, the event.
fn subject_nodes(transition: &T) -> Vec<Node> {
    let EntrySummary { peer, id, queue, event, .. } = summary(transition);
    let nodes = [
        peer.map(|peer| shown("peer", peer)),
        id.map(|id| number("id", id.0)),
        queue.map(|queue| shown("queue", queue)),
        event.map(|event| shown("event", event)),
    ];
    nodes.into_iter().flatten().collect()
}

const fn failed_by(by: FailedBy) -> &'static str {
    match by {
        FailedBy::Adapter => "the adapter",
        FailedBy::UnknownQueue => "queue not in the manifest",
        FailedBy::Schema => "params do not fit the schema",
        FailedBy::Damage => "stored row unreadable",
        FailedBy::Cancelled => "operator (cancelled)",
        FailedBy::Settled => "operator (settled)",
    }
}

const fn refund_status(status: RefundStatus) -> &'static str {
    match status {
        RefundStatus::Requested => "requested",
        RefundStatus::Skipped => "skipped",
        RefundStatus::Manual => "manual",
    }
}

/// The name of a transition of the bridge, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    let about = subject_nodes(transition);
    let frees = |cleared| bool_node("releases the queue", cleared);
    match transition {
        T::Enqueued { requeued_from, .. } => {
            extended("enqueued", about, requeued_from.map(|from| shown("requeued from", &from)))
        }
        T::Dispatched { .. } => plain("dispatched", about),
        T::Acked { .. } => plain("acked", about),
        T::Applied { cleared, .. } => extended("applied", about, [frees(*cleared)]),
        T::Done { cleared, settled, .. } => {
            extended("done", about, [frees(*cleared), bool_node("settled manually", *settled)])
        }
        T::Failed { from, cleared, by, .. } => {
            let more = [text_node("from", from.name()), text_node("by", failed_by(*by)), frees(*cleared)];
            extended("failed", about, more).with_text("reason", Class::Payload)
        }
        T::Refunded { .. } => with_text("refunded", about, "reason", Class::Payload),
        T::Requeued { .. } => plain("requeued", about),
        T::Orphaned { .. } => plain("orphaned", about),
        T::OtherCancelled { .. } => plain("cancelled", about),
        T::RefundRecorded { refund, id, status } => plain(
            "refund",
            vec![shown("refund", refund), shown("id", id), text_node("status", refund_status(*status))],
        ),
        T::StateWritten { key, persist } => {
            plain("state written", vec![shown("key", key), bool_node("persisted", *persist)])
                .with_json("value", Class::Payload)
        }
        T::Logged { level } => {
            with_text("logged", vec![text_node("level", level.name())], "line", Class::Payload)
        }
        T::Listening { addr } => plain("listening", vec![shown("address", addr)]),
        T::NotListening => with_text("not listening", about, "why", Class::Public),
        T::Paired => plain("paired", about),
        T::Connected { .. } => plain("connected", about),
        T::Handshaken { session_id, persisted, .. } => {
            let values = text_node("restored", counted(*persisted, "state value"));
            extended("handshaken", about, [shown("session", session_id), values])
        }
        T::Disconnected { active, cause, .. } => {
            let why = text_node("why", describe_close(*cause, None));
            extended("disconnected", about, [bool_node("the active adapter", *active), why])
        }
        T::Stale { silent_s } => plain("stale", vec![text_node("silent for", format!("{silent_s} s"))]),
        T::Parked { .. } => plain("parked", about),
        T::Migrated { rows, failed, .. } => {
            extended("migrated", about, [shown("rows", rows), shown("failed", failed)])
        }
        T::Braked { brake: Brake { held, draining }, .. } => {
            extended("brake changed", about, [bool_node("held", *held), bool_node("draining", *draining)])
        }
        T::Drained { .. } => plain("drained", about),
        T::PersistedLeftOut { key } => with_text("skipped", vec![shown("key", key)], "why", Class::Payload),
        T::CommitsFailing => with_text("commits failing", about, "why", Class::Public),
        T::CommitsOk => plain("commits ok", about),
        T::ReadsFailing => with_text("reads failing", about, "why", Class::Public),
        T::ReadsOk => plain("reads ok", about),
        T::PackLoaded { pack_id, manifest_hash } => {
            plain("pack loaded", vec![shown("pack", pack_id), shown("manifest", manifest_hash)])
        }
    }
}
