//! What runs tell: the fields of their transitions.

use crate::{
    dissect::{
        transitions::{TransitionDetails, extended, number, shown, text_node},
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
    let run = transition.run().map(|run| shown("run", &run)).into_iter().collect();
    let details = extended(transition.name(), run, fields(transition));
    match text(transition) {
        Some(text) => details.with_text(text, Class::Payload),
        None => details,
    }
}

/// What the text beside it is, if it can have one.
const fn text(transition: &T) -> Option<&'static str> {
    Some(match transition {
        T::Submitted { .. } | T::Planned { .. } => "plan",
        T::Rejected { .. } | T::StateChange { .. } | T::Ended { .. } => "why",
        T::Event { .. } | T::Progressed { .. } => "message",
        T::Asked { .. } => "question",
        T::Decided { .. } => "note",
        T::Saved { .. } | T::Spent { .. } | T::Done { .. } | T::Cancelling { .. } | T::Braked { .. } => {
            return None;
        }
    })
}

/// Its fields beside the run.
fn fields(transition: &T) -> Vec<Node> {
    match transition {
        T::Submitted { name, by, nodes, .. } => {
            vec![shown("name", name), who(by), number("nodes", u64::from(*nodes))]
        }
        T::Planned { .. } => Vec::new(),
        T::Rejected { by, .. } | T::Cancelling { by, .. } => vec![who(by)],
        T::StateChange { node, state, attempt, .. } => {
            vec![which(node), text_node("state", state.name()), number("attempt", u64::from(*attempt))]
        }
        T::Event { number: place, kind, level, node, .. } => {
            let mut fields = vec![number("number", *place), text_node("kind", kind.name())];
            fields.extend(level.map(|level| text_node("level", level.name())));
            fields.extend(node.as_ref().map(which));
            fields
        }
        T::Progressed { node, done, total, .. } => {
            let mut fields = vec![which(node)];
            fields.extend(done.map(|done| shown("done", &done)));
            fields.extend(total.map(|total| shown("total", &total)));
            fields
        }
        T::Asked { action, node, expires_at, .. } => {
            vec![shown("action", action), which(node), number("expires_at_ms", expires_at.0)]
        }
        T::Decided { action, verdict, by, .. } => {
            let mut fields = vec![shown("action", action), text_node("verdict", verdict.name())];
            fields.extend(by.as_ref().map(who));
            fields
        }
        T::Saved { node, port, kind, schema_id, bytes, .. } => vec![
            which(node),
            shown("port", port),
            shown("type", kind),
            number("schema_id", u64::from(*schema_id)),
            number("bytes", *bytes),
        ],
        T::Spent { tokens, .. } => vec![number("tokens", *tokens)],
        T::Done { nodes, .. } => vec![number("nodes", u64::from(*nodes))],
        T::Braked { held, by } => vec![shown("held", held), who(by)],
        T::Ended { state, .. } => vec![text_node("state", state.name())],
    }
}
