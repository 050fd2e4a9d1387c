//! Every metric that a station can have, for its documentation.

use super::{
    HttpMetrics, Metrics,
    families::all,
    family::{Family, Kind},
};
use crate::{
    gate::Gate,
    port::{HostState, StationView},
    station::{admission::Tallies, gate, hosts::Hosts, keyframes},
    store, tap,
    tap::entry::Link,
    time::Now,
};

/// What is to be known of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MetricReference {
    pub(crate) name: &'static str,
    /// `counter` or `gauge`.
    pub(crate) kind: &'static str,
    /// The label that tells its series apart, where one does.
    pub(crate) label: Option<&'static str>,
    /// What it measures.
    pub(crate) help: &'static str,
}

/// All of them, by name.
pub(crate) fn reference() -> Vec<MetricReference> {
    let station = StationView {
        hosts: Link::ALL.map(|_| HostState::Up),
        ..StationView::starting(std::path::PathBuf::new(), Now::default(), 0)
    };
    let mut hosts: Vec<Family> =
        Hosts::default().by_link().iter().flat_map(|host| host.idle_families()).collect();
    hosts.extend(Tallies::default().families());
    hosts.extend(gate::families(&Gate::none(), Now::default()));
    let figures = Metrics {
        at: Now::default(),
        station,
        tap: tap::Counters::default(),
        keyframes: keyframes::Counters::default(),
        store: Some(store::Counters::default()),
        hosts,
        http: Some(HttpMetrics::default()),
    };
    let mut rows: Vec<_> = all(&figures).iter().map(row).collect();
    rows.sort_by_key(|row| row.name);
    rows
}

fn row(family: &Family) -> MetricReference {
    let kind = match family.kind {
        Kind::Counter => "counter",
        Kind::Gauge => "gauge",
    };
    MetricReference { name: family.name, kind, label: family.label, help: family.help }
}
