//! Reads entries that are no frames: a transition's fields, and the text beside it where it has one.

use crate::{
    dissect::{json, macp, runs},
    words::format,
};
use std::borrow::Cow;

use super::{
    decoder::{Decoder, Subject},
    tree::{Kind, Node, Text, TreeBuilder},
};
use crate::{
    field::Class,
    ids::{InvocationId, QueueName},
    tap::entry::{
        Head, Transition, What, mpp,
        mpp::{Brake, RefundStatus},
        rmp, station,
    },
    words::counted,
};

/// Transitions, and what the tap says of itself.
pub(crate) struct TransitionDecoder;

impl Decoder for TransitionDecoder {
    fn name(&self) -> &'static str {
        "what the station tells"
    }

    fn decode(&self, subject: &Subject, builder: &mut TreeBuilder) {
        let told = details_of(&subject.entry.what);
        builder.open(Node::new(Text::literal(told.name), Kind::Group, 0..0));
        for node in told.fields {
            builder.leaf(node);
        }
        if let Some((name, class, is_json)) = told.text.filter(|_| !subject.bytes.is_empty()) {
            add_text(subject, builder, name, class, is_json);
        }
        builder.close();
    }
}

/// The text beside a transition.
fn add_text(subject: &Subject, builder: &mut TreeBuilder, name: &'static str, class: Class, is_json: bool) {
    if is_json {
        let at = builder.tree().nodes.len();
        json::read(&subject.bytes, name, builder);
        let tree = builder.tree();
        (at..tree.nodes.len()).for_each(|index| tree.classify(index, class));
        return;
    }
    let all = 0..u32::try_from(subject.bytes.len()).unwrap_or(u32::MAX);
    builder.leaf(
        Node { value: Text::Bytes(all.clone()), ..Node::new(Text::literal(name), Kind::Text, all) }
            .with_class(class),
    );
}

/// An entry that is no frame: its name, its fields, and what its text is.
pub(crate) struct TransitionDetails {
    name: &'static str,
    fields: Vec<Node>,
    /// What the text beside it is, who may see it, and whether it is JSON.
    text: Option<(&'static str, Class, bool)>,
}

/// The name of an entry: a frame's type, or what changed.
pub(crate) fn name_of(what: &What) -> &'static str {
    match what {
        What::Frame(frame) => match &frame.head {
            Head::Mpp(head) => head.kind.map_or("unknown frame", mpp::FrameType::name),
            Head::Rmp(head) => head.kind.map_or("unknown frame", rmp::FrameKind::name),
            Head::Macp(head) => head.rpc.name(),
        },
        _ => details_of(what).name,
    }
}

fn details_of(what: &What) -> TransitionDetails {
    match what {
        What::Frame(_) => plain("frame", Vec::new()),
        What::Transition(Transition::Mpp(transition)) => mpp_details(transition),
        What::Transition(Transition::Station(transition)) => station_details(*transition),
        What::Transition(Transition::Rmp(transition)) => {
            crate::dissect::rmp::transitions::details(transition)
        }
        What::Transition(Transition::Runs(transition)) => runs::transitions::details(transition),
        What::Transition(Transition::Macp(transition)) => macp::transitions::details(transition),
        What::Committed { through } => plain(
            "committed",
            vec![
                Node::fact("through", through.to_string())
                    .with_note("all tickets up to this one are durable"),
            ],
        ),
        What::Unsent { frames, bytes } => plain(
            "unsent",
            vec![Node::fact("frames", frames.to_string()), Node::fact("bytes", format::bytes(*bytes))],
        ),
        What::Loss { count } => {
            let fact = Node::fact("entries", count.to_string())
                .with_note("this console was too slow for them (limits.tap.ring_bytes_max)");
            plain("loss", vec![fact])
        }
    }
}

pub(crate) const fn plain(name: &'static str, fields: Vec<Node>) -> TransitionDetails {
    TransitionDetails { name, fields, text: None }
}

pub(crate) const fn with_text(
    name: &'static str,
    fields: Vec<Node>,
    text: &'static str,
    class: Class,
) -> TransitionDetails {
    TransitionDetails { name, fields, text: Some((text, class, false)) }
}

pub(crate) fn text_node(name: &'static str, value: impl Into<Cow<'static, str>>) -> Node {
    Node::fact(name, value)
}

fn bool_node(name: &'static str, is_so: bool) -> Node {
    Node { kind: Kind::Boolean, ..Node::fact(name, if is_so { "yes" } else { "no" }) }
}

fn row_nodes(id: InvocationId, queue: &QueueName) -> Vec<Node> {
    vec![
        Node { kind: Kind::Number, ..text_node("id", id.to_string()) },
        text_node("queue", queue.to_string()),
    ]
}

fn with(mut fields: Vec<Node>, more: impl IntoIterator<Item = Node>) -> Vec<Node> {
    fields.extend(more);
    fields
}

fn mpp_details(transition: &mpp::Transition) -> TransitionDetails {
    use mpp::Transition as T;
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
                mpp::FailedBy::Adapter => "the adapter",
                mpp::FailedBy::UnknownQueue => "its queue, which the manifest lacks",
                mpp::FailedBy::Schema => "its params, which do not fit",
                mpp::FailedBy::Cancelled => "an operator, who cancelled it",
                mpp::FailedBy::Settled => "an operator, who settled it",
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
        T::StateWritten { key, persist } => TransitionDetails {
            name: "state written",
            fields: vec![text_node("key", key.to_string()), bool_node("persists", *persist)],
            text: Some(("value", Class::Payload, true)),
        },
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
            let why = text_node("why", crate::dissect::mpp::describe_close(*cause, None));
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

fn station_details(transition: station::Transition) -> TransitionDetails {
    use station::Transition as T;
    let path = |name, fields| with_text(name, fields, "path", Class::Public);
    match transition {
        T::Started => plain("started", Vec::new()),
        T::HostUp { link } => plain("host up", vec![text_node("host", link.name())]),
        T::HostDown { link } => {
            with_text("host down", vec![text_node("host", link.name())], "why", Class::Public)
        }
        T::StoreOk => plain("store well", Vec::new()),
        T::StoreFailing => with_text("store failing", Vec::new(), "why", Class::Public),
        T::RecordingStarted => path("recording", Vec::new()),
        T::RecordingGrew { bytes } => plain("recorded", vec![text_node("bytes", format::bytes(bytes))]),
        T::RecordingStopped { bytes } => {
            path("recording ended", vec![text_node("bytes", format::bytes(bytes))])
        }
        T::RecordingFailed => path("recording failed", Vec::new()),
        T::DiskLow { free_bytes } => plain("disk low", vec![text_node("free", format::bytes(free_bytes))]),
        T::DiskOk { free_bytes } => plain("disk well", vec![text_node("free", format::bytes(free_bytes))]),
        T::Operated => with_text("operated", Vec::new(), "what", Class::Public),
        T::Notice { level } => {
            with_text("notice", vec![text_node("level", level.name())], "text", Class::Public)
        }
        T::Stopping => plain("stopping", Vec::new()),
    }
}
