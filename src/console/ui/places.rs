//! The places that the operator came from: a view, its pane and the record that was selected there.

use std::collections::VecDeque;

use crate::console::{
    input::{pane_id::PaneId, view_id::ViewId},
    model::Model,
    records::{
        selection::{RecordKey, RowKeys as _},
        table,
    },
    ui,
    ui::state::{Focus, Ui},
};

/// Places that are kept; the oldest goes first.
const PLACES_MAX: usize = 64;

/// A place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) view: ViewId,
    pub(crate) pane: PaneId,
    /// The pane was given the whole body.
    pub(crate) is_zoomed: bool,
    /// The selected record, where one was.
    pub(crate) key: Option<RecordKey>,
}

impl Place {
    /// Where the operator is; nothing on the chips.
    pub(crate) fn of(ui: &Ui, model: &Model) -> Option<Self> {
        let Focus::Pane(pane) = ui.focus else { return None };
        Some(Self { view: ui.view, pane, is_zoomed: ui.zoomed == Some(pane), key: ui.selected(pane, model) })
    }

    /// Whether it is in the same pane of the same view.
    fn is_beside(&self, other: &Self) -> bool {
        (self.view, self.pane) == (other.view, other.pane)
    }

    /// Shows it; whether its record is listed there still.
    pub(crate) fn show(&self, ui: &mut Ui, model: &Model) -> bool {
        let pane = self.pane;
        ui.show(self.view);
        ui.zoomed = self.is_zoomed.then_some(pane);
        if !ui.layout(model).has(pane) {
            ui.zoomed = Some(pane);
        }
        ui.focus = Focus::Pane(pane);
        ui.reconcile(model);
        let Some(key) = &self.key else { return true };
        let Some(row) = ui::rows(pane, ui, model).row(key) else { return false };
        let layout = ui.layout(model);
        let area = layout.panes.iter().find(|(known, _)| *known == pane);
        let height = area.map_or(1, |(_, area)| table::list_height(*area));
        ui.select_in(pane, model, |selection, keys| selection.select(row, keys, height));
        true
    }
}

/// Those before the present one, the last one last.
#[derive(Debug, Default)]
pub(crate) struct Places {
    before: VecDeque<Place>,
    /// The present one was come back to.
    has_returned: bool,
}

impl Places {
    /// Notes the place that was left for another one, unless it was left to go back.
    pub(crate) fn note(&mut self, left: Option<Place>, present: Option<&Place>) {
        let has_returned = std::mem::take(&mut self.has_returned);
        let Some(left) = left.filter(|left| !has_returned && present.is_none_or(|it| !it.is_beside(left)))
        else {
            return;
        };
        while self.before.len() >= PLACES_MAX {
            self.before.pop_front();
        }
        self.before.push_back(left);
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_empty()
    }
}

/// Goes back to the last place, which is forgotten; whether its record is listed there still.
pub(crate) fn go_back(ui: &mut Ui, model: &Model) -> bool {
    ui.places.has_returned = true;
    let last = ui.places.before.pop_back();
    last.is_none_or(|place| place.show(ui, model))
}
