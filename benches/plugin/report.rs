//! Figures, their medians, and what they are held to.

use std::time::Duration;

/// Prints figures, each as soon as it is there.
#[derive(Debug, Default)]
pub(crate) struct Report {
    missed: usize,
}

/// What a figure is held to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

impl Report {
    /// A figure that is held to nothing.
    pub(crate) fn figure(what: &str, value: &str) {
        println!("  {what:<58} {value}");
    }

    /// A figure and its bound.
    pub(crate) fn bound(&mut self, what: &str, value: f64, bound: Bound, unit: &str) {
        let (is_met, sign, of) = match bound {
            Bound::AtLeast(of) => (value >= of, '≥', of),
            Bound::AtMost(of) => (value <= of, '≤', of),
        };
        let verdict = if is_met { "met" } else { "NOT MET" };
        self.missed += usize::from(!is_met);
        println!("  {what:<58} {value:.2}{unit} ({sign} {of:.2}{unit}: {verdict})");
    }

    /// Says how many bounds were missed.
    pub(crate) fn finish(&self) {
        println!("{} bounds missed", self.missed);
    }
}

/// The median; of an even number the mean of the middle two, of none 0.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or_default();
    f64::midpoint(at(values.len().saturating_sub(1) / 2), at(values.len() / 2))
}

/// The value that so many of a hundred do not exceed, in µs.
pub(crate) fn percentile_us(sorted: &[Duration], percent: usize) -> f64 {
    let at = sorted.len().saturating_sub(1) * percent / 100;
    sorted.get(at).copied().unwrap_or_default().as_secs_f64() * 1e6
}

/// A count as a number to calculate with.
#[expect(clippy::cast_precision_loss, reason = "counts of a benchmark stay far below 2^52")]
pub(crate) const fn number(count: u64) -> f64 {
    count as f64
}
