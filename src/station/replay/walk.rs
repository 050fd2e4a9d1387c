//! The entries of a recording from the start of the station that is replayed until where it is.

use super::{past::PastReader, shared::Shared};
use crate::{
    ids::Seq,
    recording::{PlacedItem, RecordedItem, SetCursor},
    tap::EntryRef,
};

/// Takes them in their order. What cannot be read is passed over.
pub(super) fn each_entry(shared: &Shared, past: &PastReader, take: &mut dyn FnMut(EntryRef<'_>)) {
    let (last, near) = {
        let stage = shared.stage();
        let of_state = || stage.state.state().as_of.0.iter().max().copied().unwrap_or_default();
        (stage.state.last().unwrap_or_else(of_state), stage.chunk.saturating_sub(1))
    };
    past.read(|reader| {
        let start = shared.set.start_of(near);
        let mut cursor = SetCursor::at(&shared.set, start.start);
        let mut before = Seq(0);
        while let Some(item) = cursor.next(reader) {
            let Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) = item else { continue };
            if entry.entry.seq > last {
                break;
            }
            // Entries that come again are left out.
            if entry.entry.seq > before {
                before = entry.entry.seq;
                take(entry.as_ref());
            }
        }
    });
}
