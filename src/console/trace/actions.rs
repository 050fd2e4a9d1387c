//! From a piece of work to its messages, and from one of those to its entry in the Wire.

use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        inspect::actions,
        model::Model,
        ui::{
            Target,
            effect::Effect,
            filter,
            message::show_message,
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
        Target::Nothing | Target::Alert(_) | Target::Approval(_) => None,
    };
    named.or_else(|| actions::target_record_entry(ui, model)?.entry.trace)
}

/// Whether a message of the ladder is what the keys are for.
fn is_in_ladder(ui: &Ui) -> bool {
    ui.overlays.is_empty() && ui.focus == Focus::Pane(PaneId::Trace)
}

/// Why there is no way.
pub(crate) fn unavailable(ui: &Ui, model: &Model) -> Option<String> {
    let why = match is_in_ladder(ui) {
        true if target_entry(ui, model).is_none() => "no message is selected",
        false if target_trace(ui, model).is_none() => {
            "no trace of it is known: it belongs to no piece of work, or its entries are no longer kept"
        }
        _ => return None,
    };
    Some(why.to_owned())
}

/// Goes there.
pub(crate) fn go(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    if is_in_ladder(ui) {
        to_wire(ui, model);
        return Vec::new();
    }
    let (trace, entry) = (target_trace(ui, model), target_entry(ui, model));
    let Some(trace) = trace else { return Vec::new() };
    ui.overlays.clear();
    ui.trace = Some(trace);
    ui.show(ViewId::Trace);
    (ui.zoomed, ui.focus) = (None, Focus::Pane(PaneId::Trace));
    ui.selection_mut(PaneId::Trace).release();
    ui.advance_ladder(model, u64::MAX);
    if let Some(seq) = entry {
        select(ui, model, PaneId::Trace, seq);
    }
    Vec::new()
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

fn to_wire(ui: &mut Ui, model: &Model) {
    let Some(seq) = target_entry(ui, model) else { return };
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
        filter::end(ui);
        ui.reconcile(model);
        select(ui, model, PaneId::Wire, seq);
        show_message(ui, "the filter of the Wire is off: it left this entry out".to_owned(), false, ui.at);
    }
}
