//! Segments of entries, evicted whole. Entries' bytes are copied into their segment's arena; readers share
//! sealed segments.
//!
//! ```text
//! oldest ── sealed ── sealed ── … ── sealed ── open
//!   └ evicted whole                              └ pushed to; its tail is copied out to a reader that has caught up
//! ```
//!
//! A reader that has caught up takes a copy of the few entries it lacks, so that a fast reader makes no tiny
//! segments; when it lacks more, the open segment is sealed, so that no reader holds the lock for long. A
//! sealed segment gives back the room that it did not use: memory is counted as it is held.

use std::{collections::VecDeque, sync::Arc};

use super::{entry::Entry, redact};
use crate::{ids::Seq, limits};

/// Entries of one segment at most.
pub(super) const SEGMENT_ENTRIES: usize = 256;

/// Unread entries from which on a reader seals the open segment rather than copying them.
const COPY_ENTRIES_MAX: usize = 32;

/// Unread bytes from which on a reader seals the open segment rather than copying them.
const COPY_BYTES_MAX: usize = 16 * 1024;

/// The room of a new arena in bytes, if the last one was filled no further.
const ARENA_BYTES: usize = SEGMENT_ENTRIES * 128;

/// The fill in bytes at which an arena is sealed, whatever its entries.
const ARENA_BYTES_MAX: usize = 128 * 1024;

/// An entry with the place of its bytes in the arena.
#[derive(Clone, Debug)]
pub(super) struct StoredEntry {
    pub(super) entry: Entry,
    start: u32,
    len: u32,
}

/// A run of entries without gaps.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub(super) entries: Vec<StoredEntry>,
    arena: Vec<u8>,
}

impl Segment {
    fn with_room(arena_bytes: usize) -> Self {
        Self { entries: Vec::with_capacity(SEGMENT_ENTRIES), arena: Vec::with_capacity(arena_bytes) }
    }

    /// The sequence number behind the last entry, or nothing while there is none.
    pub(super) fn end(&self) -> Option<Seq> {
        self.entries.last().map(|stored| stored.entry.seq.next())
    }

    /// The bytes that lie beside an entry of this segment.
    pub(super) fn bytes_of(&self, stored: &StoredEntry) -> &[u8] {
        let start = stored.start as usize;
        self.arena.get(start..start + stored.len as usize).unwrap_or_default()
    }

    #[expect(clippy::inline_always, reason = "the entry would be moved once more")]
    #[inline(always)]
    fn push(&mut self, entry: Entry, bytes: &[u8]) {
        let start = u32::try_from(self.arena.len()).unwrap_or(u32::MAX);
        let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        let is_masked = redact::is_masked(&entry.what);
        // The entry first: its copy would wait for the bytes, which go where memory is cold.
        self.entries.push(StoredEntry { entry, start, len });
        self.arena.extend_from_slice(bytes);
        if is_masked {
            self.mask_last();
        }
    }

    #[cold]
    fn mask_last(&mut self) {
        if let Some(last) = self.entries.last() {
            redact::mask(&mut self.arena[last.start as usize..], &last.entry.what);
        }
    }

    fn copy_from(&self, at: usize) -> Self {
        let from = self.entries.get(at).map_or(self.arena.len(), |stored| stored.start as usize);
        let mut entries = self.entries[at..].to_vec();
        for stored in &mut entries {
            stored.start -= u32::try_from(from).unwrap_or(u32::MAX);
        }
        Self { entries, arena: self.arena[from..].to_vec() }
    }

    /// The entries before one, copied.
    fn copy_before(&self, to: usize) -> Self {
        let end = self.entries.get(to).map_or(self.arena.len(), |stored| stored.start as usize);
        Self { entries: self.entries[..to].to_vec(), arena: self.arena[..end].to_vec() }
    }

    /// Entries that come with their places, each behind the one before, with their bytes as they are; at most
    /// [`SEGMENT_ENTRIES`].
    pub(super) fn of<'a>(entries: impl Iterator<Item = (Entry, &'a [u8])>) -> Self {
        let mut segment = Self::default();
        entries.take(SEGMENT_ENTRIES).for_each(|(entry, bytes)| segment.push(entry, bytes));
        segment.release_excess();
        segment
    }

    /// Whether a run's entries fit in beside these.
    pub(super) fn has_room_for(&self, run: &Run) -> bool {
        let (more, from) = run.parts();
        let bytes = more.arena.len() - more.entries.get(from).map_or(0, |stored| stored.start as usize);
        self.entries.len() + more.entries.len() - from <= SEGMENT_ENTRIES
            && self.arena.len() + bytes <= ARENA_BYTES_MAX
    }

    /// Takes in the entries that follow these.
    pub(super) fn append(&mut self, mut more: Self) {
        let base = u32::try_from(self.arena.len()).unwrap_or(u32::MAX);
        for stored in &mut more.entries {
            stored.start += base;
        }
        self.entries.append(&mut more.entries);
        self.arena.extend_from_slice(&more.arena);
    }

    /// Gives back the room that is not used.
    pub(super) fn release_excess(&mut self) {
        self.entries.shrink_to_fit();
        self.arena.shrink_to_fit();
    }

    /// What it holds, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.arena.capacity() + self.entries.capacity() * size_of::<StoredEntry>()
    }
}

