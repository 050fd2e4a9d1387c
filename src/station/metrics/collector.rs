//! What is measured at one moment.

use std::{sync::Arc, time::Duration};

use crate::{
    macp, mpp,
    port::StationView,
    rmp, runs,
    station::local::{Inner, Startup},
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
    /// The store.
    pub store: Option<store::Counters>,
    /// The MPP bridge.
    pub mpp: Option<mpp::Snapshot>,
    /// The bus.
    pub rmp: Option<rmp::Snapshot>,
    /// The runs.
    pub runs: Option<runs::Metrics>,
    /// The MACP runtime.
    pub macp: Option<macp::host::Metrics>,
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
    let running = match &*inner.startup.borrow() {
        Startup::Running(running) => Some(Arc::clone(running)),
        Startup::Starting | Startup::Failed(_) | Startup::Stopped => None,
    };
    let (mpp, rmp, runs) = match &running {
        Some(running) => {
            let bus = async { Ok::<_, crate::port::PortError>(inner.bus.snapshot().await.1) };
            tokio::join!(in_time(running.snapshot()), in_time(bus), in_time(inner.runs.metrics()))
        }
        None => (None, None, None),
    };
    let (station, _, at) = inner.status.view();
    Metrics {
        at,
        station,
        tap: inner.tap.counters(),
        store: running.map(|running| running.store.counters()),
        mpp: mpp.map(|(_, mpp)| mpp),
        rmp: rmp.filter(|rmp| rmp.listener != rmp::Listener::Starting),
        runs,
        macp: inner.sessions.metrics(),
        http: inner.metrics.metrics(),
    }
}

async fn in_time<T, E>(answer: impl Future<Output = Result<T, E>>) -> Option<T> {
    tokio::time::timeout(SNAPSHOT_MAX, answer).await.ok().and_then(Result::ok)
}
