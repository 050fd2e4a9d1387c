//! From a piece of work to its messages, and from one of those to its entry in the Wire.

use crate::{
    console::{
        input::{action::Effect, pane_id::PaneId, view_id::ViewId},
        inspect::actions,
        model::Model,
        overlays::{DetailsRecord, Target},
        records,
        records::selection::RecordKey,
        screen::{dispatch::show_message, filter},
        ui::state::{Focus, Ui},
    },
    field::{Record as _, Value, index_of},
    ids::{Seq, TraceId},
};

/// The entry that is at hand, where one is: the selected row of the Wire or of a ladder, or the one that is
/// inspected.
fn target_entry(ui: &Ui, model: &Model) -> Option<Seq> {
    match ui.target(model) {
        Target::Entry(subject) => Some(subject.seq()),
        Target::Row(pane) => match ui.selected(pane, model)? {
            RecordKey::Entry(seq) => Some(seq),
            _ => None,
        },
        _ => None,
    }
}

/// The trace that a field of the selected row names.
fn trace_of_row(ui: &Ui, model: &Model, pane: PaneId) -> Option<TraceId> {
    let field = index_of(records::specs(pane), "trace")?;
    let row = records::rows(pane, ui, model).into_row(ui.selection(pane)?.index())?;
    match row.value(field, ui.moment()) {
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn trace_of_pane(ui: &Ui, model: &Model, pane: PaneId) -> Option<TraceId> {
    match ui.selected(pane, model)? {
        RecordKey::Run(run)
        | RecordKey::StoredRun(_, run)
        | RecordKey::Node(run, _)
        | RecordKey::RunEvent(run, _)
        | RecordKey::Artifact(run, _) => Some(run),
        _ => trace_of_row(ui, model, pane),
    }
}

/// The trace of what is at hand.
fn target_trace(ui: &Ui, model: &Model) -> Option<TraceId> {
    let named = match ui.target(model) {
        Target::Entry(subject) => return subject.entry.trace,
        Target::Row(pane) => trace_of_pane(ui, model, pane),
        Target::Record(record) => match record {
            DetailsRecord::Run(run) | DetailsRecord::Node(run, _) | DetailsRecord::Artifact(run, _) => {
                Some(*run)
            }
            DetailsRecord::StoredRun(row) => Some(row.run),
            DetailsRecord::RunLine(line) => Some(line.run),
            _ => None,
        },
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
        let row = keys.row(&RecordKey::Entry(seq));
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
