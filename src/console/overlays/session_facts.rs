//! Details of sessions in words: a session, how a proposal or a participant stands, what somebody said, a
//! record of its log.

use super::fact::{at, fact, payload, some};
use crate::{
    console::{
        copy::quoted,
        format,
        model::{
            Model, Sentence, SessionLine, Speech, Stand, Voice, resolution_words, tally_words, waited_for,
        },
        panes::stands,
        view::View,
    },
    macp::{Ending, Progress, SessionRef, SessionView, Tally},
    port::SessionRow,
    time::Wall,
};

/// Participants that are named one by one.
const NAMED: usize = 24;

fn show(session: &str) -> Sentence {
    Sentence::Run(format!("session show {}", quoted(session)).into())
}

/// How a session stands, who takes part, and what it came to.
pub(super) fn session_facts(view: &View, model: &Model, session: &SessionRef) -> Vec<Sentence> {
    let Some(it) = model.macp().and_then(|macp| macp.sessions.get(&session.number)) else {
        return vec![
            fact("", "it ended, and others since: it is shown no longer (limits.macp.shown_max)"),
            show(&session.id),
        ];
    };
    let how = if it.end.is_some() { stands(it) } else { format!("{}, {}", it.state().name(), stands(it)) };
    let mut facts = vec![fact("state", how)];
    if let Some(end) = &it.end {
        let name = if end.ending == Ending::Resolved { "resolution" } else { "why" };
        let words =
            if end.ending == Ending::Resolved { resolution_words(&end.text) } else { end.text.to_string() };
        facts.extend((!words.is_empty()).then(|| payload(name, &words)));
        facts.push(fact("ended", at(view, end.at.wall)));
        if end.evicted {
            facts.push(fact("", "it is in the store alone: messages to it are answered from there"));
        }
    } else {
        let left = format::age(it.expires_at.since(view.now.wall));
        facts.push(fact("expires", format!("in {left}, at {}", at(view, it.expires_at))));
    }
    facts.extend((!it.intent.is_empty()).then(|| payload("intent", &it.intent)));
    facts.push(fact("mode", it.mode.name()));
    facts.push(fact("begun", format!("{} by {}", at(view, it.started_at.wall), it.by)));
    facts.extend(taking_part(it));
    if let Progress::Decision(decision) = &it.progress {
        let mut votes = Tally::default();
        it.senders
            .values()
            .filter_map(|sender| sender.vote.as_ref())
            .for_each(|vote| votes.count(&vote.vote));
        let tallies =
            [("votes", &votes), ("evaluations", &decision.evaluations), ("objections", &decision.objections)];
        facts.extend(
            tallies
                .into_iter()
                .filter(|(_, tally)| tally.total() > 0)
                .map(|(name, tally)| fact(name, tally_words(tally))),
        );
        if decision.more_proposals > 0 {
            facts.push(fact(
                "",
                format!(
                    "{} more are not listed (limits.macp.shown_proposals_max)",
                    format::count(decision.more_proposals)
                ),
            ));
        }
    }
    facts.push(fact(
        "messages",
        match it.messages {
            0 => "none beside its start".to_owned(),
            messages => format!("{}, the last at {}", format::count(messages), at(view, it.last_at.wall)),
        },
    ));
    let none = || "none: its context has no trace_id that is a UUID".to_owned();
    facts.push(fact("trace", it.trace.map_or_else(none, |trace| trace.to_string())));
    facts.push(show(&session.id));
    facts
}

fn taking_part(it: &SessionView) -> Vec<Sentence> {
    let mut facts = Vec::new();
    facts.push(match it.allowed {
        0 => fact("may speak", "anybody"),
        allowed if allowed > it.participants.len() as u64 => fact(
            "may speak",
            format!("{} of them: {}", format::count(allowed), some(it.participants.iter(), NAMED)),
        ),
        _ => fact("may speak", some(it.participants.iter(), NAMED)),
    });
    let waited = some(waited_for(it), NAMED);
    if it.end.is_none() && !waited.is_empty() {
        facts.push(fact("waits for", waited));
    }
    let others = some(it.senders.keys().filter(|who| !it.participants.contains(who)), NAMED);
    facts.extend((!others.is_empty() && it.allowed == 0).then(|| fact("spoke", others)));
    if it.more_senders > 0 {
        let more = format::many(it.more_senders, "message");
        facts.push(fact("", format!("{more} of senders who are not listed (limits.macp.shown_senders_max)")));
    }
    facts
}

