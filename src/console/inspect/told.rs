//! Reads entries that are no frames: a transition's fields, and the text beside it where it has one.

use std::borrow::Cow;

use super::{
    decoder::{Decoder, Subject},
    json,
    node::{Grower, Kind, Node, Text},
    told_macp, told_rmp, told_runs,
};
use crate::{
    console::{class::Class, format},
    ids::{InvocationId, QueueName},
    tap::entry::{
        Head, Transition, What,
        mpp::{self, Brake, RefundStatus},
        rmp, station,
    },
    words::counted,
};

/// Transitions, and what the tap says of itself.
pub(crate) struct Told;

impl Decoder for Told {
    fn name(&self) -> &'static str {
        "what the station tells"
    }

    fn decode(&self, subject: &Subject, grower: &mut Grower) {
        let told = told(&subject.entry.what);
        grower.open(Node::new(Text::words(told.name), Kind::Group, 0..0));
        for node in told.fields {
            grower.leaf(node);
        }
        if let Some((name, class, is_json)) = told.text.filter(|_| !subject.bytes.is_empty()) {
            beside(subject, grower, name, class, is_json);
        }
        grower.close();
    }
}

/// The text beside a transition.
fn beside(subject: &Subject, grower: &mut Grower, name: &'static str, class: Class, is_json: bool) {
    if is_json {
        let at = grower.tree().nodes.len();
        json::read(&subject.bytes, name, grower);
        let tree = grower.tree();
        (at..tree.nodes.len()).for_each(|index| tree.classify(index, class));
        return;
    }
    let all = 0..u32::try_from(subject.bytes.len()).unwrap_or(u32::MAX);
    grower.leaf(
        Node { value: Text::Bytes(all.clone()), ..Node::new(Text::words(name), Kind::Text, all) }.of(class),
    );
}

/// An entry that is no frame: its name, its fields, and what its text is.
pub(super) struct Telling {
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
        _ => told(what).name,
    }
}

fn told(what: &What) -> Telling {
    match what {
        What::Frame(_) => plain("frame", Vec::new()),
        What::Transition(Transition::Mpp(transition)) => of_mpp(transition),
        What::Transition(Transition::Station(transition)) => of_station(*transition),
        What::Transition(Transition::Rmp(transition)) => told_rmp::told(transition),
        What::Transition(Transition::Runs(transition)) => told_runs::told(transition),
        What::Transition(Transition::Macp(transition)) => told_macp::told(transition),
        What::Committed { through } => plain(
            "committed",
            vec![Node::fact("through", through.to_string()).noted("all tickets up to this one are durable")],
        ),
        What::Unsent { frames, bytes } => plain(
            "unsent",
            vec![Node::fact("frames", frames.to_string()), Node::fact("bytes", format::bytes(*bytes))],
        ),
        What::Loss { count } => {
            let fact = Node::fact("entries", count.to_string())
                .noted("this console was too slow for them (limits.tap.ring_bytes_max)");
            plain("loss", vec![fact])
        }
    }
}

pub(super) const fn plain(name: &'static str, fields: Vec<Node>) -> Telling {
    Telling { name, fields, text: None }
}

pub(super) const fn with_text(
    name: &'static str,
    fields: Vec<Node>,
    text: &'static str,
    class: Class,
) -> Telling {
    Telling { name, fields, text: Some((text, class, false)) }
}

pub(super) fn words(name: &'static str, value: impl Into<Cow<'static, str>>) -> Node {
    Node::fact(name, value)
}

fn yes(name: &'static str, is_so: bool) -> Node {
    Node { kind: Kind::Boolean, ..Node::fact(name, if is_so { "yes" } else { "no" }) }
}

fn row(id: InvocationId, queue: &QueueName) -> Vec<Node> {
    vec![Node { kind: Kind::Number, ..words("id", id.to_string()) }, words("queue", queue.to_string())]
}

fn with(mut fields: Vec<Node>, more: impl IntoIterator<Item = Node>) -> Vec<Node> {
    fields.extend(more);
    fields
}

