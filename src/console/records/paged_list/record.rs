//! What lists are made of.

use crate::console::records::selection::RecordKey;

/// A row of a list that the station has.
pub(crate) trait Record {
    /// Its identity.
    fn key(&self) -> RecordKey;

    /// Its place in the order of the store, which pages go by. Lists that come whole have none.
    fn number(&self) -> u64 {
        0
    }
}
