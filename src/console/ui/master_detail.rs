//! Lists whose selected record other panes tell of: what is selected in them, and how long it stays so.

use std::time::Duration;

use super::{
    layout::Layout,
    state::{Focus, Ui},
    system::System,
};
use crate::{
    console::{
        input::pane_id::PaneId,
        model::Model,
        records::selection::{RecordKey, SelectedBy},
    },
    time::Mono,
};

/// How long a list has the keys until the record that is selected there by itself stays selected.
const DWELL: Duration = Duration::from_secs(1);

/// The lists whose selected record other panes tell of, without those of what is kept of before.
fn dwelt_lists() -> impl Iterator<Item = PaneId> {
    System::all().iter().filter_map(|system| system.masters.first().copied())
}

impl Ui {
    /// The record that is selected in the one of these lists that has the focus; while nothing was chosen
    /// yet, in the first of them.
    pub(crate) fn master_selection(
        &self,
        lists: &[PaneId],
        is_chosen: bool,
        model: &Model,
        layout: &Layout,
    ) -> Option<RecordKey> {
        match self.focus {
            Focus::Pane(pane) if lists.contains(&pane) && layout.has(pane) => self.selected(pane, model),
            _ if !is_chosen => self.selected(*lists.first()?, model),
            _ => None,
        }
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
        let here = dwelt_lists().find(|pane| self.focus == Focus::Pane(*pane));
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
        for pane in dwelt_lists() {
            self.selection_mut(pane).release_dwelt();
        }
    }
}
