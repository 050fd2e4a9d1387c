//! Submitting an opening: its editor, the request, and its answer.

use super::dispatch::say;
use crate::{
    console::{
        action::{Asked, Effect},
        model::Model,
        overlays::{ANSWER, Overlay, Submit},
        pane_id::PaneId,
        selection::RecordKey,
        ui::{Focus, Ui},
        view_id::ViewId,
    },
    ids::TraceId,
    port::{Command, Outcome, PortError},
    runs,
    time::Now,
    words::counted,
};

/// Opens the editor, with what was written in it before.
pub(super) fn open(ui: &mut Ui) -> Vec<Effect> {
    let submit = Submit::of(ui.draft.as_deref(), &ui.limits);
    ui.overlays.push(Overlay::Submit(Box::new(submit)));
    Vec::new()
}

/// The editor that takes the keys.
fn editor(ui: &mut Ui) -> Option<&mut Submit> {
    match ui.overlays.last_mut() {
        Some(Overlay::Submit(submit)) => Some(submit),
        _ => None,
    }
}

/// Keeps what was written in an editor that is left.
pub(super) fn keep(ui: &mut Ui, submit: &Submit, now: Now) {
    if !submit.is_blank() {
        ui.draft = Some(submit.text());
        say(ui, "what was written of the opening is kept".to_owned(), false, now);
    }
}

/// To the next fault.
pub(super) fn to_fault(ui: &mut Ui) -> Vec<Effect> {
    let limits = ui.limits;
    if let Some(submit) = editor(ui) {
        submit.read(&limits);
        submit.go_to_fault();
    }
    Vec::new()
}

/// Sends it, if nothing is wrong with it.
pub(super) fn send(ui: &mut Ui, request: TraceId) -> Vec<Effect> {
    let (limits, at) = (ui.limits, ui.at);
    let Some(submit) = editor(ui) else { return Vec::new() };
    submit.read(&limits);
    if let Some(why) = submit.hindrance() {
        submit.go_to_fault();
        say(ui, why, true, at);
        return Vec::new();
    }
    let opening_yaml = submit.text();
    submit.refusal = None;
    submit.sent = Some(crate::console::overlays::Sent { request, at: at.mono });
    ui.draft = Some(opening_yaml.clone());
    vec![Effect::Command { asked: Asked::Submit { request }, command: Command::Runs(runs::Command::Submit { request, opening_yaml }) }]
}

/// The station took the request, or did not. Whether the run was accepted, its entries tell.
pub(super) fn answered(ui: &mut Ui, request: TraceId, outcome: Result<Outcome, PortError>, now: Now) {
    if let Err(error) = outcome {
        refuse(ui, request, format!("{error}: {}", error.hint()), now);
    }
}

fn refuse(ui: &mut Ui, request: TraceId, why: String, now: Now) {
    let open = ui.overlays.iter_mut().find_map(|overlay| match overlay {
        Overlay::Submit(submit) if submit.sent.is_some_and(|sent| sent.request == request) => Some(submit),
        _ => None,
    });
    match open {
        Some(submit) => {
            submit.sent = None;
            submit.refusal = Some(why);
        }
        None => say(ui, format!("the opening was refused: {why}"), true, now),
    }
}

/// Reads what was written since, and looks whether what was sent was answered: an accepted run is followed, a rejected one says why.
pub(super) fn follow(ui: &mut Ui, live: &Model, is_tick: bool, now: Now) {
    let limits = ui.limits;
    let Some(at) = ui.overlays.iter().position(|overlay| matches!(overlay, Overlay::Submit(_))) else { return };
    let Some(Overlay::Submit(submit)) = ui.overlays.get_mut(at) else { return };
    if is_tick {
        submit.read(&limits);
    }
    let Some(sent) = submit.sent else { return };
    if let Some(view) = live.runs().and_then(|runs| runs.run(sent.request)) {
        let words = format!("{} {} is accepted: {}", view.name, sent.request.short(), counted(view.planned, "node"));
        ui.overlays.remove(at);
        show(ui, live, sent.request);
        say(ui, words, false, now);
    } else if let Some(why) = live.run_lines.rejected(sent.request) {
        refuse(ui, sent.request, format!("rejected: {why}"), now);
    } else if now.mono.since(sent.at) >= ANSWER {
        let why = "no answer within 2,000 ms: look among the Runs whether it was accepted before it is sent again, or run doctor";
        refuse(ui, sent.request, why.to_owned(), now);
    }
}

/// Turns to a run.
fn show(ui: &mut Ui, live: &Model, run: TraceId) {
    ui.show(ViewId::Runs);
    ui.zoomed = None;
    ui.focus = Focus::Pane(PaneId::Runs);
    ui.select_in(PaneId::Runs, live, |selection, keys| {
        if let Some(row) = keys.row(&RecordKey::Run(run)) {
            selection.select(row, keys, 1);
        }
    });
    ui.run = Some(run);
}
