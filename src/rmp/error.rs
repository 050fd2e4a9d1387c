//! What a frame can be refused for: the thirteen errors of the taxonomy (rmp-v0 §7), each with what was there
//! and what belongs there.

use super::{
    SchemaId,
    body::BodyFault,
    header::{HEADER_BYTES, MAGIC, PREFIX_BYTES, offset},
};
use crate::{ids::TraceId, tap::entry::rmp::Code};

/// Why a frame is refused. Every number is in the unit that its field has on the wire.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The first four bytes of the header are others.
    #[error("the header begins with {}, not with {}", hex(got), hex(&MAGIC))]
    InvalidMagic {
        /// What it begins with.
        got: [u8; 4],
    },
    /// Another version of the protocol.
    #[error("header_version is {header_version} and header_len {header_len}, not 0 and 64")]
    UnsupportedVersion {
        /// What `header_version` says.
        header_version: u16,
        /// What `header_len` says.
        header_len: u16,
    },
    /// The header is not all there.
    #[error("{header_bytes} of 64 header bytes are there")]
    TruncatedHeader {
        /// How many are.
        header_bytes: usize,
    },
    /// A field that v0 keeps at 0 is not.
    #[error("flags are {flags:#010x}, reserved2 {reserved2:#06x}, reserved4 {reserved4:#010x}, not 0 all")]
    InvalidHeaderFlags {
        /// What `flags` says.
        flags: u32,
        /// What `reserved2` says.
        reserved2: u16,
        /// What `reserved4` says.
        reserved4: u32,
    },
    /// The lengths do not go together.
    #[error("{0}")]
    LengthMismatch(Lengths),
    /// The registry has no such schema.
    #[error("the registry has no schema_id {schema_id}")]
    UnknownSchema {
        /// The id asked for.
        schema_id: SchemaId,
    },
    /// A body over the limit is not looked at.
    #[error("{} announces a body of {body_bytes} bytes; the limit is {body_bytes_max}{}", announced_by.name(), as_text(*announced_by, *body_bytes))]
    BodyTooLarge {
        /// The field that says so.
        announced_by: SizeField,
        /// Bytes of the body that it announces.
        body_bytes: u64,
        /// The limit in force.
        body_bytes_max: u64,
    },
    /// A TTL of nothing.
    #[error("ttl_ms is 0")]
    InvalidTtl,
    /// A moment that 64 bits cannot say.
    #[error("created_at_ms {created_at_ms} plus ttl_ms {ttl_ms} exceeds 64 bits")]
    InvalidExpiry {
        /// What `created_at_ms` says.
        created_at_ms: u64,
        /// What `ttl_ms` says.
        ttl_ms: u64,
    },
    /// It came too late.
    #[error("it expired at {expires_at_ms}; the time is {now_ms}")]
    Expired {
        /// The moment from which it is expired.
        expires_at_ms: u64,
        /// The moment at which it was judged.
        now_ms: u64,
    },
    /// It came before.
    #[error("msg_id {msg_id} of {trace_id} is a duplicate")]
    Duplicate {
        /// Its trace.
        trace_id: TraceId,
        /// Its number.
        msg_id: u64,
    },
    /// The body is no envelope.
    #[error("{0}")]
    BodyDecodeError(BodyFault),
    /// The body's type does not go with the header's schema.
    #[error("the body's type is {got:?}, but schema_id {schema_id} requires {expected}")]
    BodyTypeMismatch {
        /// What the header says.
        schema_id: SchemaId,
        /// What the registry takes for it.
        expected: String,
        /// What the body says.
        got: String,
        /// Where the type begins in the body.
        at: usize,
    },
}

/// That a `frame_len` is text: what came speaks another protocol, or none.
fn as_text(announced_by: SizeField, body_bytes: u64) -> String {
    let frame_len = u32::try_from(body_bytes.saturating_add(HEADER_BYTES as u64)).map(u32::to_be_bytes);
    let is_text = |bytes: &[u8; PREFIX_BYTES]| {
        bytes.iter().all(|byte| byte.is_ascii_graphic() || b" \t\r\n".contains(byte))
    };
    match frame_len {
        Ok(bytes) if announced_by == SizeField::FrameLen && is_text(&bytes) => {
            format!("; it is the text \"{}\", not an RMP frame", bytes.escape_ascii())
        }
        _ => String::new(),
    }
}

/// Which lengths do not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lengths {
    /// The prefix and the header differ.
    #[error("frame_len is {frame_len}, but header_len + body_len is {header_and_body}")]
    Announced {
        /// What the prefix says.
        frame_len: u32,
        /// What the header's lengths add up to.
        header_and_body: u64,
    },
    /// More or fewer bytes came than the prefix says.
    #[error("frame_len is {frame_len}, but {bytes} bytes follow")]
    Available {
        /// What the prefix says.
        frame_len: u32,
        /// How many are there.
        bytes: u64,
    },
}

