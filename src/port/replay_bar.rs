//! What happened when in a recording, in equal parts of its time.

/// Parts at most.
const PARTS_MAX: usize = 4_096;

/// A part of a recording's time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BarPart {
    /// How much happened, in entries.
    pub weight: u64,
    /// Faults and failures in it; where no more is known, in the time since the keyframe before it.
    pub faults: u64,
    /// Entries that were lost in it; where no more is known, in the time since the keyframe before it.
    pub lost: u64,
    /// Marks in it, or in the chunk of the file that it lies in; where no more is known, in the time since
    /// the keyframe before it.
    pub marks: u64,
}

impl BarPart {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            weight: self.weight.saturating_add(other.weight),
            faults: self.faults.saturating_add(other.faults),
            lost: self.lost.saturating_add(other.lost),
            marks: self.marks.saturating_add(other.marks),
        }
    }

    /// What it has more than another.
    #[must_use]
    pub const fn less(self, other: Self) -> Self {
        Self {
            weight: self.weight.saturating_sub(other.weight),
            faults: self.faults.saturating_sub(other.faults),
            lost: self.lost.saturating_sub(other.lost),
            marks: self.marks.saturating_sub(other.marks),
        }
    }

    /// What is greatest in either.
    #[must_use]
    pub fn greatest(self, other: Self) -> Self {
        Self {
            weight: self.weight.max(other.weight),
            faults: self.faults.max(other.faults),
            lost: self.lost.max(other.lost),
            marks: self.marks.max(other.marks),
        }
    }
}

/// What happened when.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayBar {
    parts: Vec<BarPart>,
}

impl ReplayBar {
    /// With so many parts in which nothing happened, at most 4,096.
    #[must_use]
    pub fn with_parts(parts: usize) -> Self {
        Self { parts: vec![BarPart::default(); parts.min(PARTS_MAX)] }
    }

    /// The part of a moment that lies so far on the way from the beginning to the end.
    fn index(&self, at: u64, of: u64) -> usize {
        let last = self.parts.len().saturating_sub(1);
        let index = u128::from(at) * self.parts.len() as u128 / u128::from(of.max(1));
        usize::try_from(index).unwrap_or(last).min(last)
    }

    /// How many parts the time from one moment to another of so many has.
    #[must_use]
    pub fn parts_of(&self, (from, to): (u64, u64), of: u64) -> usize {
        self.index(to.max(from), of) - self.index(from, of) + 1
    }

    /// Spreads a weight evenly over the time from one moment to another of so many. All parts together get
    /// just that.
    pub fn add_weight(&mut self, weight: u64, (from, to): (u64, u64), of: u64) {
        let (first, last) = (self.index(from, of), self.index(to.max(from), of));
        let count = (last - first + 1) as u128;
        let until = |place: u128| u64::try_from(u128::from(weight) * place / count).unwrap_or(u64::MAX);
        for (place, part) in (0..).zip(self.parts.iter_mut().take(last + 1).skip(first)) {
            part.weight = part.weight.saturating_add(until(place + 1) - until(place));
        }
    }

    /// Notes what there was in the time from one moment to another of so many.
    pub fn note(&mut self, noted: BarPart, (from, to): (u64, u64), of: u64) {
        let (first, last) = (self.index(from, of), self.index(to.max(from), of));
        for part in self.parts.iter_mut().take(last + 1).skip(first) {
            part.faults = part.faults.saturating_add(noted.faults);
            part.lost = part.lost.saturating_add(noted.lost);
            part.marks = part.marks.saturating_add(noted.marks);
        }
    }

    /// Its parts, made fewer or more: as many as asked for. Weights are shared out, so that all columns
    /// together have that of all parts; of the rest, what is greatest in several is kept.
    #[must_use]
    pub fn columns(&self, columns: usize) -> Vec<BarPart> {
        let columns = columns.min(PARTS_MAX);
        let weights = self.weights(columns);
        let of = |column: usize| {
            let from = column * self.parts.len() / columns.max(1);
            let to = ((column + 1) * self.parts.len()).div_ceil(columns.max(1)).max(from + 1);
            let parts = self.parts.get(from..to.min(self.parts.len())).unwrap_or_default();
            parts.iter().fold(BarPart::default(), |one, other| one.greatest(*other))
        };
        let with = |(column, weight): (usize, u64)| BarPart { weight, ..of(column) };
        weights.into_iter().enumerate().map(with).collect()
    }

    /// The weight of each of so many columns: a part that lies in two of them is shared out between them.
    fn weights(&self, columns: usize) -> Vec<u64> {
        let mut weights = vec![0_u64; columns];
        let count = self.parts.len() as u128;
        for (place, part) in (0_u128..).zip(&self.parts).filter(|(_, part)| part.weight > 0) {
            // In units of which a part has as many as there are columns, and a column as many as parts.
            let (from, to) = (place * columns as u128, (place + 1) * columns as u128);
            let until = |unit: u128| u128::from(part.weight) * (unit - from) / columns.max(1) as u128;
            let mut at = from;
            while at < to {
                let column = at / count;
                let end = ((column + 1) * count).min(to);
                let share = u64::try_from(until(end) - until(at)).unwrap_or(u64::MAX);
                if let Some(weight) = usize::try_from(column).ok().and_then(|it| weights.get_mut(it)) {
                    *weight = weight.saturating_add(share);
                }
                at = end;
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_is_in_the_columns_of_its_time() {
        let mut bar = ReplayBar::with_parts(100);
        bar.add_weight(10, (0, 9), 100);
        bar.add_weight(500, (50, 50), 100);
        bar.add_weight(7, (u64::MAX, 0), 100);
        bar.note(BarPart { faults: 3, ..BarPart::default() }, (20, 29), 100);
        bar.note(BarPart { lost: 1, marks: 2, ..BarPart::default() }, (99, 100), 100);
        let columns = bar.columns(10);
        let weights: Vec<u64> = columns.iter().map(|part| part.weight).collect();
        assert_eq!(weights, [10, 0, 0, 0, 0, 500, 0, 0, 0, 7]);
        assert_eq!(columns.iter().position(|part| part.faults == 3), Some(2));
        assert_eq!((columns[9].lost, columns[9].marks, columns[8].lost), (1, 2, 0));
        assert_eq!((bar.columns(0).len(), bar.columns(1_000).len()), (0, 1_000));
        assert_eq!(ReplayBar::default().columns(3), [BarPart::default(); 3]);
        let all = |columns| bar.columns(columns).iter().map(|part| part.weight).sum::<u64>();
        assert!([1, 3, 7, 64, 100, 333, 4_096].into_iter().all(|columns| all(columns) == 517));
        let mut none = ReplayBar::default();
        none.add_weight(1, (0, 1), 0);
        none.note(BarPart::default(), (0, 1), 0);
    }

    #[test]
    fn what_lasts_long_is_no_higher_than_what_is_short() {
        let mut bar = ReplayBar::with_parts(1_000);
        // As many in a second as in one moment, and few in a second of their own.
        bar.add_weight(80, (100, 199), 1_000);
        bar.add_weight(80, (350, 350), 1_000);
        bar.add_weight(3, (500, 599), 1_000);
        let weights: Vec<u64> = bar.columns(10).iter().map(|part| part.weight).collect();
        assert_eq!(weights, [0, 80, 0, 80, 0, 3, 0, 0, 0, 0]);
        assert_eq!((bar.parts_of((100, 199), 1_000), bar.parts_of((5, 0), 1_000)), (100, 1));
    }
}
