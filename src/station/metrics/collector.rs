//! The metrics of one moment.

use std::time::Duration;

use super::Family;
use crate::{
    port::StationView,
    station::{gate, keyframes, local::Inner},
    store,
    tap::Counters,
    time::Now,
};

/// How long a host may take to say how it stands; past it, its figures are left out.
const SNAPSHOT_MAX: Duration = Duration::from_secs(1);

/// The station's figures at one moment. What is down or on its way has none.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// When they were taken.
    pub at: Now,
    /// The station itself.
    pub station: StationView,
    /// The tap.
    pub tap: Counters,
    /// The keyframes beside it.
    pub keyframes: keyframes::Counters,
    /// The store.
    pub store: Option<store::Counters>,
    /// Those of every host that answers.
    pub(super) hosts: Vec<Family>,
    /// The metrics' own HTTP endpoint, where there is one.
    pub http: Option<HttpMetrics>,
}

/// What the metrics' own HTTP endpoint has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpMetrics {
    /// Requests that were answered, refused ones included.
    pub requests: u64,
    /// Connections that were closed to make room for later ones.
    pub cut: u64,
}

/// Takes the figures. Never waits longer than a second.
pub(in crate::station) async fn collect(inner: &Inner) -> Metrics {
    let now = inner.clock.now();
    let families = inner.hosts.by_link().map(|host| tokio::time::timeout(SNAPSHOT_MAX, host.families(now)));
    let hosts = futures_util::future::join_all(families).await;
    let (station, _, at) = inner.status.view();
    Metrics {
        at,
        station,
        tap: inner.tap.counters(),
        keyframes: inner.keyframes.counters(),
        store: inner.running_now().map(|running| running.store.counters()),
        hosts: hosts
            .into_iter()
            .filter_map(Result::ok)
            .flatten()
            .chain(inner.admission.families())
            .chain(gate::families(&inner.gate, now))
            .collect(),
        http: inner.metrics.metrics(&inner.admission.metrics),
    }
}
