//! Which way a list is read.

/// Which way a window of a list grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the start.
    Initial,
    /// Behind the last row.
    Forward,
    /// Before the first row.
    Backward,
    /// What is shown, as it is now.
    Refresh,
}
