//! The kept entries.

use std::{collections::VecDeque, ops::Range};

use crate::{
    ids::Seq,
    limits,
    tap::{Batch, EntryRef, entry::Entry},
    time::Mono,
};

/// A batch with the index of its first entry.
#[derive(Debug)]
pub(super) struct Chunk {
    first: u64,
    pub(super) batch: Batch,
}

impl Chunk {
    fn end(&self) -> u64 {
        self.first + self.batch.len() as u64
    }
}

/// What became of the entries: received = kept + evicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EntryBufferLedger {
    /// Entries that came to this console.
    pub(crate) received: u64,
    /// Those that are there to be looked at.
    pub(crate) kept: u64,
    /// Those that made room for others.
    pub(crate) evicted: u64,
    /// Entries that never came: they were evicted from the tap before they were read.
    pub(crate) lost: u64,
    /// Bytes that are held.
    pub(crate) bytes: u64,
}

/// The kept entries, at most `limits.console.kept_entries_max`, of at most `limits.console.kept_bytes_max`.
#[derive(Debug)]
pub(crate) struct EntryBuffer {
    pub(super) chunks: VecDeque<Chunk>,
    /// What the chunks hold.
    pub(super) bytes: usize,
    /// The index of the next entry.
    end: u64,
    /// The index of the first entry that came.
    origin: u64,
    /// Entries from before it.
    prepended: u64,
    lost: u64,
    /// Lost since the last entry.
    lost_since: u64,
    /// The next batch is not made one with the last.
    is_closed: bool,
    entries_max: u64,
    bytes_max: usize,
}

impl EntryBuffer {
    /// Nothing yet.
    pub(crate) fn new(limits: &limits::Console) -> Self {
        Self {
            chunks: VecDeque::new(),
            bytes: 0,
            end: 0,
            origin: 0,
            prepended: 0,
            lost: 0,
            lost_since: 0,
            is_closed: false,
            entries_max: limits.kept_entries_max,
            bytes_max: usize::try_from(limits.kept_bytes_max).unwrap_or(usize::MAX),
        }
    }

    /// Takes a batch, and lets go what it has no room for any more.
    pub(crate) fn push(&mut self, mut batch: Batch) {
        self.lost = self.lost.saturating_add(batch.lost);
        batch.lost = batch.lost.saturating_add(std::mem::take(&mut self.lost_since));
        let begins_again =
            self.last_seq().zip(batch.get(0)).is_some_and(|(last, next)| next.entry.seq <= last);
        if begins_again {
            // Another station's tap: what is known of the one before cannot be found by its sequence numbers
            // any more.
            self.chunks.clear();
            self.bytes = 0;
        }
        let before = self.end;
        self.end += batch.len() as u64;
        let rest = match self.chunks.back_mut() {
            Some(last) if !self.is_closed => {
                let held = last.batch.memory_bytes();
                let rest = last.batch.absorb(batch).err();
                self.bytes = self.bytes - held + last.batch.memory_bytes();
                rest
            }
            _ => Some(batch),
        };
        if let Some(batch) = rest {
            self.seal();
            let batch = batch.compact();
            self.bytes += batch.memory_bytes();
            self.chunks.push_back(Chunk { first: before, batch });
            self.is_closed = false;
        }
        while self.chunks.len() > 1
            && (self.len() as u64 > self.entries_max || self.memory_bytes() > self.bytes_max)
        {
            let Some(oldest) = self.chunks.pop_front() else { break };
            self.bytes -= oldest.batch.memory_bytes();
        }
    }

    /// Leaves indexes for entries from before the first that comes. Nothing has come yet.
    pub(crate) fn await_past(&mut self) {
        if self.end == 0 {
            (self.end, self.origin) = (self.entries_max, self.entries_max);
        }
    }

