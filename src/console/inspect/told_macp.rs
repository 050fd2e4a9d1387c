//! What the MACP runtime tells that is no call: the fields of its transitions.

use super::{
    node::{Kind, Node},
    told::{Telling, plain, with_text, words},
};
use crate::{
    console::class::Class,
    macp::{Effect, SessionRef, Transition as T},
};

fn number(name: &'static str, value: u64) -> Node {
    Node { kind: Kind::Number, ..words(name, value.to_string()) }
}

fn which(SessionRef { number, id }: &SessionRef) -> Node {
    words("session", id.to_string()).noted(format!("number {number}"))
}

/// The name of a transition of the runtime, its fields, and what its text is.
pub(super) fn told(transition: &T) -> Telling {
    let name = transition.name();
    match transition {
        T::Listening { addr } => plain(name, vec![words("address", addr.to_string())]),
        T::NotListening => with_text(name, Vec::new(), "why", Class::Public),
        T::Introduced { peer, client } => {
            plain(name, vec![words("peer", peer.to_string()), words("client", client.to_string())])
        }
        T::Opened { session, mode, by, participants, expires_at } => {
            let fields = vec![
                which(session),
                words("mode", mode.name()),
                words("by", by.to_string()),
                number("participants", *participants),
                number("expires_at_ms", expires_at.0),
            ];
            with_text(name, fields, "start", Class::Payload)
        }
        T::Accepted { session, by, effect } => {
            let mut fields =
                vec![which(session), words("by", by.to_string()), words("effect", effect.name())];
            match effect {
                Effect::Nothing | Effect::Committed | Effect::LegacyResolved => {}
                Effect::Proposed { proposal } => fields.push(words("proposal", proposal.to_string())),
                Effect::Evaluated { proposal, recommendation, confidence } => fields.extend([
                    words("proposal", proposal.to_string()),
                    words("recommendation", recommendation.to_string()),
                    words("confidence", confidence.to_string()),
                ]),
                Effect::Objected { proposal, severity } => {
                    fields.extend([
                        words("proposal", proposal.to_string()),
                        words("severity", severity.to_string()),
                    ]);
                }
                Effect::Voted { proposal, vote } => {
                    fields.extend([words("proposal", proposal.to_string()), words("vote", vote.to_string())]);
                }
                Effect::Contributed { round } => fields.push(number("round", *round)),
            }
            with_text(name, fields, "text", Class::Payload)
        }
        T::Ended { session, ending } => {
            with_text(name, vec![which(session), words("ending", ending.name())], "text", Class::Payload)
        }
        T::Streaming { session, streams } => {
            plain(name, vec![which(session), number("streams", (*streams).into())])
        }
        T::Evicted { session } => plain(name, vec![which(session)]),
    }
}
