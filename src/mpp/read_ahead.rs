//! The head of a queue's pending rows: what is held in memory of a list that may have millions of rows in the
//! store.
//!
//! Three facts hold at any time. `rows` is sorted by id, oldest first. Every pending row of the store up to
//! `cursor` is in `rows`, or the bridge knows something newer about it. Beyond `cursor` there are rows only
//! while `behind` is set. So the front may leave when it lies at or before the cursor, or when nothing lies
//! behind.

use std::collections::VecDeque;

use crate::{ids::InvocationId, store::invocations::Pending};

/// A read to be asked of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Want {
    pub(super) after: InvocationId,
    pub(super) limit: u64,
    pub(super) settled: bool,
}

/// A read that was asked for.
#[derive(Clone, Copy, Debug)]
struct Fetching {
    after: InvocationId,
    /// What comes of it must not be used.
    stale: bool,
    /// Rows were recorded since it was asked for.
    arrived: bool,
}

/// The prefetched head of one queue.
#[derive(Debug)]
pub(super) struct ReadAhead {
    rows: VecDeque<Pending>,
    cursor: InvocationId,
    has_more: bool,
    fetching: Option<Fetching>,
    /// The next read must see everything persisted before it.
    settle: bool,
}

impl ReadAhead {
    /// Nothing read yet; `behind` says whether the store has rows.
    pub(super) fn new(has_more: bool) -> Self {
        Self { rows: VecDeque::new(), cursor: InvocationId(0), has_more, fetching: None, settle: true }
    }

    /// The oldest pending row, if it is known.
    pub(super) fn take(&mut self) -> Option<Pending> {
        self.front_is_oldest().then(|| self.rows.pop_front()).flatten()
    }

    /// The oldest pending row, if it is known, left where it is.
    pub(super) fn front(&self) -> Option<&Pending> {
        self.rows.front().filter(|_| self.front_is_oldest())
    }

    /// The rows that [`take`](Self::take) would yield one after another.
    pub(super) fn known(&self) -> impl Iterator<Item = &Pending> {
        self.rows.iter().take_while(|row| self.is_known(row))
    }

    fn front_is_oldest(&self) -> bool {
        self.rows.front().is_some_and(|row| self.is_known(row))
    }

    fn is_known(&self, row: &Pending) -> bool {
        !self.has_more || row.id <= self.cursor
    }

    fn index_of(&self, id: InvocationId) -> Result<usize, usize> {
        self.rows.binary_search_by_key(&id, |row| row.id)
    }

    /// A row is pending again, or is after all.
    pub(super) fn put_back(&mut self, row: Pending) {
        if let Err(place) = self.index_of(row.id) {
            self.rows.insert(place, row);
        }
    }

    /// A row was recorded as pending.
    pub(super) fn append(&mut self, row: Pending, rows_max: usize) {
        if let Some(fetching) = &mut self.fetching {
            fetching.arrived = true;
        }
        if self.has_more || self.rows.len() >= rows_max {
            self.has_more = true;
            return;
        }
        self.cursor = self.cursor.max(row.id);
        self.put_back(row);
    }

    /// Takes a row out, wherever it stands.
    pub(super) fn remove(&mut self, id: InvocationId) -> Option<Pending> {
        let place = self.index_of(id).ok()?;
        self.rows.remove(place)
    }

    /// A row is no longer pending, or this became durable just now. A read that is under way, or one that
    /// need not see the latest, could still show it.
    pub(super) fn ended(&mut self, id: InvocationId) {
        if self.has_more && id > self.cursor {
            self.settle = true;
            if let Some(fetching) = &mut self.fetching {
                fetching.stale = true;
            }
        }
    }

    /// Forgets all but the rows that the store may not show, and reads from the start.
    pub(super) fn reset(&mut self, keep: impl Fn(InvocationId) -> bool) {
        self.rows.retain(|row| keep(row.id));
        self.cursor = InvocationId(0);
        self.has_more = true;
        self.settle = true;
        if let Some(fetching) = &mut self.fetching {
            fetching.stale = true;
        }
    }