    /// Takes a batch from before all others; whether there was room for it.
    pub(crate) fn prepend(&mut self, batch: Batch) -> bool {
        let batch = batch.compact();
        let len = batch.len() as u64;
        let last = batch.get(batch.len() - 1).map(|last| last.entry.seq);
        let is_before = self.first_seq().zip(last).is_none_or(|(first, last)| last < first);
        let has_room = self.len() as u64 + len <= self.entries_max
            && self.memory_bytes() + batch.memory_bytes() <= self.bytes_max;
        let first = self.first().checked_sub(len).filter(|_| is_before && has_room);
        let Some(first) = first else { return false };
        self.prepended += len;
        self.bytes += batch.memory_bytes();
        self.chunks.push_front(Chunk { first, batch });
        true
    }

    /// Gives back the room that the last chunk has for more.
    fn seal(&mut self) {
        let Some(Chunk { first, batch }) = self.chunks.pop_back() else { return };
        self.bytes -= batch.memory_bytes();
        let batch = batch.compact();
        self.bytes += batch.memory_bytes();
        self.chunks.push_back(Chunk { first, batch });
    }

    /// Ends the last chunk, so that what is kept can be cut off here.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Lets go all chunks that end at this index or before.
    pub(crate) fn evict_before(&mut self, index: u64) {
        while self.chunks.front().is_some_and(|oldest| oldest.end() <= index) {
            let gone = self.chunks.pop_front();
            self.bytes -= gone.map_or(0, |gone| gone.batch.memory_bytes());
        }
    }

    /// Notes that entries before the next were lost, of which no batch tells.
    pub(crate) fn record_loss(&mut self, count: u64) {
        self.lost = self.lost.saturating_add(count);
        self.lost_since = self.lost_since.saturating_add(count);
    }

    /// How many are kept.
    pub(crate) fn len(&self) -> usize {
        usize::try_from(self.end - self.first()).unwrap_or(usize::MAX)
    }

    /// The index of the oldest kept entry; [`Self::end`] when there is none.
    pub(crate) fn first(&self) -> u64 {
        self.chunks.front().map_or(self.end, |chunk| chunk.first)
    }

    /// The index that the next entry will have.
    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    /// The oldest kept entry's place in the tap.
    pub(crate) fn first_seq(&self) -> Option<Seq> {
        Some(self.chunks.front()?.batch.get(0)?.entry.seq)
    }

    /// The newest entry's place in the tap.
    pub(crate) fn last_seq(&self) -> Option<Seq> {
        let batch = &self.chunks.back()?.batch;
        Some(batch.get(batch.len() - 1)?.entry.seq)
    }

