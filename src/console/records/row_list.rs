//! The rows of a pane as they are shown: all of one type, behind one interface.

use crate::{
    console::records::{
        row::PaneRecord,
        selection::{RecordKey, RowKeys},
        table_settings::TableSettings,
    },
    field::Spec,
    time::Now,
};

/// What rows of one type answer for all panes. Rows are looked at one by one through [`PaneRecord`]; what
/// goes over many of them is a loop over their own type.
pub(crate) trait RowList<'a>: RowKeys {
    /// Looks at one row.
    fn look(&self, at: usize, look: &mut dyn FnMut(&dyn PaneRecord));

    /// One row, for good.
    fn into_row(self: Box<Self>, at: usize) -> Option<Box<dyn PaneRecord + 'a>>;

    /// The places of the rows that these settings admit, in the order that they ask for.
    fn arrange(&self, settings: &TableSettings, specs: &'static [Spec], now: Now) -> Vec<usize>;

    /// Shows the newest, which is the last, while nothing was chosen; or the first.
    fn follow_the_end(&mut self, follows: bool);

    /// The rows at these places, in this order.
    fn reorder(self: Box<Self>, places: &[usize]) -> Box<dyn RowList<'a> + 'a>;
}

/// The rows of a pane as they are shown, from the top.
pub(crate) struct Rows<'a>(Box<dyn RowList<'a> + 'a>);

impl<'a> Rows<'a> {
    /// Rows that make themselves when they are asked for.
    pub(crate) fn of(list: impl RowList<'a> + 'a) -> Self {
        Self(Box::new(list))
    }

    /// No row at all.
    pub(crate) fn none() -> Self {
        Self::of(NoRows)
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Looks at one row.
    pub(crate) fn with<T>(&self, at: usize, look: impl FnOnce(&dyn PaneRecord) -> T) -> Option<T> {
        let (mut look, mut seen) = (Some(look), None);
        self.0.look(at, &mut |row| seen = look.take().map(|look| look(row)));
        seen
    }

    /// One row, for good.
    pub(crate) fn into_row(self, at: usize) -> Option<Box<dyn PaneRecord + 'a>> {
        self.0.into_row(at)
    }

    /// The places of the rows that these settings admit, in the order that they ask for.
    pub(crate) fn arrange(&self, settings: &TableSettings, specs: &'static [Spec], now: Now) -> Vec<usize> {
        self.0.arrange(settings, specs, now)
    }

    /// The rows at these places, in this order.
    pub(crate) fn reorder(self, places: &[usize]) -> Self {
        Self(self.0.reorder(places))
    }

    /// The rows, of which the last is shown while nothing was chosen, or the first.
    pub(crate) fn following_the_end(mut self, follows: bool) -> Self {
        self.0.follow_the_end(follows);
        self
    }
}

impl RowKeys for Rows<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn key(&self, row: usize) -> Option<RecordKey> {
        self.0.key(row)
    }

    fn row(&self, key: &RecordKey) -> Option<usize> {
        self.0.row(key)
    }

    fn neighbour(&self, gone: &RecordKey, row: usize) -> usize {
        self.0.neighbour(gone, row)
    }

    fn follows_its_end(&self) -> bool {
        self.0.follows_its_end()
    }

    fn leading(&self) -> usize {
        self.0.leading()
    }

    fn pinned(&self) -> usize {
        self.0.pinned()
    }
}

/// The rows of a pane that has none.
struct NoRows;

impl RowKeys for NoRows {
    fn len(&self) -> usize {
        0
    }

    fn key(&self, _row: usize) -> Option<RecordKey> {
        None
    }

    fn row(&self, _key: &RecordKey) -> Option<usize> {
        None
    }
}

impl<'a> RowList<'a> for NoRows {
    fn look(&self, _at: usize, _look: &mut dyn FnMut(&dyn PaneRecord)) {}

