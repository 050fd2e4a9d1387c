//! Ratings of runs: what a person thinks of how a run went, for the learning samples of MPLP.

use serde::{Deserialize, Serialize};

use crate::{tap::entry::mplp::RatingVerdict, time::Wall};

/// The rating of a run: of the labels of `mplp-l1 §3.2.6` the two that somebody gives. The last one holds; a
/// run without one is not reviewed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// What a person thinks of it.
    pub verdict: RatingVerdict,
    /// Why; the command that rates bounds it. A rating that is to be kept without a note leaves the one
    /// before as it is, an empty note takes that away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who said so.
    pub by: String,
    /// When, in Unix milliseconds.
    pub at_ms: Wall,
}

/// What a committed rating did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rated {
    /// It is kept, and holds.
    Kept {
        /// What was said of the run before.
        before: Option<RatingVerdict>,
        /// The note that holds now.
        note: Option<String>,
    },
    /// There is no such run: it was never recorded, or retention took it.
    NoSuchRun,
}