/// A field that announces how large a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeField {
    /// The prefix. Nothing behind it is read, and the stream ends (ruling RMP 2).
    FrameLen,
    /// The header's field. The frame is skipped, and the stream goes on.
    BodyLen,
}

impl SizeField {
    /// The field's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::FrameLen => "frame_len",
            Self::BodyLen => "body_len",
        }
    }
}

impl Error {
    /// Its place in the taxonomy.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::InvalidMagic { .. } => Code::InvalidMagic,
            Self::UnsupportedVersion { .. } => Code::UnsupportedVersion,
            Self::TruncatedHeader { .. } => Code::TruncatedHeader,
            Self::InvalidHeaderFlags { .. } => Code::InvalidHeaderFlags,
            Self::LengthMismatch(_) => Code::LengthMismatch,
            Self::UnknownSchema { .. } => Code::UnknownSchema,
            Self::BodyTooLarge { .. } => Code::BodyTooLarge,
            Self::InvalidTtl => Code::InvalidTtl,
            Self::InvalidExpiry { .. } => Code::InvalidExpiry,
            Self::Expired { .. } => Code::Expired,
            Self::Duplicate { .. } => Code::Duplicate,
            Self::BodyDecodeError(_) => Code::BodyDecodeError,
            Self::BodyTypeMismatch { .. } => Code::BodyTypeMismatch,
        }
    }

    /// Its name in the taxonomy.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.code().name()
    }

    /// The clauses that are broken.
    #[must_use]
    pub const fn clause(&self) -> &'static str {
        self.code().clause()
    }

    /// Whether nothing that follows in the stream can be trusted (ruling RMP 2). After any other fault
    /// `frame_len` bytes are skipped.
    #[must_use]
    pub const fn ends_stream(&self) -> bool {
        match self {
            Self::InvalidMagic { .. } | Self::UnsupportedVersion { .. } | Self::TruncatedHeader { .. } => {
                true
            }
            Self::BodyTooLarge { announced_by, .. } => matches!(announced_by, SizeField::FrameLen),
            // The stream itself ended within the frame, or it does not say where the next one begins.
            Self::LengthMismatch(lengths) => matches!(lengths, Lengths::Available { .. }),
            Self::InvalidHeaderFlags { .. }
            | Self::UnknownSchema { .. }
            | Self::InvalidTtl
            | Self::InvalidExpiry { .. }
            | Self::Expired { .. }
            | Self::Duplicate { .. }
            | Self::BodyDecodeError(_)
            | Self::BodyTypeMismatch { .. } => false,
        }
    }

    /// What belongs there.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::InvalidMagic { .. } => hex(&MAGIC),
            Self::UnsupportedVersion { .. } => "header_version 0, header_len 64".to_owned(),
            Self::TruncatedHeader { .. } => "64 header bytes".to_owned(),
            Self::InvalidHeaderFlags { .. } => "flags 0, reserved2 0, reserved4 0".to_owned(),
            Self::LengthMismatch(Lengths::Announced { header_and_body, .. }) => {
                format!("frame_len {header_and_body}")
            }
            Self::LengthMismatch(Lengths::Available { frame_len, .. }) => {
                format!("{frame_len} bytes after frame_len")
            }
            Self::UnknownSchema { .. } => "a schema_id of the registry".to_owned(),
            Self::BodyTooLarge { body_bytes_max, .. } => format!("a body of at most {body_bytes_max} bytes"),
            Self::InvalidTtl => "ttl_ms over 0".to_owned(),
            Self::InvalidExpiry { .. } => format!("created_at_ms + ttl_ms of at most {}", u64::MAX),
            Self::Expired { expires_at_ms, .. } => format!("a time before {expires_at_ms}"),
            Self::Duplicate { .. } => "a msg_id new to its trace".to_owned(),
            Self::BodyDecodeError(fault) => fault.expected(),
            Self::BodyTypeMismatch { expected, .. } => format!("type {expected}"),
        }
    }

    /// The value that is there instead.
    #[must_use]
    pub fn got(&self) -> String {
        match self {
            Self::InvalidMagic { got } => hex(got),
            Self::UnsupportedVersion { header_version, header_len } => {
                format!("header_version {header_version}, header_len {header_len}")
            }
            Self::TruncatedHeader { header_bytes } => header_bytes.to_string(),
            Self::InvalidHeaderFlags { flags, reserved2, reserved4 } => {
                format!("flags {flags:#010x}, reserved2 {reserved2:#06x}, reserved4 {reserved4:#010x}")
            }
            Self::LengthMismatch(Lengths::Announced { frame_len, .. }) => format!("frame_len {frame_len}"),
            Self::LengthMismatch(Lengths::Available { bytes, .. }) => format!("{bytes} bytes"),
            Self::UnknownSchema { schema_id } => format!("schema_id {schema_id}"),
            Self::BodyTooLarge { body_bytes, announced_by, .. } => {
                format!("{body_bytes} bytes by {}", announced_by.name())
            }
            Self::InvalidTtl => "ttl_ms 0".to_owned(),
            Self::InvalidExpiry { created_at_ms, ttl_ms } => {
                format!(
                    "created_at_ms {created_at_ms} + ttl_ms {ttl_ms} = {}",
                    u128::from(*created_at_ms) + u128::from(*ttl_ms)
                )
            }
            Self::Expired { now_ms, .. } => now_ms.to_string(),
            Self::Duplicate { trace_id, msg_id } => format!("msg_id {msg_id} of {trace_id} again"),
            Self::BodyDecodeError(fault) => fault.got(),
            Self::BodyTypeMismatch { got, .. } => format!("type {got:?}"),
        }
    }

    /// Where in the frame it is, in bytes from the prefix on.
    #[must_use]
    pub fn offset(&self) -> usize {
        let header = |field: usize| PREFIX_BYTES + field;
        match self {
            Self::InvalidMagic { .. } => header(offset::MAGIC),
            Self::UnsupportedVersion { header_version: 0, .. } => header(offset::HEADER_LEN),
            Self::UnsupportedVersion { .. } => header(offset::HEADER_VERSION),
            Self::TruncatedHeader { header_bytes } => header(*header_bytes),
            Self::InvalidHeaderFlags { flags: 0, reserved2: 0, .. } => header(offset::RESERVED4),
            Self::InvalidHeaderFlags { flags: 0, .. } => header(offset::RESERVED2),
            Self::InvalidHeaderFlags { .. } => header(offset::FLAGS),
            Self::LengthMismatch(Lengths::Available { frame_len, bytes }) => PREFIX_BYTES
                .saturating_add(usize::try_from(u64::from(*frame_len).min(*bytes)).unwrap_or(usize::MAX)),
            Self::LengthMismatch(Lengths::Announced { .. })
            | Self::BodyTooLarge { announced_by: SizeField::FrameLen, .. } => 0,
            Self::BodyTooLarge { announced_by: SizeField::BodyLen, .. } => header(offset::BODY_LEN),
            Self::UnknownSchema { .. } => header(offset::SCHEMA_ID),
            Self::InvalidTtl => header(offset::TTL_MS),
            Self::InvalidExpiry { .. } | Self::Expired { .. } => header(offset::CREATED_AT_MS),
            Self::Duplicate { .. } => header(offset::TRACE_ID),
            Self::BodyDecodeError(fault) => header(HEADER_BYTES + fault.at),
            Self::BodyTypeMismatch { at, .. } => header(HEADER_BYTES + at),
        }
    }
}

