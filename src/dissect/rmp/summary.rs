//! What the bus's entries tell.

use std::{borrow::Cow, fmt::Write as _};

use crate::{
    dissect::{
        Breach,
        outcome::EntryOutcome,
        rmp::{drop_word, schema_name},
        summary::EntrySummary,
    },
    rmp::{CloseCause, FrameKind, Head, Transition as T, Verdict, broker::STATION},
    tap::entry::{Frame, Verdict as AnyVerdict},
    words::format,
};

/// What a frame of the bus tells of.
pub(super) fn frame_summary<'a>(frame: &'a Frame, head: &'a Head) -> EntrySummary<'a> {
    let (standing, clause) = match &frame.verdict {
        AnyVerdict::Rmp(Verdict::Accepted | Verdict::Published { dropped: 0, .. }) => {
            (EntryOutcome::Ok, None)
        }
        AnyVerdict::Rmp(Verdict::Published { .. }) => (EntryOutcome::Warn, None),
        AnyVerdict::Rmp(Verdict::TooLate) => (EntryOutcome::Late, None),
        AnyVerdict::Rmp(Verdict::Refused(refusal)) => (EntryOutcome::Fault, Some(refusal.clause())),
        _ if head.refusal.is_some() => (EntryOutcome::Warn, None),
        _ => (EntryOutcome::Sent, None),
    };
    EntrySummary {
        kind: head.kind.map_or("?", FrameKind::name),
        peer: Some(&frame.peer),
        outcome: standing,
        clause,
        topic: head.topic.as_ref(),
        schema: head.schema_id,
        msg_id: head.msg_id,
        sub: head.sub,
        session: head.session.filter(|session| *session != STATION),
        ..EntrySummary::default()
    }
}

/// What a transition of the bus tells of.
pub(super) fn summary(transition: &T) -> EntrySummary<'_> {
    let of = |kind| EntrySummary { kind, session: transition.session(), ..EntrySummary::default() };
    match transition {
        T::Listening { .. } => of("listening"),
        T::NotListening => EntrySummary { outcome: EntryOutcome::Bad, ..of("not_listening") },
        T::Connected { peer, .. } => EntrySummary { peer: Some(peer), ..of("connected") },
        T::Greeted { client, .. } => EntrySummary { client: Some(client), ..of("greeted") },
        T::Disconnected { cause, .. } => {
            let (standing, clause) = match cause {
                CloseCause::PeerClosed | CloseCause::Shutdown => (EntryOutcome::Plain, None),
                CloseCause::Refused(refusal) => (EntryOutcome::Bad, Some(Breach::Bus(*refusal).clause())),
                CloseCause::HelloTimeout => (EntryOutcome::Warn, Some(Breach::BusHelloTimeout.clause())),
                _ => (EntryOutcome::Warn, None),
            };
            EntrySummary { outcome: standing, clause, ..of("disconnected") }
        }
        T::Subscribed { sub, topic, .. } => {
            EntrySummary { sub: Some(*sub), topic: Some(topic), ..of("subscribed") }
        }
        T::Unsubscribed { sub, .. } => EntrySummary { sub: Some(*sub), ..of("unsubscribed") },
        T::Dropped { topic, to, msg_id, .. } => {
            let sub = to.map(|(_, sub)| sub);
            EntrySummary {
                topic: Some(topic),
                msg_id: Some(*msg_id),
                sub,
                outcome: EntryOutcome::Warn,
                ..of("dropped")
            }
        }
        T::QueueStats { sub, .. } => EntrySummary { sub: Some(*sub), ..of("gauged") },
        T::SessionStats { .. } => of("counted"),
        T::DedupeStats { .. } => of("remembered"),
        T::ClockJumped { .. } => EntrySummary { outcome: EntryOutcome::Warn, ..of("clock_jumped") },
    }
}

/// What a frame says, in one line. A refused one says what is wrong with it.
pub(super) fn frame_line(frame: &Frame, head: &Head) -> Cow<'static, str> {
    if let AnyVerdict::Rmp(Verdict::Refused(refusal)) = &frame.verdict {
        return Breach::Bus(*refusal).text().into();
    }
    let mut words = String::new();
    let mut say = |word: &str| {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    };
    if let Some(topic) = &head.topic {
        say(topic.as_str());
    }
    if let Some(schema) = head.schema_id {
        let name = schema_name(schema);
        say(name.strip_prefix("CT_").unwrap_or(&name));
    }
    match (head.kind, head.sub) {
        (Some(FrameKind::Welcome | FrameKind::Hello), _) | (_, None) => {}
        (_, Some(sub)) => say(&format!("for sub {sub}")),
    }
    if let Some(msg_id) = head.msg_id {
        say(&format!("#{msg_id}"));
    }
    if let Some(refusal) = head.refusal {
        say(refusal.name());
    }
    if let AnyVerdict::Rmp(Verdict::Published { subscribers, dropped }) = &frame.verdict {
        // Writing to memory cannot fail.
        let _ = match dropped {
            0 => write!(words, ": to {subscribers}"),
            dropped => write!(words, ": to {subscribers}, {dropped} dropped"),
        };
    }
    if words.is_empty() {
        words = frame.peer.to_string();
    }
    words.into()
}

/// What happened, in one line.
pub(super) fn line(transition: &T) -> Cow<'static, str> {
    match transition {
        T::Listening { path } => format!("on {path}").into(),
        T::NotListening => "peers cannot connect".into(),
        T::Connected { session, peer } => format!("session {session}: {peer}").into(),
        T::Greeted { session, client, kind, dialect } => {
            format!("{client}: {}, session {session} ({})", kind.name(), dialect.protocol()).into()
        }
        T::Disconnected { session, cause } => format!("session {session}: {}", cause.code()).into(),
        T::Subscribed { session, sub, topic } => format!("{topic}: sub {sub} of session {session}").into(),
        T::Unsubscribed { session, sub } => format!("sub {sub} of session {session}").into(),
        T::Dropped { reason, topic, to, count, .. } => {
            let word = drop_word(*reason).replace('_', " ");
            match to {
                Some((session, sub)) => {
                    format!("{count} {word} on {topic} for sub {sub} of session {session}").into()
                }
                None => format!("{count} {word} on {topic}").into(),
            }
        }
        T::QueueStats { session, sub, gauge } => format!(
            "sub {sub} of session {session}: {} queued, {} delivered",
            gauge.queued_messages, gauge.delivered
        )
        .into(),
        T::SessionStats { session, published, refused } => {
            format!("session {session}: {published} published, {refused} refused").into()
        }
        T::DedupeStats { keys, evicted_young, lost_evicted_young, topics } => {
            let count = format::count;
            let young = count(evicted_young.saturating_add(*lost_evicted_young));
            format!(
                "{}, {young} evicted early, {}",
                format::many(*keys, "key"),
                format::many(*topics, "topic")
            )
            .into()
        }
        T::ClockJumped { by_ms } => format!("by {by_ms} ms; TTLs unaffected").into(),
    }
}
