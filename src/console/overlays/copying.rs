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
    ui::{Target, effect::Effect, message::show_message, rows::column_fields, state::Ui},
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

/// Why nothing would be copied.
pub(crate) fn unavailable(action: Action, ui: &Ui, model: &Model, view: &View) -> Option<String> {
    if let Some(form) = CopyForm::of(action) {
        return ready(form, ui, model, view).err();
    }
    target(ui, model, view).is_none().then(|| "nothing is selected here that could be copied".to_owned())
}

/// Opens the menu.
pub(crate) fn open(ui: &mut Ui, model: &Model, view: &View) -> Vec<Effect> {
    let Some(source) = target(ui, model, view) else { return Vec::new() };
    let copied = |form| source.copy(form, &view.commands, ui.at, || actions::target_frame(ui, model));
    let ready = CopyForm::ALL.into_iter().map(|form| (form, copied(form))).collect();
    drop(source);
    ui.push(CopyAs::of(ready));
    Vec::new()
}

/// Hands what is at hand to the terminal.
pub(crate) fn copy(ui: &mut Ui, model: &Model, view: &View, form: CopyForm) -> Vec<Effect> {
    let copied = ready(form, ui, model, view);
    hand_over(ui, copied)
}

/// Hands what was made ready to the terminal. What it is, is not said: the show may be on air.
pub(crate) fn hand_over(ui: &mut Ui, copied: Result<CopyPayload, String>) -> Vec<Effect> {
    let Ok(copied) = copied else { return Vec::new() };
    let size = format::bytes(copied.bytes.len() as u64);
    show_message(
        ui,
        format!("copied {size} ({}); `doctor` tells what a terminal needs for it", copied.form.name()),
        false,
        ui.at,
    );
    vec![Effect::Copy(copied.bytes)]
}
