//! The session that the panes beside the lists of sessions tell of: the one that was selected there last, or
//! the first there is.

use std::borrow::Cow;

use super::{history::stored_row, keys::session_of};
use crate::{
    console::{
        input::pane_id::PaneId,
        model::{
            Model,
            sessions::{PositionRow, SessionBoard, StatementRow, positions_of, statements_of},
        },
        ui::{layout::Layout, state::Ui},
    },
    macp::{Mode, SessionRef, SessionView},
};

/// The lists of sessions.
pub(super) const MASTERS: &[PaneId] = &[PaneId::Sessions, PaneId::SessionHistory];

impl Ui {
    /// The session that the panes beside the lists of sessions tell of.
    pub(crate) fn detail_session(&self, model: &Model) -> Option<SessionRef> {
        self.systems
            .sessions
            .session
            .clone()
            .or_else(|| session_of(&self.selected(PaneId::Sessions, model)?).cloned())
    }

    /// How that session stands, as far as it is known here.
    pub(crate) fn detail_positions(&self, model: &Model) -> Cow<'_, [PositionRow]> {
        self.rows_of_detail_session(model, positions_of, |sheet| &sheet.positions)
    }

    /// Who said what in it, as far as it is known here.
    pub(crate) fn detail_statements(&self, model: &Model) -> Cow<'_, [StatementRow]> {
        self.rows_of_detail_session(model, statements_of, |sheet| &sheet.statements)
    }

    /// The rows of that session: made of what is shown, or taken from what the store has.
    fn rows_of_detail_session<T: Clone>(
        &self,
        model: &Model,
        shown: fn(&SessionView) -> Vec<T>,
        stored: fn(&SessionBoard) -> &[T],
    ) -> Cow<'_, [T]> {
        let Some(session) = self.detail_session(model) else { return Cow::Borrowed(&[]) };
        match model.macp().and_then(|macp| macp.sessions.get(&session.number)) {
            Some(view) => Cow::Owned(shown(view)),
            None => Cow::Borrowed(
                self.systems.sessions.pages.detail(&session).map_or(&[], |(_, sheet)| stored(sheet)),
            ),
        }
    }

    /// Its mode, as far as that is known here.
    fn detail_mode(&self, model: &Model) -> Option<Mode> {
        let session = self.detail_session(model)?;
        let view = model.macp().and_then(|macp| macp.sessions.get(&session.number));
        let row = || stored_row(self, session.number);
        view.map(|view| view.mode).or_else(|| row().map(|row| row.mode))
    }
}

/// Turns to the session that is selected.
pub(crate) fn follow(ui: &mut Ui, model: &Model, layout: &Layout) {
    let led = ui.master_selection(MASTERS, ui.systems.sessions.session.is_some(), model, layout);
    let session = led.as_ref().and_then(session_of);
    if session.is_some() && session != ui.systems.sessions.session.as_ref() {
        ui.systems.sessions.session = session.cloned();
        ui.reset_panes([PaneId::Positions, PaneId::Statements, PaneId::SessionLog]);
    }
    ui.systems.sessions.mode = ui.detail_mode(model).or(ui.systems.sessions.mode);
}
