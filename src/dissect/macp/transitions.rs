//! What the MACP runtime tells that is no call: the fields of its transitions.

use crate::{
    dissect::{
        transitions::{TransitionDetails, number, plain, text_node, with_text},
        tree::Node,
    },
    field::Class,
    macp::{Effect, SessionRef, Transition as T},
};

fn which(SessionRef { number, id }: &SessionRef) -> Node {
    text_node("session", id.to_string()).with_note(format!("number {number}"))
}

/// The name of a transition of the runtime, its fields, and what its text is.
pub(super) fn details(transition: &T) -> TransitionDetails {
    let name = transition.name();
    match transition {
        T::Listening { addr } => plain(name, vec![text_node("address", addr.to_string())]),
        T::NotListening => with_text(name, Vec::new(), "why", Class::Public),
        T::Introduced { peer, client } => {
            plain(name, vec![text_node("peer", peer.to_string()), text_node("client", client.to_string())])
        }
        T::TurnedAway { peer, cause } => {
            plain(name, vec![text_node("peer", peer.to_string()), text_node("cause", cause.name())])
        }
        T::Opened { session, mode, by, participants, expires_at, .. } => {
            let fields = vec![
                which(session),
                text_node("mode", mode.name()),
                text_node("by", by.to_string()),
                number("participants", *participants),
                number("expires_at_ms", expires_at.0),
            ];
            with_text(name, fields, "start", Class::Payload)
        }
        T::Accepted { session, by, effect } => {
            let mut fields =
                vec![which(session), text_node("by", by.to_string()), text_node("effect", effect.name())];
            match effect {
                Effect::Nothing | Effect::Committed | Effect::LegacyResolved => {}
                Effect::Proposed { proposal } => fields.push(text_node("proposal", proposal.to_string())),
                Effect::Evaluated { proposal, recommendation, confidence } => fields.extend([
                    text_node("proposal", proposal.to_string()),
                    text_node("recommendation", recommendation.to_string()),
                    text_node("confidence", confidence.to_string()),
                ]),
                Effect::Objected { proposal, severity } => {
                    fields.extend([
                        text_node("proposal", proposal.to_string()),
                        text_node("severity", severity.to_string()),
                    ]);
                }
                Effect::Voted { proposal, vote } => {
                    fields.extend([
                        text_node("proposal", proposal.to_string()),
                        text_node("vote", vote.to_string()),
                    ]);
                }
                Effect::Contributed { round } => fields.push(number("round", *round)),
            }
            with_text(name, fields, "text", Class::Payload)
        }
        T::Ended { session, ending } => {
            with_text(name, vec![which(session), text_node("ending", ending.name())], "text", Class::Payload)
        }
        T::Streaming { session, streams } => {
            plain(name, vec![which(session), number("streams", (*streams).into())])
        }
        T::Evicted { session } => plain(name, vec![which(session)]),
    }
}
