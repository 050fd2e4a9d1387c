//! Sessions: cancelling one, with a reason.

use super::{
    acting::{ask, inspect},
    dispatch::say,
};
use crate::{
    console::{
        action::{Asked, Effect},
        followed::session_of,
        model::Model,
        overlays::{Bound, Overlay, REASON, Subject},
        pane_id::PaneId,
        panes::{self, Row},
        selection::Selection,
        ui::{Focus, Ui},
    },
    macp::{self, SessionRef, SessionState},
    port::Command,
};

/// Whether the keys go to a pane of sessions.
pub(super) fn is_among_sessions(ui: &Ui) -> bool {
    let panes =
        [PaneId::Sessions, PaneId::Standings, PaneId::Voices, PaneId::SessionLog, PaneId::SessionHistory];
    matches!((ui.overlays.last(), ui.focus), (None, Focus::Pane(pane)) if panes.contains(&pane))
}

/// The session that open details tell of.
fn session_told(ui: &Ui) -> Option<SessionRef> {
    let Some(Overlay::Facts(facts)) = ui.overlays.last() else { return None };
    match &facts.subject {
        Subject::Session(session) => Some(session.clone()),
        Subject::StoredSession(row) => Some(panes::session_of(row)),
        Subject::Stand(stand) => Some(stand.session.clone()),
        Subject::Voice(voice) => Some(voice.session.clone()),
        Subject::SessionLine(line) => Some(line.session.clone()),
        _ => None,
    }
}

/// Whether the keys go to what tells of a session: a pane, or details.
pub(crate) fn tells_of_session(ui: &Ui) -> bool {
    is_among_sessions(ui) || session_told(ui).is_some()
}

/// The session that the keys would cancel: the selected one, or the one that a pane or open details tell of.
fn session_at_hand(ui: &Ui, model: &Model) -> Option<SessionRef> {
    if !ui.overlays.is_empty() {
        return session_told(ui);
    }
    let Focus::Pane(list @ (PaneId::Sessions | PaneId::SessionHistory)) = ui.focus else {
        return ui.session_shown(model);
    };
    session_of(&ui.selected(list, model)?).cloned()
}

/// Opens the selected row of a pane of sessions.
pub(super) fn open(ui: &mut Ui, model: &Model, pane: PaneId) -> Vec<Effect> {
    let subject = subject(ui, model, pane);
    inspect(ui, subject)
}

fn subject(ui: &Ui, model: &Model, pane: PaneId) -> Option<Subject> {
    let row = panes::rows(pane, ui, model).into_row(ui.selection(pane).map_or(0, Selection::index))?;
    Some(match row {
        Row::Session(view) => Subject::Session(view.session.clone()),
        Row::StoredSession(row) => Subject::StoredSession(Box::new(row.clone())),
        Row::Stand(stand) => Subject::Stand(Box::new(stand)),
        Row::Voice(voice) => Subject::Voice(Box::new(voice)),
        Row::SessionLine(line) => Subject::SessionLine(Box::new(line.clone())),
        _ => return None,
    })
}

/// How a session ended, in a word, if it is known to have.
fn ended(ui: &Ui, model: &Model, session: &SessionRef) -> Option<&'static str> {
    if let Some(view) = model.macp().and_then(|macp| macp.sessions.get(&session.number)) {
        return view.end.as_ref().map(|end| end.ending.name());
    }
    let row = ui.pages.session_history.rows().iter().find(|row| row.number == session.number);
    row.filter(|row| row.state != SessionState::Open)
        .map(|row| row.ending.map_or(row.state.name(), macp::Ending::name))
}

/// Why no session would be cancelled.
pub(super) fn cancel_hindrance(ui: &Ui, model: &Model) -> Option<String> {
    let Some(session) = session_at_hand(ui, model) else { return Some("no session is selected".to_owned()) };
    ended(ui, model, &session).map(|how| format!("{} has ended: it is {how}", session.id))
}

/// Asks whether the session is to be cancelled, and why.
pub(super) fn cancel(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let bound = session_at_hand(ui, model).map(|session| Bound::CancelSession { session });
    ask(ui, bound)
}

/// Lets the reason be written.
pub(super) fn write(ui: &mut Ui) -> Vec<Effect> {
    if let Some(Overlay::Dialog(dialog)) = ui.overlays.last_mut() {
        dialog.write();
    }
    Vec::new()
}

/// Cancels, if the session is still open.
pub(super) fn confirm_cancel(
    ui: &mut Ui,
    model: &Model,
    session: &SessionRef,
    reason: Option<&str>,
) -> Vec<Effect> {
    if let Some(how) = ended(ui, model, session) {
        say(
            ui,
            format!("{} has ended meanwhile, it is {how}: nothing was cancelled", session.id),
            true,
            ui.at,
        );
        return Vec::new();
    }
    let (id, reason) = (session.id.to_string(), reason.unwrap_or(REASON).to_owned());
    let command = Command::Macp(macp::Command::Cancel { session: id.clone(), reason });
    vec![Effect::Command { asked: Asked::CancelSession { id }, command }]
}

/// What came of it.
pub(super) fn cancelled(id: &str, state: SessionState) -> (String, bool) {
    match state {
        SessionState::Resolved => (format!("{id} was resolved before: nothing was cancelled"), true),
        SessionState::Expired => (format!("{id} is cancelled; the reason is in its log"), false),
        SessionState::Open => (format!("{id} is open as before"), true),
    }
}
