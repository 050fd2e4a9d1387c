//! What of sessions no snapshot has: what they took lately, line by line, as their logs have it.

use std::{collections::VecDeque, sync::Arc};

use serde_json::Value as Json;

use super::journal;
use crate::{
    console::model::{
        Model, Numbered,
        runs::history::contiguous_tail,
        station::StationState,
        systems::{Folding, Resync, SystemModel},
    },
    ids::Seq,
    limits, macp,
    macp::{Effect, Ending, SessionRef, Transition, envelope::SESSION_START},
    port::{LogKind, SessionLogRow},
    tap::{
        EntryRef,
        entry::{Direction, Frame, Head, Transition as Any, What, station::Level},
    },
    time::Wall,
    words::counted,
};

/// Characters of a line that are shown in a table.
const CHARS_MAX: usize = 512;

impl Model {
    /// The sessions, once there is a snapshot.
    pub(crate) fn macp(&self) -> Option<&macp::Snapshot> {
        self.station_state.as_ref().map(|state| &state.macp)
    }

    /// What a session took last and this console heard, up to the last that it took: empty where the last was
    /// not heard, so that what is shown is to be had from the store.
    pub(crate) fn recent_session_records(&self, session: u64) -> impl Iterator<Item = &SessionLine> {
        let view = self.macp().and_then(|macp| macp.sessions.get(&session));
        self.sessions.of(session, view.map_or(0, |view| records(view.messages, view.end.is_some())))
    }
}

/// A record of a session's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SessionLine {
    pub(crate) session: SessionRef,
    /// Its place in the log, from 1 on.
    pub(crate) number: u64,
    pub(crate) at: Wall,
    pub(crate) kind: LogKind,
    /// The message's type.
    pub(crate) message_type: Option<Arc<str>>,
    /// The message's id.
    pub(crate) message_id: Option<Arc<str>>,
    pub(crate) sender: Option<Arc<str>>,
    /// What it says, in a line.
    pub(crate) text: Arc<str>,
    /// All that it carries, where it came from the store.
    pub(crate) payload: Option<Arc<str>>,
}

impl SessionLine {
    /// A record as the store has it.
    pub(crate) fn of(session: &SessionRef, row: SessionLogRow) -> Self {
        let payload: Json = serde_json::from_str(row.payload.as_str()).unwrap_or_default();
        let message_type = row.message_type.as_deref().unwrap_or_default();
        let words: String =
            describe_record(row.kind, message_type, &payload).chars().take(CHARS_MAX).collect();
        Self {
            session: session.clone(),
            number: row.number,
            at: row.at_ms,
            kind: row.kind,
            message_type: row.message_type.map(Arc::from),
            message_id: row.message_id.map(Arc::from),
            sender: row.sender.map(Arc::from),
            text: words.into(),
            payload: Some(row.payload.as_str().into()),
        }
    }

    /// What it is, in a word: a message's type, or what became of the session.
    pub(crate) fn kind_text(&self) -> &str {
        match self.kind {
            LogKind::Incoming => self.message_type.as_deref().unwrap_or("?"),
            LogKind::TtlExpired => "EXPIRED",
            LogKind::SessionCancel => "CANCELLED",
            LogKind::Resolution => "RESOLVED",
        }
    }
}

impl Numbered for SessionLine {
    fn number(&self) -> u64 {
        self.number
    }
}

