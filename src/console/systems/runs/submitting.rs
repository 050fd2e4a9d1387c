//! Submitting an opening: its editor, its params, the files that it is from, the request, and its answer.

use crate::{
    console::{
        input::{pane_id::PaneId, view_id::ViewId},
        model::Model,
        records::{paged_list::error_text, system_state::SystemState},
        settings::shell::Shell,
        systems::runs::{
            ANSWER_TIMEOUT, Files, PendingRequest, Submit,
            keys::RUN,
            openings::{Draft, OpeningDrafts, Recent},
        },
        ui::{
            act::ActContext,
            effect::{Effect, OnOutcome, OnPage},
            layers::cast_mut,
            message::show_message,
            state::{Focus, Ui},
        },
        worker::{OpeningAnswer, OpeningJob},
    },
    ids::TraceId,
    limits,
    port::{Command, Outcome, Page, PortError},
    runs,
    time::Now,
    words::counted,
};

/// Takes the drafts that were kept.
pub(super) fn begin(systems: &mut SystemState, shell: &Shell, limits: &limits::Console) {
    let (draft, recent) = (shell.draft.as_deref(), shell.recent.as_deref());
    systems.runs.opening_drafts = OpeningDrafts::new(draft, recent, shell.opening_files.is_some(), limits);
}

/// Opens the editor, with what was written in it before.
pub(crate) fn open(ui: &mut Ui) -> Vec<Effect> {
    let submit = Submit::of(ui.systems.runs.opening_drafts.draft(), &ui.limits);
    ui.push(submit);
    Vec::new()
}

/// The opening of a run, to be submitted once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpeningOfRun {
    pub(crate) run: TraceId,
}

impl OnPage for OpeningOfRun {
    /// The editor opens with it, unless the operator has turned to something else.
    fn on_page(&self, ui: &mut Ui, page: Result<Page, PortError>, now: Now) {
        let run = self.run.short();
        let why = match page {
            Ok(Page::Run(Some(_))) if !ui.overlays.is_empty() => {
                format!("opening of {run} not opened: something else was opened meanwhile")
            }
            Ok(Page::Run(Some(detail))) => {
                ui.systems.runs.again = Some(Draft { text: detail.yaml, origin: None });
                return;
            }
            Ok(_) => format!("run {run} is no longer stored"),
            Err(error) => error_text(&error),
        };
        show_message(ui, why, true, now);
    }
}

/// Opens the editor with the opening of a run. The draft that was written before is kept among the recent
/// ones.
fn open_again(ui: &mut Ui) -> Vec<Effect> {
    let Some(draft) = ui.systems.runs.again.take() else { return Vec::new() };
    let mut effects = open(ui);
    effects.extend(load_draft(ui, draft));
    effects
}

/// The editor that is open.
fn editor(ui: &mut Ui) -> Option<&mut Submit> {
    ui.layers_mut().next()
}

/// Leaves the params for the text.
pub(crate) fn leave_params(submit: &mut Submit, ui: &mut Ui) {
    if let Err(why) = submit.toggle_params(&ui.limits) {
        show_message(ui, why, true, ui.at);
    }
}

/// Keeps what was written in an editor that is left.
pub(crate) fn keep(submit: &Submit, ui: &mut Ui) -> Vec<Effect> {
    if submit.is_blank() {
        return Vec::new();
    }
    show_message(ui, "draft of the opening kept".to_owned(), false, ui.at);
    let draft = submit.draft(&ui.limits);
    ui.systems.runs.opening_drafts.save_draft(draft).map(Effect::SaveDraft).into_iter().collect()
}

/// Between the text and its params.
pub(crate) fn switch_mode(submit: &mut Submit, ui: &mut Ui) {
    submit.read(true, &ui.limits);
    leave_params(submit, ui);
}

/// Lists what there is to go on with.
pub(crate) fn list_files(ui: &mut Ui) -> Vec<Effect> {
    ui.push(Files::of(&ui.systems.runs.opening_drafts));
    vec![Effect::Opening(Box::new(OpeningJob::List))]
}

/// Puts a text into the editor. What was written in it stands among the recent ones.
pub(crate) fn load_draft(ui: &mut Ui, draft: Draft) -> Vec<Effect> {
    let (limits, at_ms) = (ui.limits, ui.at.wall);
    let Some(submit) = editor(ui) else { return Vec::new() };
    let left = (!submit.is_blank()).then(|| Recent {
        name: submit.name(),
        at_ms,
        was_run: false,
        draft: submit.draft(&limits),
    });
    submit.replace(draft, &limits);
    let is_known = |left: &Recent| {
        ui.systems.runs.opening_drafts.recent().iter().any(|known| known.draft.text == left.draft.text)
    };
    let left = left.filter(|left| !is_known(left));
    left.map(|left| Effect::SaveRecent(ui.systems.runs.opening_drafts.save_recent(left)))
        .into_iter()
        .collect()
}

