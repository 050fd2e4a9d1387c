//! Masks, by the class of what is drawn.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

pub(crate) use crate::field::Class;

/// The classes that are masked at present. Secrets always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MaskPolicy {
    pub(crate) logins: bool,
    pub(crate) payloads: bool,
}

impl MaskPolicy {
    /// The mask while the show is on air, or while it is not.
    pub(crate) const fn for_on_air(on_air: bool) -> Self {
        Self { logins: on_air, payloads: on_air }
    }

    /// Whether anything is masked that would not be off air.
    pub(crate) const fn is_on(self) -> bool {
        self.logins || self.payloads
    }

    /// Whether a text of this class is masked.
    pub(crate) const fn masks(self, class: Class) -> bool {
        match class {
            Class::Public => false,
            Class::Login => self.logins,
            Class::Payload => self.payloads,
            Class::Secret => true,
        }
    }

    /// The class that a text is drawn as that may quote texts of these: the first that is masked, else
    /// anybody may see it.
    pub(crate) fn strictest(self, quoted: impl IntoIterator<Item = Class>) -> Class {
        quoted.into_iter().find(|class| self.masks(*class)).unwrap_or(Class::Public)
    }
}

/// Whether the show is on air. Whoever starts consoles keeps it, so that a screen that is drawn anew after a
/// fault of ours is masked as the one before it was.
#[derive(Clone, Debug, Default)]
pub struct OnAir(Arc<AtomicBool>);

impl OnAir {
    /// A show that is on air, or is not.
    #[must_use]
    pub fn new(is_on: bool) -> Self {
        Self(Arc::new(AtomicBool::new(is_on)))
    }

    /// Whether it is.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// It goes on air, or off.
    pub(crate) fn set(&self, is_on: bool) {
        self.0.store(is_on, Ordering::Relaxed);
    }
}
