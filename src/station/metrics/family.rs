//! A family of series, and how its names are made.

use std::fmt::Write as _;

/// What every name of ours begins with.
const PREFIX: &str = "rl_console_";

/// What the names of the bus have behind it; on the bus itself they go without.
const BUS: &str = "rmp_";

/// How a figure moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::station) enum Kind {
    /// It only grows, and begins anew with its host.
    Counter,
    /// It goes up and down.
    Gauge,
}

/// A figure.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub(in crate::station) enum Number {
    /// A count.
    Whole(u64),
    /// A measure.
    Real(f64),
}

impl From<u64> for Number {
    fn from(count: u64) -> Self {
        Self::Whole(count)
    }
}

impl From<bool> for Number {
    fn from(holds: bool) -> Self {
        Self::Whole(holds.into())
    }
}

impl From<f64> for Number {
    fn from(measure: f64) -> Self {
        Self::Real(measure)
    }
}

/// A name and a value of it.
pub(in crate::station) type Label = (&'static str, String);

/// One figure of a family, told apart from the others by its labels.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::station) struct Series {
    pub(in crate::station) labels: Vec<Label>,
    pub(in crate::station) value: Number,
}

/// Figures of one meaning.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::station) struct Family {
    /// Its whole name: the unit comes last, and after it the `total` of a counter.
    pub(in crate::station) name: &'static str,
    pub(in crate::station) kind: Kind,
    /// What it means, in a sentence.
    pub(in crate::station) help: &'static str,
    /// The label that tells its series apart, where one does.
    pub(in crate::station) label: Option<&'static str>,
    pub(in crate::station) series: Vec<Series>,
}

impl Family {
    pub(in crate::station) const fn new(name: &'static str, kind: Kind, help: &'static str) -> Self {
        Self { name, kind, help, label: None, series: Vec::new() }
    }

    /// With the one figure that needs no label.
    pub(in crate::station) fn of(mut self, value: impl Into<Number>) -> Self {
        self.series.push(Series { labels: Vec::new(), value: value.into() });
        self
    }

    /// With one figure for each value of a label.
    pub(in crate::station) fn by<V: Into<Number>>(
        mut self,
        label: &'static str,
        figures: impl IntoIterator<Item = (String, V)>,
    ) -> Self {
        let series =
            figures.into_iter().map(|(of, value)| Series { labels: vec![(label, of)], value: value.into() });
        self.series.extend(series);
        self.label = Some(label);
        self
    }

    /// The name of one of its series as it stands on the bus: without the program's name, and a figure of the
    /// bus without the bus's, as `drops_total{reason="duplicate"}` (rmp-v0 §5).
    pub(in crate::station) fn short_name(&self, series: &Series) -> String {
        let name = self.name.strip_prefix(PREFIX).unwrap_or(self.name);
        let mut name = name.strip_prefix(BUS).unwrap_or(name).to_owned();
        for (place, (label, value)) in series.labels.iter().enumerate() {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            // A string takes everything.
            let _ = write!(name, "{}{label}=\"{value}\"", if place == 0 { '{' } else { ',' });
        }
        if !series.labels.is_empty() {
            name.push('}');
        }
        name
    }
}
