//! The question before a session is cancelled: what hangs on it, as far as the station knows.

use crate::{
    console::{
        draw::{format, theme::Role},
        model::Model,
        overlays::{Answer, Answers, Confirm, DEFAULT_REASON, detail::join_some},
        records::ManualPlace,
        settings::view::View,
        systems::sessions::{history::ended, session_status},
        ui::{
            effect::{Effect, OutcomeText},
            state::Ui,
        },
    },
    ids::TraceId,
    macp,
    macp::{ClientView, SessionRef, SessionState, SessionView},
    port::{Command, Outcome},
    time::Now,
    words::counted,
};

/// Participants and runs that are named one by one.
const LISTED_MAX: usize = 6;

/// End this session before its time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CancelSession {
    pub(crate) session: SessionRef,
}

impl Confirm for CancelSession {
    fn title(&self) -> String {
        format!("Cancel {}?", self.session.id)
    }

    fn describe(&self, _refund: bool, model: &Model, view: &View) -> Vec<(String, Role)> {
        describe_cancel(model, &self.session, view.now)
    }

    fn manual_place(&self) -> ManualPlace {
        ManualPlace::at("sessions", ["Look and cancel", "rl-console session cancel"])
    }

    fn answers(&self) -> Answers {
        Answers::Reason("cancel session")
    }

    fn commit(&self, answer: Answer<'_>, ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String> {
        let id = self.session.id.to_string();
        if let Some(how) = ended(ui, model, &self.session) {
            return Err(format!("not cancelled: {id} has already ended ({how})"));
        }
        let reason = answer.reason.unwrap_or(DEFAULT_REASON).to_owned();
        let command = Command::Macp(macp::Command::Cancel { session: id, reason });
        Ok(vec![Effect::command(command, self.clone())])
    }
}

impl OutcomeText for CancelSession {
    fn text(&self, outcome: &Outcome) -> Option<(String, bool)> {
        let Outcome::Macp(macp::Outcome::Cancelled { state }) = outcome else { return None };
        let id = &self.session.id;
        Some(match state {
            SessionState::Resolved => (format!("not cancelled: {id} was already resolved"), true),
            SessionState::Expired => (format!("{id} cancelled; the reason is in its log"), false),
            SessionState::Open => (format!("{id} stays open"), true),
        })
    }
}

/// What hangs on a session.
fn describe_cancel(model: &Model, session: &SessionRef, now: Now) -> Vec<(String, Role)> {
    let macp = model.macp();
    let Some(view) = macp.and_then(|macp| macp.sessions.get(&session.number)) else {
        return vec![(
            format!("{} ends now and is marked expired; no further messages are accepted.", session.id),
            Role::Text,
        )];
    };
    if let Some(end) = &view.end {
        return vec![(
            format!("{} has already ended ({}): there is nothing to cancel.", session.id, end.ending.name()),
            Role::Warn,
        )];
    }
    let left = format::age(view.expires_at.since(now.wall));
    let mut words = vec![(
        format!(
            "{} ({}) ends now and is marked expired; its TTL would expire in {left}.",
            session.id,
            session_status(view)
        ),
        Role::Text,
    )];
    words.push((participants_text(view), Role::Warn));
    let clients = macp.into_iter().flat_map(|macp| &macp.clients);
    let connected: Vec<&str> =
        clients.map(|ClientView { client, .. }| &**client).filter(|client| is_of(view, client)).collect();
    if !connected.is_empty() {
        words.push((
            format!(
                "Connected participants: {}. They learn of it from the reply to their next message.",
                join_some(connected, LISTED_MAX)
            ),
            Role::Muted,
        ));
    }
    if view.streams > 0 {
        words.push((
            format!(
                "{} that carried its messages stay open; further messages to it are refused.",
                counted(view.streams, "stream")
            ),
            Role::Warn,
        ));
    }
    if let Some(trace) = view.trace {
        words.extend(describe_trace(model, session, trace));
    }
    words
}

/// What goes on beside the session that belongs to its trace.
fn describe_trace(model: &Model, session: &SessionRef, trace: TraceId) -> Vec<(String, Role)> {
    let mut words = Vec::new();
    let runs = model
        .runs()
        .into_iter()
        .flat_map(|runs| &runs.runs)
        .filter(|run| run.run == trace && !run.state.is_end());
    let runs: Vec<String> = runs.map(|run| format!("{} {}", run.name, run.run.short())).collect();
    let given = model
        .mpp()
        .map_or(0, |mpp| mpp.live.values().filter(|live| live.trace == Some(trace)).count() as u64);
    let others = model.macp().into_iter().flat_map(|macp| macp.sessions.values());
    let others = others
        .filter(|other| other.end.is_none() && other.trace == Some(trace) && other.session != *session)
        .count();
    if !runs.is_empty() {
        words.push((
            format!("An open run may be waiting for it: {}.", join_some(&runs, LISTED_MAX)),
            Role::Warn,
        ));
    }
    if given > 0 {
        words.push((
            format!("Unaffected: {} in flight of its trace.", format::many(given, "invocation")),
            Role::Warn,
        ));
    }
    if others > 0 {
        words.push((format!("Unaffected: {} of its trace.", counted(others, "other session")), Role::Warn));
    }
    if runs.is_empty() && given == 0 && others == 0 {
        words.push((format!("Nothing else of trace {} is open.", trace.short()), Role::Muted));
    }
    words
}

fn is_of(view: &SessionView, client: &str) -> bool {
    view.participants.iter().any(|who| **who == *client) || view.senders.contains_key(client)
}

/// Who takes part, and what is lost of it.
fn participants_text(view: &SessionView) -> String {
    let (there, verb) =
        (view.participants_in(), if view.phase().is_some() { "voted" } else { "contributed" });
    let of = if view.allowed > 0 {
        format!("{there} of {}", format::count(view.allowed))
    } else {
        format::count(there)
    };
    let messages = format::many(view.messages, "message");
    match view.senders.len() {
        0 => "It has no messages yet.".to_owned(),
        _ => format!("{of} have {verb}. Its {messages} stay in the log and decide nothing."),
    }
}
