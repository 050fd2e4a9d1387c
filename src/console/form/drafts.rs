//! Forms that were left: a draft, or what was sent last. They come back as they were.

use super::Form;
use crate::ids::EventName;

/// The forms that were left, the latest last; past the bound the oldest is let go.
#[derive(Debug, Default)]
pub(crate) struct FormDrafts {
    forms: Vec<Form>,
}

impl FormDrafts {
    /// Keeps a form in the place of an earlier one of its event.
    pub(crate) fn put(&mut self, mut form: Form, forms_max: u64) {
        form.stop_typing();
        self.forms.retain(|known| known.event != form.event);
        self.forms.push(form);
        let over = self.forms.len().saturating_sub(usize::try_from(forms_max).unwrap_or(usize::MAX));
        self.forms.drain(..over);
    }

    /// Takes the form of an event out.
    pub(crate) fn take(&mut self, event: &EventName) -> Option<Form> {
        let at = self.forms.iter().position(|form| form.event == *event)?;
        Some(self.forms.remove(at))
    }

    /// The form of an event.
    pub(crate) fn of(&self, event: &EventName) -> Option<&Form> {
        self.forms.iter().find(|form| form.event == *event)
    }

    /// The form that waits for the answer of this number.
    pub(crate) fn awaiting(&mut self, number: u64) -> Option<&mut Form> {
        self.forms.iter_mut().find(|form| form.sent == Some(number))
    }
}
