//! The identity of a row, and a selected one that stays selected wherever it moves.

pub(crate) use super::record_key::RecordKey;

/// The identities of a list's rows, from the top. A list of many rows answers without naming them all.
pub(crate) trait RowKeys {
    /// How many rows there are.
    fn len(&self) -> usize;

    /// The identity of a row.
    fn key(&self, row: usize) -> Option<RecordKey>;

    /// The row of a record, if it has one.
    fn row(&self, key: &RecordKey) -> Option<usize>;

    /// The row that takes the place of a record that went away and stood at `row` before.
    fn neighbour(&self, _gone: &RecordKey, row: usize) -> usize {
        row.min(self.len().saturating_sub(1))
    }

    /// Whether its newest row is the last, which is shown while nothing was chosen.
    fn follows_its_end(&self) -> bool {
        false
    }

    /// The row that is shown while nothing was chosen, where that is not the last.
    fn leading(&self) -> usize {
        0
    }

    /// How many of its first rows stay on the screen however far it is scrolled.
    fn pinned(&self) -> usize {
        0
    }
}

impl RowKeys for Vec<RecordKey> {
    fn len(&self) -> usize {
        self.as_slice().len()
    }

    fn key(&self, row: usize) -> Option<RecordKey> {
        self.get(row).cloned()
    }

    fn row(&self, key: &RecordKey) -> Option<usize> {
        self.iter().position(|known| known == key)
    }
}

/// How a record came to be selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SelectedBy {
    /// It was gone to, or clicked.
    #[default]
    Chosen,
    /// It was selected by itself when a key did something to it.
    Touched,
    /// It was selected by itself while the operator looked at its list.
    Dwelt,
}

/// A selected record, and where it last stood, for when it goes away.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    key: Option<RecordKey>,
    selected_by: SelectedBy,
    index: usize,
    /// Rows above the screen.
    offset: usize,
    /// First rows that stay on the screen: what is above it lies behind them.
    pinned: usize,
    /// Whether a filter holds rows back: a record that has none may only be hidden.
    is_filtered: bool,
    /// The record that was selected when a filter hid it.
    hidden: Option<RecordKey>,
}

impl Selection {
    /// The row that is selected.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Whether nothing was ever chosen, so that the first row is selected whichever it is; of a list that
    /// follows its end, the last.
    pub(crate) fn is_untouched(&self) -> bool {
        self.key.is_none()
    }

    /// How many rows lie above the screen.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The row at a line of the list.
    pub(crate) fn row_at(&self, line: usize) -> usize {
        if line < self.pinned { line } else { line + self.offset }
    }

    /// Whether a filter holds rows back from here on. A record that it hides is selected again once it has a
    /// row, unless another was chosen meanwhile.
    pub(crate) fn set_filtered(&mut self, is_filtered: bool) {
        self.is_filtered = is_filtered;
    }

    /// Finds the record again among these rows; when it is gone, its neighbour takes its place. While nothing
    /// was ever chosen, the first row is, or the last where the list follows its end.
    pub(crate) fn reconcile(&mut self, keys: &dyn RowKeys, height: usize) {
        let last = keys.len().saturating_sub(1);
        if self.hidden.as_ref().is_some_and(|hidden| keys.row(hidden).is_some()) {
            self.key = self.hidden.take();
        } else if self.is_filtered && self.hidden.is_none() {
            self.hidden = self.key.clone().filter(|key| keys.row(key).is_none());
        }
        match &self.key {
            Some(key) => {
                let found = keys.row(key);
                let index = found.unwrap_or_else(|| keys.neighbour(key, self.index).min(last));
                // A chosen record stays at its line of the screen while rows come and go before it. Of a list
                // that was at its top when it was held by itself, the top is shown as long as
                // the record has room there.
                if self.selected_by == SelectedBy::Chosen || self.offset > 0 {
                    self.offset = (self.offset + index).saturating_sub(self.index);
                }
                self.index = index;
                if found.is_none() {
                    self.key = keys.key(index);
                }
            }
            None => self.index = if keys.follows_its_end() { last } else { keys.leading().min(last) },
        }
        // Some lines are left to the rows behind those that stay.
        self.pinned = keys.pinned().min(height.saturating_sub(height.div_ceil(3)));
        if self.index >= self.pinned {
            self.offset =
                self.offset.min(self.index - self.pinned).max((self.index + 1).saturating_sub(height.max(1)));
        }
        self.offset = self.offset.min(keys.len().saturating_sub(height.max(1)));
    }

