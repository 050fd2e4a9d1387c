//! What runs tell: the fields of their transitions.

use crate::{
    dissect::{
        transitions::{TransitionDetails, number, plain, text_node, with_text},
        tree::Node,
    },
    field::Class,
    tap::entry::runs::{Asker, NodeRef, Transition as T},
};

fn who(Asker { kind, client }: &Asker) -> Node {
    text_node("by", format!("{client} ({})", kind.name()))
}

fn which(NodeRef { index: place, id }: &NodeRef) -> Node {
    text_node("node", id.to_string()).with_note(format!("place {place} of the plan"))
}

/// The name of a transition of a run, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    let mut fields: Vec<Node> =
        transition.run().map(|run| text_node("run", run.to_string())).into_iter().collect();
    let text = match transition {
        T::Submitted { name, by, nodes, .. } => {
            fields.extend([text_node("name", name.to_string()), who(by), number("nodes", u64::from(*nodes))]);
            "plan"
        }
        T::Planned { .. } => "plan",
        T::Rejected { by, .. } => {
            fields.push(who(by));
            "why"
        }
        T::StateChange { node, state, attempt, .. } => {
            fields.extend([
                which(node),
                text_node("state", state.name()),
                number("attempt", u64::from(*attempt)),
            ]);
            "why"
        }
        T::Event { number: place, kind, level, node, .. } => {
            fields.extend([number("number", *place), text_node("kind", kind.name())]);
            fields.extend(level.map(|level| text_node("level", level.name())));
            fields.extend(node.as_ref().map(which));
            "message"
        }
        T::Progressed { node, done, total, .. } => {
            fields.push(which(node));
            fields.extend(done.map(|done| text_node("done", done.to_string())));
            fields.extend(total.map(|total| text_node("total", total.to_string())));
            "message"
        }
        T::Asked { action, node, expires_at, .. } => {
            fields.extend([
                text_node("action", action.to_string()),
                which(node),
                number("expires_at_ms", expires_at.0),
            ]);
            "question"
        }
        T::Decided { action, verdict, by, .. } => {
            fields.extend([text_node("action", action.to_string()), text_node("verdict", verdict.name())]);
            fields.extend(by.as_ref().map(who));
            "note"
        }
        T::Saved { node, port, kind, schema_id, bytes, .. } => {
            fields.extend([
                which(node),
                text_node("port", port.to_string()),
                text_node("type", kind.to_string()),
            ]);
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
            fields.extend([text_node("held", held.to_string()), who(by)]);
            return plain(transition.name(), fields);
        }
        T::Ended { state, .. } => {
            fields.push(text_node("state", state.name()));
            "why"
        }
    };
    with_text(transition.name(), fields, text, Class::Payload)
}