/// What a record says, in a line.
fn describe_record(kind: LogKind, message_type: &str, payload: &Json) -> String {
    let text = |name: &str| payload.get(name).and_then(Json::as_str).unwrap_or_default();
    let of = |what: &str, why: &str| statement_text(text("proposal_id"), what, why);
    match (kind, message_type) {
        (LogKind::SessionCancel, _) => text("reason").to_owned(),
        (LogKind::TtlExpired, _) => String::new(),
        (LogKind::Resolution, _) => resolution_text(&payload.to_string()),
        (LogKind::Incoming, SESSION_START) => {
            let participants = payload.get("participants").and_then(Json::as_array).map_or(0, Vec::len);
            started_text(text("intent"), participants as u64)
        }
        (LogKind::Incoming, "Proposal") => of(text("option"), text("rationale")),
        (LogKind::Incoming, "Evaluation") => {
            let confidence = payload.get("confidence").and_then(Json::as_f64).unwrap_or_default();
            of(&format!("{} {confidence}", text("recommendation")), text("reason"))
        }
        (LogKind::Incoming, "Objection") => of(text("severity"), text("reason")),
        (LogKind::Incoming, "Vote") => of(text("vote"), text("reason")),
        (LogKind::Incoming, "Commitment") => text("action").to_owned(),
        (LogKind::Incoming, "Contribute") => text("value").to_owned(),
        (LogKind::Incoming, _) => match payload.get("$text").and_then(Json::as_str) {
            Some(text) => text.to_owned(),
            None => payload.to_string(),
        },
    }
}

/// What a session resolved with, in a line: of a commitment its action, of rounds the value that all came to.
pub(crate) fn resolution_text(resolution: &str) -> String {
    let Ok(read) = serde_json::from_str::<Json>(resolution) else { return resolution.to_owned() };
    let text = |name: &str| read.get(name).and_then(Json::as_str).filter(|text| !text.is_empty());
    let found = text("action").or_else(|| text("converged_value")).or_else(|| text("$text"));
    found.map_or_else(|| resolution.to_owned(), str::to_owned)
}

fn started_text(intent: &str, participants: u64) -> String {
    let who =
        if participants == 0 { "open to anyone".to_owned() } else { counted(participants, "participant") };
    if intent.is_empty() { who } else { format!("{intent} ({who})") }
}

/// `p1: approve, it looks good`.
fn statement_text(of: &str, what: &str, why: &str) -> String {
    let between = if of.is_empty() || what.is_empty() { "" } else { ": " };
    let before = if why.is_empty() { "" } else { ", " };
    format!("{of}{between}{what}{before}{why}")
}

/// The type of the message that has an effect, where the message itself was not seen.
const fn type_of(effect: &Effect) -> &'static str {
    match effect {
        Effect::Proposed { .. } => "Proposal",
        Effect::Evaluated { .. } => "Evaluation",
        Effect::Objected { .. } => "Objection",
        Effect::Voted { .. } => "Vote",
        Effect::Committed => "Commitment",
        Effect::Contributed { .. } => "Contribute",
        Effect::Nothing | Effect::LegacyResolved => "Message",
    }
}

/// What an effect says, in a line.
fn describe_effect(effect: &Effect, text: &str) -> String {
    match effect {
        Effect::Proposed { proposal } => statement_text(proposal, text, ""),
        Effect::Evaluated { proposal, recommendation, confidence } => {
            statement_text(proposal, &format!("{recommendation} {confidence}"), text)
        }
        Effect::Objected { proposal, severity } => statement_text(proposal, severity, text),
        Effect::Voted { proposal, vote } => statement_text(proposal, vote, text),
        Effect::Nothing | Effect::Committed | Effect::LegacyResolved | Effect::Contributed { .. } => {
            text.to_owned()
        }
    }
}

/// A message that came: its place in the tap, its type and its id.
#[derive(Clone, Debug)]
struct ReceivedMessage {
    seq: Seq,
    message_type: Option<Arc<str>>,
    message_id: Option<Arc<str>>,
}

/// What sessions took lately.
#[derive(Clone, Debug)]
pub(crate) struct SessionHistory {
    lines: VecDeque<Arc<SessionLine>>,
    lines_max: usize,
    /// The last message that came: what it did follows it.
    last_received: Option<ReceivedMessage>,
    limits: limits::Macp,
}

