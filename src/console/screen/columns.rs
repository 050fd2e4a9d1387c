//! Choosing what a pane is sorted by and which columns it has.

use super::dispatch::show_message;
use crate::{
    console::{
        input::{
            action::{Action, Effect},
            pane_id::PaneId,
        },
        model::Model,
        overlays::Overlay,
        records,
        records::table_settings::Sort,
        screen,
        screen::Columns,
        settings::view::View,
        ui::{layouts, state::Ui},
    },
    time::Now,
};

/// The open list of columns.
fn open_list(ui: &Ui) -> Option<&Columns> {
    match ui.overlays.last() {
        Some(Overlay::Columns(columns)) => Some(columns),
        _ => None,
    }
}

/// Why an action of columns would do nothing.
pub(crate) fn unavailable(action: Action, ui: &Ui, view: &View) -> Option<String> {
    if action == Action::Columns {
        let key = view.key(Action::FocusNext);
        return ui.target_list().is_none().then(|| format!("no table is focused: {key} to one"));
    }
    if action == Action::ResetLayout {
        let is_changed = of_view(ui).any(|pane| !ui.table_settings(pane).is_default());
        return (!is_changed).then(|| "columns and order are as shipped in this view".to_owned());
    }
    let Some(list) = open_list(ui) else {
        return Some(format!("no list of columns is open: {} opens one", view.key(Action::Columns)));
    };
    match action {
        Action::ToggleColumn => list.is_last().then(|| "one column stays".to_owned()),
        Action::ColumnEarlier => {
            list.shift_target(action).is_none().then(|| "it is the first already".to_owned())
        }
        Action::ColumnLater => {
            list.shift_target(action).is_none().then(|| "it is the last already".to_owned())
        }
        Action::ResetColumns => {
            ui.table_settings(list.pane).is_default().then(|| "columns and order are as shipped".to_owned())
        }
        Action::SortColumn => {
            sort_unavailable(list.pane, list.field()?, records::specs(list.pane).get(list.field()?)?.name)
        }
        _ => None,
    }
}

/// Why a pane cannot be sorted by a field.
fn sort_unavailable(pane: PaneId, field: usize, name: &str) -> Option<String> {
    match records::fixed_order(pane) {
        None => None,
        Some(_) if pane == PaneId::Wire => {
            Some(format!("the wire has the order of the tap, not that of `{name}`: filter it instead"))
        }
        Some(_) if pane == PaneId::Pending => {
            Some("what waits is listed in the order in which it goes".to_owned())
        }
        Some(id) => (id != field).then(|| {
            format!("{} comes from the store by id: sort by `id`, not `{name}`", pane.key_scope().name())
        }),
    }
}

/// Does one of them; it is known to be possible.
pub(crate) fn act(ui: &mut Ui, model: &Model, action: Action) {
    match action {
        Action::Columns => {
            if let Some(pane) = ui.target_list() {
                let columns = Columns::of(pane, ui, width(ui, model, pane));
                ui.overlays.push(Overlay::Columns(columns));
            }
        }
        Action::ResetLayout => {
            let panes: Vec<PaneId> = of_view(ui).collect();
            for pane in panes {
                ui.reset(pane);
            }
        }
        _ => in_list(ui, action),
    }
    let width = open_list(ui).map(|list| width(ui, model, list.pane));
    if let (Some(width), Some(Overlay::Columns(mut list))) =
        (width, ui.overlays.pop_if(|top| matches!(top, Overlay::Columns(_))))
    {
        if matches!(action, Action::ResetColumns | Action::ResetLayout) {
            list.read(ui, width);
        }
        ui.overlays.push(Overlay::Columns(list));
    }
}

fn in_list(ui: &mut Ui, action: Action) {
    let Some(Overlay::Columns(list)) = ui.overlays.last_mut() else { return };
    let pane = list.pane;
    match action {
        Action::ToggleColumn => list.toggle(),
        Action::ColumnEarlier | Action::ColumnLater => list.shift(action),
        Action::ResetColumns => return ui.reset(pane),
        _ => {
            if let Some(field) = list.field() {
                let present = ui.sort(pane);
                // The store's order has two ways and no third.
                let is_stored = records::fixed_order(pane).is_some();
                let sort = if is_stored {
                    Some(Sort::toggled(present, field))
                } else {
                    Sort::cycled(present, field)
                };
                ui.sort_by(pane, sort);
            }
            return;
        }
    }
    let chosen = list.visible_fields();
    ui.table_settings_mut(pane).set_columns(Some(chosen));
}

/// The panes of the view, and the list that lies over them.
fn of_view(ui: &Ui) -> impl Iterator<Item = PaneId> + use<> {
    let pending = ui.pending().map(|_| PaneId::Pending);
    ui.view.panes().iter().copied().chain(pending)
}

/// The width of a pane's table.
fn width(ui: &Ui, model: &Model, pane: PaneId) -> u16 {
    screen::inner_width(ui.layout(model).area_of(pane))
}

/// A click on the head of a column sorts by it, or the other way round.
pub(crate) fn sort_by_head(ui: &mut Ui, pane: PaneId, field: usize, title: &str, now: Now) {
    match sort_unavailable(pane, field, title) {
        Some(why) => show_message(ui, why, true, now),
        None => ui.sort_by(pane, Some(Sort::toggled(ui.sort(pane), field))),
    }
}

/// Keeps how panes are looked at for the next start, where that was changed.
pub(crate) fn keep(ui: &mut Ui) -> Option<Effect> {
    let revision = ui
        .table_settings
        .values()
        .map(crate::console::records::table_settings::TableSettings::layout_revision)
        .sum();
    let was = std::mem::replace(&mut ui.saved_layout_revision, revision);
    (was != revision).then(|| Effect::SaveLayout(layouts::write(&ui.table_settings)))
}
