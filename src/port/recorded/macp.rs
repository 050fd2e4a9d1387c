//! The MACP runtime.

use std::sync::Arc;

use crate::{
    ids::Peer,
    macp::{
        ClientView, ContributionView, DecisionView, EndView, Listener, MoveView, Opinion, OpinionView,
        Progress, ProposalView, RoundsView, SenderView, SessionView, Snapshot, Tally, Totals, VoteView,
    },
    tap::recorded::{
        DecodeError,
        macp::{live_session, recorded_session},
        plain::{self, moment, now},
        wire,
    },
    time::Wall,
};

pub(super) fn recorded_macp(snapshot: &Snapshot) -> wire::MacpView {
    use wire::macp_listener::State;
    let state = match &snapshot.listener {
        Listener::Starting => State::Starting(wire::Nothing {}),
        Listener::Listening(addr) => State::Listening(addr.to_string()),
        Listener::Down(why) => State::Down(why.to_string()),
    };
    let Totals { open, started, resolved, expired, cancelled, accepted, duplicates, refused, signals } =
        snapshot.totals;
    wire::MacpView {
        listener: Some(wire::MacpListener { state: Some(state) }),
        clients: snapshot.clients.iter().map(recorded_client).collect(),
        sessions: snapshot.sessions.values().map(recorded_view).collect(),
        totals: Some(wire::MacpTotals {
            open,
            started,
            resolved,
            expired,
            cancelled,
            accepted,
            duplicates,
            refused,
            signals,
        }),
    }
}

pub(super) fn live_macp(it: wire::MacpView) -> Result<Snapshot, DecodeError> {
    use wire::macp_listener::State;
    let mut snapshot = Snapshot {
        listener: match it.listener.and_then(|it| it.state).ok_or(DecodeError::Missing("macp.listener"))? {
            State::Starting(_) => Listener::Starting,
            State::Listening(addr) => Listener::Listening(plain::addr(&addr, "macp.listening")?),
            State::Down(why) => Listener::Down(Arc::from(why)),
        },
        ..Snapshot::default()
    };
    snapshot.clients = it.clients.into_iter().map(live_client).collect::<Result<_, _>>()?;
    for view in it.sessions {
        let view = live_view(view)?;
        snapshot.sessions.insert(view.session.number, view);
    }
    let wire::MacpTotals {
        open,
        started,
        resolved,
        expired,
        cancelled,
        accepted,
        duplicates,
        refused,
        signals,
    } = it.totals.unwrap_or_default();
    snapshot.totals =
        Totals { open, started, resolved, expired, cancelled, accepted, duplicates, refused, signals };
    Ok(snapshot.in_order())
}

fn recorded_client(ClientView { peer, client, at }: &ClientView) -> wire::MacpClientView {
    let client = wire::MacpClient { peer: peer.as_str().to_owned(), client: client.to_string() };
    wire::MacpClientView { client: Some(client), at: Some(moment(*at)) }
}

fn live_client(it: wire::MacpClientView) -> Result<ClientView, DecodeError> {
    let client = it.client.ok_or(DecodeError::Missing("client"))?;
    Ok(ClientView {
        peer: Peer::new(&client.peer),
        client: Arc::from(client.client),
        at: now(it.at, "client.at")?,
    })
}

fn recorded_view(view: &SessionView) -> wire::MacpSessionView {
    use wire::macp_session_view::Progress as Wire;
    wire::MacpSessionView {
        session: Some(recorded_session(&view.session)),
        mode: plain::to_macp_mode(view.mode),
        by: view.by.to_string(),
        intent: view.intent.to_string(),
        participants: view.participants.iter().map(ToString::to_string).collect(),
        allowed: view.allowed,
        started_at: Some(moment(view.started_at)),
        expires_at_ms: view.expires_at.0,
        end: view.end.as_ref().map(|EndView { ending, at, text, evicted }| wire::MacpEndView {
            ending: plain::to_macp_ending(*ending),
            at: Some(moment(*at)),
            text: text.to_string(),
            evicted: *evicted,
        }),
        messages: view.messages,
        last_at: Some(moment(view.last_at)),
        senders: view.senders.iter().map(|(sender, view)| recorded_sender(sender, view)).collect(),
        more_senders: view.more_senders,
        trace: plain::trace_bytes(view.trace),
        streams: view.streams,
        progress: Some(match &view.progress {
            Progress::Decision(decision) => Wire::Decision(recorded_decision(decision)),
            Progress::Rounds(RoundsView { round, moves }) => Wire::Rounds(wire::MacpRoundsView {
                round: *round,
                moves: moves.iter().map(recorded_move).collect(),
            }),
        }),
    }
}

