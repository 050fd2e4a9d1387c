//! What an action does here and now, or why it does nothing: found once, for the footer and for the dispatch.

use super::{Layer, confirm::Confirm, effect::Effect, layers::cast_mut, state::Ui};
use crate::{
    console::{draw::class::Class, model::Model, settings::view::View},
    time::Now,
};

/// Why an action would do nothing, with what to do instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable {
    pub(crate) text: String,
    /// Who may read it: what quotes a payload is masked on air.
    pub(crate) class: Class,
}

impl Unavailable {
    /// Says what is wrong with what was written, and quotes it.
    pub(crate) fn quoting(text: String) -> Self {
        Self { text, class: Class::Payload }
    }
}

impl From<String> for Unavailable {
    fn from(text: String) -> Self {
        Self { text, class: Class::Public }
    }
}

impl From<&str> for Unavailable {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// What an action does, or why nothing.
pub(crate) type Resolved = Result<Act, Unavailable>;

/// What an action is carried out with.
#[derive(Clone, Copy)]
pub(crate) struct ActContext<'a> {
    /// The model that is acted on: the past, for what only looks at it.
    pub(crate) model: &'a Model,
    pub(crate) live: &'a Model,
    pub(crate) view: &'a View,
    pub(crate) now: Now,
}

/// A change of the screen, with what is to be done outside it then.
type Change = dyn FnOnce(&mut Ui, &ActContext<'_>) -> Vec<Effect>;

/// What an action does.
pub(crate) enum Act {
    /// Opens a layer.
    Open(Box<dyn Layer>),
    /// Asks a question first.
    Confirm(Box<dyn Confirm>),
    /// Has something done outside the user interface.
    Do(Vec<Effect>),
    /// Changes the screen.
    Change(Box<Change>),
}

impl Act {
    /// Opens a layer.
    pub(crate) fn open(layer: impl Layer) -> Self {
        Self::Open(Box::new(layer))
    }

    /// Asks a question first.
    pub(crate) fn confirm(question: impl Confirm + 'static) -> Self {
        Self::Confirm(Box::new(question))
    }

    /// Changes the screen, and has something done then.
    pub(crate) fn effects(change: impl FnOnce(&mut Ui, &ActContext<'_>) -> Vec<Effect> + 'static) -> Self {
        Self::Change(Box::new(change))
    }

    /// Changes the topmost layer, which is of this type, and the screen, which is without it meanwhile; has
    /// something done then.
    pub(crate) fn layer_effects<L: Layer>(
        change: impl FnOnce(&mut L, &mut Ui, &ActContext<'_>) -> Vec<Effect> + 'static,
    ) -> Self {
        Self::effects(move |ui, cx| {
            let done = ui.with_top(|layer, ui| cast_mut(layer).map(|layer| change(layer, ui, cx)));
            done.flatten().unwrap_or_default()
        })
    }

    /// Changes the topmost layer, which is of this type, and the screen alone.
    pub(crate) fn layer<L: Layer>(change: impl FnOnce(&mut L, &mut Ui, &ActContext<'_>) + 'static) -> Self {
        Self::layer_effects(move |layer, ui, cx| {
            change(layer, ui, cx);
            Vec::new()
        })
    }

    /// Closes the topmost layer, which is of this type.
    pub(crate) fn close<L: Layer>(
        then: impl FnOnce(L, &mut Ui, &ActContext<'_>) -> Vec<Effect> + 'static,
    ) -> Self {
        Self::effects(move |ui, cx| ui.pop_top().map_or_else(Vec::new, |layer| then(*layer, ui, cx)))
    }

    /// Changes the screen alone.
    pub(crate) fn change(change: impl FnOnce(&mut Ui, &ActContext<'_>) + 'static) -> Self {
        Self::effects(move |ui, cx| {
            change(ui, cx);
            Vec::new()
        })
    }
}

/// The act while a condition holds; why not otherwise.
pub(crate) fn act_if(holds: bool, act: impl FnOnce() -> Act, why: &str) -> Resolved {
    if holds { Ok(act()) } else { Err(why.into()) }
}