    fn into_row(self: Box<Self>, _at: usize) -> Option<Box<dyn PaneRecord + 'a>> {
        None
    }

    fn arrange(&self, _settings: &TableSettings, _specs: &'static [Spec], _now: Now) -> Vec<usize> {
        Vec::new()
    }

    fn follow_the_end(&mut self, _follows: bool) {}

    fn reorder(self: Box<Self>, _places: &[usize]) -> Box<dyn RowList<'a> + 'a> {
        self
    }
}

/// Rows that are all made.
pub(crate) struct Collected<T> {
    rows: Vec<T>,
    follows_its_end: bool,
    /// Whether a row stays on the screen as long as all before it do.
    is_pinned: fn(&T) -> bool,
    /// How much a row is what one looks for, the least first.
    rank: fn(&T) -> Option<u8>,
}

impl<'a, T: PaneRecord + 'a> From<Collected<T>> for Rows<'a> {
    fn from(rows: Collected<T>) -> Self {
        Self::of(rows)
    }
}

impl<'a, T: PaneRecord + 'a> FromIterator<T> for Rows<'a> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        Self::of(rows.into_iter().collect::<Collected<T>>())
    }
}

impl<T> FromIterator<T> for Collected<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        Self {
            rows: rows.into_iter().collect(),
            follows_its_end: false,
            is_pinned: |_| false,
            rank: |_| None,
        }
    }
}

impl<T> Collected<T> {
    /// Keeps its first rows on the screen, as far as they are such.
    pub(crate) fn pinning(self, is_pinned: fn(&T) -> bool) -> Self {
        Self { is_pinned, ..self }
    }

    /// Shows the row of the least rank while nothing was chosen.
    pub(crate) fn led_by(self, rank: fn(&T) -> Option<u8>) -> Self {
        Self { rank, ..self }
    }
}

impl<T: PaneRecord> RowKeys for Collected<T> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn key(&self, row: usize) -> Option<RecordKey> {
        self.rows.get(row).map(PaneRecord::key)
    }

    fn row(&self, key: &RecordKey) -> Option<usize> {
        self.rows.iter().position(|row| row.key() == *key)
    }

    fn follows_its_end(&self) -> bool {
        self.follows_its_end
    }

    fn leading(&self) -> usize {
        let ranked = self.rows.iter().enumerate().filter_map(|(at, row)| Some(((self.rank)(row)?, at)));
        ranked.min().map_or(0, |(_, at)| at)
    }

    fn pinned(&self) -> usize {
        self.rows.iter().take_while(|row| (self.is_pinned)(row)).count()
    }
}

impl<'a, T: PaneRecord + 'a> RowList<'a> for Collected<T> {
    fn look(&self, at: usize, look: &mut dyn FnMut(&dyn PaneRecord)) {
        if let Some(row) = self.rows.get(at) {
            look(row);
        }
    }

    fn into_row(self: Box<Self>, at: usize) -> Option<Box<dyn PaneRecord + 'a>> {
        let row = self.rows.into_iter().nth(at)?;
        Some(Box::new(row))
    }

    fn arrange(&self, settings: &TableSettings, specs: &'static [Spec], now: Now) -> Vec<usize> {
        let admits = |row: &T| settings.filter().is_none_or(|filter| filter.admits(row, now));
        let admitted = self.rows.iter().enumerate().filter(|(_, row)| admits(row));
        let Some((sort, spec)) = settings.sort().and_then(|sort| Some((sort, specs.get(sort.field)?))) else {
            return admitted.map(|(at, _)| at).collect();
        };
        let mut valued: Vec<_> = admitted.map(|(at, row)| (row.value(sort.field, now), at)).collect();
        valued.sort_by(|(one, _), (other, _)| sort.order(spec, one, other));
        valued.into_iter().map(|(_, at)| at).collect()
    }

    fn follow_the_end(&mut self, follows: bool) {
        self.follows_its_end = follows;
    }

    fn reorder(self: Box<Self>, places: &[usize]) -> Box<dyn RowList<'a> + 'a> {
        let mut rows: Vec<Option<T>> = self.rows.into_iter().map(Some).collect();
        let taken = places.iter().filter_map(|at| rows.get_mut(*at).and_then(Option::take)).collect();
        Box::new(Self { rows: taken, ..*self })
    }
}
