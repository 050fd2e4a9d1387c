//! A question before something that cannot be taken back, as its system asks it: what it is bound to, what it
//! says, and what a yes does.

use std::fmt::Debug;

use crate::console::{
    draw::theme::Role,
    input::{action::Action, keymap::KeyScope},
    model::Model,
    records::ManualPlace,
    settings::view::View,
    ui::{effect::Effect, state::Ui},
};

/// The reason that is recorded where an operator writes none.
pub(crate) const DEFAULT_REASON: &str = "by the operator";

/// The answers that a question takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// Yes or no; this verb says what a yes does.
    YesNo(&'static str),
    /// The same, and whether a refund is recorded.
    Refund(&'static str),
    /// The same, and why.
    Reason(&'static str),
    /// Done or failed, or neither.
    Outcome,
    /// Approved or rejected, with a note, or neither.
    Rating,
    /// Detach or stop, or neither.
    Leave,
}

impl Answers {
    /// Where their keys are bound.
    pub(crate) const fn key_scope(self) -> KeyScope {
        match self {
            Self::YesNo(_) => KeyScope::Dialog,
            Self::Refund(_) => KeyScope::CancelDialog,
            Self::Reason(_) => KeyScope::ReasonDialog,
            Self::Outcome => KeyScope::SettleDialog,
            Self::Rating => KeyScope::RateDialog,
            Self::Leave => KeyScope::QuitDialog,
        }
    }

    /// What a yes does.
    pub(crate) const fn verb(self) -> Option<&'static str> {
        match self {
            Self::YesNo(verb) | Self::Refund(verb) | Self::Reason(verb) => Some(verb),
            Self::Outcome | Self::Rating | Self::Leave => None,
        }
    }

    /// What the line of text is called that comes with an answer, and what is there where none is written.
    pub(crate) const fn text(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Reason(_) => Some(("reason", DEFAULT_REASON)),
            Self::Rating => Some(("note", "none")),
            Self::YesNo(_) | Self::Refund(_) | Self::Outcome | Self::Leave => None,
        }
    }
}

/// An answer other than no.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer<'a> {
    /// The action of the key that gave it.
    pub(crate) chosen: Action,
    /// Whether a refund is recorded.
    pub(crate) refund: bool,
    /// Why, where that was written.
    pub(crate) reason: Option<&'a str>,
}

/// A question. It is bound to the same record whatever happens behind the dialog.
pub(crate) trait Confirm: Debug {
    /// Its title.
    fn title(&self) -> String;

    /// What it says now: what hangs on the record, and what changed since it was asked. `refund` is the
    /// answer as it is so far.
    fn describe(&self, refund: bool, model: &Model, view: &View) -> Vec<(String, Role)>;

    /// Where the manual describes what is asked.
    fn manual_place(&self) -> ManualPlace;

    /// The answers that it takes.
    fn answers(&self) -> Answers;

    /// The line of text that comes with an answer, as it is before something is written.
    fn text_before(&self) -> Option<&str> {
        None
    }

    /// Does what was asked for.
    ///
    /// # Errors
    /// Why nothing was done: the record has changed meanwhile.
    fn commit(&self, answer: Answer<'_>, ui: &mut Ui, model: &Model) -> Result<Vec<Effect>, String>;
}
