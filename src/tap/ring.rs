//! Sealed segments, evicted whole. Entries' bytes are copied into their segment's arena; readers share segments.

use std::{collections::VecDeque, sync::Arc};

use super::entry::Entry;
use crate::{ids::Seq, limits};

/// Entries of one segment at most.
pub(super) const SEGMENT_ENTRIES: usize = 256;

/// An entry with the place of its bytes in the arena.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) entry: Entry,
    pub(super) start: u32,
    pub(super) len: u32,
}

/// A run of entries without gaps.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) entries: Vec<Stored>,
    pub(super) arena: Vec<u8>,
}

impl Segment {
    fn with_room() -> Self {
        Self { entries: Vec::with_capacity(SEGMENT_ENTRIES), arena: Vec::with_capacity(SEGMENT_ENTRIES * 128) }
    }

    /// The sequence number behind the last entry, or nothing while there is none.
    pub(super) fn end(&self) -> Option<Seq> {
        self.entries.last().map(|stored| stored.entry.seq.next())
    }

    fn memory_bytes(&self) -> usize {
        self.arena.capacity() + self.entries.capacity() * size_of::<Stored>()
    }
}

/// The open segment and those sealed before it.
#[derive(Debug)]
pub(super) struct Ring {
    limits: limits::Tap,
    open: Segment,
    sealed: VecDeque<Arc<Segment>>,
    sealed_entries: usize,
    sealed_bytes: usize,
    spare: Option<Segment>,
    pub(super) evicted: u64,
}

impl Ring {
    pub(super) fn new(limits: limits::Tap) -> Self {
        Self { limits, open: Segment::with_room(), sealed: VecDeque::new(), sealed_entries: 0, sealed_bytes: 0, spare: None, evicted: 0 }
    }

    pub(super) fn push(&mut self, entry: Entry, bytes: &[u8]) {
        let start = u32::try_from(self.open.arena.len()).unwrap_or(u32::MAX);
        self.open.arena.extend_from_slice(bytes);
        self.open.entries.push(Stored { entry, start, len: u32::try_from(bytes.len()).unwrap_or(u32::MAX) });
        if self.open.entries.len() >= SEGMENT_ENTRIES || self.open.arena.len() >= 1 << 20 {
            self.seal();
        }
    }

    /// Makes what was pushed so far readable.
    pub(super) fn seal(&mut self) {
        if self.open.entries.is_empty() {
            return;
        }
        let fresh = self.spare.take().unwrap_or_else(Segment::with_room);
        let segment = std::mem::replace(&mut self.open, fresh);
        self.sealed_entries += segment.entries.len();
        self.sealed_bytes += segment.memory_bytes();
        self.sealed.push_back(Arc::new(segment));
        while self.sealed_entries as u64 > self.limits.ring_entries_max || self.sealed_bytes as u64 > self.limits.ring_bytes_max {
            let Some(oldest) = self.sealed.pop_front() else { break };
            self.sealed_entries -= oldest.entries.len();
            self.sealed_bytes -= oldest.memory_bytes();
            self.evicted += oldest.entries.len() as u64;
            if let Ok(mut segment) = Arc::try_unwrap(oldest) {
                segment.entries.clear();
                segment.arena.clear();
                self.spare = Some(segment);
            }
        }
    }

    /// The segment that holds `next` or, when that was evicted, the oldest kept one; nothing when all was read.
    pub(super) fn segment_from(&mut self, next: Seq) -> Option<Arc<Segment>> {
        if self.sealed.back().and_then(|segment| segment.end()).is_none_or(|end| end <= next) {
            self.seal();
        }
        let at = self.sealed.partition_point(|segment| segment.end().is_some_and(|end| end <= next));
        self.sealed.get(at).cloned()
    }

    pub(super) fn kept_entries(&self) -> u64 {
        (self.sealed_entries + self.open.entries.len()) as u64
    }

    pub(super) fn kept_bytes(&self) -> u64 {
        (self.sealed_bytes + self.open.memory_bytes()) as u64
    }
}
