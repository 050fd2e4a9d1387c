//! The entries of a recording until where a replay is.

use std::ops::ControlFlow;

use super::{past::PastReader, shared::Shared};
use crate::{
    ids::Seq,
    recording::{PlacedItem, RecordedItem, SetCursor, SetReader},
    tap::EntryRef,
};

/// Takes those of the start of the station that is replayed, in their order. What cannot be read is passed
/// over, and counted.
pub(super) fn each_entry(shared: &Shared, past: &PastReader, take: &mut dyn FnMut(EntryRef<'_>)) {
    let (last, near) = position(shared);
    let mut go_on = |entry: EntryRef<'_>| {
        take(entry);
        ControlFlow::Continue(())
    };
    let (unread, _) = past.read(|reader| of_start(shared, reader, near, last, &mut go_on));
    shared.note_unread(unread);
}

/// Takes those of all starts of the station, in their order, for as long as it is wanted. How many parts
/// could not be read on the way.
pub(super) fn each_entry_of_all(
    shared: &Shared,
    past: &PastReader,
    take: &mut dyn FnMut(EntryRef<'_>) -> ControlFlow<()>,
) -> u64 {
    let (last, near) = position(shared);
    past.read(|reader| {
        let (mut chunk, mut unread) = (0, 0);
        loop {
            let start = shared.set.start_of(chunk);
            let is_last = start.contains(&near);
            let last = if is_last { last } else { Seq(u64::MAX) };
            let (parts, flow) = of_start(shared, reader, chunk, last, take);
            unread += parts;
            if is_last || start.is_empty() || flow.is_break() {
                return unread;
            }
            chunk = start.end;
        }
    })
}

/// The last entry until where it is, and a chunk of the start that has it.
fn position(shared: &Shared) -> (Seq, usize) {
    let stage = shared.stage();
    let of_state = || stage.state.state().as_of.0.iter().max().copied().unwrap_or_default();
    (stage.state.last().unwrap_or_else(of_state), stage.chunk.saturating_sub(1))
}

fn of_start(
    shared: &Shared,
    reader: &mut SetReader,
    near: usize,
    last: Seq,
    take: &mut dyn FnMut(EntryRef<'_>) -> ControlFlow<()>,
) -> (u64, ControlFlow<()>) {
    let mut cursor = SetCursor::at(&shared.set, shared.set.start_of(near).start);
    let (mut before, mut unread) = (Seq(0), 0);
    while let Some(item) = cursor.next(reader) {
        let Ok(item) = item else {
            unread += 1;
            continue;
        };
        let PlacedItem { item: RecordedItem::Entry(entry), .. } = item else { continue };
        if entry.entry.seq > last {
            break;
        }
        // Entries that come again are left out.
        if entry.entry.seq > before {
            before = entry.entry.seq;
            if take(entry.as_ref()).is_break() {
                return (unread, ControlFlow::Break(()));
            }
        }
    }
    (unread, ControlFlow::Continue(()))
}
