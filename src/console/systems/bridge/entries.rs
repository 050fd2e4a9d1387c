//! What the entries that tell of records of the bridge are found by.

use crate::{
    console::records::entry_query::EntryQuery,
    ids::StateKey,
    mpp::LogView,
    tap::entry::{Transition, mpp::Transition as T},
};

/// A line of the adapter's log: the entry of the same moment.
pub(super) fn of_line(line: LogView) -> EntryQuery {
    EntryQuery::changing(move |found, transition| {
        found.entry.at == line.at
            && matches!(transition, Transition::Mpp(T::Logged { .. }))
            && found.text().starts_with(line.text.as_ref())
    })
}

/// What was written of a value of the pack state.
pub(super) fn of_state_key(key: StateKey) -> EntryQuery {
    EntryQuery::changing(move |_, transition| match transition {
        Transition::Mpp(T::StateWritten { key: written, .. }) => *written == key,
        _ => false,
    })
}
