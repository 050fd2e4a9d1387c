//! The moment at which time is stopped.

use crate::time::Now;

/// What of the present is shown beside the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrozenState {
    /// The moment that is shown.
    pub(crate) at: Now,
}
