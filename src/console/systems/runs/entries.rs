//! What the entries that tell of records of runs are found by.

use crate::{
    console::records::entry_query::EntryQuery, ids::TraceId, runs::Transition as T, tap::entry::Transition,
};

/// The changes of state of a run.
pub(super) fn of_run(run: TraceId) -> EntryQuery {
    of(run, |_| true)
}

/// Those of one of its nodes.
pub(super) fn of_node(run: TraceId, index: u32) -> EntryQuery {
    of(run, move |transition| match transition {
        T::StateChange { node, .. }
        | T::Progressed { node, .. }
        | T::Asked { node, .. }
        | T::Saved { node, .. } => node.index == index,
        _ => false,
    })
}

/// Its event with this number.
pub(super) fn of_event(run: TraceId, number: u64) -> EntryQuery {
    of(run, move |transition| matches!(transition, T::Event { number: of, .. } if *of == number))
}

fn of(run: TraceId, tells: impl Fn(&T) -> bool + 'static) -> EntryQuery {
    EntryQuery::changing(
        move |_, transition| matches!(transition, Transition::Runs(it) if it.run() == Some(run) && tells(it)),
    )
}
