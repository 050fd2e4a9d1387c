//! Copying: what is at hand, in which form, and what is said of it.

use crate::console::{
    copy::{CopyForm, CopyPayload, CopySource},
    draw::format,
    input::action::Action,
    inspect::actions,
    model::Model,
    overlays::CopyAs,
    settings::view::View,
    ui,
    ui::{
        Target,
        act::{Act, ActContext, Resolved, act_if},
        effect::Effect,
        message::show_message,
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
        None => Err("nothing is selected here that could be copied"),
    };
    fitting(form, copied, ui)
}

/// What was made ready in a form, if a terminal takes that much; or why it is not copied.
pub(crate) fn fitting(
    form: CopyForm,
    copied: Result<CopyPayload, &'static str>,
    ui: &Ui,
) -> Result<CopyPayload, String> {
    let copied = copied.map_err(|why| format!("not copied as {}: {why}", form.name()))?;
    let (bytes, bytes_max) = (copied.bytes.len() as u64, ui.limits.console.copy_bytes_max);
    if bytes > bytes_max {
        return Err(format!(
            "not copied: {bytes} B are more than {bytes_max}, which terminals take (limits.console.copy_bytes_max); record, or ls, into a file"
        ));
    }
    Ok(copied)
}

/// What an action that copies does: in a form, or from the menu of all of them.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, view } = *cx;
    let Some(form) = CopyForm::of(action) else {
        let is_there = target(ui, model, view).is_some();
        return act_if(is_there, || Act::change(open), "nothing is selected here that could be copied");
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

/// Hands what was made ready to the terminal. What it is, is not said: the show may be on air.
pub(crate) fn hand_over(ui: &mut Ui, copied: CopyPayload) -> Vec<Effect> {
    let size = format::bytes(copied.bytes.len() as u64);
    show_message(
        ui,
        format!("copied {size} ({}); `doctor` tells what a terminal needs for it", copied.form.name()),
        false,
        ui.at,
    );
    vec![Effect::Copy(copied.bytes)]
}
