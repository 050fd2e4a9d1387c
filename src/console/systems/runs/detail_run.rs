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

impl Ui {
    /// The run that the panes beside the lists of runs tell of.
    pub(crate) fn detail_run(&self, model: &Model) -> Option<TraceId> {
        self.run.or_else(|| run_of(&self.selected(PaneId::Runs, model)?))
    }
}

/// Turns to the run that is selected.
pub(crate) fn follow(ui: &mut Ui, model: &Model, layout: &Layout) {
    let led = ui.master_selection([PaneId::Runs, PaneId::RunHistory], ui.run.is_some(), model, layout);
    let run = led.as_ref().and_then(run_of);
    if run.is_some() && run != ui.run {
        ui.run = run;
        ui.reset_selections([PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts]);
    }
}
