//! What the entries of the MACP runtime tell.

use std::borrow::Cow;

use super::{standing::Standing, told::Told};
use crate::{
    macp::{Answered, Effect, Ending, Head, Transition as T, Verdict},
    tap::entry::{Frame, Verdict as AnyVerdict},
};

/// What a call of the runtime, or its answer, tells of.
pub(super) fn frame<'a>(frame: &'a Frame, head: &'a Head) -> Told<'a> {
    let standing = match (&frame.verdict, head.answer) {
        (AnyVerdict::Macp(Verdict::Accepted | Verdict::Duplicate), _) => Standing::Ok,
        (AnyVerdict::Macp(Verdict::Refused(_) | Verdict::Declined(_)), _) => Standing::Fault,
        (_, Some(Answered::Refused(_) | Answered::Status(_))) => Standing::Warn,
        _ => Standing::Sent,
    };
    Told { kind: head.rpc.name(), peer: Some(&frame.peer), standing, ..Told::default() }
}

/// A call in one line.
pub(super) fn frame_line(frame: &Frame, head: &Head) -> Cow<'static, str> {
    if let AnyVerdict::Macp(Verdict::Refused(fault)) = &frame.verdict {
        return format!("{}: {}", fault.code().name(), fault.name()).into();
    }
    if let AnyVerdict::Macp(Verdict::Declined(status)) = &frame.verdict {
        return status.name().into();
    }
    let said = match head.answer {
        Some(Answered::Ok) => "ok".to_owned(),
        Some(Answered::Duplicate) => "duplicate".to_owned(),
        Some(Answered::Refused(code)) => code.name().to_owned(),
        Some(Answered::Status(status)) => status.name().to_owned(),
        None => head.sender.as_deref().map(|sender| format!("by {sender}")).unwrap_or_default(),
    };
    match (&head.session, said.is_empty()) {
        (Some(session), true) => format!("session {session}").into(),
        (Some(session), false) => format!("{said}, session {session}").into(),
        (None, _) => said.into(),
    }
}

/// What a transition of the runtime tells of.
pub(super) fn told(transition: &T) -> Told<'_> {
    let standing = match transition {
        T::NotListening | T::Ended { ending: Ending::LogDamaged, .. } => Standing::Bad,
        T::Ended { ending: Ending::TtlExpired | Ending::Cancelled, .. } | T::Accepted { effect: Effect::Objected { .. }, .. } => {
            Standing::Warn
        }
        _ => Standing::Plain,
    };
    Told { kind: transition.name(), standing, ..Told::default() }
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    match transition {
        T::Listening { addr } => addr.to_string().into(),
        T::NotListening => "".into(),
        T::Introduced { peer, client } => format!("{client}, {peer}").into(),
        T::Opened { session, mode, by, .. } => format!("session {}: {}, by {by}", session.id, mode.short()).into(),
        T::Accepted { session, by, effect } => match effect {
            Effect::Nothing => format!("session {}: a message of {by}", session.id),
            Effect::Proposed { proposal } => format!("session {}: {by} proposed {proposal}", session.id),
            Effect::Evaluated { proposal, recommendation, .. } => {
                format!("session {}: {by} says {recommendation} of {proposal}", session.id)
            }
            Effect::Objected { proposal, severity } => format!("session {}: {by} objects to {proposal}, {severity}", session.id),
            Effect::Voted { proposal, vote } => format!("session {}: {by} votes {vote} on {proposal}", session.id),
            Effect::Committed => format!("session {}: {by} committed the decision", session.id),
            Effect::LegacyResolved => format!("session {}: {by} resolved it", session.id),
            Effect::Contributed { round } => format!("session {}: {by} contributed, round {round}", session.id),
        }
        .into(),
        T::Ended { session, ending } => format!("session {} is {}", session.id, ending.name()).into(),
        T::Evicted { session } => format!("session {} is in the store alone", session.id).into(),
    }
}
