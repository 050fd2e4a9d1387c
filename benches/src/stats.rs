//! Figures out of several rounds, and what they are held against.

use std::fmt;

/// A count as a number to calculate with; exact up to 2^52.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of a benchmark stay far below 2^52")]
pub fn number(count: usize) -> f64 {
    count as f64
}

/// The median; of an even number the mean of the middle two.
pub fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = *values.get(values.len().saturating_sub(1) / 2)?;
    Some(f64::midpoint(lower, upper))
}

/// The value, in µs, that `percent` of the sorted values, in ns, do not exceed; 0 when there are none.
#[must_use]
pub fn percentile_us(sorted_ns: &[u64], percent: usize) -> f64 {
    let at = (sorted_ns.len().saturating_sub(1)) * percent / 100;
    std::time::Duration::from_nanos(sorted_ns.get(at).copied().unwrap_or(0)).as_secs_f64() * 1e6
}

/// What a figure is held against. Missing one is said and fails nothing.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// The figure is met at so much or more.
    AtLeast(f64),
    /// The figure is met at so much or less.
    AtMost(f64),
}

impl Limit {
    /// Whether a figure meets it.
    #[must_use]
    pub fn met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(limit) => value >= limit,
            Self::AtMost(limit) => value <= limit,
        }
    }

    /// A line of text that says whether a figure meets it, and the same as JSON; none is "not measured".
    #[must_use]
    pub fn verdict(self, of: &str, what: &str, value: Option<f64>, json: bool) -> String {
        let met = value.map(|value| self.met(value));
        if json {
            return serde_json::json!({ "of": of, "bound": what, "limit": self.to_string(), "value": value, "met": met }).to_string();
        }
        let shown = value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        let word = match met {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "not measured",
        };
        format!("  {what:<46} {shown:>9}  {:<8} {word}", self.to_string())
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(limit) => write!(f, "≥ {limit}"),
            Self::AtMost(limit) => write!(f, "≤ {limit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        assert_eq!(median([4.0, 1.0, 3.0, 2.0].into_iter()), Some(2.5));
        assert_eq!(median([9.0, 1.0, 3.0].into_iter()), Some(3.0));
        assert_eq!(median(std::iter::empty()), None);
    }

    #[test]
    fn percentiles_pick_a_measured_value() {
        let ns: Vec<u64> = (1..=100).map(|us| us * 1_000).collect();
        assert!((percentile_us(&ns, 50) - 50.0).abs() < 1e-9);
        assert!((percentile_us(&ns, 99) - 99.0).abs() < 1e-9);
        assert!(percentile_us(&[], 50).abs() < 1e-9);
    }

    #[test]
    fn a_limit_is_met_at_its_own_value() {
        assert!(Limit::AtLeast(1.2).met(1.2) && !Limit::AtLeast(1.2).met(1.19));
        assert!(Limit::AtMost(2.0).met(2.0) && !Limit::AtMost(2.0).met(2.01));
    }
}
