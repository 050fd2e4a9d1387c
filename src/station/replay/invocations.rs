//! The invocations until a place of a recording.
//!
//! A row is made of what the entries report of it, and of the states at the beginning of the recording and at
//! the place. Its times are those of the entries: a row was enqueued when the store had it. What is nowhere
//! in the recording is left open:
//!
//! - `params` are null until an adapter was sent them, unless the command that enqueued the row is recorded,
//!   or the row that it was requeued from has them;
//! - `source` has no kind unless that command is recorded: frames do not say it;
//! - `enqueued_at_ms` is 0, `trace_id` nil and `event` empty of a row that was enqueued before, as far as the
//!   states do not have them;
//! - `result` is only there where the frame that reported it is whole;
//! - `other_manifest` is never there.
//!
//! A row that waited since before the recording, or from before entries were lost, is not among them.

use std::{collections::BTreeMap, ops::ControlFlow};

use super::{
    invocation_history::InvocationHistory,
    invocation_rows::{KnownRow, KnownRows, RowBounds},
    lists,
    past::PastReader,
    shared::Shared,
    walk::{Place, each_entry_until, first_state},
};
use crate::{
    ids::{InvocationId, QueueName},
    mpp,
    port::{InvocationRow, Page, Paging, PortError},
    store::invocations::Source,
    tap::entry::mpp::RowState,
    time::Now,
};

/// Which of them are asked for.
#[derive(Debug)]
pub(super) struct Narrowed {
    pub(super) state: Option<RowState>,
    pub(super) queue: Option<QueueName>,
}

/// One invocation; none where nothing is known of it.
pub(super) fn one(shared: &Shared, past: &PastReader, id: InvocationId) -> Page {
    let (mut found, _, _) = read(shared, past, Some(id.next()), false);
    let found = found.pop().filter(|known| known.row.id == id);
    Page::Invocation(found.map(|known| Box::new(known.row)))
}

/// A page of them.
///
/// # Errors
/// [`PortError::BadRequest`] for a filter that cannot be read.
pub(super) fn list(
    shared: &Shared,
    past: &PastReader,
    narrowed: &Narrowed,
    paging: &Paging,
) -> Result<Page, PortError> {
    lists::filter::<InvocationRow>(paging)?;
    let (found, last, now) = read(shared, past, paging.beyond.map(InvocationId), paging.oldest_first);
    let Narrowed { state, queue } = narrowed;
    let is_asked_for = |row: &InvocationRow| {
        state.is_none_or(|state| row.state == state) && queue.as_ref().is_none_or(|queue| row.queue == *queue)
    };
    let rows: Vec<_> = found.into_iter().map(|known| known.row).filter(is_asked_for).collect();
    let page = lists::page(rows, paging, now)?;
    Ok(match page {
        // There was no room for all: the next page begins behind those that were looked at.
        Page::Invocations { rows, more: false, .. } if last.is_some() => {
            Page::Invocations { rows, more: true, beyond: last }
        }
        page => page,
    })
}

/// Where the newest of them came from, as far as there is room for them.
pub(super) fn sources(shared: &Shared, past: &PastReader) -> BTreeMap<InvocationId, Source> {
    let (found, _, _) = read(shared, past, None, false);
    found.into_iter().map(|known| (known.row.id, known.row.source)).collect()
}

/// Those that there is room for, the oldest first, the last one that was looked at where there was none for
/// all, and when the place is.
fn read(
    shared: &Shared,
    past: &PastReader,
    beyond: Option<InvocationId>,
    oldest_first: bool,
) -> (Vec<KnownRow>, Option<InvocationId>, Now) {
    let (place, now, state): (_, _, mpp::Snapshot) = {
        let stage = shared.stage();
        (Place::of(&stage), stage.state.at(), stage.state.state().mpp.clone())
    };
    let limits = &shared.limits.port;
    let (rows_max, bytes_max) = (limits.examined_rows_max, limits.answer_bytes_max);
    let bounds = RowBounds { beyond, oldest_first, rows_max, bytes_max };
    let mut history = InvocationHistory::new(KnownRows::new(bounds), shared.set.is_sparse());
    if let Some(first) = first_state(past, place) {
        history.observe(&first.mpp, now.mono);
    }
    each_entry_until(shared, past, place, &mut |entry| {
        history.take(entry);
        ControlFlow::Continue(())
    });
    let (rows, last) = history.finish(&state, now.mono);
    (rows, last, now)
}
