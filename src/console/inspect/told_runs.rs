//! What runs tell: the fields of their transitions.

use super::{
    node::{Kind, Node},
    told::{Telling, plain, with_text, words},
};
use crate::{
    console::class::Class,
    tap::entry::runs::{Asker, NodeRef, Transition as T},
};

fn number(name: &'static str, value: u64) -> Node {
    Node { kind: Kind::Number, ..words(name, value.to_string()) }
}

fn who(Asker { kind, client }: &Asker) -> Node {
    words("by", format!("{client} ({})", kind.name()))
}

fn which(NodeRef { place, id }: &NodeRef) -> Node {
    words("node", id.to_string()).noted(format!("place {place} of the plan"))
}

/// The name of a transition of a run, its fields, and what its text is.
pub(super) fn told(transition: &T) -> Telling {
    let mut fields: Vec<Node> =
        transition.run().map(|run| words("run", run.to_string())).into_iter().collect();
    let text = match transition {
        T::Submitted { name, by, nodes, .. } => {
            fields.extend([words("name", name.to_string()), who(by), number("nodes", u64::from(*nodes))]);
            "plan"
        }
        T::Planned { .. } => "plan",
        T::Rejected { by, .. } => {
            fields.push(who(by));
            "why"
        }
        T::Moved { node, state, attempt, .. } => {
            fields.extend([
                which(node),
                words("state", state.name()),
                number("attempt", u64::from(*attempt)),
            ]);
            "why"
        }
        T::Told { number: place, kind, level, node, .. } => {
            fields.extend([number("number", *place), words("kind", kind.name())]);
            fields.extend(level.map(|level| words("level", level.name())));
            fields.extend(node.as_ref().map(which));
            "message"
        }
        T::Progressed { node, done, total, .. } => {
            fields.push(which(node));
            fields.extend(done.map(|done| words("done", done.to_string())));
            fields.extend(total.map(|total| words("total", total.to_string())));
            "message"
        }
        T::Asked { action, node, expires_at, .. } => {
            fields.extend([
                words("action", action.to_string()),
                which(node),
                number("expires_at_ms", expires_at.0),
            ]);
            "question"
        }
        T::Decided { action, verdict, by, .. } => {
            fields.extend([words("action", action.to_string()), words("verdict", verdict.name())]);
            fields.extend(by.as_ref().map(who));
            "note"
        }
        T::Saved { node, port, kind, schema_id, bytes, .. } => {
            fields.extend([which(node), words("port", port.to_string()), words("type", kind.to_string())]);
            fields.extend([number("schema_id", u64::from(*schema_id)), number("bytes", *bytes)]);
            return plain(transition.name(), fields);
        }
        T::Spent { tokens, .. } => {
            fields.push(number("tokens", *tokens));
            return plain(transition.name(), fields);
        }
        T::Done { nodes, .. } => {
            fields.push(number("nodes", u64::from(*nodes)));
            return plain(transition.name(), fields);
        }
        T::Cancelling { by, .. } => {
            fields.push(who(by));
            return plain(transition.name(), fields);
        }
        T::Braked { held, by } => {
            fields.extend([words("held", held.to_string()), who(by)]);
            return plain(transition.name(), fields);
        }
        T::Ended { state, .. } => {
            fields.push(words("state", state.name()));
            "why"
        }
    };
    with_text(transition.name(), fields, text, Class::Payload)
}
