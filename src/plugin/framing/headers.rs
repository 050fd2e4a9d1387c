//! The header lines of a frame, judged one by one as they come.

use super::Broken;
use crate::{
    limits::{PLUGIN_FRAME_BYTES_MAX, PLUGIN_HEADER_BYTES_MAX},
    tap::entry::plugin::Violation,
};

/// The header lines of the frame that has begun, as far as they were judged.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Headers {
    /// Bytes of the lines judged so far, with their ends.
    bytes: usize,
    /// Bytes behind them that are known to hold no LF.
    scanned: usize,
    length: Option<usize>,
    has_bare_lf: bool,
}

/// What whole headers say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announced {
    /// Bytes of the headers, the blank line included.
    pub header_bytes: usize,
    /// Bytes of the body, [`PLUGIN_FRAME_BYTES_MAX`] at most.
    pub body_bytes: usize,
    /// Whether a line ends with LF alone.
    pub has_bare_lf: bool,
}

impl Announced {
    /// Bytes of the whole frame.
    pub(super) const fn wire_bytes(self) -> usize {
        self.header_bytes + self.body_bytes
    }
}

impl Headers {
    /// Judges the lines that are whole by now; `bytes` is all that has come of the frame.
    ///
    /// # Errors
    ///
    /// The first of them that breaks a clause, or too many bytes without a blank line.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> Result<Option<Announced>, Broken> {
        loop {
            let fresh = bytes.get(self.bytes + self.scanned..).unwrap_or_default();
            let Some(at) = memchr::memchr(b'\n', fresh) else {
                self.scanned += fresh.len();
                if bytes.len() > PLUGIN_HEADER_BYTES_MAX {
                    return Err(Broken::new(Violation::HeadersTooLong, bytes, bytes));
                }
                return Ok(None);
            };
            let end = self.bytes + self.scanned + at + 1;
            if end > PLUGIN_HEADER_BYTES_MAX {
                return Err(Broken::new(Violation::HeadersTooLong, bytes, bytes));
            }
            let line = bytes.get(self.bytes..end - 1).unwrap_or_default();
            let whole = bytes.get(..end).unwrap_or_default();
            (self.bytes, self.scanned) = (end, 0);
            let text = line.strip_suffix(b"\r");
            self.has_bare_lf |= text.is_none();
            let text = text.unwrap_or(line);
            if text.is_empty() {
                let Some(body_bytes) = self.length else {
                    return Err(Broken::new(Violation::NoLength, whole, whole));
                };
                return Ok(Some(Announced { header_bytes: end, body_bytes, has_bare_lf: self.has_bare_lf }));
            }
            self.judge(text).map_err(|violation| Broken::new(violation, text, whole))?;
        }
    }

    /// Judges one line without its end.
    fn judge(&mut self, line: &[u8]) -> Result<(), Violation> {
        let colon = memchr::memchr(b':', line).ok_or(Violation::NoColon)?;
        let (name, value) = line.split_at(colon);
        if !name.eq_ignore_ascii_case(b"Content-Length") {
            return Ok(());
        }
        if self.length.is_some() {
            return Err(Violation::TwoLengths);
        }
        self.length = Some(length(value.get(1..).unwrap_or_default())?);
        Ok(())
    }
}

/// The length that a header's value is, with the white space around it that HTTP permits (RFC 9110 §5.5).
fn length(value: &[u8]) -> Result<usize, Violation> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value.iter().position(|byte| !is_space(byte)).ok_or(Violation::LengthNotDecimal)?;
    let end = value.iter().rposition(|byte| !is_space(byte)).map_or(start, |at| at + 1);
    let digits = value.get(start..end).unwrap_or_default();
    if !digits.iter().all(u8::is_ascii_digit) {
        return Err(Violation::LengthNotDecimal);
    }
    let mut length = 0_usize;
    for digit in digits {
        length = length.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    }
    // Judged before anything is allocated for it.
    if length > PLUGIN_FRAME_BYTES_MAX { Err(Violation::BodyTooLong) } else { Ok(length) }
}
