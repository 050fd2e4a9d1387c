//! Ratings of runs: what a person thinks of how a run went, for the learning samples of MPLP.

use serde::{Deserialize, Serialize};

use crate::time::Wall;

/// Bytes of a rating's note, at most.
pub const NOTE_BYTES_MAX: usize = 4_096;

/// What a person thinks of a run: of the labels of `mplp-l1 §3.2.6` those that somebody gives. A run without
/// a rating is not reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RatingVerdict {
    /// It did what it was for.
    Approved,
    /// It did not.
    Rejected,
}

impl RatingVerdict {
    /// Both, as they are listed.
    pub const ALL: [Self; 2] = [Self::Approved, Self::Rejected];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }

    /// The verdict of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

/// The rating of a run. The last one holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// What a person thinks of it.
    pub verdict: RatingVerdict,
    /// Why; at most [`NOTE_BYTES_MAX`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Who said so.
    pub by: String,
    /// When, in Unix milliseconds.
    pub at_ms: Wall,
}

/// What a committed rating did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rated {
    /// It is kept, and holds.
    Kept {
        /// What was said of the run before.
        before: Option<RatingVerdict>,
    },
    /// There is no such run: it was never recorded, or retention took it.
    NoSuchRun,
}
