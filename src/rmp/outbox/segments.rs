//! The copied bytes of a queue, in pieces of one size so that growing never moves what is there.

use std::collections::VecDeque;

/// Bytes of a piece; a longer run gets one of its own. A queue that is empty keeps one at most.
const SEGMENT_BYTES: usize = 32 << 10;
/// Empty pieces that all queues of a broker share: 8 MiB.
const POOL_SEGMENTS_MAX: usize = 256;

/// Empty pieces for whichever queue needs one next, so that no burst pays for memory again.
#[derive(Debug, Default)]
pub(super) struct SegmentPool(Vec<Vec<u8>>);

impl SegmentPool {
    fn put(&mut self, bytes: Vec<u8>) {
        if self.0.len() < POOL_SEGMENTS_MAX {
            self.0.push(bytes);
        }
    }

    /// Gives half of them back.
    pub(super) fn release_half(&mut self) {
        self.0.truncate(self.0.len() / 2);
    }
}

/// Runs of bytes, first in first out. A run never lies in two segments.
#[derive(Debug, Default)]
pub(super) struct Segments {
    all: VecDeque<Segment>,
    /// One that was read to its end, for the next bytes.
    spare: Option<Vec<u8>>,
    /// Bytes that were not taken.
    len: usize,
    /// Segments that were taken.
    taken: u64,
}

#[derive(Debug)]
struct Segment {
    bytes: Vec<u8>,
    read: usize,
}

/// A place between two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) segment: usize,
    pub(super) at: usize,
}

impl Segments {
    /// Appends one run, given in two parts.
    pub(super) fn push(&mut self, first: &[u8], second: &[u8], spares: Option<&mut SegmentPool>) {
        let len = first.len() + second.len();
        self.len += len;
        let has_room = self.all.back().is_some_and(|last| last.bytes.capacity() - last.bytes.len() >= len);
        if !has_room {
            let spare =
                if len > SEGMENT_BYTES { None } else { self.spare.take().or_else(|| spares?.0.pop()) };
            let bytes = spare.unwrap_or_else(|| Vec::with_capacity(len.max(SEGMENT_BYTES)));
            self.all.push_back(Segment { bytes, read: 0 });
        }
        if let Some(last) = self.all.back_mut() {
            last.bytes.extend_from_slice(first);
            last.bytes.extend_from_slice(second);
        }
    }

    /// Bytes that were not taken.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Segments that were taken: a cursor's own is counted from behind them.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// The first byte that was not taken.
    pub(super) fn start(&self) -> Cursor {
        Cursor { segment: 0, at: self.all.front().map_or(0, |first| first.read) }
    }

    /// Where the run begins that lies behind a cursor.
    pub(super) fn run_at(&self, cursor: Cursor) -> Cursor {
        let is_at_end = self.all.get(cursor.segment).is_none_or(|segment| segment.bytes.len() <= cursor.at);
        if is_at_end { Cursor { segment: cursor.segment + 1, at: 0 } } else { cursor }
    }

    /// The bytes from one place of a segment to another.
    pub(super) fn bytes(&self, from: Cursor, end: usize) -> &[u8] {
        self.all.get(from.segment).and_then(|segment| segment.bytes.get(from.at..end)).unwrap_or_default()
    }

    /// Takes bytes from the front, all of one run.
    pub(super) fn take(&mut self, bytes: usize, spares: &mut SegmentPool) {
        let Some(first) = self.all.front_mut() else { return };
        first.read += bytes;
        self.len -= bytes;
        if first.read < first.bytes.len() {
            return;
        }
        self.taken += 1;
        let Some(Segment { mut bytes, .. }) =
            self.all.pop_front().filter(|it| it.bytes.capacity() == SEGMENT_BYTES)
        else {
            return;
        };
        bytes.clear();
        if self.spare.is_none() {
            self.spare = Some(bytes);
        } else {
            spares.put(bytes);
        }
    }

    /// Gives all pieces back.
    pub(super) fn release(self, spares: &mut SegmentPool) {
        for Segment { mut bytes, .. } in self.all {
            if bytes.capacity() == SEGMENT_BYTES {
                bytes.clear();
                spares.put(bytes);
            }
        }
    }

    /// Hands what is kept for the next bytes to whichever queue needs it next.
    pub(super) fn release_spare(&mut self, spares: &mut SegmentPool) {
        if let Some(spare) = self.spare.take() {
            spares.put(spare);
        }
    }

    /// Gives back what is kept for the next bytes.
    pub(super) fn release_memory(&mut self) {
        self.spare = None;
        if self.all.is_empty() {
            self.all = VecDeque::new();
        }
    }

    /// Bytes of memory held.
    pub(super) fn held_bytes(&self) -> usize {
        let spare = self.spare.as_ref().map_or(0, Vec::capacity);
        let segments: usize = self.all.iter().map(|segment| segment.bytes.capacity()).sum();
        spare + segments + self.all.capacity() * size_of::<Segment>()
    }
}
