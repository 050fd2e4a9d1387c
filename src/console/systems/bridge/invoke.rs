//! Giving work by hand: the list of events, then a form, then the answer.

use crate::{
    console::{
        form::Form,
        model::Model,
        systems::bridge::Events,
        ui::{
            effect::{Effect, Purpose},
            message::show_message,
            state::Ui,
        },
    },
    ids::QueueName,
    mpp,
    port::{Command, EventRow, Outcome, Page, PortError},
    tap::entry::mpp::RowState,
    time::Now,
};

/// Opens the list of events.
pub(crate) fn open_events(ui: &mut Ui) -> Vec<Effect> {
    let (events, effect) = Events::open();
    ui.push(events);
    vec![effect]
}

/// The events came.
pub(crate) fn listed(ui: &mut Ui, page: Result<Page, PortError>) {
    let Some(list) = ui.layers_mut::<Events>().next() else { return };
    match page {
        Ok(Page::Events(rows)) => list.rows = Some(rows),
        Ok(_) => {
            list.error =
                Some("the station answered something else: use the rl-console of its version".to_owned());
        }
        Err(error) => list.error = Some(format!("{error}: {}", error.hint())),
    }
}

/// Opens the form of an event, as it was left.
pub(super) fn open_form(ui: &mut Ui, model: &Model, row: &EventRow) {
    let declared =
        model.mpp().into_iter().flat_map(|mpp| &mpp.queues).filter(|(_, queue)| queue.ready_after.is_some());
    let queues: Vec<QueueName> = declared.map(|(name, _)| name.clone()).collect();
    let kept = ui.form_drafts.take(&row.event).filter(|form| form.is_for(row, &queues));
    let form = kept.unwrap_or_else(|| Form::new(row, &queues, ui.limits.console));
    ui.push(form);
}

/// Sends what the form holds.
pub(super) fn send(form: &mut Form, ui: &mut Ui) -> Option<Effect> {
    let row = form.invocation()?;
    ui.invoke_count += 1;
    let number = ui.invoke_count;
    (form.sent, form.refusal) = (Some(number), None);
    let command = Command::Mpp(mpp::Command::Enqueue { rows: vec![row] });
    Some(Effect::Command { purpose: Purpose::Enqueue { number }, command })
}

/// Keeps what was written in a form that is left.
pub(super) fn save_draft(ui: &mut Ui, form: Form) {
    show_message(ui, format!("what was written for {} is kept", form.event), false, ui.at);
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
    match outcome {
        Some(Ok(row)) => {
            let what = match row.state {
                RowState::Pending => format!("{} waits on {}", row.id, row.queue),
                state => format!("{} is {} on {}", row.id, state.name(), row.queue),
            };
            show_message(ui, what, row.state == RowState::Failed, now);
            if let Some(mut form) = ui.remove_layer(|form: &Form| form.sent == Some(number)) {
                (form.sent, form.last_invocation) = (None, Some(row.id));
                ui.form_drafts.put(*form, ui.limits.console.forms_kept_max);
            } else if let Some(form) = ui.form_drafts.awaiting(number) {
                (form.sent, form.last_invocation) = (None, Some(row.id));
            }
        }
        Some(Err(error)) => {
            let words = format!("{error}: {}", error.hint());
            if let Some(form) = ui.layers_mut::<Form>().find(|form| form.sent == Some(number)) {
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
