//! The entries of a recording until where a replay is.

use std::ops::ControlFlow;

use super::{
    past::PastReader,
    shared::{Shared, Stage},
};
use crate::{
    ids::Seq,
    port::Snapshot,
    recording::{PlacedItem, RecordedItem, SetCursor, SetReader},
    tap::EntryRef,
};

/// A place: the last entry until there, and a chunk of the start of the station that has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    last: Seq,
    near: usize,
}

impl Place {
    /// Where a replay is.
    pub(super) fn of(stage: &Stage) -> Self {
        let of_state = || stage.state.state().as_of.0.iter().max().copied().unwrap_or_default();
        Self { last: stage.state.last().unwrap_or_else(of_state), near: stage.chunk.saturating_sub(1) }
    }

    /// The place behind an entry of the same start that is behind this one.
    pub(super) fn on_to(self, last: Seq) -> Option<Self> {
        (last > self.last).then_some(Self { last, ..self })
    }

    /// Whether an entry is before it.
    pub(super) fn has(self, seq: Seq) -> bool {
        seq <= self.last
    }
}

/// Takes the entries of the start of the station that is replayed, in their order. What cannot be read is
/// passed over, and counted.
pub(super) fn each_entry(shared: &Shared, past: &PastReader, take: &mut dyn FnMut(EntryRef<'_>)) {
    let place = Place::of(&shared.stage());
    each_entry_until(shared, past, place, &mut |entry| {
        take(entry);
        ControlFlow::Continue(())
    });
}

/// Takes the entries of a start of the station until a place, in their order, for as long as it is wanted,
/// and while the replay is not sought to another place: an answer is void then.
pub(super) fn each_entry_until(
    shared: &Shared,
    past: &PastReader,
    place: Place,
    take: &mut dyn FnMut(EntryRef<'_>) -> ControlFlow<()>,
) {
    let Place { last, near } = place;
    let generation = shared.generation();
    let take = &mut |entry: EntryRef<'_>| {
        if shared.generation() == generation { take(entry) } else { ControlFlow::Break(()) }
    };
    let (unread, _) = past.read(|reader| of_start(shared, reader, near, last, take));
    shared.note_unread(unread);
}

/// The first state that was noted in the start of the station that has a place, where that is not behind it:
/// what is of before the recording.
pub(super) fn first_state(past: &PastReader, place: Place) -> Option<Snapshot> {
    let first = past.keyframe(Seq(0), place.near)?.snapshot;
    first.as_of.0.iter().all(|seq| *seq <= place.last).then_some(*first)
}

/// Takes those of all starts of the station, in their order, for as long as it is wanted. How many parts
/// could not be read on the way.
pub(super) fn each_entry_of_all(
    shared: &Shared,
    past: &PastReader,
    take: &mut dyn FnMut(EntryRef<'_>) -> ControlFlow<()>,
) -> u64 {
    let Place { last, near } = Place::of(&shared.stage());
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
