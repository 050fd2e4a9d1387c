//! From a piece of work to its messages, and from one of those to its entry in the Wire.

use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        inspect::actions,
        model::Model,
        ui::{
            Target,
            act::{Act, Resolved},
            filter,
            message::show_message,
            pane::PaneContext,
            state::{Focus, Ui},
        },
        wire::ENTRY,
    },
    ids::{Seq, TraceId},
};

/// The entry that is at hand, where one is: the selected row of the Wire or of a ladder, or the one that is
/// inspected.
fn target_entry(ui: &Ui, model: &Model) -> Option<Seq> {
    match ui.target(model) {
        Target::Entry(subject) => Some(subject.seq()),
        Target::Row(pane) => ENTRY.id(&ui.selected(pane, model)?).copied(),
        _ => None,
    }
}

/// The trace of what is at hand.
fn target_trace(ui: &Ui, model: &Model) -> Option<TraceId> {
    let named = match ui.target(model) {
        Target::Entry(subject) => return subject.entry.trace,
        Target::Row(pane) => ui.selected_row(pane, model).and_then(|row| row.trace()),
        Target::Record(record) => record.trace(),
        Target::Nothing | Target::Alert(_) | Target::Question(_) => None,
    };
    named.or_else(|| actions::target_record_entry(ui, model)?.entry.trace)
}

/// Whether a message of the ladder is what the keys are for.
fn is_in_ladder(ui: &Ui) -> bool {
    ui.overlays.is_empty() && ui.focus == Focus::Pane(PaneId::Trace)
}

/// Goes there.
pub(crate) fn act(cx: &PaneContext<'_>) -> Resolved {
    let PaneContext { model, ui, .. } = *cx;
    let entry = target_entry(ui, model);
    if is_in_ladder(ui) {
        let seq = entry.ok_or("no message is selected")?;
        return Ok(Act::change(move |ui, cx| to_wire(ui, cx.model, seq)));
    }
    let trace = target_trace(ui, model)
        .ok_or("no trace known: it belongs to none, or its entries are no longer kept")?;
    Ok(Act::change(move |ui, cx| {
        ui.overlays.clear();
        ui.trace = Some(trace);
        ui.show(ViewId::Trace);
        (ui.zoomed, ui.focus) = (None, Focus::Pane(PaneId::Trace));
        ui.selection_mut(PaneId::Trace).release();
        ui.advance_ladder(cx.model, u64::MAX);
        if let Some(seq) = entry {
            select(ui, cx.model, PaneId::Trace, seq);
        }
    }))
}

/// Selects an entry in a list of entries, if it is there.
fn select(ui: &mut Ui, model: &Model, pane: PaneId, seq: Seq) -> bool {
    ui.select_in(pane, model, |selection, keys| {
        let row = keys.row(&ENTRY.of(seq));
        if let Some(row) = row {
            selection.select(row, keys, 1);
        }
        row.is_some()
    })
}

fn to_wire(ui: &mut Ui, model: &Model, seq: Seq) {
    if ui.time.entries().at(seq).is_none() {
        show_message(
            ui,
            format!("entry {seq} is no longer kept (limits.console.kept_entries_max)"),
            true,
            ui.at,
        );
        return;
    }
    ui.show(ViewId::Wire);
    (ui.zoomed, ui.focus) = (None, Focus::Pane(PaneId::Wire));
    ui.reconcile(model);
    if !select(ui, model, PaneId::Wire, seq) {
        // What is looked for is more than what was filtered for.
        filter::clear(ui);
        ui.reconcile(model);
        select(ui, model, PaneId::Wire, seq);
        show_message(ui, "Wire filter cleared: it hid this entry".to_owned(), false, ui.at);
    }
}
