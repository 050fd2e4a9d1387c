//! W3C Trace Context: the `traceparent` header, in and out (rulings MPLP 4 and 18).

use std::{fmt, str::FromStr};

/// The flag of a trace that may have been recorded.
pub const SAMPLED: u8 = 0x01;

/// Bytes of a `traceparent` of version 00, and of what is read of one of a later version.
const HEADER_BYTES: usize = 55;

/// Bytes of a header that is kept as it came; one of a later version may have any length.
const KEPT_BYTES_MAX: usize = 512;

/// The version that has no header.
const NO_VERSION: u8 = 0xff;

/// The fields of a `traceparent` header (W3C Trace Context §3.2).
///
/// ```text
/// version "-" trace-id         "-" parent-id "-" trace-flags
///   2           32 hexadecimal       16             2          lowercase
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TraceParent {
    /// The version that the header names; 0 is the one of today.
    pub version: u8,
    /// The trace; never zero.
    pub trace_id: [u8; 16],
    /// The span of the caller; never zero.
    pub parent_id: [u8; 8],
    /// The flags as they came. Those but [`SAMPLED`] are not known here, and to be ignored.
    pub flags: u8,
}

/// Why a text is no `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceParentError {
    /// It is shorter than a header of any version.
    #[error("traceparent has {0} bytes, fewer than 55")]
    Short(usize),
    /// A field has a character that is no lowercase hexadecimal digit.
    #[error("the {0} of traceparent is not in lowercase hexadecimal digits")]
    NotHex(&'static str),
    /// No `-` where fields part.
    #[error("no \"-\" behind the {0} of traceparent")]
    NoDash(&'static str),
    /// Version ff.
    #[error("traceparent of version ff, which is forbidden")]
    Version,
    /// A trace or parent of zeros alone.
    #[error("the {0} of traceparent is all zeros")]
    Zero(&'static str),
    /// More than the fields that version 00 has.
    #[error("traceparent of version 00 with more than four fields")]
    Long,
}

impl TraceParent {
    /// What is handed on of a span: version 00, the trace, the last 16 hexadecimal digits of the span as
    /// parent, and flags 01.
    #[must_use]
    pub fn of_span(trace_id: &[u8; 16], span_id: &[u8; 16]) -> Self {
        let [_, _, _, _, _, _, _, _, parent_id @ ..] = *span_id;
        Self { version: 0, trace_id: *trace_id, parent_id, flags: SAMPLED }
    }

    /// Whether the caller may have recorded the trace.
    #[must_use]
    pub const fn is_sampled(&self) -> bool {
        self.flags & SAMPLED != 0
    }
}

impl FromStr for TraceParent {
    type Err = TraceParentError;

    /// Reads a header. Of a version that is not known, the fields of version 00 are read, and behind them a
    /// `-` and anything may follow.
    fn from_str(text: &str) -> Result<Self, TraceParentError> {
        let bytes = text.as_bytes();
        let Some((head, rest)) = bytes.split_at_checked(HEADER_BYTES) else {
            return Err(TraceParentError::Short(bytes.len()));
        };
        let mut fields = Fields { rest: head };
        let [version] = fields.hex("version")?;
        if version == NO_VERSION {
            return Err(TraceParentError::Version);
        }
        fields.dash("version")?;
        let trace_id: [u8; 16] = fields.hex("trace-id")?;
        fields.dash("trace-id")?;
        let parent_id: [u8; 8] = fields.hex("parent-id")?;
        fields.dash("parent-id")?;
        let [flags] = fields.hex("trace-flags")?;
        match (version, rest) {
            (_, []) => {}
            (0, _) => return Err(TraceParentError::Long),
            (_, [b'-', ..]) => {}
            _ => return Err(TraceParentError::NoDash("trace-flags")),
        }
        if trace_id == [0; 16] {
            return Err(TraceParentError::Zero("trace-id"));
        }
        if parent_id == [0; 8] {
            return Err(TraceParentError::Zero("parent-id"));
        }
        Ok(Self { version, trace_id, parent_id, flags })
    }
}

/// A `traceparent` as somebody gave it with a request (ruling MPLP 18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GivenTraceParent {
    /// It is valid: the header as it came, of at most 512 bytes.
    Valid(Box<str>),
    /// It is left out, and the text says why.
    LeftOut(String),
}

impl GivenTraceParent {
    /// Judges a header.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text.parse::<TraceParent>() {
            Ok(_) if text.len() <= KEPT_BYTES_MAX => Self::Valid(Box::from(text)),
            Ok(_) => {
                Self::LeftOut(format!("traceparent has {} bytes, more than {KEPT_BYTES_MAX}", text.len()))
            }
            Err(error) => Self::LeftOut(error.to_string()),
        }
    }

    /// One that is no text, as which kind of value it came.
    #[must_use]
    pub fn no_text(kind: &str) -> Self {
        Self::LeftOut(format!("traceparent is {kind}, not a string"))
    }

    /// The header, where it is valid.
    #[must_use]
    pub fn valid(&self) -> Option<&str> {
        match self {
            Self::Valid(header) => Some(header),
            Self::LeftOut(_) => None,
        }
    }

    /// Why it is left out, where it is.
    #[must_use]
    pub fn left_out(&self) -> Option<&str> {
        match self {
            Self::Valid(_) => None,
            Self::LeftOut(why) => Some(why),
        }
    }
}

/// What is left to read of the fields.
struct Fields<'a> {
    rest: &'a [u8],
}

impl Fields<'_> {
    fn hex<const BYTES: usize>(&mut self, field: &'static str) -> Result<[u8; BYTES], TraceParentError> {
        let mut value = [0; BYTES];
        for byte in &mut value {
            let [high, low, rest @ ..] = self.rest else { return Err(TraceParentError::NotHex(field)) };
            let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
                return Err(TraceParentError::NotHex(field));
            };
            *byte = high << 4 | low;
            self.rest = rest;
        }
        Ok(value)
    }

    fn dash(&mut self, field: &'static str) -> Result<(), TraceParentError> {
        let [b'-', rest @ ..] = self.rest else { return Err(TraceParentError::NoDash(field)) };
        self.rest = rest;
        Ok(())
    }
}

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for TraceParent {
    /// Writes the header; of a later version, the fields that version 00 has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trace_id = u128::from_be_bytes(self.trace_id);
        let parent_id = u64::from_be_bytes(self.parent_id);
        write!(f, "{:02x}-{trace_id:032x}-{parent_id:016x}-{:02x}", self.version, self.flags)
    }
}

#[cfg(test)]
mod tests;
