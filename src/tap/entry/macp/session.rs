//! Sessions: which, how they stand, how they move.

use std::sync::Arc;

use crate::tap::entry::names::names;

names! {
    /// A coordination mode, by its canonical name (macp-v1, Mode Registration).
    Mode {
        /// Proposals, evaluations, objections, votes, a commitment.
        Decision = "macp.mode.decision.v1",
        /// Contributions until all are equal.
        MultiRound = "macp.mode.multi_round.v1",
    }
    /// How a session stands (macp-v1, Session State Machine).
    SessionState {
        /// It takes messages.
        Open = "open",
        /// Its mode resolved it.
        Resolved = "resolved",
        /// Its time is over, or it was cancelled.
        Expired = "expired",
    }
    /// How a session ended.
    Ending {
        /// Its mode resolved it.
        Resolved = "resolved",
        /// Its TTL is over.
        #[serde(rename = "expired")]
        TtlExpired = "expired",
        /// Somebody cancelled it.
        Cancelled = "cancelled",
        /// Its log could not be read when the station started; it is expired.
        #[serde(rename = "damaged")]
        LogDamaged = "damaged",
    }
    /// How far a decision is (macp-v1, Decision State).
    Phase {
        /// It waits for proposals.
        Proposal = "proposal",
        /// There is a proposal.
        Evaluation = "evaluation",
        /// Votes are cast.
        Voting = "voting",
        /// A commitment is recorded.
        Committed = "committed",
    }
}

impl Mode {
    /// Their names without what is the same in all.
    pub const SHORT_NAMES: &'static [&'static str] = &[Self::Decision.short(), Self::MultiRound.short()];

    /// Its name without what is the same in all.
    #[must_use]
    pub const fn short(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::MultiRound => "multi_round",
        }
    }
}

/// How far a decision is after what was said (ruling MACP 5): nothing leaves `Committed`.
impl Phase {
    /// After a proposal.
    #[must_use]
    pub const fn proposed(self) -> Self {
        if matches!(self, Self::Committed) { self } else { Self::Evaluation }
    }

    /// After an evaluation or an objection.
    #[must_use]
    pub const fn judged(self) -> Self {
        if matches!(self, Self::Voting) { Self::Evaluation } else { self }
    }

    /// After a vote.
    #[must_use]
    pub const fn voted(self) -> Self {
        if matches!(self, Self::Committed) { self } else { Self::Voting }
    }
}

impl Ending {
    /// The state that a session has since.
    #[must_use]
    pub const fn state(self) -> SessionState {
        match self {
            Self::Resolved => SessionState::Resolved,
            Self::TtlExpired | Self::Cancelled | Self::LogDamaged => SessionState::Expired,
        }
    }
}

/// A session: its number among all of the data folder's, and its id, which clients choose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SessionRef {
    /// A later one has a greater number.
    pub number: u64,
    /// At most `limits.macp.id_bytes_max` bytes.
    pub id: Arc<str>,
}

/// What an accepted message did in its session. Texts are cut at `limits.macp.shown_text_bytes_max`.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Nothing: the mode knows no message of its type.
    Nothing,
    /// A proposal was made, or made anew. The text is its option.
    Proposed {
        /// Which.
        proposal: Arc<str>,
    },
    /// A proposal was evaluated. The text is the reason.
    Evaluated {
        /// Which.
        proposal: Arc<str>,
        /// `APPROVE`, `REVIEW`, `BLOCK`, `REJECT`, or what the evaluator says.
        recommendation: Arc<str>,
        /// As the evaluator says.
        confidence: f64,
    },
    /// A proposal was objected to. The text is the reason.
    Objected {
        /// Which.
        proposal: Arc<str>,
        /// `low`, `medium`, `high`, `critical`, or what the objector says.
        severity: Arc<str>,
    },
    /// A vote was cast, in the place of the sender's last. The text is the reason.
    Voted {
        /// For which proposal; it need not be there (ruling MACP 5).
        proposal: Arc<str>,
        /// `approve`, `reject`, `abstain`, or what the voter says.
        vote: Arc<str>,
    },
    /// The decision was committed. The text is the action.
    Committed,
    /// The session was resolved by the old form. There is no text.
    LegacyResolved,
    /// A participant contributed. The text is the value.
    Contributed {
        /// The round after it.
        round: u64,
    },
}

impl Effect {
    /// How far a decision is after it, where it says so.
    #[must_use]
    pub const fn phase(&self, before: Phase) -> Phase {
        match self {
            Self::Proposed { .. } => before.proposed(),
            Self::Evaluated { .. } | Self::Objected { .. } => before.judged(),
            Self::Voted { .. } => before.voted(),
            Self::Committed => Phase::Committed,
            Self::Nothing | Self::LegacyResolved | Self::Contributed { .. } => before,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Proposed { .. } => "proposed",
            Self::Evaluated { .. } => "evaluated",
            Self::Objected { .. } => "objected",
            Self::Voted { .. } => "voted",
            Self::Committed => "committed",
            Self::LegacyResolved => "resolved",
            Self::Contributed { .. } => "contributed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_committed_and_an_opinion_leaves_voting_alone() {
        use Phase::{Committed, Evaluation, Proposal, Voting};
        let moved = [Proposal, Evaluation, Voting, Committed]
            .map(|phase| [phase.proposed(), phase.judged(), phase.voted()]);
        let expected = [
            [Evaluation, Proposal, Voting],
            [Evaluation, Evaluation, Voting],
            [Evaluation, Evaluation, Voting],
            [Committed, Committed, Committed],
        ];
        assert_eq!(moved, expected);
        let proposed = Effect::Proposed { proposal: Arc::from("p") };
        assert_eq!((proposed.phase(Proposal), proposed.phase(Committed)), (Evaluation, Committed));
    }

    #[test]
    fn an_end_is_written_by_the_name_that_filters_know() {
        for ending in Ending::ALL {
            assert_eq!(serde_json::to_value(ending).unwrap(), ending.name());
        }
    }
}
