//! Giving work by hand: the list of events, then a form, then the answer.

use crate::{
    console::{
        form::Form,
        model::Model,
        records::paged_list::error_text,
        ui::{
            effect::{Effect, OnOutcome},
            message::show_message,
            state::Ui,
        },
    },
    ids::QueueName,
    mpp,
    port::{Command, EventRow, Outcome, PortError},
    tap::entry::mpp::RowState,
    time::Now,
};

/// An answer of another kind came.
pub(super) const OTHER_VERSION: &str =
    "unexpected answer from the station; use the rl-console of its version";

/// Opens the form of an event, as it was left.
pub(super) fn open_form(ui: &mut Ui, model: &Model, row: Option<&EventRow>) {
    let Some(row) = row else { return };
    let declared =
        model.mpp().into_iter().flat_map(|mpp| &mpp.queues).filter(|(_, queue)| queue.ready_after.is_some());
    let queues: Vec<QueueName> = declared.map(|(name, _)| name.clone()).collect();
    let kept = ui.systems.bridge.form_drafts.take(&row.event).filter(|form| form.is_for(row, &queues));
    let form = kept.unwrap_or_else(|| Form::new(row, &queues, ui.limits.console));
    ui.push(form);
}

/// Sends what the form holds.
pub(super) fn send(form: &mut Form, ui: &mut Ui) -> Option<Effect> {
    let row = form.invocation()?;
    ui.systems.bridge.invoke_count += 1;
    let number = ui.systems.bridge.invoke_count;
    (form.sent, form.refusal) = (Some(number), None);
    let command = Command::Mpp(mpp::Command::Enqueue { rows: vec![row] });
    Some(Effect::command(command, Invoke { number }))
}

/// Keeps what was written in a form that is left.
pub(super) fn save_draft(ui: &mut Ui, form: Form) {
    show_message(ui, format!("draft for {} kept", form.event), false, ui.at);
    ui.systems.bridge.form_drafts.put(form, ui.limits.console.forms_kept_max);
}

/// Work given by hand, by the number of the form's command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Invoke {
    pub(crate) number: u64,
}

impl OnOutcome for Invoke {
    /// The form closes, or says why not.
    fn on_outcome(&self, ui: &mut Ui, outcome: Result<Outcome, PortError>, now: Now) -> Vec<Effect> {
        on_enqueued(ui, self.number, outcome, now);
        Vec::new()
    }
}

fn on_enqueued(ui: &mut Ui, number: u64, outcome: Result<Outcome, PortError>, now: Now) {
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
                RowState::Pending => format!("{} pending on {}", row.id, row.queue),
                state => format!("{} is {} on {}", row.id, state.name(), row.queue),
            };
            show_message(ui, what, row.state == RowState::Failed, now);
            if let Some(mut form) = ui.remove_layer(|form: &Form| form.sent == Some(number)) {
                (form.sent, form.last_invocation) = (None, Some(row.id));
                ui.systems.bridge.form_drafts.put(*form, ui.limits.console.forms_kept_max);
            } else if let Some(form) = ui.systems.bridge.form_drafts.awaiting(number) {
                (form.sent, form.last_invocation) = (None, Some(row.id));
            }
        }
        Some(Err(error)) => {
            let words = error_text(&error);
            if let Some(form) = ui.layers_mut::<Form>().find(|form| form.sent == Some(number)) {
                (form.sent, form.refusal) = (None, Some(words));
            } else {
                if let Some(form) = ui.systems.bridge.form_drafts.awaiting(number) {
                    (form.sent, form.refusal) = (None, Some(words.clone()));
                }
                show_message(ui, words, true, now);
            }
        }
        None => show_message(ui, OTHER_VERSION.to_owned(), true, now),
    }
}
