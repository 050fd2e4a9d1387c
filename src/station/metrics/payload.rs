//! The payload of `CT_METRICS_SNAPSHOT` on `rlp/sys/metrics`.

use std::{collections::BTreeMap, time::Duration};

use serde::Serialize;

use super::{
    Metrics,
    families::families,
    family::{Kind, Number},
};

/// The payload of a `CT_METRICS_SNAPSHOT` (`observation.metrics.snapshot.v1`); [`crate::rmp::encode::body`]
/// writes it as a map.
///
/// Keys are the names of the Prometheus text without `rl_console_`, with their labels:
/// `mpp_queue_held{queue="boss"}`. Those of the bus go without `rmp_` as well:
/// `drops_total{reason="duplicate"}` (rmp-v0 §5).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricsSnapshot {
    v: u8,
    scope: &'static str,
    ts_ms: u64,
    interval_ms: u64,
    labels: BTreeMap<&'static str, &'static str>,
    gauges: BTreeMap<String, Number>,
    counters: BTreeMap<String, Number>,
}

impl MetricsSnapshot {
    /// The body's type.
    pub const TYPE: &str = "observation.metrics.snapshot.v1";

    /// The figures in this form. `interval` is the time from one snapshot to the next.
    #[must_use]
    pub fn new(figures: &Metrics, interval: Duration) -> Self {
        let mut gauges = BTreeMap::new();
        let mut counters = BTreeMap::new();
        for family in families(figures) {
            let figures = match family.kind {
                Kind::Counter => &mut counters,
                Kind::Gauge => &mut gauges,
            };
            figures.extend(family.series.iter().map(|series| (family.short_name(series), series.value)));
        }
        Self {
            v: 1,
            scope: "system",
            ts_ms: figures.at.wall.0,
            interval_ms: u64::try_from(interval.as_millis()).unwrap_or(u64::MAX),
            labels: BTreeMap::from([
                ("program", env!("CARGO_PKG_NAME")),
                ("version", env!("CARGO_PKG_VERSION")),
            ]),
            gauges,
            counters,
        }
    }
}
