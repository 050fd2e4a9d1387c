//! What the panes beside a list tell of: the run or the session that was selected there last, or the first
//! there is.

use std::{borrow::Cow, time::Duration};

use super::{
    layout::Layout,
    model::{Model, Sheet, Stand, Voice, standings_of, voices_of},
    pane_id::PaneId,
    selection::{Hold, RecordKey},
    ui::{Focus, Ui},
};
use crate::{
    ids::TraceId,
    macp::{Mode, SessionRef, SessionView},
    time::Mono,
};

/// How long a list has the keys until the record that is selected there by itself stays selected.
const DWELL: Duration = Duration::from_secs(1);
/// The lists whose selected record other panes tell of.
const LEADING: [PaneId; 2] = [PaneId::Runs, PaneId::Sessions];

impl Ui {
    /// The run that the panes beside the lists of runs tell of.
    pub(crate) fn run_shown(&self, model: &Model) -> Option<TraceId> {
        self.run.or_else(|| run_of(&self.selected(PaneId::Runs, model)?))
    }

    /// The session that the panes beside the lists of sessions tell of.
    pub(crate) fn session_shown(&self, model: &Model) -> Option<SessionRef> {
        self.session.clone().or_else(|| session_of(&self.selected(PaneId::Sessions, model)?).cloned())
    }

    /// How that session stands, as far as it is known here.
    pub(crate) fn standings_shown(&self, model: &Model) -> Cow<'_, [Stand]> {
        self.of_session_shown(model, standings_of, |sheet| &sheet.standings)
    }

    /// Who said what in it, as far as it is known here.
    pub(crate) fn voices_shown(&self, model: &Model) -> Cow<'_, [Voice]> {
        self.of_session_shown(model, voices_of, |sheet| &sheet.voices)
    }

    /// What is told of that session: made of what is shown, or taken from what the store has.
    fn of_session_shown<T: Clone>(
        &self,
        model: &Model,
        shown: fn(&SessionView) -> Vec<T>,
        stored: fn(&Sheet) -> &[T],
    ) -> Cow<'_, [T]> {
        let Some(session) = self.session_shown(model) else { return Cow::Borrowed(&[]) };
        match model.macp().and_then(|macp| macp.sessions.get(&session.number)) {
            Some(view) => Cow::Owned(shown(view)),
            None => {
                Cow::Borrowed(self.pages.sessions.detail(&session).map_or(&[], |(_, sheet)| stored(sheet)))
            }
        }
    }

    /// Its mode, as far as that is known here.
    fn mode_shown(&self, model: &Model) -> Option<Mode> {
        let session = self.session_shown(model)?;
        let view = model.macp().and_then(|macp| macp.sessions.get(&session.number));
        let row = || self.pages.session_history.rows().iter().find(|row| row.number == session.number);
        view.map(|view| view.mode).or_else(|| row().map(|row| row.mode))
    }

    /// What is selected in the one of these lists that has the focus; while nothing was chosen yet, in the
    /// first of them.
    fn led_by(
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
    pub(super) fn follow_run(&mut self, model: &Model, layout: &Layout) {
        let led = self.led_by([PaneId::Runs, PaneId::RunHistory], self.run.is_some(), model, layout);
        let run = led.as_ref().and_then(run_of);
        if run.is_some() && run != self.run {
            self.run = run;
            self.begin_again([PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts]);
        }
    }

    /// Turns to the session that is selected.
    pub(super) fn follow_session(&mut self, model: &Model, layout: &Layout) {
        let led =
            self.led_by([PaneId::Sessions, PaneId::SessionHistory], self.session.is_some(), model, layout);
        let session = led.as_ref().and_then(session_of);
        if session.is_some() && session != self.session.as_ref() {
            self.session = session.cloned();
            self.begin_again([PaneId::Standings, PaneId::Voices, PaneId::SessionLog]);
        }
        self.mode = self.mode_shown(model).or(self.mode);
    }

    /// Holds the record that is selected by itself in the pane that has the keys: something is done to it.
    pub(crate) fn touch(&mut self, model: &Model) {
        if let (true, Focus::Pane(pane)) = (self.overlays.is_empty(), self.focus) {
            self.select_in(pane, model, |selection, keys| selection.pin(keys, Hold::Touched));
        }
    }

    /// Holds the record that is selected by itself in a list that had the keys for a while: who looks at it
    /// finds it there.
    pub(crate) fn dwell(&mut self, model: &Model, now: Mono) {
        let here = LEADING.into_iter().find(|pane| self.focus == Focus::Pane(*pane));
        match (here, self.dwelling) {
            (Some(pane), Some((known, since))) if pane == known => {
                if now.since(since) >= DWELL {
                    self.select_in(pane, model, |selection, keys| selection.pin(keys, Hold::Dwelt));
                }
            }
            (here, _) => self.dwelling = here.map(|pane| (pane, now)),
        }
    }

    /// Lets go of what was only looked at in those lists.
    pub(super) fn look_away(&mut self) {
        for pane in LEADING {
            self.selection_mut(pane).look_away();
        }
    }

    fn begin_again(&mut self, panes: [PaneId; 3]) {
        for pane in panes {
            self.selections.remove(&pane);
        }
    }
}

/// The run that a record is, or is of.
fn run_of(record: &RecordKey) -> Option<TraceId> {
    match record {
        RecordKey::Run(run) | RecordKey::StoredRun(_, run) => Some(*run),
        _ => None,
    }
}

/// The session that a record is.
pub(crate) const fn session_of(record: &RecordKey) -> Option<&SessionRef> {
    match record {
        RecordKey::Session(session) | RecordKey::StoredSession(session) => Some(session),
        _ => None,
    }
}
