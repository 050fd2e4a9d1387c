//! The invocations of a list that are known, no more than fit: those where the list begins are kept, and the
//! next page begins where the others do.

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::{
    ids::{EventName, InvocationId, QueueName, TraceId},
    port::InvocationRow,
    schema::JsonText,
    store::invocations::Source,
    tap::entry::mpp::RowState,
    time::Wall,
};

/// Which rows are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowBounds {
    /// Only those beyond this one are on the page, in the direction of the order.
    pub(super) beyond: Option<InvocationId>,
    pub(super) oldest_first: bool,
    /// At most so many.
    pub(super) rows_max: u64,
    /// At most so many bytes, about; one row is kept however long it is.
    pub(super) bytes_max: u64,
}

/// A row, and when it was known for certain what its state is.
#[derive(Clone, Debug)]
pub(super) struct KnownRow {
    pub(super) row: InvocationRow,
    /// Gaps in the entries before its state was last reported.
    pub(super) gaps: u64,
}

impl KnownRow {
    fn new(id: InvocationId) -> Self {
        let source = Source { kind: String::new(), redemption: None, user: None };
        let row = InvocationRow {
            id,
            queue: QueueName::new(""),
            event: EventName::new(""),
            state: RowState::Pending,
            params: JsonText::null(),
            result: None,
            reason: None,
            source,
            trace_id: TraceId(Uuid::nil()),
            enqueued_at_ms: Wall(0),
            updated_at_ms: Wall(0),
            other_manifest: None,
            refund: None,
            requeued_from: None,
            damage: None,
        };
        Self { row, gaps: 0 }
    }

    fn bytes(&self) -> u64 {
        let InvocationRow { params, result, reason, damage, source, .. } = &self.row;
        let texts = [
            Some(params.as_str()),
            result.as_ref().map(JsonText::as_str),
            reason.as_deref(),
            damage.as_deref(),
            Some(&source.kind),
            source.redemption.as_deref(),
            source.user.as_deref(),
        ];
        let texts: usize = texts.into_iter().flatten().map(str::len).sum();
        (size_of::<Self>() + texts) as u64
    }
}

/// The rows that are kept.
#[derive(Debug)]
pub(super) struct KnownRows {
    bounds: RowBounds,
    rows: BTreeMap<InvocationId, KnownRow>,
    bytes: u64,
    /// There was no room for this one and those beyond it.
    cut: Option<InvocationId>,
}

impl KnownRows {
    pub(super) const fn new(bounds: RowBounds) -> Self {
        Self { bounds, rows: BTreeMap::new(), bytes: 0, cut: None }
    }

    /// Whether a row is one of those that are kept. Those before an oldest-first page are kept while there is
    /// room: what is on the page may have been requeued from them.
    fn keeps(&self, id: InvocationId) -> bool {
        let RowBounds { beyond, oldest_first, .. } = self.bounds;
        if oldest_first {
            self.cut.is_none_or(|cut| id < cut)
        } else {
            beyond.is_none_or(|beyond| id < beyond) && self.cut.is_none_or(|cut| id > cut)
        }
    }

    /// Changes a row, which is made where there is none.
    pub(super) fn change(&mut self, id: InvocationId, change: impl FnOnce(&mut KnownRow)) {
        if !self.keeps(id) {
            return;
        }
        let mut before = 0;
        let row =
            self.rows.entry(id).and_modify(|row| before = row.bytes()).or_insert_with(|| KnownRow::new(id));
        change(row);
        self.bytes = self.bytes.saturating_sub(before).saturating_add(row.bytes());
        while self.rows.len() > 1
            && (self.rows.len() as u64 > self.bounds.rows_max || self.bytes > self.bounds.bytes_max)
        {
            self.evict();
        }
    }

    /// Changes a row that is there.
    pub(super) fn change_known(&mut self, id: InvocationId, change: impl FnOnce(&mut KnownRow)) {
        if self.rows.contains_key(&id) {
            self.change(id, change);
        }
    }

    fn evict(&mut self) {
        let RowBounds { beyond, oldest_first, .. } = self.bounds;
        let is_before = |id: &InvocationId| beyond.is_some_and(|beyond| *id <= beyond);
        let is_first = !oldest_first || self.rows.first_key_value().is_some_and(|(id, _)| is_before(id));
        let gone = if is_first { self.rows.pop_first() } else { self.rows.pop_last() };
        let Some((id, row)) = gone else { return };
        self.bytes = self.bytes.saturating_sub(row.bytes());
        if !(oldest_first && is_before(&id)) {
            self.cut = Some(id);
        }
    }

    pub(super) fn get(&self, id: InvocationId) -> Option<&KnownRow> {
        self.rows.get(&id)
    }

    /// The rows, and the last one that was looked at where there was no room for all.
    pub(super) fn finish(self) -> (Vec<KnownRow>, Option<InvocationId>) {
        let last =
            if self.bounds.oldest_first { self.rows.last_key_value() } else { self.rows.first_key_value() };
        let last = last.map(|(id, _)| *id).filter(|_| self.cut.is_some());
        (self.rows.into_values().collect(), last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(bounds: RowBounds, ids: impl Iterator<Item = u64>) -> (Vec<u64>, Option<u64>) {
        let mut rows = KnownRows::new(bounds);
        ids.for_each(|id| rows.change(InvocationId(id), |known| known.row.reason = Some("x".repeat(100))));
        let (rows, last) = rows.finish();
        (rows.into_iter().map(|known| known.row.id.0).collect(), last.map(|id| id.0))
    }

    fn bounds(beyond: Option<u64>, oldest_first: bool, rows_max: u64) -> RowBounds {
        RowBounds { beyond: beyond.map(InvocationId), oldest_first, rows_max, bytes_max: 1 << 20 }
    }

    #[test]
    fn those_where_the_list_begins_are_kept_and_where_the_others_begin_is_known() {
        assert_eq!(rows(bounds(None, false, 9), 1..=5), (vec![1, 2, 3, 4, 5], None));
        assert_eq!(rows(bounds(None, false, 2), 1..=5), (vec![4, 5], Some(4)));
        assert_eq!(rows(bounds(Some(4), false, 2), 1..=5), (vec![2, 3], Some(2)));
        assert_eq!(rows(bounds(Some(3), false, 2), 1..=5), (vec![1, 2], None));
        assert_eq!(rows(bounds(None, true, 2), 1..=5), (vec![1, 2], Some(2)));
        assert_eq!(rows(bounds(Some(2), true, 2), 1..=5), (vec![3, 4], Some(4)));
        // What is before the page is kept while there is room.
        assert_eq!(rows(bounds(Some(2), true, 4), 1..=5), (vec![2, 3, 4, 5], None));
        // What there was no room for does not come back.
        assert_eq!(rows(bounds(None, false, 2), [1, 2, 3, 1, 2].into_iter()), (vec![2, 3], Some(2)));
        assert_eq!(rows(bounds(None, true, 2), [1, 2, 3, 3, 4].into_iter()), (vec![1, 2], Some(2)));
    }

    #[test]
    fn they_have_no_more_bytes_than_fit_and_one_is_kept_however_long_it_is() {
        let one = KnownRow::new(InvocationId(1)).bytes() + 100;
        let of = |bytes_max| RowBounds { bytes_max, ..bounds(None, false, 9) };
        assert_eq!(rows(of(2 * one), 1..=5), (vec![4, 5], Some(4)));
        assert_eq!(rows(of(1), 1..=5), (vec![5], Some(5)));
    }
}
