//! Text being written, bounded.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};

use crate::{console::draw::text::cut, words::counted};

/// How often an edit can be undone.
const UNDOS_MAX: usize = 32;

/// That some bytes had no room, by these settings of `limits.console`.
pub(crate) fn overflow_text(over: usize, settings: &str) -> String {
    let were = if over == 1 { "was" } else { "were" };
    format!("{} did not fit and {were} cut (limits.console.{settings})", counted(over, "byte"))
}

/// Text being written, of at most so many bytes.
#[derive(Clone, Debug)]
pub(crate) struct Editor {
    area: TextArea<'static>,
    bytes_max: usize,
}

impl Editor {
    /// An editor with a text in it and the cursor behind it. A text that is too long is cut.
    pub(crate) fn of(text: &str, bytes_max: usize) -> Self {
        let text = cut(text, bytes_max as u64);
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_max_histories(UNDOS_MAX);
        area.set_tab_length(2);
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Self { area, bytes_max }
    }

    /// The text.
    pub(crate) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Its lines.
    pub(crate) fn lines(&self) -> &[String] {
        self.area.lines()
    }

    /// The cursor: its line, and the characters before it there.
    pub(crate) fn cursor(&self) -> (usize, usize) {
        self.area.cursor()
    }

    /// Bytes of the text.
    pub(crate) fn bytes(&self) -> usize {
        self.area.lines().iter().map(|line| line.len() + 1).sum::<usize>().saturating_sub(1)
    }

    /// Takes a key; whether that changed the text, or what it would have been too long by.
    pub(crate) fn key(&mut self, key: KeyEvent) -> Result<bool, usize> {
        let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        if let KeyCode::Char(character) = key.code
            && !ctrl
            && self.bytes() + character.len_utf8() > self.bytes_max
        {
            return Err(character.len_utf8());
        }
        let has_changed = match key.code {
            // As in a shell; the crate would undo.
            KeyCode::Char('u') if ctrl => self.area.delete_line_by_head(),
            KeyCode::Char('z') if ctrl => self.area.undo(),
            _ => self.area.input(key),
        };
        let over = self.bytes().saturating_sub(self.bytes_max);
        if over > 0 {
            self.area.undo();
            return Err(over);
        }
        Ok(has_changed)
    }

    /// Takes pasted text, as much of it as there is room for; how many bytes were cut.
    pub(crate) fn paste(&mut self, text: &str) -> usize {
        let text = if text.contains('\r') {
            text.replace("\r\n", "\n").replace('\r', "\n")
        } else {
            text.to_owned()
        };
        let room = self.bytes_max.saturating_sub(self.bytes());
        let taken = cut(&text, room as u64);
        self.area.insert_str(taken);
        text.len() - taken.len()
    }

    /// Writes another text in the place of all that is there; it can be undone. How many bytes were cut.
    pub(crate) fn replace(&mut self, text: &str) -> usize {
        self.area.select_all();
        self.area.cut();
        self.area.cancel_selection();
        self.paste(text)
    }

    /// Moves the cursor by some lines.
    pub(crate) fn step(&mut self, by: isize) {
        let (row, column) = self.cursor();
        let row = row.saturating_add_signed(by).min(self.area.lines().len().saturating_sub(1));
        self.jump(row, column);
    }

    /// Puts the cursor before a character of a line.
    pub(crate) fn jump(&mut self, row: usize, column: usize) {
        let short = |index: usize| u16::try_from(index).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(short(row), short(column)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_no_more_than_its_bound_and_says_what_it_cut() {
        let mut editor = Editor::of("", 8);
        assert_eq!(editor.paste("żółw\r\nand more"), 8);
        assert_eq!((editor.text().as_str(), editor.bytes()), ("żółw\n", 8));
        let key = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
        assert_eq!(editor.key(key), Err(1));
        assert_eq!(editor.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE)), Ok(true));
        assert_eq!(editor.key(key), Ok(true));
        assert_eq!(editor.text(), "żółwx");
        assert_eq!(Editor::of("żż", 3).text(), "ż");
    }
}