    /// Selects the row at `index`, or the nearest there is.
    pub(crate) fn select(&mut self, index: usize, keys: &dyn RowKeys, height: usize) {
        self.index = index.min(keys.len().saturating_sub(1));
        (self.key, self.hidden, self.selected_by) = (keys.key(self.index), None, SelectedBy::Chosen);
        if self.index == 0 {
            // Also where the first rows stay on the screen, what is behind them is shown from its top.
            self.offset = 0;
        }
        self.reconcile(keys, height);
    }

    /// Moves by some rows. A list that follows its end does so again once its last row is reached.
    pub(crate) fn step(&mut self, by: isize, keys: &dyn RowKeys, height: usize) {
        self.select(self.index.saturating_add_signed(by), keys, height);
        if by > 0 && keys.follows_its_end() && self.index + 1 >= keys.len() {
            self.release();
        }
    }

    /// Holds the record that is selected by itself, so that nothing new takes its place. A list that follows
    /// its end goes on to.
    pub(crate) fn pin(&mut self, keys: &dyn RowKeys, by: SelectedBy) {
        if self.key.is_none() && !keys.follows_its_end() {
            (self.key, self.selected_by) = (keys.key(self.index), by);
        } else if by == SelectedBy::Touched && self.selected_by == SelectedBy::Dwelt {
            self.selected_by = by;
        }
    }

    /// Lets go of a record that was only looked at.
    pub(crate) fn release_dwelt(&mut self) {
        if self.key.is_some() && self.selected_by == SelectedBy::Dwelt {
            self.release();
            self.offset = 0;
        }
    }