/// Bytes as people read them, with the text that they are where they are one.
fn hex(bytes: &[u8]) -> String {
    let digits: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let digits = digits.join(" ");
    match std::str::from_utf8(bytes) {
        Ok(text) if bytes.iter().all(u8::is_ascii_graphic) => format!("{digits} {text:?}"),
        _ => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_words_are_the_taxonomys() {
        assert_eq!(Code::InvalidMagic.name(), "InvalidMagic");
        assert_eq!(Code::InvalidMagic.says(), "magic bytes were not \"RMP0\".");
        assert_eq!(Code::BodyTooLarge.clause(), "rmp-v0 §6");
        let names: std::collections::BTreeSet<_> = Code::ALL.map(Code::name).into();
        assert_eq!(names.len(), 13);
    }

    #[test]
    fn text_in_the_place_of_a_length_is_said_to_be_no_frame() {
        let announced = |bytes: &[u8; 4], announced_by| {
            let body_bytes = u64::from(u32::from_be_bytes(*bytes)) - HEADER_BYTES as u64;
            Error::BodyTooLarge { announced_by, body_bytes, body_bytes_max: 8 }.to_string()
        };
        let words = announced(b"GET ", SizeField::FrameLen);
        assert!(words.ends_with("the limit is 8; it is the text \"GET \", not an RMP frame"), "{words}");
        let words = announced(b"{\"a\"", SizeField::FrameLen);
        assert!(words.ends_with("it is the text \"{\\\"a\\\"\", not an RMP frame"), "{words}");
        assert!(!announced(&[1, 2, 3, 4], SizeField::FrameLen).contains("text"));
        assert!(!announced(b"GET ", SizeField::BodyLen).contains("text"));
    }

    #[test]
    fn bytes_are_shown_with_their_text_where_they_have_one() {
        assert_eq!(hex(&MAGIC), "52 4d 50 30 \"RMP0\"");
        assert_eq!(hex(&[0, 255, 10, 32]), "00 ff 0a 20");
    }
}
