//! Sessions: cancelling one, with a reason.

use super::history::ended;
use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        model::Model,
        systems::sessions::{confirmations::CancelSession, keys},
        ui::{
            Target,
            act::{Act, Resolved},
            pane::PaneContext,
            state::{Focus, Ui},
        },
    },
    macp::SessionRef,
};

/// What an action of sessions does; nothing where it is none of theirs.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
    Some(match action {
        Action::Cancel if is_in_session_panes(cx.ui) || details_session(cx.ui, cx.model).is_some() => {
            cancel(cx)
        }
        Action::Reason => Err("no dialog with a reason or a note is open".into()),
        _ => return None,
    })
}

/// Whether the keys go to a pane of sessions.
fn is_in_session_panes(ui: &Ui) -> bool {
    let panes =
        [PaneId::Sessions, PaneId::Positions, PaneId::Statements, PaneId::SessionLog, PaneId::SessionHistory];
    matches!(ui.focus, Focus::Pane(pane) if ui.overlays.is_empty() && panes.contains(&pane))
}

/// The session that open details tell of.
fn details_session(ui: &Ui, model: &Model) -> Option<SessionRef> {
    let Target::Record(record) = ui.target(model) else { return None };
    keys::session_of(&record.key()).cloned()
}

/// The session that the keys would cancel: the selected one, or the one that a pane or open details tell of.
fn target_session(ui: &Ui, model: &Model) -> Option<SessionRef> {
    if !ui.overlays.is_empty() {
        return details_session(ui, model);
    }
    let Focus::Pane(list @ (PaneId::Sessions | PaneId::SessionHistory)) = ui.focus else {
        return ui.detail_session(model);
    };
    keys::session_of(&ui.selected(list, model)?).cloned()
}

/// Asks whether the session is to be cancelled, and why.
fn cancel(cx: &PaneContext<'_>) -> Resolved {
    let session = target_session(cx.ui, cx.model).ok_or("no session is selected")?;
    match ended(cx.ui, cx.model, &session) {
        Some(how) => Err(format!("{} has ended ({how})", session.id).into()),
        None => Ok(Act::confirm(CancelSession { session })),
    }
}
