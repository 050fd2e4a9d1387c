//! What the entries of the MACP runtime tell.

use std::borrow::Cow;

use super::clauses::{fault_clause, status_clause};
use crate::{
    dissect::{outcome::EntryOutcome, summary::EntrySummary},
    macp::{Answered, Effect, Ending, Head, Transition as T, Verdict},
    tap::entry::{Frame, Verdict as AnyVerdict},
    words::counted,
};

/// What a call of the runtime, or its answer, tells of.
pub(super) fn frame_summary<'a>(frame: &'a Frame, head: &'a Head) -> EntrySummary<'a> {
    let standing = match (&frame.verdict, head.answer) {
        (AnyVerdict::Macp(Verdict::Accepted | Verdict::Duplicate), _) => EntryOutcome::Ok,
        (AnyVerdict::Macp(Verdict::Refused(_) | Verdict::Declined(_)), _) => EntryOutcome::Fault,
        (_, Some(Answered::Refused(_) | Answered::Status(_))) => EntryOutcome::Warn,
        _ => EntryOutcome::Sent,
    };
    EntrySummary {
        kind: head.rpc.name(),
        peer: Some(&frame.peer),
        outcome: standing,
        clause: clause(frame, head),
        macp_session: head.session.as_deref(),
        sender: head.sender.as_deref(),
        message_type: head.message_type.as_deref(),
        message_id: head.message_id.as_deref(),
        code: code(frame, head),
        ..EntrySummary::default()
    }
}

/// The clause that a message breaks, or by which its call ends with a status.
const fn clause(frame: &Frame, head: &Head) -> Option<&'static str> {
    match (&frame.verdict, head.answer) {
        (AnyVerdict::Macp(Verdict::Refused(fault)), _) => Some(fault_clause(*fault, head.rpc)),
        (AnyVerdict::Macp(Verdict::Declined(status)), _) => Some(status_clause(*status, head.rpc)),
        (_, Some(Answered::Status(status))) => Some(status_clause(status, head.rpc)),
        _ => None,
    }
}

/// Why a message is rejected, or the status that its call ends with.
const fn code(frame: &Frame, head: &Head) -> Option<&'static str> {
    match (&frame.verdict, head.answer) {
        (AnyVerdict::Macp(Verdict::Refused(fault)), _) => Some(fault.code().name()),
        (AnyVerdict::Macp(Verdict::Declined(status)), _) => Some(status.name()),
        (_, Some(Answered::Status(status))) => Some(status.name()),
        (_, Some(Answered::Refused(code))) => Some(code.name()),
        _ => None,
    }
}

/// A call in one line: what was made of it, where that is not what one expects, then what it is, by whom, in
/// which session.
pub(super) fn frame_line(frame: &Frame, head: &Head) -> Cow<'static, str> {
    let mut words = String::new();
    let mut say = |word: &str| {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    };
    match (&frame.verdict, head.answer) {
        (AnyVerdict::Macp(Verdict::Refused(fault)), _) => {
            say(&format!("{} ({}):", fault.code().name(), fault.name()));
        }
        (AnyVerdict::Macp(Verdict::Duplicate), _) | (_, Some(Answered::Duplicate)) => say("duplicate:"),
        (_, Some(Answered::Ok)) => say("ok:"),
        _ => {
            if let Some(code) = code(frame, head) {
                say(&format!("{code}:"));
            }
        }
    }
    if let Some(kind) = &head.message_type {
        say(kind);
    }
    if let Some(sender) = &head.sender {
        say(&format!("by {sender}"));
    }
    if let Some(session) = &head.session {
        say(&format!("in {session}"));
    }
    words.trim_end_matches(':').to_owned().into()
}

/// What a transition of the runtime tells of.
pub(super) fn summary(transition: &T) -> EntrySummary<'_> {
    let standing = match transition {
        T::NotListening | T::Ended { ending: Ending::LogDamaged, .. } => EntryOutcome::Bad,
        T::Ended { ending: Ending::TtlExpired | Ending::Cancelled, .. }
        | T::TurnedAway { .. }
        | T::Accepted { effect: Effect::Objected { .. }, .. } => EntryOutcome::Warn,
        _ => EntryOutcome::Plain,
    };
    let (mode, sender) = match transition {
        T::Opened { mode, by, .. } => (Some(mode.short()), Some(&**by)),
        T::Accepted { by, .. } => (None, Some(&**by)),
        _ => (None, None),
    };
    let held = transition.session().map(|session| &*session.id);
    let client = if let T::Introduced { client, .. } = transition { Some(&**client) } else { None };
    EntrySummary {
        kind: transition.name(),
        outcome: standing,
        macp_session: held,
        mode,
        sender,
        client,
        ..EntrySummary::default()
    }
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    match transition {
        T::Listening { addr } => addr.to_string().into(),
        T::NotListening => "".into(),
        T::Introduced { peer, client } => format!("{client}, {peer}").into(),
        T::TurnedAway { peer, cause } => format!("{peer}: {}", cause.name()).into(),
        T::Streaming { session, streams } => {
            format!("session {}: {}", session.id, counted(*streams, "open stream")).into()
        }
        T::Opened { session, mode, by, .. } => {
            format!("session {}: {}, by {by}", session.id, mode.short()).into()
        }
        T::Accepted { session, by, effect } => match effect {
            Effect::Nothing => format!("session {}: a message of {by}", session.id),
            Effect::Proposed { proposal } => format!("session {}: {by} proposed {proposal}", session.id),
            Effect::Evaluated { proposal, recommendation, .. } => {
                format!("session {}: {by} evaluates {proposal}: {recommendation}", session.id)
            }
            Effect::Objected { proposal, severity } => {
                format!("session {}: {by} objects to {proposal} ({severity})", session.id)
            }
            Effect::Voted { proposal, vote } => {
                format!("session {}: {by} votes {vote} on {proposal}", session.id)
            }
            Effect::Committed => format!("session {}: {by} committed the decision", session.id),
            Effect::LegacyResolved => format!("session {}: {by} resolved it", session.id),
            Effect::Contributed { round } => {
                format!("session {}: {by} contributed, round {round}", session.id)
            }
        }
        .into(),
        T::Ended { session, ending } => format!("session {} is {}", session.id, ending.name()).into(),
        T::Evicted { session } => format!("session {} only in the store", session.id).into(),
    }
}
