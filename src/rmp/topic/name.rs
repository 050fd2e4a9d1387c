//! The grammar of topics (ruling RMP 5).

use std::fmt;

use super::fault::TopicFault;
use crate::ids::TopicName;

/// Bytes of a topic.
pub(super) const BYTES_MAX: usize = 255;
/// Segments of a topic.
pub(super) const SEGMENTS_MAX: usize = 16;

/// A concrete topic: 1 to 16 segments of `[A-Za-z0-9._:-]+` joined by `/`, at most 255 bytes. Cloning one
/// costs a reference count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Topic(TopicName);

impl Topic {
    /// Reads a topic.
    ///
    /// # Errors
    /// The first [`TopicFault`].
    pub fn parse(text: &str) -> Result<Self, TopicFault> {
        Self::check(text)?;
        Ok(Self(TopicName::new(text)))
    }

    /// Whether a text is a topic; nothing is allocated.
    ///
    /// # Errors
    /// The first [`TopicFault`].
    pub fn check(text: &str) -> Result<(), TopicFault> {
        check_size(text)?;
        check_segments(text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The shared text.
    #[must_use]
    pub fn name(&self) -> &TopicName {
        &self.0
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::borrow::Borrow<str> for Topic {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

/// The checks of the whole text, a pattern's wildcard included.
pub(super) fn check_size(text: &str) -> Result<(), TopicFault> {
    if text.is_empty() {
        return Err(TopicFault::Empty);
    }
    if text.len() > BYTES_MAX {
        return Err(TopicFault::TooLong { bytes: text.len() });
    }
    let segments = text.bytes().filter(|byte| *byte == b'/').count() + 1;
    if segments > SEGMENTS_MAX { Err(TopicFault::TooManySegments { segments }) } else { Ok(()) }
}

/// Every segment is there and made of what segments are made of.
pub(super) fn check_segments(text: &str) -> Result<(), TopicFault> {
    let mut begins_at = 0;
    for (at, character) in text.char_indices() {
        match character {
            '/' if at == begins_at => return Err(TopicFault::EmptySegment { at }),
            '/' => begins_at = at + 1,
            '*' => return Err(TopicFault::Wildcard { at }),
            'A'..='Z' | 'a'..='z' | '0'..='9' | '.' | '_' | ':' | '-' => {}
            _ => return Err(TopicFault::Character { at, character }),
        }
    }
    if begins_at == text.len() { Err(TopicFault::EmptySegment { at: begins_at }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_the_topics_of_the_specification() {
        for text in [
            "rlp/ctrl",
            "rlp/sys/drops",
            "action.decision",
            "agent/writer_1",
            "rlp/runs/trace:0191d3c2-7a41-7f00-8000-00000000a41f/events",
            "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p",
            &"x".repeat(255),
        ] {
            assert_eq!(Topic::parse(text).map(|topic| topic.as_str().to_owned()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn every_fault_has_its_place() {
        let cases = [
            ("", TopicFault::Empty),
            ("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q", TopicFault::TooManySegments { segments: 17 }),
            ("/a", TopicFault::EmptySegment { at: 0 }),
            ("a//b", TopicFault::EmptySegment { at: 2 }),
            ("a/", TopicFault::EmptySegment { at: 2 }),
            ("a b", TopicFault::Character { at: 1, character: ' ' }),
            ("a/\u{e9}", TopicFault::Character { at: 2, character: '\u{e9}' }),
            ("a/*", TopicFault::Wildcard { at: 2 }),
            ("*", TopicFault::Wildcard { at: 0 }),
        ];
        for (text, fault) in cases {
            assert_eq!(Topic::parse(text), Err(fault), "{text}");
        }
        assert_eq!(Topic::check(&"x".repeat(256)), Err(TopicFault::TooLong { bytes: 256 }));
    }
}
