//! Why a file is no snippet.

use std::fmt;

/// What is wrong with a snippet, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnippetFault {
    /// The file.
    pub(crate) file: String,
    /// The line, counted from 1.
    pub(crate) line: Option<usize>,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do.
    pub(crate) hint: String,
}

impl fmt::Display for SnippetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.file, self.what),
            None => write!(f, "{}: {}", self.file, self.what),
        }
    }
}

/// The line of a byte, counted from 1.
pub(super) fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    1 + memchr::memchr_iter(b'\n', before).count()
}

/// The line of the first key of this name.
pub(super) fn line_of_key(text: &str, key: &str) -> Option<usize> {
    let is_key = |line: &str| {
        line.trim_start().strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines().position(is_key).map(|line| line + 1)
}
