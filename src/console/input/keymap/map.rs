//! The keymap in force.

use std::{borrow::Cow, collections::BTreeSet};

use crossterm::event::KeyEvent;

use super::{
    Chord, KeyScope, NamedFilter,
    table::{Binding, TABLE},
};
use crate::console::{draw::glyphs::Glyphs, input::action::Action};

/// Which key means what, where. The default is the shipped one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    pub(super) bindings: Vec<Binding>,
    /// The actions whose keys are the user's own.
    pub(super) own: BTreeSet<Action>,
    /// The named filters; their keys mean nothing else in panes.
    pub(super) filters: Vec<NamedFilter>,
}

/// An action, or a named filter, as scripts and the configuration see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRow {
    /// Its name: the key in `[console.keys]`, or in `[console.filters]`, and what the palette takes.
    pub action: Cow<'static, str>,
    /// Its keys, as the configuration writes them.
    pub keys: Vec<String>,
    /// Where they work.
    pub scopes: Vec<&'static str>,
    /// What it does.
    pub about: Cow<'static, str>,
    /// Whether the keys are the user's own.
    pub own: bool,
    /// Whether it is a named filter.
    pub is_filter: bool,
}

impl Default for Keymap {
    fn default() -> Self {
        Self {
            bindings: TABLE.iter().map(super::table::ShippedBinding::binding).collect(),
            own: BTreeSet::new(),
            filters: Vec::new(),
        }
    }
}

impl Keymap {
    /// What a key means in a place.
    pub(crate) fn lookup(&self, scope: KeyScope, key: KeyEvent) -> Option<Action> {
        let chord = Chord::of(key);
        self.bindings(scope).find(|binding| binding.keys.contains(&chord)).map(|binding| binding.action)
    }

    /// The keys of a place, the most used first.
    pub(crate) fn bindings(&self, scope: KeyScope) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |binding| binding.scopes.contains(&scope))
    }

    /// The name of the first key of an action, wherever it is bound; its own name when it has none.
    pub(crate) fn key_of(&self, action: Action, glyphs: &Glyphs) -> String {
        let mut keys =
            self.bindings.iter().filter(|binding| binding.action == action).flat_map(|binding| &binding.keys);
        keys.next().map_or_else(|| format!(":{}", action.name()), |chord| chord.name(glyphs))
    }

    /// The keys of an action in a place.
    pub(crate) fn keys_in(&self, scope: KeyScope, action: Action) -> impl Iterator<Item = Chord> {
        self.bindings(scope)
            .filter(move |binding| binding.action == action)
            .flat_map(|binding| binding.keys.iter().copied())
    }

    /// Whether an action's keys are the user's own.
    pub(crate) fn is_own(&self, action: Action) -> bool {
        self.own.contains(&action)
    }

    /// The keys of an action, wherever one of them works.
    pub(crate) fn keys(&self, action: Action) -> Vec<Chord> {
        // Where text is typed there are fewer.
        let mut bindings: Vec<_> = self.bindings.iter().filter(|binding| binding.action == action).collect();
        bindings.sort_by_key(|binding| std::cmp::Reverse(binding.keys.len()));
        let mut keys = Vec::new();
        for chord in bindings.into_iter().flat_map(|binding| &binding.keys) {
            if !keys.contains(chord) {
                keys.push(*chord);
            }
        }
        keys
    }

    /// The shipped keys of an action.
    pub(crate) fn shipped(action: Action) -> Vec<Chord> {
        Self::default().keys(action)
    }

    /// Every action's key in the configuration (`console.keys.<action>`), with what the action does.
    pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
        Action::ALL.iter().map(|action| (action.key(), action.about()))
    }

    /// The names that the key of an action in the configuration had in earlier versions.
    pub fn old_names(key: &str) -> impl Iterator<Item = String> {
        let action = Action::ALL.iter().find(|action| action.key() == key);
        action.into_iter().flat_map(|action| action.old_names()).map(|old| format!("console.keys.{old}"))
    }

    /// The shipped keys of the action that `console.keys.<action>` names, as the configuration writes them.
    #[must_use]
    pub fn defaults(key: &str) -> Option<Vec<String>> {
        let action = Action::ALL.iter().find(|action| action.key() == key)?;
        Some(Self::shipped(*action).into_iter().map(Chord::spelled).collect())
    }

    /// Judges a key as the configuration writes it: `x`, `ctrl-x`, `f5`, `shift-tab`.
    ///
    /// # Errors
    /// The fault, for people.
    pub fn check(key: &str) -> Result<(), String> {
        Chord::parse(key).map(drop)
    }

    /// Every action with its keys, and behind them the named filters with theirs.
    #[must_use]
    pub fn rows(&self) -> Vec<KeyRow> {
        let row = |action: &Action| KeyRow {
            action: action.name().into(),
            keys: self.keys(*action).into_iter().map(Chord::spelled).collect(),
            scopes: KeyScope::all()
                .filter(|place| self.bindings(*place).any(|binding| binding.action == *action))
                .map(KeyScope::name)
                .collect(),
            about: action.about().trim().into(),
            own: self.is_own(*action),
            is_filter: false,
        };
        Action::ALL.iter().map(row).chain(self.filter_rows()).collect()
    }
}
