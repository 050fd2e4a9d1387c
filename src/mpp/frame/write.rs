//! One frame's line, written into bytes or only counted.

use std::io;

use crate::tap::entry::mpp::FrameType;

/// Most frames fit without a second allocation.
const LINE_BYTES_USUAL: usize = 128;

/// A line being written into memory: writing cannot fail.
pub(super) struct Line<W>(W);

impl Line<Vec<u8>> {
    /// A line to be sent.
    pub(super) fn bytes(kind: FrameType) -> Self {
        Self::begin(Vec::with_capacity(LINE_BYTES_USUAL), kind)
    }
}

impl Line<Count> {
    /// A line of which only the length matters.
    pub(super) fn count(kind: FrameType) -> Self {
        Self::begin(Count::default(), kind)
    }
}

impl<W: io::Write> Line<W> {
    /// A part of a line.
    pub(super) fn over(out: W) -> Self {
        Self(out)
    }

    fn begin(out: W, kind: FrameType) -> Self {
        let mut line = Self(out);
        line.put(br#"{"mpp":2,"type":""#);
        line.put(kind.name().as_bytes());
        line.put(b"\"");
        line
    }

    /// Another field: a string.
    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.put_string(value);
    }

    /// Another field: a number.
    pub(super) fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        certain(serde_json::to_writer(&mut self.0, &value).is_ok());
    }

    /// Another field: JSON text. It is put in as it is, unless it has line breaks, which would end the frame;
    /// then all its white space goes.
    pub(super) fn json(&mut self, key: &str, text: &str) {
        self.key(key);
        if memchr::memchr(b'\n', text.as_bytes()).is_none() {
            self.put(text.as_bytes());
        } else {
            self.put_without_space(text.as_bytes());
        }
    }

    /// Bytes as they are.
    pub(super) fn put(&mut self, bytes: &[u8]) {
        certain(self.0.write_all(bytes).is_ok());
    }

    /// A JSON string.
    pub(super) fn put_string(&mut self, value: &str) {
        certain(serde_json::to_writer(&mut self.0, value).is_ok());
    }

    /// The whole line, with its LF.
    pub(super) fn end(mut self) -> W {
        self.put(b"}\n");
        self.0
    }

    /// What was written.
    pub(super) fn into_inner(self) -> W {
        self.0
    }

    fn key(&mut self, key: &str) {
        self.put(b",\"");
        self.put(key.as_bytes());
        self.put(b"\":");
    }

    fn put_without_space(&mut self, json: &[u8]) {
        let mut rest = json;
        while let Some(quote) = memchr::memchr(b'"', rest) {
            let (between, from_quote) = rest.split_at(quote);
            self.put_tokens(between);
            let (string, behind) = from_quote.split_at(string_len(from_quote));
            self.put(string);
            rest = behind;
        }
        self.put_tokens(rest);
    }

    fn put_tokens(&mut self, json: &[u8]) {
        for token in json.split(u8::is_ascii_whitespace) {
            self.put(token);
        }
    }
}

/// The length of the JSON string that `json` begins with, its quotes included.
fn string_len(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if json.get(at) == Some(&b'"') {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

/// Memory takes every byte; nothing else is written to.
fn certain(written: bool) {
    debug_assert!(written, "writing to memory does not fail");
}

/// How many bytes would have been written.
#[derive(Debug, Default)]
pub(super) struct Count(usize);

impl Count {
    /// So many.
    pub(super) fn bytes(&self) -> usize {
        self.0
    }
}

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
