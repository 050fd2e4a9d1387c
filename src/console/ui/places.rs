//! Where the operator is, and the way back.

use crate::console::{
    model::Model,
    records::{places::Place, selection::RowKeys as _, table},
    ui,
    ui::state::{Focus, Ui},
};

/// The present place; nothing on the chips.
pub(crate) fn present(ui: &Ui, model: &Model) -> Option<Place> {
    let Focus::Pane(pane) = ui.focus else { return None };
    Some(Place { view: ui.view, pane, is_zoomed: ui.zoomed == Some(pane), key: ui.selected(pane, model) })
}

/// Shows a place; whether its record is listed there still.
pub(crate) fn show(place: &Place, ui: &mut Ui, model: &Model) -> bool {
    let pane = place.pane;
    ui.show(place.view);
    ui.zoomed = place.is_zoomed.then_some(pane);
    if !ui.layout(model).has(pane) {
        ui.zoomed = Some(pane);
    }
    ui.focus = Focus::Pane(pane);
    ui.reconcile(model);
    let Some(key) = &place.key else { return true };
    let Some(row) = ui::rows(pane, ui, model).row(key) else { return false };
    let layout = ui.layout(model);
    let area = layout.panes.iter().find(|(known, _)| *known == pane);
    let height = area.map_or(1, |(_, area)| table::list_height(*area));
    ui.select_in(pane, model, |selection, keys| selection.select(row, keys, height));
    true
}

/// Goes back to the last place, which is forgotten; whether its record is listed there still.
pub(crate) fn go_back(ui: &mut Ui, model: &Model) -> bool {
    let last = ui.places.take_last();
    last.is_none_or(|place| show(&place, ui, model))
}
