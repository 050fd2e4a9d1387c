//! The actions of runs: cancelling one, answering what one asks, and submitting an opening.

use std::sync::Arc;

use crate::{
    console::{
        input::{action::Action, pane_id::PaneId},
        model::Model,
        systems::runs::{
            confirmations::{CancelRun, Decide},
            keys,
            keys::{ARTIFACT, NODE},
            rating::{RatingOfRun, not_ended},
            submitting,
            submitting::OpeningOfRun,
        },
        ui::{
            Target,
            act::{Act, Resolved, act_if},
            effect::Effect,
            pane::PaneContext,
            state::{Focus, Ui},
            system::SYSTEM,
        },
    },
    ids::TraceId,
    port::Query,
    runs::{self, AskView},
    tap::entry::{Link, alerts::Alert},
};

/// What an action of runs does; nothing where it is none of theirs.
pub(crate) fn act(action: Action, cx: &PaneContext<'_>) -> Option<Resolved> {
    Some(match action {
        Action::Cancel if is_in_run_panes(cx.ui) || details_run(cx.ui, cx.model).is_some() => cancel(cx),
        Action::Again if is_in_run_panes(cx.ui) => again(cx),
        Action::Approve => decide(cx, true),
        Action::Reject => decide(cx, false),
        Action::Rate => rate(cx),
        Action::RateApproved | Action::RateRejected => Err("no rating dialog is open".into()),
        Action::Submit => act_if(
            cx.model.station_state.is_some(),
            || Act::effects(|ui, _| submitting::open(ui)),
            "the station is starting",
        ),
        Action::Params | Action::Files => Err("the submit editor is not open".into()),
        _ => return None,
    })
}

/// Whether the keys go to a pane of runs.
fn is_in_run_panes(ui: &Ui) -> bool {
    let panes = [PaneId::Runs, PaneId::Plan, PaneId::RunEvents, PaneId::Artifacts, PaneId::RunHistory];
    matches!(ui.focus, Focus::Pane(pane) if ui.overlays.is_empty() && panes.contains(&pane))
}

/// The run that open details tell of.
fn details_run(ui: &Ui, model: &Model) -> Option<TraceId> {
    let Target::Record(record) = ui.target(model) else { return None };
    keys::run_of(&record.key())
}

/// The run that the keys would cancel: the selected one, or the one that a pane or open details tell of.
fn target_run(ui: &Ui, model: &Model) -> Option<TraceId> {
    if !ui.overlays.is_empty() {
        return details_run(ui, model);
    }
    let Focus::Pane(list @ (PaneId::Runs | PaneId::RunHistory)) = ui.focus else {
        return ui.detail_run(model);
    };
    keys::run_of(&ui.selected(list, model)?)
}

fn cancel(cx: &PaneContext<'_>) -> Resolved {
    let run = target_run(cx.ui, cx.model).ok_or("no run is selected")?;
    let view = cx.model.runs().and_then(|runs| runs.run(run));
    let view = view.ok_or("already ended: only open runs can be cancelled")?;
    match view.state {
        state if state.is_end() => Err(format!("{} has ended ({})", view.name, state.name()).into()),
        runs::RunState::Cancelling => Err(format!("{} is already being cancelled", view.name).into()),
        _ => Ok(Act::confirm(CancelRun { run: view.run, name: view.name.to_string() })),
    }
}

/// Asks how a run that has ended is rated. Of an open one, a yes could be read as the answer to what it asks.
fn rate(cx: &PaneContext<'_>) -> Resolved {
    let run = rated_run(cx)?;
    let view = cx.model.runs().and_then(|runs| runs.run(run));
    let name = cx.ui.run_name(cx.model, run).unwrap_or_default();
    let name = format!("{name} {}", run.short());
    let name = name.trim_start();
    if view.is_some_and(|view| !view.state.is_end()) {
        return Err(not_ended(name).into());
    }
    let asked = RatingOfRun { run, name: name.to_owned() };
    Ok(Act::Do(vec![Effect::query(Query::Run { run }, asked)]))
}

/// The run that would be rated: that of the panes of runs, of the details or of the trace that is shown.
fn rated_run(cx: &PaneContext<'_>) -> Result<TraceId, &'static str> {
    let PaneContext { ui, model, .. } = *cx;
    match ui.focus {
        Focus::Pane(PaneId::Lifecycle) if ui.overlays.is_empty() => {
            ui.detail_run(model).ok_or("no run is selected")
        }
        Focus::Pane(PaneId::SessionLifecycle) if ui.overlays.is_empty() => {
            Err("sessions are not rated: rate a run, in the Runs")
        }
        Focus::Pane(PaneId::Trace) if ui.overlays.is_empty() => {
            let trace = ui.trace.ok_or("no trace is shown")?;
            let is_run = ui.run_name(model, trace).is_some();
            is_run.then_some(trace).ok_or("the trace shown is of no run that is listed")
        }
        _ => {
            let is_here = is_in_run_panes(ui) || details_run(ui, model).is_some();
            target_run(ui, model).filter(|_| is_here).ok_or("no run is selected")
        }
    }
}

/// Has the opening of a run written once more, as it was submitted.
fn again(cx: &PaneContext<'_>) -> Resolved {
    let run = target_run(cx.ui, cx.model).ok_or("no run is selected")?;
    Ok(Act::Do(vec![Effect::query(Query::Run { run }, OpeningOfRun { run })]))
}

/// The question that would be answered: the one that is selected among the alerts, of the node that is
/// selected or told of, or else the first of the run.
fn target_approval<'a>(ui: &'a Ui, model: &'a Model) -> Option<&'a AskView> {
    let asks = model.runs()?.asks_in_time();
    let of_run = |run: TraceId| asks.iter().copied().find(|ask| ask.run == run);
    let of_node =
        |run: TraceId, place: u32| asks.iter().copied().find(|ask| ask.run == run && ask.node.index == place);
    let only = || asks.first().copied().filter(|_| asks.len() == 1);
    let of_alert = |alert: &Alert| {
        let own = asks.iter().copied().find(|ask| ask.alert_subject() == *alert.subject);
        if alert.is_question() { own.or_else(only) } else { None }
    };
    match ui.target(model) {
        Target::Question(question) => question.of_type(),
        Target::Record(record) => {
            let key = record.key();
            match NODE.id(&key) {
                Some((run, index)) => of_node(*run, *index),
                None if SYSTEM.id(&key) == Some(&Link::Runs) => only(),
                None if record.of_type::<Alert>().is_some() => of_alert(record.of_type()?),
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
    }
}

/// Asks whether that is the answer.
fn decide(cx: &PaneContext<'_>, approved: bool) -> Resolved {
    let PaneContext { model, ui, .. } = *cx;
    if let Some(ask) = target_approval(ui, model) {
        return Ok(Act::confirm(Decide { action: ask.action, node: Arc::clone(&ask.node.id), approved }));
    }
    let why = if model.runs().is_none_or(|runs| runs.asks.is_empty()) {
        "no approval is pending"
    } else if is_in_run_panes(ui) {
        "nothing to approve here; runs awaiting approval are at the top"
    } else {
        "no approval is selected: they are at the top of the alerts"
    };
    Err(why.into())
}
