//! The faults and notes found so far.

use super::{Fault, FaultKind, Note, NoteKind};

/// What was found so far, each at its byte of the text.
#[derive(Debug)]
pub(super) struct Findings {
    faults: Vec<(usize, FaultKind)>,
    notes: Vec<(usize, NoteKind)>,
    is_toml: bool,
}

impl Findings {
    /// Starts from what the TOML parser says.
    pub(super) fn of_syntax(errors: &[toml::de::Error]) -> Self {
        let faults = errors.iter().map(|error| {
            let at = error.span().map_or(0, |span| span.start);
            (at, FaultKind::Syntax { message: error.message().to_owned() })
        });
        Self { faults: faults.collect(), notes: Vec::new(), is_toml: errors.is_empty() }
    }

    pub(super) fn fault(&mut self, at: usize, kind: FaultKind) {
        self.faults.push((at, kind));
    }

    /// Adds that a key is missing. Where the text is no TOML it may well be there, unread: nothing is added
    /// then.
    pub(super) fn missing(&mut self, at: usize, key: &'static str) {
        if self.is_toml {
            self.fault(at, FaultKind::Missing { key });
        }
    }

    pub(super) fn note(&mut self, at: usize, kind: NoteKind) {
        self.notes.push((at, kind));
    }

    pub(super) const fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// All of them in the order of their places. On a line that is no TOML, what else seems wrong there is
    /// left out.
    pub(super) fn into_parts(mut self, text: &str) -> (Vec<Fault>, Vec<Note>) {
        self.faults.sort_by_key(|(at, kind)| (*at, !matches!(kind, FaultKind::Syntax { .. })));
        let mut faults = Vec::with_capacity(self.faults.len());
        let (mut places, mut broken_line) = (Places::new(text), 0);
        for (at, kind) in self.faults {
            let (line, column) = places.of(at);
            if matches!(kind, FaultKind::Syntax { .. }) {
                broken_line = line;
            } else if line == broken_line {
                continue;
            }
            faults.push(Fault { line, column, kind });
        }
        self.notes.sort_by_key(|(at, _)| *at);
        let mut places = Places::new(text);
        let notes = self.notes.into_iter().map(|(at, kind)| {
            let (line, column) = places.of(at);
            Note { line, column, kind }
        });
        (faults, notes.collect())
    }
}

/// Turns rising bytes of a text into lines and columns, in one pass over it.
pub(super) struct Places<'t> {
    text: &'t str,
    line: usize,
    start: usize,
}

impl<'t> Places<'t> {
    pub(super) const fn new(text: &'t str) -> Self {
        Self { text, line: 1, start: 0 }
    }

    pub(super) fn of(&mut self, at: usize) -> (usize, usize) {
        let at = at.min(self.text.len());
        let fresh = self.text.as_bytes().get(self.start..at).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', fresh).count();
        if let Some(last) = memchr::memrchr(b'\n', fresh) {
            self.start += last + 1;
        }
        let before = self.text.as_bytes().get(self.start..at).unwrap_or_default();
        // Bytes that continue a character are not counted: columns are characters.
        let column = 1 + before.iter().filter(|byte| !matches!(**byte, 0x80..=0xbf)).count();
        (self.line, column)
    }
}
