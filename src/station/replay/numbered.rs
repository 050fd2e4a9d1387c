//! A page of rows that have numbers, of which the lowest come first.

use std::ops::ControlFlow;

use super::lists::rows_max;

/// Which rows are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberedPaging {
    /// Only those behind this number.
    pub(super) after: u64,
    /// At most so many; 0 leaves it open.
    pub(super) limit: u64,
    /// Bytes of them, about: a page has one row, however long that is.
    pub(super) bytes_max: u64,
}

/// The rows so far, in their order.
#[derive(Debug)]
pub(super) struct NumberedPage<R> {
    paging: NumberedPaging,
    rows: Vec<R>,
    bytes: u64,
    more: bool,
}

impl<R> NumberedPage<R> {
    pub(super) const fn new(paging: NumberedPaging) -> Self {
        Self { paging, rows: Vec::new(), bytes: 0, more: false }
    }

    /// Takes the row of a number, which is only made where it is on the page. Whether more may follow it.
    pub(super) fn take(&mut self, number: u64, bytes: usize, row: impl FnOnce() -> R) -> ControlFlow<()> {
        if self.more {
            return ControlFlow::Break(());
        }
        if number <= self.paging.after {
            return ControlFlow::Continue(());
        }
        let bytes = self.bytes.saturating_add(bytes as u64);
        let is_too_long = bytes > self.paging.bytes_max && !self.rows.is_empty();
        if self.rows.len() as u64 >= rows_max(self.paging.limit) || is_too_long {
            self.more = true;
            return ControlFlow::Break(());
        }
        self.bytes = bytes;
        self.rows.push(row());
        ControlFlow::Continue(())
    }

    /// Whether there are more rows than it has room for.
    pub(super) const fn has_more(&self) -> bool {
        self.more
    }

    pub(super) fn rows(&self) -> &[R] {
        &self.rows
    }

    pub(super) fn rows_mut(&mut self) -> &mut [R] {
        &mut self.rows
    }

    /// The rows, and whether there are more behind them.
    pub(super) fn finish(self) -> (Vec<R>, bool) {
        (self.rows, self.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(after: u64, limit: u64, bytes_max: u64) -> (Vec<u64>, bool) {
        let mut page = NumberedPage::new(NumberedPaging { after, limit, bytes_max });
        for number in 1..=5 {
            if page.take(number, 10, || number).is_break() {
                break;
            }
        }
        page.finish()
    }

    #[test]
    fn a_page_has_what_fits_of_what_is_behind_a_number() {
        assert_eq!(page(0, 0, 1_000), (vec![1, 2, 3, 4, 5], false));
        assert_eq!(page(2, 2, 1_000), (vec![3, 4], true));
        assert_eq!(page(3, 2, 1_000), (vec![4, 5], false));
        assert_eq!(page(9, 2, 1_000), (vec![], false));
        assert_eq!(page(1, 0, 25), (vec![2, 3], true));
        assert_eq!(page(4, 0, 1), (vec![5], false), "however long it is");
    }
}
