//! The run that the panes beside the lists of runs tell of: the one that was selected there last, or the
//! first there is.

use super::keys::run_of;
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        ui::{layout::Layout, state::Ui},
    },
    ids::TraceId,
};

/// The lists of runs.
pub(super) const MASTERS: &[PaneId] = &[PaneId::Runs, PaneId::RunHistory];

impl Ui {
    /// The run that the panes beside the lists of runs tell of.
    pub(crate) fn detail_run(&self, model: &Model) -> Option<TraceId> {
        self.systems.runs.run.or_else(|| run_of(&self.selected(PaneId::Runs, model)?))
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
