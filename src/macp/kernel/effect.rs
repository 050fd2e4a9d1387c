//! What a call would change, in a line, by the words of the Sessions view.

use super::{decide::Start, session::Session};
use crate::{
    macp::{
        Effect,
        modes::{Delta, ModeState, Response},
        proto::v1::Envelope,
    },
    words::{counted, cut},
};

/// Bytes of an id in such a line.
const ID_BYTES_MAX: u64 = 64;

fn name(id: &str) -> &str {
    cut(id, ID_BYTES_MAX)
}

/// A session opens.
pub(super) fn opens(id: &str, start: &Start) -> String {
    let who = match start.participants.listed().len() {
        0 => "anybody".to_owned(),
        listed => counted(listed, "participant"),
    };
    let seconds = start.ttl_ms.div_ceil(1_000);
    format!("session {} opens: {}, {who}, expires in {seconds}s", name(id), start.mode.short())
}

/// A session is cancelled.
pub(super) fn cancelled(id: &str) -> String {
    format!("session {} cancelled", name(id))
}

/// A session is found to be over its time.
pub(super) fn expires(id: &str) -> String {
    format!("session {} expired: its TTL is over", name(id))
}

/// A session accepts a message.
pub(super) fn accepted(
    session: &Session,
    envelope: &Envelope,
    response: &Response<Delta>,
    bytes_max: u64,
) -> String {
    let (effect, _) = response.effect(bytes_max.min(ID_BYTES_MAX));
    let of = || progress(session, &envelope.sender);
    let what = match &effect {
        Effect::Nothing => "accepted; its mode ignores this message type".to_owned(),
        Effect::Proposed { proposal } if has_proposal(session, response) => {
            format!("proposal {proposal} replaced")
        }
        Effect::Proposed { proposal } => format!("proposal {proposal} made"),
        Effect::Evaluated { proposal, recommendation, .. } => {
            format!("proposal {proposal} evaluated: {recommendation}")
        }
        Effect::Objected { proposal, severity } => format!("proposal {proposal} objected to: {severity}"),
        Effect::Voted { proposal, vote } => format!("vote {vote} on {proposal}, {} voted", of()),
        Effect::Committed => "decision committed".to_owned(),
        Effect::LegacyResolved => "resolved by the legacy message".to_owned(),
        Effect::Contributed { round } => format!("round {round}, {} contributed", of()),
    };
    let is_end = matches!(response, Response::Resolve(_) | Response::PersistAndResolve { .. });
    if is_end { format!("{what}; session {} resolved", name(&session.id)) } else { what }
}

/// Whether a proposal takes the place of one of its id.
fn has_proposal(session: &Session, response: &Response<Delta>) -> bool {
    use crate::macp::modes::DecisionDelta;
    match (&session.state, response) {
        (
            ModeState::Decision(state),
            Response::Persist(Delta::Decision(DecisionDelta::Propose { id, .. })),
        ) => state.proposals.contains_key(id),
        _ => false,
    }
}

/// How many will have voted or contributed with this sender: `2 of 3`, or `2` where anybody may.
fn progress(session: &Session, sender: &str) -> String {
    let (count, is_known) = match &session.state {
        ModeState::Decision(state) => (state.votes.len(), state.votes.contains_key(sender)),
        ModeState::MultiRound(state) => (state.contributions.len(), state.contributions.contains_key(sender)),
    };
    let count = count + usize::from(!is_known);
    match session.participants.different() {
        0 => count.to_string(),
        all => format!("{count} of {all}"),
    }
}
