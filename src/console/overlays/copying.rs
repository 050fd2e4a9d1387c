//! Copying: what is at hand, in which form, and what is said of it.

use crate::console::{
    copy::{CopyForm, CopyPayload, CopySource},
    input::action::Action,
    inspect::actions,
    model::Model,
    overlays::copy_as::{CopyAs, fitting, hand_over},
    settings::view::View,
    ui,
    ui::{
        Target,
        act::{Act, ActContext, Resolved, act_if},
        pane::PaneContext,
        rows::column_fields,
        state::Ui,
    },
};

/// What can be copied from where the keys go.
fn target<'a>(ui: &'a Ui, model: &'a Model, view: &View) -> Option<CopySource<'a>> {
    if let Some(source) = ui.overlays.last().and_then(|layer| layer.copy_source(view, model)) {
        return Some(source);
    }
    let Target::Row(pane) = ui.target(model) else { return None };
    let index = ui.selection(pane).map_or(0, crate::console::records::selection::Selection::index);
    let row = ui::rows(pane, ui, model).into_row(index)?;
    let cell = ui.table_settings(pane).cell.or_else(|| column_fields(ui, model, pane).first().copied());
    Some(CopySource::Row(row, cell.unwrap_or(0)))
}

/// What a form makes of what is at hand.
fn ready(form: CopyForm, ui: &Ui, model: &Model, view: &View) -> Result<CopyPayload, String> {
    let copied = match target(ui, model, view) {
        Some(source) => source.copy(form, &view.commands, ui.at, || actions::target_frame(ui, model)),
        None => Err("nothing to copy here"),
    };
    fitting(form, copied, ui)
}

/// What an action that copies does: in a form, or from the menu of all of them.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, view } = *cx;
    let Some(form) = CopyForm::of(action) else {
        let is_there = target(ui, model, view).is_some();
        return act_if(is_there, || Act::change(open), "nothing to copy here");
    };
    let copied = ready(form, ui, model, view)?;
    Ok(Act::effects(move |ui, _| hand_over(ui, copied)))
}

/// Opens the menu.
fn open(ui: &mut Ui, &ActContext { model, view, .. }: &ActContext<'_>) {
    let Some(source) = target(ui, model, view) else { return };
    let copied = |form| source.copy(form, &view.commands, ui.at, || actions::target_frame(ui, model));
    let ready = CopyForm::ALL.into_iter().map(|form| (form, copied(form))).collect();
    drop(source);
    ui.push(CopyAs::of(ready));
}
