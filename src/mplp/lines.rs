//! Judges a stream of NDJSON that arrives in parts, in constant memory.

use memchr::memchr;

use super::{
    catalog::SchemaId,
    rule::{Profile, RecordContext},
    validate::{InputLimits, Judged, NotJudged, validate},
};

/// What a line was found to be, with its number from 1.
pub type Line = (u64, Result<Judged, NotJudged>);

/// Takes in the bytes of a stream, and judges each line that ends. Blank lines are counted alone. It holds no
/// more than the limit of one object, of a line that has not ended yet.
#[derive(Debug)]
pub struct Lines {
    schema: Option<SchemaId>,
    profile: Option<Profile>,
    limits: InputLimits,
    held: Vec<u8>,
    is_too_long: bool,
    number: u64,
}

impl Lines {
    /// A stream of objects of one schema, or each of its own, of no record or of one of a profile.
    #[must_use]
    pub const fn new(schema: Option<SchemaId>, profile: Option<Profile>, limits: InputLimits) -> Self {
        Self { schema, profile, limits, held: Vec::new(), is_too_long: false, number: 0 }
    }

    /// Takes in the next bytes, and hands on what lines that end in them are.
    pub fn push(&mut self, mut bytes: &[u8], judged: &mut impl FnMut(Line)) {
        while let Some(end) = memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            if self.held.is_empty() && !self.is_too_long {
                self.end(line, judged);
            } else {
                self.hold(line);
                self.end_held(judged);
            }
            bytes = rest.get(1..).unwrap_or_default();
        }
        self.hold(bytes);
    }

    /// Ends the stream, and with it a last line without a line feed.
    pub fn finish(&mut self, judged: &mut impl FnMut(Line)) {
        if !self.held.is_empty() || self.is_too_long {
            self.end_held(judged);
        }
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.is_too_long |= bytes.len() > self.limits.bytes_max.saturating_sub(self.held.len());
        if self.is_too_long {
            self.held.clear();
        } else {
            self.held.extend_from_slice(bytes);
        }
    }

    fn end_held(&mut self, judged: &mut impl FnMut(Line)) {
        if std::mem::take(&mut self.is_too_long) {
            self.number += 1;
            judged((self.number, Err(NotJudged::TooLong { bytes_max: self.limits.bytes_max })));
        } else {
            let mut line = std::mem::take(&mut self.held);
            self.end(&line, judged);
            line.clear();
            self.held = line;
        }
    }

    fn end(&mut self, line: &[u8], judged: &mut impl FnMut(Line)) {
        self.number += 1;
        let is_blank = line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        if !is_blank || line.len() > self.limits.bytes_max {
            let record = RecordContext { profile: self.profile, bundle: None };
            judged((self.number, validate(line, self.schema, record, self.limits)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: InputLimits = InputLimits { bytes_max: 100, depth_max: 9, findings_max: 9 };

    fn judged(stream: &[u8], part: usize) -> Vec<Line> {
        let (mut lines, mut found) = (Lines::new(None, None, LIMITS), Vec::new());
        for bytes in stream.chunks(part) {
            lines.push(bytes, &mut |line| found.push(line));
            assert!(lines.held.len() <= LIMITS.bytes_max);
        }
        lines.finish(&mut |line| found.push(line));
        found
    }

    #[test]
    fn lines_are_the_same_wherever_the_stream_is_cut() {
        let id = "\"5a0e8400-e29b-41d4-a716-446655440000\"";
        let stream = format!("{id}\r\n\n \t\r\n\"x\"\n{}\n{{\n{id}\n{}", "[".repeat(101), "1".repeat(300));
        let whole = judged(stream.as_bytes(), usize::MAX);
        let numbers: Vec<u64> = whole.iter().map(|it| it.0).collect();
        assert_eq!(numbers, [1, 4, 5, 6, 7, 8]);
        assert!(whole[0].1.as_ref().unwrap().findings.is_clean());
        assert_eq!(whole[1].1.as_ref().unwrap().findings.list.len(), 1);
        assert_eq!(whole[2].1, Err(NotJudged::TooLong { bytes_max: 100 }));
        assert!(matches!(whole[3].1, Err(NotJudged::NotJson(_))));
        assert_eq!(whole[5].1, whole[2].1);
        for part in 1..stream.len() {
            assert_eq!(judged(stream.as_bytes(), part), whole, "{part}");
        }
    }
}
