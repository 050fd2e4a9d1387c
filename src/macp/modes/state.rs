//! The state of any mode.

use std::{borrow::Cow, sync::Arc};

use sha2::{Digest as _, Sha256};

use super::{
    Coordination as _, DecisionDelta, DecisionMode, DecisionState, Message, MultiRoundMode, MultiRoundState,
    Parsed, Participants, Rejection, Response, Room, decision,
    multi_round::{self, Contribution},
};
use crate::{
    macp::{Effect, Mode, Phase},
    words::cut,
};

/// What a mode keeps of a session.
#[derive(Clone, Debug, PartialEq)]
pub enum ModeState {
    /// A decision.
    Decision(DecisionState),
    /// Rounds until all contributions are equal.
    MultiRound(MultiRoundState),
}

/// A change of that.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// Of a decision.
    Decision(DecisionDelta),
    /// Of rounds.
    MultiRound(Contribution),
}

impl ModeState {
    /// What a session of a mode starts from.
    ///
    /// # Errors
    /// [`Rejection`] of the start.
    pub fn start(mode: Mode, participants: &Participants) -> Result<Self, Rejection> {
        match mode {
            Mode::Decision => DecisionMode::on_session_start(participants).map(Self::Decision),
            Mode::MultiRound => MultiRoundMode::on_session_start(participants).map(Self::MultiRound),
        }
    }

    /// What a message is to change.
    ///
    /// # Errors
    /// [`Rejection`] of the message.
    pub fn on_message(
        &self,
        participants: &Participants,
        message: Message<'_>,
    ) -> Result<Response<Delta>, Rejection> {
        match self {
            Self::Decision(state) => {
                DecisionMode::on_message(state, participants, message).map(|it| it.map(Delta::Decision))
            }
            Self::MultiRound(state) => {
                MultiRoundMode::on_message(state, participants, message).map(|it| it.map(Delta::MultiRound))
            }
        }
    }

    /// What the payload of a message of any mode is found to be; nothing of a type that none has.
    #[must_use]
    pub fn parse(message_type: &str, payload: &[u8]) -> Option<Parsed> {
        decision::parse(message_type, payload).or_else(|| multi_round::parse(message_type, payload))
    }

    /// Makes a change that this mode said. One of another mode changes nothing.
    pub fn apply(&mut self, delta: Delta) {
        match (self, delta) {
            (Self::Decision(state), Delta::Decision(delta)) => DecisionMode::apply(state, delta),
            (Self::MultiRound(state), Delta::MultiRound(delta)) => MultiRoundMode::apply(state, delta),
            (Self::Decision(_), Delta::MultiRound(_)) | (Self::MultiRound(_), Delta::Decision(_)) => {}
        }
    }

    /// How far a decision is.
    #[must_use]
    pub const fn phase(&self) -> Option<Phase> {
        match self {
            Self::Decision(state) => Some(state.phase),
            Self::MultiRound(_) => None,
        }
    }

    /// The round.
    #[must_use]
    pub const fn round(&self) -> Option<u64> {
        match self {
            Self::Decision(_) => None,
            Self::MultiRound(state) => Some(state.round),
        }
    }

    /// The state as JSON, the same for equal states.
    #[must_use]
    pub fn json(&self, participants: &Participants) -> serde_json::Value {
        self.json_within(participants, u64::MAX)
    }

    /// The state as JSON of about so many bytes: of lists the end, of the others the beginning, and
    /// `left_out` says how many items are not there.
    #[must_use]
    pub fn json_within(&self, participants: &Participants, bytes_max: u64) -> serde_json::Value {
        let mut room = Room::new(bytes_max);
        let mut json = match self {
            Self::Decision(state) => state.json(&mut room),
            Self::MultiRound(state) => state.json(participants, &mut room),
        };
        if room.left_out > 0
            && let Some(fields) = json.as_object_mut()
        {
            fields.insert("left_out".to_owned(), room.left_out.into());
        }
        json
    }
}

impl<D> Response<D> {
    /// This response with another kind of change.
    pub fn map<E>(self, with: impl FnOnce(D) -> E) -> Response<E> {
        match self {
            Self::NoOp => Response::NoOp,
            Self::Persist(delta) => Response::Persist(with(delta)),
            Self::Resolve(resolution) => Response::Resolve(resolution),
            Self::PersistAndResolve { delta, resolution } => {
                Response::PersistAndResolve { delta: with(delta), resolution }
            }
        }
    }
}

impl Response<Delta> {
    /// What it does, as it is told, and the text that goes with it; texts of clients cut at so many bytes. Of
    /// a contribution that is cut, the end tells it from others: who sees two that are equal may say so.
    #[must_use]
    pub fn effect(&self, bytes_max: u64) -> (Effect, Cow<'_, str>) {
        let shown = |text: &str| Arc::<str>::from(cut(text, bytes_max));
        let delta = match self {
            Self::NoOp => return (Effect::Nothing, Cow::Borrowed("")),
            Self::Resolve(_) => return (Effect::LegacyResolved, Cow::Borrowed("")),
            Self::Persist(delta) | Self::PersistAndResolve { delta, .. } => delta,
        };
        let (effect, text): (_, &str) = match delta {
            Delta::Decision(DecisionDelta::Propose { id, proposal }) => {
                (Effect::Proposed { proposal: shown(id) }, &proposal.option)
            }
            Delta::Decision(DecisionDelta::Evaluate(it)) => {
                let (proposal, recommendation) = (shown(&it.proposal_id), shown(&it.recommendation));
                (Effect::Evaluated { proposal, recommendation, confidence: it.confidence }, &it.reason)
            }
            Delta::Decision(DecisionDelta::Object(it)) => (
                Effect::Objected { proposal: shown(&it.proposal_id), severity: shown(&it.severity) },
                &it.reason,
            ),
            Delta::Decision(DecisionDelta::Vote { vote, .. }) => {
                (Effect::Voted { proposal: shown(&vote.proposal_id), vote: shown(&vote.vote) }, &vote.reason)
            }
            Delta::Decision(DecisionDelta::Commit { action }) => (Effect::Committed, action),
            Delta::MultiRound(it) => {
                return (Effect::Contributed { round: it.round }, cut_with_digest(&it.value, bytes_max));
            }
        };
        (effect, Cow::Borrowed(cut(text, bytes_max)))
    }
}

/// A text of at most so many bytes, and no less than 64: of a longer one the beginning, and what its SHA-256
/// begins with.
fn cut_with_digest(text: &str, bytes_max: u64) -> Cow<'_, str> {
    if text.len() as u64 <= bytes_max {
        return Cow::Borrowed(text);
    }
    let digest =
        Sha256::digest(text).iter().take(8).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let end = format!("… {digest}");
    Cow::Owned(format!("{}{end}", cut(text, bytes_max.saturating_sub(end.len() as u64))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contributions_that_begin_alike_are_told_apart_where_they_are_cut() {
        let told = |value: &str| {
            let delta =
                Delta::MultiRound(Contribution { sender: Box::from("a"), value: Box::from(value), round: 1 });
            Response::Persist(delta).effect(64).1.into_owned()
        };
        let (one, other) = (format!("{}1", "ä".repeat(32)), format!("{}2", "ä".repeat(32)));
        assert_ne!(told(&one), told(&other));
        assert_eq!(told(&one), told(&one));
        assert!(told(&one).len() <= 64 && told(&one).starts_with("ää"), "{}", told(&one));
        let fits = "x".repeat(64);
        assert_eq!(told(&fits), fits);
    }
}
