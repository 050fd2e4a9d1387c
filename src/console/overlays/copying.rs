//! Copying: what is at hand, in which form, and what is said of it.

use crate::console::{
    copy::{CopyForm, CopyPayload, CopySource},
    input::{action::Action, pane_id::PaneId},
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
        state::{Focus, Ui},
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

/// The ladder, where its pane has the keys.
fn diagram(ui: &Ui) -> Option<Result<CopyPayload, &'static str>> {
    let is_there = ui.overlays.is_empty() && ui.focus == Focus::Pane(PaneId::Trace);
    let payload = |text: String| CopyPayload { form: CopyForm::Diagram, bytes: text.into_bytes() };
    is_there.then(|| ui.ladder_view.diagram().map(payload).ok_or("no messages yet"))
}

/// What a form makes of what is at hand.
fn ready(form: CopyForm, ui: &Ui, model: &Model, view: &View) -> Result<CopyPayload, String> {
    let copied = match target(ui, model, view) {
        _ if form == CopyForm::Diagram => diagram(ui).unwrap_or(Err("only a ladder is one")),
        Some(source) => {
            source.copy(form, (&view.commands, model), ui.at, || actions::target_frame(ui, model))
        }
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
    let copied =
        |form| source.copy(form, (&view.commands, model), ui.at, || actions::target_frame(ui, model));
    let of_record = CopyForm::ALL.into_iter().filter(|form| *form != CopyForm::Diagram);
    let mut ready: Vec<_> = of_record.map(|form| (form, copied(form))).collect();
    ready.extend(diagram(ui).map(|diagram| (CopyForm::Diagram, diagram)));
    drop(source);
    ui.push(CopyAs::of(ready));
}
