//! The user's own keys, over the shipped ones, and the rules that keep every place usable.

use super::{Chord, KeyScope, Keymap};
use crate::console::input::action::Action;

/// Why keys cannot be as the user wants them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// No action has this name.
    #[error("there is no action `{0}`")]
    NoAction(String),
    /// It is not a key.
    #[error("{why}")]
    NoKey {
        /// The action that was to have it.
        action: &'static str,
        /// The fault.
        why: String,
    },
    /// One key means two things in one place.
    #[error("`{key}` is both `{first}` and `{second}` in {place}{}", and_more(*.also))]
    Conflict {
        /// The key.
        key: String,
        /// One of the actions.
        first: &'static str,
        /// The other one.
        second: &'static str,
        /// Where both would work.
        place: &'static str,
        /// In how many more places they would.
        also: usize,
    },
    /// Only characters are given where text is typed.
    #[error("`{action}` needs a key that types nothing: it works in {place} too, where text is typed")]
    Types {
        /// The action.
        action: &'static str,
        /// The place.
        place: &'static str,
    },
    /// Nobody could go back, get help or quit any more.
    #[error("`{action}` needs at least one key")]
    Unreachable {
        /// The action.
        action: &'static str,
    },
    /// A question could be confirmed by the key that opened it.
    #[error("`{key}` is both `{confirms}` and `{opens}`: the key that opens a dialog must not confirm it")]
    ConfirmsItself {
        /// The key.
        key: String,
        /// What asks.
        opens: &'static str,
        /// The answer.
        confirms: &'static str,
    },
}

fn and_more(also: usize) -> String {
    match also {
        0 => String::new(),
        1 => " and 1 more place".to_owned(),
        also => format!(" and {also} more places"),
    }
}

impl KeymapError {
    /// The actions concerned, by name.
    #[must_use]
    pub fn actions(&self) -> Vec<&'static str> {
        match self {
            Self::NoAction(_) => Vec::new(),
            Self::NoKey { action, .. } | Self::Types { action, .. } | Self::Unreachable { action } => {
                vec![action]
            }
            Self::Conflict { first, second, .. } => vec![first, second],
            Self::ConfirmsItself { opens, confirms, .. } => vec![opens, confirms],
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoAction(_) => "`rl-console keys` lists every action".to_owned(),
            Self::NoKey { .. } => {
                "write keys as x, X, ctrl-x, alt-x, f5, enter, tab, shift-tab, space, pgup, up".to_owned()
            }
            Self::Conflict { first, second, .. } => format!("give `{first}` or `{second}` another key"),
            Self::Types { .. } => "add one such as ctrl-g, alt-g, f5 or esc".to_owned(),
            Self::Unreachable { .. } => "name at least one key".to_owned(),
            Self::ConfirmsItself { opens, confirms, .. } => {
                format!("give `{opens}` or `{confirms}` another key")
            }
        }
    }
}

/// What a person is lost without.
const MUST_KEEP_A_KEY: [Action; 4] = [Action::Back, Action::Decline, Action::Help, Action::Quit];
/// What says yes to a question.
const CONFIRMING: [Action; 7] = [
    Action::Confirm,
    Action::SettleDone,
    Action::SettleFailed,
    Action::RateApproved,
    Action::RateRejected,
    Action::Detach,
    Action::StopStation,
];
/// What a question can follow. From the palette each of them is opened by the key that runs its line.
const ASKING: [Action; 20] = [
    Action::Approve,
    Action::Reject,
    Action::AllowAlways,
    Action::GrantCapability,
    Action::RevokeCapability,
    Action::RemovePlugin,
    Action::Restart,
    Action::Quit,
    Action::Cancel,
    Action::Settle,
    Action::Rate,
    Action::Again,
    Action::Kick,
    Action::Hold,
    Action::HoldAll,
    Action::ResumeAll,
    Action::OnAir,
    Action::Drain,
    Action::Migrate,
    Action::Open,
];

