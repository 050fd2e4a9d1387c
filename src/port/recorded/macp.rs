//! The MACP runtime.

use std::sync::Arc;

use crate::{
    macp::{
        ClientView, ContributionView, DecisionView, EndView, Listener, MoveView, Opinion, OpinionView,
        Progress, ProposalView, RoundsView, SenderView, SessionView, Snapshot, Tally, Totals, VoteView,
    },
    tap::recorded::{DecodeError, Recorded, RecordedRow, recorded, wire},
    time::ClockShift,
};

recorded! {
    enum Listener = macp_listener::State, "macp.listener" in MacpListener.state {
        Starting = Starting,
        Listening(addr) = Listening(addr),
        Down(why) = Down(why),
    }
    struct ClientView { peer, client, at } = MacpClientView "client" {
        client: Some(wire::MacpClient { peer, client }), at
    } else Missing
    struct SessionView {
        session, mode, by, intent, participants, allowed, started_at, expires_at, end, messages, last_at,
        senders, more_senders, trace, streams, progress,
    } = MacpSessionView "session" {
        session, mode, by, intent, participants, allowed, started_at, expires_at_ms: expires_at, end,
        messages, last_at, senders, more_senders, trace, streams, progress
    }
    struct EndView = MacpEndView "end" { ending, at, text, evicted }
    row SenderView by sender: Arc<str> = MacpSenderView "sender" { messages, vote, contribution }
    struct VoteView = MacpVoteView "vote" { proposal, vote, reason, at }
    struct ContributionView = MacpContributionView "contribution" { value, round, at }
    enum Progress = macp_session_view::Progress, "session" {
        Decision(decision) = Decision(decision),
        Rounds(rounds) = Rounds(rounds),
    }
    struct DecisionView = MacpDecisionView "decision" {
        phase, proposals, more_proposals, opinions, evaluations, objections,
    }
    struct ProposalView = MacpProposalView "proposal" { proposal, option, by, at, evaluations, objections }
    struct RoundsView = MacpRoundsView "rounds" { round, moves }
    struct MoveView = MacpMoveView "move" { round, by, value, at }
    default struct Totals = MacpTotals "totals" {
        open, started, resolved, expired, cancelled, accepted, duplicates, refused, signals,
    }
}

impl Recorded<Option<wire::MacpView>> for Snapshot {
    fn recorded(&self) -> Option<wire::MacpView> {
        Some(wire::MacpView {
            listener: self.listener.recorded(),
            clients: self.clients.recorded(),
            sessions: self.sessions.values().map(SessionView::recorded).collect(),
            totals: self.totals.recorded(),
        })
    }

    fn live(it: Option<wire::MacpView>, field: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        let Some(wire::MacpView { listener, clients, sessions, totals }) = it else {
            return Ok(Self::default());
        };
        let sessions: Vec<SessionView> = Recorded::live(sessions, field, shift)?;
        let snapshot = Self {
            listener: Recorded::live(listener, "macp.listener", shift)?,
            clients: Recorded::live(clients, field, shift)?,
            sessions: sessions.into_iter().map(|view| (view.session.number, view)).collect(),
            totals: Recorded::live(totals, field, shift)?,
            ..Self::default()
        };
        Ok(snapshot.in_order())
    }
}

impl Recorded<wire::MacpOpinionView> for OpinionView {
    fn recorded(&self) -> wire::MacpOpinionView {
        use wire::macp_opinion_view::Kind;
        let proposal = self.proposal.recorded();
        let kind = match &self.opinion {
            Opinion::Evaluation { recommendation, confidence } => Kind::Evaluated(wire::MacpEvaluated {
                proposal,
                recommendation: recommendation.recorded(),
                confidence: *confidence,
            }),
            Opinion::Objection { severity } => {
                Kind::Objected(wire::MacpObjected { proposal, severity: severity.recorded() })
            }
        };
        wire::MacpOpinionView {
            by: self.by.recorded(),
            at: self.at.recorded(),
            reason: self.reason.recorded(),
            kind: Some(kind),
        }
    }

    fn live(it: wire::MacpOpinionView, _: &'static str, shift: ClockShift) -> Result<Self, DecodeError> {
        use wire::macp_opinion_view::Kind;
        let (proposal, opinion) = match it.kind.ok_or(DecodeError::Missing("opinion.kind"))? {
            Kind::Evaluated(wire::MacpEvaluated { proposal, recommendation, confidence }) => {
                (proposal, Opinion::Evaluation { recommendation: Arc::from(recommendation), confidence })
            }
            Kind::Objected(wire::MacpObjected { proposal, severity }) => {
                (proposal, Opinion::Objection { severity: Arc::from(severity) })
            }
        };
        Ok(Self {
            by: Arc::from(it.by),
            at: Recorded::live(it.at, "opinion.at", shift)?,
            proposal: Arc::from(proposal),
            opinion,
            reason: Arc::from(it.reason),
        })
    }
}

/// What did not fit goes last, without a name.
impl Recorded<Vec<wire::MacpTally>> for Tally {
    fn recorded(&self) -> Vec<wire::MacpTally> {
        let named = self.of.iter().map(|(what, count)| (Some(what.recorded()), *count));
        let others = (self.others > 0).then_some((None, self.others));
        named.chain(others).map(|(what, count)| wire::MacpTally { what, count }).collect()
    }

    fn live(all: Vec<wire::MacpTally>, _: &'static str, _: ClockShift) -> Result<Self, DecodeError> {
        let mut tally = Self::default();
        for wire::MacpTally { what, count } in all {
            match what {
                Some(what) => tally.of.push((Arc::from(what), count)),
                None => tally.others += count,
            }
        }
        Ok(tally)
    }
}