/// A session as the store has it.
pub(super) fn stored_facts(view: &View, row: &SessionRow) -> Vec<Sentence> {
    let mut facts = vec![fact("state", row.ending.map_or(row.state.name(), Ending::name))];
    facts.extend(row.why.as_deref().map(|why| payload("why", why)));
    facts.extend((!row.intent.is_empty()).then(|| payload("intent", &row.intent)));
    facts.push(fact("mode", row.mode_name.clone()));
    facts.extend(row.phase.map(|phase| fact("phase", phase.name())));
    facts.extend(row.round.map(|round| fact("round", format::count(round))));
    facts.push(fact("begun", format!("{} by {}", at(view, row.started_at_ms), row.by)));
    let took =
        |ended: Wall| format!("{}, after {}", at(view, ended), format::age(ended.since(row.started_at_ms)));
    facts.extend(row.ended_at_ms.map(|ended| fact("ended", took(ended))));
    facts.push(fact("messages", format::count(row.messages)));
    facts.extend(row.trace_id.map(|trace| fact("trace", trace.to_string())));
    facts.push(show(&row.session));
    facts
}

/// A proposal, or a participant.
pub(super) fn stand_facts(view: &View, it: &Stand) -> Vec<Sentence> {
    let mut facts =
        vec![it.says.as_deref().map_or_else(|| fact("says", "nothing so far"), |says| payload("says", says))];
    facts.extend(it.by.as_deref().map(|by| fact("by", by)));
    facts.extend(it.round.map(|round| fact("round", format::count(round))));
    facts.extend(it.equal.map(|equal| fact("equal", format!("{} hold this value", format::count(equal)))));
    let tallies = [("votes", &it.votes), ("evaluated", &it.evaluations), ("objections", &it.objections)];
    facts.extend(
        tallies
            .into_iter()
            .filter(|(_, tally)| tally.total() > 0)
            .map(|(name, tally)| fact(name, tally_words(tally))),
    );
    facts.extend(it.at.map(|wall| fact("at", at(view, wall))));
    facts.push(fact("session", it.session.id.to_string()));
    facts
}

/// What somebody said.
pub(super) fn voice_facts(view: &View, it: &Voice) -> Vec<Sentence> {
    let mut facts = vec![fact("by", it.by.to_string()), fact(it.speech.name(), it.words())];
    facts.extend(it.of.as_deref().map(|of| fact("proposal", of)));
    let why = if it.speech == Speech::Contributes { "value" } else { "why" };
    facts.extend((!it.why.is_empty()).then(|| payload(why, &it.why)));
    facts.extend(it.at.map(|wall| fact("at", at(view, wall))));
    facts.push(fact("session", it.session.id.to_string()));
    facts
}

/// A record of a log.
pub(super) fn line_facts(view: &View, it: &SessionLine) -> Vec<Sentence> {
    let mut facts = vec![fact("at", at(view, it.at)), fact("kind", it.kind.name())];
    let texts = [("type", &it.message_type), ("id", &it.message_id), ("sender", &it.sender)];
    facts.extend(texts.into_iter().filter_map(|(name, text)| Some(fact(name, text.as_deref()?))));
    facts.extend((!it.words.is_empty()).then(|| payload("says", &it.words)));
    facts.extend(it.payload.as_deref().map(|text| payload("payload", text)));
    facts.push(fact("session", it.session.id.to_string()));
    facts.push(Sentence::Run(format!("session show {} --log", quoted(&it.session.id)).into()));
    facts
}
