//! Sessions: cancelling one, with a reason.

use super::history::stored_row;
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        screen::actions::ask,
        systems::sessions::{confirmations::CancelSession, keys},
        ui::{
            Target,
            effect::Effect,
            master_detail::session_of,
            state::{Focus, Ui},
        },
    },
    macp,
    macp::{SessionRef, SessionState},
};

/// Whether the keys go to a pane of sessions.
pub(crate) fn is_in_session_panes(ui: &Ui) -> bool {
    let panes =
        [PaneId::Sessions, PaneId::Positions, PaneId::Statements, PaneId::SessionLog, PaneId::SessionHistory];
    matches!(ui.focus, Focus::Pane(pane) if ui.overlays.is_empty() && panes.contains(&pane))
}

/// The session that open details tell of.
fn details_session(ui: &Ui, model: &Model) -> Option<SessionRef> {
    let Target::Record(record) = ui.target(model) else { return None };
    keys::session_of(&record.key()).cloned()
}

/// Whether the keys go to what tells of a session: a pane, or details.
pub(crate) fn concerns_session(ui: &Ui, model: &Model) -> bool {
    is_in_session_panes(ui) || details_session(ui, model).is_some()
}

/// The session that the keys would cancel: the selected one, or the one that a pane or open details tell of.
fn target_session(ui: &Ui, model: &Model) -> Option<SessionRef> {
    if !ui.overlays.is_empty() {
        return details_session(ui, model);
    }
    let Focus::Pane(list @ (PaneId::Sessions | PaneId::SessionHistory)) = ui.focus else {
        return ui.detail_session(model);
    };
    session_of(&ui.selected(list, model)?).cloned()
}

/// How a session ended, in a word, if it is known to have.
pub(super) fn ended(ui: &Ui, model: &Model, session: &SessionRef) -> Option<&'static str> {
    if let Some(view) = model.macp().and_then(|macp| macp.sessions.get(&session.number)) {
        return view.end.as_ref().map(|end| end.ending.name());
    }
    let row = stored_row(ui, session.number);
    row.filter(|row| row.state != SessionState::Open)
        .map(|row| row.ending.map_or(row.state.name(), macp::Ending::name))
}

/// Why no session would be cancelled.
pub(crate) fn cancel_unavailable(ui: &Ui, model: &Model) -> Option<String> {
    let Some(session) = target_session(ui, model) else { return Some("no session is selected".to_owned()) };
    ended(ui, model, &session).map(|how| format!("{} has ended: it is {how}", session.id))
}

/// Asks whether the session is to be cancelled, and why.
pub(crate) fn cancel(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let bound = target_session(ui, model).map(|session| CancelSession { session });
    ask(ui, bound)
}