    /// The entry of an index, while it is kept.
    pub(crate) fn entry(&self, index: u64) -> Option<EntryRef<'_>> {
        let chunk = self.chunks.get(self.chunk_of(index)?)?;
        chunk.batch.get(usize::try_from(index - chunk.first).ok()?)
    }

    /// The place of the chunk that has an index.
    fn chunk_of(&self, index: u64) -> Option<usize> {
        let place = self.chunks.partition_point(|chunk| chunk.end() <= index);
        self.chunks.get(place).filter(|chunk| chunk.first <= index).map(|_| place)
    }

    /// The index of the entry at a place in the tap, while it is kept.
    pub(crate) fn index_of(&self, seq: Seq) -> Option<u64> {
        let index = self.partition_point(|entry| entry.seq < seq);
        self.entry(index).filter(|found| found.entry.seq == seq).map(|_| index)
    }

    /// The entry at a place in the tap, while it is kept.
    pub(crate) fn at(&self, seq: Seq) -> Option<EntryRef<'_>> {
        self.entry(self.index_of(seq)?)
    }

    /// The index of the first kept entry of which this does not hold, if it holds of all before;
    /// [`Self::end`] if it holds of all.
    fn partition_point(&self, holds: impl Fn(&Entry) -> bool) -> u64 {
        let has_last =
            |chunk: &Chunk| chunk.batch.get(chunk.batch.len() - 1).is_some_and(|last| holds(last.entry));
        let place = self.chunks.partition_point(has_last);
        let Some(chunk) = self.chunks.get(place) else { return self.end };
        let (mut low, mut high) = (0, chunk.batch.len());
        while low < high {
            let middle = low.midpoint(high);
            if chunk.batch.get(middle).is_some_and(|found| holds(found.entry)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        chunk.first + low as u64
    }

    /// The index of the last kept entry that was emitted at this moment or before; nothing when all are
    /// later.
    pub(crate) fn last_until(&self, mono: Mono) -> Option<u64> {
        self.partition_point(|entry| entry.at.mono <= mono)
            .checked_sub(1)
            .filter(|index| *index >= self.first())
    }

    /// The kept entries of these indexes, in order, each with its index. It may be walked from both ends.
    pub(crate) fn range(&self, indexes: Range<u64>) -> impl DoubleEndedIterator<Item = (u64, EntryRef<'_>)> {
        let Range { start, end } = indexes;
        let from = self.chunks.partition_point(|chunk| chunk.end() <= start);
        let to = self.chunks.partition_point(|chunk| chunk.first < end).max(from);
        self.chunks.range(from..to).flat_map(move |chunk| {
            let (from, to) = (start.max(chunk.first), end.min(chunk.end()));
            (from..to).filter_map(move |index| {
                Some((index, chunk.batch.get(usize::try_from(index - chunk.first).ok()?)?))
            })
        })
    }

    /// All kept entries, in order.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, EntryRef<'_>)> {
        self.range(self.first()..self.end)
    }

    /// How many entries were lost right before those of these indexes.
    pub(crate) fn lost_within(&self, indexes: Range<u64>) -> u64 {
        self.losses(indexes).map(|(_, lost)| lost).sum()
    }

    /// Of these indexes those right before which entries were lost, and how many.
    pub(crate) fn losses(&self, indexes: Range<u64>) -> impl Iterator<Item = (u64, u64)> {
        let from = self.chunks.partition_point(|chunk| chunk.first < indexes.start);
        let chunks = self.chunks.range(from..).take_while(move |chunk| chunk.first < indexes.end);
        chunks.filter(|chunk| chunk.batch.lost > 0).map(|chunk| (chunk.first, chunk.batch.lost))
    }

    /// The kept entries that the one at this place caused. All that came after it are looked through.
    pub(crate) fn effects_of(&self, seq: Seq) -> impl Iterator<Item = EntryRef<'_>> {
        let from = self.partition_point(|entry| entry.seq <= seq);
        self.range(from..self.end).map(|(_, found)| found).filter(move |found| found.entry.cause == Some(seq))
    }

    /// The next kept entry on either side of the same piece of work: of the same trace, or about the same
    /// invocation.
    pub(crate) fn next_related(&self, seq: Seq, forward: bool) -> Option<EntryRef<'_>> {
        let index = self.index_of(seq)?;
        let entry = self.entry(index)?.entry;
        let (trace, invocation) = (entry.trace, entry.invocation());
        if trace.is_none() && invocation.is_none() {
            return None;
        }
        let is_related = |found: &EntryRef<'_>| {
            (trace.is_some() && found.entry.trace == trace)
                || (invocation.is_some() && found.entry.invocation() == invocation)
        };
        if forward {
            self.range(index + 1..self.end).map(|(_, found)| found).find(is_related)
        } else {
            self.range(self.first()..index).rev().map(|(_, found)| found).find(is_related)
        }
    }

    /// What became of all entries.
    pub(crate) fn ledger(&self) -> EntryBufferLedger {
        let kept = self.len() as u64;
        let received = self.end - self.origin + self.prepended;
        EntryBufferLedger {
            received,
            kept,
            evicted: received.saturating_sub(kept),
            lost: self.lost,
            bytes: self.memory_bytes() as u64,
        }
    }

    /// Bytes that are held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes + self.chunks.capacity() * size_of::<Chunk>()
    }
}