/// What a reader gets.
#[derive(Debug)]
pub(super) enum Run {
    /// A sealed segment, from this entry on.
    Shared(Arc<Segment>, usize),
    /// A copy of the open segment's tail.
    Copied(Segment),
}

impl Run {
    /// The segment, and the place in it from which on it is meant.
    pub(super) fn parts(&self) -> (&Segment, usize) {
        match self {
            Self::Shared(segment, from) => (segment, *from),
            Self::Copied(segment) => (segment, 0),
        }
    }

    /// A segment of the meant entries alone, held by nobody else.
    pub(super) fn into_own(self) -> Segment {
        match self {
            Self::Shared(segment, from) => segment.copy_from(from),
            Self::Copied(segment) => segment,
        }
    }
}

/// Segments that left the ring. They are dropped or used again outside its lock.
#[derive(Debug, Default)]
#[must_use = "evicted segments are reclaimed or dropped outside the lock"]
pub(super) struct EvictedSegments(Vec<Arc<Segment>>);

impl EvictedSegments {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn append(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// A cleared segment with its room, where one of these is held by nobody else and was full.
    pub(super) fn reclaim(self) -> Option<Segment> {
        let mut spare = None;
        for segment in self.0 {
            if let Ok(mut segment) = Arc::try_unwrap(segment) {
                segment.entries.clear();
                segment.arena.clear();
                if segment.entries.capacity() == SEGMENT_ENTRIES
                    && segment.arena.capacity() <= ARENA_BYTES_MAX
                {
                    spare = Some(segment);
                }
            }
        }
        spare
    }
}

/// The open segment and those sealed before it.
#[derive(Debug)]
pub(super) struct Ring {
    entries_max: usize,
    bytes_max: usize,
    arena_bytes_max: usize,
    open: Segment,
    sealed: VecDeque<Arc<Segment>>,
    sealed_entries: usize,
    sealed_bytes: usize,
    spare: Option<Segment>,
    pub(super) evicted: u64,
}

impl Ring {
    pub(super) fn new(limits: limits::Tap) -> Self {
        let bytes_max = usize::try_from(limits.ring_bytes_max).unwrap_or(usize::MAX);
        Self {
            entries_max: usize::try_from(limits.ring_entries_max).unwrap_or(usize::MAX),
            bytes_max,
            arena_bytes_max: ARENA_BYTES_MAX.min(bytes_max / 8),
            open: Segment::with_room(ARENA_BYTES),
            sealed: VecDeque::new(),
            sealed_entries: 0,
            sealed_bytes: 0,
            spare: None,
            evicted: 0,
        }
    }

    #[expect(clippy::inline_always, reason = "the entry would be moved once more")]
    #[inline(always)]
    pub(super) fn push(&mut self, entry: Entry, bytes: &[u8]) -> EvictedSegments {
        let mut evicted = EvictedSegments::default();
        if self.open.arena.len() + bytes.len() > self.arena_bytes_max {
            self.seal(&mut evicted);
        }
        self.open.push(entry, bytes);
        if self.open.entries.len() >= SEGMENT_ENTRIES || self.open.arena.len() >= self.arena_bytes_max {
            self.seal(&mut evicted);
        }
        evicted
    }

    /// Like [`push`](Self::push), for an entry that need not follow the last one: no segment spans a gap.
    pub(super) fn push_behind(&mut self, entry: Entry, bytes: &[u8]) -> EvictedSegments {
        let mut evicted = EvictedSegments::default();
        if self.open.end().is_some_and(|end| end != entry.seq) {
            self.seal(&mut evicted);
        }
        evicted.append(self.push(entry, bytes));
        evicted
    }

