//! Who may see what is drawn. All that comes from viewers, peers and payloads carries its class to the one place where text is drawn.

/// Who may see a text: what on-air masking goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Class {
    /// Anybody.
    #[default]
    Public,
    /// The name of a viewer.
    Login,
    /// What a peer or viewer wrote, and the values that work is given.
    Payload,
    /// A token or credential: never drawn.
    #[cfg_attr(not(test), expect(dead_code, reason = "no view has one: it is here so that none ever shows one"))]
    Secret,
}

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
