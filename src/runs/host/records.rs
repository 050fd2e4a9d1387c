//! What the runs need of who makes records of them. The station translates it, so that neither knows the
//! other.

use crate::runs::engine::RunFeed;

/// Who makes records of runs (`[mplp] emit`).
pub trait Records: Send {
    /// Hands over the next part of a record; never waits. Where nobody makes records now, it is dropped and
    /// counted there.
    ///
    /// # Errors
    /// There is no room for it now: it is to be offered again, before any other.
    fn offer(&self, feed: RunFeed) -> Result<(), RunFeed>;
}

/// Nobody.
#[derive(Clone, Copy, Debug)]
pub struct NoRecords;

impl Records for NoRecords {
    fn offer(&self, _: RunFeed) -> Result<(), RunFeed> {
        Ok(())
    }
}
