//! The log's way to the file and from there to the database.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;

use crate::{ids::Ticket, store::macp::push, time::Wall};

/// Records of a segment, past which the next is begun.
pub(super) const SEGMENT_BYTES: usize = 1 << 20;

/// Records that are to be written together.
#[derive(Debug, Default)]
pub(super) struct RecordBatch {
    pub(super) bytes: Vec<u8>,
    /// The ticket of the last.
    pub(super) through: Ticket,
    /// Their bytes, without what frames them.
    pub(super) record_bytes: u64,
}

/// Records that are durable, on their way to the database.
#[derive(Debug)]
pub(super) struct Segment {
    /// The last piece of the log in it.
    pub(super) number: u64,
    /// The ticket of its last record.
    pub(super) through: Ticket,
    pub(super) at: Wall,
    pub(super) bytes: Vec<u8>,
}

/// The log as far as it is not in the database.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// Records that are not in the log either: each batch is a piece of it, and no longer than a segment
    /// where it has more than one record.
    gathered: VecDeque<RecordBatch>,
    /// Room for what gathers next.
    spare: Vec<u8>,
    /// Segments of the log, the oldest first.
    unstored: VecDeque<Segment>,
    unstored_bytes: u64,
    /// A segment that was taken and is not known to be in the database.
    taken: Option<(u64, Ticket, Wall, Bytes)>,
    stored: (u64, Ticket),
    /// The last piece of the log.
    last: u64,
    /// Why the log cannot be written, while that is so.
    pub(super) failing: Option<Arc<str>>,
    /// Why the database did not take the last segment, if it did not.
    pub(super) behind: Option<Arc<str>>,
    /// Segments in the database that are not sorted.
    pub(super) segments: u64,
}

impl Journal {
    /// The journal when the database has the pieces up to `stored`, in so many segments that are not
    /// sorted.
    pub(super) fn new(stored: u64, segments: u64) -> Self {
        Self { stored: (stored, Ticket(0)), last: stored, segments, ..Self::default() }
    }

    /// Gathers a record.
    pub(super) fn push(&mut self, ticket: Ticket, session: u64, record: &[u8]) {
        let has_room = |batch: &RecordBatch| batch.bytes.len() + record.len() <= SEGMENT_BYTES;
        if !self.gathered.back().is_some_and(has_room) {
            self.gathered
                .push_back(RecordBatch { bytes: std::mem::take(&mut self.spare), ..Default::default() });
        }
        if let Some(batch) = self.gathered.back_mut() {
            push(&mut batch.bytes, session, record);
            batch.through = ticket;
            batch.record_bytes += record.len() as u64;
        }
    }

    /// How many batches wait to be written.
    pub(super) fn batches(&self) -> usize {
        self.gathered.len()
    }

    /// Bytes that are to be written to the log, and those that are in it and to be stored; nothing while
    /// either fails.
    pub(super) fn to_write(&self) -> Option<(usize, u64)> {
        let gathered = self.gathered.iter().map(|batch| batch.bytes.len()).sum();
        (self.failing.is_none() && self.behind.is_none()).then_some((gathered, self.unstored_bytes))
    }

    /// Takes the oldest batch of what gathered.
    pub(super) fn take_batch(&mut self) -> Option<RecordBatch> {
        self.gathered.pop_front()
    }

    /// What was taken could not be written: it comes before what gathered meanwhile.
    pub(super) fn put_back(&mut self, taken: RecordBatch, why: Arc<str>) {
        self.failing = Some(why);
        self.gathered.push_front(taken);
    }

    /// What was taken is piece `number` of the log.
    pub(super) fn written(&mut self, number: u64, at: Wall, taken: RecordBatch) {
        self.failing = None;
        self.last = number;
        self.unstored_bytes += taken.bytes.len() as u64;
        match self.unstored.back_mut() {
            Some(segment) if segment.bytes.len() + taken.bytes.len() <= SEGMENT_BYTES => {
                segment.bytes.extend_from_slice(&taken.bytes);
                (segment.number, segment.through) = (number, taken.through);
                self.spare = taken.bytes;
                self.spare.clear();
            }
            _ => self.unstored.push_back(Segment { number, through: taken.through, at, bytes: taken.bytes }),
        }
    }

    /// Bytes that are in the log and not known to be in the database.
    pub(super) const fn unstored_bytes(&self) -> u64 {
        self.unstored_bytes
    }

    /// Whether there is a whole segment for the database.
    pub(super) fn is_much(&self) -> bool {
        self.unstored.len() > 1
    }

    /// The last piece of the log.
    pub(super) const fn last(&self) -> u64 {
        self.last
    }

