//! The state of any mode.

use std::sync::Arc;

use super::{
    Coordination as _, DecisionDelta, DecisionMode, DecisionState, Message, MultiRoundMode, MultiRoundState, Participants, Rejection,
    Response, multi_round::Contribution,
};
use crate::macp::{Effect, Mode, Phase, text::cut};

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
    pub fn on_message(&self, participants: &Participants, message: Message<'_>) -> Result<Response<Delta>, Rejection> {
        match self {
            Self::Decision(state) => DecisionMode::on_message(state, participants, message).map(|it| it.map(Delta::Decision)),
            Self::MultiRound(state) => MultiRoundMode::on_message(state, participants, message).map(|it| it.map(Delta::MultiRound)),
        }
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
        match self {
            Self::Decision(state) => state.json(),
            Self::MultiRound(state) => state.json(participants),
        }
    }
}

impl<D> Response<D> {
    /// The same of another kind of change.
    pub fn map<E>(self, with: impl FnOnce(D) -> E) -> Response<E> {
        match self {
            Self::NoOp => Response::NoOp,
            Self::Persist(delta) => Response::Persist(with(delta)),
            Self::Resolve(resolution) => Response::Resolve(resolution),
            Self::PersistAndResolve { delta, resolution } => Response::PersistAndResolve { delta: with(delta), resolution },
        }
    }
}

impl Response<Delta> {
    /// What it does, as it is told, and the text that goes with it; texts of clients cut at so many bytes.
    #[must_use]
    pub fn effect(&self, bytes_max: u64) -> (Effect, &str) {
        let shown = |text: &str| Arc::<str>::from(cut(text, bytes_max));
        let delta = match self {
            Self::NoOp => return (Effect::Nothing, ""),
            Self::Resolve(_) => return (Effect::LegacyResolved, ""),
            Self::Persist(delta) | Self::PersistAndResolve { delta, .. } => delta,
        };
        let (effect, text): (_, &str) = match delta {
            Delta::Decision(DecisionDelta::Propose { id, proposal }) => (Effect::Proposed { proposal: shown(id) }, &proposal.option),
            Delta::Decision(DecisionDelta::Evaluate(it)) => {
                let (proposal, recommendation) = (shown(&it.proposal_id), shown(&it.recommendation));
                (Effect::Evaluated { proposal, recommendation, confidence: it.confidence }, &it.reason)
            }
            Delta::Decision(DecisionDelta::Object(it)) => {
                (Effect::Objected { proposal: shown(&it.proposal_id), severity: shown(&it.severity) }, &it.reason)
            }
            Delta::Decision(DecisionDelta::Vote { vote, .. }) => {
                (Effect::Voted { proposal: shown(&vote.proposal_id), vote: shown(&vote.vote) }, &vote.reason)
            }
            Delta::Decision(DecisionDelta::Commit { action }) => (Effect::Committed, action),
            Delta::MultiRound(it) => (Effect::Contributed { round: it.round }, &it.value),
        };
        (effect, cut(text, bytes_max))
    }
}
