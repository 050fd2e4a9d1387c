//! One line of text that is being written.

use std::fmt;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use tui_textarea::{CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation as _;

use crate::console::{
    draw::{class::Class, text, theme::Role},
    settings::view::Canvas,
};

/// Bytes that a line takes.
const BYTES_MAX: usize = 4_096;

/// One line of text with a cursor, edited as in a shell.
pub(crate) struct Line {
    area: TextArea<'static>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Line").field(&self.text()).finish()
    }
}

impl Line {
    /// A line with this text, the cursor behind it.
    pub(crate) fn new(text: &str) -> Self {
        let mut area = TextArea::new(vec![plain(text)]);
        area.move_cursor(CursorMove::End);
        Self { area }
    }

    /// A line with this text, the cursor before this byte of it.
    pub(crate) fn at(text: &str, byte: usize) -> Self {
        let mut area = TextArea::new(vec![plain(text)]);
        let before = text.get(..byte).unwrap_or(text).chars().count();
        area.move_cursor(CursorMove::Jump(0, u16::try_from(before).unwrap_or(u16::MAX)));
        Self { area }
    }

    /// The cursor's place, in bytes.
    pub(crate) fn cursor(&self) -> usize {
        let (_, at) = self.area.cursor();
        self.text().char_indices().nth(at).map_or(self.text().len(), |(byte, _)| byte)
    }

    /// The text.
    pub(crate) fn text(&self) -> &str {
        self.area.lines().first().map_or("", String::as_str)
    }

    /// Takes a key that edits a line; whether it was one.
    pub(crate) fn input(&mut self, key: KeyEvent) -> bool {
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('u') if is_ctrl => {
                self.area.delete_line_by_head();
            }
            // They mean other lines there.
            KeyCode::Char('n' | 'p' | 'm' | 'j' | 'v') if is_ctrl => return false,
            KeyCode::Char(_) if self.text().len() >= BYTES_MAX && !is_ctrl => {}
            KeyCode::Char(_)
            | KeyCode::Backspace
            | KeyCode::Delete
            | KeyCode::Left
            | KeyCode::Right
            | KeyCode::Home
            | KeyCode::End => {
                self.area.input(key);
            }
            _ => return false,
        }
        true
    }

    /// Takes pasted text: line breaks become spaces, and what is too long is cut.
    pub(crate) fn paste(&mut self, pasted: &str) {
        let room = BYTES_MAX.saturating_sub(self.text().len());
        self.area.insert_str(plain(text::cut(pasted, room as u64)));
    }

    /// Draws a line that nobody is typing: what was written before is of this class but for these first bytes
    /// of it.
    pub(crate) fn draw_recalled(
        &self,
        canvas: &mut Canvas<'_>,
        (x, y): (u16, u16),
        columns: u16,
        public: usize,
        class: Class,
    ) {
        let (public, rest) = self.text().split_at(public.min(self.text().len()));
        let used = canvas.put(x, y, columns, public, Role::Text);
        let rest = canvas.put_as(x + used, y, columns.saturating_sub(used), rest, Role::Text, class);
        canvas.select(Rect::new(x + used + rest, y, 1.min(columns.saturating_sub(used + rest)), 1));
    }

    /// Draws it with its cursor; what does not fit is scrolled so that the cursor is seen.
    pub(crate) fn draw(&self, canvas: &mut Canvas<'_>, x: u16, y: u16, columns: u16) {
        let byte = self.cursor();
        let ascii = canvas.view.glyphs.ascii;
        let (before, behind) = self.text().split_at(byte);
        let (before, behind) =
            (text::visible(before, ascii).into_owned(), text::visible(behind, ascii).into_owned());
        let under = behind.graphemes(true).next().unwrap_or(" ");
        let room = usize::from(columns).saturating_sub(text::width(under).max(1));
        let mut shown = before.as_str();
        while text::width(shown) > room {
            shown = shown.graphemes(true).next().map_or("", |first| &shown[first.len()..]);
        }
        let used = canvas.put(x, y, columns, shown, Role::Text);
        let cursor = canvas.put(x + used, y, columns.saturating_sub(used), under, Role::Text);
        canvas.select(Rect::new(x + used, y, cursor, 1));
        let rest = behind.get(under.len()..).unwrap_or_default();
        canvas.put(x + used + cursor, y, columns.saturating_sub(used + cursor), rest, Role::Text);
    }
}

/// The text on one line.
fn plain(text: &str) -> String {
    text.replace(['\n', '\r', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(line: &mut Line, keys: &[(KeyCode, KeyModifiers)]) {
        for (code, modifiers) in keys {
            line.input(KeyEvent::new(*code, *modifiers));
        }
    }

    #[test]
    fn edits_as_a_shell_does() {
        let (none, ctrl) = (KeyModifiers::NONE, KeyModifiers::CONTROL);
        let mut line = Line::new("cancel 99");
        typed(
            &mut line,
            &[
                (KeyCode::Char('w'), ctrl),
                (KeyCode::Char('7'), none),
                (KeyCode::Home, none),
                (KeyCode::Char(':'), none),
            ],
        );
        assert_eq!(line.text(), ":cancel 7");
        typed(&mut line, &[(KeyCode::End, none), (KeyCode::Char('u'), ctrl)]);
        assert_eq!(line.text(), "");
    }

    #[test]
    fn stays_one_line_of_bounded_length() {
        let mut line = Line::new("");
        line.paste("a\nb\r\nc");
        assert_eq!(line.text(), "a b  c");
        line.paste(&"ż".repeat(1 << 19));
        assert!(line.text().len() <= BYTES_MAX);
        for (code, modifiers) in
            [(KeyCode::Enter, KeyModifiers::NONE), (KeyCode::Char('m'), KeyModifiers::CONTROL)]
        {
            assert!(!line.input(KeyEvent::new(code, modifiers)));
        }
        assert!(!line.text().contains('\n'));
    }
}
