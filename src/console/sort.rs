//! By which column a table is sorted.

use std::cmp::Ordering;

/// By which column, and which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sort {
    /// Its place among the columns of the pane, whether they are shown or not.
    pub(crate) column: usize,
    pub(crate) descending: bool,
}

impl Sort {
    /// What a click on the head of a column makes of it: sorted by that column, or the other way round.
    pub(crate) fn clicked(present: Option<Self>, column: usize) -> Self {
        let descending = present.is_some_and(|sort| sort.column == column && !sort.descending);
        Self { column, descending }
    }

    /// Sorts rows; those that are equal keep their order. Without a sort all do.
    pub(crate) fn arrange<T>(sort: Option<Self>, rows: &mut [T], compare: impl Fn(usize, &T, &T) -> Ordering) {
        let Some(Self { column, descending }) = sort else { return };
        rows.sort_by(|one, other| {
            let order = compare(column, one, other);
            if descending { order.reverse() } else { order }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_click_reverses_and_equal_rows_keep_their_order() {
        let first = Sort::clicked(None, 1);
        assert_eq!(first, Sort { column: 1, descending: false });
        let second = Sort::clicked(Some(first), 1);
        assert_eq!((second.descending, Sort::clicked(Some(second), 1)), (true, first));
        assert_eq!(Sort::clicked(Some(second), 0), Sort { column: 0, descending: false });
        let mut rows = [(1, 'a'), (2, 'b'), (1, 'c')];
        Sort::arrange(Some(second), &mut rows, |_, one, other| one.0.cmp(&other.0));
        assert_eq!(rows, [(2, 'b'), (1, 'a'), (1, 'c')]);
    }
}
