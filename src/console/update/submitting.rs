//! Submitting an opening: its editor, its params, the files that it is from, the request, and its answer.

use super::dispatch::say;
use crate::{
    console::{
        action::{Asked, Effect},
        model::Model,
        openings::{DeskAnswer, DeskJob, Draft, Recent},
        overlays::{ANSWER, Chosen, Files, Overlay, Sent, Submit},
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
    let submit = Submit::of(ui.openings.draft(), &ui.limits);
    ui.overlays.push(Overlay::Submit(Box::new(submit)));
    Vec::new()
}

/// The editor that is open.
fn editor(ui: &mut Ui) -> Option<&mut Submit> {
    ui.overlays.iter_mut().rev().find_map(|overlay| match overlay {
        Overlay::Submit(submit) => Some(&mut **submit),
        _ => None,
    })
}

/// Leaves the params for the text, and the text for what is below; what was written is kept.
pub(super) fn back(ui: &mut Ui, closes: bool, now: Now) -> Vec<Effect> {
    let limits = ui.limits;
    if let Some(submit) = editor(ui).filter(|submit| submit.shows_params() && !closes) {
        if let Err(why) = submit.turn(&limits) {
            say(ui, why, true, now);
        }
        return Vec::new();
    }
    let Some(Overlay::Submit(submit)) = ui.overlays.pop_if(|top| matches!(top, Overlay::Submit(_))) else {
        return Vec::new();
    };
    if submit.is_blank() {
        return Vec::new();
    }
    say(ui, "what was written of the opening is kept".to_owned(), false, now);
    ui.openings.keep(submit.draft(&limits)).map(Effect::KeepDraft).into_iter().collect()
}

/// To the next fault; among the params, by some rows.
pub(super) fn step(ui: &mut Ui, by: isize) -> Vec<Effect> {
    let limits = ui.limits;
    if let Some(submit) = editor(ui) {
        if submit.shows_params() {
            submit.step(by);
        } else {
            submit.read(true, &limits);
            submit.go_to_fault();
        }
    }
    Vec::new()
}

/// To what holds a submission back, where one is open.
pub(super) fn to_fault(ui: &mut Ui) {
    if let Some(submit) = editor(ui) {
        submit.go_to_fault();
    }
}

/// Begins again with the example.
pub(super) fn begin_again(ui: &mut Ui) -> Vec<Effect> {
    if let Some(submit) = editor(ui) {
        submit.begin_again();
    }
    Vec::new()
}

/// Between the text and its params.
pub(super) fn turn(ui: &mut Ui) -> Vec<Effect> {
    let (limits, at) = (ui.limits, ui.at);
    let turned = editor(ui).map(|submit| {
        submit.read(true, &limits);
        submit.turn(&limits)
    });
    if let Some(Err(why)) = turned {
        say(ui, why, true, at);
    }
    Vec::new()
}

/// Lists what there is to go on with.
pub(super) fn files(ui: &mut Ui) -> Vec<Effect> {
    ui.overlays.push(Overlay::Files(Files::of(&ui.openings)));
    vec![Effect::Desk(Box::new(DeskJob::List))]
}

/// Goes on with what is selected in the list.
pub(super) fn choose(ui: &mut Ui) -> Vec<Effect> {
    let Some(Overlay::Files(files)) = ui.overlays.last() else { return Vec::new() };
    match files.chosen() {
        Some(Chosen::Recent(recent)) => {
            let draft = recent.draft.clone();
            ui.overlays.pop();
            take(ui, draft)
        }
        Some(Chosen::File(file)) => vec![Effect::Desk(Box::new(DeskJob::Text(file.path.clone())))],
        None => Vec::new(),
    }
}

/// Puts a text into the editor. What was written in it stands among the recent ones.
fn take(ui: &mut Ui, draft: Draft) -> Vec<Effect> {
    let (limits, at_ms) = (ui.limits, ui.at.wall);
    let Some(submit) = editor(ui) else { return Vec::new() };
    let left = (!submit.is_blank()).then(|| Recent {
        name: submit.name(),
        at_ms,
        was_run: false,
        draft: submit.draft(&limits),
    });
    submit.take(draft, &limits);
    let is_known =
        |left: &Recent| ui.openings.recent().iter().any(|known| known.draft.text == left.draft.text);
    let left = left.filter(|left| !is_known(left));
    left.map(|left| Effect::KeepRecent(ui.openings.remember(left))).into_iter().collect()
}

/// What came of work on files.
pub(super) fn desk(ui: &mut Ui, answer: DeskAnswer, now: Now) -> Vec<Effect> {
    match answer {
        DeskAnswer::Checked { number, found } => {
            if let Some(submit) = editor(ui) {
                submit.checked(number, found);
            }
            Vec::new()
        }
        DeskAnswer::Listed(shelved) => {
            if let Some(Overlay::Files(files)) = ui.overlays.last_mut() {
                files.take(shelved);
            }
            Vec::new()
        }
        DeskAnswer::Text(path, Ok(text)) => {
            // Whoever left the list meanwhile wants it no longer.
            if ui.overlays.pop_if(|top| matches!(top, Overlay::Files(_))).is_none() {
                return Vec::new();
            }
            take(ui, Draft { text, origin: Some(path) })
        }
        DeskAnswer::Text(path, Err(why)) => {
            say(ui, format!("{}: {why}", path.display()), true, now);
            Vec::new()
        }
        DeskAnswer::Bundled { request, text } => {
            let is_it = |submit: &&mut Submit| submit.sent.is_some_and(|sent| sent.request == request);
            let Some(submit) = editor(ui).filter(is_it) else { return Vec::new() };
            match text {
                Ok(opening_yaml) => {
                    submit.sent = Some(Sent { request, at: now.mono });
                    vec![command(request, opening_yaml)]
                }
                Err(why) => {
                    refuse(ui, request, why, now);
                    Vec::new()
                }
            }
        }
    }
}

fn command(request: TraceId, opening_yaml: String) -> Effect {
    Effect::Command {
        asked: Asked::Submit { request },
        command: Command::Runs(runs::Command::Submit { request, opening_yaml }),
    }
}

/// Sends it, if nothing is wrong with it; what lies beside its file goes with it.
pub(super) fn send(ui: &mut Ui, request: TraceId) -> Vec<Effect> {
    let (limits, at, has_shelf) = (ui.limits, ui.at, ui.openings.has_shelf);
    let Some(submit) = editor(ui) else { return Vec::new() };
    submit.read(true, &limits);
    if let Some(why) = submit.hindrance() {
        submit.go_to_fault();
        say(ui, why, true, at);
        return Vec::new();
    }
    let draft = submit.draft(&limits);
    submit.refusal = None;
    submit.sent = Some(Sent { request, at: at.mono });
    let kept = ui.openings.keep(draft.clone()).map(Effect::KeepDraft);
    let sends = match draft.origin {
        Some(origin) if has_shelf => Effect::Desk(Box::new(DeskJob::Bundle {
            request,
            text: draft.text,
            origin,
            limits: Box::new(limits),
        })),
        _ => command(request, draft.text),
    };
    kept.into_iter().chain([sends]).collect()
}

/// The station took the request, or did not. Whether the run was accepted, its entries tell.
pub(super) fn answered(ui: &mut Ui, request: TraceId, outcome: Result<Outcome, PortError>, now: Now) {
    if let Err(error) = outcome {
        refuse(ui, request, format!("{error}: {}", error.hint()), now);
    }
}

fn refuse(ui: &mut Ui, request: TraceId, why: String, now: Now) {
    match editor(ui).filter(|submit| submit.sent.is_some_and(|sent| sent.request == request)) {
        Some(submit) => {
            submit.sent = None;
            submit.refusal = Some(why);
        }
        None => say(ui, format!("the opening was refused: {why}"), true, now),
    }
}

/// Reads what was written since, keeps it, and looks whether what was sent was answered: an accepted run is
/// followed, a rejected one says why.
pub(super) fn follow(ui: &mut Ui, live: &Model, is_tick: bool, now: Now) -> Vec<Effect> {
    let limits = ui.limits;
    let Some(at) = ui.overlays.iter().position(|overlay| matches!(overlay, Overlay::Submit(_))) else {
        return Vec::new();
    };
    let Some(Overlay::Submit(submit)) = ui.overlays.get_mut(at) else { return Vec::new() };
    submit.read(is_tick, &limits);
    let mut effects = Vec::new();
    if ui.openings.has_shelf {
        effects.extend(submit.check(&limits).map(|job| Effect::Desk(Box::new(job))));
    }
    if is_tick && !submit.is_blank() {
        effects.extend(ui.openings.keep(submit.draft(&limits)).map(Effect::KeepDraft));
    }
    let Some(sent) = submit.sent else { return effects };
    if let Some(view) = live.runs().and_then(|runs| runs.run(sent.request)) {
        let words =
            format!("{} {} is accepted: {}", view.name, sent.request.short(), counted(view.planned, "node"));
        let recent = Recent {
            name: view.name.to_string(),
            at_ms: now.wall,
            was_run: true,
            draft: submit.draft(&limits),
        };
        effects.push(Effect::KeepRecent(ui.openings.remember(recent)));
        ui.overlays.truncate(at);
        show(ui, live, sent.request);
        say(ui, words, false, now);
    } else if let Some(why) = live.run_lines.rejected(sent.request) {
        refuse(ui, sent.request, format!("rejected: {why}"), now);
    } else if now.mono.since(sent.at) >= ANSWER {
        let why = "no answer within 2,000 ms: look among the Runs whether it was accepted before it is sent again, or run doctor";
        refuse(ui, sent.request, why.to_owned(), now);
    }
    effects
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