    /// The next segment for the database; the same one again, until it is stored. Nothing once the database
    /// has the piece `through`.
    pub(super) fn next_segment(&mut self, through: u64) -> Option<(u64, Wall, Bytes)> {
        if self.taken.is_none() && self.stored.0 < through {
            self.taken =
                self.unstored.pop_front().map(|it| (it.number, it.through, it.at, Bytes::from(it.bytes)));
        }
        self.taken.as_ref().map(|(number, _, at, bytes)| (*number, *at, bytes.clone()))
    }

    /// The segment that was taken is in the database.
    pub(super) fn stored(&mut self) {
        if let Some((number, through, _, bytes)) = self.taken.take() {
            self.unstored_bytes = self.unstored_bytes.saturating_sub(bytes.len() as u64);
            self.segments += 1;
            self.stored = (number, through);
        }
    }

    /// The last piece of the log that is in the database, and the ticket of its last record.
    pub(super) const fn stored_through(&self) -> (u64, Ticket) {
        self.stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(journal: &mut Journal) -> RecordBatch {
        journal.take_batch().unwrap()
    }

    #[test]
    fn records_go_to_the_log_and_then_to_the_database_in_their_order() {
        let mut journal = Journal::new(4, 2);
        assert!(journal.take_batch().is_none() && journal.next_segment(9).is_none());
        journal.push(Ticket(1), 9, b"a");
        let first = take(&mut journal);
        assert_eq!((first.through, first.record_bytes), (Ticket(1), 1));
        journal.push(Ticket(2), 9, b"bc");
        journal.put_back(first, Arc::from("full"));
        assert_eq!(journal.failing.as_deref(), Some("full"));
        for bytes in [&b"\x09\x01a"[..], b"\x09\x02bc"] {
            let batch = take(&mut journal);
            assert_eq!((&batch.bytes[..], batch.through.0), (bytes, batch.record_bytes), "in their order");
            journal.written(5, Wall(7), batch);
        }
        assert_eq!(
            (&journal.failing, journal.unstored_bytes(), journal.stored_through()),
            (&None, 7, (4, Ticket(0)))
        );
        journal.push(Ticket(3), 8, b"d");
        let third = take(&mut journal);
        journal.written(6, Wall(8), third);
        let segment = (6, Wall(7), Bytes::from_static(b"\x09\x01a\x09\x02bc\x08\x01d"));
        assert_eq!((journal.last(), journal.next_segment(4)), (6, None), "no more than was asked for");
        assert_eq!(
            (journal.next_segment(5), journal.next_segment(5)),
            (Some(segment.clone()), Some(segment)),
            "until it is stored"
        );
        journal.stored();
        assert_eq!((journal.stored_through(), journal.segments), ((6, Ticket(3)), 3));
        assert_eq!((journal.unstored_bytes(), journal.next_segment(9)), (0, None));
    }

    #[test]
    fn what_gathers_is_cut_into_segments() {
        let mut journal = Journal::new(0, 0);
        let lengths = [300_000, 700_000, 100_000, 4 << 20, 5, 4 << 20, SEGMENT_BYTES];
        for (ticket, bytes) in (1..).zip(lengths) {
            journal.push(Ticket(ticket), 1, &vec![0; bytes]);
        }
        let mut number = 0;
        let mut written = Vec::new();
        for _ in 0..journal.batches() {
            let batch = take(&mut journal);
            written.push((batch.through.0, batch.record_bytes));
            number += 1;
            journal.written(number, Wall(1), batch);
        }
        let long = 4 << 20;
        let batches = [(2, 1_000_000), (3, 100_000), (4, long), (5, 5), (6, long), (7, 1 << 20)];
        assert_eq!((written, journal.take_batch().is_none()), (batches.to_vec(), true));
        let segments = std::iter::from_fn(|| {
            let (number, _, bytes) = journal.next_segment(number)?;
            journal.stored();
            Some((number, bytes.len() <= SEGMENT_BYTES))
        });
        assert_eq!(segments.filter(|(_, is_short)| *is_short).count(), 3);
    }

    #[test]
    fn what_does_not_fit_a_segment_is_the_next() {
        let mut journal = Journal::new(0, 0);
        for (number, bytes) in
            [(1, SEGMENT_BYTES / 2), (2, SEGMENT_BYTES / 3), (3, 2 * SEGMENT_BYTES), (4, 1)]
        {
            journal.push(Ticket(number), 1, &vec![0; bytes]);
            let taken = take(&mut journal);
            assert_eq!(journal.is_much(), number > 3);
            journal.written(number, Wall(number), taken);
        }
        let stored: Vec<_> = std::iter::from_fn(|| {
            journal.next_segment(4)?;
            journal.stored();
            Some(journal.stored_through().0)
        })
        .collect();
        assert_eq!(stored, [2, 3, 4]);
    }
}
