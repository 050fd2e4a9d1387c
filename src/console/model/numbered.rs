//! Lines that are counted.

/// A line that has its place in a history.
pub(crate) trait Numbered {
    /// Its place, from 1 on.
    fn number(&self) -> u64;
}