fn of_mpp(transition: &mpp::Transition) -> Telling {
    use mpp::Transition as T;
    match transition {
        T::Enqueued { id, queue, event } => {
            plain("enqueued", with(row(*id, queue), [words("event", event.to_string())]))
        }
        T::Dispatched { id, queue, event } => {
            plain("dispatched", with(row(*id, queue), [words("event", event.to_string())]))
        }
        T::Acked { id, queue } => plain("acked", row(*id, queue)),
        T::Applied { id, queue, cleared } => {
            plain("applied", with(row(*id, queue), [yes("frees the queue", *cleared)]))
        }
        T::Done { id, queue, event, cleared, settled } => {
            let more = [
                words("event", event.to_string()),
                yes("frees the queue", *cleared),
                yes("settled by hand", *settled),
            ];
            plain("done", with(row(*id, queue), more))
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
                words("event", event.to_string()),
                words("from", from.name()),
                words("by", by),
                yes("frees the queue", *cleared),
            ];
            with_text("failed", with(row(*id, queue), more), "reason", Class::Payload)
        }
        T::Refunded { id, queue, event } => with_text(
            "refunded",
            with(row(*id, queue), [words("event", event.to_string())]),
            "reason",
            Class::Payload,
        ),
        T::Requeued { id, queue } => plain("requeued", row(*id, queue)),
        T::LeftApplied { id, queue } => plain("left applied", row(*id, queue)),
        T::OtherCancelled { id, queue } => plain("cancelled", row(*id, queue)),
        T::RefundRecorded { refund, id, status } => {
            let status = match status {
                RefundStatus::Requested => "requested",
                RefundStatus::Skipped => "skipped",
                RefundStatus::Manual => "by hand",
            };
            plain(
                "refund",
                vec![
                    words("refund", refund.to_string()),
                    words("id", id.to_string()),
                    words("status", status),
                ],
            )
        }
        T::StateWritten { key, persist } => Telling {
            name: "state written",
            fields: vec![words("key", key.to_string()), yes("persists", *persist)],
            text: Some(("value", Class::Payload, true)),
        },
        T::Logged { level } => {
            with_text("logged", vec![words("level", level.name())], "line", Class::Payload)
        }
        T::Listening { addr } => plain("listening", vec![words("address", addr.to_string())]),
        T::NotListening => with_text("not listening", Vec::new(), "why", Class::Public),
        T::Paired => plain("paired", Vec::new()),
        T::Connected { peer } => plain("connected", vec![words("peer", peer.to_string())]),
        T::Handshaken { peer, session_id, persisted } => {
            let values = words("replayed", counted(*persisted, "state value"));
            plain(
                "handshaken",
                vec![words("peer", peer.to_string()), words("session", session_id.to_string()), values],
            )
        }
        T::Disconnected { peer, active, cause } => {
            let why = words("why", crate::console::model::close_words(*cause, None));
            plain(
                "disconnected",
                vec![words("peer", peer.to_string()), yes("the active adapter", *active), why],
            )
        }
        T::Stale { silent_s } => plain("stale", vec![words("silent for", format!("{silent_s} s"))]),
        T::Parked { queue } => plain("parked", vec![words("queue", queue.to_string())]),
        T::Migrated { queue, rows, failed } => {
            let counts = [words("rows", rows.to_string()), words("failed", failed.to_string())];
            plain("migrated", with(vec![words("queue", queue.to_string())], counts))
        }
        T::Braked { queue, brake: Brake { held, draining } } => plain(
            "braked",
            vec![words("queue", queue.to_string()), yes("held", *held), yes("drains", *draining)],
        ),
        T::Drained { queue } => plain("drained", vec![words("queue", queue.to_string())]),
        T::PersistedLeftOut { key } => {
            with_text("left out", vec![words("key", key.to_string())], "why", Class::Payload)
        }
        T::CommitsFailing => with_text("commits fail", Vec::new(), "why", Class::Public),
        T::CommitsWell => plain("commits well", Vec::new()),
        T::PackLoaded { pack_id, manifest_hash } => plain(
            "pack loaded",
            vec![words("pack", pack_id.to_string()), words("manifest", manifest_hash.to_string())],
        ),
    }
}

fn of_station(transition: station::Transition) -> Telling {
    use station::Transition as T;
    let path = |name, fields| with_text(name, fields, "path", Class::Public);
    match transition {
        T::Started => plain("started", Vec::new()),
        T::HostUp { link } => plain("host up", vec![words("host", link.name())]),
        T::HostDown { link } => {
            with_text("host down", vec![words("host", link.name())], "why", Class::Public)
        }
        T::StoreWell => plain("store well", Vec::new()),
        T::StoreFailing => with_text("store failing", Vec::new(), "why", Class::Public),
        T::RecordingStarted => path("recording", Vec::new()),
        T::RecordingGrew { bytes } => plain("recorded", vec![words("bytes", format::bytes(bytes))]),
        T::RecordingStopped { bytes } => path("recording ended", vec![words("bytes", format::bytes(bytes))]),
        T::RecordingFailed => path("recording failed", Vec::new()),
        T::DiskLow { free_bytes } => plain("disk low", vec![words("free", format::bytes(free_bytes))]),
        T::DiskWell { free_bytes } => plain("disk well", vec![words("free", format::bytes(free_bytes))]),
        T::Operated => with_text("operated", Vec::new(), "what", Class::Public),
        T::Notice { level } => with_text("notice", vec![words("level", level.name())], "text", Class::Public),
        T::Stopping => plain("stopping", Vec::new()),
    }
}
