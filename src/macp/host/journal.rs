//! The log's way to the store: while a segment is written, records gather for the next.

use std::sync::Arc;

use bytes::Bytes;

use crate::{ids::Ticket, store::macp::push};

/// What is durable, and whether what follows it failed.
#[derive(Clone, Debug)]
pub(super) struct Durable {
    /// All records up to this ticket.
    pub(super) through: Ticket,
    /// How often a write failed.
    pub(super) failures: u64,
    /// Why the last one did.
    pub(super) why: Arc<str>,
}

/// A segment on its way.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) number: u64,
    /// The ticket of its last record.
    pub(super) through: Ticket,
    /// The bytes of its records, without what frames them.
    pub(super) record_bytes: u64,
    pub(super) bytes: Bytes,
}

/// Records that are not durable, and how many segments are.
#[derive(Debug, Default)]
pub(super) struct Journal {
    pending: Vec<u8>,
    through: Ticket,
    record_bytes: u64,
    /// The segment that is written, or is to be written again.
    under_way: Option<Segment>,
    /// Whether it waits to be written again.
    pub(super) is_failing: bool,
    /// Whether the last write failed, and none has succeeded since.
    pub(super) is_behind: bool,
    next_number: u64,
    /// Segments that are not sorted.
    pub(super) segments: u64,
}

impl Journal {
    pub(super) fn new(next_number: u64, segments: u64) -> Self {
        Self { next_number, segments, ..Self::default() }
    }

    pub(super) fn push(&mut self, ticket: Ticket, session: u64, record: &[u8]) {
        push(&mut self.pending, session, record);
        self.through = ticket;
        self.record_bytes += record.len() as u64;
    }

    /// What is to be written now, if nothing is on its way.
    pub(super) fn next(&mut self) -> Option<Segment> {
        if self.under_way.is_some() || self.pending.is_empty() {
            return None;
        }
        let segment = Segment {
            number: self.next_number,
            through: self.through,
            record_bytes: std::mem::take(&mut self.record_bytes),
            bytes: Bytes::from(std::mem::take(&mut self.pending)),
        };
        self.next_number += 1;
        self.under_way = Some(segment.clone());
        Some(segment)
    }

    /// What is to be written again, if it failed.
    pub(super) fn again(&mut self) -> Option<Segment> {
        if !self.is_failing {
            return None;
        }
        self.is_failing = false;
        self.under_way.clone()
    }

    /// Whether the store has a segment, and has not answered.
    pub(super) const fn is_waiting(&self) -> bool {
        self.under_way.is_some() && !self.is_failing
    }

    /// The segment under way was not written.
    pub(super) const fn failed(&mut self) {
        self.is_failing = true;
        self.is_behind = true;
    }

    /// The segment under way is durable.
    pub(super) fn written(&mut self) -> Option<Segment> {
        self.is_behind = false;
        self.segments += 1;
        self.under_way.take()
    }

    /// The number of the last segment that is durable, and the ticket of its last record.
    pub(super) fn durable(&self) -> u64 {
        self.under_way.as_ref().map_or(self.next_number, |segment| segment.number).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gathers_while_a_segment_is_written_is_one_segment() {
        let mut journal = Journal::new(5, 2);
        assert!(journal.next().is_none());
        journal.push(Ticket(1), 9, b"a");
        let first = journal.next().unwrap();
        assert_eq!((first.number, first.through, first.record_bytes, journal.durable()), (5, Ticket(1), 1, 4));
        for ticket in 2..5 {
            journal.push(Ticket(ticket), 9, b"bc");
            assert!(journal.next().is_none(), "one at a time");
        }
        journal.failed();
        assert_eq!(journal.again().unwrap().number, 5);
        assert!(journal.again().is_none());
        assert_eq!(journal.written().unwrap().number, 5);
        let second = journal.next().unwrap();
        assert_eq!((second.number, second.through, second.record_bytes, journal.segments), (6, Ticket(4), 6, 3));
        assert_eq!(journal.durable(), 5);
        journal.written();
        assert_eq!(journal.durable(), 6);
    }
}
