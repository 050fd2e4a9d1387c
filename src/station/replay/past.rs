//! What lies before the place that was gone to, read backwards from the files.

use std::sync::{Mutex, PoisonError};

use crate::{
    ids::Seq,
    port::{Keyframe, PastPage, Snapshot},
    recording::{PlacedItem, RecordedItem, SetCursor, SetReader},
    tap::{Batch, recorded::OwnedEntry},
};

/// Entries of one page, and their bytes: the first chunk that has as many ends it.
const PAGE_ENTRIES: usize = 8_192;
const PAGE_BYTES: usize = 4 << 20;

/// Reads backwards.
#[derive(Debug)]
pub(super) struct PastReader(Mutex<SetReader>);

impl PastReader {
    pub(super) const fn new(reader: SetReader) -> Self {
        Self(Mutex::new(reader))
    }

    /// Has something read.
    pub(super) fn read<T>(&self, read: impl FnOnce(&mut SetReader) -> T) -> T {
        read(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The last entries before a place, in the start of a station that has the chunk `near`.
    pub(super) fn page(&self, before: Seq, near: usize) -> PastPage {
        self.read(|reader| page(reader, before, near))
    }

    /// The oldest state that was noted at a place or behind it.
    pub(super) fn keyframe(&self, from: Seq, near: usize) -> Option<Keyframe> {
        self.read(|reader| keyframe(reader, from, near))
    }
}

fn page(reader: &mut SetReader, before: Seq, near: usize) -> PastPage {
    let start = reader.set().start_of(near);
    let last = Seq(before.0.saturating_sub(1));
    let mut chunk = reader.chunk_of(last, near);
    let (mut entries, mut bytes) = (Vec::new(), 0);
    loop {
        let mut found: Vec<OwnedEntry> = reader.chunk(chunk).into_iter().filter_map(entry).collect();
        found.retain(|one| one.entry.seq < before);
        bytes += found.iter().map(|one| one.bytes.len()).sum::<usize>();
        found.append(&mut entries);
        entries = found;
        let is_enough = entries.len() >= PAGE_ENTRIES || bytes >= PAGE_BYTES;
        if is_enough || chunk <= start.start {
            break;
        }
        chunk -= 1;
    }
    // Entries that come again are left out.
    entries.dedup_by(|next, one| next.entry.seq <= one.entry.seq);
    let oldest = if entries.is_empty() { None } else { oldest(reader, start.start, start.end) };
    let mut batches = Batch::of(entries);
    if reader.set().is_sparse() {
        batches = batches.into_iter().map(Batch::of_left_out).collect();
    }
    PastPage { batches, oldest }
}

/// The first entry of a start of a station.
fn oldest(reader: &mut SetReader, begin: usize, end: usize) -> Option<Seq> {
    (begin..end).find_map(|chunk| reader.chunk(chunk).into_iter().find_map(entry)).map(|one| one.entry.seq)
}

fn entry<E>(item: Result<PlacedItem, E>) -> Option<OwnedEntry> {
    match item {
        Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) => Some(entry),
        _ => None,
    }
}

fn keyframe(reader: &mut SetReader, from: Seq, near: usize) -> Option<Keyframe> {
    let set = std::sync::Arc::clone(reader.set());
    let mut chunk = reader.chunk_of(from, near);
    loop {
        chunk = set.keyframe_from(chunk)?;
        if let Some(found) = keyframe_in(reader, chunk).filter(|found| found.seq >= from) {
            return Some(found);
        }
        chunk += 1;
        // Another start of the station has other places.
        if !set.start_of(near).contains(&chunk) {
            return None;
        }
    }
}

/// The keyframe of a chunk: every entry in front of it is in it.
fn keyframe_in(reader: &mut SetReader, chunk: usize) -> Option<Keyframe> {
    let mut cursor = SetCursor::at(reader.set(), chunk);
    let mut snapshot = None;
    while let Some(item) = cursor.next(reader) {
        match item {
            Ok(PlacedItem { item: RecordedItem::Snapshot { bytes, .. }, .. }) if snapshot.is_none() => {
                snapshot = Some(Snapshot::decode(&bytes).ok()?);
            }
            Ok(PlacedItem { item: RecordedItem::Entry(entry), .. }) => {
                let seq = Seq(entry.entry.seq.0.saturating_sub(1));
                return Some(Keyframe { seq, snapshot: Box::new(snapshot?) });
            }
            _ => {}
        }
    }
    None
}
