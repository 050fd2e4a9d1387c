//! Runs: cancelling one, and answering what one asks.

use std::sync::Arc;

use super::{acting::ask, dispatch::say};
use crate::{
    console::{
        action::{Action, Asked, Effect},
        model::{Cause, Model},
        overlays::{Bound, Overlay, Subject, waits},
        pane_id::{ChipId, PaneId},
        selection::RecordKey,
        ui::{Focus, Ui},
    },
    ids::{ActionId, TraceId},
    port::Command,
    runs,
};

/// Whether the keys go to a pane of runs.
pub(super) fn is_among_runs(ui: &Ui) -> bool {
    let panes = [PaneId::Runs, PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts, PaneId::RunHistory];
    matches!((ui.overlays.last(), ui.focus), (None, Focus::Pane(pane)) if panes.contains(&pane))
}

/// The run that open details tell of.
fn run_told(ui: &Ui) -> Option<TraceId> {
    let Some(Overlay::Facts(facts)) = ui.overlays.last() else { return None };
    match &facts.subject {
        Subject::Run(run) | Subject::Node(run, _) | Subject::Artifact(run, _) => Some(*run),
        Subject::StoredRun(row) => Some(row.run),
        Subject::RunLine(line) => Some(line.run),
        _ => None,
    }
}

/// Whether the keys go to what tells of a run: a pane, or details.
pub(crate) fn tells_of_run(ui: &Ui) -> bool {
    is_among_runs(ui) || run_told(ui).is_some()
}

/// The run that the keys would cancel: the selected one, or the one that a pane or open details tell of.
fn run_at_hand(ui: &Ui, model: &Model) -> Option<TraceId> {
    if !ui.overlays.is_empty() {
        return run_told(ui);
    }
    let Focus::Pane(list @ (PaneId::Runs | PaneId::RunHistory)) = ui.focus else {
        return ui.run_shown(model);
    };
    match ui.selected(list, model)? {
        RecordKey::Run(run) | RecordKey::StoredRun(_, run) => Some(run),
        _ => None,
    }
}

/// Why no run would be cancelled.
pub(super) fn cancel_hindrance(ui: &Ui, model: &Model) -> Option<String> {
    let Some(run) = run_at_hand(ui, model) else { return Some("no run is selected".to_owned()) };
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
pub(super) fn cancel(ui: &mut Ui, model: &Model) -> Vec<Effect> {
    let view = run_at_hand(ui, model).and_then(|run| model.runs()?.run(run));
    let bound = view.map(|view| Bound::CancelRun { run: view.run, name: view.name.to_string() });
    ask(ui, bound)
}

/// The question that would be answered: the one that is selected among the alerts, of the node that is
/// selected or told of, or else the first of the run.
fn question_at_hand(ui: &Ui, model: &Model) -> Option<ActionId> {
    let asks = model.runs()?.asks_in_time();
    let of_run = |run: TraceId| asks.iter().copied().find(|ask| ask.run == run);
    let of_node =
        |run: TraceId, place: u32| asks.iter().copied().find(|ask| ask.run == run && ask.node.place == place);
    let only = || asks.first().copied().filter(|_| asks.len() == 1);
    let ask = match (ui.overlays.last(), ui.focus) {
        (Some(Overlay::Tray(tray)), _) => tray.question(model),
        (Some(Overlay::Facts(facts)), _) => match &facts.subject {
            Subject::Node(run, place) => of_node(*run, *place),
            Subject::Run(run) => of_run(*run),
            Subject::StoredRun(row) => of_run(row.run),
            Subject::RunLine(line) => of_run(line.run),
            Subject::Chip(ChipId::Runs) => only(),
            Subject::Alert(alert) if alert.cause == Cause::Asking => only(),
            _ => None,
        },
        (None, Focus::Pane(pane)) if is_among_runs(ui) => match ui.selected(pane, model) {
            Some(RecordKey::Node(run, place)) => of_node(run, place).or_else(|| of_run(run)),
            _ => of_run(run_at_hand(ui, model)?),
        },
        _ => None,
    };
    ask.map(|ask| ask.action)
}

/// Whether there is a question that would be answered.
pub(crate) fn is_question_at_hand(ui: &Ui, model: &Model) -> bool {
    question_at_hand(ui, model).is_some()
}

/// Why no question would be answered.
pub(super) fn decide_hindrance(action: Action, ui: &Ui, model: &Model) -> Option<String> {
    let words = match question_at_hand(ui, model) {
        Some(_) => return None,
        None if model.runs().is_none_or(|runs| runs.asks.is_empty()) => "no run asks anything",
        None if is_among_runs(ui) => "this run asks nothing: those that ask stand first in the Runs",
        None => "no question is selected: they are the first of the alerts",
    };
    // The key begins a recording elsewhere.
    let records = if action == Action::Reject && is_among_runs(ui) {
        "; `:record` starts and stops a recording"
    } else {
        ""
    };
    Some(format!("{words}{records}"))
}

/// Asks whether that is the answer.
pub(super) fn decide(ui: &mut Ui, model: &Model, approved: bool) -> Vec<Effect> {
    let found = question_at_hand(ui, model).and_then(|action| waits(model, action));
    let bound =
        found.map(|ask| Bound::Decide { action: ask.action, node: Arc::clone(&ask.node.id), approved });
    ask(ui, bound)
}

/// Cancels, if the run still goes on.
pub(super) fn confirm_cancel(ui: &mut Ui, model: &Model, run: TraceId, name: &str) -> Vec<Effect> {
    if model.runs().and_then(|runs| runs.run(run)).is_none_or(|view| view.state.is_end()) {
        say(ui, format!("{name} has ended meanwhile: nothing was cancelled"), true, ui.at);
        return Vec::new();
    }
    if model
        .runs()
        .and_then(|runs| runs.run(run))
        .is_some_and(|view| view.state == runs::RunState::Cancelling)
    {
        say(ui, format!("{name} is on its way to its end already: nothing was cancelled"), true, ui.at);
        return Vec::new();
    }
    vec![Effect::Command {
        asked: Asked::CancelRun { name: name.to_owned() },
        command: Command::Runs(runs::Command::Cancel { run }),
    }]
}

/// Answers, if the question still waits.
pub(super) fn confirm_decide(ui: &mut Ui, model: &Model, action: ActionId, approved: bool) -> Vec<Effect> {
    if waits(model, action).is_none() {
        say(ui, "it waits no longer: nothing was answered".to_owned(), true, ui.at);
        return Vec::new();
    }
    let command = Command::Runs(runs::Command::Decide { action, approved, note: None });
    let held = model.runs().is_some_and(|runs| runs.held);
    vec![Effect::Command { asked: Asked::Decide { approved, held }, command }]
}
