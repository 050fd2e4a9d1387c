//! Details of sessions in words: a session, how a proposal or a participant stands, what somebody said, a
//! record of its log.

use super::entries;
use std::sync::Arc;

use crate::{
    console::{
        copy::quoted,
        draw::format,
        model::{
            Model, ReportLine,
            sessions::{
                PositionRow, SessionLine, StatementKind, StatementRow, awaited_participants, resolution_text,
                tally_text,
            },
        },
        overlays::detail::{at, detail, join_some, payload},
        records::{
            entry_query::EntryQuery,
            record_key::RecordKey,
            row::{DetailsRecord, PaneRecord},
        },
        settings::view::View,
        systems::sessions::{
            keys::{POSITION, SESSION, SESSION_RECORD, STATEMENT, STORED_SESSION},
            session_of, session_status,
        },
    },
    ids::TraceId,
    macp::{Ending, Progress, SessionRef, SessionView, Tally},
    port::SessionRow,
    time::Wall,
};

/// Participants that are named one by one.
const LISTED_MAX: usize = 24;

/// A session.
#[derive(Debug)]
pub(crate) struct SessionDetails(pub(crate) SessionRef);

impl DetailsRecord for SessionDetails {
    fn key(&self) -> RecordKey {
        SESSION.of(self.0.clone())
    }

    fn title(&self, _model: &Model) -> String {
        format!("Session {}", self.0.id)
    }

    fn lines(&self, view: &View, model: &Model) -> Vec<ReportLine> {
        session_details(view, model, &self.0)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_session(self.0.clone(), None))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

impl DetailsRecord for SessionRow {
    fn key(&self) -> RecordKey {
        STORED_SESSION.of(session_of(self))
    }

    fn title(&self, _model: &Model) -> String {
        format!("Session {}", self.session)
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        stored_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_session(session_of(self), None))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

impl DetailsRecord for PositionRow {
    fn key(&self) -> RecordKey {
        POSITION.of((self.session.clone(), Arc::clone(&self.subject)))
    }

    fn title(&self, _model: &Model) -> String {
        format!("{} of {}", self.subject, self.session.id)
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        position_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_session(self.session.clone(), self.at))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

impl DetailsRecord for StatementRow {
    fn key(&self) -> RecordKey {
        STATEMENT.of((self.session.clone(), self.kind, self.index, Arc::clone(&self.by)))
    }

    fn title(&self, _model: &Model) -> String {
        format!("{} {}", self.by, self.kind.name())
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        statement_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_session(self.session.clone(), self.at))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

impl DetailsRecord for SessionLine {
    fn key(&self) -> RecordKey {
        SESSION_RECORD.of((self.session.clone(), self.number))
    }

    fn title(&self, _model: &Model) -> String {
        format!("Record {} of {}", self.number, self.session.id)
    }

    fn lines(&self, view: &View, _model: &Model) -> Vec<ReportLine> {
        record_details(view, self)
    }

    fn row<'a>(&'a self, _model: &'a Model) -> Option<Box<dyn PaneRecord + 'a>> {
        Some(Box::new(self))
    }

    fn entry(&self) -> Option<EntryQuery> {
        Some(entries::of_session(self.session.clone(), Some(self.at)))
    }

