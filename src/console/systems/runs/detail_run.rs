//! The run that the panes beside the lists of runs tell of: the one that was selected there last, or the
//! first there is.

use super::{
    details::RunDetails,
    keys::{RUN_EVENT, run_of},
    pages::stored_row,
};
use crate::{
    console::{
        input::pane_id::PaneId,
        model::{Model, runs::RunLine},
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
    ids::TraceId,
    port::{Page, PortError, Query},
    time::Now,
};

/// The lists of runs.
pub(super) const MASTERS: &[PaneId] = &[PaneId::Runs, PaneId::RunHistory];

impl Ui {
    /// The run that the panes beside the lists of runs tell of.
    pub(crate) fn detail_run(&self, model: &Model) -> Option<TraceId> {
        self.systems.runs.run.or_else(|| run_of(&self.selected(PaneId::Runs, model)?))
    }

    /// What a run is called, as far as that is known here.
    pub(crate) fn run_name(&self, model: &Model, run: TraceId) -> Option<String> {
        let shown = self.systems.runs.view_of(model, run).map(|view| view.name.to_string());
        shown.or_else(|| stored_row(self, run).map(|row| row.name.clone()))
    }

    /// What the details of a run tell of.
    pub(crate) fn run_details(run: TraceId) -> Box<dyn DetailsRecord> {
        Box::new(RunDetails::of(run))
    }

    /// Goes to an event of the run that is shown; one that is not listed here is asked for, and read whole.
    pub(crate) fn show_run_event(&mut self, model: &Model, run: TraceId, number: u64) -> Vec<Effect> {
        let key = RUN_EVENT.of((run, number));
        if ui::rows(PaneId::RunEvents, self, model).row(&key).is_none() {
            let query = Query::RunEvents { run, after: number.saturating_sub(1), limit: 1 };
            return vec![Effect::query(query, EventOfRun { run, number })];
        }
        let (view, pane) = (self.view, PaneId::RunEvents);
        places::show(&Place { view, pane, is_zoomed: false, key: Some(key) }, self, model);
        Vec::new()
    }
}

/// Who is told of an event of a run that was gone to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EventOfRun {
    run: TraceId,
    number: u64,
}

impl OnPage for EventOfRun {
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        let found = page.map(|page| match page {
            Page::RunEvents { rows, .. } => rows.into_iter().find(|row| row.number == self.number),
            _ => None,
        });
        let missing = || format!("event {} of this run is not stored", self.number);
        show_found(ui, found, |row| Box::new(RunLine::of(self.run, row)), missing, now);
    }
}

/// Turns to the run that is selected.
pub(crate) fn follow(ui: &mut Ui, model: &Model, layout: &Layout) {
    let led = ui.master_selection(MASTERS, ui.systems.runs.run.is_some(), model, layout);
    let run = led.as_ref().and_then(run_of);
    if run.is_some() && run != ui.systems.runs.run {
        ui.systems.runs.run = run;
        ui.reset_panes([PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts]);
    }
}
