//! The refunds that were recorded until a place of a recording.
//!
//! A row has what its entry says, and the source of its invocation, as far as the
//! [history](super::invocations) of those knows that: otherwise its kind is empty. Refunds from before the
//! recording are not listed.

use std::{collections::BTreeMap, ops::ControlFlow};

use super::{
    invocations, lists,
    past::PastReader,
    shared::Shared,
    walk::{Place, each_entry_until},
};
use crate::{
    ids::RefundId,
    port::{Page, Paging, PortError, RefundRow},
    store::invocations::Source,
    tap::{
        EntryRef,
        entry::{
            Transition as Any, What,
            mpp::{RefundStatus, Transition},
        },
    },
};

/// A page of them.
///
/// # Errors
/// [`PortError::BadRequest`] for a filter that cannot be read.
pub(super) fn list(
    shared: &Shared,
    past: &PastReader,
    status: Option<RefundStatus>,
    paging: &Paging,
) -> Result<Page, PortError> {
    lists::filter::<RefundRow>(paging)?;
    let (place, now) = {
        let stage = shared.stage();
        (Place::of(&stage), stage.state.at())
    };
    let mut recorded = Recorded {
        status,
        beyond: paging.beyond.map(RefundId),
        oldest_first: paging.oldest_first,
        rows_max: shared.limits.port.examined_rows_max,
        rows: BTreeMap::new(),
        is_cut: false,
    };
    each_entry_until(shared, past, place, &mut |entry| {
        recorded.take(entry);
        ControlFlow::Continue(())
    });
    let Recorded { mut rows, is_cut, .. } = recorded;
    if !rows.is_empty() {
        let mut sources = invocations::sources(shared, past);
        for row in rows.values_mut() {
            if let Some(source) = sources.remove(&row.invocation_id) {
                row.source = source;
            }
        }
    }
    let last = if paging.oldest_first { rows.last_key_value() } else { rows.first_key_value() };
    let last = last.map(|(id, _)| *id);
    let page = lists::page(rows.into_values().collect(), paging, now)?;
    Ok(match page {
        // There was no room for all: the next page begins behind those that were looked at.
        Page::Refunds { rows, more: false, .. } if is_cut => Page::Refunds { rows, more: true, beyond: last },
        page => page,
    })
}

/// Those of a page, and maybe further ones: no more than are looked at for one.
struct Recorded {
    status: Option<RefundStatus>,
    beyond: Option<RefundId>,
    oldest_first: bool,
    rows_max: u64,
    rows: BTreeMap<RefundId, RefundRow>,
    is_cut: bool,
}

impl Recorded {
    fn take(&mut self, entry: EntryRef<'_>) {
        let What::Transition(Any::Mpp(Transition::RefundRecorded { refund, id, status })) = entry.entry.what
        else {
            return;
        };
        let is_beyond = self
            .beyond
            .is_none_or(|beyond| if self.oldest_first { refund > beyond } else { refund < beyond });
        if !is_beyond || self.status.is_some_and(|wanted| wanted != status) {
            return;
        }
        let source = Source { kind: String::new(), redemption: None, user: None };
        let at_ms = entry.entry.at.wall;
        let row = RefundRow { id: refund, invocation_id: id, source, status, at_ms, damage: None };
        self.rows.insert(refund, row);
        if self.rows.len() as u64 > self.rows_max {
            let gone = if self.oldest_first { self.rows.pop_last() } else { self.rows.pop_first() };
            self.is_cut |= gone.is_some();
        }
    }
}
