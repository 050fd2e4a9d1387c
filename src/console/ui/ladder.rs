//! The ladder that is shown, kept at the trace that is shown.

use super::{state::Ui, system::System};
use crate::console::{
    input::{pane_id::PaneId, view_id::ViewId},
    model::Model,
};

impl Ui {
    /// Turns to the trace that is to be shown, and carries its ladder on: at most so many entries.
    pub(crate) fn advance_ladder(&mut self, model: &Model, entries: u64) {
        if !self.view.panes().contains(&PaneId::Trace) {
            return;
        }
        let of_detail = || System::all().iter().find_map(|system| (system.detail_trace)(self, model));
        let trace = self.trace.filter(|_| self.view == ViewId::Trace).or_else(of_detail);
        let hops_max = self.limits.port.ladder_hops_max;
        if self.ladder_view.switch_to(trace, self.time.entries(), model, hops_max) {
            self.selections.entry(PaneId::Trace).or_default().release();
        }
        self.ladder_view.make_room(self.time.entries(), model, hops_max);
        self.fold_ladder(entries);
    }

    /// Folds more of what is kept; whether there is still more.
    pub(crate) fn fold_ladder(&mut self, entries: u64) -> bool {
        self.ladder_view.advance(self.time.entries(), entries);
        self.ladder_view.is_behind(self.time.entries())
    }
}
