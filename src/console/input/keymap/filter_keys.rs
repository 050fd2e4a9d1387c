//! The keys of named filters beside those of actions.

use crossterm::event::KeyEvent;

use super::{Chord, KeyRow, KeyScope, Keymap, NamedFilter};
use crate::console::input::action::Action;

/// What a named filter's key means besides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TakenKey {
    /// The filter.
    pub(crate) filter: String,
    /// Its key.
    pub(crate) key: String,
    /// The action or the filter that has the key already, with where it works.
    pub(crate) by: String,
}

impl Keymap {
    /// The keymap with these filters, and which of their keys mean something else already.
    pub(crate) fn with_filters(mut self, filters: Vec<NamedFilter>) -> (Self, Vec<TakenKey>) {
        let taken = filters.iter().enumerate().filter_map(|(at, filter)| {
            let by = self
                .action_in_views(filter.chord)
                .map(|(action, place)| format!("`{}` in {}", action.name(), place.name()));
            let earlier = filters[..at].iter().find(|other| other.chord == filter.chord);
            let by = by.or_else(|| earlier.map(|other| format!("the filter `{}`", other.name)))?;
            Some(TakenKey { filter: filter.name.clone(), key: filter.chord.spelled(), by })
        });
        let taken = taken.collect();
        self.filters = filters;
        (self, taken)
    }

    fn action_in_views(&self, chord: Chord) -> Option<(Action, KeyScope)> {
        KeyScope::VIEWS.iter().find_map(|place| {
            let bound = self.bindings(*place).find(|binding| binding.keys.contains(&chord))?;
            Some((bound.action, *place))
        })
    }

    /// The named filters, where their keys work: in panes and on the chips.
    pub(crate) fn filters_in(&self, scope: KeyScope) -> &[NamedFilter] {
        if KeyScope::VIEWS.contains(&scope) { &self.filters } else { &[] }
    }

    /// All named filters.
    pub(crate) fn filters(&self) -> &[NamedFilter] {
        &self.filters
    }

    /// The named filters with their keys.
    pub(super) fn filter_rows(&self) -> impl Iterator<Item = KeyRow> {
        self.filters.iter().map(|filter| KeyRow {
            action: filter.name.clone().into(),
            keys: vec![filter.chord.spelled()],
            scopes: KeyScope::VIEWS.iter().copied().map(KeyScope::name).collect(),
            about: format!("Open {} with the filter {}", filter.pane.name(), filter.text).into(),
            own: true,
            is_filter: true,
        })
    }

    /// The named filter that a key asks for.
    pub(crate) fn filter_of(&self, scope: KeyScope, key: KeyEvent) -> Option<&NamedFilter> {
        let chord = Chord::of(key);
        self.filters_in(scope).iter().find(|filter| filter.chord == chord)
    }
}