    #[cold]
    #[inline(never)]
    fn seal(&mut self, evicted: &mut EvictedSegments) {
        if self.open.entries.is_empty() {
            return;
        }
        // What comes next is taken to be as large as what came.
        let room = self.open.arena.len().clamp(ARENA_BYTES, self.arena_bytes_max.max(ARENA_BYTES));
        let fresh = self.spare.take().unwrap_or_else(|| Segment::with_room(room));
        let mut segment = std::mem::replace(&mut self.open, fresh);
        segment.entries.shrink_to_fit();
        if segment.arena.capacity() - segment.arena.len() > ARENA_BYTES / 2 {
            segment.arena.shrink_to_fit();
        }
        self.sealed_entries += segment.entries.len();
        self.sealed_bytes += segment.memory_bytes();
        self.sealed.push_back(Arc::new(segment));
        // The open segment may double its arena before it is sealed, and a spare may come back: their room is
        // reserved.
        let reserve =
            2 * (SEGMENT_ENTRIES * size_of::<StoredEntry>() + 2 * self.arena_bytes_max.max(ARENA_BYTES));
        while self.sealed.len() > 1
            && (self.sealed_entries + SEGMENT_ENTRIES > self.entries_max
                || self.sealed_bytes + self.queue_bytes() + reserve > self.bytes_max)
        {
            let Some(oldest) = self.sealed.pop_front() else { break };
            self.sealed_entries -= oldest.entries.len();
            self.sealed_bytes -= oldest.memory_bytes();
            self.evicted += oldest.entries.len() as u64;
            evicted.0.push(oldest);
        }
    }

    /// Keeps an emptied segment for the next that is opened.
    pub(super) fn keep_spare(&mut self, spare: Segment) {
        self.spare = Some(spare);
    }

    /// The entries from `next` on or, when that was evicted, from the oldest kept one on: at most one
    /// segment. Nothing when all was read.
    pub(super) fn run_from(&mut self, next: Seq) -> (Option<Run>, EvictedSegments) {
        let mut evicted = EvictedSegments::default();
        if self.sealed.back().and_then(|segment| segment.end()).is_none_or(|end| end <= next) {
            let at = position(&self.open, next);
            let Some(first) = self.open.entries.get(at) else { return (None, evicted) };
            let unread_bytes = self.open.arena.len() - first.start as usize;
            if self.open.entries.len() - at < COPY_ENTRIES_MAX && unread_bytes < COPY_BYTES_MAX {
                return (Some(Run::Copied(self.open.copy_from(at))), evicted);
            }
            self.seal(&mut evicted);
        }
        let at = self.sealed.partition_point(|segment| segment.end().is_some_and(|end| end <= next));
        (
            self.sealed.get(at).map(|segment| Run::Shared(Arc::clone(segment), position(segment, next))),
            evicted,
        )
    }

    /// The last kept entries before a place: at most one segment. Nothing when none is kept.
    pub(super) fn run_before(&mut self, before: Seq) -> (Option<Run>, EvictedSegments) {
        let mut evicted = EvictedSegments::default();
        let begins_before =
            |segment: &Segment| segment.entries.first().is_some_and(|first| first.entry.seq < before);
        if begins_before(&self.open) {
            self.seal(&mut evicted);
        }
        let at = self.sealed.partition_point(|segment| begins_before(segment));
        let run = at.checked_sub(1).and_then(|at| self.sealed.get(at)).map(|segment| {
            match position(segment, before) {
                to if to < segment.entries.len() => Run::Copied(segment.copy_before(to)),
                _ => Run::Shared(Arc::clone(segment), 0),
            }
        });
        (run, evicted)
    }

    /// The oldest kept entry, where there is one.
    pub(super) fn oldest(&self) -> Option<Seq> {
        let segment = self.sealed.front().map_or(&self.open, |segment| segment);
        segment.entries.first().map(|stored| stored.entry.seq)
    }

    pub(super) fn kept_entries(&self) -> u64 {
        (self.sealed_entries + self.open.entries.len()) as u64
    }

    pub(super) fn kept_bytes(&self) -> u64 {
        (self.sealed_bytes
            + self.open.memory_bytes()
            + self.spare.as_ref().map_or(0, Segment::memory_bytes)
            + self.queue_bytes()) as u64
    }

    fn queue_bytes(&self) -> usize {
        self.sealed.capacity() * size_of::<Arc<Segment>>()
    }
}

/// The place of `next` in a segment; zero when the segment begins behind it.
fn position(segment: &Segment, next: Seq) -> usize {
    let first = segment.entries.first().map_or(0, |stored| stored.entry.seq.0);
    usize::try_from(next.0.saturating_sub(first)).unwrap_or(usize::MAX).min(segment.entries.len())
}
