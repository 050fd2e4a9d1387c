//! The figures, each beside its bound.

/// What a figure must not exceed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// At most so much.
    Max(f64),
    /// A figure to know, without a bound.
    None,
}

/// A line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// What was measured.
    pub(crate) what: String,
    /// The figure.
    pub(crate) figure: f64,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// Its bound.
    pub(crate) bound: Bound,
}

impl Row {
    /// A figure that is judged.
    pub(crate) fn bounded(what: impl Into<String>, figure: f64, unit: &'static str, max: f64) -> Self {
        Self { what: what.into(), figure, unit, bound: Bound::Max(max) }
    }

    /// A figure to know.
    pub(crate) fn known(what: impl Into<String>, figure: f64, unit: &'static str) -> Self {
        Self { what: what.into(), figure, unit, bound: Bound::None }
    }

    /// As it is printed.
    pub(crate) fn line(&self) -> String {
        let figure = if self.figure.abs() < 100.0 {
            format!("{:.2}", self.figure)
        } else {
            format!("{:.0}", self.figure)
        };
        let (bound, verdict) = match self.bound {
            Bound::None => (String::new(), ""),
            Bound::Max(max) => (format!("≤ {max:.1}"), if self.figure <= max { "met" } else { "NOT met" }),
        };
        format!("{:<54} {figure:>10} {:<10} {bound:>10}  {verdict}", self.what, self.unit)
            .trim_end()
            .to_owned()
    }
}

/// The value that `percent` of the values do not exceed; not a number when there are none.
pub(crate) fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) * percent / 100).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_judged_by_its_bound() {
        assert!(Row::bounded("a", 8.0, "ms", 8.0).line().ends_with(" met"));
        assert!(Row::bounded("a", 8.1, "ms", 8.0).line().ends_with("NOT met"));
        assert!(Row::bounded("a", f64::NAN, "ms", 8.0).line().ends_with("NOT met"));
        assert!(Row::known("a", 1.0, "ms").line().ends_with("ms"));
    }

    #[test]
    fn percentiles_are_of_sorted_values() {
        assert!((percentile(&mut [3.0, 1.0, 2.0], 50) - 2.0).abs() < 1e-9);
        assert!(percentile(&mut [], 50).is_nan());
    }
}