fn live_view(it: wire::MacpSessionView) -> Result<SessionView, DecodeError> {
    use wire::macp_session_view::Progress as Wire;
    let end = it.end.map(|end| {
        let (ending, at) = (plain::macp_ending(end.ending, "end.ending")?, now(end.at, "end.at")?);
        Ok::<_, DecodeError>(EndView { ending, at, text: Arc::from(end.text), evicted: end.evicted })
    });
    Ok(SessionView {
        session: live_session(it.session)?,
        mode: plain::macp_mode(it.mode, "session.mode")?,
        by: Arc::from(it.by),
        intent: Arc::from(it.intent),
        participants: it.participants.into_iter().map(Arc::from).collect(),
        allowed: it.allowed,
        started_at: now(it.started_at, "session.started_at")?,
        expires_at: Wall(it.expires_at_ms),
        end: end.transpose()?,
        messages: it.messages,
        last_at: now(it.last_at, "session.last_at")?,
        senders: it.senders.into_iter().map(live_sender).collect::<Result<_, _>>()?,
        more_senders: it.more_senders,
        trace: plain::trace(it.trace.as_deref())?,
        streams: it.streams,
        progress: match it.progress.ok_or(DecodeError::Missing("session.progress"))? {
            Wire::Decision(decision) => Progress::Decision(live_decision(decision)?),
            Wire::Rounds(it) => Progress::Rounds(RoundsView {
                round: it.round,
                moves: it.moves.into_iter().map(live_move).collect::<Result<_, _>>()?,
            }),
        },
    })
}

fn recorded_sender(
    sender: &Arc<str>,
    SenderView { messages, vote, contribution }: &SenderView,
) -> wire::MacpSenderView {
    wire::MacpSenderView {
        sender: sender.to_string(),
        messages: *messages,
        vote: vote.as_ref().map(|VoteView { proposal, vote, reason, at }| wire::MacpVoteView {
            proposal: proposal.to_string(),
            vote: vote.to_string(),
            reason: reason.to_string(),
            at: Some(moment(*at)),
        }),
        contribution: contribution.as_ref().map(|ContributionView { value, round, at }| {
            wire::MacpContributionView { value: value.to_string(), round: *round, at: Some(moment(*at)) }
        }),
    }
}

fn live_sender(it: wire::MacpSenderView) -> Result<(Arc<str>, SenderView), DecodeError> {
    let vote = it.vote.map(|it| {
        let at = now(it.at, "vote.at")?;
        Ok::<_, DecodeError>(VoteView {
            proposal: Arc::from(it.proposal),
            vote: Arc::from(it.vote),
            reason: Arc::from(it.reason),
            at,
        })
    });
    let contribution = it.contribution.map(|it| {
        let at = now(it.at, "contribution.at")?;
        Ok::<_, DecodeError>(ContributionView { value: Arc::from(it.value), round: it.round, at })
    });
    let view = SenderView {
        messages: it.messages,
        vote: vote.transpose()?,
        contribution: contribution.transpose()?,
    };
    Ok((Arc::from(it.sender), view))
}

fn recorded_decision(decision: &DecisionView) -> wire::MacpDecisionView {
    let DecisionView { phase, proposals, more_proposals, opinions, evaluations, objections } = decision;
    wire::MacpDecisionView {
        phase: plain::to_macp_phase(*phase),
        proposals: proposals.iter().map(recorded_proposal).collect(),
        more_proposals: *more_proposals,
        opinions: opinions.iter().map(recorded_opinion).collect(),
        evaluations: recorded_tally(evaluations),
        objections: recorded_tally(objections),
    }
}

