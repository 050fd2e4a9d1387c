//! Why a text is no filter.

use crate::words::nearest;
use std::ops::Range;

/// Why a text is no filter, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{words}")]
pub struct Fault {
    /// Which bytes of the text are meant; between characters, and within the text.
    pub at: Range<usize>,
    /// The fault, and what to do.
    pub words: String,
    /// Whether a field is named that the records do not have.
    pub is_about_field: bool,
}

impl Fault {
    pub(super) fn new(at: Range<usize>, words: impl Into<String>) -> Self {
        Self { at, words: words.into(), is_about_field: false }
    }

    pub(super) fn of_field(at: Range<usize>, words: impl Into<String>) -> Self {
        Self { is_about_field: true, ..Self::new(at, words) }
    }
}

/// "Did you mean", or else what there is.
pub(super) fn hint(name: &str, candidates: &[&str]) -> String {
    /// More are not listed.
    const LISTED_MAX: usize = 48;
    let nearest = nearest(name, candidates.iter().copied());
    let mut listed = candidates.iter().take(LISTED_MAX).copied().collect::<Vec<_>>().join(", ");
    if candidates.len() > LISTED_MAX {
        listed.push_str(", …");
    }
    nearest.map_or_else(
        || format!("there are {listed}"),
        |near| format!("did you mean `{near}`? There are {listed}"),
    )
}
