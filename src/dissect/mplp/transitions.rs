//! What lifecycle records tell: the fields of their transitions.

use crate::{
    dissect::{
        transitions::{TransitionDetails, extended, number, shown, text_node},
        tree::Node,
    },
    field::Class,
    tap::entry::mplp::{RecordRef, Transition as T},
};

/// The name of a transition, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    let details = extended(transition.name(), Vec::new(), fields(transition));
    match transition {
        T::Withheld { .. } => details.with_text("requires", Class::Public),
        T::Rated { .. } => details.with_text("note", Class::Payload),
        T::Exported { .. } => details,
    }
}

fn which(record: &RecordRef) -> Node {
    text_node(record.kind.name(), record.id.to_string())
}

fn fields(transition: &T) -> Vec<Node> {
    match transition {
        T::Withheld { record, schema, rule, path, findings } => vec![
            which(record),
            shown("schema", schema),
            shown("rule", rule),
            shown("path", path),
            number("findings", u64::from(*findings)),
        ],
        T::Rated { run, verdict, by } => {
            vec![shown("run", run), text_node("verdict", verdict.name()), shown("by", by)]
        }
        T::Exported { record, items, findings } => {
            vec![which(record), number("items", *items), number("findings", *findings)]
        }
    }
}