impl OpeningAnswer {
    /// Takes what came of work on files.
    pub(crate) fn apply(self, ui: &mut Ui, now: Now) -> Vec<Effect> {
        match self {
            Self::Checked { number, found } => {
                if let Some(submit) = editor(ui) {
                    submit.on_checked(number, found);
                }
            }
            Self::Listed(shelved) => {
                if let Some(files) = ui.top_mut::<Files>() {
                    files.set_listing(shelved);
                }
            }
            Self::Text(path, Ok(text)) => {
                // Whoever left the list meanwhile wants it no longer.
                if ui.pop_top::<Files>().is_some() {
                    return load_draft(ui, Draft { text, origin: Some(path) });
                }
            }
            Self::Text(path, Err(why)) => {
                show_message(ui, format!("{}: {why}", path.display()), true, now);
            }
            Self::Bundled { request, text } => {
                let is_it = |submit: &&mut Submit| submit.sent.is_some_and(|sent| sent.request == request);
                let Some(submit) = editor(ui).filter(is_it) else { return Vec::new() };
                match text {
                    Ok(opening_yaml) => {
                        submit.sent = Some(PendingRequest { request, at: now.mono });
                        return vec![command(request, opening_yaml)];
                    }
                    Err(why) => refuse(ui, request, why, now),
                }
            }
        }
        Vec::new()
    }
}

fn command(request: TraceId, opening_yaml: String) -> Effect {
    let submit = runs::Command::Submit { request, opening_yaml, traceparent: None };
    Effect::command(Command::Runs(submit), Submission { request })
}

/// Sends it, if nothing is wrong with it; what lies beside its file goes with it.
pub(crate) fn send(submit: &mut Submit, ui: &mut Ui, request: TraceId) -> Vec<Effect> {
    let (limits, at, has_shelf) = (ui.limits, ui.at, ui.systems.runs.opening_drafts.has_files);
    submit.read(true, &limits);
    if let Some(why) = submit.unavailable() {
        submit.go_to_fault();
        show_message(ui, why, true, at);
        return Vec::new();
    }
    let draft = submit.draft(&limits);
    submit.refusal = None;
    submit.sent = Some(PendingRequest { request, at: at.mono });
    let kept = ui.systems.runs.opening_drafts.save_draft(draft.clone()).map(Effect::SaveDraft);
    let sends = match draft.origin {
        Some(origin) if has_shelf => Effect::Opening(Box::new(OpeningJob::Bundle {
            request,
            text: draft.text,
            origin,
            limits: Box::new(limits),
        })),
        _ => command(request, draft.text),
    };
    kept.into_iter().chain([sends]).collect()
}

/// A request to run an opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Submission {
    pub(crate) request: TraceId,
}

impl OnOutcome for Submission {
    /// The station took the request, or did not. Whether the run was accepted, its entries tell.
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        if let Err(error) = outcome {
            refuse(ui, self.request, error_text(&error), now);
        }
        Vec::new()
    }
}

fn refuse(ui: &mut Ui, request: TraceId, why: String, now: Now) {
    match editor(ui).filter(|submit| submit.sent.is_some_and(|sent| sent.request == request)) {
        Some(submit) => {
            submit.sent = None;
            submit.refusal = Some(why);
        }
        None => show_message(ui, format!("opening refused: {why}"), true, now),
    }
}

/// Reads what was written since, keeps it, and looks whether what was sent was answered: an accepted run is
/// followed, a rejected one says why.
pub(super) fn follow(ui: &mut Ui, cx: &ActContext<'_>, is_tick: bool) -> Vec<Effect> {
    let (limits, ActContext { live, now, .. }) = (ui.limits, *cx);
    let mut effects = open_again(ui);
    let found = ui.overlays.iter_mut().enumerate().find_map(|(at, layer)| Some((at, cast_mut(layer)?)));
    let Some((at, submit)): Option<(usize, &mut Submit)> = found else { return effects };
    submit.read(is_tick, &limits);
    if ui.systems.runs.opening_drafts.has_files {
        effects.extend(submit.check(&limits).map(|job| Effect::Opening(Box::new(job))));
    }
    if is_tick && !submit.is_blank() {
        effects
            .extend(ui.systems.runs.opening_drafts.save_draft(submit.draft(&limits)).map(Effect::SaveDraft));
    }
    let Some(sent) = submit.sent else { return effects };
    if let Some(view) = live.runs().and_then(|runs| runs.run(sent.request)) {
        let words =
            format!("{} {} accepted: {}", view.name, sent.request.short(), counted(view.planned, "node"));
        let recent = Recent {
            name: view.name.to_string(),
            at_ms: now.wall,
            was_run: true,
            draft: submit.draft(&limits),
        };
        effects.push(Effect::SaveRecent(ui.systems.runs.opening_drafts.save_recent(recent)));
        ui.overlays.truncate(at);
        show(ui, live, sent.request);
        show_message(ui, words, false, now);
    } else if let Some(why) = live.runs.rejected(sent.request) {
        refuse(ui, sent.request, format!("rejected: {why}"), now);
    } else if now.mono.since(sent.at) >= ANSWER_TIMEOUT {
        let why = "no answer within 2,000 ms: check the Runs for it before sending it again, or run `doctor`";
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
        if let Some(row) = keys.row(&RUN.of(run)) {
            selection.select(row, keys, 1);
        }
    });
    ui.systems.runs.run = Some(run);
    ui.drop_arranged();
}
