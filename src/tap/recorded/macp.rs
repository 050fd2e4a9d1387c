//! What the MACP runtime is told in.

use std::sync::Arc;

use super::{error::DecodeError, plain, wire};
use crate::{
    ids::Peer,
    tap::entry::macp::{Answered, Effect, Head, OpenedText, SessionRef, Transition, Verdict},
    time::Wall,
};

const NOTHING: wire::Nothing = wire::Nothing {};

pub(super) fn recorded_head(head: &Head) -> wire::MacpHead {
    let Head { rpc, session, message_type, message_id, sender, answer } = head;
    let text = |text: &Option<Arc<str>>| text.as_deref().map(str::to_owned);
    wire::MacpHead {
        rpc: plain::to_macp_rpc(*rpc),
        session: text(session),
        message_type: text(message_type),
        message_id: text(message_id),
        sender: text(sender),
        answer: answer.map(recorded_answer),
    }
}

pub(super) fn live_head(head: wire::MacpHead) -> Result<Head, DecodeError> {
    Ok(Head {
        rpc: plain::macp_rpc(head.rpc, "macp_head.rpc")?,
        session: head.session.map(Arc::from),
        message_type: head.message_type.map(Arc::from),
        message_id: head.message_id.map(Arc::from),
        sender: head.sender.map(Arc::from),
        answer: head.answer.map(live_answer).transpose()?,
    })
}

fn recorded_answer(answer: Answered) -> wire::MacpAnswered {
    use wire::macp_answered::Kind;
    let kind = match answer {
        Answered::Ok => Kind::Ok(NOTHING),
        Answered::Duplicate => Kind::Duplicate(NOTHING),
        Answered::Refused(code) => Kind::Refused(plain::to_macp_code(code)),
        Answered::Status(status) => Kind::Status(plain::to_macp_status(status)),
    };
    wire::MacpAnswered { kind: Some(kind) }
}

fn live_answer(answer: wire::MacpAnswered) -> Result<Answered, DecodeError> {
    use wire::macp_answered::Kind;
    Ok(match answer.kind.ok_or(DecodeError::Missing("macp_answered.kind"))? {
        Kind::Ok(_) => Answered::Ok,
        Kind::Duplicate(_) => Answered::Duplicate,
        Kind::Refused(code) => Answered::Refused(plain::macp_code(code, "macp_answered.refused")?),
        Kind::Status(status) => Answered::Status(plain::macp_status(status, "macp_answered.status")?),
    })
}

pub(super) fn recorded_verdict(verdict: Verdict) -> wire::MacpVerdict {
    use wire::macp_verdict::Kind;
    let kind = match verdict {
        Verdict::Accepted => Kind::Accepted(NOTHING),
        Verdict::Duplicate => Kind::Duplicate(NOTHING),
        Verdict::Refused(fault) => Kind::Refused(plain::to_macp_fault(fault)),
        Verdict::Declined(status) => Kind::Declined(plain::to_macp_status(status)),
    };
    wire::MacpVerdict { kind: Some(kind) }
}

pub(super) fn live_verdict(verdict: wire::MacpVerdict) -> Result<Verdict, DecodeError> {
    use wire::macp_verdict::Kind;
    Ok(match verdict.kind.ok_or(DecodeError::Missing("macp_verdict.kind"))? {
        Kind::Accepted(_) => Verdict::Accepted,
        Kind::Duplicate(_) => Verdict::Duplicate,
        Kind::Refused(fault) => Verdict::Refused(plain::macp_fault(fault, "macp_verdict.refused")?),
        Kind::Declined(status) => Verdict::Declined(plain::macp_status(status, "macp_verdict.declined")?),
    })
}

pub(crate) fn recorded_session(SessionRef { number, id }: &SessionRef) -> wire::MacpSession {
    wire::MacpSession { number: *number, id: id.to_string() }
}

pub(crate) fn live_session(it: Option<wire::MacpSession>) -> Result<SessionRef, DecodeError> {
    let it = it.ok_or(DecodeError::Missing("session"))?;
    Ok(SessionRef { number: it.number, id: Arc::from(it.id) })
}