    /// What to read next, if it is time to. It counts as asked for from here on.
    pub(super) fn want(&mut self, rows_max: usize) -> Option<Want> {
        let short = self.rows.len() < rows_max.div_ceil(2) || !self.front_is_oldest();
        if !self.has_more || self.fetching.is_some() || !short {
            return None;
        }
        self.fetching = Some(Fetching { after: self.cursor, stale: false, arrived: false });
        let settled = std::mem::take(&mut self.settle) || self.cursor == InvocationId(0);
        let room = rows_max.saturating_sub(self.rows.len()).max(rows_max.div_ceil(2));
        Some(Want { after: self.cursor, limit: u64::try_from(room).unwrap_or(u64::MAX), settled })
    }

    /// Takes in what was read. `pending` says of each row whether it really is.
    pub(super) fn fetched(
        &mut self,
        after: InvocationId,
        rows: Vec<Pending>,
        more: bool,
        mut pending: impl FnMut(&Pending) -> bool,
    ) {
        let Some(fetching) = self.fetching.take_if(|fetching| fetching.after == after) else { return };
        if fetching.stale {
            self.settle = true;
            return;
        }
        let empty = rows.is_empty();
        for row in rows {
            self.cursor = self.cursor.max(row.id);
            if pending(&row) {
                self.put_back(row);
            }
        }
        self.has_more = fetching.arrived || (more && !empty);
    }

    /// What was asked for could not be read.
    pub(super) fn fetch_failed(&mut self) {
        if self.fetching.take().is_some() {
            self.settle = true;
        }
    }

    /// Rows held.
    #[cfg(test)]
    fn len(&self) -> usize {
        self.rows.len()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{ids::TraceId, schema::JsonText, store::invocations::Source, time::Wall};

    fn row(id: u64) -> Pending {
        Pending {
            damage: None,
            bytes: 0,
            id: InvocationId(id),
            event: "e".into(),
            params: JsonText::null(),
            trace_id: TraceId(Uuid::nil()),
            source: Source { kind: "manual".to_owned(), redemption: None, user: None },
            enqueued_at: Wall(0),
        }
    }

    fn rows(ids: std::ops::RangeInclusive<u64>) -> Vec<Pending> {
        ids.map(row).collect()
    }

    #[test]
    fn a_recorded_row_is_held_only_when_nothing_lies_behind() {
        let mut head = ReadAhead::new(false);
        for id in 1..=10 {
            head.append(row(id), 8);
        }
        assert_eq!(head.len(), 8);
        assert_eq!(head.want(8), None);
        for id in 1..=5 {
            assert_eq!(head.take().map(|row| row.id.0), Some(id));
        }
        assert_eq!(head.want(8), Some(Want { after: InvocationId(8), limit: 5, settled: true }));
        head.fetched(InvocationId(8), rows(9..=10), false, |_| true);
        head.append(row(11), 8);
        assert_eq!(
            std::iter::from_fn(|| head.take()).map(|row| row.id.0).collect::<Vec<_>>(),
            [6, 7, 8, 9, 10, 11]
        );
    }

    #[test]
    fn a_row_that_comes_back_waits_for_older_ones_that_are_not_read_yet() {
        let mut head = ReadAhead::new(true);
        head.put_back(row(100));
        assert_eq!(head.take(), None);
        assert!(head.want(8).is_some_and(|want| want.after == InvocationId(0) && want.settled));
        head.fetched(InvocationId(0), rows(1..=2), true, |_| true);
        assert_eq!(head.take().map(|row| row.id.0), Some(1));
        assert_eq!(head.take().map(|row| row.id.0), Some(2));
        assert_eq!(head.take(), None);
    }

    #[test]
    fn a_read_that_was_overtaken_is_asked_again() {
        let mut head = ReadAhead::new(true);
        assert!(head.want(8).is_some());
        head.ended(InvocationId(3));
        head.fetched(InvocationId(0), rows(1..=3), false, |_| true);
        assert_eq!(head.take(), None);
        assert!(head.want(8).is_some_and(|want| want.settled));
        head.fetched(InvocationId(0), rows(1..=2), false, |_| true);
        assert_eq!(head.len(), 2);
    }

    #[test]
    fn rows_recorded_during_a_read_are_read_afterwards() {
        let mut head = ReadAhead::new(true);
        assert!(head.want(8).is_some());
        head.append(row(3), 8);
        head.fetched(InvocationId(0), rows(1..=2), false, |_| true);
        assert_eq!(head.want(8).map(|want| want.after), Some(InvocationId(2)));
        head.fetched(InvocationId(2), rows(3..=3), false, |_| true);
        assert_eq!(std::iter::from_fn(|| head.take()).map(|row| row.id.0).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
