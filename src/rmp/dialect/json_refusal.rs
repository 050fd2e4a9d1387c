//! Refusals in the dialect's words.

use std::fmt;

use crate::rmp::{Error, HEADER_BYTES, error::Lengths};

/// Why something was not done; `E` of the facts. It is shown as its JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonRefusal {
    /// The bus is closing.
    Closed,
    /// It came too late.
    MessageExpired,
    /// A TTL of 0.
    InvalidTtl,
    /// The header's `body_len` is not the body's.
    BodyLengthMismatch {
        /// What the header says.
        expected: u64,
        /// How long the body is.
        actual: u64,
    },
    /// A subscriber held the message up; ours never do.
    BackpressureTimeout {
        /// The topic.
        topic: String,
    },
    /// Anything that has no form of its own, as `<Name>: …` (ruling RMP 16).
    Forbidden(String),
    /// The body's type does not go with the schema.
    BodyTypeMismatch {
        /// The schema.
        expected: u16,
        /// The body's type.
        actual: String,
    },
    /// A moment that 64 bits cannot say.
    InvalidExpiry {
        /// What `created_at_ms` says.
        created_at_ms: u64,
        /// What `ttl_ms` says.
        ttl_ms: u64,
    },
    /// The registry has no such schema.
    UnknownSchema(u16),
}

impl JsonRefusal {
    /// A refusal without a form of its own.
    #[must_use]
    pub fn named(name: &str, message: impl fmt::Display) -> Self {
        Self::Forbidden(format!("{name}: {message}"))
    }
}

impl From<&Error> for JsonRefusal {
    fn from(error: &Error) -> Self {
        match error {
            Error::Expired { .. } => Self::MessageExpired,
            Error::InvalidTtl => Self::InvalidTtl,
            Error::LengthMismatch(Lengths::Announced { frame_len, header_and_body }) => {
                let body = |bytes: u64| bytes.saturating_sub(HEADER_BYTES as u64);
                Self::BodyLengthMismatch {
                    expected: body(*header_and_body),
                    actual: body(u64::from(*frame_len)),
                }
            }
            Error::BodyTypeMismatch { schema_id, got, .. } => {
                Self::BodyTypeMismatch { expected: schema_id.0, actual: got.clone() }
            }
            Error::InvalidExpiry { created_at_ms, ttl_ms } => {
                Self::InvalidExpiry { created_at_ms: *created_at_ms, ttl_ms: *ttl_ms }
            }
            Error::UnknownSchema { schema_id } => Self::UnknownSchema(schema_id.0),
            Error::InvalidMagic { .. }
            | Error::UnsupportedVersion { .. }
            | Error::TruncatedHeader { .. }
            | Error::InvalidHeaderFlags { .. }
            | Error::LengthMismatch(Lengths::Available { .. })
            | Error::BodyTooLarge { .. }
            | Error::Duplicate { .. }
            | Error::BodyDecodeError(_) => Self::named(error.name(), error),
        }
    }
}

impl fmt::Display for JsonRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Closed => f.write_str(r#""Closed""#),
            Self::MessageExpired => f.write_str(r#""MessageExpired""#),
            Self::InvalidTtl => f.write_str(r#"{"InvalidTtl":0}"#),
            Self::BodyLengthMismatch { expected, actual } => {
                write!(f, r#"{{"BodyLengthMismatch":{{"expected":{expected},"actual":{actual}}}}}"#)
            }
            Self::BackpressureTimeout { topic } => {
                write!(f, r#"{{"BackpressureTimeout":{{"topic":{}}}}}"#, quoted(topic))
            }
            Self::Forbidden(text) => write!(f, r#"{{"Forbidden":{}}}"#, quoted(text)),
            Self::BodyTypeMismatch { expected, actual } => {
                write!(f, r#"{{"BodyTypeMismatch":{{"expected":{expected},"actual":{}}}}}"#, quoted(actual))
            }
            Self::InvalidExpiry { created_at_ms, ttl_ms } => {
                write!(f, r#"{{"InvalidExpiry":{{"created_at_ms":{created_at_ms},"ttl_ms":{ttl_ms}}}}}"#)
            }
            Self::UnknownSchema(schema_id) => write!(f, r#"{{"UnknownSchema":{schema_id}}}"#),
        }
    }
}
