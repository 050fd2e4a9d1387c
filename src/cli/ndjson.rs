//! Reads invocations from a stream, an object a line.

use std::io::{BufRead, Read as _};

use super::error::Error;
use crate::mpp::NewInvocation;

/// Bytes of one line at most; an invocation's frame carries far fewer.
const LINE_BYTES_MAX: u64 = 1 << 20;

/// The lines of a stream.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    stream: R,
    line: u64,
    buffer: Vec<u8>,
}

/// One invocation with the number of its line, from 1.
#[derive(Debug, PartialEq)]
pub(crate) struct Numbered {
    /// The line.
    pub(crate) line: u64,
    /// Its length in bytes.
    pub(crate) bytes: usize,
    /// What it says.
    pub(crate) invocation: NewInvocation,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `stream`.
    pub(crate) fn new(stream: R) -> Self {
        Self { stream, line: 0, buffer: Vec::new() }
    }

    /// The next invocation; blank lines are skipped.
    ///
    /// # Errors
    /// A line that is none, with its number, or that the stream cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<Numbered>, Error> {
        loop {
            self.buffer.clear();
            let read = self.stream.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut self.buffer);
            self.line += 1;
            let at = format!("line {}", self.line);
            if read.map_err(Error::io(at))? == 0 {
                return Ok(None);
            }
            if self.buffer.len() as u64 > LINE_BYTES_MAX {
                self.skip_rest()?;
                return Err(self.error(format!("longer than {LINE_BYTES_MAX} bytes")));
            }
            if self.buffer.trim_ascii().is_empty() {
                continue;
            }
            let invocation =
                serde_json::from_slice(&self.buffer).map_err(|error| self.error(parse_error_text(&error)))?;
            return Ok(Some(Numbered { line: self.line, bytes: self.buffer.len(), invocation }));
        }
    }

    fn error(&self, what: String) -> Error {
        Error::Line { line: self.line, cause: Box::new(Error::NotAnInvocation(what)), also: 0 }
    }

    /// Leaves out what remains of a line that is too long.
    fn skip_rest(&mut self) -> Result<(), Error> {
        while !self.buffer.ends_with(b"\n") {
            self.buffer.clear();
            let read = self.stream.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut self.buffer);
            if read.map_err(Error::io(format!("line {}", self.line)))? == 0 {
                break;
            }
        }
        Ok(())
    }

    /// The stream itself.
    pub(crate) fn stream(&self) -> &R {
        &self.stream
    }
}

/// The parser numbers lines within the text that it is given, which is always one.
fn parse_error_text(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line 1 column ") {
        Some((what, column)) => format!("{what} at column {column}"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_blank_ones_skipped() {
        let text = b"{\"event\":\"a\"}\r\n\n  \n{\"event\":\"b\",\"params\":{\"n\":1.0},\"key\":\"k\"}";
        let mut lines = Lines::new(&text[..]);
        let first = lines.next().unwrap().unwrap();
        assert_eq!((first.line, first.invocation), (1, NewInvocation::new("a")));
        let second = lines.next().unwrap().unwrap();
        assert_eq!(second.line, 4);
        assert_eq!(second.invocation.params.unwrap().as_str(), "{\"n\":1.0}");
        assert!(lines.next().unwrap().is_none());
    }

    #[test]
    fn what_is_no_invocation_is_told_with_its_line() {
        let fault = |text: &str| {
            let mut lines = Lines::new(text.as_bytes());
            loop {
                match lines.next() {
                    Ok(Some(_)) => {}
                    Ok(None) => unreachable!(),
                    Err(error) => return (error.to_string(), error.code()),
                }
            }
        };
        let (message, code) = fault("{\"event\":\"a\"}\n{\"event\":\"a\",\"quue\":\"b\"}\n");
        assert!(message.starts_with("line 2: unknown field `quue`, expected one of"), "{message}");
        assert_eq!(code, "bad_line");
        assert_eq!(fault("\n{\"params\":{}}").0, "line 2: missing field `event` at column 13");
        assert!(fault("nonsense").0.starts_with("line 1: "));
        assert!(fault("{\"event\":\"\u{0}\"}").0.starts_with("line 1: "));
        assert!(
            fault(&format!("{{\"event\":\"{}\"}}", "x".repeat(1 << 20))).0.starts_with("line 1: longer than")
        );
    }
}
