//! What a decision is answered with, before it is made so: what `handle` gives and what a judgement foresees.

use super::{Acked, Answer, decide::Decision};
use crate::{
    ids::Ticket,
    macp::{
        SessionState,
        modes::{Rejection, Response},
    },
};

impl Decision {
    /// The answer of a decision about a session that is reported in `state`; nothing while the store is to
    /// be asked. `after` is what must be durable before it, where carrying the decision out adds nothing to
    /// that.
    pub(super) fn answer(&self, at_ms: u64, state: Option<SessionState>, after: Ticket) -> Option<Answer> {
        let ok = |state| Acked { is_duplicate: false, at_ms, state, error: None, after };
        let refused = |state, rejection: &Rejection| Acked {
            error: Some((rejection.fault, rejection.why.clone().into_owned())),
            ..ok(state)
        };
        Some(Answer::Acked(match self {
            Self::Load(_) => return None,
            Self::Decline(status, why) => {
                return Some(Answer::Declined { status: *status, why: why.clone() });
            }
            Self::Look(metadata, _) => {
                return Some(Answer::Session { metadata: metadata.clone(), after });
            }
            Self::Malformed(rejection) | Self::Refuse(rejection) | Self::Object(rejection) => {
                refused(state, rejection)
            }
            Self::Expire(_, rejection) => refused(Some(SessionState::Expired), rejection),
            Self::Duplicate(accepted_ms) => Acked { is_duplicate: true, at_ms: *accepted_ms, ..ok(state) },
            Self::Accept(_, Response::Resolve(_) | Response::PersistAndResolve { .. }) => {
                ok(Some(SessionState::Resolved))
            }
            Self::Signal | Self::Start(_) | Self::Accept(_, Response::NoOp | Response::Persist(_)) => {
                ok(Some(SessionState::Open))
            }
            Self::Ended => ok(state),
            Self::Cancel(_) => ok(Some(SessionState::Expired)),
        }))
    }
}

impl Answer {
    /// This answer behind another record.
    pub(super) fn behind(self, record: Ticket) -> Self {
        match self {
            Self::Acked(acked) => Self::Acked(Acked { after: record, ..acked }),
            Self::Session { metadata, .. } => Self::Session { metadata, after: record },
            declined @ Self::Declined { .. } => declined,
        }
    }
}
