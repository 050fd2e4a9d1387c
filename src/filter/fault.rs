//! Why a text is no filter.

use std::ops::Range;

/// Why a text is no filter, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Fault {
    /// Which bytes of the text are meant.
    pub at: Range<usize>,
    /// What is wrong, and what to do.
    pub words: String,
}
