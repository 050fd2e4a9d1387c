//! The session that the panes beside the lists of sessions tell of: the one that was selected there last, or
//! the first there is.

use std::borrow::Cow;

use super::{
    details::SessionDetails,
    history::stored_row,
    keys::{SESSION, SESSION_RECORD, session_of},
};
use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::{
            Model,
            sessions::{PositionRow, SessionBoard, SessionLine, StatementRow, positions_of, statements_of},
        },
        overlays::show_found,
        records::{places::Place, row::DetailsRecord, selection::RowKeys as _},
        ui,
        ui::{
            effect::{Effect, OnPage},
            layout::Layout,
            places,
            state::Ui,
        },
    },
    macp::{Mode, SessionRef, SessionView},
    port::{Page, PortError, Query},
    time::Now,
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

    /// The session of this id, with its number as far as that is known here.
    pub(crate) fn session_named(&self, model: &Model, id: &str) -> SessionRef {
        let shown = self.detail_session(model).filter(|session| &*session.id == id);
        shown
            .or_else(|| Self::listed_session(model, id))
            .unwrap_or_else(|| SessionRef { number: 0, id: id.into() })
    }

    /// The session of this id among those that go on or ended a moment ago.
    pub(crate) fn listed_session(model: &Model, id: &str) -> Option<SessionRef> {
        let view = model.macp()?.sessions.values().find(|view| &*view.session.id == id)?;
        Some(view.session.clone())
    }

    /// Goes to a session that is listed.
    pub(crate) fn show_session(&mut self, model: &Model, session: SessionRef) {
        let (view, pane) = (ViewId::Sessions, PaneId::Sessions);
        let key = Some(SESSION.of(session.clone()));
        places::show(&Place { view, pane, is_zoomed: false, key }, self, model);
        self.systems.sessions.session = Some(session);
    }

    /// What the details of a session tell of.
    pub(crate) fn session_details(session: SessionRef) -> Box<dyn DetailsRecord> {
        Box::new(SessionDetails(session))
    }

    /// Goes to a record of a session's log; one that is not listed here is asked for, and read whole.
    pub(crate) fn show_session_record(
        &mut self,
        model: &Model,
        session: SessionRef,
        number: u64,
    ) -> Vec<Effect> {
        let key = SESSION_RECORD.of((session.clone(), number));
        if ui::rows(PaneId::SessionLog, self, model).row(&key).is_none() {
            let (of, after) = (session.id.to_string(), number.saturating_sub(1));
            let query = Query::SessionLog { session: of, after, limit: 1 };
            return vec![Effect::query(query, RecordOfSession { session, number })];
        }
        let (view, pane) = (ViewId::Sessions, PaneId::SessionLog);
        places::show(&Place { view, pane, is_zoomed: false, key: Some(key) }, self, model);
        Vec::new()
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

/// Who is told of a record of a log that was gone to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RecordOfSession {
    session: SessionRef,
    number: u64,
}

impl OnPage for RecordOfSession {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        let found = page.map(|page| match page {
            Page::SessionLog { rows, .. } => rows.into_iter().find(|row| row.number == self.number),
            _ => None,
        });
        let missing = || format!("record {} of this log is not stored", self.number);
        show_found(ui, found, |row| Box::new(SessionLine::of(&self.session, row)), missing, now);
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
