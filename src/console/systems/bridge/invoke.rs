//! Giving work by hand: the list of events, then a form, then the answer.

use crate::{
    console::{
        form::Form,
        input::action::{Effect, Purpose},
        model::Model,
        overlays::Overlay,
        screen::dispatch::show_message,
        systems::bridge::Events,
        ui::state::Ui,
    },
    ids::QueueName,
    mpp,
    port::{Command, Outcome, Page, PortError},
    tap::entry::mpp::RowState,
    time::Now,
};

/// Opens the list of events.
pub(crate) fn open_events(ui: &mut Ui) -> Vec<Effect> {
    let (events, effect) = Events::open();
    ui.overlays.push(Overlay::Events(events));
    vec![effect]
}

/// The events came.
pub(crate) fn listed(ui: &mut Ui, page: Result<Page, PortError>) {
    let list = ui.overlays.iter_mut().rev().find_map(|overlay| match overlay {
        Overlay::Events(events) => Some(events),
        _ => None,
    });
    let Some(list) = list else { return };
    match page {
        Ok(Page::Events(rows)) => list.rows = Some(rows),
        Ok(_) => {
            list.error =
                Some("the station answered something else: use the rl-console of its version".to_owned())
        }
        Err(error) => list.error = Some(format!("{error}: {}", error.hint())),
    }
}

/// Opens the form of the selected event, as it was left.
pub(crate) fn open_form(ui: &mut Ui, model: &Model) {
    let Some(Overlay::Events(events)) = ui.overlays.last() else { return };
    let Some(row) = events.selected() else { return };
    let declared =
        model.mpp().into_iter().flat_map(|mpp| &mpp.queues).filter(|(_, queue)| queue.ready_after.is_some());
    let queues: Vec<QueueName> = declared.map(|(name, _)| name.clone()).collect();
    let kept = ui.form_drafts.take(&row.event).filter(|form| form.is_for(row, &queues));
    let form = kept.unwrap_or_else(|| Form::new(row, &queues, ui.limits.console));
    ui.overlays.push(Overlay::Form(Box::new(form)));
}

/// The form that takes the keys.
pub(crate) fn form(ui: &mut Ui) -> Option<&mut Form> {
    match ui.overlays.last_mut() {
        Some(Overlay::Form(form)) => Some(form),
        _ => None,
    }
}

/// Between the fields and the JSON.
pub(crate) fn switch_mode(ui: &mut Ui) -> Vec<Effect> {
    if let Some(form) = form(ui) {
        form.switch_mode();
    }
    Vec::new()
}

/// Puts the defaults in, or what was written before them.
pub(crate) fn toggle_defaults(ui: &mut Ui) -> Vec<Effect> {
    if let Some(form) = form(ui) {
        form.toggle_defaults();
    }
    Vec::new()
}

/// Moves the focus, round at the ends.
pub(crate) fn step(ui: &mut Ui, by: isize) -> Vec<Effect> {
    if let Some(form) = form(ui) {
        let count = form.fields.len();
        let at = (form.focus + count).saturating_add_signed(by) % count;
        form.focus_field(at);
    }
    Vec::new()
}

/// Sends what the form holds.
pub(crate) fn send(ui: &mut Ui) -> Vec<Effect> {
    let number = ui.invoke_count + 1;
    let Some(form) = form(ui) else { return Vec::new() };
    let Some(row) = form.invocation() else { return Vec::new() };
    form.sent = Some(number);
    form.refusal = None;
    ui.invoke_count = number;
    vec![Effect::Command {
        purpose: Purpose::Enqueue { number },
        command: Command::Mpp(mpp::Command::Enqueue { rows: vec![row] }),
    }]
}

/// Keeps what was written in a form that is left.
pub(crate) fn save_draft(ui: &mut Ui, form: Form, now: Now) {
    show_message(ui, format!("what was written for {} is kept", form.event), false, now);
    ui.form_drafts.put(form, ui.limits.console.forms_kept_max);
}

/// The answer: the form closes, or says why not.
pub(crate) fn answered(ui: &mut Ui, number: u64, outcome: Result<Outcome, PortError>, now: Now) {
    let outcome = match outcome {
        Ok(Outcome::Mpp(mpp::Outcome::Enqueued(rows))) => {
            rows.into_iter().next().map(|row| row.map_err(PortError::Refused))
        }
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    };
    let open = ui
        .overlays
        .iter()
        .position(|overlay| matches!(overlay, Overlay::Form(form) if form.sent == Some(number)));
    match outcome {
        Some(Ok(row)) => {
            let what = match row.state {
                RowState::Pending => format!("{} waits on {}", row.id, row.queue),
                state => format!("{} is {} on {}", row.id, state.name(), row.queue),
            };
            show_message(ui, what, row.state == RowState::Failed, now);
            let form = match open.map(|at| ui.overlays.remove(at)) {
                Some(Overlay::Form(form)) => Some(*form),
                _ => None,
            };
            if let Some(mut form) = form {
                (form.sent, form.last_invocation) = (None, Some(row.id));
                ui.form_drafts.put(form, ui.limits.console.forms_kept_max);
            } else if let Some(form) = ui.form_drafts.awaiting(number) {
                (form.sent, form.last_invocation) = (None, Some(row.id));
            }
        }
        Some(Err(error)) => {
            let words = format!("{error}: {}", error.hint());
            if let Some(Overlay::Form(form)) = open.and_then(|at| ui.overlays.get_mut(at)) {
                (form.sent, form.refusal) = (None, Some(words));
            } else {
                if let Some(form) = ui.form_drafts.awaiting(number) {
                    (form.sent, form.refusal) = (None, Some(words.clone()));
                }
                show_message(ui, words, true, now);
            }
        }
        None => show_message(
            ui,
            "the station answered something else: use the rl-console of its version".to_owned(),
            true,
            now,
        ),
    }
}
