//! Runs: cancelling one, and answering what one asks.

use std::sync::Arc;

use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        model::{Alert, Model},
        screen::actions::ask,
        systems::runs::{
            confirmations::{CancelRun, Decide},
            keys,
            keys::{ARTIFACT, NODE},
            pending_approval,
        },
        ui::{
            Target,
            effect::Effect,
            master_detail::run_of,
            state::{Focus, Ui},
            system::SYSTEM,
        },
    },
    ids::{ActionId, TraceId},
    runs,
    tap::entry::Link,
};

/// Whether the keys go to a pane of runs.
pub(crate) fn is_in_run_panes(ui: &Ui) -> bool {
    let panes = [PaneId::Runs, PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts, PaneId::RunHistory];
    matches!(ui.focus, Focus::Pane(pane) if ui.overlays.is_empty() && panes.contains(&pane))
}

/// The run that open details tell of.
fn details_run(ui: &Ui, model: &Model) -> Option<TraceId> {
    let Target::Record(record) = ui.target(model) else { return None };
    keys::run_of(&record.key())
}

/// Whether the keys go to what tells of a run: a pane, or details.
pub(crate) fn concerns_run(ui: &Ui, model: &Model) -> bool {
    is_in_run_panes(ui) || details_run(ui, model).is_some()
}

/// The run that the keys would cancel: the selected one, or the one that a pane or open details tell of.
fn target_run(ui: &Ui, model: &Model) -> Option<TraceId> {
    if !ui.overlays.is_empty() {
        return details_run(ui, model);
    }
    let Focus::Pane(list @ (PaneId::Runs | PaneId::RunHistory)) = ui.focus else {
        return ui.detail_run(model);
    };
    run_of(&ui.selected(list, model)?)
}

/// Why no run would be cancelled.
pub(crate) fn cancel_unavailable(ui: &Ui, model: &Model) -> Option<String> {
    let Some(run) = target_run(ui, model) else { return Some("no run is selected".to_owned()) };
    match model.runs().and_then(|runs| runs.run(run)) {
        None => Some("it has ended: only a run that goes on is cancelled".to_owned()),
        Some(view) if view.state.is_end() => {
            Some(format!("{} has ended: it is {}", view.name, view.state.name()))
        }
        Some(view) if view.state == runs::RunState::Cancelling => {
            Some(format!("{} is on its way to its end", view.name))
        }
        Some(_) => None,
    }
}

/// Asks whether the run is to be cancelled.
pub(crate) fn cancel(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let view = target_run(ui, model).and_then(|run| model.runs()?.run(run));
    let bound = view.map(|view| CancelRun { run: view.run, name: view.name.to_string() });
    ask(ui, bound)
}

/// The question that would be answered: the one that is selected among the alerts, of the node that is
/// selected or told of, or else the first of the run.
fn target_approval(ui: &Ui, model: &Model) -> Option<ActionId> {
    let asks = model.runs()?.asks_in_time();
    let of_run = |run: TraceId| asks.iter().copied().find(|ask| ask.run == run);
    let of_node =
        |run: TraceId, place: u32| asks.iter().copied().find(|ask| ask.run == run && ask.node.index == place);
    let only = || asks.first().copied().filter(|_| asks.len() == 1);
    let ask = match ui.target(model) {
        Target::Approval(ask) => Some(ask),
        Target::Record(record) => {
            let key = record.key();
            let is_alert = |alert: &Alert| alert.cause.is_question();
            match NODE.id(&key) {
                Some((run, index)) => of_node(*run, *index),
                None if SYSTEM.id(&key) == Some(&Link::Runs) => only(),
                None if record.of_type().is_some_and(is_alert) => only(),
                None if ARTIFACT.id(&key).is_some() => None,
                None => of_run(keys::run_of(&key)?),
            }
        }
        Target::Row(pane) if is_in_run_panes(ui) => {
            match ui.selected(pane, model).as_ref().and_then(|key| NODE.id(key)) {
                Some((run, place)) => of_node(*run, *place).or_else(|| of_run(*run)),
                None => of_run(target_run(ui, model)?),
            }
        }
        _ => None,
    };
    ask.map(|ask| ask.action)
}

/// Whether there is a question that would be answered.
pub(crate) fn has_target_approval(ui: &Ui, model: &Model) -> bool {
    target_approval(ui, model).is_some()
}

/// Why no question would be answered.
pub(crate) fn decide_unavailable(action: Action, ui: &Ui, model: &Model) -> Option<String> {
    let words = match target_approval(ui, model) {
        Some(_) => return None,
        None if model.runs().is_none_or(|runs| runs.asks.is_empty()) => "no run asks anything",
        None if is_in_run_panes(ui) => "this run asks nothing: those that ask stand first in the Runs",
        None => "no question is selected: they are the first of the alerts",
    };
    // The key begins a recording elsewhere.
    let records = if action == Action::Reject && is_in_run_panes(ui) {
        "; `:record` starts and stops a recording"
    } else {
        ""
    };
    Some(format!("{words}{records}"))
}

/// Asks whether that is the answer.
pub(crate) fn decide(ui: &mut Ui, model: &Model, approved: bool) -> Vec<Effect> {
    let found = target_approval(ui, model).and_then(|action| pending_approval(model, action));
    let bound = found.map(|ask| Decide { action: ask.action, node: Arc::clone(&ask.node.id), approved });
    ask(ui, bound)
}
