//! How each part of a station is.

use serde::{Deserialize, Serialize};

/// `ls health`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HealthRow {
    /// Which part: `mpp`, `store`, `tap`, `recording`.
    pub part: String,
    /// Whether it does its work.
    pub well: bool,
    /// Its figures, or what is wrong and what to do.
    pub detail: String,
}
