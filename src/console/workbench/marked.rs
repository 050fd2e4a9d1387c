//! The value under the cursor, marked on both sides: in the JSON and in the bytes.

use std::ops::Range;

use super::{Workbench, bench::Side};
use crate::{console::form::Editor, dissect::frame_json::Spot};

/// A value that is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Its first line in the JSON, and the characters of it there.
    pub(super) line: usize,
    pub(super) columns: Range<usize>,
    pub(super) bytes: Range<usize>,
}

impl Workbench {
    /// The value under the cursor; none while the JSON is not that of the bytes.
    pub(super) fn mark(&self) -> Option<Mark> {
        if !self.is_placed() {
            return None;
        }
        let spot = match self.side {
            Side::Way(_) | Side::Verdict => return None,
            Side::Json => self.spot_at_cursor()?,
            Side::Bytes => self.places.at_byte(self.bytes.cursor().0)?,
        };
        let (line, from) = place_of(&self.editor, spot.json.start);
        let (last, to) = place_of(&self.editor, spot.json.end);
        let end = self.editor.lines().get(line).map_or(0, |line| line.chars().count());
        let columns = from..if last == line { to } else { end };
        Some(Mark { line, columns, bytes: spot.bytes })
    }

    /// The value at the cursor of the JSON; on a blank or a comma, the first one of its line.
    fn spot_at_cursor(&self) -> Option<Spot> {
        let line = self.editor.lines().get(self.editor.cursor().0)?;
        let before = self.line_start();
        let found = self.places.at_json(self.byte_at_cursor()).filter(|spot| spot.json.start >= before);
        let indent = line.len() - line.trim_start().len();
        found.or_else(|| self.places.at_json(before + indent))
    }

    /// Where the line of the JSON's cursor begins, in bytes.
    fn line_start(&self) -> usize {
        self.editor.lines().iter().take(self.editor.cursor().0).map(|line| line.len() + 1).sum()
    }

    /// Where the cursor of the JSON is, in bytes.
    pub(super) fn byte_at_cursor(&self) -> usize {
        let (row, column) = self.editor.cursor();
        let line = self.editor.lines().get(row).map_or("", String::as_str);
        self.line_start() + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
    }

    /// The value of the JSON in which something is wrong: where its bytes say so, or its core would.
    pub(super) fn wrong_at(&self) -> Option<Range<usize>> {
        if !self.is_placed() {
            return None;
        }
        let foreseen = || self.foreseen().filter(|row| row.expected.is_some())?.byte;
        let offset = self.fault.as_ref().map(|fault| fault.offset);
        let byte = offset.or_else(|| usize::try_from(foreseen()?).ok())?;
        Some(self.places.at_byte(byte)?.json)
    }

    /// The line of the JSON in which something is wrong, from 0: as a text, in its bytes, or to its core.
    pub(super) fn wrong_line(&self) -> Option<usize> {
        match &self.json_fault {
            Some(fault) => fault.place.map(|(line, _)| line.saturating_sub(1)),
            None => self.wrong_at().map(|json| place_of(&self.editor, json.start).0),
        }
    }

    /// The cursor of the JSON goes before this byte of it.
    pub(super) fn jump_to(&mut self, byte: usize) {
        let (line, column) = place_of(&self.editor, byte);
        self.editor.jump(line, column);
    }

    /// The cursor of the other side goes to the value that is marked.
    pub(super) fn follow_mark(&mut self) {
        let Some(mark) = self.mark() else { return };
        match self.side {
            Side::Json => self.bytes.jump(mark.bytes.start),
            Side::Bytes => self.editor.jump(mark.line, mark.columns.start),
            Side::Way(_) | Side::Verdict => {}
        }
    }

    /// The cursor goes to the value that was selected where the frame was captured.
    pub(super) fn go_to_field(&mut self) {
        let names = std::mem::take(&mut self.field);
        if let Some(json) = self.places.named(&names) {
            self.jump_to(json.start);
        }
    }
}

/// The line of a byte of the text, and the characters before it there.
fn place_of(editor: &Editor, byte: usize) -> (usize, usize) {
    let mut left = byte;
    for (index, line) in editor.lines().iter().enumerate() {
        if left <= line.len() {
            return (index, line.char_indices().take_while(|(at, _)| *at < left).count());
        }
        left -= line.len() + 1;
    }
    (editor.lines().len().saturating_sub(1), 0)
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;
    use crate::{console::workbench::way::Way, limits::Limits, time::Wall};

    fn made(text: &str) -> Workbench {
        let limits = Limits::default();
        let mut bench = Workbench::of(Way::default(), &limits, Wall(1));
        bench.load_json(Way::default(), text, &limits);
        make(&mut bench);
        bench
    }

    fn make(bench: &mut Workbench) {
        let limits = Limits::default();
        while let Some(job) = bench.work(&limits, Wall(1)) {
            bench.on_answer(job.number, job.run(), &limits);
        }
    }

    const TEXT: &str = "{\n  \"body\": {\n    \"type\": \"pull\",\n    \"queue\": \"default\"\n  }\n}";

    fn marked(bench: &Workbench) -> &[u8] {
        bench.mark().map_or(&[], |mark| &bench.bytes.bytes()[mark.bytes])
    }

    #[test]
    fn the_value_of_the_json_s_cursor_is_marked_in_the_bytes_and_their_cursor_goes_there() {
        let mut bench = made(TEXT);
        bench.editor.jump(3, 0);
        let mark = bench.mark().unwrap();
        assert_eq!((mark.line, mark.columns.clone()), (3, 4..22), "also on the blanks before it");
        assert_eq!(marked(&bench), br#""queue":"default""#);
        bench.follow_mark();
        assert_eq!(bench.bytes.cursor(), (mark.bytes.start, 0));
        bench.editor.jump(2, 99);
        assert_eq!(marked(&bench), br#""type":"pull""#, "also behind its comma");
        let limits = Limits::default();
        bench.type_key(KeyEvent::from(KeyCode::Char('x')), &limits, Wall(1)).unwrap();
        assert_eq!(bench.mark(), None, "the bytes are not those of the text");
    }

    #[test]
    fn the_value_of_a_byte_is_marked_in_the_json_and_its_cursor_goes_there() {
        let mut bench = made(TEXT);
        bench.cycle(true);
        let at = bench.bytes.bytes().windows(4).position(|it| it == b"pull").unwrap();
        bench.bytes.jump(at);
        let mark = bench.mark().unwrap();
        assert_eq!((mark.line, mark.columns.clone()), (2, 4..18));
        bench.follow_mark();
        assert_eq!(bench.editor.cursor(), (2, 4));
        assert_eq!(bench.bytes.cursor(), (at, 0), "the byte's own cursor stays");
        bench.type_key(KeyEvent::from(KeyCode::Char('0')), &Limits::default(), Wall(1)).unwrap();
        assert_eq!(bench.mark(), None, "the JSON is not that of the bytes");
    }

    #[test]
    fn the_cursor_goes_to_the_field_that_was_selected() {
        let limits = Limits::default();
        let mut bench = made(TEXT);
        bench.load((Way::default(), None), b"{\"mpp\":2,\"type\":\"done\",\"id\":7}\n".to_vec(), &limits);
        bench.field = vec!["line".to_owned(), "id".to_owned()];
        make(&mut bench);
        let (row, column) = bench.editor.cursor();
        assert_eq!(bench.editor.lines()[row][column..].trim_end(), "\"id\": 7");
    }
}
