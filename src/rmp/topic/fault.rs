//! Why a text names no topic.

use super::name::{BYTES_MAX, SEGMENTS_MAX};

/// Why a text is neither topic nor pattern (ruling RMP 5). Places are bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TopicFault {
    /// There is nothing.
    #[error("a topic needs at least one segment")]
    Empty,
    /// More bytes than a topic has.
    #[error("it has {bytes} bytes; a topic may have at most {BYTES_MAX}")]
    TooLong {
        /// How many it has.
        bytes: usize,
    },
    /// More segments than a topic has.
    #[error("it has {segments} segments; a topic may have at most {SEGMENTS_MAX}")]
    TooManySegments {
        /// How many it has.
        segments: usize,
    },
    /// Nothing before, behind or between two `/`.
    #[error("the segment at byte {at} is empty")]
    EmptySegment {
        /// Where it would begin.
        at: usize,
    },
    /// A character that no segment has.
    #[error("{character:?} at byte {at}: a segment may contain A-Z a-z 0-9 . _ : -")]
    Character {
        /// Where it stands.
        at: usize,
        /// Which it is.
        character: char,
    },
    /// A wildcard that is not the whole of the last segment of a pattern.
    #[error("wildcard at byte {at}: a pattern may end in /* or /**, or be * or **; topics have no wildcards")]
    Wildcard {
        /// Where it stands.
        at: usize,
    },
}
