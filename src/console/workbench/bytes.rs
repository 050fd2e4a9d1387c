//! Bytes that are edited by their digits.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Bytes with a cursor before one of their digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByteEditor {
    bytes: Vec<u8>,
    /// The digit that the cursor is at: two a byte, and one place after the last.
    digit: usize,
    /// The line that is drawn first.
    pub(crate) offset: usize,
    /// Bytes of one line.
    pub(crate) per_line: usize,
}

impl ByteEditor {
    /// Takes other bytes; the cursor stays where it is as far as there are bytes.
    pub(crate) fn set(&mut self, bytes: Vec<u8>) {
        self.digit = self.digit.min(bytes.len() * 2);
        self.bytes = bytes;
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The byte that the cursor is at, and which of its digits.
    pub(crate) const fn cursor(&self) -> (usize, usize) {
        (self.digit / 2, self.digit % 2)
    }

    /// Puts the cursor before a byte.
    pub(crate) fn jump(&mut self, byte: usize) {
        self.digit = byte.min(self.bytes.len()) * 2;
    }

    /// Moves the cursor by some lines.
    pub(crate) fn step(&mut self, lines: isize) {
        let by = lines.saturating_mul(isize::try_from(self.per_line.max(1)).unwrap_or(1));
        self.jump(self.cursor().0.saturating_add_signed(by));
    }

    /// Fits the first line to the room there is.
    pub(crate) fn fit(&mut self, height: usize) {
        let line = self.cursor().0 / self.per_line.max(1);
        self.offset = self.offset.min(line).max((line + 1).saturating_sub(height.max(1)));
    }

    /// Takes a key; whether that changed the bytes, of which there are at most so many.
    pub(crate) fn key(&mut self, key: KeyEvent, bytes_max: usize) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return false;
        }
        let (at, end) = (self.digit / 2, self.bytes.len() * 2);
        match key.code {
            KeyCode::Left => self.digit = self.digit.saturating_sub(1),
            KeyCode::Right => self.digit = (self.digit + 1).min(end),
            KeyCode::Up => self.step(-1),
            KeyCode::Down => self.step(1),
            KeyCode::Home => self.digit = 0,
            KeyCode::End => self.digit = end,
            KeyCode::Insert if self.bytes.len() < bytes_max => {
                self.bytes.insert(at.min(self.bytes.len()), 0);
                self.digit = at * 2;
                return true;
            }
            KeyCode::Delete if at < self.bytes.len() => {
                self.bytes.remove(at);
                self.digit = at * 2;
                return true;
            }
            KeyCode::Backspace if at > 0 => {
                self.bytes.remove(at - 1);
                self.digit = (at - 1) * 2;
                return true;
            }
            KeyCode::Char(character) => return self.type_digit(character, bytes_max),
            _ => {}
        }
        false
    }

    /// Writes a digit over the one at the cursor; after the last byte it begins another.
    fn type_digit(&mut self, character: char, bytes_max: usize) -> bool {
        let Some(value) = character.to_digit(16).and_then(|value| u8::try_from(value).ok()) else {
            return false;
        };
        let (at, place) = self.cursor();
        if at == self.bytes.len() {
            if at >= bytes_max {
                return false;
            }
            self.bytes.push(0);
        }
        if let Some(byte) = self.bytes.get_mut(at) {
            *byte = if place == 0 { (*byte & 0x0f) | (value << 4) } else { (*byte & 0xf0) | value };
        }
        self.digit += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(editor: &mut ByteEditor, codes: &[KeyCode]) {
        for code in codes {
            editor.key(KeyEvent::new(*code, KeyModifiers::NONE), 4);
        }
    }

    #[test]
    fn digits_write_over_bytes_and_begin_new_ones_up_to_the_bound() {
        let mut editor = ByteEditor::default();
        editor.set(vec![0x12, 0x34]);
        typed(&mut editor, &[KeyCode::Right, KeyCode::Char('f'), KeyCode::Char('g'), KeyCode::Delete]);
        assert_eq!(editor.bytes(), [0x1f]);
        typed(&mut editor, &[KeyCode::End, KeyCode::Char('a'), KeyCode::Char('b'), KeyCode::Backspace]);
        assert_eq!((editor.bytes(), editor.cursor()), (&[0x1f][..], (1, 0)));
        typed(&mut editor, &[KeyCode::Home, KeyCode::Insert]);
        assert_eq!(editor.bytes(), [0, 0x1f]);
        typed(&mut editor, &[KeyCode::End, KeyCode::Char('1'), KeyCode::Char('2'), KeyCode::Char('3')]);
        typed(&mut editor, &[KeyCode::Char('4'), KeyCode::Char('5')]);
        assert_eq!(editor.bytes(), [0, 0x1f, 0x12, 0x34]);
    }
}
