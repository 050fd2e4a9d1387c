//! What a subscription asks for (ruling RMP 5).

use std::fmt;

use super::{
    Topic,
    fault::TopicFault,
    name::{check_segments, check_size},
};
use crate::ids::TopicName;

/// A topic, or all topics one segment or any number of them below a prefix. Its bounds are a topic's, the
/// wildcard counted as a segment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    text: TopicName,
    tail: Tail,
}

/// How a pattern goes on behind its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tail {
    /// It does not: the prefix is the topic.
    Exact,
    /// `/*`: one segment more.
    One,
    /// `/**`: one or more segments, so not the prefix itself.
    Below,
}

impl Pattern {
    /// Reads a pattern: a topic, one that ends in `/*` or `/**`, or `*` or `**` alone.
    ///
    /// # Errors
    /// The first [`TopicFault`].
    pub fn parse(text: &str) -> Result<Self, TopicFault> {
        check_size(text)?;
        let (prefix, tail) = match text.rsplit_once('/').unwrap_or(("", text)) {
            (prefix, "*") => (prefix, Tail::One),
            (prefix, "**") => (prefix, Tail::Below),
            _ => (text, Tail::Exact),
        };
        let is_alone = tail != Tail::Exact && !text.contains('/');
        if !is_alone {
            check_segments(prefix)?;
        }
        Ok(Self { text: TopicName::new(text), tail })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// The shared text.
    #[must_use]
    pub fn name(&self) -> &TopicName {
        &self.text
    }

    /// How it goes on behind its prefix.
    #[must_use]
    pub fn tail(&self) -> Tail {
        self.tail
    }

    /// What stands before the wildcard and its `/`: the whole topic where there is none, nothing for `*` and
    /// `**`.
    #[must_use]
    pub fn prefix(&self) -> &str {
        let text = self.as_str();
        match self.tail {
            Tail::Exact => text,
            Tail::One | Tail::Below => text.rsplit_once('/').map_or("", |(prefix, _)| prefix),
        }
    }

    /// Whether a topic is one of those asked for.
    #[must_use]
    pub fn matches(&self, topic: &Topic) -> bool {
        self.matches_text(topic.as_str())
    }

    /// Whether it matches a topic that was read before.
    pub(crate) fn matches_text(&self, topic: &str) -> bool {
        let prefix = self.prefix();
        let behind = if prefix.is_empty() {
            Some(topic)
        } else {
            topic.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('/'))
        };
        match self.tail {
            Tail::Exact => topic == prefix,
            Tail::One => behind.is_some_and(|behind| !behind.contains('/')),
            Tail::Below => behind.is_some(),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, topic: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(&Topic::parse(topic).unwrap())
    }

    #[test]
    fn one_segment_or_all_below_but_not_the_prefix_itself() {
        let table = [
            ("a/b", ["a/b"].as_slice(), ["a", "a/b/c", "a/bc", "x/a/b"].as_slice()),
            ("a/*", &["a/b", "a/c"], &["a", "a/b/c", "ab/c", "b/a"]),
            ("a/**", &["a/b", "a/b/c", "a/b/c/d"], &["a", "ab/c", "b/a/c"]),
            ("*", &["a", "abc"], &["a/b"]),
            ("**", &["a", "a/b", "a/b/c"], &[]),
            ("rlp/sys/**", &["rlp/sys/drops", "rlp/sys/drops/bodies"], &["rlp/sys", "rlp/sysx/drops"]),
        ];
        for (pattern, yes, no) in table {
            assert!(yes.iter().all(|topic| matches(pattern, topic)), "{pattern}");
            assert!(no.iter().all(|topic| !matches(pattern, topic)), "{pattern}");
        }
    }

    #[test]
    fn a_wildcard_stands_at_the_end_alone() {
        let fault = |text: &str| Pattern::parse(text).unwrap_err();
        assert_eq!(fault("a/*/b"), TopicFault::Wildcard { at: 2 });
        assert_eq!(fault("**/b"), TopicFault::Wildcard { at: 0 });
        assert_eq!(fault("a*"), TopicFault::Wildcard { at: 1 });
        assert_eq!(fault("a/b*"), TopicFault::Wildcard { at: 3 });
        assert_eq!(fault("a/***"), TopicFault::Wildcard { at: 2 });
        assert_eq!(fault("*/*"), TopicFault::Wildcard { at: 0 });
        assert_eq!(fault("/*"), TopicFault::EmptySegment { at: 0 });
        assert_eq!(fault("/**"), TopicFault::EmptySegment { at: 0 });
        assert_eq!(fault("a//*"), TopicFault::EmptySegment { at: 2 });
        assert_eq!(fault("a/"), TopicFault::EmptySegment { at: 2 });
        assert_eq!(fault(""), TopicFault::Empty);
        assert_eq!(fault("a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/*"), TopicFault::TooManySegments { segments: 17 });
        assert_eq!(fault(&"x/**".repeat(64)), TopicFault::TooLong { bytes: 256 });
    }

    #[test]
    fn says_its_parts() {
        let parts = |text: &str| {
            let pattern = Pattern::parse(text).unwrap();
            (pattern.prefix().to_owned(), pattern.tail())
        };
        assert_eq!(parts("a/b"), ("a/b".to_owned(), Tail::Exact));
        assert_eq!(parts("a/b/*"), ("a/b".to_owned(), Tail::One));
        assert_eq!(parts("a/**"), ("a".to_owned(), Tail::Below));
        assert_eq!(parts("*"), (String::new(), Tail::One));
        assert_eq!(parts("**"), (String::new(), Tail::Below));
    }
}
