//! Bytes of a plugin's stderr, as lines.

use std::mem;

/// A line without its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its text; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// Bytes that were cut off its end.
    pub cut_bytes: u64,
}

/// Splits bytes, as they come, into lines of a bounded length.
#[derive(Clone, Debug)]
pub struct LineSplitter {
    /// The line so far.
    bytes: Vec<u8>,
    /// Bytes of it that did not fit.
    cut_bytes: u64,
    bytes_max: usize,
}

impl LineSplitter {
    /// A splitter that keeps so many bytes of a line (`limits.plugin.log_line_bytes_max`).
    #[must_use]
    pub fn new(line_bytes_max: u64) -> Self {
        let bytes_max = usize::try_from(line_bytes_max).unwrap_or(usize::MAX);
        Self { bytes: Vec::new(), cut_bytes: 0, bytes_max }
    }

    /// Takes bytes; `each` is given every line that ends in them.
    pub fn push(&mut self, bytes: &[u8], mut each: impl FnMut(Line)) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.split_last() {
                Some((b'\n', part)) => {
                    self.extend(part);
                    each(self.take());
                }
                _ => self.extend(part),
            }
        }
    }

    /// Passes over the lines that end in these bytes: how many they are, and their bytes. What is behind the
    /// last end begins a line.
    pub fn skip(&mut self, bytes: &[u8]) -> (u64, u64) {
        let Some(end) = memchr::memrchr(b'\n', bytes) else {
            self.extend(bytes);
            return (0, 0);
        };
        let (ended, rest) = bytes.split_at(end + 1);
        let lines = count(memchr::memchr_iter(b'\n', ended).count());
        let begun = count(mem::take(&mut self.bytes).len()).saturating_add(mem::take(&mut self.cut_bytes));
        self.extend(rest);
        (lines, begun.saturating_add(count(ended.len()) - lines))
    }

    /// The line that the end of the stream ends.
    pub fn finish(&mut self) -> Option<Line> {
        (!self.bytes.is_empty() || self.cut_bytes > 0).then(|| self.take())
    }

    fn extend(&mut self, part: &[u8]) {
        let (kept, cut) = part.split_at(part.len().min(self.bytes_max.saturating_sub(self.bytes.len())));
        self.bytes.extend_from_slice(kept);
        self.cut_bytes = self.cut_bytes.saturating_add(count(cut.len()));
    }

    fn take(&mut self) -> Line {
        let cut_bytes = mem::take(&mut self.cut_bytes);
        let mut bytes = mem::take(&mut self.bytes);
        if cut_bytes == 0 && bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        Line { text: text(&bytes, cut_bytes > 0), cut_bytes }
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// The text of a line; of a character that was cut in two nothing is kept.
fn text(bytes: &[u8], is_cut: bool) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if is_cut && error.error_len().is_none() => bytes.get(..error.valid_up_to()),
        _ => None,
    };
    String::from_utf8_lossy(whole.unwrap_or(bytes)).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(parts: &[&[u8]], bytes_max: u64) -> Vec<(String, u64)> {
        let mut splitter = LineSplitter::new(bytes_max);
        let mut lines = Vec::new();
        for part in parts {
            splitter.push(part, |line| lines.push(line));
        }
        lines.extend(splitter.finish());
        assert_eq!(splitter.finish(), None);
        lines.into_iter().map(|line| (line.text, line.cut_bytes)).collect()
    }

    fn whole(text: &str) -> (String, u64) {
        (text.to_owned(), 0)
    }

    #[test]
    fn lines_end_at_their_ends_and_at_the_end_of_the_stream() {
        assert_eq!(split(&[b""], 8), []);
        assert_eq!(split(&[b"a\n"], 8), [whole("a")]);
        assert_eq!(split(&[b"a\r\nb\n\nc"], 8), [whole("a"), whole("b"), whole(""), whole("c")]);
        assert_eq!(split(&[b"a\rb\xff\n"], 8), [whole("a\rb\u{fffd}")]);
    }

    #[test]
    fn a_line_of_the_limit_is_kept_and_what_is_over_it_is_counted() {
        assert_eq!(split(&[b"12345678\n"], 8), [whole("12345678")]);
        assert_eq!(split(&[b"123456789\nx"], 8), [("12345678".to_owned(), 1), whole("x")]);
        assert_eq!(split(&[b"12345678", b"9", b"0"], 8), [("12345678".to_owned(), 2)]);
        assert_eq!(split(&["1234567é".as_bytes()], 8), [("1234567".to_owned(), 1)], "no half characters");
    }

    #[test]
    fn lines_that_are_passed_over_are_counted_with_what_was_begun_before() {
        let mut splitter = LineSplitter::new(4);
        splitter.push(b"begun", |_| {});
        assert_eq!(splitter.skip(b"more"), (0, 0));
        assert_eq!(splitter.skip(b"-\n\nab\nrest"), (3, 9 + 1 + 2));
        let mut lines = Vec::new();
        splitter.push(b"!\n", |line| lines.push(line));
        assert_eq!(lines, [Line { text: "rest".to_owned(), cut_bytes: 1 }]);
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_split_makes_no_difference(
            bytes in prop::collection::vec(prop::sample::select(b"ab\r\n\xc3\xa9".to_vec()), 0..40),
            bytes_max in 1_u64..10,
        ) {
            let expected = split(&[&bytes], bytes_max);
            for at in 0..=bytes.len() {
                let (head, tail) = bytes.split_at(at);
                prop_assert_eq!(split(&[head, tail], bytes_max), expected.clone());
            }
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(split(&single, bytes_max), expected);
        }
    }
}
