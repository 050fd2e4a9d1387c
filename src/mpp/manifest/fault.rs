//! Faults of a manifest, and where they are.

use std::{fmt, ops::Range, path::Path};

use serde::{Deserialize, Serialize};

/// One fault of a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The fault.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl ManifestError {
    /// A fault of the whole file.
    pub(super) fn whole(message: String) -> Self {
        Self { line: 1, column: 1, message, hint: None }
    }

    /// As compilers print it: `path:line:column: message (hint)`.
    #[must_use]
    pub fn at(&self, path: &Path) -> String {
        format!("{}:{self}", path.display())
    }
}

/// `line:column: message (hint)`.
impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ManifestError {}

/// The faults found so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    found: Vec<Fault>,
    is_toml: bool,
}

#[derive(Debug)]
struct Fault {
    offset: usize,
    message: String,
    hint: Option<String>,
    is_syntax: bool,
}

impl Faults {
    /// Starts from what the TOML parser says.
    pub(super) fn of_syntax(errors: &[toml::de::Error]) -> Self {
        let found = errors.iter().map(|error| Fault {
            offset: error.span().map_or(0, |span| span.start),
            message: error.message().to_owned(),
            hint: None,
            is_syntax: true,
        });
        Self { found: found.collect(), is_toml: errors.is_empty() }
    }

    /// Adds a fault at a place.
    pub(super) fn add(&mut self, at: &Range<usize>, message: String, hint: Option<String>) {
        self.found.push(Fault { offset: at.start, message, hint, is_syntax: false });
    }

    /// Adds a fault of something not being there. Where the file is no TOML it may well be there, unread:
    /// nothing is added then.
    pub(super) fn add_absence(&mut self, at: &Range<usize>, message: String, hint: Option<String>) {
        if self.is_toml {
            self.add(at, message, hint);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// All faults in the order of their places; on a line that is no TOML, what else seems wrong there is
    /// left out.
    pub(super) fn into_errors(mut self, text: &str) -> Vec<ManifestError> {
        self.found.sort_by_key(|fault| (fault.offset, !fault.is_syntax));
        let mut lines = Lines { text, line: 1, start: 0 };
        let mut broken_line = 0;
        let mut errors: Vec<ManifestError> = Vec::with_capacity(self.found.len());
        for fault in self.found {
            let (line, column) = lines.position(fault.offset);
            if fault.is_syntax {
                broken_line = line;
            } else if line == broken_line {
                continue;
            }
            errors.push(ManifestError { line, column, message: fault.message, hint: fault.hint });
        }
        errors
    }
}

/// Turns rising byte offsets into lines and columns, in one pass over the text.
struct Lines<'t> {
    text: &'t str,
    line: usize,
    start: usize,
}

impl Lines<'_> {
    fn position(&mut self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let fresh = self.text.as_bytes().get(self.start..offset).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', fresh).count();
        if let Some(last) = memchr::memrchr(b'\n', fresh) {
            self.start += last + 1;
        }
        let before = self.text.as_bytes().get(self.start..offset).unwrap_or_default();
        // Bytes that go on a character are not counted: columns are characters.
        let column = 1 + before.iter().filter(|byte| !matches!(**byte, 0x80..=0xbf)).count();
        (self.line, column)
    }
}