fn live_decision(it: wire::MacpDecisionView) -> Result<DecisionView, DecodeError> {
    Ok(DecisionView {
        phase: plain::macp_phase(it.phase, "decision.phase")?,
        proposals: it.proposals.into_iter().map(live_proposal).collect::<Result<_, _>>()?,
        more_proposals: it.more_proposals,
        opinions: it.opinions.into_iter().map(live_opinion).collect::<Result<_, _>>()?,
        evaluations: live_tally(it.evaluations),
        objections: live_tally(it.objections),
    })
}

fn recorded_proposal(it: &ProposalView) -> wire::MacpProposalView {
    let ProposalView { proposal, option, by, at, evaluations, objections } = it;
    wire::MacpProposalView {
        proposal: proposal.to_string(),
        option: option.to_string(),
        by: by.to_string(),
        at: Some(moment(*at)),
        evaluations: recorded_tally(evaluations),
        objections: recorded_tally(objections),
    }
}

fn live_proposal(it: wire::MacpProposalView) -> Result<ProposalView, DecodeError> {
    Ok(ProposalView {
        proposal: Arc::from(it.proposal),
        option: Arc::from(it.option),
        by: Arc::from(it.by),
        at: now(it.at, "proposal.at")?,
        evaluations: live_tally(it.evaluations),
        objections: live_tally(it.objections),
    })
}

fn recorded_opinion(
    OpinionView { by, at, proposal, opinion, reason }: &OpinionView,
) -> wire::MacpOpinionView {
    use wire::macp_opinion_view::Kind;
    let kind = match opinion {
        Opinion::Evaluation { recommendation, confidence } => Kind::Evaluated(wire::MacpEvaluated {
            proposal: proposal.to_string(),
            recommendation: recommendation.to_string(),
            confidence: *confidence,
        }),
        Opinion::Objection { severity } => Kind::Objected(wire::MacpObjected {
            proposal: proposal.to_string(),
            severity: severity.to_string(),
        }),
    };
    wire::MacpOpinionView {
        by: by.to_string(),
        at: Some(moment(*at)),
        reason: reason.to_string(),
        kind: Some(kind),
    }
}

fn live_opinion(it: wire::MacpOpinionView) -> Result<OpinionView, DecodeError> {
    use wire::macp_opinion_view::Kind;
    let (proposal, opinion) = match it.kind.ok_or(DecodeError::Missing("opinion.kind"))? {
        Kind::Evaluated(it) => (
            it.proposal,
            Opinion::Evaluation { recommendation: Arc::from(it.recommendation), confidence: it.confidence },
        ),
        Kind::Objected(it) => (it.proposal, Opinion::Objection { severity: Arc::from(it.severity) }),
    };
    let (by, at, reason) = (Arc::from(it.by), now(it.at, "opinion.at")?, Arc::from(it.reason));
    Ok(OpinionView { by, at, proposal: Arc::from(proposal), opinion, reason })
}

fn recorded_move(MoveView { round, by, value, at }: &MoveView) -> wire::MacpMoveView {
    wire::MacpMoveView { round: *round, by: by.to_string(), value: value.to_string(), at: Some(moment(*at)) }
}

fn live_move(it: wire::MacpMoveView) -> Result<MoveView, DecodeError> {
    Ok(MoveView {
        round: it.round,
        by: Arc::from(it.by),
        value: Arc::from(it.value),
        at: now(it.at, "move.at")?,
    })
}

/// What did not fit goes last, without a name.
fn recorded_tally(Tally { of, others }: &Tally) -> Vec<wire::MacpTally> {
    let mut all: Vec<_> = of
        .iter()
        .map(|(what, count)| wire::MacpTally { what: Some(what.to_string()), count: *count })
        .collect();
    if *others > 0 {
        all.push(wire::MacpTally { what: None, count: *others });
    }
    all
}

fn live_tally(all: Vec<wire::MacpTally>) -> Tally {
    let mut tally = Tally::default();
    for wire::MacpTally { what, count } in all {
        match what {
            Some(what) => tally.of.push((Arc::from(what), count)),
            None => tally.others += count,
        }
    }
    tally
}