pub(super) fn recorded(transition: &Transition) -> wire::MacpTransition {
    use wire::macp_transition::Kind;
    let kind = match transition {
        Transition::Listening { addr } => Kind::Listening(addr.to_string()),
        Transition::NotListening => Kind::NotListening(NOTHING),
        Transition::Introduced { peer, client } => {
            Kind::Introduced(wire::MacpClient { peer: peer.as_str().to_owned(), client: client.to_string() })
        }
        Transition::Opened { session, mode, by, participants, expires_at, intent, listed } => {
            Kind::Opened(wire::MacpOpened {
                session: Some(recorded_session(session)),
                mode: plain::to_macp_mode(*mode),
                by: by.to_string(),
                participants: *participants,
                expires_at_ms: expires_at.0,
                introduction: Some(wire::MacpIntroduction {
                    intent: intent.to_string(),
                    participants: listed.iter().map(ToString::to_string).collect(),
                }),
            })
        }
        Transition::Accepted { session, by, effect } => Kind::Accepted(wire::MacpAccepted {
            session: Some(recorded_session(session)),
            by: by.to_string(),
            effect: Some(recorded_effect(effect)),
        }),
        Transition::Ended { session, ending } => Kind::Ended(wire::MacpEnded {
            session: Some(recorded_session(session)),
            ending: plain::to_macp_ending(*ending),
        }),
        Transition::Streaming { session, streams } => Kind::Streaming(wire::MacpStreaming {
            session: Some(recorded_session(session)),
            streams: *streams,
        }),
        Transition::Evicted { session } => Kind::Evicted(recorded_session(session)),
    };
    wire::MacpTransition { kind: Some(kind) }
}

/// A transition; `text` is what lies beside its entry.
pub(super) fn live(transition: wire::MacpTransition, text: &[u8]) -> Result<Transition, DecodeError> {
    use wire::macp_transition::Kind;
    Ok(match transition.kind.ok_or(DecodeError::Missing("macp.kind"))? {
        Kind::Listening(addr) => Transition::Listening { addr: plain::addr(&addr, "listening")? },
        Kind::NotListening(_) => Transition::NotListening,
        Kind::Introduced(it) => {
            Transition::Introduced { peer: Peer::new(&it.peer), client: Arc::from(it.client) }
        }
        Kind::Opened(it) => {
            // Older files have it in the text alone; one that does not read is shown without.
            let OpenedText { intent, participants } = match it.introduction {
                Some(it) => OpenedText { intent: it.intent, participants: it.participants },
                None => serde_json::from_slice(text).unwrap_or_default(),
            };
            Transition::Opened {
                session: live_session(it.session)?,
                mode: plain::macp_mode(it.mode, "opened.mode")?,
                by: Arc::from(it.by),
                participants: it.participants,
                expires_at: Wall(it.expires_at_ms),
                intent: Arc::from(intent),
                listed: participants.into_iter().map(Arc::from).collect(),
            }
        }
        Kind::Accepted(it) => Transition::Accepted {
            session: live_session(it.session)?,
            by: Arc::from(it.by),
            effect: live_effect(it.effect.ok_or(DecodeError::Missing("accepted.effect"))?),
        },
        Kind::Ended(it) => Transition::Ended {
            session: live_session(it.session)?,
            ending: plain::macp_ending(it.ending, "ended.ending")?,
        },
        Kind::Streaming(it) => {
            Transition::Streaming { session: live_session(it.session)?, streams: it.streams }
        }
        Kind::Evicted(session) => Transition::Evicted { session: live_session(Some(session))? },
    })
}

fn recorded_effect(effect: &Effect) -> wire::macp_accepted::Effect {
    use wire::macp_accepted::Effect as Wire;
    match effect {
        Effect::Nothing => Wire::Nothing(NOTHING),
        Effect::Proposed { proposal } => Wire::Proposed(proposal.to_string()),
        Effect::Evaluated { proposal, recommendation, confidence } => Wire::Evaluated(wire::MacpEvaluated {
            proposal: proposal.to_string(),
            recommendation: recommendation.to_string(),
            confidence: *confidence,
        }),
        Effect::Objected { proposal, severity } => Wire::Objected(wire::MacpObjected {
            proposal: proposal.to_string(),
            severity: severity.to_string(),
        }),
        Effect::Voted { proposal, vote } => {
            Wire::Voted(wire::MacpVoted { proposal: proposal.to_string(), vote: vote.to_string() })
        }
        Effect::Committed => Wire::Committed(NOTHING),
        Effect::LegacyResolved => Wire::LegacyResolved(NOTHING),
        Effect::Contributed { round } => Wire::Contributed(*round),
    }
}

fn live_effect(effect: wire::macp_accepted::Effect) -> Effect {
    use wire::macp_accepted::Effect as Wire;
    match effect {
        Wire::Nothing(_) => Effect::Nothing,
        Wire::Proposed(proposal) => Effect::Proposed { proposal: Arc::from(proposal) },
        Wire::Evaluated(it) => Effect::Evaluated {
            proposal: Arc::from(it.proposal),
            recommendation: Arc::from(it.recommendation),
            confidence: it.confidence,
        },
        Wire::Objected(it) => {
            Effect::Objected { proposal: Arc::from(it.proposal), severity: Arc::from(it.severity) }
        }
        Wire::Voted(it) => Effect::Voted { proposal: Arc::from(it.proposal), vote: Arc::from(it.vote) },
        Wire::Committed(_) => Effect::Committed,
        Wire::LegacyResolved(_) => Effect::LegacyResolved,
        Wire::Contributed(round) => Effect::Contributed { round },
    }
}
