//! What the panes beside a list tell of: the run or the session that was selected there last, or the first
//! there is.

use std::{borrow::Cow, time::Duration};

use super::{
    layout::Layout,
    state::{Focus, Ui},
};
use crate::{
    console::{
        input::pane_id::PaneId,
        model::{
            Model,
            sessions::{PositionRow, SessionBoard, StatementRow, positions_of, statements_of},
        },
        records::selection::{RecordKey, SelectedBy},
        systems::{
            runs::keys::{RUN, STORED_RUN},
            sessions::{
                keys::{SESSION, STORED_SESSION},
                session_row,
            },
        },
    },
    ids::TraceId,
    macp::{Mode, SessionRef, SessionView},
    time::Mono,
};

/// How long a list has the keys until the record that is selected there by itself stays selected.
const DWELL: Duration = Duration::from_secs(1);
/// The lists whose selected record other panes tell of.
const MASTER_LISTS: [PaneId; 2] = [PaneId::Runs, PaneId::Sessions];

impl Ui {
    /// The run that the panes beside the lists of runs tell of.
    pub(crate) fn detail_run(&self, model: &Model) -> Option<TraceId> {
        self.run.or_else(|| run_of(&self.selected(PaneId::Runs, model)?))
    }

    /// The session that the panes beside the lists of sessions tell of.
    pub(crate) fn detail_session(&self, model: &Model) -> Option<SessionRef> {
        self.session.clone().or_else(|| session_of(&self.selected(PaneId::Sessions, model)?).cloned())
    }

    /// How that session stands, as far as it is known here.
    pub(crate) fn detail_positions(&self, model: &Model) -> Cow<'_, [PositionRow]> {
        self.rows_of_detail_session(model, positions_of, |sheet| &sheet.positions)
    }

    /// Who said what in it, as far as it is known here.
    pub(crate) fn detail_statements(&self, model: &Model) -> Cow<'_, [StatementRow]> {
        self.rows_of_detail_session(model, statements_of, |sheet| &sheet.statements)
    }

    /// What is told of that session: made of what is shown, or taken from what the store has.
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
                self.systems.session_pages.detail(&session).map_or(&[], |(_, sheet)| stored(sheet)),
            ),
        }
    }

    /// Its mode, as far as that is known here.
    fn detail_mode(&self, model: &Model) -> Option<Mode> {
        let session = self.detail_session(model)?;
        let view = model.macp().and_then(|macp| macp.sessions.get(&session.number));
        let row = || session_row(self, session.number);
        view.map(|view| view.mode).or_else(|| row().map(|row| row.mode))
    }

    /// What is selected in the one of these lists that has the focus; while nothing was chosen yet, in the
    /// first of them.
    fn master_selection(
        &self,
        lists: [PaneId; 2],
        is_chosen: bool,
        model: &Model,
        layout: &Layout,
    ) -> Option<RecordKey> {
        match self.focus {
            Focus::Pane(pane) if lists.contains(&pane) && layout.has(pane) => self.selected(pane, model),
            _ if !is_chosen => self.selected(lists[0], model),
            _ => None,
        }
    }

    /// Turns to the run that is selected.
    pub(crate) fn follow_run(&mut self, model: &Model, layout: &Layout) {
        let led =
            self.master_selection([PaneId::Runs, PaneId::RunHistory], self.run.is_some(), model, layout);
        let run = led.as_ref().and_then(run_of);
        if run.is_some() && run != self.run {
            self.run = run;
            self.reset_selections([PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts]);
        }
    }

    /// Turns to the session that is selected.
    pub(crate) fn follow_session(&mut self, model: &Model, layout: &Layout) {
        let led = self.master_selection(
            [PaneId::Sessions, PaneId::SessionHistory],
            self.session.is_some(),
            model,
            layout,
        );
        let session = led.as_ref().and_then(session_of);
        if session.is_some() && session != self.session.as_ref() {
            self.session = session.cloned();
            self.reset_selections([PaneId::Positions, PaneId::Statements, PaneId::SessionLog]);
        }
        self.mode = self.detail_mode(model).or(self.mode);
    }

    /// Holds the record that is selected by itself in the pane that has the keys: something is done to it.
    pub(crate) fn pin_touched(&mut self, model: &Model) {
        if let (true, Focus::Pane(pane)) = (self.overlays.is_empty(), self.focus) {
            self.select_in(pane, model, |selection, keys| selection.pin(keys, SelectedBy::Touched));
        }
    }

    /// Holds the record that is selected by itself in a list that had the keys for a while: who looks at it
    /// finds it there.
    pub(crate) fn pin_dwelt(&mut self, model: &Model, now: Mono) {
        let here = MASTER_LISTS.into_iter().find(|pane| self.focus == Focus::Pane(*pane));
        match (here, self.dwelling) {
            (Some(pane), Some((known, since))) if pane == known => {
                if now.since(since) >= DWELL {
                    self.select_in(pane, model, |selection, keys| selection.pin(keys, SelectedBy::Dwelt));
                }
            }
            (here, _) => self.dwelling = here.map(|pane| (pane, now)),
        }
    }

    /// Lets go of what was only looked at in those lists.
    pub(crate) fn release_dwelt(&mut self) {
        for pane in MASTER_LISTS {
            self.selection_mut(pane).release_dwelt();
        }
    }

    fn reset_selections(&mut self, panes: [PaneId; 3]) {
        for pane in panes {
            self.selections.remove(&pane);
        }
    }
}

/// The run that a record is, or is of.
pub(crate) fn run_of(record: &RecordKey) -> Option<TraceId> {
    RUN.id(record).or_else(|| STORED_RUN.id(record).map(|(_, run)| run)).copied()
}

/// The session that a record is.
pub(crate) fn session_of(record: &RecordKey) -> Option<&SessionRef> {
    SESSION.id(record).or_else(|| STORED_SESSION.id(record))
}