impl Keymap {
    /// The shipped keymap with the keys of some actions replaced: an action's name, and its keys as the
    /// configuration writes them. No key unbinds it. Where text is typed, characters stay text.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn with<'a>(
        own: impl IntoIterator<Item = (&'a str, &'a [String])>,
    ) -> Result<Self, Vec<KeymapError>> {
        let mut keymap = Self::default();
        let mut errors = Vec::new();
        for (name, keys) in own {
            let Some(action) = Action::by_name(name) else {
                errors.push(KeymapError::NoAction(name.to_owned()));
                continue;
            };
            let mut chords: Vec<Chord> = Vec::new();
            for key in keys {
                match Chord::parse(key) {
                    Ok(chord) if chords.contains(&chord) => {}
                    Ok(chord) => chords.push(chord),
                    Err(why) => errors.push(KeymapError::NoKey { action: action.name(), why }),
                }
            }
            keymap.assign(action, &chords, &mut errors);
        }
        keymap.validate(&mut errors);
        if errors.is_empty() { Ok(keymap) } else { Err(errors) }
    }

    fn assign(&mut self, action: Action, chords: &[Chord], errors: &mut Vec<KeymapError>) {
        self.own.insert(action);
        let mut is_typed_away = None;
        for binding in self.bindings.iter_mut().filter(|binding| binding.action == action) {
            let writes = binding.scopes.iter().find(|place| place.takes_text());
            binding.keys =
                chords.iter().copied().filter(|chord| writes.is_none() || !chord.types()).collect();
            is_typed_away =
                is_typed_away.or(writes.filter(|_| binding.keys.is_empty() && !chords.is_empty()));
        }
        // These work in all other places too: where text is typed they may be without a key.
        let is_typed_away = is_typed_away.filter(|_| !action.works_everywhere());
        errors.extend(
            is_typed_away.map(|place| KeymapError::Types { action: action.name(), place: place.name() }),
        );
    }

    fn validate(&self, errors: &mut Vec<KeymapError>) {
        for action in MUST_KEEP_A_KEY {
            if self.keys(action).is_empty() {
                errors.push(KeymapError::Unreachable { action: action.name() });
            }
        }
        for confirms in CONFIRMING {
            for (chord, opens) in
                self.keys(confirms).into_iter().flat_map(|chord| ASKING.map(|opens| (chord, opens)))
            {
                if self.keys(opens).contains(&chord) {
                    errors.push(KeymapError::ConfirmsItself {
                        key: chord.spelled(),
                        opens: opens.name(),
                        confirms: confirms.name(),
                    });
                }
            }
        }
        self.validate_scopes(errors);
    }

    fn validate_scopes(&self, errors: &mut Vec<KeymapError>) {
        let mut found: Vec<(Chord, Action, Action, KeyScope, usize)> = Vec::new();
        for place in KeyScope::all() {
            let keys: Vec<_> = self
                .bindings(place)
                .flat_map(|binding| binding.keys.iter().map(|chord| (*chord, binding.action)))
                .collect();
            for (index, (chord, second)) in keys.iter().enumerate() {
                let Some((_, first)) =
                    keys[..index].iter().find(|(known, action)| known == chord && action != second)
                else {
                    continue;
                };
                let (first, second) = (*first.min(second), *first.max(second));
                match found.iter_mut().find(|it| (it.0, it.1, it.2) == (*chord, first, second)) {
                    Some(known) => known.4 += 1,
                    None => found.push((*chord, first, second, place, 0)),
                }
            }
        }
        errors.extend(found.into_iter().map(|(chord, first, second, place, also)| KeymapError::Conflict {
            key: chord.spelled(),
            first: first.name(),
            second: second.name(),
            place: place.name(),
            also,
        }));
    }
}

#[cfg(test)]
mod tests {
    use crate::console::{draw::glyphs, input::pane_id::PaneId};
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    fn with(own: &[(&str, &[&str])]) -> Result<Keymap, Vec<KeymapError>> {
        let own: Vec<(&str, Vec<String>)> = own
            .iter()
            .map(|(name, keys)| (*name, keys.iter().map(|&key| key.to_owned()).collect()))
            .collect();
        Keymap::with(own.iter().map(|(name, keys)| (*name, keys.as_slice())))
    }

