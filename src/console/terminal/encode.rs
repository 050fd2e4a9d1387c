//! Turns screens into bytes: the difference against what was handed over last.

use ratatui::{
    backend::{Backend as _, CrosstermBackend},
    buffer::{Buffer, Cell},
    layout::Rect,
};

use super::sequences;

/// Two screens: the one handed over last, and the one being drawn.
#[derive(Debug)]
pub(crate) struct Painter {
    painted: Buffer,
    next: Buffer,
    whole: bool,
    /// What goes before the next frame: whatever is cleared must be the console's own screen.
    first: Vec<u8>,
    extra: Vec<u8>,
    /// What goes to the clipboard with the next frame: the last that was copied.
    copied: Vec<u8>,
}

impl Painter {
    /// For an empty terminal of this size.
    pub(crate) fn new(columns: u16, rows: u16) -> Self {
        let area = Rect::new(0, 0, columns, rows);
        Self {
            painted: Buffer::empty(area),
            next: Buffer::empty(area),
            whole: true,
            first: Vec::new(),
            extra: Vec::new(),
            copied: Vec::new(),
        }
    }

    /// The terminal has another size: the next frame is whole.
    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        let taken = std::mem::replace(self, Self::new(columns, rows));
        *self = Self {
            painted: std::mem::take(&mut self.painted),
            next: std::mem::take(&mut self.next),
            whole: true,
            ..taken
        };
    }

    /// Takes the mouse or leaves it, with the next frame.
    pub(crate) fn mouse(&mut self, taken: bool) {
        self.extra.extend(sequences::mouse(taken));
    }

    /// Takes the terminal again and paints all of it, with the next frame.
    pub(crate) fn retake(&mut self, mouse: bool) {
        let Rect { width, height, .. } = self.painted.area;
        self.resize(width, height);
        self.first = sequences::enter(mouse);
    }

    /// Sends these bytes before what changed, with the next frame.
    pub(crate) fn queue_bytes(&mut self, bytes: &[u8]) {
        self.extra.extend_from_slice(bytes);
    }

    /// Sends the sequence that copies something with the next frame, in the place of one that was not sent
    /// yet.
    pub(crate) fn copy(&mut self, bytes: Vec<u8>) {
        self.copied = bytes;
    }

    /// The screen to be drawn on: what is on it is of an earlier frame.
    pub(crate) const fn canvas(&mut self) -> &mut Buffer {
        &mut self.next
    }

    /// The bytes of what was drawn; none when nothing changed. What they show counts as handed over.
    pub(crate) fn frame(&mut self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(1_024);
        bytes.append(&mut self.first);
        sequences::begin_frame(&mut bytes, self.whole);
        let start = bytes.len();
        bytes.append(&mut self.extra);
        bytes.append(&mut self.copied);
        let rows = self.changed_rows();
        let mut changes = rows.iter().flat_map(|(painted, next)| painted.diff(next)).peekable();
        if changes.peek().is_some() {
            // Writing to memory cannot fail.
            let _ = CrosstermBackend::new(&mut bytes).draw(changes);
        }
        let is_empty = bytes.len() == start && !self.whole;
        sequences::end_frame(&mut bytes);
        self.whole = false;
        std::mem::swap(&mut self.painted, &mut self.next);
        (!is_empty).then_some(bytes)
    }

    /// The rows in which anything differs, as they were handed over and as they were drawn: most are alike,
    /// and to compare them is cheaper than to find their differences. No character reaches into another row.
    fn changed_rows(&self) -> Vec<(Buffer, Buffer)> {
        let area = self.next.area;
        let columns = usize::from(area.width).max(1);
        let rows = self.painted.content.chunks(columns).zip(self.next.content.chunks(columns));
        let changed = rows.zip(area.y..).filter(|((painted, next), _)| painted != next);
        let row = |y, cells: &[Cell]| Buffer { area: Rect { y, height: 1, ..area }, content: cells.to_vec() };
        changed.map(|((painted, next), y)| (row(y, painted), row(y, next))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_sent() {
        let mut painter = Painter::new(80, 24);
        painter.canvas().set_string(0, 0, "18:04:11", ratatui::style::Style::new());
        assert!(painter.frame().is_some());
        painter.canvas().set_string(0, 0, "18:04:11", ratatui::style::Style::new());
        assert_eq!(painter.frame(), None);
        painter.canvas().set_string(0, 0, "18:04:12", ratatui::style::Style::new());
        let bytes = painter.frame().unwrap();
        assert!(bytes.len() < 80, "{}", bytes.len());
    }

    #[test]
    fn a_terminal_that_others_had_is_taken_before_anything_on_it_is_cleared_and_painted_whole() {
        let mut painter = Painter::new(80, 24);
        painter.canvas().set_string(0, 0, "18:04:11", ratatui::style::Style::new());
        assert!(painter.frame().is_some());
        painter.retake(false);
        painter.resize(80, 24);
        painter.canvas().set_string(0, 0, "18:04:11", ratatui::style::Style::new());
        let bytes = String::from_utf8(painter.frame().unwrap()).unwrap();
        let place = |text: &str| bytes.find(text).unwrap_or(usize::MAX);
        assert!(place("\x1b[?1049h") < place("\x1b[2J") && place("\x1b[2J") < place("18:04:11"), "{bytes:?}");
    }
}