    fn trace(&self) -> Option<TraceId> {
        None
    }
}

fn show(session: &str) -> ReportLine {
    ReportLine::Command(format!("session show {}", quoted(session)).into())
}

/// How a session stands, who takes part, and what it came to.
fn session_details(view: &View, model: &Model, session: &SessionRef) -> Vec<ReportLine> {
    let Some(it) = model.macp().and_then(|macp| macp.sessions.get(&session.number)) else {
        return vec![
            detail("", "no longer listed: it ended, and so did others since (limits.macp.shown_max)"),
            show(&session.id),
        ];
    };
    let how = if it.end.is_some() {
        session_status(it)
    } else {
        format!("{}, {}", it.state().name(), session_status(it))
    };
    let mut facts = vec![detail("state", how)];
    if let Some(end) = &it.end {
        let name = if end.ending == Ending::Resolved { "resolution" } else { "why" };
        let words =
            if end.ending == Ending::Resolved { resolution_text(&end.text) } else { end.text.to_string() };
        facts.extend((!words.is_empty()).then(|| payload(name, &words)));
        facts.push(detail("ended", at(view, end.at.wall)));
        if end.evicted {
            facts.push(detail("", "only in the store; messages to it are answered from there"));
        }
    } else {
        let left = format::age(it.expires_at.since(view.now.wall));
        facts.push(detail("expires", format!("in {left}, at {}", at(view, it.expires_at))));
    }
    facts.extend((!it.intent.is_empty()).then(|| payload("intent", &it.intent)));
    facts.push(detail("mode", it.mode.name()));
    facts.push(detail("started", format!("{} by {}", at(view, it.started_at.wall), it.by)));
    facts.extend(participant_details(it));
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
                .map(|(name, tally)| detail(name, tally_text(tally))),
        );
        if decision.more_proposals > 0 {
            facts.push(detail(
                "",
                format!(
                    "{} more are not listed (limits.macp.shown_proposals_max)",
                    format::count(decision.more_proposals)
                ),
            ));
        }
    }
    facts.push(detail(
        "messages",
        match it.messages {
            0 => "none besides its start".to_owned(),
            messages => format!("{}, the last at {}", format::count(messages), at(view, it.last_at.wall)),
        },
    ));
    let none = || "none: its context has no UUID as trace_id".to_owned();
    facts.push(detail("trace", it.trace.map_or_else(none, |trace| trace.to_string())));
    facts.push(show(&session.id));
    facts
}

fn participant_details(it: &SessionView) -> Vec<ReportLine> {
    let mut facts = Vec::new();
    facts.push(match it.allowed {
        0 => detail("allowed", "open to anyone"),
        allowed if allowed > it.participants.len() as u64 => detail(
            "allowed",
            format!("{} of them: {}", format::count(allowed), join_some(it.participants.iter(), LISTED_MAX)),
        ),
        _ => detail("allowed", join_some(it.participants.iter(), LISTED_MAX)),
    });
    let waited = join_some(awaited_participants(it), LISTED_MAX);
    if it.end.is_none() && !waited.is_empty() {
        facts.push(detail("waiting for", waited));
    }
    let others = join_some(it.senders.keys().filter(|who| !it.participants.contains(who)), LISTED_MAX);
    facts.extend((!others.is_empty() && it.allowed == 0).then(|| detail("senders", others)));
    if it.more_senders > 0 {
        let more = format::many(it.more_senders, "message");
        facts.push(detail(
            "",
            format!("{more} of senders who are not listed (limits.macp.shown_senders_max)"),
        ));
    }
    facts
}

/// A session as the store has it.
fn stored_details(view: &View, row: &SessionRow) -> Vec<ReportLine> {
    let mut facts = vec![detail("state", row.ending.map_or(row.state.name(), Ending::name))];
    facts.extend(row.why.as_deref().map(|why| payload("why", why)));
    facts.extend((!row.intent.is_empty()).then(|| payload("intent", &row.intent)));
    facts.push(detail("mode", row.mode_name.clone()));
    facts.extend(row.phase.map(|phase| detail("phase", phase.name())));
    facts.extend(row.round.map(|round| detail("round", format::count(round))));
    facts.push(detail("started", format!("{} by {}", at(view, row.started_at_ms), row.by)));
    let took =
        |ended: Wall| format!("{}, after {}", at(view, ended), format::age(ended.since(row.started_at_ms)));
    facts.extend(row.ended_at_ms.map(|ended| detail("ended", took(ended))));
    facts.push(detail("messages", format::count(row.messages)));
    facts.extend(row.trace_id.map(|trace| detail("trace", trace.to_string())));
    facts.push(show(&row.session));
    facts
}

/// A proposal, or a participant.
fn position_details(view: &View, it: &PositionRow) -> Vec<ReportLine> {
    let mut facts =
        vec![it.value.as_deref().map_or_else(|| detail("says", "nothing yet"), |says| payload("says", says))];
    facts.extend(it.by.as_deref().map(|by| detail("by", by)));
    facts.extend(it.round.map(|round| detail("round", format::count(round))));
    facts.extend(it.equal.map(|equal| detail("equal", format!("{} hold this value", format::count(equal)))));
    let tallies = [("votes", &it.votes), ("evaluations", &it.evaluations), ("objections", &it.objections)];
    facts.extend(
        tallies
            .into_iter()
            .filter(|(_, tally)| tally.total() > 0)
            .map(|(name, tally)| detail(name, tally_text(tally))),
    );
    facts.extend(it.at.map(|wall| detail("at", at(view, wall))));
    facts.push(detail("session", it.session.id.to_string()));
    facts
}

/// What somebody said.
fn statement_details(view: &View, it: &StatementRow) -> Vec<ReportLine> {
    let mut facts = vec![detail("by", it.by.to_string()), detail(it.kind.name(), it.text())];
    facts.extend(it.of.as_deref().map(|of| detail("proposal", of)));
    let why = if it.kind == StatementKind::Contributes { "value" } else { "why" };
    facts.extend((!it.why.is_empty()).then(|| payload(why, &it.why)));
    facts.extend(it.at.map(|wall| detail("at", at(view, wall))));
    facts.push(detail("session", it.session.id.to_string()));
    facts
}

/// A record of a log.
fn record_details(view: &View, it: &SessionLine) -> Vec<ReportLine> {
    let mut facts = vec![detail("at", at(view, it.at)), detail("kind", it.kind.name())];
    let texts = [("type", &it.message_type), ("id", &it.message_id), ("sender", &it.sender)];
    facts.extend(texts.into_iter().filter_map(|(name, text)| Some(detail(name, text.as_deref()?))));
    facts.extend((!it.text.is_empty()).then(|| payload("says", &it.text)));
    facts.extend(it.payload.as_deref().map(|text| payload("payload", text)));
    facts.push(detail("session", it.session.id.to_string()));
    facts.push(ReportLine::Command(format!("session show {} --log", quoted(&it.session.id)).into()));
    facts
}
