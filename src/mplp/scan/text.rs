//! What a schema or a rule asks of a text, judged on its bytes as they are between the quotes.

use crate::mplp::formats::{is_date_time, is_email, is_semantic_version, is_uri, is_uuid};

use super::names::Names;

/// One thing that is asked of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextCheck {
    /// The pattern of `mplp-l1 §3.2.1`, and what rules call `uuid-v4`.
    UuidV4,
    /// The format `uuid`.
    Uuid,
    /// The format `date-time`, and what rules call `iso-datetime`.
    DateTime,
    /// The format `uri`.
    Uri,
    /// The format `email`.
    Email,
    /// The pattern of three numbers with points between.
    Version,
    /// The pattern of Semantic Versioning.
    SemanticVersion,
    /// The pattern of words in lowercase with points between.
    DottedWords,
    /// A character that is no white space.
    NotBlank,
    /// Characters, at least.
    CharactersMin(usize),
    /// Any text but this one.
    Not(&'static str),
}

/// The patterns of the schemas that are known here; what has another is left to the judge.
const PATTERNS: [(&str, TextCheck); 4] = [
    ("^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$", TextCheck::UuidV4),
    (r"^[0-9]+\.[0-9]+\.[0-9]+$", TextCheck::Version),
    (
        concat!(
            r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)",
            r"(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?",
            r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$"
        ),
        TextCheck::SemanticVersion,
    ),
    (r"^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)*$", TextCheck::DottedWords),
];

impl TextCheck {
    /// What a pattern asks, if it is known.
    pub(super) fn of_pattern(pattern: &str) -> Option<Self> {
        PATTERNS.iter().find(|(it, _)| *it == pattern).map(|(_, check)| *check)
    }

    /// What a format asks, if it is known.
    pub(super) fn of_format(format: &str) -> Option<Self> {
        Some(match format {
            "date-time" => Self::DateTime,
            "uuid" => Self::Uuid,
            "uri" => Self::Uri,
            "email" => Self::Email,
            _ => return None,
        })
    }

    #[inline]
    fn holds(self, text: &str) -> bool {
        match self {
            Self::UuidV4 => is_uuid_v4(text.as_bytes()),
            Self::Uuid => is_uuid_v4(text.as_bytes()) || is_uuid(text),
            Self::DateTime => is_date_time(text),
            Self::Uri => is_uri(text),
            Self::Email => is_email(text),
            Self::Version => is_version(text),
            Self::SemanticVersion => is_semantic_version(text),
            Self::DottedWords => is_dotted_words(text.as_bytes()),
            Self::NotBlank => text.chars().any(|it| !it.is_whitespace()),
            Self::CharactersMin(count) => {
                text.len() >= count && text.chars().nth(count.saturating_sub(1)).is_some()
            }
            Self::Not(other) => text != other,
        }
    }

    /// Whether what holds of the beginning of a text holds of the whole.
    fn is_of_beginning(self) -> bool {
        matches!(self, Self::NotBlank | Self::CharactersMin(_))
    }
}

/// All that is asked of a text.
#[derive(Debug, Default)]
pub(super) struct TextChecks {
    /// The only texts that are allowed.
    pub(super) texts: Option<Names>,
    /// What all texts must satisfy.
    pub(super) checks: Box<[TextCheck]>,
}

impl TextChecks {
    /// Whether a text without escapes satisfies all.
    #[inline]
    pub(super) fn admit(&self, text: &str) -> bool {
        self.checks.iter().all(|it| it.holds(text))
            && self.texts.as_ref().is_none_or(|it| it.find(text.as_bytes()).is_some())
    }

    /// Whether a text that begins so, and has an escape behind, certainly satisfies all.
    pub(super) fn admit_beginning(&self, text: &str) -> bool {
        self.texts.is_none() && self.checks.iter().all(|it| it.is_of_beginning() && it.holds(text))
    }
}

/// A word of a UUID's bytes, `1` where a hyphen is.
const HYPHENS: [u8; 36] = {
    let mut places = [0; 36];
    places[8] = 1;
    places[13] = 1;
    places[18] = 1;
    places[23] = 1;
    places
};

/// As `formats::is_uuid_v4`, without a branch for each byte.
#[inline]
fn is_uuid_v4(text: &[u8]) -> bool {
    let Ok(bytes) = <&[u8; 36]>::try_from(text) else { return false };
    let mut others = 0;
    for (byte, hyphen) in bytes.iter().zip(HYPHENS) {
        let is_digit = u8::from(byte.wrapping_sub(b'0') < 10) | u8::from(byte.wrapping_sub(b'a') < 6);
        others |= (is_digit | hyphen) ^ 1;
    }
    let hyphens = [bytes[8], bytes[13], bytes[18], bytes[23]];
    others == 0 && hyphens == [b'-'; 4] && bytes[14] == b'4' && matches!(bytes[19], b'8' | b'9' | b'a' | b'b')
}

fn is_version(text: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = text.split('.');
    parts.by_ref().take(3).filter(|it| is_number(it)).count() == 3 && parts.next().is_none()
}

fn is_dotted_words(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'.').all(|word| {
        word.first().is_some_and(u8::is_ascii_lowercase)
            && word.iter().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mplp::formats;

    #[test]
    fn a_uuid_with_any_byte_changed_is_what_the_format_says() {
        let whole = b"5a0e8400-e29b-41d4-a716-446655440000";
        for at in 0..whole.len() {
            for byte in 0..128 {
                let mut bytes = *whole;
                bytes[at] = byte;
                let text = std::str::from_utf8(&bytes).unwrap();
                assert_eq!(is_uuid_v4(&bytes), formats::is_uuid_v4(text), "{text}");
            }
        }
        assert!(!is_uuid_v4(&whole[1..]) && !is_uuid_v4(b""));
    }

    #[test]
    fn what_is_known_of_a_beginning_is_known_of_the_whole() {
        let asks = |checks: &[TextCheck]| TextChecks { texts: None, checks: checks.into() };
        assert!(asks(&[]).admit_beginning(""));
        assert!(asks(&[TextCheck::NotBlank, TextCheck::CharactersMin(2)]).admit_beginning("éa"));
        assert!(!asks(&[TextCheck::NotBlank]).admit_beginning(" \u{2003}"));
        assert!(!asks(&[TextCheck::CharactersMin(2)]).admit_beginning("é"));
        assert!(!asks(&[TextCheck::Version]).admit_beginning("1.0.0"));
        assert!(!asks(&[TextCheck::Not("a")]).admit_beginning("b"));
    }
}
