//! One key with its modifiers.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::console::draw::{glyphs, glyphs::Glyphs};

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

    /// A named key with the shift key.
    pub(super) const fn shift(code: KeyCode) -> Self {
        Self { code, modifiers: KeyModifiers::SHIFT }
    }

    /// The chord that a terminal's event is.
    pub(super) fn of(event: KeyEvent) -> Self {
        let mut modifiers =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::Tab if modifiers.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
            code => code,
        };
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Self { code, modifiers }
    }

    /// The event of a terminal that it is.
    pub(crate) const fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// Whether it types a character where text is taken.
    pub(crate) fn types(self) -> bool {
        matches!(self.code, KeyCode::Char(_)) && self.modifiers.is_empty()
    }

    /// Reads a chord as the configuration has it: `x`, `X`, `ctrl-x`, `alt-x`, `f5`, `shift-tab`, `space`,
    /// `pgup`, `up`.
    ///
    /// # Errors
    /// What it is instead, for people.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (modifiers, key) = modifiers(text);
        let code = match letter(key) {
            Some(character) => KeyCode::Char(character),
            None => named(key).ok_or_else(|| format!("there is no key `{text}`"))?,
        };
        Self { code, modifiers }.distinguishable(text)
    }

    /// The chord as terminals report it, if they can.
    fn distinguishable(self, text: &str) -> Result<Self, String> {
        let Self { code, mut modifiers } = self;
        let is_shifted = modifiers.contains(KeyModifiers::SHIFT);
        let code = match code {
            KeyCode::Char('i' | 'I') if modifiers.contains(KeyModifiers::CONTROL) => {
                return Err(format!("terminals send `{text}` as `tab`"));
            }
            KeyCode::Char('m' | 'M') if modifiers.contains(KeyModifiers::CONTROL) => {
                return Err(format!("terminals send `{text}` as `enter`"));
            }
            KeyCode::Char('[') if modifiers.contains(KeyModifiers::CONTROL) => {
                return Err(format!("terminals send `{text}` as `esc`"));
            }
            // Few terminals tell them apart.
            KeyCode::Char(character) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(character.to_ascii_lowercase())
            }
            KeyCode::Char(character) if is_shifted && character.is_ascii_alphabetic() => {
                KeyCode::Char(character.to_ascii_uppercase())
            }
            KeyCode::Char(_) if is_shifted => {
                return Err(format!("write `{text}` as the character it types"));
            }
            KeyCode::Tab if is_shifted => KeyCode::BackTab,
            code => code,
        };
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Ok(Self { code, modifiers })
    }

    /// Its name in the configuration.
    pub(crate) fn spelled(self) -> String {
        self.name(&glyphs::ASCII)
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
        let mut name = String::new();
        for (modifier, prefix) in
            [(KeyModifiers::CONTROL, "ctrl-"), (KeyModifiers::ALT, "alt-"), (KeyModifiers::SHIFT, "shift-")]
        {
            if self.modifiers.contains(modifier) {
                name.push_str(prefix);
            }
        }
        name + &key
    }
}

const MODIFIERS: [(&str, KeyModifiers); 3] =
    [("ctrl-", KeyModifiers::CONTROL), ("alt-", KeyModifiers::ALT), ("shift-", KeyModifiers::SHIFT)];

/// The modifiers in front, and the key behind them.
fn modifiers(text: &str) -> (KeyModifiers, &str) {
    let mut modifiers = KeyModifiers::NONE;
    let mut key = text;
    while let Some((prefix, modifier)) = MODIFIERS.iter().find(|(prefix, _)| {
        key.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            && key.len() > prefix.len()
    }) {
        modifiers |= *modifier;
        key = &key[prefix.len()..];
    }
    (modifiers, key)
}

/// The one visible character that it is.
fn letter(key: &str) -> Option<char> {
    let mut characters = key.chars();
    let character =
        characters.next().filter(|character| !character.is_whitespace() && !character.is_control())?;
    (characters.next().is_none() && named(key).is_none()).then_some(character)
}

