//! Looks for the next entry that a person should note, one chunk at a time: it may be far away.

use std::ops::{ControlFlow, Range};

use super::reach::Found;
use crate::{
    dissect::EntryRecord,
    ids::Seq,
    recording::{PlacedItem, RecordedItem, SetReader},
    tap::{EntryRef, recorded::OwnedEntry},
};

/// The look for the next entry of note behind one, or the last one before it.
#[derive(Clone, Debug)]
pub(super) struct NoteSearch {
    from: Option<Seq>,
    /// The chunks of the start of the station that has `from`: only there do places say what is before and
    /// what behind.
    start: Range<usize>,
    /// The chunk that is looked at next.
    chunk: usize,
    pub(super) is_forward: bool,
}

impl NoteSearch {
    /// Begins one, of the start of the station that has the chunk `near`.
    pub(super) fn begin(reader: &mut SetReader, from: Option<Seq>, near: usize, is_forward: bool) -> Self {
        let chunk = from.map_or(near, |seq| reader.chunk_of(seq, near));
        Self { from, start: reader.set().start_of(near), chunk, is_forward }
    }

    /// Looks into one further chunk: ends with what is found, or with nothing behind the last one.
    pub(super) fn step(&mut self, reader: &mut SetReader) -> ControlFlow<Option<Found>> {
        let (chunk, is_forward) = (self.chunk, self.is_forward);
        let from = self.from.filter(|_| self.start.contains(&chunk));
        let items = reader.chunk(chunk);
        let mut noted = items
            .iter()
            .filter_map(|item| noted_seq(item.as_ref().ok()?))
            .filter(|seq| from.is_none_or(|from| if is_forward { *seq > from } else { *seq < from }));
        let found = if is_forward { noted.next() } else { noted.next_back() };
        if let Some(seq) = found {
            return ControlFlow::Break(Some(Found { seq, chunk }));
        }
        let next = if is_forward { chunk.checked_add(1) } else { chunk.checked_sub(1) };
        match next.filter(|next| *next < reader.set().len()) {
            Some(next) => {
                self.chunk = next;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(None),
        }
    }
}

/// The place of an entry that a person should note.
fn noted_seq(item: &PlacedItem) -> Option<Seq> {
    let RecordedItem::Entry(OwnedEntry { entry, bytes }) = &item.item else { return None };
    EntryRecord(EntryRef { entry, bytes }).is_of_note().then_some(entry.seq)
}
