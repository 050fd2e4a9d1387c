//! The value of a field.

use std::{borrow::Cow, cmp::Ordering};

use crate::time::Wall;

/// The value of a field of one record.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// It has none.
    None,
    /// Words, a state, an id or a topic.
    Text(Cow<'a, str>),
    /// A figure.
    Number(f64),
    /// A span of time, in milliseconds.
    Duration(u64),
    /// A size in bytes.
    Bytes(u64),
    /// A moment.
    Time(Wall),
    /// A number that names a record.
    Serial(u64),
}

impl<'a> Value<'a> {
    /// Words.
    pub fn text(words: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(words.into())
    }

    /// Words, where there are some.
    pub fn maybe(words: Option<impl Into<Cow<'a, str>>>) -> Self {
        words.map_or(Self::None, Self::text)
    }

    /// A count. Beyond 2^53 it is rounded.
    #[expect(clippy::cast_precision_loss, reason = "no count that a person compares is so large")]
    pub fn count(count: impl Into<u64>) -> Self {
        Self::Number(count.into() as f64)
    }

    /// Whether there is one.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// The order that rows are sorted in: what has no value comes last, words by their letters without regard
    /// to case.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Text(one), Self::Text(other)) => {
                let folded = |words: &str| words.chars().flat_map(char::to_lowercase).collect::<String>();
                folded(one).cmp(&folded(other)).then_with(|| one.cmp(other))
            }
            (Self::Number(one), Self::Number(other)) => one.total_cmp(other),
            (Self::Duration(one), Self::Duration(other))
            | (Self::Bytes(one), Self::Bytes(other))
            | (Self::Serial(one), Self::Serial(other)) => one.cmp(other),
            (Self::Time(one), Self::Time(other)) => one.cmp(other),
            (one, other) => one.rank().cmp(&other.rank()),
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Number(_) => 0,
            Self::Duration(_) => 1,
            Self::Bytes(_) => 2,
            Self::Time(_) => 3,
            Self::Serial(_) => 4,
            Self::Text(_) => 5,
            Self::None => 6,
        }
    }
}