    fn errors(own: &[(&str, &[&str])]) -> Vec<String> {
        with(own).unwrap_err().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_shipped_keys_are_without_fault_also_when_they_are_written_down() {
        assert!(with(&[]) == Ok(Keymap::default()));
        let shipped: Vec<(&str, Vec<String>)> = Action::ALL
            .iter()
            .map(|action| (action.name(), Keymap::defaults(action.key()).unwrap()))
            .collect();
        let written = Keymap::with(shipped.iter().map(|(name, keys)| (*name, keys.as_slice()))).unwrap();
        assert!(written.bindings == Keymap::default().bindings);
        assert!(Action::ALL.iter().all(|action| written.is_own(*action)));
    }

    #[test]
    fn own_keys_take_the_place_of_the_shipped_ones_everywhere() {
        let keymap = with(&[("hold-all", &["ctrl-h", "f8"]), ("up", &["up", "b"])]).unwrap();
        let key = |code, modifiers| KeyEvent::new(code, modifiers);
        assert_eq!(
            keymap.lookup(KeyScope::Pane(PaneId::Queues), key(KeyCode::Char('x'), KeyModifiers::CONTROL)),
            None
        );
        assert_eq!(
            keymap.lookup(KeyScope::Pane(PaneId::Queues), key(KeyCode::F(8), KeyModifiers::NONE)),
            Some(Action::HoldAll)
        );
        assert_eq!(keymap.key_of(Action::HoldAll, &glyphs::UNICODE), "ctrl-h");
        assert_eq!(
            keymap.lookup(KeyScope::Pane(PaneId::Log), key(KeyCode::Char('b'), KeyModifiers::NONE)),
            Some(Action::Up)
        );
        assert_eq!(
            keymap.lookup(KeyScope::Palette, key(KeyCode::Char('b'), KeyModifiers::NONE)),
            None,
            "it types there"
        );
        assert_eq!(keymap.lookup(KeyScope::Palette, key(KeyCode::Up, KeyModifiers::NONE)), Some(Action::Up));
        assert!(keymap.is_own(Action::Up) && !keymap.is_own(Action::Down));
    }

    #[test]
    fn an_action_without_keys_is_named_as_the_palette_takes_it() {
        let keymap = with(&[("kick", &[])]).unwrap();
        assert_eq!(keymap.key_of(Action::Kick, &glyphs::UNICODE), ":disconnect");
    }

    #[test]
    fn a_conflict_names_both_actions_the_key_and_the_place_once() {
        assert_eq!(
            errors(&[("hold-all", &["K"])]),
            ["`K` is both `hold-all` and `disconnect` in Queues and 39 more places"]
        );
        assert_eq!(errors(&[("mark", &["P"])]), ["`P` is both `mark` and `migrate` in Stale manifest"]);
        assert!(with(&[("hold-all", &["K"]), ("kick", &["f8"])]).is_ok());
    }

    #[test]
    fn where_text_is_typed_a_character_is_no_key() {
        assert_eq!(
            errors(&[("back", &["b"])]),
            ["`back` needs a key that types nothing: it works in a form too, where text is typed"]
        );
    }

    #[test]
    fn nobody_is_locked_in() {
        assert_eq!(
            errors(&[("quit", &[]), ("help", &[])]),
            ["`help` needs at least one key", "`quit` needs at least one key"]
        );
    }

    #[test]
    fn no_answer_is_the_key_that_asked() {
        let confirmed =
            "`K` is both `confirm` and `disconnect`: the key that opens a dialog must not confirm it";
        assert_eq!(errors(&[("confirm", &["K"])]), [confirmed]);
        assert_eq!(with(&[("settle-done", &["enter"])]).unwrap_err()[0].actions(), ["open", "settle-done"]);
    }

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        assert_eq!(
            errors(&[("kik", &["x"]), ("zoom", &["hyper-z"]), ("help", &["f9"]), ("quit", &[])]).len(),
            3
        );
    }
}
