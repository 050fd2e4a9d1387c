//! From a piece of work to its messages, and from one of those to its entry in the Wire.

use super::{dispatch::say, filter, inspecting};
use crate::{
    console::{
        action::Effect,
        model::Model,
        overlays::{Overlay, Subject},
        pane_id::PaneId,
        panes,
        selection::RecordKey,
        ui::{Focus, Ui},
        view_id::ViewId,
    },
    field::{Record as _, Value, place},
    ids::{Seq, TraceId},
};

/// The entry that is at hand, where one is: the selected row of the Wire or of a ladder, or the one that is
/// inspected.
fn entry_at_hand(ui: &Ui, model: &Model) -> Option<Seq> {
    match (ui.overlays.last(), ui.focus) {
        (Some(Overlay::Inspector(inspector)), _) => Some(inspector.subject.seq()),
        (None, Focus::Pane(pane)) => match ui.selected(pane, model)? {
            RecordKey::Entry(seq) => Some(seq),
            _ => None,
        },
        _ => None,
    }
}

/// The trace that a field of the selected row names.
fn of_row(ui: &Ui, model: &Model, pane: PaneId) -> Option<TraceId> {
    let field = place(panes::specs(pane), "trace")?;
    let row = panes::rows(pane, ui, model).into_row(ui.selection(pane)?.index())?;
    match row.value(field, ui.moment()) {
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

fn of_pane(ui: &Ui, model: &Model, pane: PaneId) -> Option<TraceId> {
    match ui.selected(pane, model)? {
        RecordKey::Run(run)
        | RecordKey::StoredRun(_, run)
        | RecordKey::Node(run, _)
        | RecordKey::RunEvent(run, _)
        | RecordKey::Artifact(run, _) => Some(run),
        _ => of_row(ui, model, pane),
    }
}

/// The trace of what is at hand.
fn trace_at_hand(ui: &Ui, model: &Model) -> Option<TraceId> {
    let named = match (ui.overlays.last(), ui.focus) {
        (Some(Overlay::Inspector(inspector)), _) => return inspector.subject.entry.trace,
        (Some(Overlay::Pending(_)), _) => of_row(ui, model, PaneId::Pending),
        (Some(Overlay::Facts(facts)), _) => match &facts.subject {
            Subject::Run(run) | Subject::Node(run, _) | Subject::Artifact(run, _) => Some(*run),
            Subject::StoredRun(row) => Some(row.run),
            Subject::RunLine(line) => Some(line.run),
            _ => None,
        },
        (Some(_), _) | (None, Focus::Chips(_)) => None,
        (None, Focus::Pane(pane)) => of_pane(ui, model, pane),
    };
    named.or_else(|| inspecting::told_at_hand(ui, model)?.entry.trace)
}

/// Whether a message of the ladder is what the keys are for.
fn is_in_ladder(ui: &Ui) -> bool {
    ui.overlays.is_empty() && ui.focus == Focus::Pane(PaneId::Trace)
}

/// Why there is no way.
pub(super) fn hindrance(ui: &Ui, model: &Model) -> Option<String> {
    let why = match is_in_ladder(ui) {
        true if entry_at_hand(ui, model).is_none() => "no message is selected",
        false if trace_at_hand(ui, model).is_none() => {
            "no trace of it is known: it belongs to no piece of work, or its entries are no longer kept"
        }
        _ => return None,
    };
    Some(why.to_owned())
}

/// Goes there.
pub(super) fn go(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    if is_in_ladder(ui) {
        to_wire(ui, model);
        return Vec::new();
    }
    let (trace, entry) = (trace_at_hand(ui, model), entry_at_hand(ui, model));
    let Some(trace) = trace else { return Vec::new() };
    ui.overlays.clear();
    ui.trace = Some(trace);
    ui.show(ViewId::Trace);
    (ui.zoomed, ui.focus) = (None, Focus::Pane(PaneId::Trace));
    ui.selection_mut(PaneId::Trace).release();
    ui.carry_rungs(model, u64::MAX);
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
    let Some(seq) = entry_at_hand(ui, model) else { return };
    if ui.time.kept().at(seq).is_none() {
        say(ui, format!("entry {seq} is no longer kept (limits.console.kept_entries_max)"), true, ui.at);
        return;
    }
    ui.show(ViewId::Wire);
    (ui.zoomed, ui.focus) = (None, Focus::Pane(PaneId::Wire));
    ui.settle(model);
    if !select(ui, model, PaneId::Wire, seq) {
        // What is looked for is more than what was filtered for.
        filter::end(ui);
        ui.settle(model);
        select(ui, model, PaneId::Wire, seq);
        say(ui, "the filter of the Wire is off: it left this entry out".to_owned(), false, ui.at);
    }
}