    /// As if nothing had ever been chosen.
    pub(crate) fn release(&mut self) {
        (self.key, self.hidden, self.selected_by) = (None, None, SelectedBy::Chosen);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::records::record_key::KeyKind;

    const ROW: KeyKind<u64> = KeyKind::new("row");

    fn keys(ids: impl IntoIterator<Item = u64>) -> Vec<RecordKey> {
        ids.into_iter().map(|id| ROW.of(id)).collect()
    }

    #[test]
    fn new_rows_do_not_move_the_selection() {
        let mut selection = Selection::default();
        selection.select(1, &keys([9, 8, 7]), 10);
        selection.reconcile(&keys([11, 10, 9, 8, 7]), 10);
        assert_eq!(selection.index(), 3);
    }

    #[test]
    fn a_neighbour_takes_the_place_of_a_record_that_went_away() {
        let mut selection = Selection::default();
        selection.select(2, &keys([1, 2, 3, 4]), 10);
        selection.reconcile(&keys([1, 2, 4]), 10);
        assert_eq!(selection.index(), 2);
        selection.reconcile(&keys([1, 4]), 10);
        assert_eq!(selection.index(), 1);
        selection.reconcile(&keys([]), 10);
        assert_eq!(selection.index(), 0);
        selection.reconcile(&keys([7]), 10);
        assert_eq!(selection.index(), 0);
    }

    #[test]
    fn a_record_that_a_filter_hides_comes_back_unless_another_is_chosen() {
        let mut selection = Selection::default();
        let all = keys([1, 2, 3, 4]);
        selection.select(2, &all, 10);
        selection.set_filtered(true);
        for left in [vec![1, 4], vec![], vec![4]] {
            selection.reconcile(&keys(left), 10);
        }
        selection.set_filtered(false);
        selection.reconcile(&all, 10);
        assert_eq!((selection.index(), &selection.hidden), (2, &None));
        selection.set_filtered(true);
        selection.reconcile(&keys([1, 4]), 10);
        selection.step(-1, &keys([1, 4]), 10);
        selection.set_filtered(false);
        selection.reconcile(&all, 10);
        assert_eq!(selection.index(), 0);
    }

    #[test]
    fn a_selected_record_keeps_its_line_while_rows_come_before_it() {
        let mut selection = Selection::default();
        let before = keys((0..100).rev());
        selection.select(50, &before, 10);
        let line = selection.index() - selection.offset();
        selection.reconcile(&keys((0..140).rev()), 10);
        assert_eq!(selection.index() - selection.offset(), line);
    }

    #[test]
    fn what_is_held_by_itself_stays_selected_and_the_top_is_shown_as_long_as_it_has_room() {
        let mut selection = Selection::default();
        selection.reconcile(&keys([3, 2, 1]), 4);
        selection.pin(&keys([3, 2, 1]), SelectedBy::Dwelt);
        selection.reconcile(&keys([5, 4, 3, 2, 1]), 4);
        assert_eq!((selection.index(), selection.offset()), (2, 0));
        selection.reconcile(&keys([9, 8, 7, 6, 5, 4, 3, 2, 1]), 4);
        assert_eq!((selection.index(), selection.offset()), (6, 3), "then it stays in sight");
        let mut touched = selection.clone();
        selection.release_dwelt();
        selection.reconcile(&keys([9, 8, 7]), 4);
        assert_eq!((selection.index(), selection.is_untouched()), (0, true));
        touched.pin(&keys([9, 8, 7, 6, 5, 4, 3, 2, 1]), SelectedBy::Touched);
        touched.release_dwelt();
        touched.reconcile(&keys([4, 3]), 4);
        assert_eq!((touched.index(), touched.is_untouched()), (1, false));
    }

    struct Pinned(Vec<RecordKey>, usize);

    impl RowKeys for Pinned {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn key(&self, row: usize) -> Option<RecordKey> {
            self.0.get(row).cloned()
        }

        fn row(&self, key: &RecordKey) -> Option<usize> {
            self.0.row(key)
        }

        fn pinned(&self) -> usize {
            self.1
        }
    }

    #[test]
    fn rows_that_stay_are_on_the_screen_however_far_it_is_scrolled() {
        let shown = |selection: &Selection, height: usize| {
            (0..height).map(|line| selection.row_at(line)).collect::<Vec<_>>()
        };
        let mut selection = Selection::default();
        selection.select(20, &Pinned(keys(0..30), 0), 6);
        assert_eq!(shown(&selection, 6), [15, 16, 17, 18, 19, 20]);
        selection.reconcile(&Pinned(keys([90, 91].into_iter().chain(0..30)), 2), 6);
        assert_eq!((selection.index(), shown(&selection, 6)), (22, vec![0, 1, 19, 20, 21, 22]));
        for (row, wanted) in [
            (1, [0, 1, 19, 20, 21, 22]),
            (5, [0, 1, 5, 6, 7, 8]),
            (2, [0, 1, 2, 3, 4, 5]),
            (31, [0, 1, 28, 29, 30, 31]),
        ] {
            selection.select(row, &Pinned(keys([90, 91].into_iter().chain(0..30)), 2), 6);
            assert_eq!(shown(&selection, 6), wanted, "{row}");
        }
        selection.select(0, &Pinned(keys([90, 91].into_iter().chain(0..30)), 2), 6);
        assert_eq!(shown(&selection, 6), [0, 1, 2, 3, 4, 5], "the first row is at the top");
        selection.select(31, &Pinned(keys([90, 91].into_iter().chain(0..30)), 2), 6);
        selection.reconcile(&Pinned(keys([90, 91].into_iter().chain(0..30)), 32), 3);
        assert_eq!(shown(&selection, 3), [0, 1, 31], "the selected row keeps a line");
    }

    #[test]
    fn nothing_chosen_follows_the_first_row() {
        let mut selection = Selection::default();
        selection.reconcile(&keys([3, 2, 1]), 2);
        selection.reconcile(&keys([9, 8, 7]), 2);
        assert_eq!((selection.index(), selection.offset()), (0, 0));
    }
}
