//! The manual: where it describes what the keys are for, and how it is opened there.

use crate::console::{
    input::{keymap::KeyScope, pane_id::PaneId},
    model::Model,
    overlays::ManualReader,
    records::ManualPlace,
    settings::view::View,
    ui,
    ui::{
        act::Act,
        pane::PaneContext,
        state::{Focus, Ui},
        system::ChipId,
    },
};

/// Opens the manual at what describes the place of the cursor.
pub(super) fn act(cx: &PaneContext<'_>) -> Act {
    let place = manual_place(cx);
    Act::change(move |ui, cx| open(ui, cx.model, cx.view, &place))
}

/// Opens it at a place.
pub(super) fn open(ui: &mut Ui, model: &Model, view: &View, place: &ManualPlace) {
    let body = ui.layout(model).body;
    ui.push(ManualReader::at(place, view.manual.clone(), body));
}

/// Opens the page that these words name, or what is found by them. Whether they were written earlier.
pub(super) fn open_about(ui: &mut Ui, model: &Model, view: &View, words: &str, is_recalled: bool) {
    let body = ui.layout(model).body;
    ui.push(ManualReader::about(words, is_recalled, view.manual.clone(), body));
}

/// Opens the page about the palette, over it.
pub(super) fn open_over_palette(ui: &mut Ui, model: &Model, view: &View) {
    let (body, palette) = (ui.layout(model).body, ui.palette.take());
    let place = ManualPlace::page(KeyScope::Palette.page());
    ui.push(ManualReader::at(&place, view.manual.clone(), body).over(palette));
}

/// What describes the place of the cursor: the layer on top, the chip, the column, or the pane.
fn manual_place(cx: &PaneContext<'_>) -> ManualPlace {
    let PaneContext { ui, model, .. } = *cx;
    match (ui.overlays.last(), ui.focus) {
        // Of a list over the panes too, a column is described where it is chosen.
        (Some(layer), _) => {
            layer.list().map_or_else(|| layer.manual_place(cx), |(list, _)| of_pane(list, cx))
        }
        (None, Focus::Chips(_)) => match ui.focused_chip(model) {
            Some(ChipId::System(system)) => ManualPlace::page(system.page),
            Some(ChipId::Hidden(pane)) => ManualPlace::at("views", [pane.name()]),
            None => ManualPlace::page("views"),
        },
        (None, Focus::Pane(pane)) => of_pane(pane, cx),
    }
}

/// The chosen column, else what the selected record is an example of, else the pane.
fn of_pane(pane: PaneId, cx: &PaneContext<'_>) -> ManualPlace {
    let chosen = cx.ui.table_settings(pane).cell.and_then(|field| ui::specs(pane).get(field));
    if let Some(spec) = chosen {
        return ManualPlace::at("columns", [pane.name(), spec.name]);
    }
    let of_record = cx.ui.selected_row(pane, cx.model).and_then(|row| row.manual_place());
    of_record.unwrap_or_else(|| ManualPlace::at("views", [pane.name()]))
}
