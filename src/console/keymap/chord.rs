//! One key with its modifiers.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::console::glyphs::Glyphs;

/// A key with its modifiers. Shift is part of a character, not a modifier of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chord {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Chord {
    /// A character as typed.
    pub(super) const fn char(character: char) -> Self {
        Self { code: KeyCode::Char(character), modifiers: KeyModifiers::NONE }
    }

    /// A character with the control key.
    pub(super) const fn ctrl(character: char) -> Self {
        Self { code: KeyCode::Char(character), modifiers: KeyModifiers::CONTROL }
    }

    /// A named key.
    pub(super) const fn key(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::NONE }
    }

    /// The chord that a terminal's event is.
    pub(super) fn of(event: KeyEvent) -> Self {
        let mut modifiers = event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            code => code,
        };
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Self { code, modifiers }
    }

    /// Its name for people.
    pub(crate) fn name(self, glyphs: &Glyphs) -> String {
        let key = match self.code {
            KeyCode::Char(' ') => "space".to_owned(),
            KeyCode::Char(character) => character.to_string(),
            KeyCode::Up => glyphs.up.to_owned(),
            KeyCode::Down => glyphs.down_arrow.to_owned(),
            KeyCode::Left => glyphs.left.to_owned(),
            KeyCode::Right => glyphs.right.to_owned(),
            KeyCode::PageUp => "pgup".to_owned(),
            KeyCode::PageDown => "pgdn".to_owned(),
            KeyCode::BackTab => "shift-tab".to_owned(),
            code => code.to_string().to_lowercase(),
        };
        if self.modifiers.contains(KeyModifiers::CONTROL) { format!("ctrl-{key}") } else { key }
    }
}
