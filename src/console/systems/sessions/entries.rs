//! What the entries that tell of records of sessions are found by.

use crate::{
    console::records::entry_query::EntryQuery, macp::SessionRef, tap::entry::Transition, time::Wall,
};

/// The changes of state of a session, at a moment where that is known.
pub(super) fn of_session(session: SessionRef, at: Option<Wall>) -> EntryQuery {
    EntryQuery::changing(move |found, transition| {
        at.is_none_or(|at| found.entry.at.wall == at)
            && matches!(transition, Transition::Macp(it) if it.session() == Some(&session))
    })
}