impl SessionHistory {
    /// Takes what an entry says. `after` are the sessions with that entry in them.
    fn record(&mut self, entry: EntryRef<'_>, after: &macp::Snapshot) {
        match &entry.entry.what {
            What::Frame(Frame { direction: Direction::Inbound, head: Head::Macp(head), .. }) => {
                let (message_type, message_id) = (head.message_type.clone(), head.message_id.clone());
                self.last_received = Some(ReceivedMessage { seq: entry.entry.seq, message_type, message_id });
            }
            What::Transition(Any::Macp(transition)) => {
                let view = transition.session().and_then(|session| after.sessions.get(&session.number));
                // Without it nobody knows which record it is.
                let Some(view) = view else { return };
                if let Some(line) = self.line(entry, transition, view) {
                    self.lines.push_back(Arc::new(line));
                    if self.lines.len() > self.lines_max {
                        self.lines.pop_front();
                    }
                }
            }
            _ => {}
        }
    }

    fn line(
        &self,
        entry: EntryRef<'_>,
        transition: &Transition,
        view: &macp::SessionView,
    ) -> Option<SessionLine> {
        let heard = self.last_received.as_ref().filter(|heard| entry.entry.cause == Some(heard.seq));
        let text = entry.text();
        let of = |number, kind, sender: Option<&Arc<str>>, message_type: Option<&str>, words: String| {
            SessionLine {
                session: view.session.clone(),
                number,
                at: entry.entry.at.wall,
                kind,
                message_type: message_type.map(|known| {
                    heard.and_then(|heard| heard.message_type.clone()).unwrap_or_else(|| known.into())
                }),
                message_id: message_type.and_then(|_| heard?.message_id.clone()),
                sender: sender.cloned(),
                text: words.into(),
                payload: None,
            }
        };
        match transition {
            Transition::Opened { by, participants, intent, .. } => {
                let words = started_text(intent, *participants);
                Some(of(1, LogKind::Incoming, Some(by), Some(SESSION_START), words))
            }
            Transition::Accepted { by, effect, .. } => {
                let words = describe_effect(effect, &text);
                Some(of(view.messages + 1, LogKind::Incoming, Some(by), Some(type_of(effect)), words))
            }
            Transition::Ended { ending, .. } => {
                let (kind, words) = match ending {
                    Ending::Resolved => (LogKind::Resolution, resolution_text(&text)),
                    Ending::Cancelled => (LogKind::SessionCancel, text.to_string()),
                    Ending::TtlExpired | Ending::LogDamaged => (LogKind::TtlExpired, String::new()),
                };
                Some(of(view.messages + 2, kind, None, None, words))
            }
            Transition::Listening { .. }
            | Transition::NotListening
            | Transition::Introduced { .. }
            | Transition::TurnedAway { .. }
            | Transition::Streaming { .. }
            | Transition::Evicted { .. } => None,
        }
    }

    /// What a session took last, without a gap up to the last of so many records.
    fn of(&self, session: u64, records: u64) -> impl Iterator<Item = &SessionLine> {
        contiguous_tail(
            self.lines.iter().rev().map(|line| &**line).filter(move |line| line.session.number == session),
            records,
        )
    }
}

impl SystemModel for SessionHistory {
    const STATION_LOG: Option<Level> = None;

    fn new(limits: &limits::Limits) -> Self {
        Self {
            lines: VecDeque::new(),
            lines_max: usize::try_from(limits.console.session_lines_max).unwrap_or(usize::MAX),
            last_received: None,
            limits: limits.macp,
        }
    }

    /// What was taken before the store has.
    fn reset(&mut self) {
        (self.lines, self.last_received) = (VecDeque::new(), None);
    }