/// The key of this name. The arrows' own signs are taken too, as the screen has them.
fn named(key: &str) -> Option<KeyCode> {
    Some(match key.to_ascii_lowercase().as_str() {
        "space" => KeyCode::Char(' '),
        "enter" | "return" => KeyCode::Enter,
        "esc" | "escape" => KeyCode::Esc,
        "tab" => KeyCode::Tab,
        "backspace" => KeyCode::Backspace,
        "del" | "delete" => KeyCode::Delete,
        "ins" | "insert" => KeyCode::Insert,
        "home" => KeyCode::Home,
        "end" => KeyCode::End,
        "pgup" | "pageup" => KeyCode::PageUp,
        "pgdn" | "pagedown" => KeyCode::PageDown,
        "up" | "↑" => KeyCode::Up,
        "down" | "↓" => KeyCode::Down,
        "left" | "←" => KeyCode::Left,
        "right" | "→" => KeyCode::Right,
        other => {
            let number: u8 =
                other.strip_prefix('f').filter(|digits| !digits.starts_with(['0', '+']))?.parse().ok()?;
            return (1..=24).contains(&number).then_some(KeyCode::F(number));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_reads_back_in_either_set_of_signs() {
        let codes = ['x', 'X', '-', ',', '?', 'ż', ' ']
            .map(KeyCode::Char)
            .into_iter()
            .chain((1..=24).map(KeyCode::F))
            .chain([
                KeyCode::Enter,
                KeyCode::Esc,
                KeyCode::Tab,
                KeyCode::BackTab,
                KeyCode::Backspace,
                KeyCode::Delete,
                KeyCode::Insert,
                KeyCode::Home,
                KeyCode::End,
                KeyCode::PageUp,
                KeyCode::PageDown,
                KeyCode::Up,
                KeyCode::Down,
                KeyCode::Left,
                KeyCode::Right,
            ]);
        let modified = [
            KeyModifiers::NONE,
            KeyModifiers::CONTROL,
            KeyModifiers::ALT,
            KeyModifiers::SHIFT,
            KeyModifiers::all(),
        ];
        for code in codes {
            for modifiers in modified {
                // As a terminal that tells everything would report it.
                let chord = Chord::of(KeyEvent::new(code, modifiers));
                if matches!(code, KeyCode::Char('X')) && chord.modifiers.contains(KeyModifiers::CONTROL) {
                    continue;
                }
                for glyphs in [&glyphs::UNICODE, &glyphs::ASCII] {
                    assert_eq!(Chord::parse(&chord.name(glyphs)), Ok(chord), "{}", chord.name(glyphs));
                }
            }
        }
    }

    #[test]
    fn a_chord_may_be_written_in_more_than_one_way() {
        for (text, spelled) in [
            ("Ctrl-X", "ctrl-x"),
            ("ctrl-shift-x", "ctrl-x"),
            ("shift-x", "X"),
            ("F5", "f5"),
            ("Return", "enter"),
            ("shift-tab", "shift-tab"),
            ("alt-ctrl-up", "ctrl-alt-up"),
            ("ctrl--", "ctrl--"),
            ("-", "-"),
            ("f", "f"),
        ] {
            assert_eq!(Chord::parse(text).map(Chord::spelled), Ok(spelled.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_chord_says_why() {
        for text in ["", " ", "xy", "ctrl-", "f0", "f25", "f+1", "hyper-x", "ctrl-x f5", "ctrl-x,f5", "\u{7}"]
        {
            assert!(Chord::parse(text).unwrap_err().starts_with("there is no key"), "{text:?}");
        }
        assert_eq!(Chord::parse("ctrl-i").unwrap_err(), "terminals send `ctrl-i` as `tab`");
        assert_eq!(Chord::parse("shift-1").unwrap_err(), "write `shift-1` as the character it types");
    }
}
