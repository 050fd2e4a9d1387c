//! Filters with a name and a key of their own: `[console.filters.NAME]`.

use super::{Chord, KeyScope};
use crate::{
    console::{draw::glyphs::Glyphs, input::pane_id::PaneId},
    words::nearest,
};

/// A filter of the operator's own: its key opens the pane with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedFilter {
    pub(crate) name: String,
    pub(crate) pane: PaneId,
    /// The filter, as it is written in the pane's line.
    pub(crate) text: String,
    pub(super) chord: Chord,
}

impl NamedFilter {
    /// A filter of a pane with a key, as the configuration has them.
    ///
    /// # Errors
    /// That it is no key, for people.
    pub(crate) fn new(name: &str, key: &str, pane: PaneId, text: &str) -> Result<Self, String> {
        Ok(Self { name: name.to_owned(), pane, text: text.to_owned(), chord: Chord::parse(key)? })
    }

    /// The name of its key, for people.
    pub(crate) fn key(&self, glyphs: &Glyphs) -> String {
        self.chord.name(glyphs)
    }
}

impl PaneId {
    /// The pane of this name in the configuration: as its title has it, in lower case, with `-` or `_` for
    /// blanks.
    ///
    /// # Errors
    /// What to do about it.
    pub(crate) fn by_configured_name(name: &str) -> Result<Self, String> {
        let wanted = name.to_lowercase().replace([' ', '_'], "-");
        let known =
            || Self::ALL.iter().copied().filter(|pane| KeyScope::VIEWS.contains(&KeyScope::Pane(*pane)));
        let found = known().find(|pane| {
            pane.configured_name() == wanted || pane.old_names().iter().any(|old| configured(old) == wanted)
        });
        found.ok_or_else(|| {
            let names: Vec<String> = known().map(Self::configured_name).collect();
            match nearest(&wanted, names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("the panes are {}", names.join(", ")),
            }
        })
    }

    fn configured_name(self) -> String {
        configured(self.name())
    }
}

/// A pane's name as the configuration has it.
fn configured(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}