    fn resync(&mut self, _: &mut Resync<'_>) {}

    fn fold(&mut self, entry: EntryRef<'_>, cx: &mut Folding<'_>) {
        if let What::Transition(Any::Macp(transition)) = &entry.entry.what {
            cx.note(entry, journal::describe(transition, &entry.text()));
        }
        if let Some(StationState { macp, .. }) = cx.carried() {
            // What lies beside a frame is not read.
            match &entry.entry.what {
                What::Transition(_) => macp.apply(entry.entry, &entry.text(), &self.limits),
                _ => macp.apply(entry.entry, "", &self.limits),
            }
            self.record(entry, macp);
        }
    }

    fn memory_bytes(&self, state: Option<&StationState>) -> usize {
        let of_session = macp::SessionView::memory_bytes;
        let state = state.map_or(0, |state| state.macp.sessions.values().map(of_session).sum::<usize>());
        // The lines themselves are shared.
        state + self.lines.len() * size_of::<Arc<SessionLine>>()
    }
}

/// Records that a session's log has.
pub(crate) const fn records(messages: u64, has_ended: bool) -> u64 {
    messages + 1 + has_ended as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::JsonText;

    fn stored(kind: LogKind, message_type: &str, payload: &str) -> String {
        let row = SessionLogRow {
            number: 3,
            at_ms: Wall(7),
            kind,
            message_type: (kind == LogKind::Incoming).then(|| message_type.to_owned()),
            message_id: None,
            sender: None,
            timestamp_ms: None,
            payload: JsonText::parse(payload).unwrap(),
        };
        SessionLine::of(&SessionRef { number: 1, id: "s-1".into() }, row).text.to_string()
    }

    #[test]
    fn a_record_says_the_same_whether_it_was_heard_or_read_from_the_store() {
        let p1: Arc<str> = "p1".into();
        let evaluated = Effect::Evaluated {
            proposal: Arc::clone(&p1),
            recommendation: "APPROVE".into(),
            confidence: 0.95,
        };
        for (effect, text, payload) in [
            (
                Effect::Proposed { proposal: Arc::clone(&p1) },
                "Deploy",
                r#"{"proposal_id":"p1","option":"Deploy"}"#,
            ),
            (
                evaluated,
                "solid",
                r#"{"proposal_id":"p1","recommendation":"APPROVE","confidence":0.95,"reason":"solid"}"#,
            ),
            (
                Effect::Objected { proposal: Arc::clone(&p1), severity: "high".into() },
                "",
                r#"{"proposal_id":"p1","reason":"","severity":"high"}"#,
            ),
            (
                Effect::Voted { proposal: p1, vote: "approve".into() },
                "good",
                r#"{"proposal_id":"p1","vote":"approve","reason":"good"}"#,
            ),
            (Effect::Committed, "deploy-v2.1", r#"{"commitment_id":"c1","action":"deploy-v2.1"}"#),
            (Effect::Contributed { round: 3 }, "option_a", r#"{"value":"option_a"}"#),
        ] {
            assert_eq!(
                describe_effect(&effect, text),
                stored(LogKind::Incoming, type_of(&effect), payload),
                "{payload}"
            );
        }
    }

    #[test]
    fn what_is_no_payload_of_its_type_is_said_as_it_is() {
        assert_eq!(stored(LogKind::Incoming, "Message", r#"{"$text":"resolve"}"#), "resolve");
        assert_eq!(stored(LogKind::Incoming, "Ping", r#"{"a":1}"#), r#"{"a":1}"#);
        assert_eq!(stored(LogKind::Incoming, "Vote", "[1]"), "");
        assert_eq!(stored(LogKind::Resolution, "", r#"{"converged_value":"a","round":3}"#), "a");
        assert_eq!(stored(LogKind::SessionCancel, "", r#"{"reason":"late"}"#), "late");
        assert_eq!(
            stored(LogKind::Incoming, "SessionStart", r#"{"intent":"release","participants":["a","b"]}"#),
            "release (2 participants)"
        );
        assert_eq!(stored(LogKind::Incoming, "SessionStart", r#"{"participants":[]}"#), "open to anyone");
    }
}
