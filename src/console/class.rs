//! What is masked, by the class of what is drawn.

pub(crate) use crate::field::Class;

/// The classes that are masked at present. Secrets always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Veil {
    pub(crate) logins: bool,
    pub(crate) payloads: bool,
}

impl Veil {
    /// Whether a text of this class is masked.
    pub(crate) const fn hides(self, class: Class) -> bool {
        match class {
            Class::Public => false,
            Class::Login => self.logins,
            Class::Payload => self.payloads,
            Class::Secret => true,
        }
    }
}
